//! Paths, open directories, threads, digests, and the words of messages. What is here knows nothing
//! of documents.

#[cfg(not(target_family = "wasm"))]
pub mod attributes;
pub mod command_line;
pub mod descriptors;
pub mod digest;
#[cfg(not(target_family = "wasm"))]
pub mod dirs;
pub mod failure;
pub mod format;
#[cfg(not(target_family = "wasm"))]
pub mod interrupt;
pub mod messages;
pub mod option_names;
pub mod origin;
pub mod parallel;
pub mod paths;
pub mod portable;
pub mod positioned;
#[cfg(not(target_family = "wasm"))]
pub mod spool;
pub mod store;
pub mod stored;
pub mod temp_names;
pub mod text_store;
pub mod undo_log;
