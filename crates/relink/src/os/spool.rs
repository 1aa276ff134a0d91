//! What is found in one file, until its turn to be printed: in memory, and in a temporary file
//! once it is large. The boxes of `relink bases` can be forty times as large as the document.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom, Write};

/// So many bytes are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// So many bytes of the file are read at once.
const AT_ONCE: usize = 64 << 10;

/// The bytes that are allocated at first, at least and at most.
const FIRST: std::ops::RangeInclusive<usize> = 1 << 10..=512 << 10;

/// A buffer for output. An error of the temporary file is returned by [`Spool::print`].
#[derive(Debug, Default)]
pub struct Spool {
    /// What is not in the file yet.
    memory: Vec<u8>,
    /// The bytes that will be allocated at first.
    first: usize,
    file: Option<File>,
    error: Option<io::Error>,
}

impl Spool {
    /// Returns an empty buffer to which about this number of bytes will be written.
    pub fn for_bytes(first: usize) -> Self {
        Spool { first, ..Spool::default() }
    }

    /// Writes all that was written here to `out`.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, and of `out`.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(error) = &self.error {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        if let Some(mut file) = self.file.as_ref() {
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut BufReader::with_capacity(AT_ONCE, file), out)?;
        }
        out.write_all(&self.memory)
    }

    /// Writes what `write` appends to the bytes in memory. An error is returned by
    /// [`Spool::print`].
    #[inline]
    pub fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.error.is_some() {
            return;
        }
        if self.memory.capacity() == 0 {
            self.memory.reserve(self.first.clamp(*FIRST.start(), *FIRST.end()));
        }
        write(&mut self.memory);
        if self.memory.len() >= IN_MEMORY {
            self.spill_or_fail();
        }
    }

    #[cold]
    fn spill_or_fail(&mut self) {
        if let Err(error) = self.spill() {
            let text = format!("cannot write a temporary file: {error}");
            self.error = Some(io::Error::new(error.kind(), text));
        }
    }

    /// Moves what is in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.memory)?;
        self.memory.clear();
        Ok(())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(|memory| memory.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_printed_however_large_it_is() {
        for n in [0, 10, IN_MEMORY + 1] {
            let mut spool = Spool::default();
            let bytes: Vec<u8> = (0..n).map(|idx| u8::try_from(idx % 251).unwrap()).collect();
            bytes.chunks(1000).for_each(|chunk| spool.write_all(chunk).unwrap());
            for _ in 0..2 {
                let mut out = Vec::new();
                spool.print(&mut out).unwrap();
                assert!(out == bytes, "{n}");
            }
        }
    }
}
