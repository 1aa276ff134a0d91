//! Flowed text (`format=flowed`): lines are joined to paragraphs, and edits of paragraphs are
//! lifted to edits of lines.
//!
//! A line that ends with a space is continued by the next one if both have the same quote depth;
//! quote marks and the space that stuffs a line are not text. Invariant: a unit decodes to nothing;
//! every line end that is text is unchanged. RFC 3676, sections 4.1 to 4.5.

use crate::map::{Builder, Decoded};
use crate::{Edit, Edits, Lifted, Span, Unliftable};

/// A line.
#[derive(Clone, Copy, Default)]
struct FlowedLine {
    start: usize,
    /// The start of its text, after the quote marks and the space that stuffs it.
    text: usize,
    /// The end of its text, before the line end.
    end: usize,
    /// The start of the next line.
    next: usize,
    depth: usize,
}

impl FlowedLine {
    /// Returns the line that begins at `start`.
    fn at(raw: &str, start: usize) -> FlowedLine {
        let bytes = raw.as_bytes();
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]);
        let end = end.map_or(bytes.len(), |idx| start + idx);
        let next = match &bytes[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [] => end,
            _ => end + 1,
        };
        let depth = bytes[start..end].iter().take_while(|byte| **byte == b'>').count();
        let is_stuffed = bytes[start + depth..end].first() == Some(&b' ');
        FlowedLine { start, text: start + depth + usize::from(is_stuffed), end, next, depth }
    }

    /// Returns true if the next line continues this one: if it has the same quote depth. The space
    /// at the end of a line before a signature separator does not matter.
    fn flows_into(self, next: FlowedLine, raw: &str) -> bool {
        let text = |line: FlowedLine| &raw[line.text..line.end];
        const SIGNATURE: &str = "-- ";
        self.next > self.end
            && next.depth == self.depth
            && text(self).ends_with(' ')
            && text(self) != SIGNATURE
            && text(next) != SIGNATURE
            && next.start < raw.len()
    }
}

/// Decodes a text. With `deletes_space` (`DelSp=yes`) the space at the end of a line that is
/// continued is not text either.
///
/// # Examples
///
/// ```
/// use relink_layers::flowed::decode;
/// let raw = "> see <http://h/ \r\n> a>\r\n\r\nno\r\n";
/// assert_eq!(decode(raw, true).text, "see <http://h/a>\r\n\r\nno\r\n");
/// assert_eq!(decode(raw, false).text, "see <http://h/ a>\r\n\r\nno\r\n");
/// ```
pub fn decode(raw: &str, deletes_space: bool) -> Decoded<'_> {
    let mut builder = Builder::with_capacity(raw.len());
    let mut line = FlowedLine::at(raw, 0);
    // The start of the bytes before the text of the line that are not text.
    let mut dropped = 0;
    loop {
        if dropped < line.text {
            builder.unit(Span::new(dropped, line.text), "");
        }
        let next = FlowedLine::at(raw, line.next);
        if line.flows_into(next, raw) {
            dropped = line.end - usize::from(deletes_space);
            builder.plain(&raw[line.text..dropped]);
        } else {
            dropped = line.next;
            builder.plain(&raw[line.text..dropped]);
            if line.next == raw.len() {
                return builder.finish();
            }
        }
        line = next;
    }
}

/// Returns a text with its paragraphs in lines, each with its quote marks and without the space
/// that stuffs it.
///
/// # Examples
///
/// ```
/// use relink_layers::flowed::joined;
/// let raw = ">> one \n>> two\n> three\n From here \non\n-- \nme\n";
/// assert_eq!(joined(raw, false), ">> one two\n> three\nFrom here on\n-- \nme\n");
/// ```
pub fn joined(raw: &str, deletes_space: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let (mut line, mut is_start) = (FlowedLine::at(raw, 0), true);
    while line.start < raw.len() {
        let next = FlowedLine::at(raw, line.next);
        let flows = line.flows_into(next, raw);
        if is_start && line.depth > 0 {
            out.push_str(&raw[line.start..line.start + line.depth]);
            out.push_str(if line.text < line.end { " " } else { "" });
        }
        out.push_str(&raw[line.text..line.end - usize::from(flows && deletes_space)]);
        if !flows {
            out.push('\n');
        }
        (line, is_start) = (next, !flows);
    }
    out
}

/// Lifts edits of the paragraphs. None may change which lines are flowed: if all of them together
/// would, all are refused.
pub(crate) fn lift(
    raw: &[u8],
    decoded: &Decoded<'_>,
    edits: &[Edit],
    deletes_space: bool,
) -> Lifted {
    let mut lifted = Lifted::default();
    let mut free_from = 0;
    for edit in edits {
        let one = one(raw, decoded, edit).and_then(|written| match written {
            Some(edit) if edit.span.start < free_from => Err(Unliftable::Overlap),
            written => Ok(written),
        });
        match one {
            Ok(written) => {
                free_from = written.as_ref().map_or(free_from, |edit| edit.span.end);
                lifted.edits.extend(written);
            }
            Err(reason) => lifted.refused.push((edit.id, reason)),
        }
    }
    if lifted.edits.is_empty() || reads_as(raw, decoded, edits, &lifted, deletes_space) {
        return lifted;
    }
    let refused = edits.iter().map(|edit| (edit.id, Unliftable::Flow)).collect();
    Lifted { edits: Vec::new(), refused }
}

/// Lifts one edit, so that its line remains one line.
fn one(raw: &[u8], decoded: &Decoded<'_>, edit: &Edit) -> Result<Option<Edit>, Unliftable> {
    if let Some(byte) = edit.text.iter().find(|byte| matches!(byte, b'\n' | b'\r')) {
        return Err(Unliftable::Unencodable(char::from(*byte)));
    }
    let Span { start, mut end } = decoded.map.widen(edit.span).raw;
    let is_end = |byte: Option<&u8>| matches!(byte, Some(b'\n' | b'\r'));
    // With the space that marks a flowed line its line end is removed too; with a line end the
    // quote marks after it are removed too.
    while end > start
        && let Some(unit) = decoded.map.whole_unit_at(end)
    {
        let ends_flow = raw[end - 1] == b' ' && edit.text.last() != Some(&b' ');
        if !(ends_flow && is_end(raw.get(end)) || is_end(raw.get(end - 1))) {
            break;
        }
        end = unit.raw.end;
    }
    let unit = decoded.map.unit_ending_at(start);
    let is_stuffed = unit.is_some_and(|unit| unit.raw.slice(raw).ends_with(b" "));
    let is_first = start == 0 || unit.is_some() || is_end(raw.get(start - 1));
    let first = edit.text.first().or(raw.get(end));
    let needs_stuffing = is_first && !is_stuffed && matches!(first, Some(b' ' | b'>'));
    let before = if is_first { None } else { raw.get(start - 1) };
    let is_last = is_end(raw.get(end)) && decoded.map.whole_unit_at(end).is_none();
    if is_last && edit.text.last().or(before) == Some(&b' ') {
        return Err(Unliftable::Flow);
    }
    let span = Span::new(start, end);
    let text = if needs_stuffing { [b" ", &*edit.text].concat().into() } else { edit.text.clone() };
    Ok((span.slice(raw) != &*text).then_some(Edit { span, text, id: edit.id }))
}

/// Returns true if the raw bytes with the lifted edits applied decode to the text with the edits
/// applied.
fn reads_as(
    raw: &[u8],
    decoded: &Decoded<'_>,
    edits: &[Edit],
    lifted: &Lifted,
    deletes_space: bool,
) -> bool {
    let mut refused = lifted.refused.iter().peekable();
    let made = edits.iter().filter(|edit| refused.next_if(|(id, _)| *id == edit.id).is_none());
    let expected = Edits::new(made.cloned().collect(), decoded.text.len());
    let output = Edits::new(lifted.edits.clone(), raw.len());
    let (Ok(expected), Ok(output)) = (expected, output) else { return false };
    let (expected, output) = (expected.apply(decoded.text.as_bytes()), output.apply(raw));
    std::str::from_utf8(&output)
        .is_ok_and(|output| decode(output, deletes_space).text.as_bytes() == expected)
}
