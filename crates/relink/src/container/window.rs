//! The part of a file that is in memory.
//!
//! Invariant: what has been read and not been taken stands in one stretch, in the order of the
//! file. Each octet is moved a bounded number of times: `start` only goes back to 0 when what is
//! moved is not more than what was taken, or than what is read next.

use std::io::{self, Read};

/// What is looked at behind a message, at most: a separator, and a heading that may have its
/// length.
const BEYOND: usize = 4 << 20;

/// What has been read of a file and has not been taken yet.
pub(super) struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// What stands before it in `bytes` has been taken.
    start: usize,
    is_end: bool,
    chunk: usize,
    /// So many octets may be in memory, and what is said where more would have to be.
    most: (usize, String),
}

impl<R: Read> Window<R> {
    /// A window that is filled by so many octets at once.
    pub(super) fn new(reader: R, chunk: usize) -> Self {
        Window {
            reader,
            bytes: Vec::new(),
            start: 0,
            is_end: false,
            chunk: chunk.max(1),
            most: (usize::MAX, String::new()),
        }
    }

    /// Takes no more than so many octets into memory, and what one needs to see what follows them.
    pub(super) fn limit(&mut self, most: usize, reason: String) {
        self.most = (most, reason);
    }

    /// How many octets of a message are read.
    pub(super) fn most(&self) -> usize {
        self.most.0
    }

    /// What is in memory and has not been taken.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns true if nothing follows what is in memory.
    pub(super) fn is_end(&self) -> bool {
        self.is_end
    }

    /// Reads on until so many octets are in memory. Tells whether they are; the file may be
    /// shorter.
    pub(super) fn reach(&mut self, length: usize) -> io::Result<bool> {
        while self.rest().len() < length {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads on. Tells whether there was anything.
    pub(super) fn more(&mut self) -> io::Result<bool> {
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
        // A big message goes with the memory it is in, and what is after it moves.
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

/// Room for more octets; an error where there is none.
fn reserve(bytes: &mut Vec<u8>, more: usize) -> io::Result<()> {
    Ok(bytes.try_reserve(more)?)
}
