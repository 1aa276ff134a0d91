//! Tests of urlcore, one module for each subject.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may read files and start programs"
)]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a failed test panics")]

mod allocations;
mod below;
mod clean;
mod dialect;
mod differential;
mod escape;
mod examples;
mod fixtures;
mod generate;
mod header;
mod host;
mod local;
mod normalize;
mod oracle;
mod packages;
mod platform;
mod relativize;
mod resolve_laws;
mod resolve_rfc1808;
mod resolve_rfc3986;
mod resolve_web;
mod scheme;
mod server;
mod split;
mod surt;
mod text;
#[path = "../../../../tests/tools/mod.rs"]
mod tools;
mod typed;
mod validate;
mod vectors;
