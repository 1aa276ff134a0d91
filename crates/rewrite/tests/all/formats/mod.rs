//! Formats of lines and vocabularies: the references of each, and their targets in both directions.

mod dash;
mod hls;
mod hosting;
mod meta;
mod robots;
mod shortcut;
mod smil;
mod source_map;
mod vocabularies;
mod vtt;

use basectx::Context;
use layers::Span;
use relink_rewrite::{
    Extras, Media, Options, Outcome, Relative, Report, Rewritten, Unit, absolutize, references,
    relativize,
};
use urlcore::{Dialect, Resolver};

const URL: &str = "http://h/d/p";

/// A reference: its slot and text as one string, its span, and its target.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    shown: String,
    span: Span,
    target: Option<String>,
}

fn options(also: &[&str]) -> Options {
    let mut options = Options::default();
    assert!(also.iter().all(|name| options.opt_in.enable(name)), "{also:?}");
    options
}

fn list(bytes: &[u8], media: Media, options: &Options) -> (Vec<Reference>, Report) {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(bytes, media, &context);
    let mut all = Vec::new();
    let report = references(unit, options, |site| {
        let base = site.context.base().and_then(|base| Resolver::new(base, Dialect::Web).ok());
        let target = base.and_then(|base| base.resolve(site.text).ok()?.url());
        let target = target.filter(|_| site.kind.has_target());
        let shown = format!("{} {}", Extras::default().name_of(site.slot), site.text);
        all.push(Reference { shown, span: site.frame.raw(site.span), target });
    });
    (all, report)
}

/// The bytes between references.
fn between<'b>(bytes: &'b [u8], references: &[Reference]) -> Vec<&'b [u8]> {
    let starts = references.iter().map(|one| one.span.start).chain([bytes.len()]);
    let ends = [0].into_iter().chain(references.iter().map(|one| one.span.end));
    ends.zip(starts).map(|(start, end)| &bytes[start..end]).collect()
}

/// Converts a document in one direction.
fn convert(bytes: &[u8], media: Media, options: &Options, is_relative: bool) -> Rewritten {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(bytes, media, &context);
    match is_relative {
        true => relativize(unit, options, &Relative::below("http://h/")),
        false => absolutize(unit, options),
    }
}

/// Asserts the references of a document, each as its slot and its text. In both directions the
/// targets are kept and the bytes between references stay; a second run changes nothing.
#[track_caller]
fn check(name: &str, also: &[&str], document: &str, expected: &[&str]) {
    let media = Media::from_name(name).expect(name);
    let options = options(also);
    let (found, _) = list(document.as_bytes(), media, &options);
    let shown: Vec<&str> = found.iter().map(|one| &*one.shown).collect();
    assert_eq!(shown, expected, "{document}");
    let mut bytes = document.as_bytes().to_vec();
    for is_relative in [false, true, false] {
        let rewritten = convert(&bytes, media, &options, is_relative);
        assert_eq!(rewritten.verify_error(), None, "{document}");
        let output = rewritten.into_output().unwrap_or_else(|| bytes.clone());
        let (old, new) = (list(&bytes, media, &options).0, list(&output, media, &options).0);
        let targets =
            |list: &[Reference]| list.iter().map(|one| one.target.clone()).collect::<Vec<_>>();
        assert_eq!(targets(&old), targets(&new), "{}", String::from_utf8_lossy(&output));
        assert_eq!(between(&bytes, &old), between(&output, &new), "{document}");
        let again = convert(&output, media, &options, is_relative);
        assert_eq!((again.output(), again.verify_error()), (None, None), "{document}");
        bytes = output;
    }
}

/// Returns a document with absolute references, which the caller compares.
#[track_caller]
fn absolute(name: &str, also: &[&str], document: &str) -> String {
    let media = Media::from_name(name).expect(name);
    let rewritten = convert(document.as_bytes(), media, &options(also), false);
    assert_eq!(rewritten.verify_error(), None, "{document}");
    let output = rewritten.into_output().unwrap_or_else(|| document.as_bytes().to_vec());
    String::from_utf8(output).expect("UTF-8")
}

/// Asserts the number of references of a document with this outcome of making it absolute.
#[track_caller]
fn count(name: &str, also: &[&str], document: &str, outcome: Outcome, expected: usize) {
    let media = Media::from_name(name).expect(name);
    let rewritten = convert(document.as_bytes(), media, &options(also), false);
    assert_eq!(rewritten.report.counts.get(outcome), expected, "{document}");
}
