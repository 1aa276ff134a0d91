//! Tests of layers, one module for each subject.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may read files and start programs"
)]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed test panics")]

// What is generated is also for other crates, which know this one by that name.
extern crate relink_layers as layers;

mod base64;
mod charref;
mod charset;
mod css;
mod edits;
mod examples;
mod field;
mod generate;
mod iso2022_jp;
mod js;
mod json;
mod lift;
mod lift_laws;
mod map;
mod marked;
mod quoted_printable;
mod text;
mod utf16_32;
