//! The bytes written when a document is made absolute: minimal edits, in the encoding of the
//! surrounding text.

use basectx::Context;
use layers::Edit;
use relink_rewrite::{Media, Options, Unit};

use crate::listing::{URL, at_url, make_absolute, unit};

/// Asserts that the document at `http://h/d/p` becomes `expected`.
#[track_caller]
fn check(document: &str, expected: &str) {
    check_at(URL, document.as_bytes(), expected.as_bytes());
}

#[track_caller]
fn check_at(url: &str, document: &[u8], expected: &[u8]) {
    let context = Context::retrieval(url.parse().unwrap(), "test");
    let unit = unit(document, Media::HTML, &context);
    let rewritten = make_absolute(unit, &Options::default());
    let output = rewritten.output().unwrap_or(document);
    assert_eq!(String::from_utf8_lossy(output), String::from_utf8_lossy(expected));
    assert_eq!(output, expected);
    // A second run changes nothing.
    let again = make_absolute(Unit::new(output, unit.media, &context), &Options::default());
    assert_eq!(again.into_output(), None, "{:?}", String::from_utf8_lossy(output));
}

/// Asserts the edits of the document: the text removed, and the text inserted.
#[track_caller]
fn check_edits(document: &str, expected: &[(&str, &str)]) {
    let context = at_url();
    let rewritten =
        make_absolute(unit(document.as_bytes(), Media::HTML, &context), &Options::default());
    let shown = |edit: &Edit| {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        (text(edit.span.slice(document.as_bytes())), text(&edit.text))
    };
    let edits: Vec<(String, String)> = rewritten.edits.as_slice().iter().map(shown).collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
    assert_eq!(edits, expected, "{document:?}");
}

#[test]
fn edits_are_as_small_as_can_be() {
    check_edits("<a href=x>", &[("", "http://h/d/")]);
    check_edits("<a href='/x'>", &[("", "http://h")]);
    check_edits("<a href=//i/>", &[("", "http:")]);
    check_edits("<a href=../x>", &[("..", "http://h")]);
    check_edits("<a href=./x>", &[(".", "http://h/d")]);
    check_edits("<a href=?x>", &[("", "http://h/d/p")]);
    check_edits("<a href=http:x>", &[("", "//h/d/")]);
    check_edits("<a href=x/../y>", &[("x/..", "http://h/d")]);
    check_edits(
        "<img srcset='x 1x, http://i/ 2x, y'>",
        &[("", "http://h/d/"), ("", "http://h/d/")],
    );
    check_edits("<p style='b:url(x)'>", &[("", "http://h/d/")]);
    check_edits("<a href=http://h/x>", &[]);
}

#[test]
fn what_is_kept_is_kept_as_it_was_written() {
    check("<a href='x?a&amp;b'>", "<a href='http://h/d/x?a&amp;b'>");
    check("<a href='x?a&b&copy;&#65'>", "<a href='http://h/d/x?a&b&copy;&#65'>");
    check("<a href='&#120;y'>", "<a href='http://h/d/&#120;y'>");
    check("<a href='%7ex%2F%c3%A9'>", "<a href='http://h/d/%7ex%2F%c3%A9'>");
    check("<a href='x y<>é'>", "<a href='http://h/d/x y<>é'>");
    check("<a href=' x\n'>", "<a href=' http://h/d/x\n'>");
    check("<a href='x\ny\tz'>", "<a href='http://h/d/x\ny\tz'>");
    check("<a href='.\n./x\r\ny'>", "<a href='http://h/x\r\ny'>");
    check("<a\thref = 'x'id=y >", "<a\thref = 'http://h/d/x'id=y >");
    check(r"<style>b:url( x\29 y )</style>", r"<style>b:url( http://h/d/x\29 y )</style>");
    check(r"<p style='b:url(\78y)'>", r"<p style='b:url(http://h/d/\78y)'>");
    check("<a ping='x\n\ty'>", "<a ping='http://h/d/x\n\thttp://h/d/y'>");
}

// A character reference that an edit overlaps is rewritten, and no other.
#[test]
fn what_an_edit_touches() {
    check("<a href='&#46;./x&amp;y'>", "<a href='http://h/x&amp;y'>");
    check("<a href='.&#46;/x'>", "<a href='http://h/x'>");
    check("<a href='.&#x2e;&#x2f;x'>", "<a href='http://h&#x2f;x'>");
    check(r"<style>b:url(\2e./x)</style>", r"<style>b:url(http://h/x)</style>");
    check(r"<style>b:url(.\2e/x)</style>", r"<style>b:url(http://h/x)</style>");
}

#[test]
fn quotes_of_what_is_inserted() {
    let at = |document: &str, expected: &str| {
        check_at("http://h/a'b/", document.as_bytes(), expected.as_bytes());
    };
    at("<a href='x'>", "<a href='http://h/a&#39;b/x'>");
    at("<a href=\"x\">", "<a href=\"http://h/a'b/x\">");
    at("<a href=x>", "<a href=http://h/a&#39;b/x>");
    at("<a href=' '>", "<a href=' '>");
    at(
        "<style>a:url('x')url(\"y\")url(z)</style>",
        r#"<style>a:url('http://h/a\'b/x')url("http://h/a'b/y")url(http://h/a\'b/z)</style>"#,
    );
    at("<p style=\"a:url('x')\">", r#"<p style="a:url('http://h/a\'b/x')">"#);
    at("<p style='a:url(\"x\")'>", "<p style='a:url(\"http://h/a&#39;b/x\")'>");
    at("<p style='a:url(x)'>", r"<p style='a:url(http://h/a\&#39;b/x)'>");
    at("<p style=a:url(x)>", r"<p style=a:url(http://h/a\&#39;b/x)>");
    at("<img srcset='x, y'>", "<img srcset='http://h/a&#39;b/x, http://h/a&#39;b/y'>");
    at("<iframe srcdoc=\"<a href='x'>\">", "<iframe srcdoc=\"<a href='http://h/a&amp;#39;b/x'>\">");
    at("<noscript><a href='x'></noscript>", "<noscript><a href='http://h/a&#39;b/x'></noscript>");
    at(
        "<meta http-equiv=refresh content='0;url=x'>",
        "<meta http-equiv=refresh content='0;url=http://h/a&#39;b/x'>",
    );
    at(
        "<meta http-equiv=refresh content='0;url=\"x\"'>",
        "<meta http-equiv=refresh content='0;url=\"http://h/a&#39;b/x\"'>",
    );
}

#[test]
fn parentheses_in_style_sheets() {
    let at = |document: &str, expected: &str| {
        check_at("http://h/a(b)/", document.as_bytes(), expected.as_bytes());
    };
    at("<style>a:url(x)</style>", r"<style>a:url(http://h/a\(b\)/x)</style>");
    at("<style>a:url('x')</style>", "<style>a:url('http://h/a(b)/x')</style>");
    at("<style>@import url( x )</style>", r"<style>@import url( http://h/a\(b\)/x )</style>");
    at("<a href=x>", "<a href=http://h/a(b)/x>");
}

#[test]
fn ampersands_in_style_elements() {
    let at = |document: &str, expected: &str| {
        check_at("http://h/a&b/", document.as_bytes(), expected.as_bytes());
    };
    at("<style>a:url(x)</style>", "<style>a:url(http://h/a&b/x)</style>");
    at("<svg><style>a:url(x)</style>", "<svg><style>a:url(http://h/a&amp;b/x)</style>");
    at(
        "<svg><style> <![CDATA[a:url(x)]]></style>",
        "<svg><style> <![CDATA[a:url(http://h/a&b/x)]]></style>",
    );
    at("<svg fill=url(x)>", "<svg fill=url(http://h/a&amp;b/x)>");
}

#[test]
fn ampersands_of_the_base() {
    let base = "<base href='y?a&amp;b'>";
    let made = "<base href='http://h/d/y?a&amp;b'>";
    let at = |document: &str, expected: &str| {
        check(&format!("{base}{document}"), &format!("{made}{expected}"));
    };
    at("<a href=\"#x\">", "<a href=\"http://h/d/y?a&amp;b#x\">");
    at("<a href=#x>", "<a href=http://h/d/y?a&amp;b#x>");
    at("<a href>", "<a href=\"http://h/d/y?a&amp;b\">");
    at("<a href=>", "<a href=\"http://h/d/y?a&amp;b\">");
    at("<a href = >", "<a href = \"http://h/d/y?a&amp;b\">");
    at("<a href/>", "<a href=\"http://h/d/y?a&amp;b\"/>");
    at("<a href title=t>", "<a href=\"http://h/d/y?a&amp;b\" title=t>");
    at("<a href=''>", "<a href='http://h/d/y?a&amp;b'>");
    at("<iframe srcdoc='<a href=#x>'>", "<iframe srcdoc='<a href=http://h/d/y?a&amp;amp;b#x>'>");
    at("<noscript><a href=#x></noscript>", "<noscript><a href=http://h/d/y?a&amp;b#x></noscript>");
    at("<style>a:url(#x)url(z)</style>", "<style>a:url(#x)url(http://h/d/z)</style>");
}

#[test]
fn what_a_base_holds_that_ends_things() {
    let at = |base: &str, document: &str, expected: &str| {
        check(
            &format!("<base href='{base}'>{document}"),
            &format!("<base href='{base}'>{expected}"),
        );
    };
    at(
        "http://i/</style>/",
        "<style>a:url(x)</style>",
        "<style>a:url(http://i/%3C/style%3E/x)</style>",
    );
    at("http://i/a\"b /", "<a href=x>", "<a href=http://i/a%22b%20/x>");
    at("http://i/a\"b/", "<a href=\"x\">", "<a href=\"http://i/a%22b/x\">");
    at(
        "http://i/-->/",
        "<!--[if IE]><a href=x><![endif]-->",
        "<!--[if IE]><a href=http://i/--%3E/x><![endif]-->",
    );
    at("http://i/é/", "<a href=x>", "<a href=http://i/%C3%A9/x>");
    at(
        "http://i/a,b /",
        "<img srcset='x, y'>",
        "<img srcset='http://i/a,b%20/x, http://i/a,b%20/y'>",
    );
}

#[test]
fn bytes_of_other_charsets_stay() {
    let at = |document: &[u8], expected: &[u8]| check_at(URL, document, expected);
    at(b"\xE9<a href='\xE9'>\xFF\0", b"\xE9<a href='http://h/d/\xE9'>\xFF\0");
    at(
        b"<meta charset=shift_jis><a href='\x83\x5C/../x\x83\x5C'>",
        b"<meta charset=shift_jis><a href='http://h/d/x\x83\x5C'>",
    );
    at(
        b"<meta charset=gbk><a href='\x81\x5C.html'>",
        b"<meta charset=gbk><a href='http://h/d/\x81\x5C.html'>",
    );
    at(
        b"<meta charset=utf-8><a href='\xFF/x'>\xC3",
        b"<meta charset=utf-8><a href='http://h/d/\xFF/x'>\xC3",
    );
    at(b"\xEF\xBB\xBF<a href=x>", b"\xEF\xBB\xBF<a href=http://h/d/x>");
    at(
        b"<meta charset=windows-1251><style>\xE9{a:url(\xE9)}</style>",
        b"<meta charset=windows-1251><style>\xE9{a:url(http://h/d/\xE9)}</style>",
    );
    at(b"\xFE\xFF\0<\0a", b"\xFE\xFF\0<\0a");
    at(b"<meta charset=iso-2022-jp><a href=x>", b"<meta charset=iso-2022-jp><a href=http://h/d/x>");
}

// WHATWG URL, "percent-encode after encoding": a query is escaped in the charset of its document.
#[test]
fn a_query_of_the_base_in_another_charset() {
    check_at(
        URL,
        b"<meta charset=windows-1252><base href='http://i/\xE9?\xE9'><a href='#x'>",
        b"<meta charset=windows-1252><base href='http://i/\xE9?\xE9'><a href='http://i/%C3%A9?%E9#x'>",
    );
}

#[test]
fn line_ends_and_odd_spelling_stay() {
    for document in ["", "<", "<a href='x", "<p\r\n>\r\0<!-- <a href=x>", "\u{FEFF}", "</a href=x>"]
    {
        check(document, document);
    }
    check("<A\r\nHREF\r=\rx\r>\r\n", "<A\r\nHREF\r=\rhttp://h/d/x\r>\r\n");
    check(
        "<a href=x href=y><a b=<a href=z>",
        "<a href=http://h/d/x href=y><a b=<a href=http://h/d/z>",
    );
}

#[test]
fn all_layers_at_once() {
    check(
        "<iframe srcdoc='<p style=\"a:url(&amp;quot;x&amp;quot;)\">&lt;img srcset=\"y&#32;1x, z\">'>",
        "<iframe srcdoc='<p style=\"a:url(&amp;quot;http://h/d/x&amp;quot;)\">&lt;img srcset=\"http://h/d/y&#32;1x, http://h/d/z\">'>",
    );
    check(
        "<noscript><iframe srcdoc=\"<base href=e/><style>@import '\\78'</style>\"></noscript>",
        "<noscript><iframe srcdoc=\"<base href=http://h/d/e/><style>@import 'http://h/d/e/\\78'</style>\"></noscript>",
    );
}
