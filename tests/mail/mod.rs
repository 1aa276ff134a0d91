//! Messages against judges of their own: real ones against Python's email package, vectors of bases
//! against what was worked out from the texts, and generated ones against a small walker that
//! shares no code with the program.

mod foreign;
pub(crate) mod generate;
mod laws;
mod mailboxes;
mod moved;
mod program;
mod real;
mod unpacked;
mod vectors;
pub(crate) mod walker;
