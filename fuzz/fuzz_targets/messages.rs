//! Asks `fuzz/laws/messages.rs`: `cargo +nightly fuzz run messages -- -dict=fuzz/mail.dict`.

#![no_main]

#[path = "../laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::messages::check(input));
