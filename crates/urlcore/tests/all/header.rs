//! URLs in header fields: the examples of the specifications, and fields that real programs write.

use proptest::prelude::*;
use urlcore::header::{base_fields, links, location, refresh};
use urlcore::{Dialect, Resolver};

use crate::{fixtures, generate};

/// Returns the base that header fields declare: the first in the order of the dialect that can be
/// resolved.
fn base_of(lines: &[String], outer: Option<&str>, dialect: Dialect) -> Option<String> {
    base_fields(dialect).iter().find_map(|name| {
        let (_, value) = lines
            .iter()
            .filter_map(|line| line.split_once(':'))
            .find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        let url = location(value)?;
        match outer {
            Some(outer) => Resolver::new(outer, dialect).ok()?.resolve(&url.text).ok()?.url(),
            None => Resolver::new(&url.text, dialect).ok().map(|_| url.text.to_string()),
        }
    })
}

#[test]
fn examples_of_the_specifications() {
    let rows = fixtures::rows("headers.tsv");
    for row in &rows {
        let [dialect, outer, base, lines @ ..] = &row[..] else { panic!("{row:?}") };
        let or_none = |text: &String| Some(text.clone()).filter(|text| text != "-");
        let dialect = dialect.parse().expect("a dialect");
        assert_eq!(base_of(lines, or_none(outer).as_deref(), dialect), or_none(base), "{row:?}");
    }
    assert_eq!(rows.len(), 11);
}

#[test]
fn wrappers_and_white_space() {
    for (value, text, span) in [
        ("http://h/", "http://h/", 0..9),
        (" <http://h/>", "http://h/", 2..11),
        ("\"http://h/\" ", "http://h/", 1..10),
        ("\"<URL:a>\"", "a", 6..7),
        ("<URL: http://h/\r\n\t a >", "http://h/a", 6..20),
        ("url:a", "a", 4..5),
        ("<a", "<a", 0..2),
        ("\"", "\"", 0..1),
    ] {
        let found = location(value).expect(value);
        assert_eq!((found.text.as_ref(), found.span), (text, span), "{value}");
    }
    for value in ["", "  ", "<>", "\"\"", "<URL:>", "<\r\n >"] {
        assert_eq!(location(value), None, "{value:?}");
    }
}

#[test]
fn links_of_a_field() {
    let value =
        "<http://h/a,b>; rel=prev; title*=UTF-8''x, </c>;rel=\"a;b,\\\"c\";anchor=\"#d\" , x, <e>";
    let found: Vec<_> = links(value).collect();
    let texts: Vec<_> = found.iter().map(|link| link.target.text.as_ref()).collect();
    assert_eq!(texts, ["http://h/a,b", "/c", "e"]);
    assert_eq!(found[0].param("REL"), Some("prev"));
    assert_eq!(found[1].param("anchor"), Some("#d"));
    assert_eq!(found[1].param("rel"), Some("a;b,\\\"c"));
    assert_eq!(found[2].param("rel"), None);
    assert!(found.iter().all(|link| value[link.target.span.clone()] == link.target.text));
    for value in ["", "<", "a", "<a", ">", ";", ",,"] {
        assert_eq!(links(value).count(), 0, "{value}");
    }
}

#[test]
fn refreshes() {
    for (value, url) in [
        ("0; url=a", Some("a")),
        ("0;url=", Some("")),
        ("0;", None),
        ("0,a", Some("a")),
        ("0 a", Some("a")),
        (".5;URL=\"a b", Some("a b")),
        ("1.5 ; url = 'a'b", Some("a")),
        ("0; urla", Some("urla")),
        ("0; url a", Some("url a")),
        ("a;url=b", None),
        ("0x;url=b", None),
        ("", None),
    ] {
        assert_eq!(refresh(value).map(|found| &value[found.span]), url, "{value:?}");
    }
}

/// The pieces of generated field values.
const WORDS: &[&str] =
    &["<", ">", "\"", "URL:", "a", "é", ",", ";", "=", "\\", " ", "\r\n", "url", "0"];

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_in_the_value(value in generate::words(WORDS, 16), any in generate::any_text()) {
        for value in [&value, &any] {
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            if let Some(url) = location(value) {
                prop_assert_eq!(without_space(&value[url.span]), url.text);
            }
            let mut from = 0;
            for link in links(value) {
                prop_assert!(link.target.span.start >= from);
                from = link.target.span.end;
                prop_assert_eq!(without_space(&value[link.target.span.clone()]), link.target.text.as_ref());
                let _ = link.param("rel");
            }
            if let Some(found) = refresh(value) {
                prop_assert!(value.get(found.span).is_some());
            }
        }
    }
}
