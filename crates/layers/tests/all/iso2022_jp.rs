//! ISO-2022-JP: decoding, and lifting of edits; encoding_rs is the reference.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use relink_layers::{Charset, Edit, Edits, Guards, Layer, Lifted, Span, Unliftable};

#[track_caller]
fn charset() -> Charset {
    Charset::for_label(b"iso-2022-jp").expect("a label")
}

#[track_caller]
fn check(raw: &[u8], text: &str) {
    assert_eq!(charset().decode(raw).text, text, "{}", raw.escape_ascii());
}

#[test]
fn iso_2022_jp() {
    check(b"a\x1B$BF|K\\8l\x1B(Bb", "a日本語b");
    check(b"\x1B$@F|\x1B(J\\~a\x1B(B\\~", "日¥‾a\\~");
    check(b"\x1B(I1_\x1B(B", "ｱﾟ");
    check(b"\x1B$(D0!l?\x1B(B.", "丂鷗.");
    check(b"\x1B$B!\x1B(Ba", "%21a");
    check(b"\x1B$BF|\n\x1B(Ba", "日%0Aa");
    check(b"\x1B\x1B$\x0E\xFF\x1B(", "%1B%1B$%0E%FF%1B(");
    // An escape right after another is an error, but takes effect (Encoding standard, section
    // 13.2.1).
    check(b"\x1B$B\x1B(Ba", "%1B%28%42a");
}

#[test]
fn plain_text_is_borrowed() {
    assert!(matches!(charset().decode(b"a~\n").text, Cow::Borrowed(_)));
}

/// Characters of one length are one run.
#[test]
fn maps_are_short() {
    let raw = [b"\x1B$B".as_slice(), &b"F|K\\".repeat(500), b"\x1B(B"].concat();
    let decoded = charset().decode(&raw);
    assert_eq!(decoded.map.units().len(), 3);
    assert_eq!(decoded.map.widen(Span::new(301, 302)).raw, Span::new(203, 205));
}

#[test]
fn it_is_read_as_a_whole() {
    assert_eq!(charset().name(), "ISO-2022-JP");
    assert!(charset().reads_as_whole() && !charset().is_supported());
}

/// Browsers read ISO-2022-KR, ISO-2022-CN and HZ as the encoding `replacement`, so that no document
/// in one of them is shown; they are skipped in mail too.
#[test]
fn other_charsets_with_shifts_are_not_read() {
    for label in ["iso-2022-kr", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext", "hz-gb-2312"] {
        for charset in [Charset::for_label, Charset::for_mail_label] {
            let charset = charset(label.as_bytes()).expect("a label");
            assert_eq!(charset.name(), "replacement");
            assert!(!charset.reads_as_whole() && !charset.is_supported());
        }
    }
}

/// WHATWG URL, "percent-encode after encoding": the encoder keeps its state, and ends in ASCII.
#[test]
fn queries_are_escaped_in_the_charset() {
    let escaped = charset().escape_query("?日a語&😀#日");
    assert_eq!(escaped, "?%1B$BF|%1B(Ba%1B$B8l%1B(B&%26%23128512%3B#日");
    assert_eq!(charset().escape_query("?ab").as_ref(), "?ab");
}

fn lift(raw: &[u8], edits: &[(&str, &str)]) -> (Vec<u8>, Vec<(usize, Unliftable)>) {
    let charset = charset();
    let decoded = charset.decode(raw);
    let edit = |(id, (old, new)): (usize, &(&str, &str))| {
        let start = decoded.text.find(old).expect("the text has it");
        Edit { span: Span::new(start, start + old.len()), text: new.as_bytes().into(), id }
    };
    let edits: Vec<Edit> = edits.iter().enumerate().map(edit).collect();
    let lifted = Layer::Text.lift(raw, charset, &decoded, &edits, Guards::default());
    let Lifted { edits, refused } = lifted;
    (Edits::new(edits, raw.len()).expect("the edits are in order").apply(raw), refused)
}

/// Checks the raw text after each old text was replaced by the new one.
#[track_caller]
fn check_edit(raw: &[u8], edits: &[(&str, &str)], expected: &[u8]) {
    let (output, refused) = lift(raw, edits);
    assert_eq!(refused, []);
    assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn ascii_is_edited_in_its_place() {
    let raw = b"\x1B$BF|\x1B(B href=a \x1B$BK\\\x1B(B";
    check_edit(raw, &[("a ", "b/ ")], b"\x1B$BF|\x1B(B href=b/ \x1B$BK\\\x1B(B");
}

#[test]
fn next_to_double_bytes_new_text_is_written_in_ascii() {
    let raw = b"a\x1B$BF|K\\\x1B(Bb";
    check_edit(raw, &[("a", "xy")], b"xy\x1B$BF|K\\\x1B(Bb");
    check_edit(raw, &[("b", "xy")], b"a\x1B$BF|K\\\x1B(Bxy");
    check_edit(raw, &[("日", "x")], b"ax\x1B$BK\\\x1B(Bb");
    check_edit(raw, &[("本", "x")], b"a\x1B$BF|\x1B(Bxb");
    check_edit(raw, &[("日本", "x")], b"axb");
    check_edit(raw, &[("日本", "")], b"ab");
    check_edit(raw, &[("a日", "")], b"\x1B$BK\\\x1B(Bb");
}

#[test]
fn inside_double_bytes_new_text_shifts_to_ascii_and_back() {
    let raw = b"\x1B$@F|K\\8l\x1B(B";
    check_edit(raw, &[("本", "/")], b"\x1B$@F|\x1B(B/\x1B$@8l\x1B(B");
    check_edit(raw, &[("本", "")], b"\x1B$@F|8l\x1B(B");
    check_edit(raw, &[("本", "月")], b"\x1B$@F|7n8l\x1B(B");
    check_edit(b"\x1B(Ja\\b\x1B(B", &[("a", "x/~")], b"x/~\x1B(J\\b\x1B(B");
}

#[test]
fn characters_of_the_charset_are_written() {
    check_edit(b"a", &[("a", "日ｱ¥")], b"\x1B$BF|\x1B(I1\x1B(J\\\x1B(B");
}

#[test]
fn impossible_edits_are_refused() {
    let check = |raw: &[u8], edit, reason| {
        let (output, refused) = lift(raw, &[edit]);
        assert_eq!((&*output, refused), (raw, vec![(0, reason)]));
    };
    check(b"a", ("a", "😀"), Unliftable::Unencodable('😀'));
    check(b"a", ("a", "\u{1B}"), Unliftable::Unencodable('\u{1B}'));
}

/// A stray escape and the text that comes to follow it must not become a valid escape.
#[test]
fn stray_escapes_remain_stray() {
    check_edit(b"\x1B$xBF|", &[("x", "")], b"%1B$BF|");
    check_edit(b"\x1B$(xD0!", &[("x", "")], b"%1B$(D0!");
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

/// Generates bytes and escapes of ISO-2022-JP, except those of JIS X 0212, which browsers do not
/// read.
fn japanese() -> impl Strategy<Value = Vec<u8>> {
    let escapes: &[&[u8]] = &[
        b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B$B", b"\x1B", b"\x1B$", b"\x1B(", b"\n",
    ];
    let pairs = (0x21..=0x7E_u8, 0x21..=0x7E_u8).prop_map(|(row, cell)| vec![row, cell]);
    let bytes = any::<u8>().prop_map(|byte| vec![byte]);
    let word = prop_oneof![3 => select(escapes).prop_map(<[u8]>::to_vec), 6 => pairs, 1 => bytes];
    vec(word, 0..20)
        .prop_map(|words| words.concat())
        .prop_filter("JIS X 0212", |raw| !raw.windows(4).any(|bytes| bytes == b"\x1B$(D"))
}

/// Characters of ISO-2022-JP, and some that its encoder replaces.
const JAPANESE: &[char] = &['a', 'z', '\\', '~', '\n', '¥', '‾', 'ｱ', 'あ', '日', '本', '語', 'Я'];

/// Generates text of the charset without errors, word by word.
fn good() -> impl Strategy<Value = Vec<u8>> {
    let words: &[&[u8]] =
        &[b"\x1B$BF|K\\8l\x1B(B", b"\x1B$BF|\x1B(J\\a\x1B(I1\x1B$(D0!\x1B(B", b"a", b"b/~"];
    vec(select(words), 1..8).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 5 } else { 10_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes, valid or not, are read as by encoding_rs.
    #[test]
    fn iso_2022_jp_as_encoding_rs_reads_it(raw in japanese()) {
        let (expected, _) = encoding_rs::ISO_2022_JP.decode_without_bom_handling(&raw);
        prop_assert_eq!(replaced(&raw, charset()), expected, "{}", raw.escape_ascii());
    }

    #[test]
    fn what_encoding_rs_writes_is_read(text in vec(select(JAPANESE), 0..21).prop_map(String::from_iter)) {
        let (raw, _, unmappable) = encoding_rs::ISO_2022_JP.encode(&text);
        prop_assume!(!unmappable);
        // encoding_rs writes full-width katakana.
        prop_assert_eq!(charset().decode(&raw).text, text.replace('ｱ', "ア"));
    }

    /// ASCII can be written anywhere in a valid text, in place of anything but a line end.
    #[test]
    fn ascii_is_never_refused(
        raw in good(),
        at in any::<prop::sample::Index>(),
        is_insertion in any::<bool>(),
    ) {
        let charset = charset();
        let decoded = charset.decode(&raw);
        let chars: Vec<(usize, char)> = decoded.text.char_indices().collect();
        prop_assume!(!chars.is_empty());
        let (start, char) = chars[at.index(chars.len())];
        let end = start + if is_insertion || char == '\n' { 0 } else { char.len_utf8() };
        let edit = Edit { span: Span::new(start, end), text: b"http://h/~a"[..].into(), id: 0 };
        let lifted = Layer::Text.lift(&raw, charset, &decoded, &[edit], Guards::default());
        prop_assert_eq!(lifted.refused, vec![]);
        let output = Edits::new(lifted.edits, raw.len()).expect("one edit").apply(&raw);
        let mut expected = decoded.text.to_string();
        expected.replace_range(start..end, "http://h/~a");
        prop_assert_eq!(charset.decode(&output).text, expected);
    }
}
