//! Views of schemes: the parts of their URLs, and their `Display`.

use proptest::prelude::*;
use urlcore::scheme::{
    Ftp, Gopher, HttpUrl, Mailto, News, Nntp, Prospero, ProsperoField, Session, View, Wais,
};
use urlcore::{Dialect, Reference};

use crate::{fixtures, generate};

/// Returns the parts of a URL, as `name=value`.
fn parts(text: &str, dialect: Dialect) -> Option<Vec<String>> {
    let view = View::parse(&Reference::split(text, dialect))?;
    Some(view.parts().map(|(name, part)| format!("{name}={part}")).collect())
}

#[test]
fn parts_of_each_scheme() {
    let rows = fixtures::rows("schemes.tsv");
    for row in &rows {
        for &dialect in Dialect::ALL {
            assert_eq!(
                parts(&row[0], dialect).as_deref(),
                Some(&row[1..]),
                "{} in {dialect}",
                row[0]
            );
        }
    }
    assert_eq!(rows.len(), 25);
}

#[test]
fn urls_that_lack_parts_of_their_scheme_have_no_view() {
    for text in [
        "http:a",
        "http:///a",
        "ftp:/a",
        "news:",
        "news:@h",
        "news:a@",
        "news://h/a",
        "nntp:",
        "nntp://h",
        "nntp:g/x",
        "nntp:g/",
        "mailto:",
        "mailto://h",
        "telnet://",
        "telnet://h/x",
        "telnet:h",
        "gopher:",
        "gopher:///0",
        "wais://h",
        "wais://h/",
        "wais://h/db/TEXT",
        "prospero://h",
        "prospero://h/",
        "file:a",
        "foo://h/",
        "//h/",
        "a",
        "",
    ] {
        assert_eq!(parts(text, Dialect::Rfc3986), None, "{text}");
    }
}

#[test]
fn any_case_and_fragments() {
    let r = Reference::split("GOPHER://H:70/0a#s", Dialect::Rfc3986);
    let gopher = Gopher::parse(&r).expect("a view");
    assert_eq!((gopher.server.host, gopher.server.port, gopher.selector), ("H", Some("70"), "a"));
    assert_eq!(gopher.to_string(), "GOPHER://H:70/0a#s");
    assert!(HttpUrl::parse(&r).is_none() && Ftp::parse(&r).is_none());
}

#[test]
fn details() {
    let split = |text| Reference::split(text, Dialect::Rfc1808);
    let ftp = Ftp::parse(&split("ftp://u@h/a/%2Fb;type=D")).expect("a view");
    assert_eq!((ftp.user(), ftp.type_code), ("u", Some("D")));
    assert_eq!(ftp.names().collect::<Vec<_>>(), ["a", "%2Fb"]);
    // Any other code is part of the name.
    assert_eq!(Ftp::parse(&split("ftp://h/a;type=x")).expect("a view").path, Some("a;type=x"));
    let gopher = Gopher::parse(&split("gopher://h/7a%09b%09c")).expect("a view");
    assert_eq!((gopher.search, gopher.plus), (Some("b"), Some("c")));
    assert_eq!(Gopher::parse(&split("gopher://h/%2Fa")).expect("a view").item_type(), "%2F");
    let prospero = Prospero::parse(&split("prospero://h/a;b=c;d;e=f=g")).expect("a view");
    let fields: Vec<_> = prospero.fields().collect();
    assert_eq!(
        fields,
        [ProsperoField { name: "b", value: "c" }, ProsperoField { name: "e", value: "f=g" }]
    );
    assert_eq!(News::parse(&split("news:a/b@c@h")).expect("a view").to_string(), "news:a/b@c@h");
    assert_eq!(Nntp::parse(&split("nntp://h:1/g")).expect("a view").number, None);
    assert_eq!(Mailto::parse(&split("mailto:joe")).expect("a view").host, None);
    assert!(
        Session::parse(&split("rlogin://h")).is_some()
            && Session::parse(&split("tn3270://h")).is_some()
    );
    assert!(Wais::parse(&split("wais://h/db/t/")).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_display_the_text(
        scheme in prop::sample::select(&["http", "FTP", "file", "news", "nntp", "mailto", "telnet", "gopher", "wais", "prospero"][..]),
        rest in generate::characters("a0:/@?;=%+#*.é9", 16),
        slashes in prop::sample::select(&["", "//", "//h/"][..]),
    ) {
        let text = format!("{scheme}:{slashes}{rest}");
        for &dialect in Dialect::ALL {
            let r = Reference::split(&text, dialect);
            let Some(view) = View::parse(&r) else { continue };
            let shown = match view {
                View::Http(view) => view.to_string(),
                View::Ftp(view) => view.to_string(),
                View::File(view) => view.to_string(),
                View::News(view) => view.to_string(),
                View::Nntp(view) => view.to_string(),
                View::Mailto(view) => view.to_string(),
                View::Session(view) => view.to_string(),
                View::Gopher(view) => view.to_string(),
                View::Wais(view) => view.to_string(),
                View::Prospero(view) => view.to_string(),
                _ => String::new(),
            };
            prop_assert_eq!(&shown, &text);
            // The parts are in the text, one after the other.
            let mut from = scheme.len() + 1;
            for (name, part) in view.parts() {
                let at = text[from..].find(part);
                prop_assert!(at.is_some(), "{} {:?} in {:?}", name, part, text);
                from += at.unwrap_or(0) + part.len();
            }
        }
    }
}
