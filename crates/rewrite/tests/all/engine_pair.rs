//! Both engines rewrite a document to the same bytes; a limit that stops only one of them skips the
//! document with a named reason.

use basectx::Context;
use relink_rewrite::{
    Engine, Limit, Limits, Media, Move, MoveStyle, NewPlace, Options, PrefixMap, Rewritten,
    SkipReason, SkipScope, Unit, Verify, absolutize, relocate,
};

const FROM: &str = "https://example.org/d/";
const TO: &str = "https://n.example/q/r/";

/// Moves a document at `FROM` to `TO`.
fn moved(bytes: &[u8], style: MoveStyle, options: &Options) -> Rewritten {
    let mut moves = PrefixMap::default();
    moves.add(FROM, TO, []).unwrap();
    let (url, new_url) = (format!("{FROM}p.html"), format!("{TO}p.html"));
    let context = Context::retrieval(url.parse().unwrap(), "--base");
    let new_place = Some(NewPlace { url: &new_url.parse().unwrap(), root: TO });
    let unit = Unit::new(bytes, Media::HTML, &context).with_new_place(new_place);
    relocate(unit, options, &Move::by(moves).with_style(style))
}

fn absolute(bytes: &[u8], options: &Options) -> Rewritten {
    let context = Context::retrieval("http://h/d/p".parse().unwrap(), "--base");
    let unit = Unit::new(bytes, Media::HTML, &context);
    absolutize(unit, options)
}

#[test]
fn slashes_in_values_are_no_attributes() {
    let image = format!("<img src=data:image/png;base64,{}><a href=x>", "iVBOR/w0/".repeat(10_000));
    for engine in [Engine::Fast, Engine::Reference] {
        let rewritten = absolute(image.as_bytes(), &Options::default().with_engine(engine));
        assert_eq!(rewritten.report.skipped, [], "{engine:?}");
        assert!(rewritten.into_output().unwrap().ends_with(b"<a href=http://h/d/x>"));
    }
}

#[test]
fn a_deep_base_moves_alike_in_both_engines() {
    let base = format!("{FROM}{}", "a/".repeat(1000));
    let page = format!("<base href=\"{base}\"><a href=\"x\"><a href=/d/y><a href=\"z\">");
    for style in [MoveStyle::Keep, MoveStyle::Relative, MoveStyle::Absolute] {
        let by = |engine| {
            let rewritten = moved(page.as_bytes(), style, &Options::default().with_engine(engine));
            assert_eq!(
                (&*rewritten.report.skipped, rewritten.verify_error()),
                (&[][..], None),
                "{engine:?}"
            );
            String::from_utf8(rewritten.into_output().unwrap()).unwrap()
        };
        assert_eq!(by(Engine::Fast), by(Engine::Reference), "{style:?}");
        assert!(by(Engine::Fast).starts_with(&format!("<base href=\"{TO}")), "{style:?}");
    }
}

/// The fast engine reads a tag that the reference engine does not, and the reference engine
/// verifies.
#[test]
fn a_limit_that_only_verification_meets_is_a_named_skip() {
    let attributes: String = (0..1001).map(|idx| format!(" x{idx}")).collect();
    let page = format!("<base href={FROM}e/><p{attributes}><a href=x><a href=/d/y>");
    let options = Options::default().with_verify(Verify::Full);
    let reason = SkipReason::Limit(Limits::default().met(Limit::TagAttributes));
    for rewritten in
        [moved(page.as_bytes(), MoveStyle::Keep, &options), absolute(page.as_bytes(), &options)]
    {
        assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
        let skipped: Vec<_> = rewritten
            .report
            .skipped
            .iter()
            .map(|skipped| (skipped.reason, skipped.extent))
            .collect();
        assert_eq!(skipped, [(reason, SkipScope::Unit)]);
        assert_eq!(rewritten.report.counts.total(), 0);
    }
}
