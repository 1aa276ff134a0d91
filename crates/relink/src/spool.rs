//! What is found in one file, until its turn to be printed: in memory, and in a temporary file
//! once it is large. The boxes of `relink bases` can be forty times as large as the document.

use std::io::{self, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

/// So many octets are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// A buffer for output. An error of the temporary file is returned by [`Spool::print`] too.
pub struct Spool {
    file: SpooledTempFile,
    error: Option<io::Error>,
}

impl Default for Spool {
    fn default() -> Self {
        Spool { file: SpooledTempFile::new(IN_MEMORY), error: None }
    }
}

impl Spool {
    /// Writes all that was written here to `out`.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, and of `out`.
    pub fn print(mut self, out: &mut impl Write) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, out).map(|_| ())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let Err(error) = &written
            && error.kind() != io::ErrorKind::Interrupted
            && self.error.is_none()
        {
            self.error = Some(io::Error::new(
                error.kind(),
                format!("cannot write a temporary file: {error}"),
            ));
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
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
            let mut out = Vec::new();
            spool.print(&mut out).unwrap();
            assert!(out == bytes, "{n}");
        }
    }
}
