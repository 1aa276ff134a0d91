//! For any bytes, read as XML or as another format that is decoded first, the output is proved in both directions, a second run changes
//! nothing, and what was made absolute and relative again points where it pointed:
//! `cargo +nightly fuzz run formats -- -dict=fuzz/formats.dict`.

#![no_main]

use basectx::Context;
use rewrite::{
    Also, Media, Options, Relative, Rewritten, TextFormat, Unit, absolutize, references, relativize,
};

const URL: &str = "http://h.example/a/b.html?q";

/// The first byte says what the others are.
fn media(first: u8) -> Option<Media> {
    Some(match first {
        b'c' => Media::Css,
        b'f' => Media::Text(TextFormat::Flowed { deletes_space: true }),
        b'h' => Media::Html,
        b'm' => Media::Markdown,
        b's' => Media::Script,
        b't' => Media::Text(TextFormat::Fixed),
        _ => return None,
    })
}

/// All that has to be asked for, but identifiers and templates.
fn options() -> Options {
    let also =
        Also { text: true, markdown: true, ssi: true, js_modules: true, ..Also::default() };
    Options { also, ..Options::default() }
}

/// Where the references of a document lead, in order; but a `<base>`, which may be emptied.
fn targets(bytes: &[u8], media: Media) -> Vec<Option<String>> {
    let context = Context::retrieval(URL, "--base");
    let unit = Unit { bytes, media, context: &context, own_url: Some(URL), new_place: None };
    let mut targets = Vec::new();
    let options = options();
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
    let told = input.split_first().and_then(|(first, rest)| Some((media(*first)?, rest)));
    let (media, bytes) = told.unwrap_or((Media::Xml, input));
    let context = Context::retrieval(URL, "--base");
    let options = options();
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
