//! Quoted-printable, the transfer encoding of most HTML in mail (RFC 2045 6.7): bytes to bytes, with a map.
//!
//! Invariant: decoding the raw bytes with the lifted edits made gives the decoded bytes with the edits made, or the edit is refused. No line is
//! reflowed: soft line breaks are put into new text only, or right after it. Line ends stay as they are, and what is no escape stands for itself.

use std::borrow::Cow;

use crate::line::{HEAD, LONGEST, Line, LineGuards, last_line};
use crate::map::{Map, Unit};
use crate::{Edit, Lifted, Span, Unliftable};

/// Lines have at most 76 characters (RFC 2045 6.7 (5)).
const LINE: usize = 76;

/// Decoded bytes with the map back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedBytes<'a> {
    /// The bytes; borrowed where nothing was escaped.
    pub bytes: Cow<'a, [u8]>,
    /// From offsets in `bytes` to offsets in the raw bytes.
    pub map: Map,
}

/// Decodes a body. Blanks at the ends of lines are dropped (RFC 2045 6.7 (3)); an `=` that begins neither an escape nor a soft line break
/// stays.
///
/// ```
/// use layers::quoted_printable::decode;
/// assert_eq!(&*decode(b"a=3Db=\r\nc=C3=A9 \r\n=zz").bytes, "a=bcé\r\n=zz".as_bytes());
/// ```
pub fn decode(raw: &[u8]) -> DecodedBytes<'_> {
    let mut bytes = Vec::new();
    let mut units: Vec<Unit> = Vec::new();
    // Up to here everything is in `bytes`.
    let (mut done, mut at) = (0, 0);
    while let Some(length) = memchr::memchr3(b'=', b'\n', b'\r', &raw[at..]) {
        let found = at + length;
        let (span, octet) = match raw[found] {
            b'=' => match escape_at(raw, found) {
                Some(unit) => unit,
                None => {
                    at = found + 1;
                    continue;
                }
            },
            _ => (Span::new(found - n_blanks_before(&raw[done..found]), found), None),
        };
        at = span.end.max(found + usize::from(raw[found] != b'='));
        if span.is_empty() {
            continue;
        }
        push(raw, &mut bytes, &mut units, &mut done, span, octet);
    }
    let n_blanks = n_blanks_before(&raw[done..]);
    if n_blanks > 0 {
        let span = Span::new(raw.len() - n_blanks, raw.len());
        push(raw, &mut bytes, &mut units, &mut done, span, None);
    }
    if units.is_empty() {
        return DecodedBytes { bytes: Cow::Borrowed(raw), map: Map::IDENTITY };
    }
    bytes.extend_from_slice(&raw[done..]);
    DecodedBytes { bytes: Cow::Owned(bytes), map: Map::from_units(units) }
}

/// Adds what stands before a unit as it is, and the unit.
fn push(
    raw: &[u8],
    bytes: &mut Vec<u8>,
    units: &mut Vec<Unit>,
    done: &mut usize,
    span: Span,
    octet: Option<u8>,
) {
    bytes.extend_from_slice(&raw[*done..span.start]);
    let start = bytes.len();
    bytes.extend(octet);
    let decoded = Span::new(start, bytes.len());
    units.push(Unit { decoded, raw: span, is_invalid: false, step: None });
    *done = span.end;
}

/// The escape or soft line break that begins at an `=`, and the octet that it stands for.
fn escape_at(raw: &[u8], at: usize) -> Option<(Span, Option<u8>)> {
    let digit = |idx: usize| raw.get(idx).and_then(|byte| char::from(*byte).to_digit(16));
    if let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) {
        let octet = u8::try_from(high * 16 + low).unwrap_or_default();
        return Some((Span::new(at, at + 3), Some(octet)));
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

/// Whether a byte stands for itself anywhere in a line.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && byte != b'='
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn n_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_blank(**byte)).count()
}

fn n_blanks_before(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|byte| is_blank(**byte)).count()
}

/// Lifts sorted, disjoint edits of the decoded bytes to edits of the raw bytes, which are what they were decoded from.
///
/// ```
/// use layers::quoted_printable::{decode, lift};
/// use layers::{Edit, Edits, LineGuards, Span};
/// let raw = b"<a href=3D\"../x=\r\ny\">";
/// let decoded = decode(raw);
/// let edit = Edit { span: Span::new(9, 14), text: b"http://h/?a=b"[..].into(), id: 1 };
/// let lifted = lift(raw, &decoded, &[edit], LineGuards::default());
/// let edits = Edits::new(lifted.edits, raw.len())?;
/// assert_eq!(edits.apply(raw), b"<a href=3D\"http://h/?a=3Db\">");
/// # Ok::<(), layers::Disorder>(())
/// ```
pub fn lift(raw: &[u8], decoded: &DecodedBytes<'_>, edits: &[Edit], guards: LineGuards) -> Lifted {
    let mut lift = Lift { raw, decoded, guards, limit: None, free_from: 0, line: Line::default() };
    let mut lifted = Lifted::default();
    for edit in edits {
        match lift.edit(edit) {
            Ok(edit) => lifted.edits.extend(edit),
            Err(reason) => lifted.refused.push((edit.id, reason)),
        }
    }
    lifted
}

/// The lifting of one list of edits.
struct Lift<'l> {
    raw: &'l [u8],
    decoded: &'l DecodedBytes<'l>,
    guards: LineGuards,
    /// The longest that a line may be, once it is known.
    limit: Option<usize>,
    /// End of the edit lifted last, and the line in the output after its new text.
    free_from: usize,
    line: Line,
}

impl Lift<'_> {
    fn edit(&mut self, edit: &Edit) -> Result<Option<Edit>, Unliftable> {
        let raw = self.raw;
        let DecodedBytes { bytes, map } = self.decoded;
        let widened = map.widen(edit.span);
        let mut span = widened.raw;
        let rest = Rest::of(raw, span.end);
        let kept = self.kept_before(&mut span, edit.text.is_empty() && rest.is_blank)?;
        let mut text = kept;
        text.extend_from_slice(&bytes[widened.decoded.start..edit.span.start]);
        text.extend_from_slice(&edit.text);
        text.extend_from_slice(&bytes[edit.span.end..widened.decoded.end.max(edit.span.end)]);

        let line = self.line_at(span.start);
        let (limit, is_long) = self.limit();
        let length: usize =
            text.iter().map(|byte| if is_plain(*byte) || is_blank(*byte) { 1 } else { 3 }).sum();
        let fits = is_long || line.column + length + rest.length <= limit;
        let mut writer =
            Writer { guards: self.guards, out: Vec::with_capacity(text.len() + 8), line };
        for (idx, byte) in text.iter().enumerate() {
            let is_last = idx + 1 == text.len() && rest.is_blank;
            writer.byte(*byte, is_last, (!fits).then_some(rest.line_end));
        }
        // What follows would make the line longer than any.
        let after = &raw[span.end..raw.len().min(span.end + HEAD)];
        let is_too_long = !is_long && !rest.is_blank && writer.line.column + rest.length > limit;
        if is_too_long && !text.is_empty() && !Line::default().is_guarded_with(after, self.guards) {
            writer.soft_break(rest.line_end);
        }
        let has_after = after.first().is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
        if has_after && writer.line.is_guarded_with(after, self.guards) {
            return Err(Unliftable::Forbidden("a line of the message"));
        }
        if writer.out == span.of(raw) {
            return Ok(None);
        }
        (self.free_from, self.line) = (span.end, writer.line);
        Ok(Some(Edit { span, text: writer.out.into(), id: edit.id }))
    }

    /// Widens an edit to the left over what would be read otherwise next to new text, and returns what that stands for: an `=` that is
    /// none of an escape, and where the rest of the line goes, the blanks before.
    fn kept_before(&self, span: &mut Span, goes_to_line_end: bool) -> Result<Vec<u8>, Unliftable> {
        let (raw, map) = (self.raw, &self.decoded.map);
        // Dropped blanks would be blanks again, and an `=` at the end of all is a soft line break there only.
        while let Some(unit) = map.unit_ending_at(span.start) {
            let has_line_end = matches!(raw[unit.raw.end - 1], b'\n' | b'\r');
            let is_dropped = unit.decoded.is_empty() && !has_line_end;
            if !is_dropped {
                break;
            }
            span.start = unit.raw.start;
        }
        let from = map.unit_ending_before(span.start).max(self.free_from.min(span.start));
        let literal = &raw[from..span.start];
        let mut n_kept = if goes_to_line_end { n_blanks_before(literal) } else { 0 };
        let before = &literal[..literal.len() - n_kept];
        let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
        n_kept += match before {
            [.., b'='] => 1,
            [.., b'=', digit] if n_kept == 0 && is_digit(digit) => 2,
            _ => 0,
        };
        let kept = literal[literal.len() - n_kept..].to_vec();
        span.start -= n_kept;
        if span.start < self.free_from { Err(Unliftable::Overlap) } else { Ok(kept) }
    }

    /// The line of the output before an offset after the last edit.
    fn line_at(&self, at: usize) -> Line {
        let (rest, is_new) = last_line(&self.raw[self.free_from..at]);
        let mut line = if is_new { Line::default() } else { self.line };
        line.push(rest);
        line
    }

    /// The longest that a line may be, and whether there are lines so long that it does not count.
    fn limit(&mut self) -> (usize, bool) {
        let longest =
            || self.raw.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::len).max();
        let limit = match self.limit {
            Some(limit) => limit,
            None => longest().unwrap_or_default().max(LINE),
        };
        self.limit = Some(limit);
        (limit, limit > LONGEST)
    }
}

/// What follows an edit in its line.
struct Rest {
    /// Its length, or so much that it is too long.
    length: usize,
    /// Whether it is nothing but blanks, which are dropped.
    is_blank: bool,
    line_end: &'static [u8],
}

impl Rest {
    fn of(raw: &[u8], at: usize) -> Rest {
        let window = &raw[at..raw.len().min(at + LONGEST + 1)];
        let found = memchr::memchr2(b'\n', b'\r', window);
        let length = found.unwrap_or(window.len());
        let is_end = found.is_some() || at + length == raw.len();
        let is_blank = is_end && n_blanks(window) == length;
        let line_end: &[u8] = match raw.get(at + length..).unwrap_or_default() {
            [b'\r', b'\n', ..] => b"\r\n",
            [b'\n', ..] => b"\n",
            [b'\r', ..] => b"\r",
            _ if memchr::memmem::find(&raw[..at.min(LONGEST)], b"\r\n").is_some() => b"\r\n",
            _ if raw[..at.min(LONGEST)].contains(&b'\n') => b"\n",
            _ => b"\r\n",
        };
        Rest { length, is_blank, line_end }
    }
}

/// Encodes new text.
struct Writer {
    guards: LineGuards,
    out: Vec<u8>,
    line: Line,
}

impl Writer {
    /// Writes a byte, on a new line if this one is full and lines are kept short.
    fn byte(&mut self, byte: u8, is_last_of_line: bool, line_end: Option<&[u8]>) {
        let is_kept = is_plain(byte) || (is_blank(byte) && !is_last_of_line);
        if let Some(line_end) = line_end {
            // A soft line break needs a column of its own.
            let length = if is_kept { 1 } else { 3 };
            if self.line.column + length + 1 > LINE {
                self.soft_break(line_end);
            }
        }
        if is_kept && !self.line.is_guarded_with(&[byte], self.guards) {
            self.put(&[byte]);
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            let digit = |value: u8| DIGITS[usize::from(value)];
            self.put(&[b'=', digit(byte >> 4), digit(byte & 0xF)]);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.line.push(bytes);
    }

    fn soft_break(&mut self, line_end: &[u8]) {
        self.out.push(b'=');
        self.out.extend_from_slice(line_end);
        self.line = Line::default();
    }
}
