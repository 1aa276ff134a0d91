//! The decoding of quoted-printable, with a map from offsets in the decoded bytes to the raw ones.
//!
//! There is an escape in nearly every line, so no list of them is kept: at intervals the end of one
//! is marked, and the bytes between two marks are read again when needed.

use std::borrow::Cow;

use super::{n_blanks, n_blanks_before};
use crate::Span;
use crate::find_byte::{self, find_byte};
use crate::map::Widened;
use crate::units::MapUnit;

/// The minimum number of raw bytes between two marks.
const STRIDE: usize = 64;

/// The number of bytes that are copied at once.
const CHUNK: usize = 16;

/// The number of decoded bytes that are given memory at once.
const ROOM: usize = 256;

/// The end of a unit. Beyond the numbers that fit there are no marks, and reading is slower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    decoded: u32,
    raw: u32,
}

impl Mark {
    fn new((raw, decoded): (usize, usize)) -> Option<Self> {
        Some(Mark { decoded: decoded.try_into().ok()?, raw: raw.try_into().ok()? })
    }

    fn decoded(&self) -> usize {
        self.decoded as usize
    }

    fn raw(&self) -> usize {
        self.raw as usize
    }
}

/// A decoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedPrintableBody<'a> {
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
/// use relink_layers::quoted_printable::decode;
/// assert_eq!(&*decode(b"a=3Db=\r\nc=C3=A9 \r\n=zz").bytes, "a=bcé\r\n=zz".as_bytes());
/// ```
pub fn decode(raw: &[u8]) -> QuotedPrintableBody<'_> {
    if memchr::memchr(b'=', raw).is_none() && !has_dropped(raw) {
        return QuotedPrintableBody {
            bytes: Cow::Borrowed(raw),
            raw,
            marks: vec![Mark::default()],
        };
    }
    let mut decoder = QuotedPrintableDecoder::new(raw);
    while !decoder.rest.is_empty() {
        decoder.chunks();
        decoder.special_or_byte();
    }
    decoder.finish()
}

/// The bytes that are not always copied, or before which blanks are dropped.
const SPECIAL: [u8; 3] = *b"=\n\r";

/// A body that is being decoded.
struct QuotedPrintableDecoder<'a> {
    raw: &'a [u8],
    /// The raw bytes that follow.
    rest: &'a [u8],
    bytes: Vec<u8>,
    marks: Vec<Mark>,
    /// The raw offset of the end of the last unit, and that from which on the next is marked.
    done: usize,
    next_mark: usize,
}

impl<'a> QuotedPrintableDecoder<'a> {
    fn new(raw: &'a [u8]) -> Self {
        let bytes = Vec::with_capacity(raw.len() + ROOM);
        let mut marks = Vec::with_capacity(raw.len() / STRIDE + 1);
        marks.push(Mark::default());
        QuotedPrintableDecoder { raw, rest: raw, bytes, marks, done: 0, next_mark: STRIDE }
    }

    /// Decodes whole chunks, up to a special byte that is not simple.
    fn chunks(&mut self) {
        let (raw, mut rest) = (self.raw, self.rest);
        let n_before = self.bytes.len();
        self.bytes.resize(n_before + ROOM, 0);
        let mut to = &mut self.bytes[n_before..];
        while let (Some(chunk), Some(copy)) =
            (rest.first_chunk::<CHUNK>(), to.first_chunk_mut::<CHUNK>())
        {
            let found = find_byte::found(chunk, SPECIAL);
            *copy = *chunk;
            if found == 0 {
                (rest, to) = (&rest[CHUNK..], &mut to[CHUNK..]);
                continue;
            }
            let n_plain = found.trailing_zeros() as usize % CHUNK;
            (rest, to) = (&rest[n_plain..], &mut to[n_plain..]);
            match rest {
                [b'=', b'\n', ..] => rest = &rest[2..],
                [b'=', b'\r', b'\n', ..] => rest = &rest[3..],
                [b'=', high, low, ..] => match byte_of(*high, *low) {
                    Some(byte) => {
                        to[0] = byte;
                        (rest, to) = (&rest[3..], &mut to[1..]);
                    }
                    None if matches!(high, b' ' | b'\t' | b'\r') => break,
                    None => {
                        (rest, to) = (&rest[1..], &mut to[1..]);
                        continue;
                    }
                },
                [b'\n' | b'\r', ..] => {
                    let at = raw.len() - rest.len();
                    if at > self.done && super::is_blank(raw[at - 1]) {
                        break;
                    }
                    (rest, to) = (&rest[1..], &mut to[1..]);
                    continue;
                }
                _ => break,
            }
            self.done = raw.len() - rest.len();
            if self.done >= self.next_mark {
                self.marks.extend(Mark::new((self.done, n_before + ROOM - to.len())));
                self.next_mark = self.done + STRIDE;
            }
        }
        let n_decoded = n_before + ROOM - to.len();
        self.bytes.truncate(n_decoded);
        self.rest = rest;
    }

    /// Decodes the byte that follows, if there is one, with what belongs to it.
    fn special_or_byte(&mut self) {
        let (raw, at) = (self.raw, self.raw.len() - self.rest.len());
        let unit = match raw.get(at) {
            Some(b'=') => escape_at(raw, at),
            Some(b'\n' | b'\r') | None => {
                let n_dropped = n_blanks_before(&raw[self.done..at]);
                self.bytes.truncate(self.bytes.len() - n_dropped);
                if n_dropped > 0 {
                    self.end_unit(at);
                }
                None
            }
            Some(_) => None,
        };
        match unit {
            Some((span, byte)) => {
                self.bytes.extend(byte);
                self.rest = &raw[span.end..];
                self.end_unit(span.end);
            }
            None => {
                if let Some((byte, rest)) = self.rest.split_first() {
                    self.bytes.push(*byte);
                    self.rest = rest;
                }
            }
        }
    }

    fn end_unit(&mut self, at: usize) {
        self.done = at;
        if at >= self.next_mark {
            self.marks.extend(Mark::new((at, self.bytes.len())));
            self.next_mark = at + STRIDE;
        }
    }

    fn finish(mut self) -> QuotedPrintableBody<'a> {
        // Blanks at the end are dropped.
        self.special_or_byte();
        QuotedPrintableBody { bytes: Cow::Owned(self.bytes), raw: self.raw, marks: self.marks }
    }
}

impl QuotedPrintableBody<'_> {
    /// Iterates over the units after a mark.
    fn units_after(&self, mark: Mark) -> impl Iterator<Item = MapUnit> {
        let (mut done, mut decoded) = (mark.raw(), mark.decoded());
        QuotedPrintableUnits { raw: self.raw, done, at: done }.map(move |(span, byte)| {
            let start = decoded + (span.start - done);
            decoded = start + usize::from(byte.is_some());
            done = span.end;
            MapUnit { decoded: Span::new(start, decoded), raw: span, is_invalid: false, step: None }
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
    /// use relink_layers::{Span, quoted_printable::decode};
    /// let raw = b"a=3Db=\r\nc";
    /// assert_eq!(decode(raw).widen(Span::new(1, 3)).raw.slice(raw), b"=3Db");
    /// ```
    pub fn widen(&self, span: Span) -> Widened {
        let at = span.start;
        let mark = self.mark(|mark| mark.decoded() <= at);
        let mut units = self.units_after(mark).peekable();
        // The raw and the decoded offset of the end of the last unit. A unit decodes to one byte at
        // most, so no offset is inside of one.
        let mut last = (mark.raw(), mark.decoded());
        let mut raw_start = None;
        while let Some(unit) = units.next_if(|unit| unit.decoded.start <= at) {
            last = (unit.raw.end, unit.decoded.end);
            raw_start = (at < unit.decoded.end).then_some(unit.raw.start);
        }
        let raw_start = raw_start.unwrap_or_else(|| last.0 + (at - last.1));
        if span.is_empty() {
            return Widened { raw: Span::new(raw_start, raw_start), decoded: span };
        }
        if span.len() > STRIDE {
            let mark = self.mark(|mark| mark.decoded() < span.end);
            if mark.raw() > last.0 {
                last = (mark.raw(), mark.decoded());
                units = self.units_after(mark).peekable();
            }
        }
        while let Some(unit) = units.next_if(|unit| unit.decoded.start < span.end) {
            last = (unit.raw.end, unit.decoded.end);
        }
        let raw_end = last.0 + (span.end - last.1);
        Widened { raw: Span::new(raw_start, raw_end), decoded: span }
    }

    /// Returns the last unit that ends at or before the raw offset `at`, and its end; if the end is
    /// that of a mark, there is no unit, and it is before `at`; 0, if no unit ends there.
    pub(super) fn unit_before(&self, at: usize) -> (Option<MapUnit>, usize) {
        let mark = self.mark(|mark| mark.raw() < at);
        let unit = self.units_after(mark).take_while(|unit| unit.raw.end <= at).last();
        (unit, unit.map_or(mark.raw(), |unit| unit.raw.end))
    }
}

/// An iterator over the bytes that differ from the decoded ones, in order: escapes with their
/// bytes, soft line breaks, dropped blanks.
struct QuotedPrintableUnits<'r> {
    raw: &'r [u8],
    /// The end of the last unit.
    done: usize,
    /// The offset from which to search for the next unit.
    at: usize,
}

impl Iterator for QuotedPrintableUnits<'_> {
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
            if let Some((span, byte)) = unit {
                self.done = span.end;
                self.at = self.at.max(span.end);
                return Some((span, byte));
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

/// Returns the span of the escape or soft line break that begins at an `=`, and the byte that it
/// represents.
#[inline]
fn escape_at(raw: &[u8], at: usize) -> Option<(Span, Option<u8>)> {
    if let Some([high, low]) = raw.get(at + 1..at + 3)
        && let Some(byte) = byte_of(*high, *low)
    {
        return Some((Span::new(at, at + 3), Some(byte)));
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

/// Returns the byte that two hexadecimal digits represent, if both are digits.
#[inline]
fn byte_of(high: u8, low: u8) -> Option<u8> {
    let (high, low) = (DIGITS[usize::from(high)], DIGITS[usize::from(low)]);
    (high | low < 16).then_some(high << 4 | low)
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
        let all: Vec<MapUnit> = body.units_after(Mark::default()).collect();
        for mark in &body.marks[1..] {
            let after: Vec<MapUnit> = body.units_after(*mark).collect();
            assert_eq!(after, all[all.len() - after.len()..]);
            assert_eq!(all[all.len() - after.len() - 1].raw.end, mark.raw());
        }
        // The raw offset of the border at or before an offset, and at or after it.
        let start_of = |at| match all.iter().rfind(|unit| unit.decoded.start <= at) {
            None => at,
            Some(unit) if at < unit.decoded.end => unit.raw.start,
            Some(unit) => unit.raw.end + (at - unit.decoded.end),
        };
        let end_of = |at| match all.iter().rfind(|unit| unit.decoded.start < at) {
            None => at,
            Some(unit) => unit.raw.end + (at - unit.decoded.end),
        };
        for at in (0..body.bytes.len()).step_by(every) {
            for length in [0, 1, 2, 30, STRIDE - 1, STRIDE, STRIDE + 1, 200, 3000] {
                let span = Span::new(at, body.bytes.len().min(at + length));
                let (start, end) = (start_of(span.start), end_of(span.end));
                let end = if span.is_empty() { start } else { end };
                let expected = Widened { raw: Span::new(start, end), decoded: span };
                assert_eq!(body.widen(span), expected);
            }
        }
        for at in (0..raw.len()).step_by(every) {
            let before = all.iter().rfind(|unit| unit.raw.end <= at);
            let (found, end) = body.unit_before(at);
            assert_eq!(end, before.map_or(0, |unit| unit.raw.end), "{at}");
            let is_known = found.is_some() || end < at || at == 0;
            assert!(is_known && found.is_none_or(|unit| Some(&unit) == before), "{at}");
        }
    }
}
