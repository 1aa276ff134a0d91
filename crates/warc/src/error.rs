//! The reason why a record cannot be read, with its offset.

use std::io;

use crate::gzip;

/// The reason why a record cannot be read.
///
/// Reading goes on at the next record after every error but those of [`ErrorKind::is_last`].
#[derive(Debug, thiserror::Error)]
#[error("record at byte {offset}: {kind}")]
pub struct Error {
    /// The offset in the file, in bytes, of the record; of the gzip member or zstd frame if that
    /// is what cannot be read.
    pub offset: u64,
    /// What is wrong.
    #[source]
    pub kind: ErrorKind,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The record begins neither with `WARC/` and a version nor with a line of an ARC file.
    #[error("it does not begin as a record of WARC or ARC")]
    Version,
    /// The header section is longer than [`MAX_HEADER`](crate::MAX_HEADER), or does not end.
    #[error("its header section is too long, or does not end")]
    Header,
    /// The header section has more than [`MAX_FIELDS`](crate::MAX_FIELDS) fields.
    #[error("its header section has too many fields")]
    Fields,
    /// `Content-Length` is missing, is not a number, or there are several.
    #[error("its length is missing, is not a number, or there are several")]
    Length,
    /// The block is longer than the caller allows, in bytes.
    #[error("its block is longer than {0} bytes")]
    TooLarge(u64),
    /// The file, or the gzip member, ends before the block does.
    #[error("it is truncated: it ends before its block does")]
    Truncated,
    /// No record and no end of the file follows the block: the length is wrong.
    #[error("its length is wrong: no record follows its block")]
    WrongLength,
    /// A gzip member cannot be decompressed.
    #[error("its gzip member {0}")]
    Gzip(&'static str),
    /// A zstd frame cannot be decompressed.
    #[error("its zstd frame {0}")]
    Zstd(String),
}

impl ErrorKind {
    /// Returns true if no record is read after such an error.
    pub fn is_last(&self) -> bool {
        matches!(self, ErrorKind::Io(_) | ErrorKind::Zstd(_))
    }
}

impl ErrorKind {
    /// Returns true if the file ends inside of the record, or of its gzip member.
    pub(crate) fn is_cut_off(&self) -> bool {
        matches!(self, ErrorKind::Truncated | ErrorKind::Gzip(gzip::CUT))
    }

    /// Returns true if [`Record::read_available`](crate::Record::read_available) reads a record
    /// with such a defect.
    pub fn is_incomplete(&self) -> bool {
        self.is_cut_off() || matches!(self, ErrorKind::WrongLength)
    }
}

impl Error {
    pub(crate) fn new(offset: u64, kind: ErrorKind) -> Self {
        Error { offset, kind }
    }
}
