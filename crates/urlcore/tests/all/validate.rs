//! Validation: the character classes of each grammar, byte by byte, and the rules that do not
//! concern characters.

use fluent_uri::UriRef;
use iri_string::types::UriReferenceStr;
use proptest::prelude::*;
use urlcore::{Dialect, Reference, Strictness, ValidationErrorKind, validate};

use crate::{fixtures, generate};

fn is_valid(text: &str, dialect: Dialect) -> bool {
    validate(text, dialect, Strictness::Strict).is_ok()
}

/// Every ASCII character in every component is compared with the sets derived from the
/// specifications.
#[test]
fn characters() {
    let rows = fixtures::rows("characters.tsv");
    let every = if cfg!(miri) { 11 } else { 1 };
    let mut n_checked = 0;
    for row in &rows {
        let [dialect, component, set] = &row[..] else { panic!("{row:?}") };
        let dialect: Dialect = dialect.parse().expect("a dialect");
        // Characters that end the component are not in it, and an escape is more than a character.
        let (before, after, ends) = match component.as_str() {
            "path" => ("http://h/a", "b", if dialect.rules().params { "?#%;" } else { "?#%" }),
            "params" => ("http://h/a;a", "b", "?#%"),
            "query" => ("http://h/a?a", "b", "#%"),
            "fragment" => ("http://h/a#a", "b", "%"),
            "user" | "userinfo" => ("ftp://a", "b@h/", "/?#%@:"),
            "password" => ("ftp://u:a", "b@h/", "/?#%@:"),
            "authority" if dialect.rules().params => ("http://a", "b/", "/#%"),
            "authority" | "reg_name" => ("http://a", "b/", "/?#%@:"),
            // The rules of names in a host are checked below.
            "host" => ("http://a", "b/", "/?#%@:-. "),
            "scheme" => ("a", "b:c", ":/?#%"),
            "unreserved" => continue,
            other => panic!("{other}"),
        };
        for c in (0..128_u8).step_by(every).map(char::from).filter(|c| !ends.contains(*c)) {
            let text = format!("{before}{c}{after}");
            if component == "scheme" && dialect.rules().params {
                // RFC 1808 2.4.2 finds a scheme only if it consists of these characters.
                let found = Reference::split(&text, dialect).is_absolute();
                assert_eq!(found, set.contains(c), "{text:?} in {dialect}");
                continue;
            }
            let found = validate(&text, dialect, Strictness::Strict);
            assert_eq!(found.is_ok(), set.contains(c), "{text:?} in {dialect}: {found:?}");
            if let Err(error) = found {
                assert_eq!(error.index, before.len(), "{text:?} in {dialect}");
            }
            n_checked += 1;
        }
    }
    assert!(n_checked > 4_000 / every, "{n_checked} characters");
}

#[track_caller]
fn is_wrong(text: &str, dialect: Dialect, index: usize, kind: ValidationErrorKind) {
    let error = validate(text, dialect, Strictness::Strict).expect_err(text);
    assert_eq!((error.index, error.kind), (index, kind), "{text}: {error}");
    assert!(error.rule().len() > 10 && error.to_string().contains(error.rule()), "{error}");
}

#[test]
fn escapes() {
    for &dialect in Dialect::ALL {
        assert!(is_valid("http://h/%41%c3%A9", dialect));
        for text in ["http://h/%", "http://h/%4", "http://h/%4g", "http://h/%%41"] {
            is_wrong(text, dialect, 9, ValidationErrorKind::Escape);
        }
        is_wrong("http://h/a?%zz", dialect, 11, ValidationErrorKind::Escape);
    }
}

#[test]
fn schemes() {
    use Dialect::{Rfc1808, Rfc2396, Rfc3986, UrlSyntax1996};
    for dialect in [Rfc1808, UrlSyntax1996] {
        assert!(is_valid("1a:b", dialect) && is_valid("-:b", dialect));
    }
    for dialect in [Rfc2396, Rfc3986] {
        is_wrong("1a:b", dialect, 0, ValidationErrorKind::Scheme);
        is_wrong("g_h:x", dialect, 1, ValidationErrorKind::Scheme);
        is_wrong(":x", dialect, 0, ValidationErrorKind::ColonInFirstSegment);
        assert!(
            is_valid("./a:b", dialect) && is_valid("/a:b", dialect) && is_valid("a/b:c", dialect)
        );
    }
    // RFC 2396 3 requires an opaque part, if there is no hierarchy.
    is_wrong("foo:", Rfc2396, 4, ValidationErrorKind::AfterScheme);
    is_wrong("foo:#s", Rfc2396, 4, ValidationErrorKind::AfterScheme);
    assert!(is_valid("foo:?q", Rfc2396) && is_valid("foo:", Rfc3986));
}

#[test]
fn hosts() {
    use Dialect::{Rfc1808, Rfc2396, Rfc3986, Url1993, UrlSyntax1996};
    // The open issue 6 of 1996: the last label begins with a letter. In RFC 2396 it is a
    // `reg_name`.
    is_wrong("http://4kids/blah", UrlSyntax1996, 7, ValidationErrorKind::Host);
    assert!(is_valid("http://4kids/blah", Rfc2396) && is_valid("http://4kids/blah", Url1993));
    for host in ["a", "a.b", "1.b", "a-b.c", "127.0.0.1", "1.2.3.999"] {
        assert!(is_valid(&format!("http://{host}/"), UrlSyntax1996), "{host}");
    }
    for host in ["-a", "a-", "a..b", "a.b.", "1.2.3", "a.1"] {
        is_wrong(&format!("http://{host}/"), UrlSyntax1996, 7, ValidationErrorKind::Host);
    }
    assert!(is_valid("http:///a", UrlSyntax1996));
    is_wrong("http://h:/", Url1993, 9, ValidationErrorKind::Port);
    is_wrong("ftp://h", Url1993, 7, ValidationErrorKind::Path);
    is_wrong("ftp://@host/a", Url1993, 6, ValidationErrorKind::Userinfo);
    is_wrong("nntp:g/abc", Url1993, 7, ValidationErrorKind::Path);
    assert!(is_valid("ftp://u:p@h/a", Url1993) && is_valid("nntp:g/12", Url1993));
    is_wrong("http:///a", Url1993, 7, ValidationErrorKind::Host);
    is_wrong("http://h//a", Url1993, 9, ValidationErrorKind::Path);
    is_wrong("http://h?", Url1993, 8, ValidationErrorKind::Query);
    assert!(is_valid("a%41:b", Url1993) && is_valid("http://h./", Url1993));
    is_wrong("//a%41/", UrlSyntax1996, 2, ValidationErrorKind::Host);
    is_wrong("//u@/", UrlSyntax1996, 4, ValidationErrorKind::Host);
    is_wrong("//:80", UrlSyntax1996, 2, ValidationErrorKind::Host);
    is_wrong("//h?q", UrlSyntax1996, 3, ValidationErrorKind::Query);
    // RFC 2396 C.1 resolves `?y`, but its grammar lacks it.
    assert!(is_valid("?y", Rfc2396));
    for dialect in [Rfc3986, UrlSyntax1996] {
        assert!(is_valid("http://h:/", dialect) && is_valid("http://u:p@h:80/", dialect));
        is_wrong("http://h:8x/", dialect, 10, ValidationErrorKind::Port);
    }
    for (host, is_literal) in [
        ("[::1]", true),
        ("[2001:db8::7]", true),
        ("[v1.a:b]", true),
        ("[]", false),
        ("[::1", false),
        ("[v.a]", false),
        ("[1:2]", false),
    ] {
        assert_eq!(is_valid(&format!("http://{host}/"), Rfc3986), is_literal, "{host}");
        assert!(!is_valid(&format!("http://{host}/"), Rfc2396), "{host}");
    }
    is_wrong("//h//x", Rfc1808, 4, ValidationErrorKind::EmptyFirstSegment);
    assert!(is_valid("http://h//x", Rfc1808) && is_valid("//h/x//y", Rfc1808));
}

#[test]
fn lenient() {
    for &dialect in Dialect::ALL {
        let lenient = |text: &str| validate(text, dialect, Strictness::Lenient).is_ok();
        assert!(lenient("http://h/{a|b}") && lenient("http://h/é?\\^#[`]"), "{dialect}");
        let is_web = dialect == Dialect::Web;
        assert_eq!(lenient("http://h/<a>"), is_web, "{dialect}");
        assert_eq!(lenient("http://h/\n"), is_web, "{dialect}");
        assert_eq!(is_valid("http://h/a b", dialect), dialect == Dialect::Url1993);
        assert!(!is_valid("http://h/é", dialect) || is_web);
    }
}

#[test]
fn the_web_has_a_grammar_for_writers() {
    let check = |text, index, kind| is_wrong(text, Dialect::Web, index, kind);
    for text in
        ["http://h/", "//h", "/é", "a?b#c", "", "mailto:a@b", "file:///a", "http://h:80/?a=b&c"]
    {
        assert!(is_valid(text, Dialect::Web), "{text}");
    }
    check(" a", 0, ValidationErrorKind::Removed);
    check("a\tb", 1, ValidationErrorKind::Removed);
    check("http:a", 5, ValidationErrorKind::MissingSlashes);
    check("http:/a", 5, ValidationErrorKind::MissingSlashes);
    check("http://u@h/", 8, ValidationErrorKind::Userinfo);
    check("a\\b", 1, ValidationErrorKind::Path);
    check("a?b|c", 3, ValidationErrorKind::Query);
    check("http://a b/", 8, ValidationErrorKind::Host);
    check("http://h:x/", 9, ValidationErrorKind::Host);
    assert!(!is_valid("a\u{FFFF}", Dialect::Web) && !is_valid("a\u{81}", Dialect::Web));
    check("  http://h:x/", 0, ValidationErrorKind::Removed);
    let error = validate("  http://\th:x/", Dialect::Web, Strictness::Lenient).expect_err("a port");
    assert_eq!((error.index, error.kind), (12, ValidationErrorKind::Host));
    assert!(validate("http://[zz/", Dialect::Rfc3986, Strictness::Lenient).is_ok());
    assert!(validate("http:a\\b c", Dialect::Web, Strictness::Lenient).is_ok());
    assert!(validate("http://a b/", Dialect::Web, Strictness::Lenient).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Validation agrees with two other crates that follow the grammar of RFC 3986.
    #[test]
    fn rfc3986_as_others_read_it(base in generate::base(), reference in generate::reference()) {
        for text in [&base, &reference] {
            let ours = validate(text, Dialect::Rfc3986, Strictness::Strict);
            prop_assert_eq!(ours.is_ok(), UriReferenceStr::new(text).is_ok(), "{:?} {:?}", text, ours);
            prop_assert_eq!(ours.is_ok(), UriRef::parse(text.as_str()).is_ok(), "{:?} {:?}", text, ours);
        }
    }

    #[test]
    fn the_index_is_in_the_text(text in generate::any_text(), reference in generate::reference()) {
        for text in [&text, &reference] {
            for &dialect in Dialect::ALL {
                for strictness in [Strictness::Strict, Strictness::Lenient] {
                    if let Err(error) = validate(text, dialect, strictness) {
                        prop_assert!(error.index <= text.len());
                    }
                }
                // A strictly valid text is valid leniently.
                if is_valid(text, dialect) {
                    prop_assert!(validate(text, dialect, Strictness::Lenient).is_ok());
                }
            }
        }
    }
}
