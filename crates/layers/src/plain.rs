//! Bytes that stand for themselves: most references are printable ASCII without an escape, and need no decoding and no map.

use crate::lift::{Layer, Quote};
use crate::map::Decoded;

/// Not printable ASCII, or the beginning of a character reference.
const ESCAPED: u8 = 1;
/// The double quote.
const DOUBLE: u8 = 2;
/// The single quote.
const SINGLE: u8 = 4;
/// What an unquoted value cannot hold (HTML standard 13.2.5.38).
const SPECIAL: u8 = 8;
/// The backslash, which begins an escape in strings of ECMAScript and of JSON.
const BACKSLASH: u8 = 16;
/// What is written otherwise, or may be, in strings of ECMAScript.
const IN_STRING: u8 = ESCAPED | DOUBLE | SINGLE | BACKSLASH;

static CLASSES: [u8; 256] = {
    let mut classes = [ESCAPED; 256];
    let mut byte = 0x21;
    while byte < 0x7F {
        classes[byte] = 0;
        byte += 1;
    }
    classes[b'&' as usize] = ESCAPED;
    classes[b'"' as usize] = DOUBLE | SPECIAL;
    classes[b'\'' as usize] = SINGLE | SPECIAL;
    classes[b'<' as usize] = SPECIAL;
    classes[b'\\' as usize] = BACKSLASH;
    classes[b'>' as usize] = SPECIAL;
    classes[b'`' as usize] = SPECIAL;
    classes
};

/// Whether no byte is of one of these classes. Without an early end the loop is short.
fn has_none(bytes: &[u8], classes: u8) -> bool {
    bytes.iter().fold(0, |found, byte| found | CLASSES[usize::from(*byte)]) & classes == 0
}

impl Layer {
    /// The text of raw bytes that stand for themselves here in every charset that is read byte by byte: printable ASCII, and some.
    ///
    /// ```
    /// use layers::{Layer, Quote};
    /// assert_eq!(Layer::Attribute(Quote::Double).plain(b"a.html"), Some("a.html"));
    /// assert_eq!(Layer::Attribute(Quote::Double).plain(b"a b&amp;c"), None);
    /// ```
    pub fn plain(self, raw: &[u8]) -> Option<&str> {
        let is_plain = match self {
            Layer::Text | Layer::Attribute(_) => !raw.is_empty() && has_none(raw, ESCAPED),
            // A bare one is no reference, and a blank is no white space of another kind.
            Layer::Xml(..) => !raw.is_empty() && has_none(raw, ESCAPED),
            Layer::JsString(_) => !raw.is_empty() && has_none(raw, IN_STRING),
            Layer::Json => !raw.is_empty() && has_none(raw, ESCAPED | BACKSLASH),
            _ => false,
        };
        if is_plain { std::str::from_utf8(raw).ok() } else { None }
    }

    /// Whether raw bytes stand for themselves here, and hold no beginning of an escape that an edit could complete; asked in charsets that
    /// are read byte by byte.
    pub fn is_identity(self, raw: &[u8], decoded: &Decoded<'_>) -> bool {
        decoded.map.is_identity()
            && match self {
                Layer::Text => true,
                Layer::Attribute(_) | Layer::Xml(..) => memchr::memchr(b'&', raw).is_none(),
                Layer::CData => true,
                Layer::JsString(_) => has_none(raw, IN_STRING),
                Layer::Json => memchr::memchr(b'\\', raw).is_none(),
                _ => false,
            }
    }

    /// Whether a text that is put into or in front of bytes that [stand for themselves](Layer::is_identity) is written as it is.
    pub fn is_written_plain(self, text: &[u8]) -> bool {
        match self {
            Layer::Text => has_none(text, ESCAPED),
            Layer::Attribute(Quote::Double) => has_none(text, ESCAPED | DOUBLE),
            Layer::Json => has_none(text, ESCAPED | DOUBLE | BACKSLASH),
            Layer::Attribute(Quote::Single) => has_none(text, ESCAPED | SINGLE),
            Layer::JsString(_) => has_none(text, IN_STRING),
            // Angle brackets are special too.
            Layer::Xml(..) => has_none(text, ESCAPED | SPECIAL),
            // Where a text is taken away, what follows it may come to stand in front.
            Layer::Attribute(Quote::None) => !text.is_empty() && has_none(text, ESCAPED | SPECIAL),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charset, Edit, Guards, JsQuote, Span};

    /// Plain bytes are what decoding gives, and what is written plain is what lifting gives.
    #[test]
    fn plain_is_what_the_long_way_gives() {
        let every = if cfg!(miri) { 29 } else { 1 };
        let bytes = (0..0x80_u8).step_by(every);
        let texts: Vec<String> = bytes.map(|byte| format!("a{}b", char::from(byte))).collect();
        let attributes = [Quote::Double, Quote::Single, Quote::None].map(Layer::Attribute);
        let strings = [JsQuote::Double, JsQuote::Single].map(Layer::JsString);
        for layer in attributes.into_iter().chain(strings).chain([Layer::Json]) {
            for raw in texts.iter().map(String::as_bytes) {
                let decoded = layer.decode(raw, Charset::WINDOWS_1252);
                if let Some(plain) = layer.plain(raw) {
                    assert_eq!((plain, layer.is_identity(raw, &decoded)), (&*decoded.text, true));
                }
                if !layer.is_identity(raw, &decoded) {
                    continue;
                }
                for text in texts.iter().map(String::as_bytes).chain([&b""[..]]) {
                    for span in [Span::new(0, 0), Span::new(0, 1), Span::new(0, 2), Span::new(1, 2)]
                    {
                        if span.of(raw) == text || !layer.is_written_plain(text) {
                            continue;
                        }
                        let edit = Edit { span, text: text.into(), id: 0 };
                        let edits = std::slice::from_ref(&edit);
                        let lifted = layer.lift(
                            raw,
                            Charset::WINDOWS_1252,
                            &decoded,
                            edits,
                            Guards::default(),
                        );
                        assert_eq!(lifted.edits, edits, "{layer:?}");
                    }
                }
            }
        }
        assert_eq!(Layer::Attribute(Quote::Missing).plain(b""), None);
    }
}
