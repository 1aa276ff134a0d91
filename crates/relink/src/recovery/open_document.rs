//! A document that is open in its current state. It is read once for both its hash and its old
//! content, if it fits into the buffer.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};

use super::records::RecordedDocument;
use crate::os::digest::{ContentHash, Hasher};
use crate::os::dirs::Location;
use crate::os::undo_log::Changes;

/// The maximum number of bytes of a document that are kept in memory.
const MOST: u64 = 1 << 20;

/// The current state of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// Its old content.
    Old,
    /// Its new content.
    New,
    /// Something else.
    Other,
    /// It does not exist.
    Gone,
}

/// The current state of a document, and its file if that is a regular one.
#[derive(Debug)]
pub struct FoundDocument {
    /// Its state.
    pub state: DocumentState,
    /// Its file.
    pub open: Option<OpenDocument>,
}

impl FoundDocument {
    /// Opens a document and compares its content with a record.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn read(at: &Location, document: &RecordedDocument) -> io::Result<Self> {
        let mut open = match OpenDocument::new(at) {
            Ok(open) => open,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(FoundDocument::without_file(DocumentState::Gone));
            }
            Err(_) if at.status().is_ok_and(|found| !found.is_file) => {
                return Ok(FoundDocument::without_file(DocumentState::Other));
            }
            Err(error) => return Err(error),
        };
        let hash = open.hash()?;
        let state = match () {
            () if hash == document.new => DocumentState::New,
            () if hash == document.old => DocumentState::Old,
            () => DocumentState::Other,
        };
        Ok(FoundDocument { state, open: Some(open) })
    }

    /// Returns a state for which there is no file.
    pub fn without_file(state: DocumentState) -> Self {
        FoundDocument { state, open: None }
    }
}

/// An open document.
#[derive(Debug)]
pub struct OpenDocument {
    reader: BufReader<File>,
    metadata: Metadata,
}

impl OpenDocument {
    /// Opens a document.
    ///
    /// # Errors
    ///
    /// As those of [`Location::open`].
    pub fn new(at: &Location) -> io::Result<Self> {
        let (file, metadata) = at.open()?;
        let capacity = usize::try_from(metadata.len().clamp(1, MOST)).unwrap_or(1);
        Ok(OpenDocument { reader: BufReader::with_capacity(capacity, file), metadata })
    }

    /// Returns its metadata when it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns its file.
    pub fn file(&self) -> &File {
        self.reader.get_ref()
    }

    /// Computes the hash of its content, from the start, and goes back to it.
    fn hash(&mut self) -> io::Result<ContentHash> {
        let mut hasher = Hasher::default();
        let mut n_left = self.metadata.len();
        // `io::copy` would read around the buffer.
        while n_left > 0 {
            let bytes = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let n_read = bytes.len().min(usize::try_from(n_left).unwrap_or(usize::MAX));
            if n_read == 0 {
                break;
            }
            hasher.write_all(&bytes[..n_read])?;
            self.reader.consume(n_read);
            n_left -= n_read as u64;
        }
        let n_read = i64::try_from(self.metadata.len() - n_left).map_err(io::Error::other)?;
        self.reader.seek_relative(-n_read)?;
        Ok(hasher.finish())
    }

    /// Writes its old content, as its changes give it.
    ///
    /// # Errors
    ///
    /// As those of [`Changes::undo`].
    pub fn undo(&mut self, changes: &Changes, out: &mut impl Write) -> io::Result<()> {
        changes.undo(&mut self.reader, self.metadata.len(), out)
    }
}
