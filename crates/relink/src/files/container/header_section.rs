//! The header section of a message as far as a container needs it: its end, and its
//! `Content-Length`.
//!
//! Invariant: no more than [`LONGEST`] bytes are examined. The first empty line ends a header
//! section (RFC 5322 2.1).

use std::ops::Range;

use super::lines::{after_line_end, line_end};

/// The maximum length of a header section. The `Content-Length` of a longer one is ignored.
pub(super) const LONGEST: usize = 1 << 20;

/// The count in a header section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum FieldCount {
    /// None.
    #[default]
    Absent,
    /// A count that is not a number, or several counts.
    Unclear,
    /// A number, and the span of its digits.
    Number(u64, Range<usize>),
}

/// The header section of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageHeader {
    /// The start of the body: after the first empty line. `None` if there is no such line, or it is
    /// too far away.
    pub(super) body: Option<usize>,
    /// The value of `Content-Length`.
    pub(super) count: FieldCount,
}

/// Reads the header section that begins at a byte. Returns `None` if its end is not available
/// yet; `is_end` is true if nothing follows the bytes.
pub(super) fn read(bytes: &[u8], start: usize, is_end: bool) -> Option<MessageHeader> {
    let limit = start.saturating_add(LONGEST);
    let is_too_long = bytes.len() >= limit;
    let bytes = &bytes[..bytes.len().min(limit)];
    let mut header = MessageHeader::default();
    let mut at = start;
    loop {
        let end = line_end(bytes, at);
        if end >= bytes.len() && is_too_long {
            return Some(MessageHeader::default());
        }
        // A CR may be the first half of a line end whose second half is not available yet.
        if end >= bytes.len() && !is_end {
            return None;
        }
        if after_line_end(bytes, at).is_some() {
            header.body = Some(end);
            return Some(header);
        }
        if at >= bytes.len() {
            return Some(header);
        }
        if matches!(bytes[at], b'C' | b'c') {
            header.read_count(bytes, at, end);
        }
        at = end;
    }
}

impl MessageHeader {
    /// Reads a line, if it is the field `Content-Length`.
    fn read_count(&mut self, bytes: &[u8], start: usize, end: usize) {
        const NAME: &[u8] = b"content-length";
        let line = &bytes[start..end];
        let Some((name, after)) = line.split_at_checked(NAME.len()) else { return };
        let Some(value) = after.trim_ascii_start().strip_prefix(b":") else { return };
        if !name.eq_ignore_ascii_case(NAME) {
            return;
        }
        let value_start = end - value.trim_ascii_start().len();
        let digits = value.trim_ascii();
        self.count = match (&self.count, number(digits)) {
            (FieldCount::Absent, Some(number)) => {
                FieldCount::Number(number, value_start..value_start + digits.len())
            }
            _ => FieldCount::Unclear,
        };
    }
}

/// Returns the number that the digits represent; `None` for other text, or if it is too big.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}
