//! uuencode, a transfer encoding of old mail (POSIX.1, `uuencode`), from bytes to bytes: a line
//! `begin MODE NAME`, lines that each begin with the number of their bytes, and a line `end`.
//!
//! Invariant: decoding the raw bytes with the lifted edits applied gives the decoded bytes with the
//! edits applied. Lines that no edit touches stay as they are, since a line may have any length.

use crate::{Edit, Lifted, LineEnd, Span};

/// The maximum number of bytes in a line, as programs write it.
const LONGEST: usize = 45;

/// The character of the digit 0 that no program removes, unlike a space.
const ZERO: u8 = b'`';

/// A decoded body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UuencodedBody {
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// The lines with data: their raw bytes without line ends, and the offsets of what they decode
    /// to.
    lines: Vec<(Span, usize)>,
    /// The character of the digit 0 in this body.
    zero: u8,
    /// The offset of the text after the data, if there is some.
    rest: Option<usize>,
}

/// Decodes a body; `None` if it does not have the form.
///
/// # Examples
///
/// ```
/// use relink_layers::uuencode::decode;
/// let raw = b"begin 644 a.html\n'/&$^8CPO80\n`\nend\n";
/// assert_eq!(decode(raw).unwrap().bytes, b"<a>b</a");
/// assert_eq!(decode(b"text"), None);
/// ```
pub fn decode(raw: &[u8]) -> Option<UuencodedBody> {
    let mut body = UuencodedBody { zero: ZERO, ..UuencodedBody::default() };
    let mut at = 0;
    let (mut is_inside, mut has_space) = (false, false);
    while at < raw.len() {
        let end = at + memchr::memchr2(b'\n', b'\r', &raw[at..]).unwrap_or(raw.len() - at);
        let (start, line) = (at, &raw[at..end]);
        at = end + 1;
        if !is_inside {
            is_inside = is_begin(line);
        } else if line.trim_ascii_end() == b"end" {
            let n_blanks = raw[end..].len() - raw[end..].trim_ascii_start().len();
            body.rest = Some(end + n_blanks).filter(|rest| *rest < raw.len());
            break;
        } else if let Some((first, digits)) = line.split_first() {
            let n_bytes = usize::from(value(*first)?);
            let n_digits = n_bytes.div_ceil(3) * 4;
            let digits = &digits[..digits.len().min(n_digits)];
            has_space |= digits.contains(&b' ');
            if n_bytes > 0 {
                body.lines.push((Span::new(start, end), body.bytes.len()));
            }
            let len = body.bytes.len() + n_bytes;
            for group in 0..n_bytes.div_ceil(3) {
                // Spaces at the end of a line may be missing.
                let digit = |idx| digits.get(4 * group + idx).map_or(Some(0), |byte| value(*byte));
                let bits = [digit(0)?, digit(1)?, digit(2)?, digit(3)?]
                    .iter()
                    .fold(0, |bits, digit| bits << 6 | u32::from(*digit));
                body.bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            }
            body.bytes.truncate(len);
        }
    }
    if has_space {
        body.zero = b' ';
    }
    is_inside.then_some(body)
}

/// Returns true for `begin 644 name`.
fn is_begin(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"begin ").unwrap_or_default();
    let n_digits = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    n_digits > 0 && rest.get(n_digits) == Some(&b' ')
}

/// Returns the value of a digit.
fn value(byte: u8) -> Option<u8> {
    matches!(byte, b' '..=b'`').then(|| (byte - b' ') & 0x3F)
}

impl UuencodedBody {
    /// Returns the indexes of the lines that contain a span of the decoded bytes, and one after the
    /// last of them.
    fn lines_of(&self, span: Span) -> (usize, usize) {
        let up_to = |offset: usize| self.lines.partition_point(|(_, start)| *start <= offset);
        let first = up_to(span.start).saturating_sub(1);
        let last = up_to(span.end.max(span.start + 1) - 1);
        (first, last.max(first + 1).min(self.lines.len()))
    }

    /// Returns the raw span of the lines that contain a span of the decoded bytes; `None` if there
    /// is no line.
    pub fn raw_of(&self, span: Span) -> Option<Span> {
        let (first, end) = self.lines_of(span);
        let (last, _) = self.lines.get(end.checked_sub(1)?)?;
        Some(Span::new(self.lines.get(first)?.0.start, last.end))
    }

    /// Returns the offset in the raw bytes of the text after the line `end`, such as another file,
    /// which is not decoded; `None` if there is none.
    pub fn rest(&self) -> Option<usize> {
        self.rest
    }

    /// Returns the raw span of the data, from the first line to the last; empty if there is none.
    pub fn data(&self) -> Span {
        match (self.lines.first(), self.lines.last()) {
            (Some((first, _)), Some((last, _))) => Span::new(first.start, last.end),
            _ => Span::default(),
        }
    }

    /// Returns the offset in the decoded bytes of a line, or their length.
    fn start_of(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.bytes.len(), |(_, start)| *start)
    }

    /// Encodes bytes in lines.
    fn encode(&self, bytes: &[u8], line_end: LineEnd) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() / 3 * 4 + bytes.len() / LONGEST * 3 + 64);
        let digit = |value: u8| if value == 0 { self.zero } else { value + b' ' };
        let mut rest = bytes;
        while !rest.is_empty() {
            let mut n_bytes = rest.len().min(LONGEST);
            // A line that begins with two hyphens could be a boundary.
            if n_bytes == usize::from(b'-' - b' ') && rest[0] >> 2 == b'-' - b' ' {
                n_bytes -= 1;
            }
            let (line, after) = rest.split_at(n_bytes);
            rest = after;
            if !out.is_empty() {
                out.extend_from_slice(line_end.bytes());
            }
            out.push(b' ' + u8::try_from(n_bytes).unwrap_or_default());
            for group in line.chunks(3) {
                let byte = |idx| u32::from(group.get(idx).copied().unwrap_or_default());
                let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
                let values = [18, 12, 6, 0].map(|shift| u8::try_from(bits >> shift & 0x3F));
                out.extend(values.map(|value| digit(value.unwrap_or_default())));
            }
        }
        out
    }
}

/// Lifts sorted, disjoint edits of the decoded bytes to edits of the raw bytes, from which they
/// were decoded: each replaces the lines that it touches.
///
/// # Examples
///
/// ```
/// use relink_layers::uuencode::{decode, lift};
/// use relink_layers::{Edit, Edits, LineEnd, Span};
/// let raw = b"begin 644 a.html\n#/&$^\n$8CPO80``\n`\nend\n";
/// let edit = Edit { span: Span::new(3, 4), text: b"cd"[..].into(), id: 1 };
/// let lifted = lift(&decode(raw).unwrap(), &[edit], LineEnd::Lf);
/// let edited = Edits::new(lifted.edits, raw.len())?.apply(raw);
/// assert!(edited.starts_with(b"begin 644 a.html\n#/&$^\n%"));
/// assert_eq!(decode(&edited).unwrap().bytes, b"<a>cd</a");
/// # Ok::<(), relink_layers::Disorder>(())
/// ```
pub fn lift(body: &UuencodedBody, edits: &[Edit], line_end: LineEnd) -> Lifted {
    let mut lifted = Lifted::default();
    let mut rest = edits;
    while let Some(edit) = rest.first() {
        let (first, mut end) = body.lines_of(edit.span);
        if end == 0 {
            // There is no line that could contain it.
            let refused = rest.iter().map(|edit| (edit.id, crate::Unliftable::Unclean));
            lifted.refused.extend(refused);
            break;
        }
        let mut n_edits = 1;
        while let Some(next) = rest.get(n_edits).map(|edit| body.lines_of(edit.span)) {
            if next.0 >= end {
                break;
            }
            (end, n_edits) = (end.max(next.1), n_edits + 1);
        }
        let mut at = body.start_of(first);
        let mut bytes = Vec::new();
        for edit in &rest[..n_edits] {
            bytes.extend_from_slice(&body.bytes[at..edit.span.start]);
            bytes.extend_from_slice(&edit.text);
            at = edit.span.end;
        }
        bytes.extend_from_slice(&body.bytes[at..body.start_of(end)]);
        let span = Span::new(body.lines[first].0.start, body.lines[end - 1].0.end);
        let text = match body.encode(&bytes, line_end) {
            // A line without bytes, which ends nothing.
            text if text.is_empty() => vec![ZERO],
            text => text,
        };
        lifted.edits.push(Edit { span, text: text.into(), id: edit.id });
        rest = &rest[n_edits..];
    }
    lifted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edits;

    /// Lines of Python's `binascii.b2a_uu`.
    const LINES: [&str; 3] = ["#86)C", "\"9&4 ", "!9@``"];

    fn raw() -> String {
        format!("text\n\nbegin 644 a b\n{}\n`\nend\nfooter\n", LINES.join("\n"))
    }

    #[test]
    fn lines_are_decoded() {
        assert_eq!(decode(raw().as_bytes()).unwrap().bytes, b"abcdef");
        assert_eq!(decode(raw().replace('\n', "\r\n").as_bytes()).unwrap().bytes, b"abcdef");
        // The end is missing, and so are spaces.
        assert_eq!(decode(b"begin 0 x\n!80").unwrap().bytes, b"a");
        assert_eq!(decode(b"begin 0 x\n!80  and more").unwrap().bytes, b"a");
        assert_eq!(decode(b"begin 0 x\nend\n").unwrap().bytes, b"");
        for raw in [&b""[..], b"begin \n", b"begin x y\n", b"begin 644\n", b"begin 0 x\n#aaaa\n"] {
            assert_eq!(decode(raw), None);
        }
    }

    #[test]
    fn edits_replace_lines() {
        let raw = raw();
        let body = decode(raw.as_bytes()).unwrap();
        for start in 0..=body.bytes.len() {
            for end in start..=body.bytes.len() {
                for text in
                    ["", "x", "longer text that does not fit into the line in which it is written"]
                {
                    let edit =
                        Edit { span: Span::new(start, end), text: text.as_bytes().into(), id: 0 };
                    let expected = Edits::new(vec![edit.clone()], body.bytes.len())
                        .unwrap()
                        .apply(&body.bytes);
                    let lifted = lift(&body, &[edit], LineEnd::Lf);
                    let edited = Edits::new(lifted.edits, raw.len()).unwrap().apply(raw.as_bytes());
                    assert_eq!(decode(&edited).unwrap().bytes, expected, "{start} {end} {text}");
                    let edited = String::from_utf8(edited).unwrap();
                    let is_kept = |idx: usize| edited.contains(LINES[idx]);
                    assert!(end >= 3 || (is_kept(1) && is_kept(2)), "{edited}");
                    assert!(start < 5 || (is_kept(0) && is_kept(1)), "{edited}");
                }
            }
        }
    }

    #[test]
    fn no_line_is_a_boundary() {
        let body = decode(raw().as_bytes()).unwrap();
        let text = vec![(b'-' - b' ') << 2; 13];
        let encoded = body.encode(&text, LineEnd::Lf);
        assert!(!encoded.starts_with(b"--"));
        let raw = [b"begin 0 x\n", &encoded[..]].concat();
        assert_eq!(decode(&raw).unwrap().bytes, text);
    }
}
