//! The lines of a journal, read with bounded memory: a journal may be any file that somebody left
//! in a tree.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// The maximum number of bytes of a line. Longer lines are read to their end, and ignored.
pub(crate) const MOST: usize = 8 << 20;

/// The longest line that is read to its end.
const LONGEST: u64 = 1 << 30;

/// The longest journal that is read, or written, in octets.
pub(crate) const MOST_OF_FILE: u64 = 64 << 30;

/// The number of octets of a journal that are read at once.
const CHUNK: usize = 1 << 16;

/// A reader of a journal that knows its offset: the octets that it has in memory are not read again
/// if it goes to an offset near by.
#[derive(Debug)]
pub(crate) struct Reader<R> {
    reader: BufReader<R>,
    at: u64,
}

impl<R: Read + Seek> Reader<R> {
    /// Returns a reader that begins at the start.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) fn new(mut journal: R) -> io::Result<Self> {
        journal.seek(SeekFrom::Start(0))?;
        Ok(Reader { reader: BufReader::with_capacity(CHUNK, journal), at: 0 })
    }

    /// Goes to an offset.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) fn go_to(&mut self, at: u64) -> io::Result<()> {
        match i64::try_from(i128::from(at) - i128::from(self.at)) {
            Ok(by) => self.reader.seek_relative(by)?,
            Err(_) => self.reader.seek(SeekFrom::Start(at)).map(drop)?,
        }
        self.at = at;
        Ok(())
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl<R: Read> BufRead for Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.reader.consume(n);
        self.at += n as u64;
    }
}

/// Reads complete lines until `take` returns false. `take` gets the offset of each line, and its
/// text: `None` if the line is longer than `most` octets, empty if it is not UTF-8. Returns true if
/// octets follow the last line end, or a line is longer than a gibibyte.
///
/// # Errors
///
/// Those of the reader.
pub(crate) fn each(
    mut reader: impl BufRead,
    mut at: u64,
    most: usize,
    mut take: impl FnMut(u64, Option<&str>) -> bool,
) -> io::Result<bool> {
    let mut line: Vec<u8> = Vec::new();
    let mut len: u64 = 0;
    loop {
        let bytes = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok(len > 0);
        }
        let end = memchr::memchr(b'\n', bytes);
        let n_read = end.map_or(bytes.len(), |end| end + 1);
        if len + n_read as u64 <= most as u64 {
            line.extend_from_slice(&bytes[..n_read]);
        }
        len += n_read as u64;
        reader.consume(n_read);
        if len > LONGEST {
            return Ok(true);
        }
        if end.is_none() {
            continue;
        }
        let text = match len == line.len() as u64 {
            true => Some(std::str::from_utf8(&line[..line.len() - 1]).unwrap_or_default()),
            false => None,
        };
        if !take(at, text) {
            return Ok(false);
        }
        at += len;
        len = 0;
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(text: &str, most: usize) -> (Vec<(u64, String)>, bool) {
        let mut lines = Vec::new();
        let reader = BufReader::with_capacity(3, text.as_bytes());
        let is_cut = each(reader, 0, most, |at, line| {
            lines.push((at, line.unwrap_or("too long").to_owned()));
            true
        });
        (lines, is_cut.unwrap())
    }

    #[test]
    fn lines_are_read_with_their_offsets() {
        let line = |at, text: &str| (at, text.to_owned());
        assert_eq!(lines("ab\n\nc\n", 9), (vec![line(0, "ab"), line(3, ""), line(4, "c")], false));
        assert_eq!(lines("ab\nc", 9), (vec![line(0, "ab")], true));
        assert_eq!(lines("", 9), (vec![], false));
    }

    #[test]
    fn a_reader_goes_to_any_offset() {
        let text: Vec<u8> = (0..=250).cycle().take(3 * CHUNK).collect();
        let mut reader = Reader::new(io::Cursor::new(&text)).unwrap();
        for at in [CHUNK + 7, 3, 9, 2 * CHUNK, 2 * CHUNK - 1, 0, CHUNK] {
            let mut found = [0; 5];
            reader.go_to(at as u64).unwrap();
            reader.read_exact(&mut found).unwrap();
            assert_eq!(found, text[at..at + 5], "{at}");
            reader.consume(0);
        }
    }

    #[test]
    fn a_line_that_is_too_long_does_not_count_and_the_next_one_does() {
        let line = |at, text: &str| (at, text.to_owned());
        assert_eq!(lines("abcdef\nc\n", 4), (vec![line(0, "too long"), line(7, "c")], false));
    }
}
