//! Any bytes, read as XML or as another format, in both directions: all corollaries of the law, and
//! what was made absolute and relative again points where it pointed.

use basectx::Context;
use rewrite::{
    FormatId, Http, JsonType, Media, MessageFraming, OptIn, Options, Relative, TextFormat, Unit,
    Verify, absolutize, relativize,
};

use super::corollaries;

const URL: &str = "http://h.example/a/b.html?q";

/// The first byte says what the others are.
pub(crate) fn media(first: u8) -> Option<Media> {
    Some(match first {
        b'a' => Media::json(JsonType::Feed),
        b'c' => Media::CSS,
        b'd' => Media::json(JsonType::LinkedData),
        b'e' => Media::Message(MessageFraming::None),
        b'f' => Media::text(TextFormat::Flowed { deletes_space: true }),
        b'g' => Media::from_name("application/source-map+json")?,
        b'h' => Media::HTML,
        b'i' => Media::json(JsonType::ImportMap),
        b'j' => Media::json(JsonType::Manifest),
        b'l' => Media::from_name("application/vnd.apple.mpegurl")?,
        b'm' => Media::MARKDOWN,
        b'o' => Media::from_name("text/x-robots-txt")?,
        b'p' => Media::json(JsonType::SpeculationRules),
        b'r' => Media::Http(Http::Response(Some(FormatId::HTML))),
        b's' => Media::SCRIPT,
        b't' => Media::text(TextFormat::Fixed),
        b'u' => Media::from_name("application/x-mswinurl")?,
        b'v' => Media::from_name("text/vtt")?,
        b'w' => Media::text(TextFormat::Flowed { deletes_space: false }),
        b'x' => Media::XML,
        b'y' => Media::from_name("text/x-redirects")?,
        b'z' => Media::from_name("text/x-headers")?,
        _ => return None,
    })
}

/// All that has to be requested, but identifiers and templates.
pub(crate) fn options(verify: Verify) -> Options {
    let opt_in = OptIn::default()
        .with_text(true)
        .with_markdown(true)
        .with_ssi(true)
        .with_js_modules(true)
        .with_formulas(true)
        .with_script_templates(true);
    Options::default().with_opt_in(opt_in).with_verify(verify)
}

/// What begins with none of the letters is XML.
pub(crate) fn check(input: &[u8]) {
    let report = input.split_first().and_then(|(first, rest)| Some((media(*first)?, rest)));
    let (media, bytes) = report.unwrap_or((Media::XML, input));
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let relative = Relative::below("http://h.example/");
    let targets = |bytes: &[u8]| {
        corollaries::targets(Unit::new(bytes, media, &context), &options(Verify::Fast))
    };
    let make_relative = |bytes: &[u8], verify| {
        relativize(Unit::new(bytes, media, &context), &options(verify), &relative)
    };
    let absolute = corollaries::hold(bytes, &targets, &|bytes, verify| {
        absolutize(Unit::new(bytes, media, &context), &options(verify))
    });
    corollaries::hold(&absolute, &targets, &make_relative);
    corollaries::hold(bytes, &targets, &make_relative);
}
