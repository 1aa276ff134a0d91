//! For any bytes, read as XML or as another format that is decoded first, the output is proved in both directions, a second run changes
//! nothing, and what was made absolute and relative again points where it pointed:
//! `cargo +nightly fuzz run formats -- -dict=fuzz/xml.dict`.

#![no_main]

use basectx::Context;
use rewrite::{Media, Options, Relative, Rewritten, Unit, absolutize, references, relativize};

const URL: &str = "http://h.example/a/b.html?q";

/// Where the references of a document lead, in order; but a `<base>`, which may be emptied.
fn targets(bytes: &[u8], media: Media) -> Vec<Option<String>> {
    let context = Context::retrieval(URL, "--base");
    let unit = Unit { bytes, media, context: &context, own_url: Some(URL), new_place: None };
    let mut targets = Vec::new();
    let options = Options::default();
    references(unit, &options, |site| {
        let mut target = String::new();
        let is_found = site.kind.has_target()
            && options.extras.name_of(site.slot) != "base[href]"
            && site.resolver.is_some_and(|base| base.resolve_into(site.text, &mut target).is_ok());
        targets.push(is_found.then_some(target));
    });
    targets
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let (media, bytes) = match input.split_first() {
        Some((b'c', rest)) => (Media::Css, rest),
        _ => (Media::Xml, input),
    };
    let context = Context::retrieval(URL, "--base");
    let options = Options::default();
    let relative = Relative::below("http://h.example/");
    let absolute = |bytes: &[u8]| {
        let unit = Unit { bytes, media, context: &context, own_url: Some(URL), new_place: None };
        absolutize(unit, &options)
    };
    let made_relative = |bytes: &[u8]| {
        let unit = Unit { bytes, media, context: &context, own_url: Some(URL), new_place: None };
        relativize(unit, &options, &relative)
    };
    let expected = targets(bytes, media);
    let check = |rewritten: Rewritten, again: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        assert!(rewritten.disproof.is_none(), "{:?}", rewritten.disproof);
        let Some(output) = rewritten.output else { return bytes.to_vec() };
        assert_eq!(again(&output), None, "a second run changes something");
        assert_eq!(targets(&output, media), expected, "a reference leads elsewhere");
        output
    };
    let output = check(absolute(bytes), &|output| absolute(output).output);
    check(made_relative(&output), &|output| made_relative(output).output);
    check(made_relative(bytes), &|output| made_relative(output).output);
});
