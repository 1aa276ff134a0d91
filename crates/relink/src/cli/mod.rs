//! The command line: options, settings, the terminal, reports.

pub mod args;
pub mod base;
pub mod config;
pub mod file_list;
pub mod generated;
pub mod mv;
pub mod program;
pub mod receivers;
pub mod records;
pub mod report;
pub mod resume;
pub mod settings;
pub mod slots;
pub mod terminal;
pub mod topics;
pub mod url;
