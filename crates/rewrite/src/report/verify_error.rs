//! The error of an output that is not as decided.

use super::skip::SkipReason;

/// The reason why verification rejected an output.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// A byte outside of the edits differs.
    #[error("bytes outside of references would change")]
    Locality,
    /// The output has other references than the input.
    #[error("the output would contain other references: '{found}' at byte {at}")]
    Sequence {
        /// The offset in the output of the first that differs.
        at: usize,
        /// The reference found there.
        found: String,
    },
    /// A document that was read in the input is not read in the output, or not by the verifying
    /// engine.
    #[error("the output cannot be read: {0}")]
    Unread(SkipReason),
    /// A reference that must stay unchanged depends on a base that was to be emptied.
    #[error("a reference that must stay unchanged depends on the base")]
    Base,
    /// A reference has another target.
    #[error(
        "'{reference}' at byte {at} of the output should point to {expected}, but {}",
        pointed(found.as_deref())
    )]
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

/// Returns the end of the message about a target.
fn pointed(found: Option<&str>) -> String {
    found.map_or("has no target".to_owned(), |found| format!("points to {found}"))
}
