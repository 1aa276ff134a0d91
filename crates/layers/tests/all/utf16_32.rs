//! UTF-16 and UTF-32: decoding, borders, and lifting of edits; encoding_rs is the reference for
//! UTF-16.

use proptest::collection::vec;
use proptest::prelude::*;
use relink_layers::{Charset, Edit, Edits, Guards, Layer, Span, Step, Unliftable};

#[track_caller]
fn charset(label: &str) -> Charset {
    Charset::for_mail_label(label.as_bytes()).expect("a label")
}

/// Checks that `raw` is decoded to `text`, in runs with these lengths in raw bytes, and these
/// lengths of each character in the text and in the raw bytes.
#[track_caller]
fn check(label: &str, raw: &[u8], text: &str, runs: &[(usize, Option<(u8, u8)>)]) {
    let decoded = charset(label).decode(raw);
    assert_eq!(decoded.text, text, "{label}");
    let lengths = |step: Step| (step.decoded, step.raw);
    let got: Vec<_> =
        decoded.map.units().iter().map(|unit| (unit.raw.len(), unit.step.map(lengths))).collect();
    assert_eq!(got, runs, "{label}");
}

#[test]
fn characters_of_one_length_are_one_run() {
    check("utf-16le", b"a\0b\0\xE5\x65\x2C\x67", "ab日本", &[(4, Some((1, 2))), (4, Some((3, 2)))]);
    check(
        "utf-16be",
        b"\0a\0\xE9\x65\xE5",
        "aé日",
        &[(2, Some((1, 2))), (2, Some((2, 2))), (2, Some((3, 2)))],
    );
    check("utf-16be", b"\xD8\x3D\xDE\x00\xD8\x3D\xDE\x00", "😀😀", &[(8, Some((4, 4)))]);
    check("utf-32le", b"a\0\0\0\0\xF6\x01\0", "a😀", &[(4, Some((1, 4))), (4, Some((4, 4)))]);
    check("utf-32", b"\0\0\0a", "a", &[(4, Some((1, 4)))]);
    let long = "<a href=x>".repeat(500);
    let raw: Vec<u8> = long.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("utf-16le", &raw, &long, &[(10_000, Some((1, 2)))]);
    check("utf-16le", b"", "", &[]);
}

#[test]
fn invalid_bytes_are_shown() {
    let ascii = Some((1, 2));
    check("utf-16be", b"\xD8\x00\0a", "%D8%00a", &[(2, None), (2, ascii)]);
    check("utf-16be", b"\xDC\x00\xD8\x00\xD8\x00", "%DC%00%D8%00%D8%00", &[(2, None); 3]);
    check("utf-16le", b"a\0b", "a%62", &[(2, ascii), (1, None)]);
    check("utf-16be", b"\xD8\x3Db", "%D8%3D%62", &[(3, None)]);
    check(
        "utf-32be",
        b"\0\x11\0\0\0\0\xD8\0\0a",
        "%00%11%00%00%00%00%D8%00%00%61",
        &[(4, None), (4, None), (2, None)],
    );
}

/// Checks the raw text after a span of the text was replaced.
#[track_caller]
fn check_edit(label: &str, raw: &[u8], (start, end, text): (usize, usize, &str), expected: &[u8]) {
    let decoded = charset(label).decode(raw);
    let edit = Edit { span: Span::new(start, end), text: text.as_bytes().into(), id: 0 };
    let lifted = Layer::Text.lift(raw, charset(label), &decoded, &[edit], Guards::default());
    assert_eq!(lifted.refused, []);
    let edits = Edits::new(lifted.edits, raw.len()).expect("the edits are in order");
    assert_eq!(edits.apply(raw).escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn edits_are_written_in_the_form() {
    check_edit("utf-16le", b"a\0b\0c\0", (1, 2, "x/"), b"a\0x\0/\0c\0");
    check_edit(
        "utf-16be",
        b"\0a\x65\xE5\0c",
        (4, 4, "é😀"),
        b"\0a\x65\xE5\0\xE9\xD8\x3D\xDE\x00\0c",
    );
    check_edit("utf-32le", b"a\0\0\0b\0\0\0", (0, 1, ""), b"b\0\0\0");
    check_edit("utf-32be", b"\0\0\0a", (1, 1, "b"), b"\0\0\0a\0\0\0b");
}

#[test]
fn halves_are_not_joined() {
    check_edit("utf-16be", b"\xD8\x3D\0/\xDE\x00", (6, 7, ""), b"\0%\0D\08\0%\x003\0D\xDE\x00");
    check_edit("utf-16be", b"\0ab", (4, 4, "c"), b"\0a\0%\x006\x002\0c");
}

/// Forbidden sequences are compared by characters.
#[test]
fn guards_see_characters() {
    let (raw, charset) = (b"a\0<\0/\0-\0", charset("utf-16le"));
    let decoded = charset.decode(raw);
    let edit = Edit { span: Span::new(3, 4), text: b"style"[..].into(), id: 5 };
    let guards = Guards { forbidden: &["</style"] };
    let lifted = Layer::Text.lift(raw, charset, &decoded, &[edit], guards);
    assert_eq!(lifted.refused, [(5, Unliftable::Forbidden("</style"))]);
}

#[test]
fn other_layers_lift_nothing() {
    let (raw, charset) = (b"a\0", charset("utf-16le"));
    let layer = Layer::Content;
    let decoded = layer.decode(raw, charset);
    let edit = Edit { span: Span::new(0, 0), text: b"b"[..].into(), id: 5 };
    let lifted = layer.lift(raw, charset, &decoded, &[edit], Guards::default());
    assert_eq!(lifted.refused, [(5, Unliftable::Charset)]);
}

#[test]
fn labels_and_marks_of_mail() {
    let name = |label: &str| Charset::for_mail_label(label.as_bytes()).map(Charset::name);
    for (label, expected) in
        [("utf-32", "UTF-32BE"), (" UTF-32le", "UTF-32LE"), ("utf-32BE\n", "UTF-32BE")]
    {
        assert_eq!(name(label), Some(expected));
        assert_eq!(Charset::for_label(label.as_bytes()), None);
    }
    for label in ["us-ascii", "utf-16", "utf-16be", "utf-8", "shift_jis", "klingon", "utf-7"] {
        let expected = Charset::for_label(label.as_bytes());
        assert_eq!(Charset::for_mail_label(label.as_bytes()), expected, "{label}");
    }
    let mark = |bytes| Charset::for_mail_bom(bytes).map(|(charset, len)| (charset.name(), len));
    assert_eq!(mark(b"\xFF\xFE\0\0a\0\0\0"), Some(("UTF-32LE", 4)));
    assert_eq!(mark(b"\0\0\xFE\xFF"), Some(("UTF-32BE", 4)));
    assert_eq!(mark(b"\xFF\xFEa\0"), Some(("UTF-16LE", 2)));
    assert_eq!(mark(b"\xEF\xBB\xBFa"), Some(("UTF-8", 3)));
    assert_eq!(mark(b"\0\0\0a"), None);
}

/// A document in UTF-16 writes queries in UTF-8 (Encoding standard, "get an output encoding").
#[test]
fn queries_are_utf_8() {
    assert_eq!(charset("utf-16le").escape_query("?é"), "?é");
}

/// Returns the text with U+FFFD for invalid bytes, as decoders show it.
fn replaced(raw: &[u8], charset: Charset) -> String {
    let decoded = charset.decode(raw);
    let mut text = decoded.text.to_string();
    for unit in decoded.map.units().iter().rev().filter(|unit| unit.is_invalid) {
        text.replace_range(unit.decoded.start..unit.decoded.end, "\u{FFFD}");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 5_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes, valid or not, are read as by encoding_rs.
    #[test]
    fn utf_16_as_encoding_rs_reads_it(
        units in vec(prop_oneof![any::<u8>(), Just(0), 0xD7_u8..=0xE0, b'a'..=b'c'], 0..30),
    ) {
        for encoding in [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE] {
            let (expected, _) = encoding.decode_without_bom_handling(&units);
            prop_assert_eq!(replaced(&units, charset(encoding.name())), expected);
        }
    }

    #[test]
    fn what_is_written_is_read(text in vec(any::<char>(), 0..32).prop_map(String::from_iter)) {
        for label in ["utf-16le", "utf-16be", "utf-32le", "utf-32be"] {
            let edit = Edit { span: Span::new(0, 0), text: text.as_bytes().into(), id: 0 };
            let decoded = charset(label).decode(b"");
            let lifted = Layer::Text.lift(b"", charset(label), &decoded, &[edit], Guards::default());
            let raw = Edits::new(lifted.edits, 0).expect("one edit").apply(b"");
            prop_assert_eq!(&charset(label).decode(&raw).text, &text);
        }
    }
}
