//! Gzip members: their header (RFC 1952, section 2.3), and what they contain.
//!
//! This is the only file that imports flate2, for compressed data (RFC 1951, RFC 1950) and CRC-32.

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// The first bytes of a member: its magic number, and the method of compression.
pub(crate) const MAGIC: &[u8] = b"\x1F\x8B\x08";
/// The length of a trailer: the CRC-32 and the size of the text.
pub(crate) const TRAILER: usize = 8;
/// The length of the fixed part of a header.
const FIXED: usize = 10;

/// The flags for a CRC-16 of the header, an extra field, a file name and a comment.
const HAS_CRC: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
/// The flags that no version of the format uses.
const RESERVED: u8 = 0b1110_0000;

/// The reason for a member that the end of the file cuts.
pub(crate) const CUT: &str = "is incomplete";
/// The reason for a member whose data are not valid.
pub(crate) const DAMAGED: &str = "is damaged";
/// The reason for a member whose text is not the one that was compressed.
pub(crate) const WRONG_SUM: &str = "is damaged: its checksum or its size is wrong";

/// What the bytes at the start of a member say.
pub(crate) enum Header {
    /// The header has this length.
    Complete(usize),
    /// The header needs more bytes.
    Incomplete,
    /// There is no member.
    Invalid(&'static str),
}

/// Reads the header with which some bytes begin.
pub(crate) fn header(bytes: &[u8]) -> Header {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
        return Header::Invalid("does not begin as gzip");
    }
    let Some(fixed) = bytes.get(..FIXED) else { return Header::Incomplete };
    let flags = fixed[3];
    if flags & RESERVED != 0 {
        return Header::Invalid("has unknown flags");
    }
    let mut len = FIXED;
    if flags & HAS_EXTRA != 0 {
        let Some(&[low, high]) = bytes.get(len..len + 2) else { return Header::Incomplete };
        len += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            let rest = bytes.get(len..).unwrap_or_default();
            let Some(n_text) = memchr::memchr(0, rest) else { return Header::Incomplete };
            len += n_text + 1;
        }
    }
    if flags & HAS_CRC != 0 {
        len += 2;
    }
    if bytes.len() < len { Header::Incomplete } else { Header::Complete(len) }
}

/// Decompresses data in steps.
pub(crate) struct Inflater(Decompress);

/// What one step has read and written, in bytes.
pub(crate) struct InflateStep {
    pub(crate) n_read: usize,
    pub(crate) n_written: usize,
    /// True if the data have ended.
    pub(crate) is_end: bool,
}

/// Data that are not valid.
#[derive(Debug)]
pub(crate) struct Damaged;

impl Inflater {
    /// Creates a decompressor of data without a header.
    pub(crate) fn raw() -> Self {
        Inflater(Decompress::new(false))
    }

    /// Creates a decompressor of data in the format of zlib.
    pub(crate) fn zlib() -> Self {
        Inflater(Decompress::new(true))
    }

    /// Begins with new data without a header.
    pub(crate) fn reset(&mut self) {
        self.0.reset(false);
    }

    /// Decompresses some of the data. Without progress, more data or more room are necessary.
    pub(crate) fn step(&mut self, data: &[u8], out: &mut [u8]) -> Result<InflateStep, Damaged> {
        let (n_in, n_out) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(data, out, FlushDecompress::None).map_err(|_| Damaged)?;
        let length = |n_bytes: u64| usize::try_from(n_bytes).unwrap_or(usize::MAX);
        Ok(InflateStep {
            n_read: length(self.0.total_in() - n_in).min(data.len()),
            n_written: length(self.0.total_out() - n_out).min(out.len()),
            is_end: status == Status::StreamEnd,
        })
    }
}

/// The CRC-32 of a text that comes in parts.
#[derive(Default)]
pub(crate) struct Checksum(Crc);

impl Checksum {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// Returns true if the trailer of a gzip member has this checksum and this length.
    pub(crate) fn is_in(&self, trailer: &[u8]) -> bool {
        trailer.get(..4) == Some(&self.0.sum().to_le_bytes()[..])
            && trailer.get(4..8) == Some(&self.0.amount().to_le_bytes()[..])
    }
}
