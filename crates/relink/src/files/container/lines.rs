//! Line ends: their places and their number; and updates of numbers that count bytes.
//!
//! Invariant: LF, CRLF and a CR that no LF follows end a line, here and everywhere in the
//! container. A CRLF counts once, also if the two are in different pieces.

use super::header_section;

/// The number of bytes in which the start of a line is searched: more than a boundary has.
const LONGEST_LINE: usize = 1000;

/// The number of lines that have ended so far.
#[derive(Default)]
pub(super) struct LineCount {
    n_ended: u64,
    /// True if the last byte was a CR.
    is_after_cr: bool,
}

impl LineCount {
    /// Returns the number of lines that have ended.
    pub(super) fn n_ended(&self) -> u64 {
        self.n_ended
    }

    /// Counts the line ends of the next bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return };
        let mut n_ended = memchr::memchr_iter(b'\n', bytes).count() as u64;
        if self.is_after_cr && *first == b'\n' {
            n_ended -= 1;
        }
        if let Some(at) = memchr::memchr(b'\r', bytes) {
            n_ended += n_lone_crs(&bytes[at..]);
        }
        self.is_after_cr = *last == b'\r';
        self.n_ended += n_ended;
    }
}

/// Returns the number of CRs that no LF follows, including the last byte.
fn n_lone_crs(bytes: &[u8]) -> u64 {
    let next = bytes.get(1..).unwrap_or_default();
    let mut n_crs = u64::from(bytes.last() == Some(&b'\r'));
    // A sum of so few fits in a byte, which lets the compiler add many at once.
    for (these, after) in bytes.chunks(255).zip(next.chunks(255)) {
        let is_lone = |(byte, next): (&u8, &u8)| u8::from(*byte == b'\r' && *next != b'\n');
        n_crs += u64::from(these.iter().zip(after).map(is_lone).sum::<u8>());
    }
    n_crs
}

/// Returns the start of the next line, or the end of the bytes.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    match memchr::memchr2(b'\n', b'\r', rest) {
        Some(length) => after_line_end(bytes, at + length).unwrap_or(bytes.len()),
        None => bytes.len(),
    }
}

/// Returns the offset after the line end at a byte, if there is one.
pub(super) fn after_line_end(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'\r', Some(b'\n')) => Some(at + 2),
        (b'\n' | b'\r', _) => Some(at + 1),
        _ => None,
    }
}

/// Returns the start of the line end before a byte; the byte itself if there is none.
pub(super) fn before_line_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(..at).unwrap_or_default() {
        [.., b'\r', b'\n'] => at - 2,
        [.., b'\n' | b'\r'] => at - 1,
        _ => at,
    }
}

/// Returns true if a line end is right before a byte.
pub(super) fn is_after_line_end(bytes: &[u8], at: usize) -> bool {
    before_line_end(bytes, at) < at
}

/// Returns the start of the line that contains a byte or ends before it, at most
/// [`LONGEST_LINE`] bytes before it.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(LONGEST_LINE);
    let line_end = memchr::memrchr2(b'\n', b'\r', &bytes[floor..at]);
    line_end.map_or(floor, |before| floor + before + 1)
}

// Updates of numbers that count bytes.
//
// Invariant: a number that was not correct before is left unchanged.

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
