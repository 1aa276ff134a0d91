//! Escapes in the strings of JSON.
//!
//! Invariant: a unit's raw bytes are whole escapes, and the two of a surrogate pair are one
//! character. RFC 8259, sections 7 and 8.2.

use memchr::memchr;

use crate::Span;
use crate::map::{Builder, Decoded};

/// Decodes the inside of a string; borrows it if nothing is escaped. A backslash that begins no
/// escape of JSON is kept.
///
/// A surrogate without its other half is U+FFFD, as browsers read it in a URL (Web IDL,
/// `USVString`).
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::json::decode(r"http:\/\/h\/\u00e9").text, "http://h/é");
/// assert_eq!(relink_layers::json::decode(r"\ud83d\ude00\ud83d").text, "😀\u{FFFD}");
/// ```
pub fn decode(raw: &str) -> Decoded<'_> {
    let bytes = raw.as_bytes();
    if memchr(b'\\', bytes).is_none() {
        return Decoded::plain(raw);
    }
    let mut builder = Builder::with_capacity(raw.len());
    let mut at = 0;
    while let Some(next) = memchr(b'\\', &bytes[at..]).map(|idx| at + idx) {
        builder.plain(&raw[at..next]);
        at = match escape(&bytes[next..]) {
            Some((len, char)) => {
                builder.character(Span::new(next, next + len), char);
                next + len
            }
            None => {
                builder.plain("\\");
                next + 1
            }
        };
    }
    builder.plain(&raw[at..]);
    builder.finish()
}

/// Returns the length of the escape at the start of `raw` (which begins with `\`), and its
/// character.
fn escape(raw: &[u8]) -> Option<(usize, char)> {
    let char = match raw.get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(raw)?;
            let second = raw.get(6..).and_then(unit);
            let pair = second.and_then(|second| {
                char::decode_utf16([first, second]).next()?.ok().filter(|char| *char > '\u{FFFF}')
            });
            return Some(match pair {
                Some(char) => (12, char),
                None => (6, char::from_u32(first.into()).unwrap_or('\u{FFFD}')),
            });
        }
        _ => return None,
    };
    Some((2, char))
}

/// Returns the number of the `\uXXXX` at the start of `raw`.
fn unit(raw: &[u8]) -> Option<u16> {
    let digits = raw.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    digits.iter().try_fold(0, |number: u16, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(number << 4 | u16::try_from(digit).ok()?)
    })
}

/// Returns the offset at which an edit at `at` must begin so that the text after it does not become
/// part of the escape before it: the first half of a surrogate pair would be joined with a second
/// half that follows after the edit.
pub(crate) fn joins(raw: &[u8], decoded: &Decoded<'_>, at: usize) -> usize {
    let is_first_half =
        |start: &usize| unit(&raw[*start..]).is_some_and(|unit| (0xD800..0xDC00).contains(&unit));
    let before = decoded.map.unit_ending_at(at).map(|unit| unit.raw.end.saturating_sub(6));
    before.filter(is_first_half).unwrap_or(at)
}

/// Writes `text` so that it is read unchanged in a string.
pub(crate) fn encode(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1F' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
            _ => out.push(char),
        }
    }
}
