//! The members of a gzip file: a header, compressed data (RFC 1951), and a trailer (RFC 1952,
//! section 2.3).

use std::ops::Range;

use crate::files::container::ContentError;
use crate::files::container::deflate::{Crc32, DeflateError, RawInflater, checksum};

/// The first bytes of a member: its magic number.
pub(super) const MAGIC: &[u8] = &[0x1F, 0x8B];
/// The method of compression: deflate.
const DEFLATE: u8 = 8;
/// The length of the fixed part of a header.
const FIXED: usize = 10;
/// The length of a trailer: the CRC-32 and the size of the text.
pub(super) const TRAILER: usize = 8;

/// The flag for a CRC-16 of the header.
const HAS_CRC: u8 = 1 << 1;
/// The flag for an extra field.
const HAS_EXTRA: u8 = 1 << 2;
/// The flag for a file name.
const HAS_NAME: u8 = 1 << 3;
/// The flag for a comment.
const HAS_COMMENT: u8 = 1 << 4;
/// The flags that no version of the format uses.
const RESERVED: u8 = !(1 | HAS_CRC | HAS_EXTRA | HAS_NAME | HAS_COMMENT);

/// The subfields of an extra field that contain lengths of compressed data: of bgzip (BGZF), of
/// dictzip, and of mgzip and pgzip.
const INDEXES: &[&str] = &["BC", "RA", "SZ", "IG"];

/// Returns true if a file that begins so may be gzip.
pub(super) fn is_start(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Returns the size of a text as a trailer has it: modulo 2^32.
pub(super) fn size(n_bytes: u64) -> u32 {
    let [a, b, c, d, ..] = n_bytes.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A member.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its span in the file.
    pub(super) span: Range<usize>,
    /// The offset of its compressed data in the file.
    pub(super) data: usize,
    /// The length of its text.
    pub(super) n_text: usize,
    /// The level of compression that its header names.
    pub(super) level: u32,
    /// The subfield of its extra field that contains lengths of compressed data.
    pub(super) index: Option<&'static str>,
}

/// The members of a file, one after another.
pub(super) struct Members<'f> {
    file: &'f [u8],
    at: usize,
    inflater: RawInflater,
}

impl<'f> Members<'f> {
    pub(super) fn new(file: &'f [u8]) -> Self {
        Members { file, at: 0, inflater: RawInflater::new() }
    }

    /// Returns true if no member follows. Other bytes after the last member do not belong to the
    /// text, as for gzip.
    pub(super) fn is_end(&self) -> bool {
        self.at > 0 && !self.file.get(self.at..).is_some_and(is_start)
    }

    /// Reads the next member, and passes its text to `take` in parts.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be read, or the error of `take`.
    pub(super) fn next(
        &mut self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), ContentError>,
    ) -> Result<Option<Member>, ContentError> {
        if self.is_end() {
            return Ok(None);
        }
        let start = self.at;
        let damaged = |reason| ContentError::Damaged { at: start, reason };
        let MemberHeader { len, level, index } = header(&self.file[start..]).map_err(damaged)?;
        let data = start + len;
        let mut n_text = 0;
        let mut checksum = Crc32::default();
        let mut pass = |part: &[u8]| {
            n_text += part.len();
            checksum.add(part);
            take(part)
        };
        let n_data =
            self.inflater.inflate(&self.file[data..], &mut pass).map_err(|error| match error {
                DeflateError::Damaged => damaged("is damaged"),
                DeflateError::Cut => damaged(CUT),
                DeflateError::Refused(reason) => reason,
            })?;
        let trailer = data + n_data;
        let end = trailer + TRAILER;
        let Some(sums) = self.file.get(trailer..end) else { return Err(damaged(CUT)) };
        if sums[..4] != checksum.value().to_le_bytes() {
            return Err(damaged("is damaged: its checksum is wrong"));
        }
        if sums[4..] != size(n_text as u64).to_le_bytes() {
            return Err(damaged("is damaged: its size is wrong"));
        }
        self.at = end;
        Ok(Some(Member { span: start..end, data, n_text, level, index }))
    }
}

/// The reason for a member that the end of the file cuts.
pub(super) const CUT: &str = "is incomplete";

/// What a header says.
pub(super) struct MemberHeader {
    pub(super) len: usize,
    level: u32,
    index: Option<&'static str>,
}

/// Reads the header with which a member begins.
pub(super) fn header(member: &[u8]) -> Result<MemberHeader, &'static str> {
    if !is_start(member) {
        return Err("does not begin as gzip");
    }
    let Some(fixed) = member.get(..FIXED) else { return Err(CUT) };
    let (method, flags, extra_flags) = (fixed[2], fixed[3], fixed[8]);
    if method != DEFLATE {
        return Err("has an unknown method of compression");
    }
    if flags & RESERVED != 0 {
        return Err("has unknown flags");
    }
    let mut len = FIXED;
    let mut index = None;
    if flags & HAS_EXTRA != 0 {
        let Some(&[low, high]) = member.get(len..len + 2) else { return Err(CUT) };
        let n_extra = usize::from(u16::from_le_bytes([low, high]));
        let Some(extra) = member.get(len + 2..len + 2 + n_extra) else { return Err(CUT) };
        index = index_in(extra);
        len += 2 + n_extra;
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            let Some(n_text) = memchr::memchr(0, &member[len..]) else { return Err(CUT) };
            len += n_text + 1;
        }
    }
    if flags & HAS_CRC != 0 {
        let Some(crc) = member.get(len..len + 2) else { return Err(CUT) };
        if crc != &checksum(&member[..len]).to_le_bytes()[..2] {
            return Err("is damaged: the checksum of its header is wrong");
        }
        len += 2;
    }
    // XFL: 2 for the slowest algorithm, 4 for the fastest.
    let level = match extra_flags {
        2 => 9,
        4 => 1,
        _ => 6,
    };
    Ok(MemberHeader { len, level, index })
}

/// Returns the first subfield of an extra field that contains lengths of compressed data (RFC 1952,
/// section 2.3.1.1).
fn index_in(mut extra: &[u8]) -> Option<&'static str> {
    while let [one, other, low, high, rest @ ..] = extra {
        let name = [*one, *other];
        let index = INDEXES.iter().find(|index| index.as_bytes() == name);
        if index.is_some() {
            return index.copied();
        }
        extra = rest.get(usize::from(u16::from_le_bytes([*low, *high]))..)?;
    }
    None
}
