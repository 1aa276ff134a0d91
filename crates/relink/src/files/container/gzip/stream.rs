//! The text of a gzip file, decompressed as it is read, and its members.

use std::io::{self, Read};
use std::ops::Range;

use super::member::{CUT, MAGIC, MemberHeader, TRAILER, header, size};
use crate::files::container::ContentError;
use crate::files::container::deflate::{Crc32, DeflateError, Inflating};
use crate::files::container::stream::TextLength;

/// The number of bytes of a header that are read.
const MOST_OF_HEADER: usize = 1 << 20;

/// The text of a gzip file.
pub(super) struct GzipText<R> {
    data: Inflating<R>,
    /// Its length, if it is limited.
    length: Option<TextLength>,
    open: Option<OpenMember>,
}

/// A member that is being read.
struct OpenMember {
    start: u64,
    data: u64,
    header: MemberHeader,
    n_text: u64,
    crc: Crc32,
}

/// A member.
#[derive(Debug)]
pub(super) struct Member {
    /// Its range in the file.
    pub(super) range: Range<u64>,
    /// The offset of its compressed data in the file.
    pub(super) data: u64,
    /// The length of its text.
    pub(super) n_text: u64,
    /// The level of compression that its header names.
    pub(super) level: u32,
    /// The subfield of its extra field that contains lengths of compressed data.
    pub(super) index: Option<&'static str>,
}

impl<R: Read> GzipText<R> {
    pub(super) fn new(file: R, length: Option<TextLength>) -> Self {
        GzipText { data: Inflating::new(file), length, open: None }
    }

    /// Reads the next member, with its text in a buffer, a part after another; `None` if there is
    /// none.
    pub(super) fn member(&mut self, part: &mut [u8]) -> io::Result<Option<Member>> {
        let Some(mut member) = self.begin()? else { return Ok(None) };
        while self.read_part(&mut member, part)? > 0 {}
        let OpenMember { start, data, header, n_text, .. } = member;
        let (range, MemberHeader { level, index, .. }) = (start..self.data.offset(), header);
        Ok(Some(Member { range, data, n_text, level, index }))
    }

    /// Returns true if no member follows. Other bytes after the last member do not belong to the
    /// text.
    pub(super) fn is_end(&mut self) -> io::Result<bool> {
        self.data.reach(MAGIC.len())?;
        Ok(self.data.offset() > 0 && !self.data.rest().starts_with(MAGIC))
    }

    /// Begins with the next member; `None` if there is none.
    fn begin(&mut self) -> io::Result<Option<OpenMember>> {
        let start = self.data.offset();
        if self.is_end()? {
            return Ok(None);
        }
        let header = loop {
            match header(self.data.rest()) {
                Ok(header) => break header,
                Err(CUT) if self.data.rest().len() < MOST_OF_HEADER && self.data.more()? => {}
                Err(reason) => return Err(error(start, reason)),
            }
        };
        self.data.consume(header.len);
        self.data.begin();
        let data = self.data.offset();
        Ok(Some(OpenMember { start, data, header, n_text: 0, crc: Crc32::default() }))
    }

    /// Reads more of the text of a member. Returns 0 at its end, which is verified.
    fn read_part(&mut self, member: &mut OpenMember, out: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.data.inflate(out)?.map_err(|reason| {
            error(member.start, if reason == DeflateError::Cut { CUT } else { "is damaged" })
        })?;
        if n_bytes == 0 {
            self.end(member)?;
        } else {
            if let Some(length) = &mut self.length {
                length.add(n_bytes, self.data.offset())?;
            }
            member.n_text += n_bytes as u64;
            member.crc.add(&out[..n_bytes]);
        }
        Ok(n_bytes)
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
            let open = self.open.take().map_or_else(|| self.begin(), |it| Ok(Some(it)))?;
            let Some(mut member) = open else { break };
            let n_bytes = self.read_part(&mut member, out)?;
            if n_bytes > 0 {
                self.open = Some(member);
                return Ok(n_bytes);
            }
        }
        Ok(0)
    }
}

/// Returns the error for a member that begins at an offset.
fn error(start: u64, reason: &'static str) -> io::Error {
    let at = usize::try_from(start).unwrap_or(usize::MAX);
    ContentError::Damaged { at, reason }.into()
}

#[cfg(test)]
mod tests {
    use rewrite::Limits;

    use super::*;
    use crate::files::container::deflate::{checksum, compress};

    fn member(text: &[u8]) -> Vec<u8> {
        let mut member = b"\x1F\x8B\x08\x08\0\0\0\0\0\xFFname\0".to_vec();
        compress(&mut &*text, Some(6), &mut member).unwrap();
        member.extend(checksum(text).to_le_bytes());
        member.extend(size(text.len() as u64).to_le_bytes());
        member
    }

    /// Reads a file some bytes at once.
    fn text(file: &[u8]) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        let length = TextLength::new(Some(file.len() as u64), &Limits::default());
        let read = GzipText::new(file, Some(length)).read_to_end(&mut text);
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
