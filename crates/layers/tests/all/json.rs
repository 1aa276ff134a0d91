//! Strings of JSON: RFC 8259, sections 7 and 8.2; Web IDL, `USVString`.

use proptest::collection::vec;
use proptest::prelude::*;
use relink_layers::{Charset, Edit, Edits, Guards, Layer, Span, json};

#[track_caller]
fn check(raw: &str, expected: &str) {
    assert_eq!(json::decode(raw).text, expected, "{raw:?}");
}

#[test]
fn escapes() {
    check("", "");
    check("a/b é", "a/b é");
    check(r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t");
    check(r"\u0041\u00e9\u65E5\u65e5", "Aé日日");
    check(r"\u0000\u001f\u007f", "\0\x1F\x7F");
    check(r"\\u0041", r"\u0041");
    check(r"\\\u0041", r"\A");
    check(r"\/\/h\/x", "//h/x");
}

#[test]
fn surrogates() {
    check(r"\ud83d\ude00", "😀");
    check(r"\uD83D\uDE00\uD83D\uDE00", "😀😀");
    check(r"\ud83d", "\u{FFFD}");
    check(r"\ude00", "\u{FFFD}");
    check(r"\ude00\ud83d", "\u{FFFD}\u{FFFD}");
    check(r"\ud83d\ud83d\ude00", "\u{FFFD}😀");
    check(r"\ud83dx\ude00", "\u{FFFD}x\u{FFFD}");
    check(r"\ud83d\u0041", "\u{FFFD}A");
    check(r"\ud83d\n", "\u{FFFD}\n");
}

#[test]
fn backslashes_that_begin_no_escape_are_kept() {
    check(r"\x\'\u12\u+123\", r"\x\'\u12\u+123\");
    check(r"\u00g0\n", "\\u00g0\n");
}

/// Checks the raw text after `text` replaced `span` of the decoded text.
#[track_caller]
fn edited(raw: &str, span: (usize, usize), text: &str, expected: &str) {
    let (layer, charset) = (Layer::Json, Charset::UTF_8);
    let decoded = layer.decode(raw.as_bytes(), charset);
    let edit = Edit { span: Span::new(span.0, span.1), text: text.as_bytes().into(), id: 0 };
    let lifted = layer.lift(raw.as_bytes(), charset, &decoded, &[edit], Guards::default());
    assert_eq!(lifted.refused, []);
    let edits = Edits::new(lifted.edits, raw.len()).expect("sorted");
    let output = String::from_utf8(edits.apply(raw.as_bytes())).expect("UTF-8");
    assert_eq!(output, expected, "{raw:?}");
}

#[test]
fn edits() {
    edited("x", (0, 0), "http://h/", "http://h/x");
    edited(r"\/x", (0, 0), "http://h", r"http://h\/x");
    edited(r"\u00e9\/x", (2, 3), "?", r"\u00e9?x");
    edited(
        "x",
        (0, 1),
        "a\"b\\c\n\r\t\u{8}\u{C}\u{1}\x7Fé/<",
        "a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\x7Fé/<",
    );
    // An escape that is edited in part is written again.
    edited(r"\u65e5", (0, 0), "x", r"x\u65e5");
    edited(r"a\ud83d\ude00b", (1, 5), "", "ab");
    // The two halves would become one character.
    edited(r"\ud83dx\ude00", (3, 4), "", "\u{FFFD}\\ude00");
    edited(r"\ude00\ud83dx\ude00", (6, 7), "", "\\ude00\u{FFFD}\\ude00");
}

/// Decodes a string with the crate `serde_json`, which refuses half a surrogate pair.
fn read(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 10 } else { 4096 }) })]

    #[test]
    fn strings_are_read_as_by_serde_json(raw in r#"([ -!#-\[\]-~é日]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\ud83[cd]\\ude0[0-9a-f]){0,12}"#) {
        if let Some(expected) = read(&raw) {
            prop_assert_eq!(json::decode(&raw).text, expected);
        }
    }

    #[test]
    fn written_strings_are_read_by_serde_json(text in vec(any::<char>(), 0..32).prop_map(String::from_iter)) {
        let (layer, charset) = (Layer::Json, Charset::UTF_8);
        let decoded = layer.decode(b"", charset);
        let edit = Edit { span: Span::new(0, 0), text: text.as_bytes().into(), id: 0 };
        let lifted = layer.lift(b"", charset, &decoded, &[edit], Guards::default());
        let raw = Edits::new(lifted.edits, 0).expect("one edit").apply(b"");
        prop_assert_eq!(read(std::str::from_utf8(&raw).expect("UTF-8")), Some(text));
    }
}
