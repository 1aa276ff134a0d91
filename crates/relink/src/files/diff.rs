//! The changes of a file as a unified diff, in the file's own bytes: `patch -p1` can apply it.
//! [`git`] makes of it what `git apply` accepts, also for contents that are not text.

pub mod git;

use std::ops::Range;
use std::path::Path;

use layers::{Edits, Span};
use memchr::memchr_iter;
use similar::{ChangeTag, DiffOp, TextDiff};

use crate::os::format::DiffFormat;
use crate::os::messages::drives_terminal;

/// The subject of a diff: a file, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The path of the file below the directory that the patch is for.
    pub path: &'s Path,
    /// The number of lines of the file before the piece.
    pub n_lines: usize,
    /// Offset of the edits in the piece.
    pub at: usize,
}

/// The appearance of a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// For programs: the bytes of the file.
    #[default]
    Exact,
    /// For people at a terminal: control characters are escaped.
    Shown,
    /// The same in colour, with the bytes marked that the edits change.
    Coloured,
}

/// The form of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Its format.
    pub format: DiffFormat,
    /// Its appearance.
    pub look: Look,
}

impl From<Look> for Diff {
    fn from(look: Look) -> Self {
        Diff { format: DiffFormat::default(), look }
    }
}

/// Returns the diff of one file or piece; empty if nothing changed.
pub fn unified(
    subject: Subject<'_>,
    before: &[u8],
    after: &[u8],
    edits: &Edits,
    look: Look,
) -> Vec<u8> {
    let has_color = look == Look::Coloured;
    let Subject { path, n_lines, at } = subject;
    let marked = |is_new| {
        let spans = marked(edits, is_new).into_iter();
        spans.map(|span: Span| span.shifted(at)).collect::<Vec<_>>()
    };
    let (old, new) = (SideLines::new(before, marked(false)), SideLines::new(after, marked(true)));
    let (before, after) = (old.slices(before), new.slices(after));
    let diff = TextDiff::from_slices(&before, &after);
    let paint = |style: &'static str| if has_color { style } else { "" };
    let mut out = Vec::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        if out.is_empty() {
            for (mark, side) in [("---", "a"), ("+++", "b")] {
                let (start, end) = (paint(BOLD), paint(PLAIN));
                let name = name(side, path);
                out.extend_from_slice(format!("{start}{mark} {name}{end}\n").as_bytes());
            }
        }
        let (start, end) = (paint(CYAN), paint(PLAIN));
        let header = header(hunk.ops(), n_lines);
        out.extend_from_slice(format!("{start}{header}{end}\n").as_bytes());
        for change in hunk.iter_changes() {
            let (style, lines, index) = match change.tag() {
                ChangeTag::Delete => (RED, &old, change.old_index()),
                ChangeTag::Insert => (GREEN, &new, change.new_index()),
                ChangeTag::Equal => ("", &old, None),
            };
            let line = change.value();
            if has_color {
                let spans = index.map_or(&[][..], |index| lines.spans(index));
                let start = index.map_or(0, |index| lines.starts[index]);
                paint_line(&change.tag().to_string(), line, start, spans, style, &mut out);
            } else {
                out.extend_from_slice(change.tag().to_string().as_bytes());
                match look {
                    Look::Exact => out.extend_from_slice(line),
                    _ => show_line(line, &mut out),
                }
            }
            if !line.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// Returns the line that begins a hunk, with the numbers of its lines in the file.
fn header(ops: &[DiffOp], n_lines: usize) -> String {
    let range = |of: fn(&DiffOp) -> Range<usize>| {
        let start = ops.first().map_or(0, |op| of(op).start) + n_lines;
        let end = ops.last().map_or(0, |op| of(op).end) + n_lines;
        match end - start {
            0 => format!("{start},0"),
            1 => (start + 1).to_string(),
            len => format!("{},{len}", start + 1),
        }
    };
    format!("@@ -{} +{} @@", range(DiffOp::old_range), range(DiffOp::new_range))
}

/// Returns a diff of a piece without the lines that name the file, if an earlier piece has printed
/// them.
pub fn without_names(diff: &[u8]) -> &[u8] {
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', diff).map(|end| end + 1));
    let is_hunk = |start: &usize| {
        let line = &diff[*start..];
        line.strip_prefix(CYAN.as_bytes()).unwrap_or(line).starts_with(b"@@")
    };
    // No line that names a file begins so.
    starts.take(4).find(is_hunk).map_or(diff, |start| &diff[start..])
}

const BOLD: &str = "\x1b[1m";
const CYAN: &str = "\x1b[36m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const REVERSE: &str = "\x1b[7m";
const FORWARD: &str = "\x1b[27m";
const PLAIN: &str = "\x1b[m";

/// The lines of one side, and the marked spans in it. Lines end with LF, as `patch` counts them.
struct SideLines {
    starts: Vec<usize>,
    marked: Vec<Span>,
}

impl SideLines {
    fn new(text: &[u8], marked: Vec<Span>) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text).map(|at| at + 1).filter(|at| *at < text.len()));
        SideLines { starts, marked }
    }

    fn slices<'t>(&self, text: &'t [u8]) -> Vec<&'t [u8]> {
        let ends = self.starts.iter().skip(1).copied().chain([text.len()]);
        let lines = self.starts.iter().zip(ends).map(|(start, end)| &text[*start..end]);
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// Returns the spans that are marked in a line; they may extend beyond it.
    fn spans(&self, line: usize) -> &[Span] {
        let end = self.starts.get(line + 1).copied().unwrap_or(usize::MAX);
        let from = self.marked.partition_point(|span| span.end <= self.starts[line]);
        let to = self.marked.partition_point(|span| span.start < end);
        &self.marked[from..to.max(from)]
    }
}

/// Returns the spans that the edits replace, or insert.
fn marked(edits: &Edits, is_after: bool) -> Vec<Span> {
    let (mut n_old, mut n_new) = (0, 0);
    let spans = edits.as_slice().iter().map(|edit| {
        if !is_after {
            return edit.span;
        }
        let start = edit.span.start + n_new - n_old;
        n_new += edit.text.len();
        n_old += edit.span.len();
        Span::new(start, start + edit.text.len())
    });
    spans.filter(|span| !span.is_empty()).collect()
}

/// Writes a line that begins at `start` of its side, with its marks. Its line end stays outside of
/// the colours.
fn paint_line(
    tag: &str,
    line: &[u8],
    start: usize,
    marked: &[Span],
    style: &str,
    out: &mut Vec<u8>,
) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    out.extend_from_slice(style.as_bytes());
    out.extend_from_slice(tag.as_bytes());
    let mut at = 0;
    for span in marked {
        let from = span.start.saturating_sub(start).clamp(at, text.len());
        let to = span.end.saturating_sub(start).clamp(from, text.len());
        show(&text[at..from], out);
        if from < to {
            out.extend_from_slice(REVERSE.as_bytes());
            show(&text[from..to], out);
            out.extend_from_slice(FORWARD.as_bytes());
        }
        at = to;
    }
    show(&text[at..], out);
    if !style.is_empty() {
        out.extend_from_slice(PLAIN.as_bytes());
    }
    out.extend_from_slice(&line[text.len()..]);
}

/// Writes a line with its line end.
fn show_line(line: &[u8], out: &mut Vec<u8>) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    show(text, out);
    out.extend_from_slice(&line[text.len()..]);
}

/// Writes control characters as `^M`, so that no file can control the terminal.
fn show(text: &[u8], out: &mut Vec<u8>) {
    for char in String::from_utf8_lossy(text).chars() {
        match char {
            '\t' => out.push(b'\t'),
            '\0'..='\x1f' | '\x7f' => out.extend([b'^', (char as u8) ^ 0x40]),
            char if drives_terminal(char) => out.extend("\u{FFFD}".bytes()),
            char => out.extend(char.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
}

/// Returns the name as git writes it in the lines of both sides: followed by a tab if it contains
/// a space.
fn name(side: &str, path: &Path) -> String {
    let mut name = quoted(side, path);
    if name.contains(' ') && !name.starts_with('"') {
        name.push('\t');
    }
    name
}

/// Returns the name as git writes it: quoted as in C if it contains special bytes.
fn quoted(side: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) && !b"\"\\".contains(byte);
    let mut name = format!("{side}/");
    if bytes.iter().all(is_plain) {
        name.extend(bytes.iter().map(|byte| char::from(*byte)));
        return name;
    }
    for byte in bytes {
        match byte {
            b'"' | b'\\' => name.extend(['\\', char::from(*byte)]),
            byte if is_plain(byte) => name.push(char::from(*byte)),
            byte => name.push_str(&format!("\\{byte:03o}")),
        }
    }
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use layers::Edit;

    use super::*;

    #[test]
    fn bytes_that_are_no_text_stay() {
        let unified = |path, before, after| {
            unified(
                Subject { path, n_lines: 0, at: 0 },
                before,
                after,
                &Edits::default(),
                Look::Exact,
            )
        };
        let diff = unified(Path::new("x"), b"a\r\n\xFF\r", b"a\r\n\xFE\r");
        let expected = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-\xFF\r\n\\ No newline at end of file\n+\xFE\r\n\\ No newline at end of file\n";
        assert_eq!(diff.escape_ascii().to_string(), expected.escape_ascii().to_string());
        assert!(unified(Path::new("x"), b"same", b"same").is_empty());
    }

    #[test]
    fn colours_mark_what_the_edits_change() {
        let edit = |start, end, text: &str| Edit {
            span: Span::new(start, end),
            text: text.as_bytes().into(),
            id: 0,
        };
        let (before, after) = (b"one\nab\x1bcd\r\n", b"one\nXab\x1bYYd\r\n");
        let edits =
            Edits::new(vec![edit(4, 4, "X"), edit(7, 8, "YY")], before.len()).expect("edits");
        assert_eq!(edits.apply(before), after);
        let subject = Subject { path: Path::new("x"), n_lines: 0, at: 0 };
        let shown = unified(subject, before, after, &edits, Look::Shown);
        let expected = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-ab^[cd^M\n+Xab^[YYd^M\n";
        assert_eq!(String::from_utf8_lossy(&shown), expected);
        let diff = unified(subject, before, after, &edits, Look::Coloured);
        let expected = [
            "\x1b[1m--- a/x\x1b[m",
            "\x1b[1m+++ b/x\x1b[m",
            "\x1b[36m@@ -1,2 +1,2 @@\x1b[m",
            " one",
            "\x1b[31m-ab^[\x1b[7mc\x1b[27md^M\x1b[m",
            "\x1b[32m+\x1b[7mX\x1b[27mab^[\x1b[7mYY\x1b[27md^M\x1b[m",
            "",
        ];
        assert_eq!(String::from_utf8_lossy(&diff), expected.join("\n"));
    }

    #[test]
    fn names_are_written_as_git_does() {
        assert_eq!(name("a", Path::new("x/y.html")), "a/x/y.html");
        assert_eq!(name("a", Path::new("x y")), "a/x y\t");
        assert_eq!(name("b", Path::new("caf\u{E9}\n\"")), "\"b/caf\\303\\251\\012\\\"\"");
    }
}
