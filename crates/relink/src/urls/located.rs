//! The result of locating the target of a reference in a tree.

/// The result of locating a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// This file of this PATH.
    File {
        /// Number of the PATH.
        root: usize,
        /// Path below it.
        path: Vec<u8>,
        /// True if the query is not part of the name.
        keeps_query: bool,
    },
    /// A directory without an index file.
    Directory {
        /// Number of the PATH.
        root: usize,
        /// Path below it, with a slash at its end.
        path: Vec<u8>,
    },
    /// A file that does not exist.
    Missing {
        /// Number of the PATH.
        root: usize,
        /// The path that it would have.
        path: Vec<u8>,
    },
    /// Something else.
    Outside,
}
