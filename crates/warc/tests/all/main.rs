//! Tests of the reader of web archives, and of the responses in them.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may read files and start programs"
)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed test panics, and one that is skipped says so"
)]

mod arc;
mod bombs;
mod broken;
mod codings;
mod examples;
mod gzip;
mod http;
mod judged;
mod laws;
mod ranges;
mod records;
#[path = "../../../../tests/tools/mod.rs"]
mod tools;
mod writer;
mod zstd;
