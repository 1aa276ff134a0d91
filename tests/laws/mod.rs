//! The law and its corollaries on documents that nobody would write: generated ones, and
//! html5lib's.

mod declined;
pub(crate) mod generate;
mod html5lib;
pub(crate) mod json;
mod moved;
mod mutated;

use basectx::Context;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rewrite::{
    BaseElement, Media, Options, Relative, Rewritten, SkipReason, Unit, Verify, absolutize,
    references, relativize,
};
use urlcore::Style;

use crate::engines::{self, Compared};
use crate::judge;

const URL: &str = "http://h.example/a/b.html?q";

/// An edit may begin earlier than its reference by the character reference that it would otherwise
/// join.
const UNIT: usize = 40;

fn converted(bytes: &[u8], media: Media, url: Option<&str>, verify: Verify) -> Rewritten {
    let context =
        url.map_or(Context::none(), |url| Context::retrieval(url.parse().unwrap(), "--base"));
    let options = Options::default().with_verify(verify);
    absolutize(Unit::new(bytes, media, &context), &options)
}

/// Slot, kind, target or text, and raw span of every reference.
fn listed(bytes: &[u8], media: Media) -> Vec<(String, String, layers::Span)> {
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let options = Options::default();
    let mut list = Vec::new();
    references(Unit::new(bytes, media, &context), &options, |site| {
        let target = site.resolver.and_then(|resolver| resolver.resolve(site.text).ok());
        let target = target.filter(|_| site.kind.has_target());
        let target = target.map_or_else(|| site.text.to_owned(), |target| target.to_string());
        let slot = format!("{} {}", options.extras.name_of(site.slot), site.kind);
        list.push((slot, target, site.frame.raw(site.span)));
    });
    list
}

/// The edits applied without the program, with nothing of the crate `layers` but their fields.
fn applied(bytes: &[u8], rewritten: &Rewritten) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for edit in rewritten.edits.as_slice() {
        assert!(edit.span.start >= at, "edits are sorted and disjoint");
        out.extend_from_slice(&bytes[at..edit.span.start]);
        out.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// Every corollary for one document. Returns the number of references.
#[track_caller]
fn check(bytes: &[u8], media: Media) -> usize {
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    if media == Media::HTML {
        engines::compare(bytes);
    }
    let before = listed(bytes, media);
    for (slot, target, span) in &before {
        assert!(
            span.start <= span.end && span.end <= bytes.len(),
            "{slot} {target} {span:?} in {}",
            shown()
        );
    }

    // Proof: no output is thrown away, whatever the document.
    let rewritten = converted(bytes, media, Some(URL), Verify::Fast);
    assert_eq!(rewritten.verify_error(), None, "{}", shown());
    let is_lost =
        rewritten.report.skipped.iter().any(|skipped| skipped.reason == SkipReason::Unanchored);
    assert!(!is_lost, "unanchored: {}", shown());
    let output = rewritten.output().unwrap_or(bytes).to_vec();

    // Locality.
    assert_eq!(
        String::from_utf8_lossy(&applied(bytes, &rewritten)),
        String::from_utf8_lossy(&output)
    );

    // Only the bytes of references: each edit lies inside one (a reference without a value is
    // written after its attribute's name).
    for edit in rewritten.edits.as_slice() {
        let is_inside = |(_, _, span): &(String, String, layers::Span)| {
            let start = span.start.saturating_sub(UNIT);
            start <= edit.span.start && edit.span.end <= span.end
        };
        assert!(
            before.iter().any(is_inside),
            "{:?} is outside of references: {}",
            edit.span,
            shown()
        );
    }

    // The law: the same slots point to the same targets.
    let after = listed(&output, media);
    let strip = |list: &[(String, String, layers::Span)]| -> Vec<(String, String)> {
        list.iter().map(|(slot, target, _)| (slot.clone(), target.clone())).collect()
    };
    assert_eq!(
        strip(&before),
        strip(&after),
        "{}\n-> {}",
        shown(),
        String::from_utf8_lossy(&output)
    );

    // Idempotence.
    let again = converted(&output, media, Some(URL), Verify::Fast);
    assert!(again.output().is_none(), "{}\n-> {}", shown(), String::from_utf8_lossy(&output));

    // The proof changes nothing that it lets pass.
    let unproved = converted(bytes, media, Some(URL), Verify::None);
    assert_eq!(unproved.into_output(), rewritten.into_output());

    // Identity: what has no base is left, byte for byte, unless it brings one.
    let bare = converted(bytes, media, None, Verify::Fast);
    assert_eq!(bare.verify_error(), None, "{}", shown());

    let is_read_alike = is_read_alike(bytes);
    if is_read_alike {
        judged(bytes, &output, media);
    }
    relative(bytes, &output, media, is_read_alike);
    before.len()
}

/// The corollaries for `relativize`: proof, the law, idempotence, and the way back from absolute
/// references.
#[track_caller]
fn relative(bytes: &[u8], absolute: &[u8], media: Media, is_read_alike: bool) {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for (style, base_element) in [
        (Style::Relative, BaseElement::Empty),
        (Style::Shortest, BaseElement::Relative),
        (Style::AbsolutePath, BaseElement::Keep),
    ] {
        let relative =
            Relative::below("http://h.example/").with_style(style).with_base_element(base_element);
        let context = Context::retrieval(URL.parse().unwrap(), "--base");
        let convert = |bytes: &[u8]| {
            let unit = Unit::new(bytes, media, &context);
            let rewritten = relativize(unit, &Options::default(), &relative);
            assert_eq!(
                rewritten.verify_error(),
                None,
                "{style:?} {base_element:?} {}",
                shown(bytes)
            );
            rewritten.into_output().unwrap_or_else(|| bytes.to_vec())
        };
        for first in [bytes, absolute] {
            let output = convert(first);
            if is_read_alike {
                let verdict = match (media, media.json_type()) {
                    (Media::HTML, _) => judge::judge_relative_html(bytes, &output, URL),
                    (_, Some(format)) => judge::judge_json(bytes, &output, URL, json::data(format)),
                    _ => judge::judge_css_tokens(bytes, &output, URL),
                };
                let (bytes, output) = (shown(bytes), shown(&output));
                assert!(
                    verdict.violations.is_empty(),
                    "{style:?} {base_element:?} {:?}\n{bytes}\n-> {output}",
                    verdict.violations
                );
            }
            assert_eq!(
                shown(&convert(&output)),
                shown(&output),
                "{style:?} {base_element:?}: a second run"
            );
        }
    }
}

/// Whether the judge reads the document as a browser would. He guesses no charset; he writes
/// queries in UTF-8, where a browser writes them in the charset of the document; in his URLs a
/// drive letter stops `..` in every scheme; and he reads the raw text of `noembed` and its like
/// after NUL has become U+FFFD.
fn is_read_alike(bytes: &[u8]) -> bool {
    let holds =
        |word: &[u8]| bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
    let is_drive = |part: &[u8]| {
        b"/\\".contains(&part[0]) && part[1].is_ascii_alphabetic() && b":|".contains(&part[2])
    };
    if bytes.windows(3).any(is_drive) {
        return false;
    }
    if bytes.is_ascii() {
        return !bytes.contains(&0);
    }
    // What is not UTF-8 is read in the charset that a browser would guess.
    !bytes.contains(&0) && !holds(b"charset=") && std::str::from_utf8(bytes).is_ok()
}

#[track_caller]
fn judged(bytes: &[u8], output: &[u8], media: Media) {
    // An engine that is not ours sees only values of slots changed, and each where it was.
    let verdict = match (media, media.json_type()) {
        (Media::HTML, _) => judge::judge_html_tree(bytes, output, URL),
        (_, Some(format)) => judge::judge_json(bytes, output, URL, json::data(format)),
        _ => judge::judge_css_tokens(bytes, output, URL),
    };
    assert!(
        verdict.violations.is_empty() && verdict.rewritten_absolute.is_empty(),
        "{:?} {:?}\n{}\n-> {}",
        verdict.violations,
        verdict.rewritten_absolute,
        String::from_utf8_lossy(bytes),
        String::from_utf8_lossy(output)
    );
}

/// `RELINK_CASES` asks for more cases, `RELINK_SEED` for others; without it they are the same on
/// every machine.
fn cases() -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let cases = number("RELINK_CASES").and_then(|cases| u32::try_from(cases).ok()).unwrap_or(1_000);
    let rng_seed = RngSeed::Fixed(number("RELINK_SEED").unwrap_or(1808));
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn generated_html(html in generate::html()) {
        check(&html, Media::HTML);
    }

    #[test]
    fn generated_css(css in generate::css()) {
        check(css.as_bytes(), Media::CSS);
    }

    #[test]
    fn generated_json((format, text) in json::document()) {
        check(text.as_bytes(), Media::json(format));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, Media::HTML);
        check(&bytes, Media::CSS);
    }
}

#[test]
fn without_edits_there_is_no_output() {
    for html in [
        "",
        "<p>text",
        "<a href=http://x/>",
        "<a href=#x>",
        "<!-- <a href=x> -->",
        "<title><a href=x></title>",
    ] {
        let rewritten = converted(html.as_bytes(), Media::HTML, Some(URL), Verify::Fast);
        assert!(rewritten.output().is_none() && rewritten.edits.is_empty(), "{html}");
    }
}

#[test]
fn the_generator_reaches_what_it_is_made_for() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut n_references, mut n_compared, mut slots) = (0, 0, std::collections::BTreeSet::new());
    for _ in 0..1000 {
        let html = generate::html().new_tree(&mut runner).unwrap().current();
        n_compared += usize::from(engines::compare(&html) == Compared::Agree);
        for (slot, ..) in listed(&html, Media::HTML) {
            n_references += 1;
            slots.insert(slot);
        }
    }
    assert!(n_compared > 500, "both engines read {n_compared} of 1000");
    assert!(n_references > 2000, "{n_references} references");
    for slot in [
        "a[href] url",
        "img[srcset] candidates",
        "css url() url",
        "css url() local",
        "base[href] url",
        "importmap address url",
        "importmap specifier url",
        "importmap scope url",
        "speculationrules urls url",
        "speculationrules href_matches template",
        "jsonld url url",
        "jsonld @id id",
    ] {
        assert!(slots.contains(slot), "{slot} was never generated");
    }
}
