//! Normalization: the examples of RFC 3986 section 6, its laws, and comparison with other crates.

use fluent_uri::Uri;
use proptest::prelude::*;
use url::Url;
use urlcore::{Dialect, Normalization, Resolver, clean, is_absolute, is_valid_host, normalize};

use crate::generate;

fn syntax(text: &str) -> String {
    normalize(text, Dialect::Rfc3986, Normalization::Syntax)
}

fn scheme(text: &str) -> String {
    normalize(text, Dialect::Rfc3986, Normalization::Scheme)
}

#[test]
fn rfc3986_section_6() {
    // 6.2.2
    assert_eq!(syntax("eXAMPLE://a/./b/../b/%63/%7bfoo%7d"), "example://a/b/c/%7Bfoo%7D");
    // 6.2.2.1
    assert_eq!(syntax("HTTP://www.EXAMPLE.com/A"), "http://www.example.com/A");
    assert_eq!(syntax("http://h%4F%c3%a9/"), "http://ho%C3%A9/");
    // 6.2.3
    for text in [
        "http://example.com",
        "http://example.com/",
        "http://example.com:/",
        "http://example.com:80/",
    ] {
        assert_eq!(scheme(text), "http://example.com/");
    }
    assert_eq!(syntax("http://example.com:80"), "http://example.com:80");
    assert_eq!(scheme("gopher://h:70"), "gopher://h/");
    assert_eq!(scheme("foo://h:80"), "foo://h:80");
    assert_eq!(scheme("file://LocalHost/a"), "file:///a");
    assert_eq!(scheme("http://h:8080?q"), "http://h:8080/?q");
    assert_eq!(scheme("mailto:Joe@H"), "mailto:Joe@H");
}

#[test]
fn what_is_kept() {
    for text in [
        "",
        "../a/./b",
        "a%2Fb",
        "?%26",
        "#%23",
        "//u%40@h",
        "foo:/.//a",
        "%",
        "http://h/%zz",
        "a%3Ab",
    ] {
        assert_eq!(syntax(text), text);
    }
    // Found by fuzzing: "%0" followed by an escaped "d" is not "%0D".
    for text in ["http://h/%0%64", "http://h/%%30", "%%34%31"] {
        let normal = syntax(text);
        assert_eq!(syntax(&normal), normal);
        assert!(!normal.contains("%0D") && !normal.contains("%0d"), "{normal}");
    }
    assert_eq!(syntax("http://h/a/%2e%2e/b"), "http://h/b");
    assert_eq!(syntax("foo:/a/..//b"), "foo:/.//b");
    // Escapes whose removal would change resolution are kept.
    for dialect in [Dialect::Rfc3986, Dialect::Rfc2396, Dialect::Rfc1808, Dialect::Url1993] {
        let normal = |text| normalize(text, dialect, Normalization::Syntax);
        assert_eq!(normal("%2e%2e/b"), "%2E%2E/b", "{dialect}");
    }
    let normal = |text| normalize(text, Dialect::Rfc1808, Normalization::Scheme);
    assert_eq!(
        (normal("?"), normal("http://h:80:80/")),
        ("?".to_owned(), "http://h:80:80/".to_owned())
    );
    // Found by fuzzing: an unclosed bracket begins no address.
    assert_eq!(normal("//[::"), "//[::");
    assert_eq!(normalize("http:g", Dialect::Web, Normalization::Scheme), "http:g");
    assert_eq!(
        normalize("http://%5Ba/", Dialect::Rfc1808Draft05, Normalization::Syntax),
        "http://%5Ba/"
    );
}

#[test]
fn dialects() {
    let normal = |text, dialect| normalize(text, dialect, Normalization::Syntax);
    // 1996 2.3.2: "%7e" and "~" can be used interchangeably. RFC 1808 has "~" in `national`, which
    // is to be escaped.
    assert_eq!(normal("http://h/%7efoo", Dialect::UrlSyntax1996), "http://h/~foo");
    assert_eq!(normal("http://h/%7efoo", Dialect::Rfc2396), "http://h/~foo");
    assert_eq!(normal("http://h/%7efoo", Dialect::Rfc1808), "http://h/%7Efoo");
    assert_eq!(normal("http://h/%7efoo", Dialect::Rfc1808Draft05), "http://h/~foo");
    // `$` and `,` are reserved in RFC 2396, but not in earlier specifications.
    assert_eq!(normal("%24%2c", Dialect::Rfc2396), "%24%2C");
    assert_eq!(normal("%24%2c", Dialect::UrlSyntax1996), "$,");
    // Empty and absent are the same in RFC 1808.
    assert_eq!(normal("http://h/a;?#", Dialect::Rfc1808), "http://h/a");
    assert_eq!(normal("http://h/a?#", Dialect::Url1993), "http://h/a?");
    assert_eq!(normal("http://h/a?#", Dialect::Rfc2396), "http://h/a?#");
    // Only RFC 3986 removes dot segments of absolute references.
    assert_eq!(normal("http://h/a/../b", Dialect::Rfc2396), "http://h/a/../b");
}

/// Returns true if the crate `url` changes more than the spelling (by its tables for host names and
/// numbers), or differs from the standard.
fn url_does_more(text: &str) -> bool {
    let text = clean(text, Dialect::Web);
    text.contains(['^', '|', '%', '\'', '\\', '@'])
        || text.contains("file:")
        || !text.is_ascii()
        || text.as_bytes().windows(3).any(|w| {
            !w[0].is_ascii_alphanumeric()
                && w[1].is_ascii_alphabetic()
                && matches!(w[2], b':' | b'|')
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalization_is_idempotent(base in generate::base(), reference in generate::reference()) {
        for text in [&base, &reference] {
            for &dialect in Dialect::ALL {
                for level in [Normalization::Syntax, Normalization::Scheme] {
                    let normal = normalize(text, dialect, level);
                    prop_assert_eq!(normalize(&normal, dialect, level), normal.as_str(), "{} {:?}", dialect, text);
                }
            }
        }
    }

    /// Normalization before or after resolution gives the same path.
    #[test]
    fn resolution_keeps_normal_forms(base in generate::base(), reference in generate::reference()) {
        let resolved = |reference: &str| Some(Resolver::new(&base, Dialect::Rfc3986).ok()?.resolve(reference).ok()?.to_string());
        // An escaped dot of an absolute reference becomes a dot.
        let has_escaped_dots = |text: &str| text.to_lowercase().contains("%2e");
        let is_absolute = is_absolute(&reference, Dialect::Rfc3986, None);
        let can_differ = has_escaped_dots(&base) || (is_absolute && has_escaped_dots(&reference));
        if !can_differ {
            let before = resolved(&syntax(&reference)).map(|target| syntax(&target));
            prop_assert_eq!(before, resolved(&reference).map(|target| syntax(&target)));
        }
    }

    #[test]
    fn rfc3986_as_fluent_uri_does_it(base in generate::base()) {
        let Ok(theirs) = Uri::parse(base.as_str()) else { return Ok(()) };
        // fluent-uri keeps the dot segments of rootless paths, and removes a colon without port.
        let is_rootless = !theirs.has_authority() && !theirs.path().is_absolute();
        let has_void_port = theirs.authority().is_some_and(|authority| authority.as_str().ends_with(':'));
        if !is_rootless && !has_void_port {
            let normal = theirs.normalize();
            prop_assert_eq!(syntax(&base), normal.as_str());
        }
    }

    /// The form is that of a browser.
    #[test]
    fn web_as_the_crate_url_does_it(base in generate::base()) {
        if url_does_more(&base) {
            return Ok(());
        }
        let Ok(theirs) = Url::parse(&base) else { return Ok(()) };
        let has_name = theirs.host_str().is_none_or(|host| is_valid_host(host, "foo").is_ok());
        if has_name && !theirs.cannot_be_a_base() {
            prop_assert_eq!(normalize(&base, Dialect::Web, Normalization::Scheme), theirs.as_str());
        }
    }
}
