//! The line of a document that contains a reference, with a mark below the reference.

use unicode_width::UnicodeWidthStr;

use crate::os::messages;

/// The maximum number of characters that are shown of a line.
const WIDTH: usize = 88;

/// The maximum number of characters that are shown before the reference.
const BEFORE: usize = 32;

/// Returns two lines: one of a document, and the mark below a range of it. `number` is that of the
/// line, and `start..end` the range in `line`, in bytes.
///
/// Control characters are escaped, and a long line is cut around the reference.
pub fn snippet(line: &[u8], number: usize, start: usize, end: usize) -> String {
    let start = start.min(line.len());
    let end = end.clamp(start, line.len());
    let shown = |bytes: &[u8]| {
        messages::visible(&String::from_utf8_lossy(bytes).replace('\t', " ")).into_owned()
    };
    let (before, marked, after) =
        (shown(&line[..start]), shown(&line[start..end]), shown(&line[end..]));
    let before = last(&before, BEFORE);
    let room = WIDTH.saturating_sub(before.chars().count());
    let marked = first(&marked, room);
    let after = first(&after, room.saturating_sub(marked.chars().count()));
    let number = number.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(before.width());
    let mark = "^".repeat(marked.width().max(1));
    format!("  {number} | {before}{marked}{after}\n  {margin} | {indent}{mark}\n")
}

/// Returns the first characters of a text, with a mark if there are more.
fn first(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the last characters of a text, with a mark if there are more.
fn last(text: &str, n: usize) -> String {
    let n_more = text.chars().count().saturating_sub(n);
    match text.char_indices().nth(n_more) {
        Some((start, _)) if n_more > 0 => format!("…{}", &text[start..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_marked_in_its_line() {
        let of = |line: &str, text: &str| {
            let start = line.find(text).unwrap();
            snippet(line.as_bytes(), 12, start, start + text.len())
        };
        assert_eq!(of("<a href=x/y>", "x/y"), "  12 | <a href=x/y>\n     |         ^^^\n");
        assert_eq!(of("\t\u{1b}語 é x", "é"), "  12 |  %1B語 é x\n     |        ^\n");
        let long = format!("{}<a href=x>{}", "-".repeat(200), "+".repeat(200));
        let long = of(&long, "x");
        assert!(long.starts_with("  12 | …---") && long.contains("+…\n"), "{long}");
        assert!(long.lines().all(|line| line.chars().count() <= WIDTH + 16), "{long}");
        // An empty reference, and one that goes on in the next line.
        assert_eq!(snippet(b"<a href=>", 1, 8, 8), "  1 | <a href=>\n    |         ^\n");
        assert_eq!(snippet(b"ab", 1, 1, 9), "  1 | ab\n    |  ^\n");
    }
}
