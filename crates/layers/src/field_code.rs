//! Arguments of the field codes of word processors: a backslash escapes a quote and itself.
//!
//! Invariant: a unit is a backslash and the character after it, so that no text that is written
//! after one becomes part of an escape. ISO/IEC 29500-1, 17.16.1.

use memchr::memchr;

use crate::Span;
use crate::map::{Builder, Decoded};

/// Decodes an argument without its quotes; borrows it if it has no backslash. A backslash before
/// another character is kept.
///
/// # Examples
///
/// ```
/// use relink_layers::field_code::decode;
/// assert_eq!(decode(r"\\\\server\\share\\a b.docx").text, r"\\server\share\a b.docx");
/// assert_eq!(decode(r#"C:\docs\"a""#).text, r#"C:\docs"a""#);
/// ```
pub fn decode(raw: &str) -> Decoded<'_> {
    let mut builder = Builder::with_capacity(0);
    let mut at = 0;
    while let Some(next) = memchr(b'\\', &raw.as_bytes()[at..]).map(|idx| at + idx) {
        if at == 0 {
            builder = Builder::with_capacity(raw.len());
        }
        builder.plain(&raw[at..next]);
        let escaped = raw[next + 1..].chars().next();
        at = next + 1 + escaped.map_or(0, char::len_utf8);
        let is_escape = matches!(escaped, Some('"' | '\\'));
        builder.unit(Span::new(next, at), &raw[next + usize::from(is_escape)..at]);
    }
    if at == 0 {
        return Decoded::plain(raw);
    }
    builder.plain(&raw[at..]);
    builder.finish()
}

/// Writes `text` so that it is read unchanged between quotes.
pub(crate) fn encode(text: &str, out: &mut String) {
    for char in text.chars() {
        if matches!(char, '"' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
}
