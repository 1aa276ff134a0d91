//! Splitting: components, the difference between undefined and empty ones, and lossless splitting.

use std::sync::LazyLock;

use proptest::prelude::*;
use regex_lite::{Regex, RegexBuilder};
use urlcore::{Dialect, Form, Reference, SchemeKind};

use crate::generate;

/// The scheme, authority, path, params, query and fragment.
type Components<'a> =
    (Option<&'a str>, Option<&'a str>, &'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// Returns the components of a text, with or without the scheme of a base.
fn components<'a>(text: &'a str, dialect: Dialect, base_scheme: Option<&str>) -> Components<'a> {
    let r = match base_scheme {
        Some(scheme) => Reference::split_under(text, dialect, scheme),
        None => Reference::split(text, dialect),
    };
    assert_eq!(r.to_string(), text);
    (r.scheme(), r.authority(), r.path(), r.params(), r.query(), r.fragment())
}

#[track_caller]
fn check(text: &str, dialect: Dialect, expected: Components<'_>) {
    assert_eq!(components(text, dialect, None), expected, "{text:?} in {dialect}");
}

#[track_caller]
fn check_under(base_scheme: &str, text: &str, expected: Components<'_>) {
    assert_eq!(
        components(text, Dialect::Web, Some(base_scheme)),
        expected,
        "{text:?} under {base_scheme}"
    );
}

#[test]
fn rfc3986() {
    let check = |text, expected| check(text, Dialect::Rfc3986, expected);
    check("", (None, None, "", None, None, None));
    check("foo://u@h:1/a;b?c#d", (Some("foo"), Some("u@h:1"), "/a;b", None, Some("c"), Some("d")));
    check("//?#", (None, Some(""), "", None, Some(""), Some("")));
    check("a?b?c#d#e", (None, None, "a", None, Some("b?c"), Some("d#e")));
    check("#?", (None, None, "", None, None, Some("?")));
    check("a/b:c", (None, None, "a/b:c", None, None, None));
    check("%41:x", (Some("%41"), None, "x", None, None, None));
    check(":x", (None, None, ":x", None, None, None));
    check("urn:a:b", (Some("urn"), None, "a:b", None, None, None));
    check(r"\\h\a", (None, None, r"\\h\a", None, None, None));
}

#[test]
fn rfc1808() {
    let check = |text, expected| check(text, Dialect::Rfc1808, expected);
    check(
        "http://h/a;b;c?d;e#f",
        (Some("http"), Some("h"), "/a", Some("b;c"), Some("d;e"), Some("f")),
    );
    check("//h?y;z#s", (None, Some("h?y;z"), "", None, None, Some("s")));
    check("a?b;c", (None, None, "a", None, Some("b;c"), None));
    check(";", (None, None, "", Some(""), None, None));
    check("1:a", (Some("1"), None, "a", None, None, None));
    check("g_h:a", (None, None, "g_h:a", None, None, None));
    check("é;é?é#é", (None, None, "é", Some("é"), Some("é"), Some("é")));
}

#[test]
fn web() {
    let check = |text, expected| check(text, Dialect::Web, expected);
    check(r"http:\/\h\a?\#\", (Some("http"), Some("h"), r"\a", None, Some(r"\"), Some(r"\")));
    check("HTTPS:h", (Some("HTTPS"), Some("h"), "", None, None, None));
    check("foo:h", (Some("foo"), None, "h", None, None, None));
    check(r"foo://h\a", (Some("foo"), Some(r"h\a"), "", None, None, None));
    check("foo:///a", (Some("foo"), Some(""), "/a", None, None, None));
    check("1:a", (None, None, "1:a", None, None, None));
    check("///h", (None, Some("h"), "", None, None, None));
}

#[test]
fn web_under_a_base() {
    check_under("http", "http:g", (None, None, "g", None, None, None));
    check_under("HTTP", r"http:\g", (None, None, r"\g", None, None, None));
    check_under("http", r"http:/\g", (Some("http"), Some("g"), "", None, None, None));
    check_under("https", "http:g", (Some("http"), Some("g"), "", None, None, None));
    check_under("foo", "foo:g", (Some("foo"), None, "g", None, None, None));
    check_under("foo", r"\\g", (None, None, r"\\g", None, None, None));
    check_under("foo", "///g", (None, Some(""), "/g", None, None, None));
}

#[test]
fn web_files() {
    check_under("file", "///g", (None, Some(""), "/g", None, None, None));
    check_under("file", r"\\h\g", (None, Some("h"), r"\g", None, None, None));
    check_under("file", "file:g", (None, None, "g", None, None, None));
    check_under("http", "file:g", (Some("file"), None, "g", None, None, None));
    // A drive letter is not a host.
    check_under("file", "//C|/g", (None, Some(""), "C|/g", None, None, None));
    check_under("file", "//Cx/g", (None, Some("Cx"), "/g", None, None, None));
}

#[test]
fn kinds_and_forms() {
    let r = Reference::split("file:/a", Dialect::Web);
    assert_eq!((r.kind(), r.form(), r.is_absolute()), (SchemeKind::File, Form::Absolute, true));
    let r = Reference::split("file:/a", Dialect::Rfc3986);
    assert_eq!((r.kind(), r.form(), r.is_absolute()), (SchemeKind::Other, Form::Absolute, true));
    let form = |text| Reference::split_under(text, Dialect::Web, "http").form();
    assert_eq!(form(r"/\h"), Form::NetworkPath);
    assert_eq!(form(r"\a"), Form::AbsolutePath);
    assert_eq!(form("http:a"), Form::RelativePath);
    assert_eq!(form("?"), Form::RelativePath);
    assert_eq!(form("http:#"), Form::SameDocument);
    assert_eq!(form(""), Form::SameDocument);
}

/// The regular expression of 1996, RFC 2396 and RFC 3986, appendix B.
static APPENDIX_B: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?";
    RegexBuilder::new(expression).dot_matches_new_line(true).build().expect("an expression")
});

/// The pieces of generated references.
const WORDS: &[&str] =
    &["a", "é", ":", "/", "?", "#", ";", ".", "\\", "%", "http:", "foo:", "//", "C|"];

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn appendix_b(base in generate::base(), reference in generate::reference(), any in generate::any_text()) {
        for text in [&base, &reference, &any] {
            let groups = APPENDIX_B.captures(text).expect("every text matches");
            let group = |n: usize| groups.get(n).map(|found| found.as_str());
            for dialect in [Dialect::Url1993, Dialect::UrlSyntax1996, Dialect::Rfc2396, Dialect::Rfc3986] {
                let r = Reference::split(text, dialect);
                prop_assert_eq!((r.scheme(), r.authority(), Some(r.path())), (group(2), group(4), group(5)));
                prop_assert_eq!((r.query(), r.fragment(), r.params()), (group(7), group(9), None));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 5_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// The components with their delimiters are the text, if the slashes are those of the RFCs.
    #[test]
    fn nothing_is_lost(text in generate::words(WORDS, 8)) {
        for &dialect in Dialect::ALL {
            let r = Reference::split(&text, dialect);
            prop_assert_eq!(r.to_string(), text.as_str());
            prop_assert_eq!(r.text(), text.as_str());
            let scheme = r.scheme().map_or(String::new(), |scheme| format!("{scheme}:"));
            let authority = r.authority().unwrap_or("");
            let mut rest = r.path().to_owned();
            for (delimiter, component) in [(';', r.params()), ('?', r.query()), ('#', r.fragment())] {
                if let Some(component) = component {
                    rest.push(delimiter);
                    rest.push_str(component);
                }
            }
            // Between scheme and authority there are only separators.
            let slashes = text.strip_prefix(&scheme).and_then(|text| text.strip_suffix(&format!("{authority}{rest}")));
            let slashes = slashes.map(|slashes| slashes.trim_matches(['/', '\\']).len());
            prop_assert_eq!(slashes, Some(0), "{} {:?}", dialect, r);
        }
    }
}
