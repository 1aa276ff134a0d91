//! Asks `fuzz/laws/url.rs`: `cargo +nightly fuzz run url`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::url::check(input));
