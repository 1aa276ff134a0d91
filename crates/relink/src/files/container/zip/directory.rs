//! The members of a zip file, by its central directory (APPNOTE.TXT 6.3.10, section 4.3). Only this
//! file imports rawzip.

use std::io::{self, Read, Seek};
use std::ops::Range;

use rawzip::{CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ZipArchive};

use super::names;

/// A member of a zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Its name; bytes that are not text in its charset are replaced.
    pub name: String,
    /// Its name, as it is written.
    pub raw_name: Box<[u8]>,
    /// The offset of its local header.
    pub at: u64,
    /// The range of the file with its data.
    pub range: Range<u64>,
    /// Its compression.
    pub method: Method,
    /// Its general purpose bit flags.
    pub flags: u16,
    /// The CRC-32 of its text.
    pub crc: u32,
    /// The length of its text in bytes.
    pub size: u64,
}

/// The compression of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// None.
    Stored,
    /// Deflate (RFC 1951).
    Deflate,
    /// Another one, which is not read.
    Other,
}

/// The members of a file, and the place of its central directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZipDirectory {
    /// The members, in the order of the directory.
    pub members: Vec<ZipMember>,
    /// The offset of the directory.
    pub at: u64,
}

/// How much of a file may be its directory: the numbers, and the reasons why more are not read.
#[derive(Clone, Debug)]
pub struct DirectoryLimits {
    /// The number of members.
    pub members: (usize, String),
    /// The number of bytes from the start of the directory to the end of the file.
    pub bytes: (usize, String),
}

/// The number of bytes of a file that are read at once, at least.
const SMALLEST_BUFFER: usize = 1 << 10;

/// Returns the members of a file of this length in bytes.
///
/// # Errors
///
/// The error of the file, or the reason why it is not a zip file, or exceeds a limit.
pub fn directory(
    file: &mut (impl Read + Seek + ?Sized),
    length: u64,
    limits: &DirectoryLimits,
) -> io::Result<ZipDirectory> {
    let invalid = |error: rawzip::Error| {
        let text = match error.kind() {
            // The buffer has room for every record that the file may have.
            ErrorKind::BufferTooSmall { .. } => "a record is longer than the file".to_owned(),
            _ => error.to_string(),
        };
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let exceeded = |reason: &str| io::Error::other(reason);
    // There may be many short files, and a record is no longer than its file.
    let n_buffer = usize::try_from(length).unwrap_or(usize::MAX).max(SMALLEST_BUFFER);
    let mut buffer = vec![0; n_buffer.min(RECOMMENDED_BUFFER_SIZE)];
    let archive = ZipArchive::from_seekable(file, &mut buffer).map_err(invalid)?;
    let at = archive.directory_offset();
    if length.saturating_sub(at) > limits.bytes.0 as u64 {
        return Err(exceeded(&limits.bytes.1));
    }
    let (mut members, mut entries) = (Vec::new(), archive.entries(&mut buffer));
    while let Some(entry) = entries.next_entry().map_err(invalid)? {
        if members.len() >= limits.members.0 {
            return Err(exceeded(&limits.members.1));
        }
        let raw_name = Box::from(entry.file_path().as_bytes());
        let fields = entry.extra_fields().map(|(id, data)| (id.as_u16(), data));
        let name = names::decoded(&raw_name, entry.flags().is_utf8(), fields);
        let method = match entry.compression_method() {
            CompressionMethod::STORE => Method::Stored,
            CompressionMethod::DEFLATE => Method::Deflate,
            _ => Method::Other,
        };
        let found = archive.get_entry(entry.wayfinder()).map_err(invalid)?;
        let (start, end) = found.compressed_data_range();
        members.push(ZipMember {
            name,
            raw_name,
            at: entry.local_header_offset(),
            range: start..end.max(start),
            method,
            flags: entry.flags().bits(),
            crc: entry.crc32(),
            size: entry.uncompressed_size_hint(),
        });
    }
    Ok(ZipDirectory { members, at })
}
