//! The smallest edit from an old text to a new one.
//!
//! Invariant: edits begin and end between characters, and never inside a percent-escape.

use layers::{Edit, Map, Span};

/// Returns the span of `old` to replace and the part of `new` to replace it with, so that the text
/// is read as `new`; `None` if it is already read so.
///
/// `cleaned` is `old` as it is read, without the tabs and line ends inside (WHATWG URL 4.1); those
/// outside of the edit stay, unless they would be before or after the new text, and not inside.
pub(crate) fn edit<'n>(old: &str, cleaned: &str, new: &'n str) -> Option<(Span, &'n str)> {
    let (mut span, text) = between(cleaned, new)?;
    if cleaned.len() != old.len() {
        // The offsets in `old` of the bytes that are read.
        let read: Vec<usize> = old
            .bytes()
            .enumerate()
            .filter(|(_, byte)| !b"\t\n\r".contains(byte))
            .map(|(at, _)| at)
            .collect();
        let offset = |idx: usize| read.get(idx).copied().unwrap_or(old.len());
        let mut start = offset(span.start);
        let mut end = if span.is_empty() { start } else { read[span.end - 1] + 1 };
        if text.is_empty() && span.start == 0 {
            end = offset(span.end);
        } else if text.is_empty() && span.end == cleaned.len() {
            start = read[span.start - 1] + 1;
        }
        span = Span::new(start, end);
    }
    Some((span, text))
}

/// Splits edits of a text at the gaps between its pieces: the new text is before the first gap.
pub(crate) fn split(edits: Vec<Edit>, gaps: &[Span], map: &Map) -> Vec<Edit> {
    if gaps.is_empty() {
        return edits;
    }
    let offsets: Vec<usize> = gaps.iter().map(|gap| map.decoded_of(gap.end)).collect();
    let mut parts = Vec::with_capacity(edits.len());
    for mut edit in edits {
        let first = offsets.partition_point(|at| *at <= edit.span.start);
        let (id, end) = (edit.id, edit.span.end);
        for at in offsets[first..].iter().copied().take_while(|at| *at < end) {
            if at > edit.span.start {
                edit.span.end = at;
                parts.push(edit);
                edit = Edit { span: Span::new(at, end), text: b"".as_slice().into(), id };
            }
        }
        parts.push(edit);
    }
    parts
}

/// Returns the edit of `old` that gives `new`. A common suffix stays, then a common prefix.
fn between<'n>(old: &str, new: &'n str) -> Option<(Span, &'n str)> {
    if old == new {
        return None;
    }
    // A prefix added to a path usually leaves the path whole.
    if let Some(front) = new.strip_suffix(old)
        && !old.is_empty()
    {
        return Some((Span::new(0, 0), front));
    }
    let suffix = n_same_at_end(old.as_bytes(), new.as_bytes());
    let suffix = to_border(old, old.len() - suffix, |at| at + 1);
    let (old_end, new_end) = (suffix, new.len() - (old.len() - suffix));
    let prefix =
        old[..old_end].bytes().zip(new[..new_end].bytes()).take_while(|(a, b)| a == b).count();
    let prefix = to_border(old, prefix, |at| at - 1);
    Some((Span::new(prefix, old_end), &new[prefix..new_end]))
}

/// Returns the number of bytes at the end of both texts that are the same.
fn n_same_at_end(a: &[u8], b: &[u8]) -> usize {
    let mut n_same = 0;
    for (a, b) in a.as_rchunks().1.iter().rev().zip(b.as_rchunks().1.iter().rev()) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return n_same + differing.leading_zeros() as usize / 8;
        }
        n_same += 8;
    }
    // One of them has fewer than eight bytes left.
    let (a, b) = (&a[..a.len() - n_same], &b[..b.len() - n_same]);
    n_same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Moves an offset by `step` until it is on a boundary.
fn to_border(text: &str, at: usize, step: impl Fn(usize) -> usize) -> usize {
    let bytes = text.as_bytes();
    let is_inside_escape = |at: usize| {
        (at >= 1 && at < text.len() && bytes[at - 1] == b'%')
            || (at >= 2
                && at < text.len()
                && bytes[at - 2] == b'%'
                && bytes[at].is_ascii_hexdigit())
    };
    let mut at = at;
    while !text.is_char_boundary(at) || is_inside_escape(at) {
        at = step(at);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, start: usize, end: usize, text: &str) {
        assert_eq!(edit(old, old, new), Some((Span::new(start, end), text)));
        assert_eq!(format!("{}{text}{}", &old[..start], &old[end..]), new);
    }

    #[test]
    fn keeps_what_both_end_and_begin_with() {
        check("a.html", "http://h/a.html", 0, 0, "http://h/");
        check("../x/a.html", "http://h/x/a.html", 0, 2, "http://h");
        check("http:a", "http://h/a", 5, 5, "//h/");
        check("aaa", "aa", 0, 1, "");
        check("", "http://h/", 0, 0, "http://h/");
    }

    #[test]
    fn suffixes_are_those_of_bytes() {
        for len in 0..30 {
            for other_len in 0..30 {
                for at in 0..len {
                    let text: Vec<u8> = (0..len).collect();
                    let mut other: Vec<u8> = (100..100 + other_len).chain(text.clone()).collect();
                    other[usize::from(other_len + at)] = 0xFF;
                    let other =
                        &other[other.len() - usize::from(other_len.max(at)).min(other.len())..];
                    let pairs = text.iter().rev().zip(other.iter().rev());
                    let expected = pairs.take_while(|(a, b)| a == b).count();
                    assert_eq!(n_same_at_end(&text, other), expected);
                    assert_eq!(n_same_at_end(other, &text), expected);
                }
            }
        }
    }

    #[test]
    fn cuts_no_character_and_no_escape() {
        check("é", "è", 0, 2, "è");
        check("%41x", "%51x", 0, 3, "%51");
        check("%41", "%42", 0, 3, "%42");
        assert_eq!(edit("same", "same", "same"), None);
    }

    #[test]
    fn keeps_line_ends_that_are_not_read() {
        let edit = |old: &str, new: &'static str| {
            let cleaned = old.replace(['\t', '\n', '\r'], "");
            edit(old, &cleaned, new).map(|(span, text)| (span.start, span.end, text))
        };
        assert_eq!(edit("a\nb", "http://h/ab"), Some((0, 0, "http://h/")));
        assert_eq!(edit(".\r\n./x\ty", "http://h/xy"), Some((0, 4, "http://h")));
        assert_eq!(edit("a\nb", "ab"), None);
        // At an end they would not belong to the text.
        assert_eq!(edit("/p\r\n#f", "#f"), Some((0, 4, "")));
        assert_eq!(edit("a\n\tb", "a"), Some((1, 4, "")));
        assert_eq!(edit("a\nb", ""), Some((0, 3, "")));
        assert_eq!(edit("a\nb", "c"), Some((0, 3, "c")));
        assert_eq!(edit("a\nbc", "ac"), Some((2, 3, "")));
    }
}
