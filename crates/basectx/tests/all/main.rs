//! Tests of basectx, one module for each subject.

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
