//! The smallest edit from an old text to a new one.
//!
//! Invariant: borders lie between characters, and never inside a percent-escape.

use layers::{Edit, Span};

/// The edit of `old` that gives `new`, in offsets of `old`; `None` if they are equal. What both end with stays, then what both begin with.
pub(crate) fn edit(old: &str, new: &str, id: usize) -> Option<Edit> {
    if old == new {
        return None;
    }
    let suffix = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let suffix = to_border(old, old.len() - suffix, |at| at + 1);
    let (old_end, new_end) = (suffix, new.len() - (old.len() - suffix));
    let prefix =
        old[..old_end].bytes().zip(new[..new_end].bytes()).take_while(|(a, b)| a == b).count();
    let prefix = to_border(old, prefix, |at| at - 1);
    Some(Edit {
        span: Span::new(prefix, old_end),
        text: new.as_bytes()[prefix..new_end].to_vec(),
        id,
    })
}

/// Moves an offset by `step` until it lies on a border.
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
        let edit = edit(old, new, 0).unwrap();
        assert_eq!(
            (edit.span.start, edit.span.end, std::str::from_utf8(&edit.text).unwrap()),
            (start, end, text)
        );
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
    fn cuts_no_character_and_no_escape() {
        check("é", "è", 0, 2, "è");
        check("%41x", "%51x", 0, 3, "%51");
        check("%41", "%42", 0, 3, "%42");
        assert_eq!(edit("same", "same", 0), None);
    }
}
