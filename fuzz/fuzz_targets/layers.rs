//! Asks `fuzz/laws/layers.rs`: `cargo +nightly fuzz run layers -- -dict=fuzz/layers.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::layers::check(input));
