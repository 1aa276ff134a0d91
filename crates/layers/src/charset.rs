//! Charsets: decoding and encoding character by character, with the length of each in bytes.
//!
//! Invariant: ASCII bytes that are not part of a longer character are ASCII characters in every
//! charset for which [`Charset::is_supported`] returns true. A document in a charset that [reads as
//! a whole](Charset::reads_as_whole) is decoded first, and lifted as one text. Labels are those of
//! the Encoding standard, section 4.2.

mod iso2022_jp;
pub(crate) mod iso2022_jp_lift;
mod query;
mod utf16_32;

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    DecoderResult, EUC_JP, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

use self::utf16_32::Wide;
use crate::Span;
use crate::map::{Builder, Decoded, Map};

/// A character encoding of documents.
///
/// # Examples
///
/// ```
/// use relink_layers::{Charset, Span};
///
/// let latin = Charset::for_label(b"latin1").unwrap();
/// let decoded = latin.decode(b"caf\xE9!");
/// assert_eq!((latin.name(), &*decoded.text), ("windows-1252", "café!"));
/// assert_eq!(decoded.map.widen(Span::new(3, 5)).raw, Span::new(3, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Charset(pub(crate) CharsetKind);

/// The way in which the bytes of a charset are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharsetKind {
    /// Every byte is the character of the same number, as the reference engine is fed.
    Widened,
    Named(&'static Encoding),
    Wide(Wide),
    Iso2022Jp,
}

impl CharsetKind {
    fn from_encoding(encoding: &'static Encoding) -> CharsetKind {
        match encoding {
            _ if encoding == UTF_16LE => CharsetKind::Wide(Wide::Utf16Le),
            _ if encoding == UTF_16BE => CharsetKind::Wide(Wide::Utf16Be),
            _ if encoding == ISO_2022_JP => CharsetKind::Iso2022Jp,
            _ => CharsetKind::Named(encoding),
        }
    }
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Charset = Charset(CharsetKind::Named(UTF_8));
    /// windows-1252, which the label `iso-8859-1` names on the web.
    pub const WINDOWS_1252: Charset = Charset(CharsetKind::Named(WINDOWS_1252));
    pub(crate) const EUC_JP: Charset = Charset(CharsetKind::Named(EUC_JP));
    /// An artificial charset in which byte 0xNN is U+00NN, to compare bytes with an engine that was
    /// fed in this way.
    pub const WIDENED: Charset = Charset(CharsetKind::Widened);

    /// Returns the charset that a label names (`utf-8`, `latin1`, `Shift_JIS` …), ignoring white
    /// space around it, or `None` (Encoding standard 4.2).
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// assert_eq!(Charset::for_label(b" Latin1 "), Some(Charset::WINDOWS_1252));
    /// assert_eq!(Charset::for_label(b"klingon"), None);
    /// ```
    pub fn for_label(label: &[u8]) -> Option<Charset> {
        Encoding::for_label(label).map(|encoding| Charset(CharsetKind::from_encoding(encoding)))
    }

    /// Returns the charset that a label names in mail, which may be in UTF-32, unlike pages; any
    /// other label is read as by [`Charset::for_label`]. Without a mark `utf-32` is big-endian
    /// (Unicode, section 3.10, D101).
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// assert_eq!(Charset::for_mail_label(b"UTF-32LE").map(Charset::name), Some("UTF-32LE"));
    /// assert_eq!(Charset::for_mail_label(b"us-ascii"), Some(Charset::WINDOWS_1252));
    /// ```
    pub fn for_mail_label(label: &[u8]) -> Option<Charset> {
        let kind = match &*label.trim_ascii().to_ascii_lowercase() {
            b"utf-32" | b"utf-32be" => CharsetKind::Wide(Wide::Utf32Be),
            b"utf-32le" => CharsetKind::Wide(Wide::Utf32Le),
            _ => return Charset::for_label(label),
        };
        Some(Charset(kind))
    }

    /// Returns the charset of the byte order mark at the start of `bytes`, and the mark's length in
    /// bytes.
    pub fn for_bom(bytes: &[u8]) -> Option<(Charset, usize)> {
        Encoding::for_bom(bytes)
            .map(|(encoding, len)| (Charset(CharsetKind::from_encoding(encoding)), len))
    }

    /// Returns the same in mail, which may be in UTF-32: a mark that a browser reads as UTF-16LE
    /// and a NUL is that of UTF-32LE (Unicode, section 23.8).
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// let name = |(charset, length): (Charset, usize)| (charset.name(), length);
    /// assert_eq!(Charset::for_mail_bom(b"\xFF\xFE\0\0").map(name), Some(("UTF-32LE", 4)));
    /// assert_eq!(Charset::for_bom(b"\xFF\xFE\0\0").map(name), Some(("UTF-16LE", 2)));
    /// ```
    pub fn for_mail_bom(bytes: &[u8]) -> Option<(Charset, usize)> {
        match bytes {
            [0xFF, 0xFE, 0, 0, ..] => Some((Charset(CharsetKind::Wide(Wide::Utf32Le)), 4)),
            [0, 0, 0xFE, 0xFF, ..] => Some((Charset(CharsetKind::Wide(Wide::Utf32Be)), 4)),
            _ => Charset::for_bom(bytes),
        }
    }

    /// Detects the charset of undeclared bytes: UTF-8 if they are valid UTF-8, else the guess of a
    /// browser from some pieces of them. The pieces must be such as no edit changes, or the output
    /// could be verified in another charset than the input was read in.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// let detect = |bytes| Charset::detect(bytes, [bytes].into_iter());
    /// assert_eq!(detect("é".as_bytes()), Charset::UTF_8);
    /// assert_eq!(detect(b"caf\xE9"), Charset::WINDOWS_1252);
    /// assert!(!detect(b"\x1B$B$3\x1B(B").is_supported());
    /// ```
    pub fn detect<'b>(bytes: &[u8], pieces: impl Iterator<Item = &'b [u8]>) -> Charset {
        // ISO-2022-JP is ASCII with escapes.
        let is_escaped = memchr::memchr(0x1B, bytes).is_some();
        // Most documents are ASCII, which is checked faster.
        let is_utf8 = bytes.is_ascii() || std::str::from_utf8(bytes).is_ok();
        if is_utf8 && !is_escaped {
            return Charset::UTF_8;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        for piece in pieces {
            detector.feed(piece, false);
        }
        detector.feed(b"", true);
        match detector.guess(None, Utf8Detection::Allow) {
            guess if guess == UTF_8 && !is_utf8 => Charset::WINDOWS_1252,
            guess => Charset(CharsetKind::from_encoding(guess)),
        }
    }

    /// Returns the charset's name in the Encoding standard.
    pub fn name(self) -> &'static str {
        match self.0 {
            CharsetKind::Widened => "widened",
            CharsetKind::Named(encoding) => encoding.name(),
            CharsetKind::Wide(wide) => wide.name(),
            CharsetKind::Iso2022Jp => "ISO-2022-JP",
        }
    }

    /// Returns true if documents in this charset can be read byte by byte: false for UTF-16 and for
    /// ISO-2022-JP, whose bytes below 0x80 may be halves of other characters. Those may be [read as
    /// a whole](Charset::reads_as_whole); charsets that are neither are skipped.
    pub fn is_supported(self) -> bool {
        match self.0 {
            CharsetKind::Widened => true,
            CharsetKind::Named(encoding) => encoding.is_ascii_compatible(),
            CharsetKind::Wide(_) | CharsetKind::Iso2022Jp => false,
        }
    }

    /// Returns true if documents in this charset are read as a whole: decoded to a text, which is
    /// walked as UTF-8, and whose edits are lifted by [`Layer::Text`](crate::Layer::Text). No other
    /// layer lifts anything in these charsets.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// let utf_16 = Charset::for_label(b"utf-16be").ok_or("no label")?;
    /// assert!(utf_16.reads_as_whole() && !utf_16.is_supported());
    /// assert_eq!(utf_16.decode(b"\0a\xD8\0").text, "a%D8%00");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn reads_as_whole(self) -> bool {
        match self.0 {
            CharsetKind::Widened | CharsetKind::Named(_) => false,
            CharsetKind::Wide(_) | CharsetKind::Iso2022Jp => true,
        }
    }

    /// Returns the raw bytes that an edit of `span` may replace, in the text to which `raw` decodes
    /// with `map`. In ISO-2022-JP they include the escapes around the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Charset, Span};
    /// let charset = Charset::for_label(b"iso-2022-jp").unwrap();
    /// let raw = b"<\x1B$BF|\x1B(B>";
    /// let decoded = charset.decode(raw);
    /// assert_eq!(decoded.text, "<日>");
    /// assert_eq!(charset.reach(raw, &decoded.map, Span::new(1, 4)), Span::new(1, 9));
    /// ```
    pub fn reach(self, raw: &[u8], map: &Map, span: Span) -> Span {
        match self.0 {
            CharsetKind::Iso2022Jp => iso2022_jp_lift::reach(raw, map, span),
            _ => map.widen(span).raw,
        }
    }

    /// Reads one character from the start of `bytes`, which must not be empty, and appends it to
    /// `text`. Returns its length in bytes, or as error the number of invalid bytes. The decoders
    /// of the Encoding standard read an unmapped pair as one error.
    pub(crate) fn first(self, bytes: &[u8], text: &mut String) -> Result<usize, usize> {
        let CharsetKind::Named(encoding) = self.0 else {
            // This is [`CharsetKind::Widened`]; the others have decoders of their own.
            text.push(char::from(bytes[0]));
            return Ok(1);
        };
        let bytes = &bytes[..bytes.len().min(4)];
        for len in 1..=bytes.len() {
            if let Some(decoded) =
                encoding.decode_without_bom_handling_and_without_replacement(&bytes[..len])
            {
                text.push_str(&decoded);
                return Ok(len);
            }
        }
        let mut buffer = [0; 16];
        let mut decoder = encoding.new_decoder_without_bom_handling();
        match decoder.decode_to_utf8_without_replacement(bytes, &mut buffer, false) {
            (DecoderResult::Malformed(len, _), _, 0) if encoding != UTF_8 => Err(usize::from(len)),
            _ => Err(1),
        }
    }

    /// Appends the bytes of `text` in this charset to `out`, or returns the first character that it
    /// does not have.
    pub(crate) fn encode(self, text: &str, out: &mut Vec<u8>) -> Result<(), char> {
        if let CharsetKind::Wide(wide) = self.0 {
            wide.encode(text, out);
            return Ok(());
        }
        for char in text.chars() {
            if char.is_ascii() {
                out.push(char as u8);
                continue;
            }
            let mut utf8 = [0; 4];
            let utf8 = &*char.encode_utf8(&mut utf8);
            match self.0 {
                CharsetKind::Widened => out.push(u8::try_from(u32::from(char)).map_err(|_| char)?),
                // Text in ISO-2022-JP is written where the state is known.
                CharsetKind::Wide(_) | CharsetKind::Iso2022Jp => return Err(char),
                CharsetKind::Named(encoding) => {
                    let (bytes, _, unmappable) = encoding.encode(utf8);
                    // Shift_JIS writes the yen sign as a backslash, which is not read as a yen
                    // sign: only characters that are decoded again count.
                    let mut back = String::new();
                    if unmappable || self.first(&bytes, &mut back).is_err() || back != *utf8 {
                        return Err(char);
                    }
                    out.extend_from_slice(&bytes);
                }
            }
        }
        Ok(())
    }

    /// Appends the decoded `raw[span]` to `builder`. Invalid bytes are shown as percent-escapes,
    /// and are a unit of their own.
    pub(crate) fn decode_onto(self, raw: &[u8], span: Span, builder: &mut Builder) {
        match self.0 {
            CharsetKind::Wide(wide) => return wide.decode_onto(raw, span, builder),
            CharsetKind::Iso2022Jp => return iso2022_jp::decode_onto(raw, span, builder),
            _ => {}
        }
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
                    let (span, mut chars) = (Span::new(at, at + len), char.chars());
                    match (chars.next(), chars.next()) {
                        (Some(char), None) => builder.character(span, char),
                        _ => builder.unit(span, &char),
                    }
                    at += len;
                }
                Err(len) => {
                    let span = Span::new(at, at + len);
                    if self == Charset::UTF_8 {
                        builder.invalid_utf8(raw, span)
                    } else {
                        builder.invalid_bytes(raw, span)
                    }
                    at += len;
                }
            }
        }
    }

    /// Returns `raw` as text if it needs no decoding.
    pub(crate) fn as_text(self, raw: &[u8]) -> Option<&str> {
        let is_text = match self.0 {
            CharsetKind::Wide(_) => raw.is_empty(),
            CharsetKind::Iso2022Jp => !raw.iter().any(|byte| iso2022_jp::is_special(*byte)),
            _ => self == Charset::UTF_8 || raw.is_ascii(),
        };
        if is_text { std::str::from_utf8(raw).ok() } else { None }
    }

    /// Decodes all of `raw`; borrows it if the bytes are UTF-8 already. A byte order mark is
    /// decoded as a character, so the caller should remove it first. Invalid bytes are shown as
    /// percent-escapes.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
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
