//! The header of a gzip member (RFC 1952, section 2.3).

/// The first octets of a member: its magic number, and the method of compression.
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

/// What the octets at the start of a member say.
pub(crate) enum Header {
    /// The header has this length.
    Complete(usize),
    /// The header needs more octets.
    Incomplete,
    /// There is no member.
    Invalid(&'static str),
}

/// Reads the header with which some octets begin.
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
