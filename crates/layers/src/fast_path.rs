//! The fast path for plain bytes: most references are printable ASCII without an escape, and need
//! no decoding and no map.

use wide::u8x16;

use crate::lift::{Layer, Quote};
use crate::map::Decoded;

/// The class of the double quote.
const DOUBLE: u8 = 1;
/// The class of the single quote.
const SINGLE: u8 = 2;
/// The class of bytes that an unquoted value cannot contain (HTML standard 13.2.5.38).
const SPECIAL: u8 = 4;
/// The class of the backslash, which begins an escape in strings of ECMAScript and of JSON.
const BACKSLASH: u8 = 8;
/// The classes of bytes that are escaped, or may be, in strings of ECMAScript.
const IN_STRING: u8 = DOUBLE | SINGLE | BACKSLASH;

/// Returns true if all bytes are printable ASCII, none begins a character reference, and none is of
/// one of these classes.
fn is_plain_without<const CLASSES: u8>(bytes: &[u8]) -> bool {
    let (chunks, rest) = bytes.as_chunks::<16>();
    let found = chunks.iter().fold(u8x16::splat(0), |all, chunk| all | found::<CLASSES>(*chunk));
    let found = match bytes.last_chunk() {
        // The last sixteen bytes overlap those before them.
        Some(last) if !rest.is_empty() => found | self::found::<CLASSES>(*last),
        Some(_) => found,
        None => {
            let mut padded = [b'a'; 16];
            padded[..rest.len()].copy_from_slice(rest);
            self::found::<CLASSES>(padded)
        }
    };
    found.to_bitmask() == 0
}

/// Returns a mark for each byte that is not plain.
#[inline]
fn found<const CLASSES: u8>(chunk: [u8; 16]) -> u8x16 {
    let (bytes, is) = (u8x16::new(chunk), |byte| u8x16::new(chunk).simd_eq(u8x16::splat(byte)));
    let (first, last) = (u8x16::splat(b'!'), u8x16::splat(b'~'));
    let is_printable = bytes.max(first).simd_eq(bytes) & bytes.min(last).simd_eq(bytes);
    let mut found = !is_printable | is(b'&');
    if CLASSES & (DOUBLE | SPECIAL) != 0 {
        found |= is(b'"');
    }
    if CLASSES & (SINGLE | SPECIAL) != 0 {
        found |= is(b'\'');
    }
    if CLASSES & SPECIAL != 0 {
        found |= is(b'<') | is(b'>') | is(b'`');
    }
    if CLASSES & BACKSLASH != 0 {
        found |= is(b'\\');
    }
    found
}

impl Layer {
    /// Returns the text of raw bytes that are read unchanged in this layer, in every charset that
    /// is read byte by byte: non-empty printable ASCII without escapes.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Layer, Quote};
    /// assert_eq!(Layer::Attribute(Quote::Double).plain(b"a.html"), Some("a.html"));
    /// assert_eq!(Layer::Attribute(Quote::Double).plain(b"a b&amp;c"), None);
    /// ```
    pub fn plain(self, raw: &[u8]) -> Option<&str> {
        let is_plain = match self {
            Layer::Text | Layer::Attribute(_) => !raw.is_empty() && is_plain_without::<0>(raw),
            // Without `&` there is no reference, and without white space nothing is normalized.
            Layer::Xml(..) => !raw.is_empty() && is_plain_without::<0>(raw),
            Layer::JsString(_) => !raw.is_empty() && is_plain_without::<IN_STRING>(raw),
            Layer::Json => !raw.is_empty() && is_plain_without::<BACKSLASH>(raw),
            _ => false,
        };
        if is_plain { std::str::from_utf8(raw).ok() } else { None }
    }

    /// Returns true if raw bytes are read unchanged in this layer, and contain no beginning of an
    /// escape that an edit could complete. The charset must be one that is read byte by byte.
    pub fn is_identity(self, raw: &[u8], decoded: &Decoded<'_>) -> bool {
        decoded.map.is_identity()
            && match self {
                Layer::Text => true,
                Layer::Attribute(_) | Layer::Xml(..) => memchr::memchr(b'&', raw).is_none(),
                Layer::CData => true,
                Layer::JsString(_) => is_plain_without::<IN_STRING>(raw),
                Layer::Json => memchr::memchr(b'\\', raw).is_none(),
                _ => false,
            }
    }

    /// Returns true if a text that is inserted into or before bytes that [are read
    /// unchanged](Layer::is_identity) is written unchanged.
    pub fn is_written_plain(self, text: &[u8]) -> bool {
        match self {
            Layer::Text => is_plain_without::<0>(text),
            Layer::Attribute(Quote::Double) => is_plain_without::<DOUBLE>(text),
            Layer::Json => is_plain_without::<{ DOUBLE | BACKSLASH }>(text),
            Layer::Attribute(Quote::Single) => is_plain_without::<SINGLE>(text),
            Layer::JsString(_) => is_plain_without::<IN_STRING>(text),
            // Angle brackets are special too.
            Layer::Xml(..) => is_plain_without::<SPECIAL>(text),
            // After a deletion the byte after it may become the first of the value.
            Layer::Attribute(Quote::None) => !text.is_empty() && is_plain_without::<SPECIAL>(text),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charset, Edit, Guards, JsQuote, Span};

    #[test]
    fn each_byte_is_found_wherever_it_is() {
        fn check<const CLASSES: u8>(special: &[u8]) {
            for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
                let is_plain = (b'!'..=b'~').contains(&byte) && byte != b'&';
                let expected = is_plain && !special.contains(&byte);
                for len in 1..40 {
                    for at in 0..len {
                        let mut bytes = vec![b'a'; len];
                        bytes[at] = byte;
                        assert_eq!(is_plain_without::<CLASSES>(&bytes), expected, "{bytes:?}");
                    }
                }
            }
            assert!(is_plain_without::<CLASSES>(b""));
        }
        check::<0>(b"");
        check::<DOUBLE>(b"\"");
        check::<SINGLE>(b"'");
        check::<SPECIAL>(b"\"'<>`");
        check::<IN_STRING>(b"\"'\\");
    }

    /// Plain bytes are the result of decoding, and plain text is the result of lifting.
    #[test]
    fn the_fast_path_agrees_with_decoding_and_lifting() {
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
                        if span.slice(raw) == text || !layer.is_written_plain(text) {
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
