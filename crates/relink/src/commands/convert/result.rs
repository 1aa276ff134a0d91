//! The result of one file, or of one piece of a container, which a thread makes and the run takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::Report;

use super::details::Details;
use crate::files::container::{Piece, PieceFact, SharedBytes};
use crate::os::failure::Failure;
use crate::os::undo_log::Changes;
use crate::recovery::write::FileWrite;
use crate::tree::ProgressStep;
use crate::tree::containers::Opened;
use crate::urls::hints::HintSource;

/// The kind of item that a result is of.
#[derive(Default)]
pub(super) enum ResultKind {
    /// A file, which is written.
    #[default]
    File,
    /// A piece of a container: its place in the container, and its bytes as they are to be
    /// written.
    Piece(Arc<Opened>, PiecePlace, OutputBytes),
    /// The end of a container.
    End(Arc<Opened>),
    /// It was not started, because the run was interrupted.
    Nothing,
}

/// The place of a piece in its container.
#[derive(Clone, Copy)]
pub(super) struct PiecePlace {
    /// Its offset.
    pub(super) at: u64,
    /// Its length.
    pub(super) len: u64,
    /// True if it depends on what the others have become.
    pub(super) is_tail: bool,
    /// True if its bytes are not in memory: they are those of the file.
    pub(super) is_in_file: bool,
}

impl PiecePlace {
    pub(super) fn of(piece: &Piece) -> Self {
        let Piece { at, bytes, is_tail, stream, .. } = piece;
        let in_file = stream.as_ref().map(|range| range.end - range.start);
        let len = in_file.unwrap_or(bytes.len() as u64);
        PiecePlace { at: *at, len, is_tail: *is_tail, is_in_file: in_file.is_some() }
    }
}

/// The output for an item.
#[derive(Default)]
pub(super) struct OutputBytes {
    pub(super) bytes: SharedBytes,
    /// The changes, if the run records them.
    pub(super) changes: Changes,
    /// What the tail of its container says about it.
    pub(super) fact: Option<PieceFact>,
}

impl OutputBytes {
    /// Returns the output of unchanged bytes.
    pub(super) fn same(bytes: SharedBytes) -> Self {
        OutputBytes { bytes, ..OutputBytes::default() }
    }
}

/// The result of one file, or of one piece of a container.
#[derive(Default)]
pub(super) struct UnitResult {
    /// What it adds to the progress of the run.
    pub(super) step: ProgressStep,
    /// The word for the document and its number, if the documents of its container are numbered.
    pub(super) numbered: Option<(&'static str, usize)>,
    pub(super) kind: ResultKind,
    pub(super) messages: Vec<String>,
    /// The errors of the file, or of documents in it.
    pub(super) failures: Vec<String>,
    /// True if the disk caused them.
    pub(super) is_of_disk: bool,
    /// The file that was not processed because the disk is full, and the failure, if it was
    /// started.
    pub(super) not_done: Option<(PathBuf, Option<Failure>)>,
    /// Bytes for standard output: a diff, or the file itself. The bytes of a piece are not here.
    pub(super) output: Vec<u8>,
    pub(super) report: Report,
    /// The details of the document, if the run lists them.
    pub(super) details: Option<Box<Details>>,
    /// The source of the URL of the document, if that is a hint.
    pub(super) hint: Option<HintSource>,
    pub(super) n_bytes: u64,
    pub(super) is_document: bool,
    /// True if it is counted with an earlier piece: a package is one document.
    pub(super) is_further: bool,
    pub(super) is_changed: bool,
    /// True if it names no file that is renamed, so that its references were not looked at.
    pub(super) has_no_names: bool,
    /// Number of documents of a container that are reported as changed, but are not, because the
    /// container could not be written, or are counted with an earlier piece.
    pub(super) n_unchanged: usize,
    /// True if it is a message of a mailbox whose separator does not follow an empty line.
    pub(super) follows_text: bool,
    pub(super) is_unsupported: bool,
    pub(super) is_other: bool,
    /// True if it is a page that a browser shows as text, because of its name.
    pub(super) is_shown_as_text: bool,
    /// True if it is a file of a dependency, or that git ignores, and cannot be read.
    pub(super) is_foreign: bool,
    /// True if the output contained the file already.
    pub(super) is_current: bool,
    /// True if it was named on the command line, and is not a document.
    pub(super) is_unread: bool,
}

impl UnitResult {
    /// Returns the result for a file that could not be written or read.
    pub(super) fn not_written(path: &Path, failure: Failure) -> UnitResult {
        let mut done = UnitResult::default();
        done.fail(path, failure);
        done
    }

    /// Records what was done for the file of the output, if there is one.
    pub(super) fn written(mut self, written: Option<FileWrite>) -> UnitResult {
        self.is_current = written == Some(FileWrite::Current);
        self
    }

    /// Records that the file at `path` failed.
    pub(super) fn fail(&mut self, path: &Path, failure: Failure) {
        self.is_of_disk |= failure.is_of_disk();
        if failure.is_disk_full() {
            self.not_done = Some((path.to_owned(), Some(failure)))
        } else {
            self.failures.push(failure.to_string())
        }
    }
}

/// Returns the result for an item that failed.
pub(super) fn failed(error: impl ToString) -> UnitResult {
    UnitResult { failures: vec![error.to_string()], ..UnitResult::default() }
}
