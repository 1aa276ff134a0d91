//! The lines of a journal, read with bounded memory: a journal may be any file that somebody left
//! in a tree.

use std::io::{self, BufRead};

/// The maximum number of octets of a line that is not an edit. Longer lines are read to their end,
/// and ignored.
pub(crate) const MOST: usize = 8 << 20;

/// The maximum number of octets of an edit in one line in journals of version 1; later versions
/// write it in pieces.
pub(super) const MOST_OF_EDIT: usize = 1 << 30;

/// The longest journal that is read, or written, in octets.
pub(crate) const MOST_OF_FILE: u64 = 64 << 30;

/// Reads complete lines until `take` returns false. `take` gets the offset of each line, and its
/// text: `None` if the line is longer than `most` octets, empty if it is not UTF-8. Returns true if
/// octets follow the last line end.
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
    fn a_line_that_is_too_long_does_not_count_and_the_next_one_does() {
        let line = |at, text: &str| (at, text.to_owned());
        assert_eq!(lines("abcdef\nc\n", 4), (vec![line(0, "too long"), line(7, "c")], false));
    }
}
