//! The bytes of the file that are in memory, with those by which the reader may go back.

use std::io::{self, Read};

use crate::limits::{CHUNK, LOOK_BACK};

/// The bytes of a file that are in memory.
///
/// Invariant: the reader goes back by no more bytes in all than it has read, and [`LOOK_BACK`], so
/// that its time stays linear.
pub(crate) struct InputBuffer<R> {
    reader: R,
    /// Bytes of the file up to `end`, and room for more, which is not cleared for each read.
    bytes: Vec<u8>,
    end: usize,
    /// The offset in the file of the first byte in `bytes`.
    base: u64,
    /// The index of the next byte.
    at: usize,
    /// The index from which bytes are kept.
    mark: usize,
    is_end: bool,
    /// The number of bytes by which it went back.
    n_back: u64,
}

impl<R: Read> InputBuffer<R> {
    pub(crate) fn new(reader: R) -> Self {
        InputBuffer::starting_at(reader, 0)
    }

    /// Creates the input for a reader whose next byte is at this offset in the file.
    pub(crate) fn starting_at(reader: R, base: u64) -> Self {
        let bytes = Vec::new();
        InputBuffer { reader, bytes, end: 0, base, at: 0, mark: 0, is_end: false, n_back: 0 }
    }

    /// Returns the bytes in memory from the next one on.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..self.end]
    }

    /// Returns the offset in the file of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Passes over bytes in memory.
    pub(crate) fn consume(&mut self, n_bytes: usize) {
        self.at = self.end.min(self.at + n_bytes);
    }

    /// Keeps the bytes from here on, [`LOOK_BACK`] at most.
    pub(crate) fn mark(&mut self) {
        self.mark = self.at;
    }

    /// Goes back to an offset, or as near to it as possible.
    pub(crate) fn go_back(&mut self, offset: u64) {
        let allowed = (self.offset() + LOOK_BACK as u64).saturating_sub(self.n_back);
        let oldest = (self.base + self.mark as u64).max(self.offset().saturating_sub(allowed));
        let to = offset.clamp(oldest.min(self.offset()), self.offset());
        self.n_back += self.offset() - to;
        // `to` is at least `base`.
        self.at -= usize::try_from(self.offset() - to).unwrap_or(0);
    }

    /// Reads more. Returns false at the end of the file.
    pub(crate) fn more(&mut self) -> io::Result<bool> {
        if self.is_end {
            return Ok(false);
        }
        self.mark = self.mark.min(self.at).max(self.at.saturating_sub(LOOK_BACK));
        if self.mark > 0 && self.mark >= self.end - self.mark {
            self.bytes.copy_within(self.mark..self.end, 0);
            self.base += self.mark as u64;
            self.at -= self.mark;
            self.end -= self.mark;
            self.mark = 0;
        }
        let room_end = self.end + CHUNK;
        if self.bytes.len() < room_end {
            self.bytes.try_reserve(room_end - self.bytes.len())?;
            self.bytes.resize(room_end, 0);
        }
        let read = loop {
            match self.reader.read(&mut self.bytes[self.end..room_end]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.end += (*read.as_ref().unwrap_or(&0)).min(CHUNK);
        self.is_end = read? == 0;
        Ok(!self.is_end)
    }

    /// Reads until this number of bytes is in memory. Returns false if the file is shorter.
    pub(crate) fn reach(&mut self, n_bytes: usize) -> io::Result<bool> {
        while self.rest().len() < n_bytes {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl<R: Read> Read for InputBuffer<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.rest().is_empty() && !self.more()? {
            return Ok(0);
        }
        let n_bytes = self.rest().len().min(out.len());
        out[..n_bytes].copy_from_slice(&self.rest()[..n_bytes]);
        self.consume(n_bytes);
        Ok(n_bytes)
    }
}
