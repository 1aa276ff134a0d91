//! The commands: the work on each file, and its report.

pub mod bases;
pub mod check;
pub mod convert;
mod delete;
mod explain;
pub mod listing;
pub mod pack;
pub mod refs;
pub mod undo;
pub mod unpack;
pub mod verify;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layers::Span;
use memchr::memchr2;
use rewrite::{Options, PartDefect, Site, SkipScope, Skipped, SlotId};

use crate::events::detail::{DocumentPlace, EmbeddedPlace, ReferenceDetail};
use crate::files::container::Fault;
use crate::files::walk::Entry;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::tree::Tree;
use crate::tree::input::{self, Document, Input, Item};

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
fn guarded<T>(path: &Path, act: impl FnOnce() -> Result<T, FileError>) -> Result<T, FileError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        Err(FileError::Bug { path: path.to_owned(), place: PANICKED_AT.take() })
    })
}

/// The reason why a file was not processed. Its text is a whole message.
#[derive(Debug, thiserror::Error)]
enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// It was named on the command line, and is not a document; the message.
    #[error("{0}")]
    Unread(String),
    /// This program has a bug.
    #[error("{}: skipped; relink has a bug at {place}; please report it with this file", path.display())]
    Bug {
        /// The file.
        path: PathBuf,
        /// The place in the source, if it is known.
        place: String,
    },
}

/// Computes line and column in a file for offsets in ascending order: both count from 1; LF, CRLF
/// and CR end lines; columns count bytes.
struct LineCounter<'f> {
    /// The file, or the part of it that contains the offsets.
    file: &'f [u8],
    /// Number of lines of the file before that part.
    n_before: usize,
    /// Offset in it of the current unit.
    unit: usize,
    /// Number of bytes at the start of the unit that the file does not have.
    n_added: usize,
    /// Offset of the line's first byte.
    start: usize,
    line: usize,
    /// Offset of the end of the line.
    end: usize,
}

impl<'f> LineCounter<'f> {
    fn new(file: &'f [u8]) -> Self {
        LineCounter {
            file,
            n_before: 0,
            unit: 0,
            n_added: 0,
            start: 0,
            line: 1,
            end: line_end(file, 0),
        }
    }

    /// Creates the counter for offsets in a document.
    fn of_document(document: &'f Document) -> Self {
        let n_lines = document.piece().map_or(0, |piece| piece.n_lines);
        let n_before = usize::try_from(n_lines).unwrap_or_default();
        let n_added = document.piece().map_or(0, |piece| piece.n_added);
        let file = document.bytes.get(n_added..).unwrap_or_default();
        LineCounter { n_before, unit: document.span().start, n_added, ..LineCounter::new(file) }
    }

    /// Returns line and column of `at`. For an offset before the previous one, counting starts
    /// again.
    fn position(&mut self, at: usize) -> (usize, usize) {
        let at = (at + self.unit).saturating_sub(self.n_added);
        if at < self.start {
            (self.start, self.line) = (0, 1);
            self.end = line_end(self.file, 0);
        }
        while at > self.end && self.end < self.file.len() {
            let is_pair =
                self.file[self.end] == b'\r' && self.file.get(self.end + 1) == Some(&b'\n');
            let next = self.end + 1 + usize::from(is_pair);
            if next > at {
                break;
            }
            self.start = next;
            self.end = line_end(self.file, next);
            self.line += 1;
        }
        (self.n_before + self.line, at - self.start + 1)
    }

    /// Returns the line of the last position, without its end.
    fn current(&self) -> &'f [u8] {
        self.file.get(self.start..self.end).unwrap_or_default()
    }
}

/// Returns the offset of the LF or CR that ends a line, or of the end of the file.
fn line_end(file: &[u8], start: usize) -> usize {
    let rest = file.get(start..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(file.len(), |at| start + at)
}

/// Returns the reason why a file in an unsupported format is skipped.
fn unsupported(kind: &str) -> String {
    format!("skipped; unsupported type of file: {kind}")
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
        Input::Unsupported(kind) => messages::of_path(&entry.path, &unsupported(kind)),
        _ => input::no_document(tree, entry),
    })
}

/// What happens to text of a container that is in no document.
const NOT_READ: &str = "its references are not read";

/// Returns the message about what is in no document of a container: text, and what happens to it,
/// or a record with a defect.
fn outside(tree: &Tree, item: &Item, what: &str) -> Option<String> {
    let Item::Piece(opened, _, piece) = item else { return None };
    let path = opened.entry.path.display();
    match piece.fault.filter(|_| piece.unit.is_none())? {
        fault @ Fault::Stray => {
            Some(format!("{path}:{}:1: {}; {what}", piece.n_lines + 1, fault.words()))
        }
        fault @ (Fault::RecordLength | Fault::RecordEnd) => {
            Some(format!("{path}:{}: {}", piece.at, fault.words()))
        }
        Fault::Unsupported(kind) if tree.is_verbose || opened.entry.is_single => {
            Some(messages::of_path(&opened.path_of_member(piece), &unsupported(kind)))
        }
        _ => None,
    }
}

/// Returns the message for a defect of a message part.
fn of_fault(entry: &Entry, line: usize, column: usize, fault: &PartDefect) -> String {
    let PartDefect { part, reason, .. } = fault;
    let part = if part.is_empty() { String::new() } else { format!(" part {part}:") };
    format!("{}:{line}:{column}:{part} {reason}", entry.path.display())
}

/// Returns the name of the extent of what was skipped, for reports.
fn extent(skipped: &Skipped) -> &'static str {
    match skipped.extent {
        SkipScope::Embedded => "embedded",
        SkipScope::Part if skipped.is_field() => "field",
        SkipScope::Part => "part",
        SkipScope::Unit => "document",
    }
}

/// Returns the message for a document, a part or a header field that was skipped.
fn of_skipped(entry: &Entry, line: usize, column: usize, skipped: &Skipped) -> String {
    let is_part = skipped.extent == SkipScope::Part && !skipped.is_field();
    let what = match skipped.extent {
        SkipScope::Embedded => "embedded document skipped",
        SkipScope::Part if skipped.is_field() => "header field skipped",
        SkipScope::Part if skipped.part.is_none() => "part skipped",
        SkipScope::Part | SkipScope::Unit => "skipped",
    };
    let part = match &skipped.part {
        Some(part) if is_part => format!("part {part} "),
        Some(part) => format!("part {part}: "),
        None => String::new(),
    };
    let reason = skipped.reason;
    format!("{}:{line}:{column}: {part}{what}; {reason}", entry.path.display())
}

/// Returns the place of a document, for reports.
fn place_of(entry: &Entry, document: &Document) -> DocumentPlace {
    let unit = document.numbered().map(|(_, number)| number);
    let record = document.record().cloned();
    DocumentPlace { unit, record, ..place_of_path(entry.root, &document.shown_below(entry)) }
}

/// Returns the place of a file, for reports.
fn place_of_file(entry: &Entry) -> DocumentPlace {
    place_of_path(entry.root, &entry.below)
}

fn place_of_path(root: usize, below: &Path) -> DocumentPlace {
    let path_bytes = below.to_str().is_none().then(|| {
        let mut escaped = String::new();
        for byte in below.as_os_str().as_encoded_bytes() {
            if *byte == b'/' {
                escaped.push('/');
            } else {
                urlcore::escape::encode_path_segment(&[*byte], &mut escaped);
            }
        }
        escaped
    });
    let path = below.to_string_lossy().into_owned();
    DocumentPlace { root, path, path_bytes, unit: None, record: None }
}

/// Returns a reference that the walk shows, without its target. Its span is that in the document.
fn reference(
    site: &Site<'_>,
    document: &Document,
    options: &Options,
    lines: &mut LineCounter<'_>,
) -> ReferenceDetail {
    let mut detail = ReferenceDetail::default();
    set_reference(&mut detail, site, document, options, lines);
    detail
}

/// Makes a detail the one of a reference that the walk shows, as [`reference`] returns it, except
/// for its target and finding. Its texts are replaced in place, and its base is kept if it is the
/// same, as that of most references of a document.
fn set_reference(
    detail: &mut ReferenceDetail,
    site: &Site<'_>,
    document: &Document,
    options: &Options,
    lines: &mut LineCounter<'_>,
) {
    let span = site.frame.raw(site.span);
    detail.part = site.frame.part().map(str::to_owned);
    detail.embedded = embedded(&site.frame.embedded(), options, document);
    (detail.line, detail.column) = lines.position(span.start);
    (detail.span, detail.is_exact) = (span, site.frame.is_exact());
    detail.slot = options.extras.kept_name_of(site.slot);
    detail.kind = site.kind;
    detail.text.clear();
    detail.text.push_str(site.text);
    let base = site.context.base().map(|base| document.web_url(base));
    if detail.base.as_deref() != base.as_deref() {
        detail.base = base.map(Arc::from);
    }
    detail.base_source = site.context.base_source();
}

/// Returns a copy of a text, in the allocation of an old one if there is one.
fn replaced(old: Option<String>, text: &str) -> String {
    let mut new = old.unwrap_or_default();
    text.clone_into(&mut new);
    new
}

/// Returns the embedded documents that contain something.
fn embedded(
    places: &[(SlotId, Span)],
    options: &Options,
    document: &Document,
) -> Vec<EmbeddedPlace> {
    let place = |(slot, span): &(SlotId, Span)| EmbeddedPlace {
        slot: options.extras.name_of(*slot).to_owned(),
        span: pair(*span).map(|at| document.in_file(at)),
    };
    places.iter().map(place).collect()
}

/// Returns the span in the file of one in the document.
fn in_file(span: Span, document: &Document) -> Span {
    Span::new(document.in_file(span.start), document.in_file(span.end))
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
        let mut lines = LineCounter::new(b"a\nb\r\nc\rd\r\r\ne");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 7, 9, 11].map(|at| lines.position(at)),
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (4, 1), (5, 1), (6, 1)]
        );
        assert_eq!(lines.position(2), (2, 1));
        // A header section, and a body with other line ends.
        let text = b"A: b\r\n\r\nc\nd\n\ne";
        let mut lines = LineCounter::new(text);
        let positions: Vec<_> = (0..=text.len()).map(|at| lines.position(at)).collect();
        let of = |at: usize| {
            let before = &text[..at];
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            (1 + before.iter().filter(|byte| **byte == b'\n').count(), at - start + 1)
        };
        assert_eq!(positions, (0..=text.len()).map(of).collect::<Vec<_>>());
        assert_eq!([11, 13, 9].map(|at| lines.position(at)), [11, 13, 9].map(of));
    }

    #[test]
    fn a_panic_costs_one_file() {
        let result: Result<(), FileError> = guarded(Path::new("x.html"), || panic!("no"));
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("x.html: skipped; relink has a bug at "), "{message}");
    }
}
