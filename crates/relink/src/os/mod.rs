//! Paths, open directories, threads, digests, and the words of messages. What is here knows nothing
//! of documents.

pub mod attributes;
pub mod command_line;
pub mod descriptors;
pub mod digest;
pub mod dirs;
pub mod failure;
pub mod format;
pub mod headings;
pub mod interrupt;
pub mod lists;
pub mod markup;
pub mod messages;
pub mod parallel;
pub mod paths;
pub mod portable;
pub mod positioned;
pub mod spool;
pub mod stored;
pub mod suggest;
pub mod temp_names;
pub mod text_store;
pub mod undo_log;
