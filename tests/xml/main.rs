//! XML, judged by others: expat and xmllint on real files and on those of `fixtures/xml`, roxmltree and the `url` crate on generated ones.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and tells what it saw"
)]

mod fixtures;
mod generate;
mod judge;
mod laws;
mod real;
#[path = "../tools/mod.rs"]
mod tools;
mod trees;
