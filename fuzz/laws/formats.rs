//! Any bytes, read as XML or as another format, in both directions: all corollaries of the law, and what was made absolute and relative
//! again points where it pointed.

use basectx::Context;
use rewrite::{
    Http, JsonType, Media, MessageFraming, OptIn, Options, Relative, TextFormat, Untold, Verify,
    absolutize, relativize,
};

use super::corollaries::{self, unit};

const URL: &str = "http://h.example/a/b.html?q";

/// The first byte says what the others are.
pub(crate) fn media(first: u8) -> Option<Media> {
    Some(match first {
        b'c' => Media::Css,
        b'e' => Media::Message(MessageFraming::None),
        b'f' => Media::Text(TextFormat::Flowed { deletes_space: true }),
        b'h' => Media::Html,
        b'i' => Media::Json(JsonType::ImportMap),
        b'j' => Media::Json(JsonType::Manifest),
        b'm' => Media::Markdown,
        b'r' => Media::Http(Http::Response(Some(Untold::Html))),
        b's' => Media::Script,
        b't' => Media::Text(TextFormat::Fixed),
        b'x' => Media::Xml,
        _ => return None,
    })
}

/// All that has to be asked for, but identifiers and templates.
pub(crate) fn options(verify: Verify) -> Options {
    let opt_in =
        OptIn { text: true, markdown: true, ssi: true, js_modules: true, ..OptIn::default() };
    Options { opt_in, verify, ..Options::default() }
}

/// What begins with none of the letters is XML.
pub(crate) fn check(input: &[u8]) {
    let told = input.split_first().and_then(|(first, rest)| Some((media(*first)?, rest)));
    let (media, bytes) = told.unwrap_or((Media::Xml, input));
    let context = Context::retrieval(URL, "--base");
    let relative = Relative::below("http://h.example/");
    let targets = |bytes: &[u8]| {
        corollaries::targets(unit(bytes, media, &context, Some(URL)), &options(Verify::Fast))
    };
    let make_relative = |bytes: &[u8], verify| {
        relativize(unit(bytes, media, &context, Some(URL)), &options(verify), &relative)
    };
    let absolute = corollaries::hold(bytes, &targets, &|bytes, verify| {
        absolutize(unit(bytes, media, &context, Some(URL)), &options(verify))
    });
    corollaries::hold(&absolute, &targets, &make_relative);
    corollaries::hold(bytes, &targets, &make_relative);
}
