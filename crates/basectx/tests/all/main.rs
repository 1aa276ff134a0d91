//! Tests of basectx, one module for each subject.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may read files and start programs"
)]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a failed test panics")]

mod budget;
mod context;
mod examples;
mod html_base;
mod message_bases;
mod message_tree;
mod recorder;
mod retrieval;
#[path = "../../../../tests/tools/mod.rs"]
mod tools;
