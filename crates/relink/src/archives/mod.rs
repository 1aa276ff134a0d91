//! Pages and their resources as one message, and messages as files.

pub mod pack;
pub mod unpack;
