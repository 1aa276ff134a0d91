//! Both engines give the same answer for any bytes: `cargo +nightly fuzz run engines -- -dict=fuzz/html.dict`.

#![no_main]

#[path = "../../tests/engines/mod.rs"]
mod engines;

libfuzzer_sys::fuzz_target!(|html: &[u8]| {
    engines::compare(html);
});
