//! Bytes that are a range of a larger buffer, which other ranges share.
//!
//! The documents of a container are passed from the thread that reads to those that process them.
//! Since they share what was read, none of them is copied.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

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
