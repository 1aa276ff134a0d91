//! A range of a file as a file of its own.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::OpenFile;

/// A range of an open file.
#[derive(Debug)]
pub struct FileRange {
    file: Box<dyn OpenFile>,
    range: Range<u64>,
    /// The offset in the range of the next byte.
    at: u64,
}

impl FileRange {
    /// Returns a range of a file. What of it is after the end of the file is not there.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn new(file: &dyn OpenFile, range: Range<u64>) -> io::Result<Self> {
        let mut file = file.again()?;
        file.seek(SeekFrom::Start(range.start))?;
        let end = range.end.max(range.start);
        Ok(FileRange { file, range: range.start..end, at: 0 })
    }
}

impl Read for FileRange {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n_left = self.length().saturating_sub(self.at);
        let most = usize::try_from(n_left).map_or(out.len(), |n_left| n_left.min(out.len()));
        let n_bytes = self.file.read(&mut out[..most])?;
        self.at += n_bytes as u64;
        Ok(n_bytes)
    }
}

impl Seek for FileRange {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length().checked_add_signed(by),
        };
        let at = at.ok_or(io::ErrorKind::InvalidInput)?;
        let in_file = self.range.start.checked_add(at).ok_or(io::ErrorKind::InvalidInput)?;
        self.file.seek(SeekFrom::Start(in_file))?;
        self.at = at;
        Ok(at)
    }
}

impl OpenFile for FileRange {
    fn length(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn origin(&self) -> Option<String> {
        None
    }

    fn again(&self) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(FileRange::new(&*self.file, self.range.clone())?))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_range_is_a_file() {
        let file = Cursor::new(b"0123456789".to_vec());
        let mut range = FileRange::new(&file, 2..6).unwrap();
        let text = |file: &mut dyn OpenFile| {
            let mut text = String::new();
            file.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!((text(&mut range).unwrap(), range.length()), ("2345".to_owned(), 4));
        assert_eq!(range.seek(SeekFrom::End(-1)).unwrap(), 3);
        assert_eq!(text(&mut range).unwrap(), "5");
        assert_eq!(text(&mut *range.again().unwrap()).unwrap(), "2345");
        assert_eq!(range.seek(SeekFrom::Start(9)).unwrap(), 9);
        assert_eq!(text(&mut range).unwrap(), "");
        assert!(range.seek(SeekFrom::Current(-10)).is_err());
        let mut inner = FileRange::new(&range, 1..3).unwrap();
        assert_eq!(text(&mut inner).unwrap(), "34");
    }
}
