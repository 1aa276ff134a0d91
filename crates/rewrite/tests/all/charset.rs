//! The charset of an HTML document: HTML standard, sections 13.2.3.2 (the prescan) and 13.2.3.4 (a
//! later `meta`); Encoding standard.

use layers::Span;
use relink_rewrite::{
    Media, MessageFraming, Options, SkipReason, SkipScope, Skipped, Verify, absolutize,
};

use crate::listing::{self, html, skipped};

/// Asserts the text of the document's first `a[href]`, and its raw bytes.
#[track_caller]
fn check(document: &[u8], raw: &[u8], text: &str) {
    let found = html(document);
    let found = found.iter().find(|found| found.slot == "a[href]").expect("an a[href]");
    assert_eq!((found.span.slice(document), &*found.text), (raw, text));
}

/// Asserts that in a document that begins with `head`, the byte E9 decodes to `expected`.
#[track_caller]
fn check_head(head: &str, expected: &str) {
    check(&[head.as_bytes(), b"<a href='\xE9'>"].concat(), b"\xE9", expected);
}

/// Asserts that the document is skipped because of its charset.
#[track_caller]
fn check_skipped(document: &[u8]) {
    let expected =
        Skipped { reason: SkipReason::Charset, at: 0, extent: SkipScope::Unit, part: None };
    assert_eq!(skipped(document, &Options::default()), [expected]);
}

#[test]
fn byte_order_mark() {
    check(b"\xEF\xBB\xBF<a href=\xC3\xA9>", b"\xC3\xA9", "é");
    check(b"\xEF\xBB\xBF<meta charset=windows-1251><a href=\xC3\xA9>", b"\xC3\xA9", "é");
    let found = html(b"\xEF\xBB\xBF<a href=x><noscript><a href=y></noscript>");
    let spans: Vec<Span> = found.iter().map(|found| found.span).collect();
    assert_eq!(spans, [Span::new(11, 12), Span::new(31, 32)]);
}

#[test]
fn meta_charset() {
    check_head("<meta charset=windows-1251>", "й");
    check_head("<META CHARSET=' Windows-1251 '>", "й");
    check_head("<!doctype html><html><head><title>t</title><meta charset=\"cp1251\">", "й");
    check_head("<meta name=a><meta charset=windows-1251><meta charset=windows-1252>", "й");
    check_head("<meta charset=latin1>", "é");
    check_head("<meta charset=utf-8>", "%E9");
    check_head("<meta/charset=windows-1251>", "й");
}

#[test]
fn meta_http_equiv() {
    check_head("<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>", "й");
    check_head("<meta content=charset=windows-1251 http-equiv=content-type>", "й");
    check_head("<meta http-equiv=content-type content='charset; charset = \"windows-1251\"'>", "й");
    check_head("<meta http-equiv=content-type content='text/html;charset=windows-1251;x'>", "й");
    check_head("<meta http-equiv=refresh content='text/html; charset=windows-1251'>", "é");
    check_head("<meta content='text/html; charset=windows-1251'>", "é");
    check_head("<meta http-equiv=content-type content='text/html; charset=\"windows-1251'>", "é");
}

#[test]
fn where_the_prescan_does_not_look() {
    check_head("<!-- <meta charset=windows-1251> -->", "é");
    check_head("<!--><meta charset=windows-1251>", "й");
    check_head("<title a='<meta charset=windows-1251>'></title>", "é");
    check_head("<? <meta charset=windows-1251>", "é");
    check_head("</p a=<meta charset=windows-1251>", "é");
    check_head("<metas charset=windows-1251>", "é");
    // The prescan does not recognize raw text.
    check_head("<title><meta charset=windows-1251></title>", "й");
}

#[test]
fn labels_that_are_none() {
    check_head("<meta charset=klingon>", "é");
    check_head("<meta charset=klingon><meta charset=windows-1251>", "й");
    check_head("<meta charset=''>", "é");
    check_head("<meta charset=x-user-defined>", "é");
    check_head("<meta charset=utf-16le>", "%E9");
}

#[test]
fn without_any() {
    check(b"<a href=\xC3\xA9>", b"\xC3\xA9", "é");
    check(b"<a href=\xE9>", b"\xE9", "é");
    check(b"<a href=\x80>", b"\x80", "€");
}

// "Change the encoding": a `meta` that the prescan did not reach counts when the parser meets it in
// the head.
#[test]
fn late_meta() {
    let far = format!("<head><!--{}-->", "x".repeat(2000));
    check_head(&format!("{far}<meta charset=windows-1251>"), "й");
    let sjis = [far.as_bytes(), b"<meta charset=shift_jis><a href='\x83\x5C.html'>"].concat();
    check(&sjis, b"\x83\x5C.html", "ソ.html");
}

#[test]
fn bytes_that_are_no_characters() {
    check(b"<meta charset=utf-8><a href='a\xFF\xC3b'>", b"a\xFF\xC3b", "a%FF%C3b");
    check(b"<meta charset=shift_jis><a href='\x83\x5C\x81'>", b"\x83\x5C\x81", "ソ%81");
    check(b"<meta charset=gbk><a href='\x81\x5C'>", b"\x81\x5C", "乗");
    check(b"<meta charset=big5><a href='\xA5\x5C'>", b"\xA5\x5C", "功");
    check(b"<meta charset=euc-jp><a href='\xA4\xA2&amp;'>", b"\xA4\xA2&amp;", "あ&");
}

#[test]
fn unsupported_charsets_are_skipped() {
    check_skipped(b"<meta charset=iso-2022-kr><a href=x>");
    check_skipped(b"<meta http-equiv=content-type content='a; charset=hz-gb-2312'><a href=x>");
    let mail = |label: &str| {
        format!("Content-Type: text/html; charset={label}\n\n<a href=x>\x1B$)C\x0EGQ1[\x0F")
            .into_bytes()
    };
    for label in ["iso-2022-kr", "iso-2022-cn-ext", "hz-gb-2312"] {
        let (bytes, context) = (mail(label), listing::at_url());
        let unit = listing::unit(&bytes, Media::Message(MessageFraming::None), &context);
        let rewritten = absolutize(unit, &Options::default());
        assert_eq!(rewritten.output(), None);
        assert!(
            rewritten.report.skipped.iter().any(|skipped| skipped.reason == SkipReason::Charset)
        );
    }
    // Browsers restart there; the text before it may be read differently then.
    let late = [&b" ".repeat(2000)[..], b"<meta charset=iso-2022-jp><a href=x>"].concat();
    check_skipped(&late);
}

/// Returns the output of making the references of a document absolute.
#[track_caller]
fn absolute(document: &[u8]) -> Vec<u8> {
    let context = listing::at_url();
    let unit = listing::unit(document, Media::HTML, &context);
    absolutize(unit, &Options::default()).into_output().expect("it is changed")
}

#[test]
fn those_that_are_decoded_first() {
    let before = "<p>\u{20AC}<a href='\u{E9}/y'>\u{1F600}<img src=z srcset='w 2x'><style>p{color:url(v)}</style>";
    let after = "<p>\u{20AC}<a href='http://h/d/\u{E9}/y'>\u{1F600}<img src=http://h/d/z srcset='http://h/d/w 2x'><style>p{color:url(http://h/d/v)}</style>";
    let little = |text: &str| -> Vec<u8> {
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let big = |text: &str| -> Vec<u8> {
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
    };
    assert_eq!(absolute(&little(before)), little(after));
    assert_eq!(absolute(&big(before)), big(after));
    // In the text `b` is the second byte of a character, and so is `<`.
    let before =
        b"<meta charset=iso-2022-jp>\x1B$B$\"4\x3C\x1B(B<a href='\x1B$B$\"\x1B(B/y'><a href=z>";
    let after = b"<meta charset=iso-2022-jp>\x1B$B$\"4\x3C\x1B(B<a href='http://h/d/\x1B$B$\"\x1B(B/y'><a href=http://h/d/z>";
    assert_eq!(absolute(before).escape_ascii().to_string(), after.escape_ascii().to_string());
}

#[test]
fn one_charset_for_all_that_is_inside() {
    let document = b"<meta charset=windows-1251><noscript><a href='\xE9'></noscript>\
        <iframe srcdoc='<meta charset=utf-8><a href=\xE9>'></iframe><p style='b:url(\xE9)'>";
    let texts: Vec<String> = html(document).into_iter().map(|found| found.text).collect();
    assert_eq!(texts, ["й"; 3]);
}

/// A document without a declaration is read as a browser would guess: by its text, and not by the
/// values that may be edited.
#[test]
fn undeclared() {
    let text = b"<p>\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x83\x79\x81\x5B\x83\x57\x82\xD6\x82\xE6\x82\xA4\x82\xB1\x82\xBB</p>";
    // The second byte of the character is the byte of a backslash.
    let link = b"<a href='\x95\x5C.html'>";
    check(&[&text[..], link].concat(), b"\x95\x5C.html", "\u{8868}.html");
    check(link, b"\x95\x5C.html", "\u{2022}\\.html");
    check(b"caf\xE9 <a href='\xE9'>", b"\xE9", "\u{e9}");
    // Bytes inside a value that look like text may be edited, and are ignored.
    let misleading = b"<a href='\xB2\xFF\xFF\xFF\xFF\xB2></p>\xB2\xB2\xB2\\x'>\xB2\xB2";
    let rewritten = listing::make_absolute(
        listing::unit(misleading, Media::HTML, &listing::at_url()),
        &Options::default(),
    );
    assert!(rewritten.output().is_some());
    let page = b"<p>\x1B$BF|K\\8l\x1B(B</p><a href='\x1B$BF|\x1B(B'>";
    check(page, b"\x1B$BF|\x1B(B", "\u{65E5}");
    check(b"\x1B <a href=x>", b"x", "x");
}

/// A quote outside of markup must not make text of the values after it, or the guess would change
/// with them (found by fuzzing).
#[test]
fn undeclared_behind_raw_text() {
    let rest = b"<a href='/\xDC/\xF9\xF9\xF9'></a>\xC1\xDB<p title='>\xC1\xDB\xD0\xD5'><a href=\"/it's\xDC.html\">\xD0\xD5";
    for before in [
        "<title>a <b c='</title>",
        "<textarea><a href=\"</textarea>",
        "<script>'<a href=\"'</script>",
        "<style>/* <a b=' */</style>",
        "<xmp><a href='</xmp>",
        "<!DOCTYPE html SYSTEM \"<a href='\">",
        "<! <a href='>",
        "<? <a href='?>",
        "</ <a href='>",
        "",
    ] {
        let document = [before.as_bytes(), rest].concat();
        let bare = html(rest).into_iter().map(|found| found.text).collect::<Vec<_>>();
        let texts = html(&document).into_iter().map(|found| found.text);
        assert_eq!(texts.collect::<Vec<_>>(), bare, "{before}");
        let rewritten = |verify| {
            let context = listing::at_url();
            let unit = listing::unit(&document, Media::HTML, &context);
            absolutize(unit, &Options::default().with_verify(verify))
        };
        let verified = rewritten(Verify::Fast);
        assert_eq!(
            (verified.verify_error(), verified.output().is_some()),
            (None, true),
            "{before}"
        );
        assert!(verified.into_output() == rewritten(Verify::None).into_output(), "{before}");
    }
}

/// html5ever 0.39 panics here: the value ends with the word that a charset follows.
#[test]
fn a_meta_that_breaks_off() {
    for end in ["charset", "charset ", "charset=", "charset = "] {
        let document =
            format!("<meta http-equiv=content-type content='text/html; {end}'><a href=x>");
        check(document.as_bytes(), b"x", "x");
    }
}

/// The guess for a style sheet depends on the text outside of its strings and URLs, whatever its
/// comments contain (CSS Syntax 4.3; found by fuzzing).
#[test]
fn undeclared_style_sheets() {
    let rest: &[u8] = b"a{b:url(\"\xDC./x.png\"), url(./a\\)\xDCb.png)} p{c:d(\"\xC1\xDB\xD0\xD5 (\") url('\xDC/\xF9\xF9')}";
    for before in
        ["/* it's */ ", "/* ( \" */", "a\\'b{} ", "x{y:z(\"url('\")} ", ":not([t=\"(\"]){} ", ""]
    {
        let sheet = [before.as_bytes(), rest].concat();
        let context = listing::at_url();
        let unit = listing::unit(&sheet, Media::CSS, &context);
        let rewritten = absolutize(unit, &Options::default());
        assert_eq!(rewritten.verify_error(), None, "{before}");
        assert!(rewritten.output().is_some(), "{before}");
        let mut texts = listing::css(&sheet).into_iter().map(|found| found.text);
        assert_eq!(texts.next().as_deref(), Some("\u{DC}./x.png"), "{before}");
    }
}
