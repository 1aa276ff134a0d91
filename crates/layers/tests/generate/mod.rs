//! Raw texts and charsets for property tests: alphabets that love what escapes, and what is legal in each layer.

mod text;

use layers::{Charset, CssForm, JsQuote, Layer, MarkdownForm, Quote, XmlNames, XmlPlace};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The layers whose raw text is not empty by definition.
pub(crate) const LAYERS: [Layer; 20] = [
    Layer::Text,
    Layer::Attribute(Quote::Double),
    Layer::Attribute(Quote::Single),
    Layer::Attribute(Quote::None),
    Layer::Content,
    Layer::Css(CssForm::DoubleQuoted),
    Layer::Css(CssForm::SingleQuoted),
    Layer::Css(CssForm::Url),
    Layer::Xml(XmlPlace::DoubleQuoted, XmlNames::Xml),
    Layer::Xml(XmlPlace::SingleQuoted, XmlNames::Html),
    Layer::Xml(XmlPlace::Content, XmlNames::Xml),
    Layer::CData,
    Layer::JsString(JsQuote::Double),
    Layer::JsString(JsQuote::Single),
    Layer::Markdown(MarkdownForm::Bare),
    Layer::Markdown(MarkdownForm::Angle),
    Layer::Wrapped,
    Layer::Flowed { deletes_space: false },
    Layer::Flowed { deletes_space: true },
    Layer::Json,
];

const LABELS: [&str; 9] =
    ["utf-8", "windows-1252", "koi8-r", "shift_jis", "gbk", "gb18030", "big5", "euc-jp", "euc-kr"];

/// Charsets that are read as a whole.
#[rustfmt::skip]
pub(crate) const WHOLE_LABELS: [&str; 8] =
    ["utf-16le", "utf-16be", "utf-32le", "utf-32be", "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312"];

/// Words of the charsets that shift.
#[rustfmt::skip]
const SHIFTING_WORDS: &[&[u8]] = &[
    b"a", b"b/", b"F|K\\", b"0!", b"!!", b"1", b"~", b"\\", b"\n", b"\r\n", b"\r", b" ", b"\x7F", b"\xFF", b"\xB1", b"$", b"(", b")", b"B", b"C", b"D", b"A",
];

/// The shifts of each, and what looks like one.
#[rustfmt::skip]
const SHIFTS: [(&str, &[&[u8]]); 4] = [
    ("iso-2022-jp", &[b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B$B", b"\x1B$B", b"\x1B$(D", b"\x1B", b"\x1B$", b"\x1B$(", b"\x0E"]),
    ("iso-2022-kr", &[b"\x1B$)C", b"\x1B$)C", b"\x0E", b"\x0E", b"\x0F", b"\x0F", b"\x1B", b"\x1B$"]),
    ("iso-2022-cn", &[b"\x1B$)A", b"\x1B$)A", b"\x1B$)G", b"\x1B$*H", b"\x1B$+I", b"\x1BN", b"\x1BNaa", b"\x0E", b"\x0E", b"\x0F", b"\x0F", b"\x1B", b"\x1B$"]),
    ("hz-gb-2312", &[b"~{", b"~{", b"~}", b"~}", b"~~", b"~\n", b"~\r\n", b"~\r"]),
];

/// Words of every layer and of every charset.
#[rustfmt::skip]
const WORDS: &[&[u8]] = &[
    b"&", b"&", b"&", b";", b";", b"#", b"x", b"X", b"=", b"0", b"4", b"38", b"a", b"f", b"amp", b"copy", b"not", b"in",
    b"&amp;", b"&amp", b"&copy", b"&#65", b"&#x41;", b"&#x4", b"&yen", b"&NotEqualTilde;", b"&#0;", b"&#", b"&#00000000000000000000000000000000000000000000065",
    b"\\", b"\"", b"'", b" ", b"\n", b"\t", b"<", b">", b"(", b")", b"%", b"/", b"\0",
    b"\xC3", b"\xA9", b"\xC3\xA9", b"\xF0\x9F\x98\x80", b"\x81", b"\x8F", b"\x80", b"\xFF", b"\x83\x5C", b"\x81\x30\x81\x30", b"\x8E\xB1", b"\xB0\xA1",
];

/// Words of a style sheet.
#[rustfmt::skip]
const CSS_WORDS: &[&str] = &[
    "a", "f", "g", "1", "41", "/", "&", ";", "é", "日", "%", "\0", "\\41", "\\41 ", "\\4", "\\000041", "\\000041 ", "\\41\r\n", "\\a\n", "\\0", "\\d800",
    "\\110000", "\\\"", "\\'", "\\(", "\\)", "\\\\", "\\ ", "\\g", "\\é", "\\\0",
];

/// Words of well-formed XML.
#[rustfmt::skip]
const XML_WORDS: &[&str] = &[
    "a", "f", "1", "41", "/", ";", "#", "é", "日", "😀", "%", " ", "\n", "\t", "\r", "\r\n", ">", "]", "]]", "\"", "'", "amp;", "&amp;", "&amp;", "&lt;", "&gt;",
    "&quot;", "&apos;", "&#65;", "&#x41;", "&#x1F600;", "&#0000000000000065;", "&copy;", "&NotEqualTilde;", "&unknown;", "&é;",
];

/// Words that are legal in strings of a style sheet only.
const STRING_WORDS: &[&str] = &[" ", "\t", "(", ")", "\\\n", "\\\r\n", "\\\r", "\x0B", "\x7F"];

/// Words of a string of ECMAScript.
#[rustfmt::skip]
const JS_WORDS: &[&str] = &[
    "a", "f", "0", "1", "41", "{", "}", "/", "&", "é", "日", "%", "\0", "\u{2028}", "\\0", "\\0", "\\x41", "\\u0041", "\\u{41}", "\\u{000041}", "\\u{1F600}",
    "\\u{0}", "\\uD83D", "\\uDE00", "\\u{D83D}", "\\uD83D\\uDE00", "\\\n", "\\\r\n", "\\\r", "\\\u{2029}", "\\n", "\\r", "\\v", "\\b", "\\'", "\\\"", "\\\\",
    "\\g", "\\é", "\\/", "\u{FFFD}",
];

/// Words of a string of JSON.
#[rustfmt::skip]
const JSON_WORDS: &[&str] = &[
    "a", "/", "&", "'", "é", "日", "\u{2028}", "\x7F", "u", "d83d", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0041", "\\u00e9",
    "\\u65E5", "\\u0000", "\\u0022", "\\u005c", "\\ud83d\\ude00", "\\ud83d", "\\ud83d", "\\uDE00", "\\uDE00", "\\uDBFF", "\\uFFFD",
];

pub(crate) fn layer() -> impl Strategy<Value = Layer> {
    select(&LAYERS[..])
}

/// Any charset; style sheets and their like are decoded before they are read, so for their layers it is UTF-8.
pub(crate) fn charset(layer: Layer) -> BoxedStrategy<Charset> {
    match layer {
        Layer::Css(_) | Layer::Xml(..) | Layer::CData | Layer::JsString(_) | Layer::Json => {
            Just(Charset::UTF_8).boxed()
        }
        _ if text::words(layer).is_some() => Just(Charset::UTF_8).boxed(),
        _ => select(&LABELS[..])
            .prop_map(|label| Charset::for_label(label.as_bytes()).expect("a label"))
            .boxed(),
    }
}

/// A layer, a charset and raw bytes that are legal there: each layer with the charsets that are read byte by byte, and texts of the others.
pub(crate) fn any() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    prop_oneof![3 => bytewise(), 1 => whole()]
}

/// The same in charsets that are read byte by byte.
pub(crate) fn bytewise() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    layer().prop_flat_map(|layer| (Just(layer), charset(layer), raw(layer)))
}

/// A text in a charset that is read as a whole, some of it no text.
pub(crate) fn whole() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    select(&WHOLE_LABELS[..]).prop_flat_map(|label| {
        let charset = Charset::for_mail_label(label.as_bytes()).expect("a label");
        (Just(Layer::Text), Just(charset), vec(word(label), 0..14).prop_map(|words| words.concat()))
    })
}

/// Characters of all lengths.
const CHARS: &[char] = &[
    'a',
    'b',
    '/',
    '~',
    '\n',
    '\0',
    '\u{7F}',
    'é',
    'Я',
    '日',
    'ｱ',
    '\u{FEFF}',
    '😀',
    '\u{10FFFF}',
];

/// A word of a charset, or bytes that are none.
fn word(label: &'static str) -> BoxedStrategy<Vec<u8>> {
    if let Some((_, shifts)) = SHIFTS.iter().find(|(shifting, _)| *shifting == label) {
        let words = prop_oneof![select(SHIFTING_WORDS), select(*shifts)];
        return words.prop_map(<[u8]>::to_vec).boxed();
    }
    let is_16 = label.starts_with("utf-16");
    let is_little = label.ends_with("le");
    let number = prop_oneof![
        8 => select(CHARS).prop_map(u32::from),
        1 => select(&[0xD800_u32, 0xDBFF, 0xDC00, 0xDFFF, 0x11_0000, 0xFFFF_FFFF][..]),
    ];
    let word = number.prop_map(move |number| {
        let char = char::from_u32(number).filter(|_| is_16);
        let units: Vec<Vec<u8>> = match char {
            Some(char) => char
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| unit.to_be_bytes().to_vec())
                .collect(),
            None if is_16 => vec![number.to_be_bytes()[2..].to_vec()],
            None => vec![number.to_be_bytes().to_vec()],
        };
        let ordered = |mut unit: Vec<u8>| {
            if is_little {
                unit.reverse();
            }
            unit
        };
        units.into_iter().flat_map(ordered).collect::<Vec<u8>>()
    });
    prop_oneof![40 => word, 1 => Just(b"a".to_vec())].boxed()
}

/// Raw bytes that are legal in `layer`.
pub(crate) fn raw(layer: Layer) -> BoxedStrategy<Vec<u8>> {
    if let Layer::Css(form) = layer {
        let more = if form == CssForm::Url { &[] } else { STRING_WORDS };
        let words = [CSS_WORDS, more].concat();
        return vec(select(words), 0..10).prop_map(|words| words.concat().into_bytes()).boxed();
    }
    if let Layer::JsString(quote) = layer {
        let other = if quote == JsQuote::Double { "'" } else { "\"" };
        let words = [JS_WORDS, &[other]].concat();
        return vec(select(words), 0..10)
            .prop_map(|words| words.concat().into_bytes())
            .prop_filter("a digit after \\0", move |raw| is_legal_js(quote, raw))
            .boxed();
    }
    if let Layer::Xml(..) | Layer::CData = layer {
        let legal = |words: Vec<&str>| words.concat().into_bytes();
        return vec(select(XML_WORDS), 0..10)
            .prop_map(legal)
            .prop_map(move |mut raw| {
                match layer {
                    Layer::Xml(XmlPlace::DoubleQuoted, _) => raw.retain(|byte| *byte != b'"'),
                    Layer::Xml(XmlPlace::SingleQuoted, _) => raw.retain(|byte| *byte != b'\''),
                    _ => {}
                }
                raw
            })
            .boxed();
    }
    if let Some(words) = text::words(layer) {
        let raw = move |words: Vec<&str>| match layer {
            Layer::Markdown(form) => text::mended(form, words.concat()).into_bytes(),
            _ => words.concat().into_bytes(),
        };
        return vec(select(words), 0..12).prop_map(raw).boxed();
    }
    if layer == Layer::Json {
        return vec(select(JSON_WORDS), 0..10)
            .prop_map(|words| words.concat().into_bytes())
            .boxed();
    }
    vec(select(WORDS), 0..10)
        .prop_map(move |words| {
            let mut raw = words.concat();
            match layer {
                Layer::Attribute(Quote::Double) => raw.retain(|byte| *byte != b'"'),
                Layer::Attribute(Quote::Single) => raw.retain(|byte| *byte != b'\''),
                Layer::Attribute(Quote::None) => {
                    raw.retain(|byte| !is_end_of_unquoted(*byte));
                    if raw.first().is_none_or(|byte| matches!(byte, b'"' | b'\'')) {
                        raw.insert(0, b'a');
                    }
                }
                Layer::Content => raw.retain(|byte| *byte != b'<'),
                _ => {}
            }
            raw
        })
        .boxed()
}

/// HTML standard 13.2.5.38: white space and `>` end an unquoted value.
fn is_end_of_unquoted(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'>')
}

/// The text of `raw` where a text of `layer` stands, if it may stand there. A value without quotes is empty only as `""`.
pub(crate) fn read(layer: Layer, charset: Charset, raw: &[u8]) -> Option<String> {
    if layer == Layer::Attribute(Quote::None) && matches!(raw, b"\"\"" | b"''") {
        return Some(String::new());
    }
    is_legal(layer, raw).then(|| layer.decode(raw, charset).text.into_owned())
}

/// Whether `raw` may stand where a text of `layer` stands, and is all of it.
pub(crate) fn is_legal(layer: Layer, raw: &[u8]) -> bool {
    match layer {
        Layer::Text | Layer::Field(_) | Layer::Wrapped | Layer::Flowed { .. } => true,
        Layer::Markdown(form) => text::is_destination(form, raw),
        Layer::Attribute(Quote::Double) => !raw.contains(&b'"'),
        Layer::Attribute(Quote::Single) => !raw.contains(&b'\''),
        // HTML standard 13.2.5.37: a quote in front is a delimiter; without a byte the next attribute is the value.
        Layer::Attribute(Quote::None) => {
            !raw.iter().any(|byte| is_end_of_unquoted(*byte))
                && raw.first().is_some_and(|byte| !matches!(byte, b'"' | b'\''))
        }
        Layer::Attribute(Quote::Missing | Quote::NameOnly) => raw.is_empty(),
        Layer::Content => !raw.contains(&b'<'),
        Layer::Css(form) => is_legal_css(form, raw),
        Layer::Xml(place, _) => {
            let quote = match place {
                XmlPlace::DoubleQuoted => b'"',
                XmlPlace::SingleQuoted => b'\'',
                XmlPlace::Content => b'<',
            };
            !raw.contains(&quote) && !raw.contains(&b'<') && !has_bare_ampersand(raw)
        }
        Layer::CData => true,
        Layer::JsString(quote) => is_legal_js(quote, raw),
        Layer::Json => is_legal_json(raw),
    }
}

/// Whether an `&` begins no reference.
fn has_bare_ampersand(raw: &[u8]) -> bool {
    let is_bare = |rest: &[u8]| {
        let name = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80 || **byte == b'#');
        let len = name.count();
        len == 0 || rest.get(len) != Some(&b';')
    };
    raw.iter().enumerate().any(|(at, byte)| *byte == b'&' && is_bare(&raw[at + 1..]))
}

/// CSS Syntax 4.3.5 and 4.3.6.
fn is_legal_css(form: CssForm, raw: &[u8]) -> bool {
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        let next = raw.get(at + 1).copied();
        let is_break = |byte| matches!(byte, b'\n' | b'\r' | b'\x0C');
        let is_end = match form {
            CssForm::DoubleQuoted => *byte == b'"' || is_break(*byte),
            CssForm::SingleQuoted => *byte == b'\'' || is_break(*byte),
            CssForm::Url => {
                matches!(byte, 1..=b' ' | b'"' | b'\'' | b'(' | b')' | b'\x7F')
                    || *byte == b'\\' && next.is_some_and(is_break)
            }
        };
        if is_end || *byte == b'\\' && next.is_none() {
            return false;
        }
        at += if *byte == b'\\' { escape_len(&raw[at..]) } else { 1 };
    }
    std::str::from_utf8(raw).is_ok()
}

/// RFC 8259, section 7.
fn is_legal_json(raw: &[u8]) -> bool {
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        at += match (byte, raw.get(at + 1)) {
            (b'"' | 0..=0x1F, _) => return false,
            (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => 2,
            (b'\\', Some(b'u')) => {
                let digits = raw.get(at + 2..at + 6).unwrap_or_default();
                if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return false;
                }
                6
            }
            (b'\\', _) => return false,
            _ => 1,
        };
    }
    std::str::from_utf8(raw).is_ok()
}

/// CSS Syntax 4.3.7; CR LF is one white space (3.3).
fn escape_len(raw: &[u8]) -> usize {
    let digits = raw[1..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = &raw[1 + digits..];
    let space = match rest {
        [b'\r', b'\n', ..] => 2,
        [b' ' | b'\t' | b'\n' | b'\r' | b'\x0C', ..] if digits > 0 => 1,
        [..] if digits > 0 => 0,
        [..] => 1,
    };
    1 + digits + space
}

/// ECMA-262 12.9.4.
fn is_legal_js(quote: JsQuote, raw: &[u8]) -> bool {
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        let is_zero = raw[at..].starts_with(b"\\0");
        match byte {
            b'\n' | b'\r' => return false,
            b'"' | b'\'' if *byte == quote.byte() => return false,
            b'\\' if is_zero && raw.get(at + 2).is_some_and(u8::is_ascii_digit) => return false,
            b'\\' if raw[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\\' if at + 1 == raw.len() => return false,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    std::str::from_utf8(raw).is_ok()
}
