//! Bodies that are not encoded: `7bit`, `8bit` and `binary` (RFC 2045 2.7, 2.8, 6.2).
//!
//! Invariant: no edit makes a line that could be a boundary or, in a mailbox, a separator, nor
//! makes a line longer than lines may be that was not so before. Nothing can be escaped here, so
//! such an edit is refused.

use crate::line::{HEAD, LONGEST, Line, LineGuards, last_line, rest_of_line};
use crate::{Edit, Lifted, Unliftable};

/// Lifts sorted, disjoint edits of a body: returns them unchanged, without those that are refused.
///
/// # Examples
///
/// ```
/// use relink_layers::unencoded::lift;
/// use relink_layers::{Edit, LineGuards, Span};
/// let edit = Edit { span: Span::new(0, 0), text: b"--x/"[..].into(), id: 7 };
/// let guards = LineGuards { dashes: true, ..LineGuards::default() };
/// assert_eq!(lift(b"y\n", vec![edit.clone()], guards).refused.len(), 1);
/// assert_eq!(lift(b"y\n", vec![edit.clone()], LineGuards::default()).edits, [edit]);
/// ```
pub fn lift(raw: &[u8], edits: Vec<Edit>, guards: LineGuards) -> Lifted {
    let mut lifted = Lifted::default();
    // The end of the last edit, the line in the output after it, and the column in the input.
    let (mut free_from, mut line, mut column) = (0, Line::default(), 0);
    for edit in edits {
        let (before, is_new) = last_line(&raw[free_from..edit.span.start]);
        let (mut new, old_column) =
            if is_new { (Line::default(), before.len()) } else { (line, column + before.len()) };
        new.push(before);
        let (mut text, mut is_guarded, mut is_long) = (&edit.text[..], false, false);
        // Line ends in the new text begin new lines.
        while let Some(end) = memchr::memchr2(b'\n', b'\r', text) {
            is_guarded |= new.is_guarded_with(&text[..end], guards);
            is_long |= new.column + end > LONGEST;
            (new, text) = (Line::default(), &text[end + 1..]);
        }
        let after = &raw[edit.span.end..raw.len().min(edit.span.end + HEAD)];
        is_guarded |= [text, &[&text[..text.len().min(HEAD)], after].concat()]
            .iter()
            .any(|bytes| new.is_guarded_with(bytes, guards));
        let (removed, was_cut) = last_line(edit.span.slice(raw));
        let end_column = if was_cut { removed.len() } else { old_column + removed.len() };
        let n_rest = rest_of_line(raw, edit.span.end).len();
        new.push(text);
        is_long |= new.column + n_rest > LONGEST;
        let refused = match () {
            () if is_guarded => Some(Unliftable::Forbidden("a line of the message")),
            () if end_column + n_rest <= LONGEST && is_long => Some(Unliftable::LongLine),
            () => None,
        };
        match refused {
            Some(reason) => lifted.refused.push((edit.id, reason)),
            None => {
                (free_from, line, column) = (edit.span.end, new, end_column);
                lifted.edits.push(edit);
            }
        }
    }
    lifted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LineEnd, Span};

    const BOTH: LineGuards = LineGuards { dashes: true, from: true, line_end: LineEnd::Lf };

    fn refused(raw: &str, edits: &[(usize, usize, &str)]) -> Vec<usize> {
        let edit = |(id, (start, end, text)): (usize, &(usize, usize, &str))| Edit {
            span: Span::new(*start, *end),
            text: text.as_bytes().into(),
            id,
        };
        let edits = edits.iter().enumerate().map(edit).collect();
        lift(raw.as_bytes(), edits, BOTH).refused.iter().map(|(id, _)| *id).collect()
    }

    #[test]
    fn edits_create_no_boundaries_or_separators() {
        assert_eq!(refused("a\nb", &[(2, 3, "--c")]), [0]);
        assert_eq!(refused("a\nb", &[(2, 3, "c--")]), []);
        assert_eq!(refused("a\nx-b", &[(2, 3, "-")]), [0]);
        assert_eq!(refused("a\nx--b", &[(2, 3, "")]), [0]);
        assert_eq!(refused("a\nx b", &[(2, 3, "From")]), [0]);
        assert_eq!(refused("a\nx b", &[(2, 3, "From:")]), []);
        assert_eq!(refused("ab c", &[(0, 1, "Fro"), (1, 2, "m")]), [1]);
        assert_eq!(refused("ab", &[(1, 1, "\n--c\n")]), [0]);
        assert_eq!(refused("a--b", &[(1, 1, "\r")]), [0]);
        assert_eq!(refused("ab", &[(1, 1, "\nc--\n")]), []);
        // This was so before the edit.
        assert_eq!(refused("--b x", &[(4, 5, "y")]), []);
    }

    #[test]
    fn lines_do_not_become_too_long() {
        let raw = format!("{}\n{}\n", "a".repeat(990), "b".repeat(1200));
        assert_eq!(refused(&raw, &[(0, 0, "12345678"), (5, 5, "1"), (5, 6, "1")]), [1]);
        assert_eq!(refused(&raw, &[(0, 0, "123456789"), (995, 995, "123")]), [0]);
        assert_eq!(refused(&raw, &[(0, 0, &format!("\n{}\n", "c".repeat(999)))]), [0]);
        assert_eq!(refused(&raw, &[(0, 0, &format!("\n{}\n", "c".repeat(998)))]), []);
        assert_eq!(refused(&raw, &[(5, 900, "x"), (900, 901, &"y".repeat(800))]), []);
    }
}
