//! The members of a zip file: the only file that imports rawzip.

use std::io::{self, Read, Seek};
use std::ops::Range;

use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};

/// The maximum number of members that are read.
const MOST: usize = 100_000;

/// A member of a zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The range of the file with its data.
    pub range: Range<u64>,
    /// Its compression.
    pub method: Method,
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

/// Returns the members of a file, in the order of its directory.
///
/// # Errors
///
/// The error of the file, or the reason why it is not a zip file.
pub fn members(file: &mut (impl Read + Seek + ?Sized)) -> io::Result<Vec<Member>> {
    let invalid =
        |error: rawzip::Error| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_seekable(file, &mut buffer).map_err(invalid)?;
    let (mut members, mut entries) = (Vec::new(), archive.entries(&mut buffer));
    while let Some(entry) = entries.next_entry().map_err(invalid)? {
        if members.len() == MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has too many members"));
        }
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let method = match entry.compression_method() {
            CompressionMethod::STORE => Method::Stored,
            CompressionMethod::DEFLATE => Method::Deflate,
            _ => Method::Other,
        };
        let found = archive.get_entry(entry.wayfinder()).map_err(invalid)?;
        let (start, end) = found.compressed_data_range();
        members.push(Member { name, range: start..end.max(start), method });
    }
    Ok(members)
}
