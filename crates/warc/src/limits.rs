//! The limits of the reader, which bound its memory and its time whatever the input.

/// The maximum length in bytes of the header section of a record, with its version line. An ARC
/// record has one line.
pub const MAX_HEADER: usize = 64 << 10;
/// The maximum number of fields in the header section of a record.
pub const MAX_FIELDS: usize = 512;
/// The number of bytes of the file by which the reader goes back at most when a record proves to
/// be broken: a record in them is not lost with it.
pub const LOOK_BACK: usize = 4 << 20;
/// The maximum length in bytes of the dictionary of a `.warc.zst`.
pub const MAX_DICTIONARY: usize = 16 << 20;
/// The maximum window of a zstd frame, in bytes.
pub const MAX_ZSTD_WINDOW: u64 = 64 << 20;
/// The maximum length in bytes of the header section of an HTTP response.
pub const MAX_HTTP_HEADER: usize = 256 << 10;
/// The maximum number of codings of an HTTP response, one applied after another.
pub const MAX_CODINGS: usize = 8;

/// The number of bytes that are read from the file at once.
pub(crate) const CHUNK: usize = 64 << 10;
/// The number of bytes that are decompressed at once.
pub(crate) const PART: usize = 64 << 10;
/// The maximum number of bytes of the header of a gzip member.
pub(crate) const MAX_MEMBER_HEADER: usize = 70 << 10;
