//! A file that is read from a position of its own, so that threads can share it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// A reader of a file whose position is not that of the file.
#[derive(Debug)]
pub struct Positioned<'f> {
    file: &'f File,
    at: u64,
}

impl<'f> Positioned<'f> {
    /// Returns a reader that begins at an offset.
    pub fn new(file: &'f File, at: u64) -> Self {
        Positioned { file, at }
    }
}

impl Read for Positioned<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = read_at(self.file, out, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Positioned<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
