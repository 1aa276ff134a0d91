//! Charsets, as far as a reference needs them: one character at a time, with its length in bytes.
//!
//! Invariant: ASCII bytes that are not part of a longer character stand for themselves in every charset that is [`Charset::is_supported`].
//! Labels are those of the Encoding standard, section 4.2.

use std::fmt;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::Span;
use crate::map::{Builder, Decoded};

/// How the bytes of a document stand for characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Charset(Kind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Every byte is the character of the same number, as the reference engine is fed.
    Widened,
    Named(&'static Encoding),
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Charset = Charset(Kind::Named(UTF_8));
    /// windows-1252, which is what `iso-8859-1` means on the web.
    pub const WINDOWS_1252: Charset = Charset(Kind::Named(WINDOWS_1252));
    /// No charset of the world: byte N stands for U+00NN. It serves to compare bytes with an engine that was fed so.
    pub const WIDENED: Charset = Charset(Kind::Widened);

    /// The charset that a label names (`utf-8`, `latin1`, `Shift_JIS` …), white space around it dropped, or `None`.
    ///
    /// ```
    /// use layers::Charset;
    /// assert_eq!(Charset::for_label(b" Latin1 "), Some(Charset::WINDOWS_1252));
    /// assert_eq!(Charset::for_label(b"klingon"), None);
    /// ```
    pub fn for_label(label: &[u8]) -> Option<Charset> {
        Encoding::for_label(label).map(|encoding| Charset(Kind::Named(encoding)))
    }

    /// The charset that a byte order mark at the start of `bytes` tells, and the mark's length.
    pub fn for_bom(bytes: &[u8]) -> Option<(Charset, usize)> {
        Encoding::for_bom(bytes).map(|(encoding, len)| (Charset(Kind::Named(encoding)), len))
    }

    /// The charset's name in the Encoding standard.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Widened => "widened",
            Kind::Named(encoding) => encoding.name(),
        }
    }

    /// Whether documents in this charset can be read byte by byte: false for UTF-16 and for ISO-2022-JP, whose bytes below 0x80 may
    /// be halves of other characters.
    pub fn is_supported(self) -> bool {
        match self.0 {
            Kind::Widened => true,
            Kind::Named(encoding) => encoding.is_ascii_compatible(),
        }
    }

    /// Whether a byte below 0x80 is always the ASCII character: true for UTF-8 and all single-byte charsets, false for those whose
    /// second bytes may be `\`, `@` or `|` (Shift_JIS, GBK, Big5 …).
    pub fn is_ascii_safe(self) -> bool {
        match self.0 {
            Kind::Widened => true,
            Kind::Named(encoding) => {
                encoding == UTF_8
                    || encoding.is_single_byte()
                    || matches!(encoding.name(), "EUC-JP" | "EUC-KR")
            }
        }
    }

    /// Reads one character from the front of `bytes`, which must not be empty: its length in bytes, and whether it is one.
    fn first(self, bytes: &[u8], text: &mut String) -> Result<usize, InvalidByte> {
        match self.0 {
            Kind::Widened => {
                text.push(char::from(bytes[0]));
                Ok(1)
            }
            Kind::Named(encoding) => {
                for len in 1..=bytes.len().min(4) {
                    let char = &bytes[..len];
                    if let Some(decoded) =
                        encoding.decode_without_bom_handling_and_without_replacement(char)
                    {
                        text.push_str(&decoded);
                        return Ok(len);
                    }
                }
                Err(InvalidByte(bytes[0]))
            }
        }
    }

    /// The bytes of `text` in this charset, or the first character that it does not have.
    pub(crate) fn encode(self, text: &str, out: &mut Vec<u8>) -> Result<(), char> {
        for char in text.chars() {
            if char.is_ascii() {
                out.push(char as u8);
                continue;
            }
            let mut utf8 = [0; 4];
            let utf8 = &*char.encode_utf8(&mut utf8);
            match self.0 {
                Kind::Widened => out.push(u8::try_from(u32::from(char)).map_err(|_| char)?),
                Kind::Named(encoding) => {
                    let (bytes, _, unmappable) = encoding.encode(utf8);
                    if unmappable || encoding.output_encoding() != encoding {
                        return Err(char);
                    }
                    out.extend_from_slice(&bytes);
                }
            }
        }
        Ok(())
    }

    /// Decodes `raw[span]` onto `builder`. A byte that is no character is shown as its percent-escape, and is a unit of its own.
    pub(crate) fn decode_onto(self, raw: &[u8], span: Span, builder: &mut Builder) {
        let mut at = span.start;
        while at < span.end {
            let rest = &raw[at..span.end];
            let plain =
                if self == Charset::UTF_8 { valid_prefix(rest) } else { ascii_prefix(rest) };
            builder.plain(plain);
            at += plain.len();
            if at == span.end {
                break;
            }
            let mut char = String::new();
            match self.first(&raw[at..span.end], &mut char) {
                Ok(len) => {
                    builder.unit(Span::new(at, at + len), &char);
                    at += len;
                }
                Err(InvalidByte(byte)) => {
                    builder.unit(Span::new(at, at + 1), &format!("%{byte:02X}"));
                    at += 1;
                }
            }
        }
    }

    /// Whether `raw` can be taken as text without decoding.
    pub(crate) fn as_text(self, raw: &[u8]) -> Option<&str> {
        if self == Charset::UTF_8 || raw.is_ascii() { std::str::from_utf8(raw).ok() } else { None }
    }

    /// Decodes all of `raw`; borrows where the bytes are UTF-8 already.
    ///
    /// ```
    /// use layers::Charset;
    /// let decoded = Charset::WINDOWS_1252.decode(b"caf\xE9.html");
    /// assert_eq!(decoded.text, "café.html");
    /// assert_eq!(Charset::UTF_8.decode(b"caf\xE9.html").text, "caf%E9.html");
    /// ```
    pub fn decode(self, raw: &[u8]) -> Decoded<'_> {
        if let Some(text) = self.as_text(raw) {
            return Decoded::plain(text);
        }
        let mut builder = Builder::with_capacity(raw.len() + raw.len() / 8);
        self.decode_onto(raw, Span::new(0, raw.len()), &mut builder);
        builder.finish()
    }
}

/// A byte that begins no character.
struct InvalidByte(u8);

fn valid_prefix(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn ascii_prefix(bytes: &[u8]) -> &str {
    let len = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..len]).unwrap_or_default()
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charset({})", self.name())
    }
}
