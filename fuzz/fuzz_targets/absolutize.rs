//! Asks `fuzz/laws/absolutize.rs`: `cargo +nightly fuzz run absolutize -- -dict=fuzz/html.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::absolutize::check(input));
