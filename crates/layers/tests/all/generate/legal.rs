//! Layers and charsets, and the raw texts that the specifications allow in each layer.

use layers::{Charset, CssForm, JsQuote, Layer, MarkdownForm, Quote, XmlNames, XmlPlace};

/// The layers whose raw text can be non-empty.
pub(crate) const LAYERS: [Layer; 21] = [
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
    Layer::FieldCode,
];

/// Charsets that are read byte by byte.
pub(crate) const LABELS: [&str; 9] =
    ["utf-8", "windows-1252", "koi8-r", "shift_jis", "gbk", "gb18030", "big5", "euc-jp", "euc-kr"];

/// Charsets that are read as a whole.
pub(crate) const WHOLE_LABELS: [&str; 5] =
    ["utf-16le", "utf-16be", "utf-32le", "utf-32be", "iso-2022-jp"];

/// Returns true for white space and `>`, which end an unquoted value (HTML standard 13.2.5.38).
pub(super) fn is_end_of_unquoted(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'>')
}

/// Returns the text of `raw` in `layer`, if it is legal there. A value without quotes is empty only
/// as `""`.
pub(crate) fn read(layer: Layer, charset: Charset, raw: &[u8]) -> Option<String> {
    if layer == Layer::Attribute(Quote::None) && matches!(raw, b"\"\"" | b"''") {
        return Some(String::new());
    }
    is_legal(layer, raw).then(|| layer.decode(raw, charset).text.into_owned())
}

/// Returns true if the whole of `raw` is a legal text of `layer`.
pub(crate) fn is_legal(layer: Layer, raw: &[u8]) -> bool {
    match layer {
        Layer::Text | Layer::Field(_) | Layer::Wrapped | Layer::Flowed { .. } => true,
        Layer::Markdown(form) => super::text::is_destination(form, raw),
        Layer::Attribute(Quote::Double) => !raw.contains(&b'"'),
        Layer::Attribute(Quote::Single) => !raw.contains(&b'\''),
        // HTML standard 13.2.5.37: a quote in front is a delimiter; without a byte the next
        // attribute is the value.
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
        Layer::FieldCode => is_legal_argument(raw),
    }
}

/// Returns true if no quote ends an argument, and no backslash escapes the one after it.
fn is_legal_argument(raw: &[u8]) -> bool {
    let mut is_escaped = false;
    let is_end = raw.iter().any(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    !is_end && !is_escaped
}

/// Returns true if an `&` begins no reference.
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

/// Returns true for legal texts of CSS (CSS Syntax 4.3.5 and 4.3.6).
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

/// Returns true for legal strings of JSON (RFC 8259, section 7).
pub(super) fn is_legal_json(raw: &[u8]) -> bool {
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

/// Returns the length of an escape (CSS Syntax 4.3.7); CR LF is one white space character (3.3).
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

/// Returns true for legal strings of ECMAScript (ECMA-262 12.9.4).
pub(super) fn is_legal_js(quote: JsQuote, raw: &[u8]) -> bool {
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
