//! Raw texts and charsets for property tests, with many escapes.

mod legal;
mod text;

use layers::{Charset, CssForm, JsQuote, Layer, Quote, XmlPlace};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) use legal::{LABELS, LAYERS, WHOLE_LABELS, is_legal, read};
use legal::{is_end_of_unquoted, is_legal_js};

/// Words of ISO-2022-JP.
#[rustfmt::skip]
const ISO_2022_WORDS: &[&[u8]] = &[
    b"a", b"b/", b"F|K\\", b"0!", b"!!", b"1", b"~", b"\\", b"\n", b"\r\n", b"\r", b" ", b"\x7F", b"\xFF", b"\xB1", b"$", b"(", b")", b"B", b"C", b"D", b"A",
];

/// Its escapes, and texts that look like one.
const ISO_2022_ESCAPES: &[&[u8]] = &[
    b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B$B", b"\x1B$B", b"\x1B$(D", b"\x1B",
    b"\x1B$", b"\x1B$(", b"\x0E",
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

/// Generates any charset; layers inside a text that has been decoded, such as style sheets, have
/// UTF-8.
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

/// Generates a layer, a charset and raw bytes that are legal there: each layer with the charsets
/// that are read byte by byte, and texts in the others.
pub(crate) fn any() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    prop_oneof![3 => bytewise(), 1 => whole()]
}

/// Generates the same in charsets that are read byte by byte.
pub(crate) fn bytewise() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    layer().prop_flat_map(|layer| (Just(layer), charset(layer), raw(layer)))
}

/// Generates texts in charsets that are read as a whole, with some invalid bytes.
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

/// Generates a word of a charset, or invalid bytes.
fn word(label: &'static str) -> BoxedStrategy<Vec<u8>> {
    if label == "iso-2022-jp" {
        let words = prop_oneof![select(ISO_2022_WORDS), select(ISO_2022_ESCAPES)];
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

/// Generates raw bytes that are legal in `layer`.
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
            Layer::Markdown(form) => text::legalized(form, words.concat()).into_bytes(),
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
