//! Asks `fuzz/laws/formats.rs`: `cargo +nightly fuzz run formats -- -dict=fuzz/formats.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::formats::check(input));
