//! The lifting of edits of the decoded bytes of quoted-printable to edits of the raw bytes.

use super::{QuotedPrintableBody, is_blank, n_blanks, n_blanks_before};
use crate::line::{HEAD, LONGEST, Line, LineEnd, LineGuards, last_line};
use crate::{Edit, Lifted, Span, Unliftable};

/// The maximum length of a line, in characters (RFC 2045 6.7 (5)).
const LINE: usize = 76;

/// Returns true if a byte is written unescaped anywhere in a line.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && byte != b'='
}

/// Lifts sorted, disjoint edits of the decoded bytes to edits of the raw bytes, from which they
/// were decoded.
///
/// # Examples
///
/// ```
/// use relink_layers::quoted_printable::{decode, lift};
/// use relink_layers::{Edit, Edits, LineGuards, Span};
/// let raw = b"<a href=3D\"../x=\r\ny\">";
/// let decoded = decode(raw);
/// let edit = Edit { span: Span::new(9, 14), text: b"http://h/?a=b"[..].into(), id: 1 };
/// let lifted = lift(raw, &decoded, &[edit], LineGuards::default());
/// let edits = Edits::new(lifted.edits, raw.len())?;
/// assert_eq!(edits.apply(raw), b"<a href=3D\"http://h/?a=3Db\">");
/// # Ok::<(), relink_layers::Disorder>(())
/// ```
pub fn lift(
    raw: &[u8],
    decoded: &QuotedPrintableBody<'_>,
    edits: &[Edit],
    guards: LineGuards,
) -> Lifted {
    let has_lines = memchr::memchr2(b'\n', b'\r', raw).is_some();
    let usual = if has_lines { LineEnd::detect(raw) } else { guards.line_end };
    let line = Line::default();
    let mut lift =
        QuotedPrintableLift { raw, decoded, guards, usual, limit: None, free_from: 0, line };
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
struct QuotedPrintableLift<'l> {
    raw: &'l [u8],
    decoded: &'l QuotedPrintableBody<'l>,
    guards: LineGuards,
    /// The line end to use if the text after an edit shows none.
    usual: LineEnd,
    /// The maximum length of a line, once it is known.
    limit: Option<usize>,
    /// The end of the edit that was lifted last, and the line in the output after its new text.
    free_from: usize,
    line: Line,
}

impl QuotedPrintableLift<'_> {
    fn edit(&mut self, edit: &Edit) -> Result<Option<Edit>, Unliftable> {
        let raw = self.raw;
        let bytes = &self.decoded.bytes;
        let widened = self.decoded.widen(edit.span);
        let mut span = widened.raw;
        let rest = RestOfLine::new(raw, span.end, self.usual);
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
        let mut writer = QuotedPrintableWriter {
            guards: self.guards,
            out: Vec::with_capacity(text.len() + 8),
            line,
        };
        if fits && line.column >= HEAD && text.iter().all(|byte| is_plain(*byte)) {
            writer.put(&text);
        } else {
            let line_end = (!fits).then_some(rest.line_end);
            let mut at = 0;
            while at < text.len() {
                at += writer.plain(&text[at..], line_end.is_some());
                let Some(byte) = text.get(at) else { break };
                let is_last = at + 1 == text.len() && rest.is_blank;
                writer.byte(*byte, is_last, line_end);
                at += 1;
            }
        }
        // The rest of the line would make it longer than allowed.
        let after = &raw[span.end..raw.len().min(span.end + HEAD)];
        let is_too_long = !is_long && !rest.is_blank && writer.line.column + rest.length > limit;
        if is_too_long && !text.is_empty() && !Line::default().is_guarded_with(after, self.guards) {
            writer.soft_break(rest.line_end);
        }
        // A soft line break that ends with CR would include the LF.
        if writer.out.is_empty() && raw[..span.start].ends_with(b"\r") && after.starts_with(b"\n") {
            return Err(Unliftable::Forbidden("a line of the message"));
        }
        let has_after = after.first().is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
        if has_after && writer.line.is_guarded_with(after, self.guards) {
            // The byte after the edit is written again, escaped.
            let is_literal =
                is_plain(after[0]) && (is_long || writer.line.column + rest.length + 2 <= limit);
            if !is_literal {
                return Err(Unliftable::Forbidden("a line of the message"));
            }
            writer.escape(after[0]);
            span.end += 1;
        }
        if writer.out == span.slice(raw) {
            return Ok(None);
        }
        // A blank of the previous edit would be at the end of its line, where blanks are dropped.
        if writer.out.is_empty() && rest.is_blank && line.ends_with_blank() {
            return Err(Unliftable::Overlap);
        }
        (self.free_from, self.line) = (span.end, writer.line);
        Ok(Some(Edit { span, text: writer.out.into(), id: edit.id }))
    }

    /// Widens an edit to the left over bytes that would be read differently next to new text, and
    /// returns their decoded text: an `=` that begins no escape, and, if the rest of the line is
    /// removed, the blanks before it.
    fn kept_before(&self, span: &mut Span, goes_to_line_end: bool) -> Result<Vec<u8>, Unliftable> {
        let (raw, body) = (self.raw, self.decoded);
        // Dropped blanks would be kept again, and an `=` at the end of the body is a soft line
        // break only there.
        let mut before = body.unit_before(span.start);
        while let (Some(unit), end) = before
            && end == span.start
        {
            let has_line_end = matches!(raw[end - 1], b'\n' | b'\r');
            let is_dropped = unit.decoded.is_empty() && !has_line_end;
            if !is_dropped {
                break;
            }
            span.start = unit.raw.start;
            before = body.unit_before(span.start);
        }
        let from = before.1.max(self.free_from.min(span.start));
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

    /// Returns the line of the output before an offset after the last edit.
    fn line_at(&self, at: usize) -> Line {
        let (rest, is_new) = last_line(&self.raw[self.free_from..at]);
        let mut line = if is_new { Line::default() } else { self.line };
        line.push(rest);
        line
    }

    /// Returns the maximum length of a line, and true if there are lines so long that it does not
    /// matter.
    fn limit(&mut self) -> (usize, bool) {
        let limit = self.limit.unwrap_or_else(|| longest_line(self.raw, LINE));
        self.limit = Some(limit);
        (limit, limit > LONGEST)
    }
}

/// Returns the length of the longest line, but at least `least`. Of a line that is not longer than
/// one before it, only the end is looked at.
fn longest_line(raw: &[u8], least: usize) -> usize {
    let (mut longest, mut rest) = (least, raw);
    while rest.len() > longest {
        let end = memchr::memrchr2(b'\n', b'\r', &rest[..=longest]).or_else(|| {
            let end = memchr::memchr2(b'\n', b'\r', &rest[longest..]);
            longest = end.map_or(rest.len(), |length| longest + length);
            end.map(|_| longest)
        });
        let Some(end) = end else { break };
        rest = &rest[end + 1..];
    }
    longest
}

/// The rest of the line after an edit.
struct RestOfLine {
    /// Its length, or a length that is too long.
    length: usize,
    /// True if it is only blanks, which are dropped.
    is_blank: bool,
    line_end: &'static [u8],
}

impl RestOfLine {
    fn new(raw: &[u8], at: usize, usual: LineEnd) -> RestOfLine {
        let window = &raw[at..raw.len().min(at + LONGEST + 1)];
        let found = memchr::memchr2(b'\n', b'\r', window);
        let length = found.unwrap_or(window.len());
        let is_end = found.is_some() || at + length == raw.len();
        let is_blank = is_end && n_blanks(window) == length;
        let line_end: &[u8] = match raw.get(at + length..).unwrap_or_default() {
            [b'\r', b'\n', ..] => b"\r\n",
            [b'\n', ..] => b"\n",
            // A CR alone counts as line end only in texts that have no other.
            _ => usual.bytes(),
        };
        RestOfLine { length, is_blank, line_end }
    }
}

/// The encoder of new text.
struct QuotedPrintableWriter {
    guards: LineGuards,
    out: Vec<u8>,
    line: Line,
}

impl QuotedPrintableWriter {
    /// Writes the bytes at the start of a text that need no escape, and that fit on this line if
    /// lines are broken. Returns their number; 0 if a line begins with them, which may need one.
    fn plain(&mut self, text: &[u8], breaks_lines: bool) -> usize {
        if self.line.column < HEAD {
            return 0;
        }
        let room =
            if breaks_lines { (LINE - 1).saturating_sub(self.line.column) } else { text.len() };
        let text = &text[..room.min(text.len())];
        let n_plain = text.iter().position(|byte| !is_plain(*byte)).unwrap_or(text.len());
        self.put(&text[..n_plain]);
        n_plain
    }

    /// Writes a byte, on a new line if this one is full and lines are broken.
    fn byte(&mut self, byte: u8, is_last_of_line: bool, line_end: Option<&[u8]>) {
        let is_kept = is_plain(byte) || (is_blank(byte) && !is_last_of_line);
        if let Some(line_end) = line_end {
            // The `=` of a soft line break takes one column.
            let length = if is_kept { 1 } else { 3 };
            if self.line.column + length + 1 > LINE {
                self.soft_break(line_end);
            }
        }
        if is_kept && !self.line.is_guarded_with(&[byte], self.guards) {
            self.put(&[byte]);
        } else {
            self.escape(byte);
        }
    }

    fn escape(&mut self, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let digit = |value: u8| DIGITS[usize::from(value)];
        self.put(&[b'=', digit(byte >> 4), digit(byte & 0xF)]);
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
