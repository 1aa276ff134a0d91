//! The text after the closing boundary of a multipart (RFC 2046 5.1.1: the epilogue). It is in no
//! part, and mailing lists put their footers there.

use layers::Span;

use super::entity::Defect;
use super::field::line_end;

/// The maximum length of a footer, in octets.
const LONGEST_FOOTER: usize = 2000;

/// Fields of messages, in lower case. Two of them are in the header section of any message.
const FIELDS: [&[u8]; 11] = [
    b"cc",
    b"content-type",
    b"date",
    b"from",
    b"message-id",
    b"mime-version",
    b"received",
    b"return-path",
    b"subject",
    b"to",
    b"x-mozilla-status",
];

/// Returns what is wrong with an epilogue, and the offset: it looks like another message, or is
/// more than a footer.
pub(super) fn defect(bytes: &[u8], span: Span) -> Option<(usize, Defect)> {
    let text = span.slice(bytes).trim_ascii();
    if text.is_empty() {
        return None;
    }
    let start = span.end - span.slice(bytes).trim_ascii_start().len();
    let end = start + text.len();
    let is_long = || (text.len() > LONGEST_FOOTER).then_some((start, Defect::LongEpilogue));
    fields(bytes, (start, end)).map(|at| (at, Defect::FieldsInEpilogue)).or_else(is_long)
}

/// Returns the offset of the first header section in a text: lines of fields, with two different
/// ones of messages.
fn fields(bytes: &[u8], (start, end): (usize, usize)) -> Option<usize> {
    let (mut at, mut section, mut seen) = (start, start, 0_usize);
    while at < end {
        let next = line_end(bytes, at);
        let line = &bytes[at..next.min(end)];
        let is_folded = at > section && matches!(line[0], b' ' | b'\t');
        match name(line) {
            Some(name) => {
                let known = FIELDS.iter().position(|known| name.eq_ignore_ascii_case(known));
                seen |= known.map_or(0, |known| 1 << known);
                if seen.count_ones() > 1 {
                    return Some(section);
                }
            }
            None if is_folded => {}
            None => (section, seen) = (next, 0),
        }
        at = next;
    }
    None
}

/// Returns the name of the field in a line.
fn name(line: &[u8]) -> Option<&[u8]> {
    let n_name = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let (name, rest) = line.split_at(n_name);
    (n_name > 0 && rest.trim_ascii_start().starts_with(b":")).then_some(name)
}
