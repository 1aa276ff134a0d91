//! Messages against judges of their own: real ones against Python's email package, vectors of bases against what was worked out from the
//! texts, and generated ones against a small walker that shares no code with the program.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and says what it skips"
)]

mod generate;
mod laws;
mod mailboxes;
mod moved;
mod program;
mod real;
#[path = "../tools/mod.rs"]
mod tools;
mod vectors;
mod walker;
