//! The part of a file that is in memory.
//!
//! Invariant: the bytes that have been read and not taken are contiguous, in the order of the file.
//! Each octet is moved a bounded number of times: `start` goes back to 0 only if no more octets are
//! moved than were taken, or than are read next.

use std::io::{self, Read};

/// The maximum number of octets that are examined after a message: a separator, and a header
/// section that may contain its length.
const BEYOND: usize = 4 << 20;

/// The bytes of a file that have been read and not taken yet.
pub struct Window<'r> {
    reader: Box<dyn Read + 'r>,
    bytes: Vec<u8>,
    /// The bytes before it in `bytes` have been taken.
    start: usize,
    is_end: bool,
    chunk: usize,
    /// The maximum number of octets in memory, and the error if more are necessary.
    most: (usize, String),
}

impl<'r> Window<'r> {
    /// Creates a window that reads this number of octets at once.
    pub(super) fn new(reader: impl Read + 'r, chunk: usize) -> Self {
        Window {
            reader: Box::new(reader),
            bytes: Vec::new(),
            start: 0,
            is_end: false,
            chunk: chunk.max(1),
            most: (usize::MAX, String::new()),
        }
    }

    /// Limits the octets in memory, apart from those that are necessary to find what follows.
    pub(super) fn limit(&mut self, most: usize, reason: String) {
        self.most = (most, reason);
    }

    /// Returns the maximum number of octets of a message that are read.
    pub fn most(&self) -> usize {
        self.most.0
    }

    /// Returns the bytes in memory that have not been taken.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns true if nothing follows the bytes in memory.
    pub fn is_end(&self) -> bool {
        self.is_end
    }

    /// Reads until this number of octets is in memory. Returns false if the file is shorter.
    ///
    /// # Errors
    ///
    /// Those of [`Window::more`].
    pub fn reach(&mut self, length: usize) -> io::Result<bool> {
        while self.rest().len() < length {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads more. Returns true if there was any.
    ///
    /// # Errors
    ///
    /// Those of the reader, and an error if too many octets are in memory.
    pub fn more(&mut self) -> io::Result<bool> {
        if self.is_end {
            return Ok(false);
        }
        let n_kept = self.rest().len();
        if n_kept > self.most.0.saturating_add(BEYOND).saturating_add(self.chunk) {
            return Err(io::Error::other(self.most.1.clone()));
        }
        if self.start > 0 && (n_kept <= self.start || n_kept <= self.chunk) {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        let before = self.bytes.len();
        reserve(&mut self.bytes, self.chunk)?;
        let mut part = self.reader.by_ref().take(self.chunk as u64);
        let n_read = part.read_to_end(&mut self.bytes)?;
        self.is_end = n_read < self.chunk;
        Ok(self.bytes.len() > before)
    }

    /// Takes the first octets; at most all that are in memory.
    pub(super) fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let end = self.bytes.len().min(self.start.saturating_add(length));
        let n_after = self.bytes.len() - end;
        // A big message takes its memory along, and the bytes after it move.
        if self.start == 0 && n_after <= end {
            let mut after = Vec::new();
            if !self.is_end {
                reserve(&mut after, n_after + self.chunk)?;
            }
            after.extend_from_slice(&self.bytes[end..]);
            self.bytes.truncate(end);
            return Ok(std::mem::replace(&mut self.bytes, after));
        }
        let mut taken = Vec::new();
        taken.try_reserve_exact(end - self.start)?;
        taken.extend_from_slice(&self.bytes[self.start..end]);
        self.start = end;
        Ok(taken)
    }
}

/// Reserves memory for more octets; an error if there is none.
fn reserve(bytes: &mut Vec<u8>, more: usize) -> io::Result<()> {
    Ok(bytes.try_reserve(more)?)
}
