//! The text of a gzip file, decompressed as it is read.

use std::io::{self, Read};

use super::member::{CUT, MAGIC, TRAILER, header, size};
use crate::files::container::ContentError;
use crate::files::container::deflate::{Crc32, DeflateError, Inflating};
use crate::files::container::stream::{TextLength, damaged};

/// The number of bytes of a header that are read.
const MOST_OF_HEADER: usize = 1 << 20;

/// The text of a gzip file.
pub(super) struct GzipText<R> {
    data: Inflating<R>,
    length: TextLength,
    open: Option<OpenMember>,
}

/// A member that is being read.
struct OpenMember {
    start: u64,
    n_text: u64,
    crc: Crc32,
}

impl<R: Read> GzipText<R> {
    pub(super) fn new(file: R, length: TextLength) -> Self {
        GzipText { data: Inflating::new(file), length, open: None }
    }

    /// Begins with the next member; `None` if there is none. Other bytes after the last member do
    /// not belong to the text.
    fn begin(&mut self) -> io::Result<Option<OpenMember>> {
        let start = self.data.offset();
        self.data.reach(MAGIC.len())?;
        if start > 0 && !self.data.rest().starts_with(MAGIC) {
            return Ok(None);
        }
        let len = loop {
            match header(self.data.rest()) {
                Ok(header) => break header.len,
                Err(CUT) if self.data.rest().len() < MOST_OF_HEADER && self.data.more()? => {}
                Err(reason) => return Err(error(start, reason)),
            }
        };
        self.data.consume(len);
        self.data.begin();
        Ok(Some(OpenMember { start, n_text: 0, crc: Crc32::default() }))
    }

    /// Ends a member.
    fn end(&mut self, member: &OpenMember) -> io::Result<()> {
        let is_whole = self.data.reach(TRAILER)?;
        let is_right = match self.data.rest().get(..TRAILER).map(|sums| sums.split_at(TRAILER / 2))
        {
            _ if !is_whole => Err(CUT),
            Some((crc, _)) if crc != member.crc.value().to_le_bytes() => {
                Err("is damaged: its checksum is wrong")
            }
            Some((_, len)) if len != size(member.n_text).to_le_bytes() => {
                Err("is damaged: its size is wrong")
            }
            _ => Ok(()),
        };
        self.data.consume(TRAILER);
        is_right.map_err(|reason| error(member.start, reason))
    }
}

impl<R: Read> Read for GzipText<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            let Some(mut member) =
                self.open.take().map_or_else(|| self.begin(), |it| Ok(Some(it)))?
            else {
                break;
            };
            let n_bytes = self.data.inflate(out)?.map_err(|reason| {
                error(member.start, if reason == DeflateError::Cut { CUT } else { "is damaged" })
            })?;
            if n_bytes == 0 {
                self.end(&member)?;
                continue;
            }
            self.length.add(n_bytes, self.data.offset())?;
            member.n_text += n_bytes as u64;
            member.crc.add(&out[..n_bytes]);
            self.open = Some(member);
            return Ok(n_bytes);
        }
        Ok(0)
    }
}

/// Returns the error for a member that begins at an offset.
fn error(start: u64, reason: &'static str) -> io::Error {
    let at = usize::try_from(start).unwrap_or(usize::MAX);
    damaged(ContentError::Damaged { at, reason })
}

#[cfg(test)]
mod tests {
    use rewrite::Limits;

    use super::*;
    use crate::files::container::deflate::{checksum, compress};

    fn member(text: &[u8]) -> Vec<u8> {
        let mut member = b"\x1F\x8B\x08\x08\0\0\0\0\0\xFFname\0".to_vec();
        member.extend(compress(text, 6).unwrap());
        member.extend(checksum(text).to_le_bytes());
        member.extend(size(text.len() as u64).to_le_bytes());
        member
    }

    /// Reads a file some bytes at once.
    fn text(file: &[u8]) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        let length = TextLength::new(Some(file.len() as u64), &Limits::default());
        let read = GzipText::new(file, length).read_to_end(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    #[test]
    fn members_are_read_and_damage_is_named() {
        let parts: [&[u8]; 3] = [b"", b"abc", &b"0123456789".repeat(30_000)];
        let mut file: Vec<u8> = parts.iter().flat_map(|part| member(part)).collect();
        assert!(text(&file) == Ok(parts.concat()));
        let start = member(b"").len();
        for n_bytes in [2, 9, start - 8, start + 5, start + 15, file.len() - 9, file.len() - 1] {
            let error = text(&file[..n_bytes]).unwrap_err();
            assert!(error.ends_with("is incomplete"), "{n_bytes} {error}");
        }
        file.extend(b"\0\0\x1F\x8B");
        assert!(text(&file) == Ok(parts.concat()));
        let end = file.len() - 4;
        for (at, reason) in [(end - 1, "size is wrong"), (end - 5, "checksum is wrong")] {
            file[at] ^= 1;
            let error = text(&file).unwrap_err();
            assert!(error.ends_with(reason), "{error}");
            file[at] ^= 1;
        }
        assert!(text(b"").is_err() && text(b"text").is_err());
        let bomb = member(&vec![0; 9 << 20]);
        assert!(text(&bomb).unwrap_err().contains("times its size"));
    }
}
