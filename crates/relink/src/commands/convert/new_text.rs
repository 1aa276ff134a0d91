//! The new text of a container in another one, and the piece that it becomes: in memory if they are
//! short, and otherwise in temporary files.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use tempfile::SpooledTempFile;

use super::result::PiecePlace;
use crate::files::container::rebuilding::{EditedFile, EditedSpan, RebuiltSums};
use crate::files::container::{ContentError, IN_MEMORY};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::store::OpenFile;
use crate::os::store::range::FileRange;
use crate::os::undo_log::{Changes, PIECE};
use crate::tree::containers::{Opened, Outer};

/// The number of bytes that are copied at once.
const AT_ONCE: usize = 1 << 16;

/// Bytes that replace others, with the spans of both that differ.
pub(super) struct NewText {
    file: SpooledTempFile,
    len: u64,
    spans: BufWriter<SpooledTempFile>,
}

impl NewText {
    /// Returns one that begins with the first bytes of a container, up to an offset.
    pub(super) fn starting(opened: &Opened, end: u64) -> io::Result<Self> {
        let mut new = NewText::empty();
        new.len = io::copy(&mut range(opened, 0..end)?, &mut new.file)?;
        if new.len == end { Ok(new) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn empty() -> Self {
        let [file, spans] = [IN_MEMORY; 2].map(SpooledTempFile::new);
        NewText { file, len: 0, spans: BufWriter::new(spans) }
    }

    /// Returns the number of its bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Adds bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Adds a span of the old bytes, and the one that replaces it, after all others.
    pub(super) fn add_span(&mut self, span: EditedSpan) -> io::Result<()> {
        write_span(&mut self.spans, span)
    }

    /// Calls a function with all spans.
    pub(super) fn each_span<E: From<io::Error>>(
        &mut self,
        mut take: impl FnMut(EditedSpan) -> Result<(), E>,
    ) -> Result<(), E> {
        read_spans(&mut self.spans)?.try_for_each(|span| take(span?))
    }

    /// Calls a function with all bytes, in parts.
    pub(super) fn each_part<E: From<io::Error>>(
        &mut self,
        take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.file.rewind()?;
        each_part(&mut self.file, take)
    }

    /// Returns the piece of `outer` that contains `opened`, with this as its text. If it is seen
    /// nowhere, it need not be short.
    pub(super) fn piece(
        mut self,
        opened: &Opened,
        outer: &Outer,
        is_seen: bool,
    ) -> io::Result<RebuiltPiece> {
        let mut out = NewText::empty();
        let old = opened.file.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        let piece: Box<dyn OpenFile> = Box::new(range(&outer.opened, place(outer))?);
        let (new, edits) = (&mut self.file, &mut read_spans(&mut self.spans)?);
        let member = outer.piece.member.as_deref();
        let edited = EditedFile { piece: &piece, old, new, edits, member, is_seen };
        let spans = &mut out.spans;
        let mut changed = |old, new| write_span(spans, (old, new));
        let sums = outer.opened.container.rebuild_file(edited, &mut out.file, &mut changed)?;
        out.len = out.file.seek(SeekFrom::End(0))?;
        Ok(RebuiltPiece { new: out, sums })
    }
}

/// A piece with another text.
pub(super) struct RebuiltPiece {
    pub(super) new: NewText,
    pub(super) sums: RebuiltSums,
}

/// Returns the place in its container of what contains another one.
fn place(outer: &Outer) -> Range<u64> {
    let PiecePlace { at, len, .. } = PiecePlace::of(&outer.piece);
    at..at + len
}

/// Returns a range of a container.
pub(super) fn range(opened: &Opened, range: Range<u64>) -> io::Result<FileRange> {
    let file = opened.file.as_ref().ok_or(io::ErrorKind::Unsupported)?;
    FileRange::new(&**file, range)
}

/// Calls a function with what is left of a file, in parts.
pub(super) fn each_part<E: From<io::Error>>(
    file: &mut dyn Read,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = BufReader::with_capacity(AT_ONCE, file);
    loop {
        let part = file.fill_buf()?;
        if part.is_empty() {
            return Ok(());
        }
        take(part)?;
        let n_bytes = part.len();
        file.consume(n_bytes);
    }
}

/// Calls a function with the changes of a piece, given the span of the old bytes in the container
/// and that of the new ones, and little of them at once.
pub(super) fn each_change<E: From<io::Error>>(
    opened: &Opened,
    (old, new): EditedSpan,
    mut take: impl FnMut(&Changes) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = range(opened, old)?;
    let mut n_new = new.end - new.start;
    let mut at = new.start;
    let mut part = Vec::new();
    loop {
        part.clear();
        (&mut file).take(PIECE as u64).read_to_end(&mut part)?;
        if part.is_empty() && at == new.end && n_new == 0 {
            return Ok(());
        }
        let mut changes = Changes::default();
        changes.push(at, n_new, &part);
        take(&changes)?;
        // What follows is inserted after it.
        (at, n_new) = (new.end, 0);
    }
}

/// Returns the failure for a container that is not put together again.
pub(super) fn failure(path: &Path, error: io::Error) -> Failure {
    use io::ErrorKind::{QuotaExceeded, StorageFull};

    match error.downcast::<ContentError>() {
        Ok(reason) => Failure::because(path, format!("skipped; {reason}")),
        Err(error) if matches!(error.kind(), StorageFull | QuotaExceeded) => {
            let text = format!("skipped; {}", messages::of_temporary_file(&error));
            Failure::because(path, text)
        }
        Err(error) => Failure::reading(path)(error),
    }
}

fn write_span(file: &mut impl Write, (old, new): EditedSpan) -> io::Result<()> {
    let numbers = [old.start, old.end, new.start, new.end];
    file.write_all(numbers.map(u64::to_le_bytes).as_flattened())
}

fn read_spans(
    file: &mut BufWriter<SpooledTempFile>,
) -> io::Result<impl Iterator<Item = io::Result<EditedSpan>> + use<'_>> {
    file.rewind()?;
    let mut file = BufReader::new(file.get_mut());
    Ok(std::iter::from_fn(move || {
        let mut next = || {
            if file.fill_buf()?.is_empty() {
                return Ok(None);
            }
            let mut numbers = [[0; 8]; 4];
            file.read_exact(numbers.as_flattened_mut())?;
            let [start, end, new_start, new_end] = numbers.map(u64::from_le_bytes);
            Ok(Some((start..end, new_start..new_end)))
        };
        next().transpose()
    }))
}
