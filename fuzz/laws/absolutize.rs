//! HTML and CSS of any bytes are made absolute by both engines alike, under all corollaries of the
//! law, and the full proof agrees.

use basectx::Context;
use rewrite::{Engine, Media, Options, Rewritten, Unit, Verify, absolutize};

use super::corollaries;

const URL: &str = "http://h.example/a/b.html?q";

/// After a `c` comes CSS.
pub(crate) fn check(input: &[u8]) {
    let (media, bytes) = match input.split_first() {
        Some((b'c', rest)) => (Media::CSS, rest),
        _ => (Media::HTML, input),
    };
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let convert = |bytes: &[u8], engine, verify| -> Rewritten {
        absolutize(
            Unit::new(bytes, media, &context),
            &Options::default().with_engine(engine).with_verify(verify),
        )
    };
    let targets =
        |bytes: &[u8]| corollaries::targets(Unit::new(bytes, media, &context), &Options::default());
    let output =
        corollaries::hold(bytes, &targets, &|bytes, verify| convert(bytes, Engine::Auto, verify));
    let by_reference = convert(bytes, Engine::Reference, Verify::Full);
    if corollaries::is_overrun(&by_reference) {
        return;
    }
    assert!(by_reference.verify_error().is_none(), "{:?}", by_reference.verify_error());
    let by_reference = by_reference.into_output().unwrap_or_else(|| bytes.to_vec());
    assert!(output == by_reference, "the engines write different things");
}
