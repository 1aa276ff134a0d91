//! Why a document in a container is skipped.

use std::collections::TryReserveError;
use std::io;

use rewrite::Met;

/// The reason why a document in a container is skipped, or stays as it is.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ContentError {
    /// It exceeds a limit.
    #[error("{0}")]
    Limit(Met),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] TryReserveError),
    /// The error of a file.
    #[error("{0}")]
    File(String),
    /// A compressed part, at this offset, cannot be read.
    #[error("its gzip member at byte {at} {reason}")]
    Damaged {
        /// Its offset in the file.
        at: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The body of an HTTP response cannot be decoded.
    #[error(transparent)]
    Coding(warc::DecodeError),
    /// A field contains positions of the compressed data; its name.
    #[error("its extra field '{0}' contains positions of the compressed data, which would change")]
    Positions(&'static str),
    /// The data of a member cannot be read.
    #[error("its data {0}")]
    Member(&'static str),
    /// A patch for git would need the whole file.
    #[error("a patch for git cannot contain a member of an archive; use `--diff` without `git`")]
    Patch,
    /// A number has no room in the headers of a container.
    #[error("a length or offset would be too long for its headers; pack it with zip64")]
    TooLong,
    /// A signature is over the members of the file.
    #[error(
        "the file is signed, and an edit would break the signature; sign it again after an edit by hand"
    )]
    Signed,
    /// The new data are not those of the new document: a bug.
    #[error("verification of the compressed data failed; please report this with the file")]
    Unverified,
}

impl From<ContentError> for io::Error {
    fn from(reason: ContentError) -> Self {
        io::Error::other(reason)
    }
}

impl From<io::Error> for ContentError {
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(|error| ContentError::File(error.to_string()))
    }
}
