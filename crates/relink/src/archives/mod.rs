//! Pages and their resources as one message, and messages as files.

mod head;
pub mod pack;
pub mod unpack;
