//! Pseudo-random bytes, the same in each run (xorshift, Marsaglia 2003).

use std::io::{self, Read};

/// What gives numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// One of a list.
    pub(crate) fn one<'l, T: ?Sized>(&mut self, list: &[&'l T]) -> &'l T {
        list[self.below(list.len())]
    }

    /// Some of a list after each other.
    pub(crate) fn some(&mut self, list: &[&str], most: usize) -> Vec<u8> {
        let n_parts = self.below(most + 1);
        (0..n_parts).flat_map(|_| self.one(list).bytes()).collect()
    }
}

/// A reader that gives few bytes at once, and is interrupted at times.
pub(crate) struct Slowly<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) step: usize,
    pub(crate) n_calls: usize,
}

impl Read for Slowly<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.n_calls += 1;
        if self.n_calls.is_multiple_of(7) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n_read = self.step.min(room.len()).min(self.bytes.len());
        room[..n_read].copy_from_slice(&self.bytes[..n_read]);
        self.bytes = &self.bytes[n_read..];
        Ok(n_read)
    }
}
