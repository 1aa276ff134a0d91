//! Asks `fuzz/laws/mail.rs`: `cargo +nightly fuzz run mail -- -dict=fuzz/mail.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::mail::check(input));
