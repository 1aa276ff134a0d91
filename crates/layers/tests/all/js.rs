//! Escapes of ECMA-262, section 12.9.4, each case with its units.
//!
//! `{\x41→A}` is a unit: the raw text before the arrow, the decoded text after it.

use relink_layers::{Charset, Edit, Edits, Guards, JsQuote, Layer, Span, js};

use crate::marked::Marked;

#[track_caller]
fn check(marked: &str) {
    let marked = Marked::parse(marked);
    let layer = Layer::JsString(JsQuote::Double);
    marked.assert_is(&layer.decode(marked.raw.as_bytes(), Charset::UTF_8));
    assert!(js::is_well_formed(&marked.raw), "{:?}", marked.raw);
}

/// Checks the raw text after `text` replaced `span` between these quotes.
#[track_caller]
fn check_edit(quote: JsQuote, raw: &str, span: (usize, usize), text: &str, expected: &str) {
    let layer = Layer::JsString(quote);
    let decoded = layer.decode(raw.as_bytes(), Charset::UTF_8);
    let edit = Edit { span: Span::new(span.0, span.1), text: text.as_bytes().into(), id: 0 };
    let lifted = layer.lift(raw.as_bytes(), Charset::UTF_8, &decoded, &[edit], Guards::default());
    let output = Edits::new(lifted.edits, raw.len()).expect("in order").apply(raw.as_bytes());
    assert_eq!(String::from_utf8_lossy(&output), expected);
}

#[test]
fn single_characters() {
    check("{\\b→\u{8}}{\\t→\t}{\\n→\n}{\\v→\u{B}}{\\f→\u{C}}{\\r→\r}");
    check(r#"{\'→'}{\"→"}{\\→\}n"#);
    check(r"{\/→/}{\a→a}{\c→c}{\é→é}{\日→日}{\.→.}");
}

#[test]
fn numbers() {
    check(r"{\x41→A}1{\x2e→.}{\x2F→/}");
    check("{\\u{41}→A}{\\u{0}→\0}{\\u{00001F600}→😀}");
    check(r"{\u0041→A}1{\u00e9→é}{\u65E5→日}");
    check("{\\0→\0}a{\\0→\0}");
}

#[test]
fn line_continuations() {
    check("a{\\\n→}b{\\\r→}c{\\\r\n→}d{\\\u{2028}→}e{\\\u{2029}→}f");
    check("\u{2028}a\u{2029}");
}

#[test]
fn halves_of_characters() {
    check("{\\uD83D\\uDE00→😀}");
    check("{\\uD83D→\u{FFFD}}x{\\uDE00→\u{FFFD}}");
    check("{\\uDE00→\u{FFFD}}{\\uD83D→\u{FFFD}}");
    check("{\\uD83D→\u{FFFD}}{\\uD83D\\uDE00→😀}");
}

#[test]
fn escapes_that_modules_do_not_have() {
    for raw in [
        r"\1",
        r"\8",
        r"\00",
        r"\01",
        r"\x",
        r"\x4",
        r"\xg1",
        r"\u",
        r"\u004",
        r"\u{}",
        r"\u{110000}",
        r"\u{41",
        "\\",
    ] {
        assert!(!js::is_well_formed(raw), "{raw}");
    }
    for raw in ["", "a", r"\0", r"\0a", r"\u{00000000000041}", r"\u{10FFFF}", r"\\1", "\\\n1"] {
        assert!(js::is_well_formed(raw), "{raw}");
    }
}

#[test]
fn written_escapes() {
    check_edit(
        JsQuote::Double,
        "./x",
        (0, 0),
        "a\"'\\\n\r\0\u{2028}é",
        "a\\\"'\\\\\\n\\r\\x00\\u2028é./x",
    );
    check_edit(JsQuote::Single, "./x", (0, 2), "\"'", "\"\\'x");
    check_edit(JsQuote::Single, r"\x2E/x", (0, 0), "..", r"..\x2E/x");
    check_edit(JsQuote::Single, r"\x2E/x", (0, 1), "..", r"../x");
    // Text after an escape does not become part of it.
    check_edit(JsQuote::Single, r"\0x", (1, 1), "1", r"\x001x");
    check_edit(JsQuote::Single, r"\0x1", (1, 2), "", r"\x001");
    check_edit(JsQuote::Single, r"\uD83Dx\uDE00", (3, 4), "", "\u{FFFD}\\uDE00");
}
