//! Documents that relink writes, judged by other parsers, programs and browsers.

#![cfg_attr(
    not(unix),
    allow(unused_imports, dead_code, reason = "helpers of tests that are not built")
)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and prints what it found"
)]
#![allow(
    clippy::duplicate_mod,
    reason = "the laws of fuzz targets include tests/engines themselves"
)]

#[cfg(unix)]
mod browser;
mod container;
mod corpus;
mod engines;
mod generators;
mod judge;
mod laws;
mod mail;
mod media;
#[cfg(unix)]
mod mirror;
mod mutants;
mod pack;
#[cfg(unix)]
mod renames;
#[cfg(unix)]
mod servers;
mod tools;
mod tree;
mod xml;
