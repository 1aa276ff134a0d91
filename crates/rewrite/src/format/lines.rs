//! The lines of a text.

use std::ops::Range;

/// Returns the spans of the lines of a text, without their ends: LF, CR, or both.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let line = at..at + len;
        let n_end = if rest[len..].starts_with("\r\n") { 2 } else { 1 };
        at = text.len().min(line.end + n_end);
        Some(line)
    })
}
