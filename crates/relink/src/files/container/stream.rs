//! Containers in containers, read without being in memory as a whole.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;

use rewrite::{Limit, Limits, Met};

use super::{ContentError, Piece, SharedBytes};
#[cfg(not(target_family = "wasm"))]
use crate::os::messages;
use crate::os::store::OpenFile;
use crate::os::store::range::FileRange;

/// The bytes of a decompressed text that the limit on the ratio of compression does not count.
pub(super) const FREE: usize = 1 << 20;
/// The number of bytes up to which a container in another one is in memory.
pub const IN_MEMORY: usize = 1 << 20;

/// What a container is read from.
pub enum Source {
    /// Bytes that are read once, from their start: standard input.
    Stream(Box<dyn Read>),
    /// A file, which can be read anywhere.
    File(Box<dyn OpenFile>),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Stream(reader) => reader.read(buffer),
            Source::File(file) => file.read(buffer),
        }
    }
}

/// What has been read of a decompressed text, with its limits.
#[derive(Debug)]
pub(super) struct TextLength {
    n_text: u64,
    /// The maximum length by the ratio of compression, if the length of the data is known.
    most: Option<u64>,
    ratio: u64,
    too_long: Met,
}

impl TextLength {
    /// Returns the length of an empty text. `n_encoded` is the length of all its data.
    pub(super) fn new(n_encoded: Option<u64>, limits: &Limits) -> Self {
        let ratio = limits.get(Limit::CompressionRatio) as u64;
        let most = n_encoded.map(|n_encoded| most(n_encoded, ratio));
        let too_long = limits.met(Limit::CompressionRatio);
        TextLength { n_text: 0, most, ratio, too_long }
    }

    /// Returns the maximum length by the ratio of compression, if the length of the data is known.
    pub(super) fn most(&self) -> Option<u64> {
        self.most
    }

    /// Adds the length of a part that was decompressed from the first `n_read` bytes of the data.
    pub(super) fn add(&mut self, n_bytes: usize, n_read: u64) -> io::Result<u64> {
        self.n_text += n_bytes as u64;
        if self.n_text > self.most.unwrap_or_else(|| most(n_read, self.ratio)) {
            return Err(ContentError::Limit(self.too_long).into());
        }
        Ok(self.n_text)
    }
}

fn most(n_encoded: u64, ratio: u64) -> u64 {
    n_encoded.saturating_mul(ratio).saturating_add(FREE as u64)
}

/// Reads a text into memory, unless it exceeds the limit for a document. Memory for this number of
/// bytes is reserved.
pub(super) fn in_memory(
    text: impl Read,
    length: u64,
    limits: &Limits,
) -> Result<Vec<u8>, ContentError> {
    let most = limits.get(Limit::DocumentSize);
    let mut bytes: Vec<u8> = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).map_or(most, |length| length.min(most)))?;
    text.take((most as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        Err(ContentError::Limit(limits.met(Limit::DocumentSize)))
    } else {
        Ok(bytes)
    }
}

impl Source {
    /// Returns a range of it; all of it is its only range if it is read once.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn part(&mut self, range: Option<Range<u64>>) -> io::Result<Source> {
        match (self, range) {
            (Source::File(file), Some(range)) => {
                Ok(Source::File(Box::new(FileRange::new(&**file, range)?)))
            }
            (source, _) => Ok(std::mem::replace(source, Source::Stream(Box::new(io::empty())))),
        }
    }

    /// Returns its length in bytes, if it is known.
    pub fn length(&self) -> Option<u64> {
        match self {
            Source::File(file) => Some(file.length()),
            Source::Stream(_) => None,
        }
    }

    /// Returns its first bytes, and all of it.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn with_head(self, n_bytes: usize) -> io::Result<(Vec<u8>, Source)> {
        let mut head = Vec::new();
        let source = match self {
            Source::Stream(mut reader) => {
                reader.by_ref().take(n_bytes as u64).read_to_end(&mut head)?;
                Source::Stream(Box::new(Cursor::new(head.clone()).chain(reader)))
            }
            Source::File(mut file) => {
                file.by_ref().take(n_bytes as u64).read_to_end(&mut head)?;
                file.seek(SeekFrom::Start(0))?;
                Source::File(file)
            }
        };
        Ok((head, source))
    }

    /// Returns it as a file: bytes that are read once are copied, to a temporary file if they are
    /// many. The limits are lowered by as many.
    ///
    /// # Errors
    ///
    /// Those of the files, and the reason if a limit is exceeded.
    pub fn into_file(self, limits: &mut Limits) -> io::Result<Box<dyn OpenFile>> {
        let mut reader = match self {
            Source::File(file) => return Ok(file),
            Source::Stream(reader) => reader,
        };
        let most = limits.get(Limit::ArchiveSize);
        let mut start = Vec::new();
        let n_start = most.saturating_add(1).min(IN_MEMORY);
        reader.by_ref().take(n_start as u64).read_to_end(&mut start)?;
        let n_left = (most as u64).saturating_add(1).saturating_sub(start.len() as u64);
        let rest = &mut reader.take(n_left);
        let file: Box<dyn OpenFile> = match start.len() < n_start {
            true => Box::new(Cursor::new(SharedBytes::from(start))),
            false => temporary(start, rest)?,
        };
        if file.length() > most as u64 {
            return Err(io::Error::other(limits.met(Limit::ArchiveSize).to_string()));
        }
        let left = (most as u64).saturating_sub(file.length());
        limits.lower(Limit::ArchiveSize, usize::try_from(left).unwrap_or(usize::MAX));
        Ok(file)
    }
}

/// Copies bytes to a temporary file without a name.
#[cfg(not(target_family = "wasm"))]
fn temporary(start: Vec<u8>, rest: &mut dyn Read) -> io::Result<Box<dyn OpenFile>> {
    use std::io::Write;

    let mut file = tempfile::tempfile().map_err(not_written)?;
    file.write_all(&start).map_err(not_written)?;
    let mut part = vec![0; IN_MEMORY];
    loop {
        match rest.read(&mut part)? {
            0 => return crate::os::store::disk::opened(file),
            n_bytes => file.write_all(&part[..n_bytes]).map_err(not_written)?,
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn not_written(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), messages::of_temporary_file(&error))
}

/// Copies bytes to memory.
#[cfg(target_family = "wasm")]
fn temporary(mut start: Vec<u8>, rest: &mut dyn Read) -> io::Result<Box<dyn OpenFile>> {
    rest.read_to_end(&mut start)?;
    Ok(Box::new(Cursor::new(SharedBytes::from(start))))
}

impl Piece {
    /// Returns the piece for a container whose bytes are not in memory: those in this range of the
    /// file, or all of it if it is read once.
    pub(crate) fn streamed(range: Range<u64>) -> Self {
        let piece = Piece::without_document(range.start, Vec::new());
        Piece { unit: Some(0..0), stream: Some(range), ..piece }
    }
}
