//! Base64, a transfer encoding of mail (RFC 2045 6.8), from bytes to bytes.
//!
//! Invariant: decoding the raw bytes with the lifted edits applied gives the decoded bytes with the
//! edits applied, or all are refused. Nothing changes before the first group that an edit touches;
//! from there on the body is encoded again, with its own line length and line ends.

use crate::line::LONGEST;
use crate::{Edit, Lifted, LineEnd, Span, Unliftable};

/// The maximum length of a line, in characters (RFC 2045 6.8).
const LINE: usize = 76;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A decoded body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base64Body {
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// The start of each run of the alphabet: its offset in the raw bytes, and the number of
    /// characters before it.
    runs: Vec<(usize, usize)>,
    /// The number of characters of the alphabet.
    n_characters: usize,
    /// The end of the last character, including padding, in the raw bytes.
    end: usize,
    /// True if `=` fills the last group.
    is_padded: bool,
    /// True if the body has only characters in lines, and at most one padding at the end.
    is_clean: bool,
    /// The offset in the raw bytes of the text that follows the data, if there is any.
    rest: Option<usize>,
}

/// The value of bytes that are not in the alphabet.
const NONE: u8 = 0xFF;

/// The values of bytes.
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// Returns the value of a character, if it is in the alphabet.
fn value(byte: u8) -> Option<u8> {
    Some(VALUES[usize::from(byte)]).filter(|value| *value != NONE)
}

/// Decodes a body. Bytes that are not in the alphabet are skipped (RFC 2045 6.8). After padding a
/// new group begins, as long as lines consist of whole groups: what follows then is the footer of a
/// mailing list.
///
/// # Examples
///
/// ```
/// use relink_layers::base64::decode;
/// assert_eq!(decode(b"PGE+\r\nYjwv\r\nYT4=\r\n").bytes, b"<a>b</a>");
/// assert_eq!(decode(b"PGE").bytes, b"<a");
/// ```
pub fn decode(raw: &[u8]) -> Base64Body {
    let mut body = Base64Body { is_clean: true, ..Base64Body::default() };
    body.bytes.reserve(raw.len() / 4 * 3);
    let (mut group, mut n_in_group, mut was_value) = (0_u32, 0, false);
    let mut at = 0;
    // The end of the line up to which the data is known to go on after padding.
    let mut checked = 0;
    while let Some(byte) = raw.get(at) {
        if body.is_padded && at >= checked {
            let length = memchr::memchr2(b'\r', b'\n', &raw[at..]);
            let line = &raw[at..length.map_or(raw.len(), |length| at + length)];
            if !are_groups(line) {
                body.rest = Some(at + line.len() - line.trim_ascii_start().len());
                body.is_clean = false;
                break;
            }
            checked = at + line.len() + 1;
        }
        if n_in_group == 0 {
            let n_groups = whole_groups(&raw[at..], &mut body.bytes);
            if n_groups > 0 {
                body.is_clean &= !body.is_padded;
                if !was_value {
                    body.runs.push((at, body.n_characters));
                }
                was_value = true;
                body.n_characters += 4 * n_groups;
                at += 4 * n_groups;
                body.end = at;
                continue;
            }
        }
        at += 1;
        let Some(value) = value(*byte) else {
            was_value = false;
            match byte {
                b'\r' | b'\n' => {}
                b'=' => {
                    // The padding belongs to the group if the group has enough characters for an
                    // byte.
                    body.is_clean &= body.is_padded || n_in_group >= 2;
                    flush(&mut body.bytes, group, n_in_group);
                    (group, n_in_group) = (0, 0);
                    body.is_padded = true;
                    body.end = at;
                }
                _ => body.is_clean = false,
            }
            continue;
        };
        body.is_clean &= !body.is_padded;
        if !was_value {
            body.runs.push((at - 1, body.n_characters));
        }
        was_value = true;
        body.n_characters += 1;
        body.end = at;
        group = group << 6 | u32::from(value);
        n_in_group += 1;
        if n_in_group == 4 {
            flush(&mut body.bytes, group, n_in_group);
            (group, n_in_group) = (0, 0);
        }
    }
    body.is_clean &= n_in_group != 1;
    flush(&mut body.bytes, group, n_in_group);
    body
}

/// Returns true if a line, or the rest of one after padding, consists of whole groups.
fn are_groups(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let n_padding = line.iter().take_while(|byte| **byte == b'=').count();
    line[n_padding..].chunks(4).all(|group| match *group {
        [one, two, b'=', b'='] => value(one).is_some() && value(two).is_some(),
        [one, two, three, four] => {
            let is_last = four == b'=' || value(four).is_some();
            [one, two, three].into_iter().all(|byte| value(byte).is_some()) && is_last
        }
        _ => false,
    })
}

/// Decodes the whole groups of four characters at the start of `raw`, and returns their number.
fn whole_groups(raw: &[u8], bytes: &mut Vec<u8>) -> usize {
    let mut n_groups = 0;
    for four in raw.chunks_exact(4) {
        let values = [four[0], four[1], four[2], four[3]].map(|byte| VALUES[usize::from(byte)]);
        if values.iter().fold(0, |all, value| all | value) == NONE {
            break;
        }
        let bits = values.iter().fold(0, |bits, value| bits << 6 | u32::from(*value));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
        n_groups += 1;
    }
    n_groups
}

/// Appends the bytes of a group of `n_characters` characters.
fn flush(bytes: &mut Vec<u8>, group: u32, n_characters: usize) {
    let group = (group << (6 * (4 - n_characters.min(4)))).to_be_bytes();
    let n_bytes = n_characters.saturating_sub(1);
    bytes.extend_from_slice(&group[1..=n_bytes]);
}

impl Base64Body {
    /// Returns true if the body has only characters in lines, and at most one padding at the end.
    /// Only then it can be edited.
    pub fn is_clean(&self) -> bool {
        self.is_clean
    }

    /// Returns the offset in the raw bytes of the text that follows the data and is not decoded, if
    /// there is any.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::base64::decode;
    /// let body = decode(b"PGE=\nPGI=\n____\nTo leave: ...\n");
    /// assert_eq!((&body.bytes[..], body.rest()), (&b"<a<b"[..], Some(10)));
    /// ```
    pub fn rest(&self) -> Option<usize> {
        self.rest
    }

    /// Returns the smallest raw span of whole groups whose decoding contains a span of the decoded
    /// bytes; `None` if the body is not clean, so that its groups are not known.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Span, base64::decode};
    /// let raw = b"PGE+\r\nYjwv\r\nYT4=\r\n";
    /// assert_eq!(decode(raw).raw_of(Span::new(1, 2)).unwrap().slice(raw), b"PGE+");
    /// ```
    pub fn raw_of(&self, span: Span) -> Option<Span> {
        let first = span.start / 3 * 4;
        let last = (span.end.div_ceil(3) * 4).min(self.n_characters);
        let start = self.raw_at(first);
        let end = if last == self.n_characters {
            self.end
        } else {
            self.raw_at(last.checked_sub(1)?) + 1
        };
        self.is_clean.then(|| Span::new(start, end.max(start)))
    }

    /// Returns the length of the longest line.
    fn longest_run(&self) -> usize {
        let ends = self.runs.iter().skip(1).map(|(_, before)| *before).chain([self.n_characters]);
        let lengths = self.runs.iter().zip(ends).map(|((_, before), end)| end - before);
        lengths.max().unwrap_or(LINE)
    }

    /// Returns the raw offset of a character.
    fn raw_at(&self, character: usize) -> usize {
        if character >= self.n_characters {
            return self.end;
        }
        let run = self.runs.partition_point(|(_, before)| *before <= character);
        run.checked_sub(1).map_or(0, |run| self.runs[run].0 + (character - self.runs[run].1))
    }
}

/// Lifts sorted, disjoint edits of the decoded bytes to edits of the raw bytes, from which they
/// were decoded: one edit of the groups that are touched, if the lengths are the same; else one
/// from the first of these groups to the end.
///
/// # Examples
///
/// ```
/// use relink_layers::base64::{decode, lift};
/// use relink_layers::{Edit, Edits, LineEnd, Span};
/// let raw = b"PGE+\r\nYjwv\r\nYT4=\r\n";
/// let edit = Edit { span: Span::new(3, 4), text: b"cd"[..].into(), id: 1 };
/// let lifted = lift(raw, &decode(raw), &[edit], LineEnd::Lf);
/// let edits = Edits::new(lifted.edits, raw.len())?;
/// assert_eq!(edits.apply(raw), b"PGE+\r\nY2Q8\r\nL2E+\r\n");
/// # Ok::<(), relink_layers::Disorder>(())
/// ```
pub fn lift(raw: &[u8], body: &Base64Body, edits: &[Edit], line_end: LineEnd) -> Lifted {
    let Some(first) = edits.first() else { return Lifted::default() };
    if !body.is_clean {
        let refused = edits.iter().map(|edit| (edit.id, Unliftable::Unclean)).collect();
        return Lifted { edits: Vec::new(), refused };
    }
    let is_same_length = edits.iter().all(|edit| edit.span.len() == edit.text.len());
    let start = first.span.start / 3 * 3;
    let end = match edits.last() {
        Some(last) if is_same_length => (last.span.end.div_ceil(3) * 3).min(body.bytes.len()),
        _ => body.bytes.len(),
    };
    let mut bytes = Vec::with_capacity(end - start);
    let mut at = start;
    for edit in edits {
        bytes.extend_from_slice(&body.bytes[at..edit.span.start]);
        bytes.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    bytes.extend_from_slice(&body.bytes[at..end]);

    let raw_start = body.raw_at(start / 3 * 4);
    let raw_end = match end {
        _ if end == body.bytes.len() => body.end,
        0 => raw_start,
        _ => body.raw_at(end / 3 * 4 - 1) + 1,
    };
    let span = Span::new(raw_start, raw_end.max(raw_start));
    let text = in_lines(&bytes, raw, body, raw_start, line_end);
    let id = first.id;
    if text == span.slice(raw) {
        Lifted::default()
    } else {
        Lifted { edits: vec![Edit { span, text: text.into(), id }], refused: Vec::new() }
    }
}

/// Encodes bytes in lines like those of the body, from an offset in its raw bytes on.
fn in_lines(bytes: &[u8], raw: &[u8], body: &Base64Body, at: usize, line_end: LineEnd) -> Vec<u8> {
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let first_run = body.runs.first().map_or(0, |(start, _)| *start);
    let width = raw[first_run..].iter().position(is_line_end);
    let line_end: &[u8] = match width.map(|width| &raw[first_run + width..]) {
        Some([b'\r', b'\n', ..]) => b"\r\n",
        Some([b'\r', ..]) => b"\r",
        Some(_) => b"\n",
        None => line_end.bytes(),
    };
    let column = raw[..at].iter().rev().take_while(|byte| !is_line_end(byte)).count();
    // A body that lacks its padding does not get one.
    let is_padded = body.is_padded || body.n_characters.is_multiple_of(4);
    let mut characters = encode(bytes);
    if !is_padded {
        let n_padding = characters.iter().rev().take_while(|byte| **byte == b'=').count();
        characters.truncate(characters.len() - n_padding);
    }
    // A single line gives no width, but shows whether lines may be long.
    let is_long = body.n_characters > LINE
        && (body.n_characters > LONGEST || column + characters.len() <= LONGEST);
    let width = match body.runs.len() {
        0 | 1 if is_long => usize::MAX,
        0 | 1 => LINE,
        _ => body.longest_run(),
    };
    let n_lines = characters.len() / width;
    let mut text = Vec::with_capacity(characters.len() + (n_lines + 1) * line_end.len());
    let mut room = width.saturating_sub(column);
    let mut rest = &characters[..];
    while rest.len() > room {
        text.extend_from_slice(&rest[..room]);
        text.extend_from_slice(line_end);
        (rest, room) = (&rest[room..], width);
    }
    text.extend_from_slice(rest);
    text
}

/// Encodes a group of one to three bytes, with padding.
fn characters(group: &[u8]) -> [u8; 4] {
    let mut bytes = [0; 4];
    bytes[1..=group.len()].copy_from_slice(group);
    let bits = u32::from_be_bytes(bytes);
    [0, 1, 2, 3].map(|idx| {
        if idx <= group.len() { ALPHABET[(bits >> (18 - 6 * idx)) as usize & 63] } else { b'=' }
    })
}

/// Encodes bytes in one line, with padding.
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::base64::encode(b"<a>b"), b"PGE+Yg==");
/// ```
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        out.extend_from_slice(&characters(group));
    }
    out
}
