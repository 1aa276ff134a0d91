//! Base64, the other transfer encoding of mail (RFC 2045 6.8): bytes to bytes.
//!
//! Invariant: decoding the raw bytes with the lifted edits made gives the decoded bytes with the edits made, or all are refused. Before the first
//! group that an edit touches nothing changes; from there on the body is written anew, in its own line length and line ends.

use crate::{Edit, Lifted, Span, Unliftable};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A decoded body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// Where runs of the alphabet begin: in the raw bytes, and how many characters come before.
    runs: Vec<(usize, usize)>,
    /// The number of characters of the alphabet.
    n_characters: usize,
    /// Where the last character ends, padding included.
    end: usize,
    /// Whether `=` fills the last group.
    is_padded: bool,
    /// Whether there is nothing but characters in lines, and one padding at the end.
    is_clean: bool,
}

/// What a character stands for.
fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Decodes a body. What is not of the alphabet is passed over (RFC 2045 6.8); after padding a new group begins.
///
/// ```
/// use layers::base64::decode;
/// assert_eq!(decode(b"PGE+\r\nYjwv\r\nYT4=\r\n").bytes, b"<a>b</a>");
/// assert_eq!(decode(b"PGE").bytes, b"<a");
/// ```
pub fn decode(raw: &[u8]) -> Body {
    let mut body = Body { is_clean: true, ..Body::default() };
    body.bytes.reserve(raw.len() / 4 * 3);
    let (mut group, mut n_in_group, mut was_value) = (0_u32, 0, false);
    for (at, byte) in raw.iter().enumerate() {
        let Some(value) = value(*byte) else {
            was_value = false;
            match byte {
                b'\r' | b'\n' => {}
                b'=' => {
                    // It is one of the group if there are bits left in that.
                    body.is_clean &= body.is_padded || n_in_group >= 2;
                    flush(&mut body.bytes, group, n_in_group);
                    (group, n_in_group) = (0, 0);
                    body.is_padded = true;
                    body.end = at + 1;
                }
                _ => body.is_clean = false,
            }
            continue;
        };
        body.is_clean &= !body.is_padded;
        if !was_value {
            body.runs.push((at, body.n_characters));
        }
        was_value = true;
        body.n_characters += 1;
        body.end = at + 1;
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

/// Adds the octets of a group of so many characters.
fn flush(bytes: &mut Vec<u8>, group: u32, n_characters: usize) {
    let octets = (group << (6 * (4 - n_characters.min(4)))).to_be_bytes();
    let n_octets = n_characters.saturating_sub(1);
    bytes.extend_from_slice(&octets[1..=n_octets]);
}

impl Body {
    /// The smallest raw span of whole groups whose decoding holds a span of the decoded bytes; `None` if the body is not clean, where
    /// groups cannot be told.
    ///
    /// ```
    /// use layers::{Span, base64::decode};
    /// let raw = b"PGE+\r\nYjwv\r\nYT4=\r\n";
    /// assert_eq!(decode(raw).raw_of(Span::new(1, 2)).unwrap().of(raw), b"PGE+");
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

    /// Where a character stands.
    fn raw_at(&self, character: usize) -> usize {
        if character >= self.n_characters {
            return self.end;
        }
        let run = self.runs.partition_point(|(_, before)| *before <= character);
        run.checked_sub(1).map_or(0, |run| self.runs[run].0 + (character - self.runs[run].1))
    }
}

/// Lifts sorted, disjoint edits of the decoded bytes to edits of the raw bytes, which are what they were decoded from: one of the groups that
/// are touched, where the lengths are the same; else one from the first of them to the end.
///
/// ```
/// use layers::base64::{decode, lift};
/// use layers::{Edit, Edits, Span};
/// let raw = b"PGE+\r\nYjwv\r\nYT4=\r\n";
/// let edit = Edit { span: Span::new(3, 4), text: b"cd"[..].into(), id: 1 };
/// let lifted = lift(raw, &decode(raw), &[edit]);
/// let edits = Edits::new(lifted.edits, raw.len())?;
/// assert_eq!(edits.apply(raw), b"PGE+\r\nY2Q8\r\nL2E+\r\n");
/// # Ok::<(), layers::Disorder>(())
/// ```
pub fn lift(raw: &[u8], body: &Body, edits: &[Edit]) -> Lifted {
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
    let text = in_lines(&bytes, raw, body, raw_start);
    let id = first.id;
    match text == span.of(raw) {
        true => Lifted::default(),
        false => Lifted { edits: vec![Edit { span, text: text.into(), id }], refused: Vec::new() },
    }
}

/// Bytes in base64, in lines like those of the body, from an offset in its raw bytes on.
fn in_lines(bytes: &[u8], raw: &[u8], body: &Body, at: usize) -> Vec<u8> {
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let first_run = body.runs.first().map_or(0, |(start, _)| *start);
    let width = raw[first_run..].iter().position(is_line_end);
    let line_end: &[u8] = match width.map(|width| &raw[first_run + width..]) {
        Some([b'\r', b'\n', ..]) => b"\r\n",
        Some([b'\r', ..]) => b"\r",
        _ => b"\n",
    };
    // One line alone tells nothing of the others.
    let has_lines = body.runs.len() > 1;
    let width = width.filter(|width| has_lines && *width > 0).unwrap_or(usize::MAX);
    let mut column = raw[..at].iter().rev().take_while(|byte| !is_line_end(byte)).count();
    let mut text = Vec::with_capacity(bytes.len() / 3 * 4 + 8);
    let mut put = |byte: u8, text: &mut Vec<u8>| {
        if column >= width {
            text.extend_from_slice(line_end);
            column = 0;
        }
        text.push(byte);
        column += 1;
    };
    // A body that was not padded, and would have had to be, stays so.
    let is_padded = body.is_padded || body.n_characters.is_multiple_of(4);
    for group in bytes.chunks(3) {
        let n_characters = if is_padded { 4 } else { group.len() + 1 };
        characters(group).into_iter().take(n_characters).for_each(|byte| put(byte, &mut text));
    }
    text
}

/// A group of one to three octets in the alphabet, padded.
fn characters(group: &[u8]) -> [u8; 4] {
    let mut octets = [0; 4];
    octets[1..=group.len()].copy_from_slice(group);
    let bits = u32::from_be_bytes(octets);
    [0, 1, 2, 3].map(|idx| match idx <= group.len() {
        true => ALPHABET[(bits >> (18 - 6 * idx)) as usize & 63],
        false => b'=',
    })
}

/// Bytes in base64, in one line, padded.
///
/// ```
/// assert_eq!(layers::base64::encode(b"<a>b"), b"PGE+Yg==");
/// ```
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(3).flat_map(characters).collect()
}
