//! Asks `fuzz/laws/zip.rs`: `cargo +nightly fuzz run zip -- -dict=fuzz/zip.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::zip::check(input));
