//! ISO-2022-JP, -KR, -CN and HZ: decoding, and lifting of edits; encoding_rs is the reference for
//! ISO-2022-JP.

use std::borrow::Cow;

use layers::{Charset, Edit, Edits, Guards, Layer, Lifted, Span, Unliftable};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const JP: &str = "iso-2022-jp";
const KR: &str = "iso-2022-kr";
const CN: &str = "iso-2022-cn";
const HZ: &str = "hz-gb-2312";

#[track_caller]
fn charset(label: &str) -> Charset {
    Charset::for_mail_label(label.as_bytes()).expect("a label")
}

#[track_caller]
fn check(label: &str, raw: &[u8], text: &str) {
    assert_eq!(charset(label).decode(raw).text, text, "{label} {}", raw.escape_ascii());
}

#[test]
fn iso_2022_jp() {
    check(JP, b"a\x1B$BF|K\\8l\x1B(Bb", "a日本語b");
    check(JP, b"\x1B$@F|\x1B(J\\~a\x1B(B\\~", "日¥‾a\\~");
    check(JP, b"\x1B(I1_\x1B(B", "ｱﾟ");
    check(JP, b"\x1B$(D0!l?\x1B(B.", "丂鷗.");
    check(JP, b"\x1B$B!\x1B(Ba", "%21a");
    check(JP, b"\x1B$BF|\n\x1B(Ba", "日%0Aa");
    check(JP, b"\x1B\x1B$\x0E\xFF\x1B(", "%1B%1B$%0E%FF%1B(");
    // An escape right after another is an error, but takes effect (Encoding standard, section
    // 13.2.1).
    check(JP, b"\x1B$B\x1B(Ba", "%1B%28%42a");
}

/// The example of RFC 1843, and its rules.
#[test]
fn hz() {
    let example =
        b"This sentence is in ASCII.\nThe next sentence is in GB.~{<:Ky2;S{#,NpJ)l6HK!#~}Bye.";
    let text = "This sentence is in ASCII.\nThe next sentence is in GB.己所不欲，勿施於人。Bye.";
    check(HZ, example, text);
    check(HZ, b"a~~b~\nc~\r\nd", "a~bcd");
    check(HZ, b"~{VPND~}abc~~\n~{::~}", "中文abc~\n汉");
    check(HZ, b"~{VP\nVP", "中\nVP");
    check(HZ, b"~x~", "%7Ex%7E");
    check(HZ, b"~{V", "%56");
}

/// RFC 1557: one designation, SO shifts to Korean, SI to ASCII; a line ends in ASCII.
#[test]
fn iso_2022_kr() {
    check(KR, b"\x1B$)C\x0EGQ1[\x0F abc\n\x0E0!\x0F", "한글 abc\n가");
    check(KR, b"\x1B$)C\x0EGQ\nGQ", "한\nGQ");
    check(KR, b"\x1B$)A\x0F\x1B", "%1B$)A%1B");
}

/// RFC 1922: designations end with the line; of the planes only GB 2312 is read.
#[test]
fn iso_2022_cn() {
    check(CN, b"a\x1B$)A\x0EVPND\x0Fb", "a中文b");
    check(CN, b"\x1B$)A\x0EVP\x0F\n\x0EVP", "中\n%56%50");
    check(CN, b"\x1B$)G\x0EVP\x0F\x1B$*H\x1BNaa", "%56%50%1B%4E%61%61");
}

#[test]
fn plain_text_is_borrowed() {
    for label in [JP, KR, CN] {
        assert!(matches!(charset(label).decode(b"a~\n").text, Cow::Borrowed(_)), "{label}");
    }
    assert!(matches!(charset(HZ).decode(b"a\x1B\n").text, Cow::Borrowed(_)));
}

/// Characters of one length are one run.
#[test]
fn maps_are_short() {
    let raw = [b"\x1B$B".as_slice(), &b"F|K\\".repeat(500), b"\x1B(B"].concat();
    let decoded = charset(JP).decode(&raw);
    assert_eq!(decoded.map.units().len(), 3);
    assert_eq!(decoded.map.widen(Span::new(301, 302)).raw, Span::new(203, 205));
}

#[test]
fn labels_of_mail() {
    let name = |label: &str| Charset::for_mail_label(label.as_bytes()).map(Charset::name);
    assert_eq!(name(" ISO-2022-KR "), Some("ISO-2022-KR"));
    assert_eq!(name("iso-2022-cn"), Some("ISO-2022-CN"));
    assert_eq!(name("iso-2022-cn-ext"), Some("ISO-2022-CN"));
    assert_eq!(name("HZ-GB-2312"), Some("HZ-GB-2312"));
    assert_eq!(name("iso-2022-jp"), Some("ISO-2022-JP"));
    for label in [JP, KR, CN, HZ] {
        assert!(charset(label).reads_as_whole() && !charset(label).is_supported());
        let browsers = Charset::for_label(label.as_bytes()).map(Charset::name);
        assert_eq!(browsers, Some(if label == JP { "ISO-2022-JP" } else { "replacement" }));
    }
}

/// WHATWG URL, "percent-encode after encoding": the encoder keeps its state, and ends in ASCII.
#[test]
fn queries_are_escaped_in_the_charset() {
    let escaped = charset(JP).escape_query("?日a語&😀#日");
    assert_eq!(escaped, "?%1B$BF|%1B(Ba%1B$B8l%1B(B&%26%23128512%3B#日");
    assert_eq!(charset(JP).escape_query("?ab").as_ref(), "?ab");
    assert_eq!(charset(KR).escape_query("?가"), "?가");
}

fn lift(label: &str, raw: &[u8], edits: &[(&str, &str)]) -> (Vec<u8>, Vec<(usize, Unliftable)>) {
    let charset = charset(label);
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
fn check_edit(label: &str, raw: &[u8], edits: &[(&str, &str)], expected: &[u8]) {
    let (output, refused) = lift(label, raw, edits);
    assert_eq!(refused, []);
    assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn ascii_is_edited_in_its_place() {
    let raw = b"\x1B$BF|\x1B(B href=a \x1B$BK\\\x1B(B";
    check_edit(JP, raw, &[("a ", "b/ ")], b"\x1B$BF|\x1B(B href=b/ \x1B$BK\\\x1B(B");
    check_edit(HZ, b"~{VP~}a~~b", &[("a", "/~x/")], b"~{VP~}/~~x/~~b");
    check_edit(KR, b"\x1B$)Ca\x0E0!\x0Fb", &[("b", "c")], b"\x1B$)Ca\x0E0!\x0Fc");
}

#[test]
fn next_to_double_bytes_new_text_is_written_in_ascii() {
    let raw = b"a\x1B$BF|K\\\x1B(Bb";
    check_edit(JP, raw, &[("a", "xy")], b"xy\x1B$BF|K\\\x1B(Bb");
    check_edit(JP, raw, &[("b", "xy")], b"a\x1B$BF|K\\\x1B(Bxy");
    check_edit(JP, raw, &[("日", "x")], b"ax\x1B$BK\\\x1B(Bb");
    check_edit(JP, raw, &[("本", "x")], b"a\x1B$BF|\x1B(Bxb");
    check_edit(JP, raw, &[("日本", "x")], b"axb");
    check_edit(JP, raw, &[("日本", "")], b"ab");
    check_edit(JP, raw, &[("a日", "")], b"\x1B$BK\\\x1B(Bb");
    check_edit(KR, b"\x1B$)C\x0E0!\x0F", &[("가", "a")], b"\x1B$)Ca");
    check_edit(CN, b"\x1B$)A\x0EVP\x0F", &[("中", "a")], b"\x1B$)Aa");
}

#[test]
fn inside_double_bytes_new_text_shifts_to_ascii_and_back() {
    let raw = b"\x1B$@F|K\\8l\x1B(B";
    check_edit(JP, raw, &[("本", "/")], b"\x1B$@F|\x1B(B/\x1B$@8l\x1B(B");
    check_edit(JP, raw, &[("本", "")], b"\x1B$@F|8l\x1B(B");
    check_edit(JP, raw, &[("本", "月")], b"\x1B$@F|7n8l\x1B(B");
    check_edit(JP, b"\x1B(Ja\\b\x1B(B", &[("a", "x/~")], b"x/~\x1B(J\\b\x1B(B");
    check_edit(HZ, b"~{VPNDVP~}", &[("文", "/")], b"~{VP~}/~{VP~}");
    check_edit(KR, b"\x1B$)C\x0E0!GQ0!\x0F", &[("한", "/")], b"\x1B$)C\x0E0!\x0F/\x0E0!\x0F");
    // The line end ends the designation, so that it is written again.
    let expected = b"\x1B$)A\x0EVP\x0F\n\x1B$)A\x0EVP\x0F";
    check_edit(CN, b"\x1B$)A\x0EVPNDVP\x0F", &[("文", "\n")], expected);
}

#[test]
fn characters_of_the_charset_are_written() {
    check_edit(JP, b"a", &[("a", "日ｱ¥")], b"\x1B$BF|\x1B(I1\x1B(J\\\x1B(B");
    check_edit(HZ, b"a", &[("a", "中")], b"~{VP~}");
    check_edit(CN, b"\x1B$)Aa\n", &[("a", "中b")], b"\x1B$)A\x0EVP\x0Fb\n");
    check_edit(KR, b"\x1B$)Ca", &[("a", "가")], b"\x1B$)C\x0E0!\x0F");
}

#[test]
fn impossible_edits_are_refused() {
    let check = |label, raw: &[u8], edit, reason| {
        let (output, refused) = lift(label, raw, &[edit]);
        assert_eq!((&*output, refused), (raw, vec![(0, reason)]));
    };
    check(JP, b"a", ("a", "😀"), Unliftable::Unencodable('😀'));
    check(JP, b"a", ("a", "\u{1B}"), Unliftable::Unencodable('\u{1B}'));
    check(KR, b"a", ("a", "가"), Unliftable::Unencodable('가'));
    // Without the line end the designation would remain in effect.
    check(CN, b"\x1B$)A\x0EVP\x0F\nb", ("\n", ""), Unliftable::Charset);
}

/// A stray escape and the text that comes to follow it must not become a valid escape.
#[test]
fn stray_escapes_remain_stray() {
    check_edit(JP, b"\x1B$xBF|", &[("x", "")], b"%1B$BF|");
    check_edit(JP, b"\x1B$(xD0!", &[("x", "")], b"%1B$(D0!");
    check_edit(HZ, b"~x{VP", &[("x", "")], b"%7E{VP");
    check_edit(HZ, b"~\rx\nVP", &[("x", "")], b"%7E%0D\nVP");
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
fn good(label: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let words: &[&[u8]] = match label {
        JP => &[b"\x1B$BF|K\\8l\x1B(B", b"\x1B$BF|\x1B(J\\a\x1B(I1\x1B$(D0!\x1B(B", b"a", b"b/~"],
        KR => &[b"\x0E0!\x0F", b"\x0E0!GQ0!\x0Fa", b"a", b"b/~", b"\n"],
        CN => &[b"\x1B$)A\x0EVPNDVP\x0F\n", b"\x1B$)A\x0EVP\x0F.\x0EVP\x0F\n", b"a", b"b/~", b"\n"],
        _ => &[b"~{VPNDVP~}", b"~{VP~}\n", b"a", b"b/~~", b"~\n"],
    };
    let header: &[u8] = if label == KR { b"\x1B$)C" } else { b"" };
    vec(select(words), 1..8).prop_map(move |words| [header, &words.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 5 } else { 10_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes, valid or not, are read as by encoding_rs.
    #[test]
    fn iso_2022_jp_as_encoding_rs_reads_it(raw in japanese()) {
        let (expected, _) = encoding_rs::ISO_2022_JP.decode_without_bom_handling(&raw);
        prop_assert_eq!(replaced(&raw, charset(JP)), expected, "{}", raw.escape_ascii());
    }

    #[test]
    fn what_encoding_rs_writes_is_read(text in vec(select(JAPANESE), 0..21).prop_map(String::from_iter)) {
        let (raw, _, unmappable) = encoding_rs::ISO_2022_JP.encode(&text);
        prop_assume!(!unmappable);
        // encoding_rs writes full-width katakana.
        prop_assert_eq!(charset(JP).decode(&raw).text, text.replace('ｱ', "ア"));
    }

    /// ASCII can be written anywhere in a valid text, in place of anything but a line end.
    #[test]
    fn ascii_is_never_refused(
        (label, raw) in select(&[JP, KR, CN, HZ][..]).prop_flat_map(|label| (Just(label), good(label))),
        at in any::<prop::sample::Index>(),
        is_insertion in any::<bool>(),
    ) {
        let charset = charset(label);
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
