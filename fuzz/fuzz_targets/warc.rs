//! Asks `fuzz/laws/warc.rs`: `cargo +nightly fuzz run warc -- -dict=fuzz/warc.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::warc::check(input));
