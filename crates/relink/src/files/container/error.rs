//! The reason why a document cannot be read from its container, or put back into it.

use std::collections::TryReserveError;
use std::fmt;

use rewrite::Met;

/// The reason why a document in a container is skipped, or stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentError {
    /// It exceeds a limit.
    Limit(Met),
    /// There is not enough memory.
    Memory(TryReserveError),
    /// A compressed part, at this offset, cannot be read.
    Damaged {
        /// Its offset in the file.
        at: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The body of an HTTP response cannot be decoded.
    Coding(warc::DecodeError),
    /// A field contains positions of the compressed data; its name.
    Positions(&'static str),
    /// The new data are not those of the new document: a bug.
    Unverified,
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::Limit(met) => met.fmt(f),
            ContentError::Memory(error) => error.fmt(f),
            ContentError::Damaged { at, reason } => {
                write!(f, "its gzip member at byte {at} {reason}")
            }
            ContentError::Coding(error) => error.fmt(f),
            ContentError::Positions(field) => write!(
                f,
                "its extra field '{field}' contains positions of the compressed data, which would change"
            ),
            ContentError::Unverified => f.write_str(
                "verification of the compressed data failed; please report this with the file",
            ),
        }
    }
}

impl From<TryReserveError> for ContentError {
    fn from(error: TryReserveError) -> Self {
        ContentError::Memory(error)
    }
}
