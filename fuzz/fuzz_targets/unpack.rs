//! Asks `fuzz/laws/unpack.rs`: `cargo +nightly fuzz run unpack -- -dict=fuzz/mail.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::unpack::check(input));
