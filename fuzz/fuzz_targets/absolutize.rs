//! For any bytes the output is proved, by the reference engine too, and a second run changes nothing:
//! `cargo +nightly fuzz run absolutize -- -dict=fuzz/html.dict`.

#![no_main]

use basectx::Context;
use rewrite::{Engine, Media, Options, Undone, Unit, Verify, absolutize};

const URL: &str = "http://h.example/a/b.html?q";

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let (media, bytes) = match input.split_first() {
        Some((b'c', rest)) => (Media::Css, rest),
        _ => (Media::Html, input),
    };
    let context = Context::retrieval(URL, "--base");
    let convert = |bytes: &[u8], engine, verify| {
        let options = Options { engine, verify, ..Options::default() };
        absolutize(Unit { bytes, media, context: &context, own_url: Some(URL), new_place: None }, &options)
    };
    let first = convert(bytes, Engine::Auto, Verify::Fast);
    assert!(first.disproof.is_none(), "{:?}", first.disproof);
    let by_reference = convert(bytes, Engine::Reference, Verify::Full);
    let is_overrun =
        |reason| matches!(reason, Undone::TooDeep | Undone::TooManyAttributes | Undone::TooLarge);
    if by_reference.report.left.iter().any(|left| is_overrun(left.reason)) {
        return;
    }
    assert!(by_reference.disproof.is_none(), "{:?}", by_reference.disproof);
    assert_eq!(first.output, by_reference.output);
    if let Some(output) = first.output {
        let second = convert(&output, Engine::Auto, Verify::Fast);
        assert_eq!(second.output, None, "a second run changes something");
    }
});
