//! Asks `fuzz/laws/renames.rs`: `cargo +nightly fuzz run renames`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::renames::check(input));
