//! The reason why a record cannot be read, with its offset.

use std::{fmt, io};

use crate::gzip;

/// The reason why a record cannot be read.
///
/// Reading goes on at the next record after every error but those of [`ErrorKind::is_last`].
#[derive(Debug)]
pub struct Error {
    /// The offset in the file, in octets, of the record; of the gzip member or zstd frame if that
    /// is what cannot be read.
    pub offset: u64,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a record.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be read.
    Io(io::Error),
    /// The record begins neither with `WARC/` and a version nor with a line of an ARC file.
    Version,
    /// The header section is longer than [`MAX_HEADER`](crate::MAX_HEADER), or does not end.
    Header,
    /// The header section has more than [`MAX_FIELDS`](crate::MAX_FIELDS) fields.
    Fields,
    /// `Content-Length` is missing, is not a number, or there are several.
    Length,
    /// The block is longer than the caller allows, in octets.
    TooLarge(u64),
    /// The file, or the gzip member, ends before the block does.
    Truncated,
    /// No record and no end of the file follows the block: the length is wrong.
    WrongLength,
    /// A gzip member cannot be decompressed.
    Gzip(&'static str),
    /// A zstd frame cannot be decompressed.
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

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(error) => error.fmt(f),
            ErrorKind::Version => f.write_str("it does not begin as a record of WARC or ARC"),
            ErrorKind::Header => f.write_str("its header section is too long, or does not end"),
            ErrorKind::Fields => f.write_str("its header section has too many fields"),
            ErrorKind::Length => {
                f.write_str("its length is missing, is not a number, or there are several")
            }
            ErrorKind::TooLarge(most) => write!(f, "its block is longer than {most} bytes"),
            ErrorKind::Truncated => f.write_str("it is truncated: it ends before its block does"),
            ErrorKind::WrongLength => {
                f.write_str("its length is wrong: no record follows its block")
            }
            ErrorKind::Gzip(reason) => write!(f, "its gzip member {reason}"),
            ErrorKind::Zstd(reason) => write!(f, "its zstd frame {reason}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record at byte {}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}
