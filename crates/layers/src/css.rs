//! Escapes of CSS, in strings and in unquoted `url()`.
//!
//! Invariant: a unit's raw bytes are exactly one escape (with the white space that ends it) or one
//! NUL. CSS Syntax level 3, sections 4.3.5 to 4.3.7.

use memchr::memchr3;

use crate::map::{Builder, Decoded};
use crate::{Span, Unliftable};

/// The form of a URL in a style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CssForm {
    /// Between `"` and `"`.
    DoubleQuoted,
    /// Between `'` and `'`.
    SingleQuoted,
    /// Bare, inside `url(` and `)`, without the white space around it.
    Url,
}

/// Decodes the inside of a string or of an unquoted `url()`; borrows it if nothing is escaped.
///
/// # Examples
///
/// ```
/// use relink_layers::{CssForm, css};
/// assert_eq!(css::decode(r"a\28 b\29.png", CssForm::Url).text, "a(b).png");
/// ```
pub fn decode(raw: &str, form: CssForm) -> Decoded<'_> {
    if memchr3(b'\\', 0, 0, raw.as_bytes()).is_none() {
        return Decoded::plain(raw);
    }
    let bytes = raw.as_bytes();
    let mut builder = Builder::with_capacity(raw.len());
    let mut at = 0;
    while let Some(next) = memchr3(b'\\', 0, 0, &bytes[at..]).map(|idx| at + idx) {
        builder.plain(&raw[at..next]);
        if bytes[next] == 0 {
            builder.unit(Span::new(next, next + 1), "\u{FFFD}");
            at = next + 1;
            continue;
        }
        let (len, char) = match escape(&raw[next..]) {
            // The end of the style sheet right after a backslash (4.3.5, 4.3.7).
            (1, None) if form == CssForm::Url => (1, Some('\u{FFFD}')),
            escape => escape,
        };
        let mut buffer = [0; 4];
        let text = char.map(|char| &*char.encode_utf8(&mut buffer)).unwrap_or_default();
        builder.unit(Span::new(next, next + len), text);
        at = next + len;
    }
    builder.plain(&raw[at..]);
    builder.finish()
}

/// Returns the length of the escape at the start of `raw` (which begins with `\`), and its
/// character; none for an escaped line break.
fn escape(raw: &str) -> (usize, Option<char>) {
    let bytes = raw.as_bytes();
    let digits = bytes[1..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 {
        return match raw[1..].chars().next() {
            None => (1, None),
            Some('\r') if bytes.get(2) == Some(&b'\n') => (3, None),
            Some('\n' | '\r' | '\x0C') => (2, None),
            Some('\0') => (2, Some('\u{FFFD}')),
            Some(char) => (1 + char.len_utf8(), Some(char)),
        };
    }
    let number = u32::from_str_radix(&raw[1..1 + digits], 16).unwrap_or(0);
    let char = match char::from_u32(number) {
        None | Some('\0') => '\u{FFFD}',
        Some(char) => char,
    };
    let end = 1 + digits;
    let space = match bytes.get(end) {
        Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => 2,
        Some(b' ' | b'\t' | b'\n' | b'\r' | b'\x0C') => 1,
        _ => 0,
    };
    (end + space, Some(char))
}

/// Returns the length in bytes of the bare URL at the start of `raw`: up to the white space or the
/// `)` that ends it, or the end.
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::css::bare_url_len(r"a\ b\29  )"), r"a\ b\29 ".len());
/// ```
pub fn bare_url_len(raw: &str) -> usize {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b')' => break,
            b'\\' => at += escape(&raw[at..]).0,
            _ => at += 1,
        }
    }
    at
}

/// Returns the offset at which an edit at `at` must begin so that its first byte does not become
/// part of the escape before it: as another digit, as the white space that ends it, or as the
/// character after a final backslash.
pub(crate) fn joins(raw: &[u8], decoded: &Decoded<'_>, at: usize) -> usize {
    match decoded.map.unit_ending_at(at) {
        Some(unit) if raw[at - 1].is_ascii_hexdigit() || unit.raw.slice(raw) == b"\\" => {
            unit.raw.start
        }
        _ => at,
    }
}

/// Writes `text` so that it is read unchanged in the given form.
pub(crate) fn encode(text: &str, form: CssForm, out: &mut String) -> Result<(), Unliftable> {
    for char in text.chars() {
        let special = match form {
            CssForm::DoubleQuoted => char == '"',
            CssForm::SingleQuoted => char == '\'',
            CssForm::Url => matches!(char, '(' | ')' | '"' | '\'' | ' '),
        };
        match char {
            '\\' => out.push_str("\\\\"),
            // NUL is read as another character, in any notation (CSS Syntax 3.3 and 4.3.7).
            '\0' => return Err(Unliftable::Unencodable(char)),
            '\x01'..='\x1F' | '\x7F' => {
                out.push_str(&format!("\\{:x} ", u32::from(char)));
            }
            _ => {
                if special {
                    out.push('\\');
                }
                out.push(char);
            }
        }
    }
    Ok(())
}
