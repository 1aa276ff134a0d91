//! Charsets of the Encoding standard: characters and their units, invalid bytes, labels, byte order
//! marks.
//!
//! An invalid byte is shown as its percent-escape.

use std::borrow::Cow;

use relink_layers::{Charset, Layer, MapUnit, Span, Step};

/// Returns the raw and the decoded span of each character of a unit.
fn characters(unit: &MapUnit) -> Vec<(Span, Span)> {
    let Some(Step { decoded, raw }) = unit.step else { return vec![(unit.raw, unit.decoded)] };
    let [decoded, raw] = [decoded, raw].map(usize::from);
    let spans = |span: Span, len: usize| {
        (span.start..span.end).step_by(len).map(move |at| Span::new(at, at + len))
    };
    spans(unit.raw, raw).zip(spans(unit.decoded, decoded)).collect()
}

#[track_caller]
fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes()).expect("the label is of the Encoding standard")
}

/// Checks that `raw` is decoded to `parts`, each with its length in raw bytes; 0 marks plain text.
#[track_caller]
fn check(label: &str, raw: &[u8], parts: &[(usize, &str)]) {
    let decoded = charset(label).decode(raw);
    let mut units = Vec::new();
    let (mut text, mut at) = (String::new(), 0);
    for (len, part) in parts {
        let start = text.len();
        text.push_str(part);
        let end = at + if *len == 0 { part.len() } else { *len };
        if *len > 0 {
            units.push((Span::new(at, end), Span::new(start, text.len())));
        }
        at = end;
    }
    assert_eq!(decoded.text, text, "{label} {raw:x?}");
    assert_eq!(at, raw.len(), "the case covers its bytes");
    let got: Vec<_> = decoded.map.units().iter().flat_map(characters).collect();
    assert_eq!(got, units, "{label} {raw:x?}");
    assert_eq!(Layer::Text.decode(raw, charset(label)), decoded);
}

#[test]
fn utf_8() {
    check("utf-8", b"abc", &[(0, "abc")]);
    check("utf-8", "é日😀".as_bytes(), &[(0, "é日😀")]);
    check("utf-8", b"a\xFFb", &[(0, "a"), (1, "%FF"), (0, "b")]);
    check("utf-8", b"\xC3", &[(1, "%C3")]);
    check("utf-8", b"\xC3\xA9\xC3x", &[(0, "é"), (1, "%C3"), (0, "x")]);
    check("utf-8", b"\x80\xBF", &[(1, "%80"), (1, "%BF")]);
    check("utf-8", b"\xC0\xAF", &[(1, "%C0"), (1, "%AF")]);
    check("utf-8", b"\xE2\x82\xE2\x82\xAC", &[(1, "%E2"), (1, "%82"), (0, "€")]);
    check("utf-8", b"\xED\xA0\x80", &[(1, "%ED"), (1, "%A0"), (1, "%80")]);
    check("utf-8", b"\xF4\x90\x80\x80", &[(1, "%F4"), (1, "%90"), (1, "%80"), (1, "%80")]);
    check("utf-8", b"\xEF\xBB\xBFa", &[(0, "\u{FEFF}a")]);
    check("utf-8", b"%\xA7%", &[(0, "%"), (1, "%A7"), (0, "%")]);
}

#[test]
fn single_bytes() {
    check("windows-1252", b"caf\xE9/", &[(0, "caf"), (1, "é"), (0, "/")]);
    check("windows-1252", b"\x80\x81\x9D\xFF", &[(1, "€"), (1, "\u{81}"), (1, "\u{9D}"), (1, "ÿ")]);
    check("koi8-r", b"\xC1\xD7\xF1", &[(1, "а"), (1, "в"), (1, "Я")]);
    check("windows-1251", b"\xE0\x98", &[(1, "а"), (1, "\u{98}")]);
    check("iso-8859-2", b"\xB1", &[(1, "ą")]);
    check("macintosh", b"\x80", &[(1, "Ä")]);
    check("x-user-defined", b"\x80\xFF", &[(1, "\u{F780}"), (1, "\u{F7FF}")]);
    // Bytes that are not in the index.
    check("windows-1253", b"a\xAA\xC1", &[(0, "a"), (1, "%AA"), (1, "Α")]);
    check("iso-8859-8", b"\xA1\xE0", &[(1, "%A1"), (1, "א")]);
}

#[test]
fn double_bytes_with_an_ascii_trail() {
    check("shift_jis", b"a\x83\x5Cb", &[(0, "a"), (2, "ソ"), (0, "b")]);
    check("shift_jis", b"\x95\x5C\xB1\x5C", &[(2, "表"), (1, "ｱ"), (0, "\\")]);
    check("big5", b"\xA5\x5C/\xA4\x40", &[(2, "功"), (0, "/"), (2, "一")]);
    check("gbk", b"\x81\x5C\x81\x7C\x80", &[(2, "乗"), (2, "亅"), (1, "€")]);
    check("euc-kr", b"\xB0\xA1\x81\x41", &[(2, "가"), (2, "갂")]);
    check("euc-jp", b"\xA4\xA2\x5C", &[(2, "あ"), (0, "\\")]);
}

#[test]
fn other_lengths() {
    check("euc-jp", b"\x8E\xB1\x8F\xB0\xA1a", &[(2, "ｱ"), (3, "丂"), (0, "a")]);
    check("gb18030", b"\x81\x30\x81\x30", &[(4, "\u{80}")]);
    check("gb18030", b"x\x90\x30\x81\x30\xD2\xBB", &[(0, "x"), (4, "\u{10000}"), (2, "一")]);
    check("gb18030", b"\xE3\x32\x9A\x35", &[(4, "\u{10FFFF}")]);
    // A pair of Big5 that is two characters.
    check("big5", b"\x88\x62", &[(2, "\u{CA}\u{304}")]);
}

/// The decoders do not consume an ASCII byte that cannot be a trail byte (Encoding standard, 10 to
/// 14).
#[test]
fn a_lead_byte_does_not_swallow_ascii() {
    for label in ["gbk", "gb18030", "big5", "euc-kr", "euc-jp"] {
        check(label, b"\xA4", &[(1, "%A4")]);
        check(label, b"\xA4/", &[(1, "%A4"), (0, "/")]);
    }
    check("shift_jis", b"\x83\"b", &[(1, "%83"), (0, "\"b")]);
    check("shift_jis", b"\x83", &[(1, "%83")]);
    check("big5", b"\xA5>", &[(1, "%A5"), (0, ">")]);
    check("gb18030", b"\x81 \x810 ", &[(1, "%81"), (0, " "), (1, "%81"), (0, "0 ")]);
    check("euc-jp", b"\x8Fa", &[(1, "%8F"), (0, "a")]);
    check("euc-kr", b"\xB0&", &[(1, "%B0"), (0, "&")]);
    check("shift_jis", b"\x85\x41", &[(1, "%85"), (0, "A")]);
}

/// Two bytes that are a pair by their ranges but are not mapped are consumed together, and are one
/// unit: the second begins no character.
#[test]
fn an_unmapped_pair_is_read_as_a_pair() {
    check("shift_jis", b"\x85\x9F\x5C", &[(2, "%85%9F"), (0, "\\")]);
    check("euc-jp", b"\xA9\xA1\xA4\xA2", &[(2, "%A9%A1"), (2, "あ")]);
    check("euc-jp", b"\x8F\xB0a", &[(2, "%8F%B0"), (0, "a")]);
}

#[test]
fn widened_bytes_are_their_numbers() {
    let raw: Vec<u8> = (0..=255).collect();
    let text: String = (0..=255_u8).map(char::from).collect();
    assert_eq!(Charset::WIDENED.decode(&raw).text, text);
    assert!(Charset::WIDENED.is_supported());
}

/// Checks the charset of a label by its name in the Encoding standard; `None` if it is not a label.
#[track_caller]
fn check_label(label: &str, name: Option<&str>) {
    assert_eq!(Charset::for_label(label.as_bytes()).map(Charset::name), name, "{label:?}");
}

#[test]
fn labels() {
    for label in ["utf-8", "UTF8", "Utf-8", "unicode-1-1-utf-8", " utf-8\t", "\nutf-8\r\x0C"] {
        check_label(label, Some("UTF-8"));
    }
    for label in ["latin1", "iso-8859-1", "ascii", "US-ASCII", "cp1252", "l1", "windows-1252"] {
        check_label(label, Some("windows-1252"));
    }
    check_label("sjis", Some("Shift_JIS"));
    check_label("ms_kanji", Some("Shift_JIS"));
    check_label("gb2312", Some("GBK"));
    check_label("big5-hkscs", Some("Big5"));
    check_label("ks_c_5601-1987", Some("EUC-KR"));
    check_label("koi8", Some("KOI8-R"));
    check_label("utf-16", Some("UTF-16LE"));
    check_label("hz-gb-2312", Some("replacement"));
    for label in ["", "utf-7", "utf", "utf 8", "klingon", "\u{A0}utf-8", "\x0Butf-8"] {
        check_label(label, None);
    }
}

#[test]
fn byte_order_marks() {
    let name = |bytes| Charset::for_bom(bytes).map(|(charset, len)| (charset.name(), len));
    assert_eq!(name(b"\xEF\xBB\xBFa"), Some(("UTF-8", 3)));
    assert_eq!(name(b"\xEF\xBB\xBF"), Some(("UTF-8", 3)));
    assert_eq!(name(b"\xFF\xFEa\0"), Some(("UTF-16LE", 2)));
    assert_eq!(name(b"\xFE\xFF\0a"), Some(("UTF-16BE", 2)));
    assert_eq!(name(b"\xEF\xBB"), None);
    assert_eq!(name(b"a\xEF\xBB\xBF"), None);
    assert_eq!(name(b""), None);
}

/// Checks that a charset is or is not supported: whether every byte below 0x80 outside a longer
/// character is ASCII.
#[track_caller]
fn check_kind(label: &str, is_supported: bool) {
    assert_eq!(charset(label).is_supported(), is_supported, "{label}");
}

#[test]
fn kinds() {
    for label in ["utf-8", "windows-1252", "koi8-r", "iso-8859-8-i", "x-user-defined", "euc-jp"] {
        check_kind(label, true);
    }
    for label in ["shift_jis", "gbk", "gb18030", "big5", "euc-kr"] {
        check_kind(label, true);
    }
    for label in ["utf-16le", "utf-16be", "iso-2022-jp", "replacement"] {
        check_kind(label, false);
    }
    for (label, is_whole) in [("utf-16le", true), ("utf-8", false), ("replacement", false)] {
        assert_eq!(charset(label).reads_as_whole(), is_whole, "{label}");
    }
}

#[test]
fn ascii_and_utf_8_are_borrowed() {
    for (label, raw) in [("utf-8", "é"), ("utf-8", "a"), ("shift_jis", "a\\b"), ("koi8-r", "")] {
        let decoded = charset(label).decode(raw.as_bytes());
        assert!(matches!(decoded.text, Cow::Borrowed(text) if text == raw));
        assert!(decoded.map.is_identity());
    }
}

/// What Chromium sends: bytes that are no characters to escape stay, and the encoders of Shift_JIS
/// and EUC-JP have characters that are read as others.
#[test]
fn queries_are_escaped_as_browsers_send_them() {
    for (label, query, expected) in [
        ("windows-1251", "?\u{43F}\u{E9}", "?%EF%26%23233%3B"),
        ("gb18030", "?\u{A5}\u{1F600}", "?%810%846%949%FC6"),
        ("gbk", "?\u{2013}", "?%A8C"),
        ("big5", "?\u{43F}", "?%C8e"),
        ("shift_jis", "?a\u{A5}b\u{203E}\u{2225}", "?a\\b~%81a"),
        ("euc-jp", "?\u{A5}\u{2212}", "?\\%A1%DD"),
        ("iso-2022-jp", "?a\u{A5}b\u{203E}", "?a%1B(J\\b~%1B(B"),
        ("iso-2022-jp", "?\u{3042}\u{E9}\u{3042}", "?%1B$B$%22%1B(B%26%23233%3B%1B$B$%22%1B(B"),
        ("iso-2022-jp", "?\u{FF71}", "?%1B$B%%22%1B(B"),
        ("utf-8", "?\u{E9}", "?\u{E9}"),
    ] {
        assert_eq!(charset(label).escape_query(query), expected, "{label}");
    }
    // Only in URLs that browsers treat specially.
    let latin = charset("latin1");
    for (url, expected) in [
        ("HTTPS://h/?\u{E9}", "HTTPS://h/?%E9"),
        ("file:///?\u{E9}", "file:///?%E9"),
        ("//h?\u{E9}", "//h?%E9"),
        ("a/b:c?\u{E9}", "a/b:c?%E9"),
        ("?a:\u{E9}", "?a:%E9"),
        ("mailto:a@h?\u{E9}", "mailto:a@h?\u{E9}"),
        ("ws://h/?\u{E9}", "ws://h/?\u{E9}"),
    ] {
        assert_eq!(latin.escape_query(url), expected);
    }
}
