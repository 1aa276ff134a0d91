//! The headers of the members of a gzip file (RFC 1952, section 2.3). Compressed data (RFC 1951)
//! and a trailer follow.

use crate::files::container::deflate::checksum;

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

/// The reason for a member that the end of the file cuts.
pub(super) const CUT: &str = "is incomplete";

/// What a header says.
pub(super) struct MemberHeader {
    pub(super) len: usize,
    /// The level of compression that it names.
    pub(super) level: u32,
    /// The subfield of its extra field that contains lengths of compressed data.
    pub(super) index: Option<&'static str>,
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
