//! URLs in plain text: the examples of the specifications, texts without URLs, and spans.

use proptest::prelude::*;
use urlcore::text::{Wrapper, find};

use crate::{fixtures, generate};

#[test]
fn examples_of_the_specifications() {
    let rows = fixtures::rows("text.tsv");
    for row in &rows {
        let mut found = Vec::new();
        for url in find(&row[0]) {
            let wrapper = match url.wrapper {
                Wrapper::Angle => "angle",
                Wrapper::Quotes => "quotes",
                Wrapper::Bare => "bare",
            };
            found.extend([wrapper.to_owned(), url.url.into_owned()]);
            found
                .extend(url.without_hyphens.into_iter().flat_map(|other| ["or".to_owned(), other]));
        }
        assert_eq!(found, row[1..], "{:?}", row[0]);
    }
    assert_eq!(rows.len(), 25);
}

#[track_caller]
fn check(text: &str, urls: &[&str]) {
    let found: Vec<_> = find(text).map(|found| found.url.into_owned()).collect();
    assert_eq!(found, urls, "{text:?}");
}

#[test]
fn bare_urls_end_before_the_sentence_does() {
    check(
        "See http://h/a, http://h/b. (http://h/c) [http://h/d]!",
        &["http://h/a", "http://h/b", "http://h/c", "http://h/d"],
    );
    check(
        "http://en.example/wiki/A_(b) (http://en.example/wiki/A_(b))",
        &["http://en.example/wiki/A_(b)"; 2],
    );
    check(
        "'http://h/a' and http://h/?q=1;r=2#s; http://h/é…",
        &["http://h/a", "http://h/?q=1;r=2#s", "http://h/é"],
    );
    check(
        "mailto:joe@h.example, news:comp.lang.c or news:1@h?",
        &["mailto:joe@h.example", "news:comp.lang.c", "news:1@h"],
    );
    check(
        "see-http://h/ and x.ftp://h/ but svn+ssh://h/x",
        &["http://h/", "ftp://h/", "svn+ssh://h/x"],
    );
    check(
        "http://h/हिन्दी/x http://h/cafe\u{301}? http://h/😀。",
        &["http://h/हिन्दी/x", "http://h/cafe\u{301}", "http://h/😀"],
    );
    check(
        "NNTP:g/1 FILE:notes svn+http://h/ Mailto:a@b",
        &["NNTP:g/1", "svn+http://h/", "Mailto:a@b"],
    );
    check("“http://h/a” «http://h/b»—http://h/c", &["http://h/a", "http://h/b", "http://h/c"]);
    check("FTP://H/ GOPHER://h/00", &["FTP://H/", "GOPHER://h/00"]);
    check("<a href=\"http://h/x\">http://h/y</a>", &["http://h/x", "http://h/y"]);
}

#[test]
fn texts_without_urls() {
    for text in [
        "",
        ":",
        "a:b",
        "Note: this",
        "std::vector",
        "<std::vector>",
        "12:30",
        "C:\\a",
        "http:",
        "http://",
        "http:// a",
        "//h/a",
        "www.h.example",
        "<joe@h.example>",
        "<a b>",
        "\"Re: x\"",
        "\"see: http\"",
        "<URL:>",
        "<URL: >",
        "url:x",
        "http:x",
        "file:x",
        "<!-- c: d -->",
        "<http://h/",
    ] {
        let expected: &[&str] = if text == "<http://h/" { &["http://h/"] } else { &[] };
        check(text, expected);
    }
}

#[test]
fn wrappers() {
    check(
        "<URL:foo:bar> <foo:bar> <foo://bar> \"foo://bar\"",
        &["foo:bar", "foo://bar", "foo://bar"],
    );
    check("< url: http://h/a b\t\r\n c >", &["http://h/abc"]);
    // A sentence in quotes is not a URL.
    check("\"http://h/ is down\"", &["http://h/"]);
    check("\"http://h/a-\n  b\"", &["http://h/a-b"]);
    let found: Vec<_> = find("<http://h/a-\nb-\n c>").collect();
    assert_eq!(found[0].without_hyphens.as_deref(), Some("http://h/abc"));
    assert_eq!(found[0].span, 1..18);
    assert_eq!(found[0].wrapped, 0..19);
    // A hyphen before a space within a line is not a typesetter's.
    assert_eq!(find("<http://h/a- b>").next().map(|found| found.without_hyphens), Some(None));
}

/// The pieces of generated texts.
const WORDS: &[&str] = &[
    "<", ">", "\"", "http://", "ftp://", "URL:", "mailto:", "a", "é", "-", "\n", " ", ".", ")",
    "/", ":", "#",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_in_the_text(text in generate::words(WORDS, 24), any in generate::any_text()) {
        for text in [&text, &any] {
            let mut from = 0;
            for found in find(text) {
                prop_assert!(found.wrapped.start >= from && found.wrapped.start <= found.span.start);
                prop_assert!(found.span.end <= found.wrapped.end && found.wrapped.end <= text.len());
                let span = &text[found.span.clone()];
                prop_assert_eq!(span.split_whitespace().collect::<String>(), found.url.as_ref());
                prop_assert!(found.url.contains(':') && !found.url.contains(char::is_whitespace));
                from = found.wrapped.end;
            }
        }
    }
}
