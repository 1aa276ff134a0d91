//! The manifest of a run: every file that it wrote, with its digest and length before and after,
//! and the edits that restore the old content.
//!
//! It is a finished log of [records](crate::recovery::records): a header, then each file in path
//! order with its edits, then a line with the checksum of all lines before it. It is canonical: it
//! depends only on the input and the command. [`write`] makes it of the records of the run, which
//! the [journal](crate::recovery::journal) has while the run lasts; [`read`] checks it. [`kept`] is
//! the one that a run keeps next to PATH; [`crate::plan::destination::manifest`] has the paths of
//! the others.

pub mod kept;
pub mod read;
pub mod tree;
pub mod write;

pub use self::read::Manifest;
