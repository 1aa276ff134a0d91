//! Archives whose bytes depend on their entries alone: no times, no names of users.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, GzBuilder};
use rawzip::{CompressionMethod, ZipArchiveWriter};

/// A file of an archive, or a directory, whose path ends with `/`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The path in the archive, with `/`.
    pub path: String,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The permissions, such as `0o644`.
    pub mode: u32,
}

impl Entry {
    /// Returns a file that is read.
    pub fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), mode: 0o644 }
    }

    /// Returns a file that is run.
    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { mode: 0o755, ..Self::file(path, bytes) }
    }
}

/// Returns a tar archive (ustar, POSIX.1-1988), compressed by gzip.
///
/// # Errors
///
/// If a path is longer than ustar allows.
pub fn tar_gz(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(0);
        if entry.path.ends_with('/') {
            header.set_entry_type(tar::EntryType::Directory);
        }
        archive.append_data(&mut header, &entry.path, &*entry.bytes)?;
    }
    gzip(&archive.into_inner()?)
}

/// Returns a ZIP archive, compressed by deflate.
///
/// # Errors
///
/// If a path is longer than 65,535 bytes.
pub fn zip(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for entry in entries {
        let file = archive.new_file(&*entry.path).compression_method(CompressionMethod::DEFLATE);
        let (mut file, config) =
            file.unix_permissions(entry.mode).start().map_err(io::Error::other)?;
        let mut data = config.wrap(DeflateEncoder::new(&mut file, Compression::best()));
        data.write_all(&entry.bytes)?;
        let (deflate, sizes) = data.finish().map_err(io::Error::other)?;
        deflate.finish()?;
        file.finish(sizes).map_err(io::Error::other)?;
    }
    archive.finish().map_err(io::Error::other)
}

/// Returns bytes compressed by gzip, without a time and a name.
///
/// # Errors
///
/// None that a memory buffer can cause.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    gzip.finish()
}
