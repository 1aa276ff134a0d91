//! UTF-16 and UTF-32: charsets whose characters are numbers of two or four bytes.
//!
//! Invariant: every border is at a multiple of the number's length from the start; only remaining
//! bytes at the end are shorter, and they are invalid. Half of a surrogate pair is invalid too
//! (Unicode, sections 3.8 and 3.10; Encoding standard, section 14).

use crate::Span;
use crate::map::Builder;
use crate::units::Step;

/// An encoding form with its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl Wide {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Wide::Utf16Le => "UTF-16LE",
            Wide::Utf16Be => "UTF-16BE",
            Wide::Utf32Le => "UTF-32LE",
            Wide::Utf32Be => "UTF-32BE",
        }
    }

    /// Returns the length of a number in bytes.
    fn width(self) -> usize {
        match self {
            Wide::Utf16Le | Wide::Utf16Be => 2,
            Wide::Utf32Le | Wide::Utf32Be => 4,
        }
    }

    fn is_big(self) -> bool {
        matches!(self, Wide::Utf16Be | Wide::Utf32Be)
    }

    /// Returns the number in the bytes, which are as many as it takes.
    fn number(self, bytes: &[u8]) -> u32 {
        let add = |number, byte: &u8| number << 8 | u32::from(*byte);
        if self.is_big() { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    /// Returns the character at the start of `bytes`, which are not empty, with its length in
    /// bytes; or as error the number of invalid bytes.
    fn first(self, bytes: &[u8]) -> Result<(char, usize), usize> {
        let width = self.width();
        let Some(front) = bytes.get(..width) else { return Err(bytes.len()) };
        let number = self.number(front);
        if let Some(char) = char::from_u32(number) {
            return Ok((char, width));
        }
        if width == 4 || number >= 0xDC00 {
            return Err(width);
        }
        match bytes.get(2..4) {
            // A single byte after half a pair is one error together with it.
            None => Err(bytes.len()),
            Some(next) => match self.number(next) {
                low @ 0xDC00..=0xDFFF => {
                    let number = 0x1_0000 + ((number - 0xD800) << 10) + (low - 0xDC00);
                    char::from_u32(number).map(|char| (char, 4)).ok_or(4)
                }
                _ => Err(2),
            },
        }
    }

    /// Appends the decoded `raw[span]` to `builder`.
    pub(crate) fn decode_onto(self, raw: &[u8], span: Span, builder: &mut Builder) {
        let width = self.width();
        let ascii = Step { decoded: 1, raw: if width == 2 { 2 } else { 4 } };
        let mut at = span.start;
        while at < span.end {
            let rest = &raw[at..span.end];
            let numbers = rest.chunks_exact(width).map(|bytes| self.number(bytes));
            let is_ascii = |number: &u32| *number < 0x80;
            let n_ascii = numbers.clone().take_while(is_ascii).count();
            let end = at + n_ascii * width;
            let chars = numbers.take(n_ascii).filter_map(char::from_u32);
            builder.run(Span::new(at, end), chars, ascii);
            at = end;
            if at == span.end {
                break;
            }
            at = match self.first(&raw[at..span.end]) {
                Ok((char, len)) => {
                    builder.character(Span::new(at, at + len), char);
                    at + len
                }
                Err(len) => {
                    builder.invalid_bytes(raw, Span::new(at, at + len));
                    at + len
                }
            };
        }
    }

    /// Appends the bytes of `text` to `out`.
    pub(crate) fn encode(self, text: &str, out: &mut Vec<u8>) {
        let mut push = |number: u32| {
            let bytes = number.to_be_bytes();
            let bytes = &bytes[4 - self.width()..];
            if self.is_big() {
                out.extend_from_slice(bytes);
            } else {
                out.extend(bytes.iter().rev());
            }
        };
        if self.width() == 4 {
            text.chars().for_each(|char| push(u32::from(char)));
        } else {
            text.encode_utf16().for_each(|number| push(u32::from(number)));
        }
    }
}
