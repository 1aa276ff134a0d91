//! The decoding of quoted-printable, with a map from offsets in the decoded bytes to the raw ones.
//!
//! There is an escape in nearly every line, so no list of them is kept: at intervals the end of one
//! is marked, and the bytes between two marks are read again when needed.

use std::borrow::Cow;

use super::{n_blanks, n_blanks_before};
use crate::Span;
use crate::find_byte::{self, find_byte};
use crate::map::Widened;
use crate::units::Unit;

/// The minimum number of raw bytes between two marks.
const STRIDE: usize = 128;

/// The end of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    decoded: usize,
    raw: usize,
}

/// A decoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// The decoded bytes; borrowed if nothing was escaped.
    pub bytes: Cow<'a, [u8]>,
    raw: &'a [u8],
    /// The marks, in order; the first is at the start.
    marks: Vec<Mark>,
}

/// Decodes a body. Blanks at the ends of lines are dropped (RFC 2045 6.7 (3)); an `=` that begins
/// neither an escape nor a soft line break is kept.
///
/// # Examples
///
/// ```
/// use layers::quoted_printable::decode;
/// assert_eq!(&*decode(b"a=3Db=\r\nc=C3=A9 \r\n=zz").bytes, "a=bcé\r\n=zz".as_bytes());
/// ```
pub fn decode(raw: &[u8]) -> Body<'_> {
    if memchr::memchr(b'=', raw).is_none() && !has_dropped(raw) {
        return Body { bytes: Cow::Borrowed(raw), raw, marks: vec![Mark::default()] };
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut marks = Vec::with_capacity(raw.len() / STRIDE + 1);
    marks.push(Mark::default());
    let mut next_mark = STRIDE;
    let mut mark = |decoded: usize, raw: usize| {
        if raw >= next_mark {
            marks.push(Mark { decoded, raw });
            next_mark = raw + STRIDE;
        }
    };
    // `done` is the end of the last unit.
    let (mut at, mut done) = (0, 0);
    loop {
        at += copy_up_to_special(&raw[at..], &mut bytes);
        match raw.get(at) {
            Some(b'=') => match escape_at(raw, at) {
                Some((span, octet)) => {
                    bytes.extend(octet);
                    (at, done) = (span.end, span.end);
                    mark(bytes.len(), done);
                }
                None => {
                    bytes.push(b'=');
                    at += 1;
                }
            },
            line_end => {
                let n_dropped = n_blanks_before(&raw[done..at]);
                if n_dropped > 0 {
                    bytes.truncate(bytes.len() - n_dropped);
                    done = at;
                    mark(bytes.len(), done);
                }
                let Some(byte) = line_end else { break };
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    Body { bytes: Cow::Owned(bytes), raw, marks }
}

/// The bytes that are not always copied, or before which blanks are dropped.
const SPECIAL: [u8; 3] = *b"=\n\r";

/// Appends the bytes before the first special one, sixteen at a time. Returns their number.
#[inline]
fn copy_up_to_special(raw: &[u8], to: &mut Vec<u8>) -> usize {
    let (start, mut at) = (to.len(), 0);
    while let Some(chunk) = raw[at..].first_chunk() {
        to.extend_from_slice(chunk);
        let found = find_byte::found(chunk, SPECIAL);
        if found != 0 {
            at += found.trailing_zeros() as usize;
            to.truncate(start + at);
            return at;
        }
        at += chunk.len();
    }
    let rest = &raw[at..];
    let n_rest = rest.iter().position(|byte| SPECIAL.contains(byte)).unwrap_or(rest.len());
    to.extend_from_slice(&rest[..n_rest]);
    at + n_rest
}

impl Body<'_> {
    /// Iterates over the units after a mark.
    fn units_after(&self, mark: Mark) -> impl Iterator<Item = Unit> {
        let Mark { raw: mut done, mut decoded } = mark;
        Units { raw: self.raw, done, at: done }.map(move |(span, octet)| {
            let start = decoded + (span.start - done);
            decoded = start + usize::from(octet.is_some());
            done = span.end;
            Unit { decoded: Span::new(start, decoded), raw: span, is_invalid: false, step: None }
        })
    }

    /// Returns the last mark for which `is_before` returns true; the first, if there is none.
    fn mark(&self, is_before: impl Fn(&Mark) -> bool) -> Mark {
        let n_before = self.marks.partition_point(is_before);
        self.marks[n_before.saturating_sub(1)]
    }

    /// Returns the smallest raw span of whole escapes whose decoding contains a span of the decoded
    /// bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layers::{Span, quoted_printable::decode};
    /// let raw = b"a=3Db=\r\nc";
    /// assert_eq!(decode(raw).widen(Span::new(1, 3)).raw.slice(raw), b"=3Db");
    /// ```
    pub fn widen(&self, span: Span) -> Widened {
        let (raw_start, start) = self.start_of(span.start);
        if span.is_empty() && start == span.start {
            return Widened { raw: Span::new(raw_start, raw_start), decoded: span };
        }
        let (raw_end, end) = self.end_of(span.end);
        Widened {
            raw: Span::new(raw_start, raw_end.max(raw_start)),
            decoded: Span::new(start, end),
        }
    }

    /// Returns the raw and the decoded offset of the border at or before `at`, after units that
    /// decode to nothing.
    fn start_of(&self, at: usize) -> (usize, usize) {
        let mark = self.mark(|mark| mark.decoded <= at);
        match self.units_after(mark).take_while(|unit| unit.decoded.start <= at).last() {
            None => (mark.raw + (at - mark.decoded), at),
            Some(unit) if at < unit.decoded.end => (unit.raw.start, unit.decoded.start),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// Returns the raw and the decoded offset of the border at or after `at`, before units that
    /// decode to nothing.
    fn end_of(&self, at: usize) -> (usize, usize) {
        let mark = self.mark(|mark| mark.decoded < at);
        match self.units_after(mark).take_while(|unit| unit.decoded.start < at).last() {
            None => (mark.raw + (at - mark.decoded), at),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// Returns the unit that ends at the raw offset `at`, if one does.
    pub(super) fn unit_ending_at(&self, at: usize) -> Option<Unit> {
        let mark = self.mark(|mark| mark.raw < at);
        self.units_after(mark).find(|unit| unit.raw.end >= at).filter(|unit| unit.raw.end == at)
    }

    /// Returns the end of the last unit that ends at or before the raw offset `at`; 0 if none does.
    pub(super) fn unit_ending_before(&self, at: usize) -> usize {
        let mark = self.mark(|mark| mark.raw <= at);
        let before = self.units_after(mark).take_while(|unit| unit.raw.end <= at);
        before.last().map_or(mark.raw, |unit| unit.raw.end)
    }
}

/// An iterator over the bytes that differ from the decoded ones, in order: escapes with their
/// octets, soft line breaks, dropped blanks.
struct Units<'r> {
    raw: &'r [u8],
    /// The end of the last unit.
    done: usize,
    /// The offset from which to search for the next unit.
    at: usize,
}

impl Iterator for Units<'_> {
    type Item = (Span, Option<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        let raw = self.raw;
        loop {
            let rest = &raw[self.at..];
            let Some(found) = find_byte(rest, SPECIAL).map(|length| self.at + length) else {
                let n_blanks = n_blanks_before(&raw[self.done..]);
                let span = Span::new(raw.len() - n_blanks, raw.len());
                (self.done, self.at) = (raw.len(), raw.len());
                return (n_blanks > 0).then_some((span, None));
            };
            let unit = match raw[found] {
                b'=' => escape_at(raw, found),
                _ => {
                    let n_blanks = n_blanks_before(&raw[self.done..found]);
                    (n_blanks > 0).then(|| (Span::new(found - n_blanks, found), None))
                }
            };
            // The byte that was found is not an `=`, or it has been processed.
            self.at = found + 1;
            if let Some((span, octet)) = unit {
                self.done = span.end;
                self.at = self.at.max(span.end);
                return Some((span, octet));
            }
        }
    }
}

/// Returns true if there are blanks before any line end, or at the end of the body. Without an
/// early exit the loop is vectorized.
fn has_dropped(raw: &[u8]) -> bool {
    let is_dropped = |byte: u8, next: u8| {
        u8::from(matches!(byte, b' ' | b'\t')) & u8::from(matches!(next, b'\n' | b'\r'))
    };
    let pairs = raw.iter().zip(raw.get(1..).unwrap_or_default());
    raw.last().is_some_and(|byte| super::is_blank(*byte))
        || pairs.fold(0, |any, (byte, next)| any | is_dropped(*byte, *next)) != 0
}

/// Returns the span of the escape or soft line break that begins at an `=`, and the octet that it
/// represents.
#[inline]
fn escape_at(raw: &[u8], at: usize) -> Option<(Span, Option<u8>)> {
    if let Some([high, low]) = raw.get(at + 1..at + 3) {
        let (high, low) = (DIGITS[usize::from(*high)], DIGITS[usize::from(*low)]);
        // Both are digits.
        if high | low < 16 {
            return Some((Span::new(at, at + 3), Some(high << 4 | low)));
        }
    }
    let end = at + 1 + n_blanks(&raw[at + 1..]);
    let end = match &raw[end..] {
        [] => end,
        [b'\r', b'\n', ..] => end + 2,
        [b'\r' | b'\n', ..] => end + 1,
        _ => return None,
    };
    Some((Span::new(at, end), None))
}

const NO_DIGIT: u8 = 0xFF;

/// The values of bytes as hexadecimal digits.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789ABCDEF"[value as usize] as usize] = value;
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading from marks gives the same units as reading from the start.
    #[test]
    fn units_after_marks_are_the_same() {
        let (n, every) = if cfg!(miri) { (40, 97) } else { (200, 1) };
        let raw = b"a=3Db=\r\nc  \n==41 \t\r\n= \n=zz=C3=A9xyz".repeat(n);
        let body = decode(&raw);
        assert!(body.marks.len() > 10);
        let all: Vec<Unit> = body.units_after(Mark::default()).collect();
        for mark in &body.marks[1..] {
            let after: Vec<Unit> = body.units_after(*mark).collect();
            assert_eq!(after, all[all.len() - after.len()..]);
            assert_eq!(all[all.len() - after.len() - 1].raw.end, mark.raw);
        }
        for at in (0..body.bytes.len()).step_by(every) {
            let before = all.iter().rfind(|unit| unit.decoded.start <= at);
            let expected = match before {
                None => (at, at),
                Some(unit) if at < unit.decoded.end => (unit.raw.start, unit.decoded.start),
                Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
            };
            assert_eq!(body.start_of(at), expected);
        }
        for at in (0..raw.len()).step_by(every) {
            let ending = all.iter().find(|unit| unit.raw.end == at).copied();
            assert_eq!(body.unit_ending_at(at), ending, "{at}");
            let before = all.iter().rfind(|unit| unit.raw.end <= at).map_or(0, |unit| unit.raw.end);
            assert_eq!(body.unit_ending_before(at), before, "{at}");
        }
    }
}
