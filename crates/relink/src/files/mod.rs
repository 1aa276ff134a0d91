//! Files: their types, the containers among them, and which of a tree are read.

pub mod archive_documents;
pub mod container;
pub mod diff;
pub mod existing;
pub mod git;
pub mod globs;
pub mod ignored;
pub mod markdown;
pub mod media;
pub mod own_files;
pub mod packed;
#[cfg(not(target_family = "wasm"))]
pub mod properties;
pub mod sidecar;
pub mod walk;
mod wat;
