//! The part of a file that is in memory.
//!
//! Invariant: the bytes that have been read and not taken are contiguous, in the order of the file.
//! Each byte is moved a bounded number of times: `start` goes back to 0 only if no more bytes are
//! moved than were taken, or than twice those that are read next.
//!
//! What is taken shares the buffer if it is at least half of it, or if the buffer has at most
//! [`N_SHARED`] chunks; otherwise it is copied. So it keeps no more in memory than twice its own
//! length and these chunks. Parts that share a buffer are neighbours in the file: those of a
//! stretch of the file keep no more than twice its length, and these chunks at each of its ends.

use std::fmt;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The number of chunks up to which a buffer is shared by all that is taken from it: one, and what
/// remained of the one before.
const N_SHARED: usize = 2;

/// The maximum number of bytes that are examined after a message: a separator, and a header
/// section that may contain its length.
const BEYOND: usize = 4 << 20;

/// The bytes of a file that have been read and not taken yet.
pub struct Window<'r> {
    reader: Box<dyn Read + 'r>,
    /// If others share it, nothing is appended to it: the rest goes to a new one.
    bytes: Arc<Vec<u8>>,
    /// The bytes before it in `bytes` have been taken.
    start: usize,
    is_end: bool,
    chunk: usize,
    /// The maximum number of bytes in memory, and the error if more are necessary.
    most: (usize, String),
}

impl<'r> Window<'r> {
    /// Creates a window that reads this number of bytes at once.
    pub(super) fn new(reader: impl Read + 'r, chunk: usize) -> Self {
        Window {
            reader: Box::new(reader),
            bytes: Arc::default(),
            start: 0,
            is_end: false,
            chunk: chunk.max(1),
            most: (usize::MAX, String::new()),
        }
    }

    /// Limits the bytes in memory, apart from those that are necessary to find what follows.
    pub(super) fn limit(&mut self, most: usize, reason: String) {
        self.most = (most, reason);
    }

    /// Returns the maximum number of bytes of a message that are read.
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

    /// Reads until this number of bytes is in memory. Returns false if the file is shorter.
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
    /// Those of the reader, and an error if too many bytes are in memory.
    pub fn more(&mut self) -> io::Result<bool> {
        if self.is_end {
            return Ok(false);
        }
        let n_kept = self.rest().len();
        if n_kept > self.most.0.saturating_add(BEYOND).saturating_add(self.chunk) {
            return Err(io::Error::other(self.most.1.clone()));
        }
        let chunk = self.chunk;
        match Arc::get_mut(&mut self.bytes) {
            Some(bytes) if self.start > 0 && (n_kept <= self.start || n_kept <= chunk) => {
                bytes.drain(..self.start);
                self.start = 0;
            }
            Some(_) => {}
            None => {
                let mut bytes = Vec::new();
                reserve(&mut bytes, n_kept + chunk)?;
                bytes.extend_from_slice(self.rest());
                (self.bytes, self.start) = (Arc::new(bytes), 0);
            }
        }
        // Nothing shares it now.
        let bytes = Arc::make_mut(&mut self.bytes);
        reserve(bytes, chunk)?;
        let mut part = self.reader.by_ref().take(chunk as u64);
        let n_read = part.read_to_end(bytes)?;
        self.is_end = n_read < chunk;
        Ok(n_read > 0)
    }

    /// Takes the first bytes; at most all that are in memory.
    pub(super) fn take(&mut self, length: usize) -> io::Result<SharedBytes> {
        let end = self.bytes.len().min(self.start.saturating_add(length));
        let range = self.start..end;
        let n_shared = (N_SHARED * self.chunk).max(2 * range.len());
        let taken = if self.bytes.len() <= n_shared {
            SharedBytes::new(&self.bytes, range)
        } else {
            let mut taken = Vec::new();
            taken.try_reserve_exact(range.len())?;
            taken.extend_from_slice(&self.bytes[range]);
            taken.into()
        };
        self.start = end;
        if end == self.bytes.len() {
            // Its memory is freed with what was taken.
            (self.bytes, self.start) = (Arc::default(), 0);
        }
        Ok(taken)
    }
}

/// Reserves memory for more bytes; an error if there is none.
fn reserve(bytes: &mut Vec<u8>, more: usize) -> io::Result<()> {
    Ok(bytes.try_reserve(more)?)
}

// Bytes that are a range of a larger buffer, which other ranges share.
//
// The documents of a container are passed from the thread that reads to those that process them.
// Since they share what was read, none of them is copied.

/// A range of bytes that do not change. The buffer is freed with the last range of it.
#[derive(Clone, Default)]
pub struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedBytes {
    /// Returns a range of a buffer.
    pub(super) fn new(buffer: &Arc<Vec<u8>>, range: Range<usize>) -> Self {
        SharedBytes { buffer: Arc::clone(buffer), range }
    }

    /// Returns a range of these bytes.
    pub fn part(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        SharedBytes::new(&self.buffer, start + range.start..start + range.end)
    }

    /// Returns the bytes in a vector of their own. Copies them only if the buffer has other bytes,
    /// or is shared.
    pub fn into_vec(self) -> Vec<u8> {
        if self.range != (0..self.buffer.len()) {
            return self.to_vec();
        }
        Arc::try_unwrap(self.buffer).unwrap_or_else(|shared| shared.to_vec())
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        SharedBytes { buffer: Arc::new(bytes), range }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<B: AsRef<[u8]> + ?Sized> PartialEq<B> for SharedBytes {
    fn eq(&self, other: &B) -> bool {
        **self == *other.as_ref()
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_shares_the_buffer_unless_it_is_a_small_part_of_a_large_one() {
        let file: Vec<u8> = (0..200).collect();
        let mut window = Window::new(&file[..], 10);
        assert!(window.reach(10).unwrap());
        let first = window.rest().as_ptr();
        let one = window.take(4).unwrap();
        let other = window.take(4).unwrap();
        assert_eq!((one.as_ptr(), other.as_ptr()), (first, first.wrapping_add(4)));
        // What is shared does not change when more is read.
        assert!(window.reach(100).unwrap());
        assert_eq!((&*one, &*other), (&file[..4], &file[4..8]));
        let rest = window.rest().as_ptr();
        let small = window.take(30).unwrap();
        assert_eq!(small, file[8..38]);
        assert_ne!(small.as_ptr(), rest);
        let large = window.take(60).unwrap();
        assert_eq!(large, file[38..98]);
        assert_eq!(large.as_ptr(), rest.wrapping_add(30));
        drop((one, other));
        assert!(!window.reach(200).unwrap());
        assert_eq!(window.take(usize::MAX).unwrap(), file[98..]);
        assert!(window.rest().is_empty() && window.is_end());
    }

    #[test]
    fn only_a_part_or_a_shared_buffer_is_copied() {
        let bytes = SharedBytes::from(b"abcdef".to_vec());
        let place = bytes.as_ptr();
        assert_eq!(SharedBytes::new(&bytes.buffer, 2..4).into_vec(), b"cd");
        let copied = bytes.clone().into_vec();
        assert_ne!(copied.as_ptr(), place);
        let same = bytes.into_vec();
        assert_eq!((same.as_ptr(), &*same), (place, &*copied));
    }
}
