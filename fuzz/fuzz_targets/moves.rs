//! Asks `fuzz/laws/moves.rs`: `cargo +nightly fuzz run moves -- -dict=fuzz/formats.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::moves::check(input));
