//! How deep and how large a document may be: past it, it is left, and told (ARCHITECTURE, "basectx"; the limits are the design's).

mod listing;

use basectx::Context;
use listing::{at_url, left, list, unit};
use rewrite::{Engine, Extent, Left, Media, Options, Undone};

/// A document in `depth` more, each the `srcdoc` of the next.
fn nested(document: &str, depth: usize) -> String {
    (0..depth).fold(document.to_owned(), |inner, _| {
        format!("<iframe srcdoc=\"{}\">", inner.replace('&', "&amp;").replace('"', "&quot;"))
    })
}

/// The number of references of a document, and what is left of it.
#[track_caller]
fn check(document: &str, n_references: usize, expected: &[(Undone, bool)]) {
    let context = at_url();
    let (found, report) =
        list(unit(document.as_bytes(), Media::Html, &context), &Options::default());
    let left: Vec<(Undone, bool)> =
        report.left.iter().map(|left| (left.reason, left.extent == Extent::Embedded)).collect();
    assert_eq!((found.len(), &*left), (n_references, expected));
}

#[test]
fn sixteen_embedded_documents() {
    check(&nested("<a href=x>", 1), 1, &[]);
    check(&nested("<a href=x>", 16), 1, &[]);
    check(&nested("<a href=x>", 17), 0, &[(Undone::TooDeep, true)]);
    check(&nested("<a href=x>", 40), 0, &[(Undone::TooDeep, true)]);
    // Style sheets and fragments are documents; lists are not.
    check(&nested("<p style='b:url(x)'>", 15), 1, &[]);
    check(&nested("<p style='b:url(x)'>", 16), 0, &[(Undone::TooDeep, true)]);
    check(&nested("<noscript><a href=x></noscript>", 15), 1, &[]);
    check(&nested("<noscript><a href=x></noscript>", 16), 0, &[(Undone::TooDeep, true)]);
    check(&nested("<img srcset='x, y'>", 16), 2, &[]);
}

#[test]
fn only_what_is_too_deep_is_left() {
    let document = format!("<a href=x>{}</iframe><a href=y>", nested("<a href=z>", 17));
    check(&document, 2, &[(Undone::TooDeep, true)]);
    let left = left(document.as_bytes(), &Options::default());
    assert!(left[0].at > document.find("srcdoc").unwrap(), "{left:?}");
}

#[test]
fn svg_styles_in_pieces() {
    let left = [(Undone::BrokenStyle, true)];
    check("<svg><style>b:url(x)<!-- -->c:url(y)</style><a href=z>", 1, &left);
    check("<svg><style>b:url(x)<g/>c:url(y)</style><a href=z>", 1, &left);
    check("<svg><style>b:url(x)<a href=z></style>", 1, &left);
    check("<svg><style>b:url(x)<![CDATA[c:url(y)]]></style><a href=z>", 1, &left);
    check("<svg><style><![CDATA[b:u]]><![CDATA[rl(x)]]></style><a href=z>", 1, &left);
    check("<svg><style>/*<![CDATA[b:url(x)]]></style><a href=z>", 1, &left);
    check("<svg><style><![CDATA[b:url(x)]]>*/</style><a href=z>", 1, &left);
}

#[test]
fn four_times_the_size_and_a_mebibyte() {
    let text = "x".repeat(400_000);
    // Each level is decoded anew.
    check(&nested(&format!("<a href=\"y\">{text}"), 2), 1, &[]);
    check(&nested(&format!("<a href=\"y\">{text}"), 10), 0, &[(Undone::TooLarge, true)]);
    let plain = format!("<a href=y>{text}").replace('"', "");
    // What is not escaped needs no memory, and is not counted.
    check(&format!("<iframe srcdoc='{plain}'>").repeat(12), 12, &[]);
}

#[test]
fn open_elements() {
    let document = |depth: usize| format!("{}<a href=x>", "<div>".repeat(depth));
    let options = Options { engine: Engine::Reference, ..Options::default() };
    assert_eq!(left(document(500).as_bytes(), &options), []);
    let expected = Left { reason: Undone::TooDeep, at: 0, extent: Extent::Unit, part: None };
    assert_eq!(left(document(700).as_bytes(), &options), [expected]);
    // The fast engine has no such limit.
    check(&document(100_000), 1, &[]);
}

#[test]
fn unknown_bases_and_lengths_do_no_harm() {
    let context = Context::none();
    for document in ["", "<", "<a", "<a href=", "<!--", "</", "<a href='", "\u{FEFF}", "&", "\0"] {
        let (found, report) =
            list(unit(document.as_bytes(), Media::Html, &context), &Options::default());
        assert!(found.is_empty() && report.left.is_empty(), "{document:?}");
        list(unit(document.as_bytes(), Media::Css, &context), &Options::default());
    }
}
