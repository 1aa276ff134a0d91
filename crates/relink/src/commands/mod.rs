//! The commands: the work on each file, and its report.

pub mod bases;
pub mod check;
pub mod convert;
mod listing;
pub mod refs;
pub mod resume;
pub mod slots;
pub mod undo;
pub mod url;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use layers::Span;
use memchr::memchr2;
use rewrite::{PartDefect, SkipScope, Skipped};

use crate::input::{self, Document, Input};
use crate::messages;
use crate::tree::Tree;
use crate::walk::Entry;

thread_local! {
    /// The source location of the last panic of this thread.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Sets a panic hook that records panics, which become messages in their place, instead of printing
/// them at once.
pub fn hold_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place =
            info.location().map(|location| format!("{}:{}", location.file(), location.line()));
        PANICKED_AT.replace(place.unwrap_or_default());
    }));
}

/// Runs `act` for one file. A panic in it is a bug of this program; it fails only that file, and
/// becomes a message.
fn guarded<T>(path: &Path, act: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        let place = PANICKED_AT.take();
        let reason =
            format!("left because of a bug in relink ({place}); please report it with this file");
        Err(messages::of_path(path, &reason))
    })
}

/// Computes line and column in a file for offsets in ascending order: both count from 1; LF, CRLF
/// and CR end lines; columns count bytes.
struct Lines<'f> {
    /// The file, or the part of it that contains the offsets.
    file: &'f [u8],
    /// Number of lines of the file before that part.
    n_before: usize,
    /// Offset in it of the current unit.
    unit: usize,
    /// Offset of the line's first byte.
    start: usize,
    line: usize,
    /// Offset up to which the line is known to have no end.
    searched: usize,
}

impl<'f> Lines<'f> {
    fn new(file: &'f [u8]) -> Self {
        Lines { file, n_before: 0, unit: 0, start: 0, line: 1, searched: 0 }
    }

    /// Creates the counter for offsets in a document.
    fn of_document(document: &'f Document) -> Self {
        let n_lines = document.piece.as_ref().map_or(0, |piece| piece.n_lines);
        let n_before = usize::try_from(n_lines).unwrap_or_default();
        Lines { n_before, unit: document.span().start, ..Lines::new(&document.bytes) }
    }

    /// Returns line and column of `at`. For an offset before the previous one, counting starts
    /// again.
    fn of(&mut self, at: usize) -> (usize, usize) {
        let at = at + self.unit;
        if at < self.start {
            (self.start, self.line, self.searched) = (0, 1, 0);
        }
        while let Some(end) = (self.file.get(self.searched..at))
            .and_then(|rest| memchr2(b'\n', b'\r', rest))
            .map(|idx| self.searched + idx)
        {
            let is_pair = self.file[end] == b'\r' && self.file.get(end + 1) == Some(&b'\n');
            let next = end + 1 + usize::from(is_pair);
            if next > at {
                self.searched = end;
                return (self.n_before + self.line, at - self.start + 1);
            }
            (self.start, self.searched) = (next, next);
            self.line += 1;
        }
        self.searched = self.searched.max(at);
        (self.n_before + self.line, at - self.start + 1)
    }
}

/// Returns the message for a file that is not a document, if it was named on the command line.
fn unread(tree: &Tree, entry: &Entry, input: &Input) -> Option<String> {
    if !entry.is_single || !tree.globs.allow(&entry.below) {
        return None;
    }
    if let Input::Around(..) | Input::End(..) = input {
        return None;
    }
    Some(match input {
        Input::Unsupported(kind) => {
            messages::of_path(&entry.path, &format!("{kind} is not read yet"))
        }
        _ => input::no_document(tree, entry),
    })
}

/// Returns the message for a defect of a message part.
fn of_fault(entry: &Entry, line: usize, column: usize, fault: &PartDefect) -> String {
    let PartDefect { part, reason, .. } = fault;
    let part = if part.is_empty() { String::new() } else { format!(" part {part}:") };
    format!("{}:{line}:{column}:{part} {reason}", entry.path.display())
}

/// Returns the message for a document that a read-only command has skipped.
fn not_read(entry: &Entry, line: usize, column: usize, left: &Skipped) -> String {
    let part = left.part.as_ref().map_or(String::new(), |part| format!(" part {part}:"));
    let what = match left.extent {
        SkipScope::Embedded => " an embedded document is",
        _ if left.is_field() => " a header field is",
        _ => "",
    };
    format!("{}:{line}:{column}:{part}{what} not read: {}", entry.path.display(), left.reason)
}

/// The path of a file below its root, for reports.
struct Named {
    path: String,
    /// Percent-encoded, if it is not UTF-8.
    path_bytes: Option<String>,
}

impl Named {
    fn new(entry: &Entry) -> Self {
        let path = entry.below.to_string_lossy().into_owned();
        let path_bytes = entry.below.to_str().is_none().then(|| {
            let mut escaped = String::new();
            for byte in entry.below.as_os_str().as_encoded_bytes() {
                if *byte == b'/' {
                    escaped.push('/');
                } else {
                    urlcore::escape::encode_path_segment(&[*byte], &mut escaped);
                }
            }
            escaped
        });
        Named { path, path_bytes }
    }
}

/// Returns `[start, end]` for reports.
fn pair(span: Span) -> [usize; 2] {
    [span.start, span.end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_or_cr() {
        let mut lines = Lines::new(b"a\nb\r\nc\rd\r\r\ne");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 7, 9, 11].map(|at| lines.of(at)),
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (4, 1), (5, 1), (6, 1)]
        );
        assert_eq!(lines.of(2), (2, 1));
    }

    #[test]
    fn a_panic_costs_one_file() {
        let result: Result<(), String> = guarded(Path::new("x.html"), || panic!("no"));
        assert!(result.unwrap_err().starts_with("x.html: left because of a bug in relink"));
    }
}
