//! The documents of a log. There may be many, so only the offset of each record is in memory, and
//! the record is read again when it is needed.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek};
use std::path::Path;

use super::lines::{self, LineReader};
use super::{FileRecord, LogRecord, Recorded};
use crate::os::digest::{Short, short};
use crate::os::positioned::Positioned;

/// The documents of a log, in its order.
#[derive(Debug, Default)]
pub struct DocumentList {
    /// The offsets of their records.
    at: Vec<u64>,
    /// The offsets after their edits, if they are copied.
    ends: Vec<u64>,
    n_changed: usize,
    /// True if files are renamed after all documents are written.
    may_move: bool,
}

impl DocumentList {
    pub(in crate::recovery) fn new(may_move: bool) -> Self {
        DocumentList { may_move, ..DocumentList::default() }
    }

    /// Adds a document whose record is at an offset.
    pub(in crate::recovery) fn push(&mut self, at: u64, recorded: &Recorded) {
        self.at.push(at);
        self.n_changed += usize::from(recorded.document.is_changed());
    }

    /// Sets the offset after the edits of the document that was added last.
    pub(in crate::recovery) fn set_end(&mut self, end: u64) {
        self.ends.push(end);
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Returns the number of those whose content or name the run has changed.
    pub fn n_changed(&self) -> usize {
        self.n_changed
    }

    /// Reads them from their log.
    pub fn iter(&self, log: &File) -> impl Iterator<Item = io::Result<Recorded>> {
        let mut reader = self.reader(LineReader::of(Positioned::new(log, 0)));
        (0..self.at.len()).map(move |number| reader.get(number))
    }

    /// Returns a reader of any of them.
    pub(crate) fn reader<R: Read + Seek>(&self, lines: LineReader<R>) -> DocumentReader<'_, R> {
        DocumentReader { list: self, lines }
    }
}

/// A reader of the documents of a log.
#[derive(Debug)]
pub(crate) struct DocumentReader<'l, R> {
    list: &'l DocumentList,
    lines: LineReader<R>,
}

impl<R: Read + Seek> DocumentReader<'_, R> {
    /// Reads a document by its number in the list.
    ///
    /// # Errors
    ///
    /// Those of the reader, and an error if its record does not exist any more.
    pub(crate) fn get(&mut self, number: usize) -> io::Result<Recorded> {
        let at = self.list.at.get(number).copied().ok_or(io::ErrorKind::NotFound)?;
        self.lines.go_to(at)?;
        let mut found = None;
        lines::each(&mut self.lines, at, |at, line| {
            found = match LogRecord::read(line) {
                Some(LogRecord::File(file)) => recorded(file, at, line, self.list.may_move),
                _ => None,
            };
            false
        })?;
        found.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Copies the lines of a document and of its edits, in parts. Returns the number of edits.
    ///
    /// # Errors
    ///
    /// As those of [`DocumentReader::get`] and of `take`.
    pub(in crate::recovery) fn copy(
        &mut self,
        number: usize,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<usize> {
        let offset = |all: &[u64]| all.get(number).copied().ok_or(io::ErrorKind::NotFound);
        let (at, end) = (offset(&self.list.at)?, offset(&self.list.ends)?);
        self.lines.go_to(at)?;
        let mut n_edits = None;
        lines::each(&mut self.lines, at, |_, line| {
            n_edits = FileRecord::n_edits_of(line);
            false
        })?;
        let n_edits = n_edits.ok_or(io::ErrorKind::InvalidData)?;
        self.lines.go_to(at)?;
        let mut n_left = end - at;
        while n_left > 0 {
            let part = self.lines.fill_buf()?;
            let part = &part[..part.len().min(usize::try_from(n_left).unwrap_or(usize::MAX))];
            if part.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            take(part)?;
            let n_bytes = part.len();
            n_left -= n_bytes as u64;
            self.lines.consume(n_bytes);
        }
        Ok(n_edits)
    }

    /// Reads the lines of the edits of a document, as [`Recorded::each_edit`] does.
    ///
    /// # Errors
    ///
    /// As those of [`Recorded::each_edit`].
    pub(in crate::recovery) fn each_edit(
        &mut self,
        recorded: &Recorded,
        take: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        recorded.each_edit(&mut self.lines, take)
    }
}

/// Returns the document of a record, which is in a line at an offset, and followed by its edits.
pub(in crate::recovery) fn recorded(
    file: FileRecord,
    at: u64,
    line: &str,
    may_move: bool,
) -> Option<Recorded> {
    let n_edits = file.edits;
    Some(Recorded::new(file.document(may_move)?, at + line.len() as u64 + 1, n_edits))
}

/// Returns the hash of the number of a root and of the path of a document below it. There are many
/// documents, and their paths are long.
pub(in crate::recovery) fn place_hash(root: usize, below: &Path) -> Short {
    short(&[&root.to_le_bytes(), below.as_os_str().as_encoded_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::os::digest;
    use crate::os::undo_log::Changes;
    use crate::recovery::records::{RecordedDocument, write_edits};

    #[test]
    fn documents_are_read_again_from_their_log() {
        let content = |text: &str| (digest::of_bytes(text.as_bytes()), text.len() as u64);
        let document =
            |path: &str| RecordedDocument::new(0, path.into(), [content("a"), content(path)]);
        let mut changes = Changes::default();
        changes.push(1, 2, b"\",\"edits\":7}");
        let (mut list, mut log, mut lines) = (DocumentList::default(), Vec::new(), Vec::new());
        for (path, n_edits) in [("b,\"edits\":9}", 1), ("a", 0), ("c", 2)] {
            let (at, document) = (log.len(), document(path));
            let line = LogRecord::lines([LogRecord::File(FileRecord::new(&document, n_edits))]);
            let recorded = Recorded::new(document, (at + line.len()) as u64, n_edits);
            list.push(at as u64, &recorded);
            log.extend(line);
            let written = (0..n_edits).map(|_| write_edits(&changes, 0, &mut log));
            assert_eq!(written.sum::<usize>(), n_edits);
            list.set_end(log.len() as u64);
            lines.push((recorded, log[at..].to_vec()));
        }
        let mut reader = list.reader(LineReader::new(Cursor::new(&log)).unwrap());
        for number in [2, 0, 1] {
            let (recorded, text) = &lines[number];
            let found = reader.get(number).unwrap();
            assert_eq!(found.document, recorded.document);
            assert_eq!(found.changes(Cursor::new(&log)).unwrap().len(), recorded.n_edits());
            let mut read = Vec::new();
            let n_edits = reader.copy(number, |part| {
                read.extend(part);
                Ok(())
            });
            assert_eq!((n_edits.unwrap(), &read), (recorded.n_edits(), text));
        }
        // A log that was truncated since.
        let mut reader = list.reader(LineReader::new(Cursor::new(&log[..log.len() - 1])).unwrap());
        reader.copy(2, |_| Ok(())).unwrap_err();
        reader.get(3).unwrap_err();
    }
}
