//! Updates of numbers that count bytes.
//!
//! Invariant: a number that was not correct before is left unchanged.

use super::header_section;

/// The digits for a count that has changed. `digits` may have blanks or zeros before the number,
/// and blanks after it: the field keeps its width where the new number fits in it. `None` if the
/// digits do not say `old`.
///
/// ```
/// use relink::container::length::rewritten;
///
/// assert_eq!(rewritten(b"1795", 1795, 20000).unwrap(), b"20000");
/// assert_eq!(rewritten(b"1795      ", 1795, 20000).unwrap(), b"20000     ");
/// assert_eq!(rewritten(b"1795", 1796, 20000), None);
/// ```
pub fn rewritten(digits: &[u8], old: usize, new: usize) -> Option<Vec<u8>> {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let n_before = digits.iter().take_while(is_blank).count();
    let n_after = digits[n_before..].iter().rev().take_while(is_blank).count();
    let (before, rest) = digits.split_at(n_before);
    let (field, after) = rest.split_at(rest.len() - n_after);
    if header_section::number(field)? != old as u64 {
        return None;
    }
    let text = new.to_string();
    let text = if field.len() > 1 && field[0] == b'0' {
        format!("{text:0>width$}", width = field.len())
    } else {
        text
    };
    let n_blanks = digits.len().saturating_sub(text.len());
    let n_before = match (n_before, n_after) {
        (0, 0) => return Some(text.into_bytes()),
        (_, 0) => n_blanks,
        _ => n_before.min(n_blanks),
    };
    let blank = |blanks: &[u8]| blanks.first().copied().unwrap_or(b' ');
    let mut out = vec![blank(before); n_before];
    out.extend_from_slice(text.as_bytes());
    out.resize(out.len() + n_blanks - n_before, blank(after));
    Some(out)
}

/// Returns the start of the body of a message, which `Content-Length` counts: after the first empty
/// line. Returns the end of the message if there is no such line, or it is more than 1 MiB away.
pub fn body_start(message: &[u8]) -> usize {
    let header = header_section::read(message, 0, true).unwrap_or_default();
    header.body.unwrap_or(message.len())
}
