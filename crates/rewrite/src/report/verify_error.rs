//! The error of an output that is not as decided.

use std::fmt;

use super::skip::SkipReason;

/// The reason why verification rejected an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// A byte outside of the edits differs.
    Locality,
    /// The output has other references than the input.
    Sequence {
        /// The offset in the output of the first that differs.
        at: usize,
        /// The reference found there.
        found: String,
    },
    /// A document that was read in the input is not read in the output, or not by the verifying
    /// engine.
    Unread(SkipReason),
    /// A reference that must stay unchanged depends on a base that was to be emptied.
    Base,
    /// A reference has another target.
    Target {
        /// The offset of the reference in the output.
        at: usize,
        /// The reference as written.
        reference: String,
        /// The expected target.
        expected: String,
        /// The actual target, if it has one.
        found: Option<String>,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Locality => f.write_str("bytes outside of references would change"),
            VerifyError::Sequence { at, found } => {
                write!(f, "the output would contain other references: '{found}' at byte {at}")
            }
            VerifyError::Base => {
                f.write_str("a reference that must stay unchanged depends on the base")
            }
            VerifyError::Unread(reason) => write!(f, "the output cannot be read: {reason}"),
            VerifyError::Target { at, reference, expected, found } => {
                write!(
                    f,
                    "'{reference}' at byte {at} of the output should point to {expected}, but "
                )?;
                match found {
                    Some(found) => write!(f, "points to {found}"),
                    None => f.write_str("has no target"),
                }
            }
        }
    }
}

impl std::error::Error for VerifyError {}
