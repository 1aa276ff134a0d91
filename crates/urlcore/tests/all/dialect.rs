//! Dialects: their names, and the error for an unknown name.

use std::collections::BTreeSet;

use urlcore::{Dialect, SchemeKind};

#[test]
fn names_are_parsed_back() {
    let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.to_string()).collect();
    assert_eq!(
        names,
        ["url-1993", "rfc1808-draft05", "rfc1808", "url-syntax-1996", "rfc2396", "rfc3986", "web"]
    );
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), Dialect::ALL.len());
    for (name, dialect) in names.iter().zip(Dialect::ALL) {
        assert_eq!(name.parse(), Ok(*dialect));
    }
    assert_eq!(Dialect::default(), Dialect::Web);
}

#[test]
fn unknown_names_are_refused() {
    for name in ["", "Web", "rfc3986 ", "rfc2396x"] {
        let error = name.parse::<Dialect>().expect_err("no dialect");
        for dialect in Dialect::ALL {
            assert!(error.to_string().contains(dialect.name()), "{error}");
        }
    }
}

#[test]
fn only_the_web_knows_schemes() {
    for scheme in ["http", "HTTPS", "ftp", "ws", "wss"] {
        assert_eq!(Dialect::Web.rules().kind_of(scheme), SchemeKind::Special, "{scheme}");
        assert_eq!(Dialect::Rfc3986.rules().kind_of(scheme), SchemeKind::Other, "{scheme}");
        assert_eq!(Dialect::Rfc1808.rules().kind_of(scheme), SchemeKind::Other, "{scheme}");
    }
    assert_eq!(Dialect::Web.rules().kind_of("File"), SchemeKind::File);
    assert_eq!(Dialect::Web.rules().kind_of("http "), SchemeKind::Other);
}
