//! Writing, and the way back: journal, manifest, the record of moves.

pub mod journal;
pub mod manifest;
pub mod move_log;
pub mod open_document;
pub mod records;
pub mod stamps;
pub mod write;
