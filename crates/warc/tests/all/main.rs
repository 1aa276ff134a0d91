//! Tests of the reader of web archives, and of the responses in them.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod arc;
mod broken;
mod codings;
mod examples;
mod gzip;
mod http;
mod laws;
mod records;
mod writer;
mod zstd;
