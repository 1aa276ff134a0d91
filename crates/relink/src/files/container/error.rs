//! The reason why a document cannot be read from its container, or put back into it.

use std::collections::TryReserveError;

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
    /// The new data are not those of the new document: a bug.
    #[error("verification of the compressed data failed; please report this with the file")]
    Unverified,
}
