//! Asks `fuzz/laws/engines.rs`: `cargo +nightly fuzz run engines -- -dict=fuzz/html.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::engines::check(input));
