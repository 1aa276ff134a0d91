//! The fast engine never gives another answer than the reference engine: the same references with
//! the same spans, slots, kinds, texts, bases and embedded documents, the same documents left, or
//! it declines. Compared on generated documents (`tests/laws`), on real ones (`tests/tree`) and on
//! what a fuzzer finds (`fuzz`).

#![allow(dead_code, reason = "each test needs a part of it")]

use basectx::Context;
use rewrite::{
    Engine, Media, Move, MoveStyle, NewPlace, Options, PrefixMap, Relative, Report, Rewritten,
    SkipReason, Skipped, Unit, absolutize, references, relativize, relocate,
};

/// What became of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// Both engines give the same answer.
    Agree,
    /// The fast engine declines the document, or one inside it.
    Declined,
    /// The document is more than the reference engine reads in linear time.
    Overrun,
}

/// All that an engine says about a document, a line for each reference and each document left.
pub(crate) fn reported(html: &[u8], engine: Engine) -> (Vec<String>, Report) {
    let context = Context::retrieval("http://h.example/a/b.html?q".parse().unwrap(), "--base");
    // What must be requested is requested.
    let mut options = Options::default().with_engine(engine);
    assert!(["ssi", "js-modules"].iter().all(|name| options.opt_in.enable(name)));
    let mut lines = Vec::new();
    let unit = Unit::new(html, Media::HTML, &context);
    let report = references(unit, &options, |site| {
        let (slot, kind, base) =
            (options.extras.name_of(site.slot), site.kind, site.context.base());
        let (span, embedded) = (site.frame.raw(site.span), site.frame.embedded());
        lines.push(format!("{slot} {kind} {span:?} in {embedded:?} under {base:?}: {}", site.text));
    });
    lines.extend(report.skipped.iter().map(|skipped| format!("{skipped:?}")));
    (lines, report)
}

/// Compares the engines.
///
/// # Panics
///
/// If they give different answers.
#[track_caller]
pub(crate) fn compare(html: &[u8]) -> Compared {
    let (fast, report) = reported(html, Engine::Fast);
    if report.skipped.iter().any(|skipped| matches!(skipped.reason, SkipReason::Declined(_))) {
        return Compared::Declined;
    }
    let (reference, report) = reported(html, Engine::Reference);
    let is_overrun = |reason| matches!(reason, SkipReason::Limit(_));
    if report.skipped.iter().any(|skipped| is_overrun(skipped.reason)) {
        return Compared::Overrun;
    }
    assert!(fast == reference, "{}", difference(html, &fast, &reference));
    Compared::Agree
}

fn difference(html: &[u8], fast: &[String], reference: &[String]) -> String {
    let n_same = fast.iter().zip(reference).take_while(|(a, b)| a == b).count();
    let line = |lines: &[String]| lines.get(n_same).cloned().unwrap_or_default();
    let shown = String::from_utf8_lossy(&html[..html.len().min(2000)]);
    format!(
        "the engines disagree\nfast:      {}\nreference: {}\n{shown}",
        line(fast),
        line(reference)
    )
}

/// What a document is rewritten for.
const COMMANDS: usize = 5;

/// Rewrites a document by one engine.
fn rewritten(html: &[u8], engine: Engine, command: usize) -> Rewritten {
    let (from, to) = ("http://h.example/a/", "https://n.example/q/r/");
    let (url, new_url) = (format!("{from}b.html?q"), format!("{to}b.html?q"));
    let context = Context::retrieval(url.parse().unwrap(), "--base");
    let place = NewPlace { url: &new_url.parse().unwrap(), root: to };
    let new_place = (command > 1).then_some(place);
    let unit = Unit::new(html, Media::HTML, &context).with_new_place(new_place);
    let mut options = Options::default().with_engine(engine);
    assert!(["ssi", "js-modules"].iter().all(|name| options.opt_in.enable(name)));
    let style = match command {
        0 => return absolutize(unit, &options),
        1 => return relativize(unit, &options, &Relative::below("http://h.example/")),
        2 => MoveStyle::Keep,
        3 => MoveStyle::Absolute,
        _ => MoveStyle::Relative,
    };
    let mut moves = PrefixMap::default();
    assert_eq!(moves.add(from, to, []).err().map(|conflict| conflict.to_string()), None);
    relocate(unit, &options, &Move::by(moves).with_style(style))
}

/// Compares what the engines write: the same bytes, unless one of them skips a document and names
/// the reason.
///
/// # Panics
///
/// If they write different bytes.
#[track_caller]
pub(crate) fn compare_outputs(html: &[u8]) {
    let is_named = |skipped: &Skipped| {
        matches!(skipped.reason, SkipReason::Declined(_) | SkipReason::Limit(_))
    };
    for command in 0..COMMANDS {
        let fast = rewritten(html, Engine::Fast, command);
        if fast.report.skipped.iter().any(is_named) {
            continue;
        }
        let reference = rewritten(html, Engine::Reference, command);
        if reference.report.skipped.iter().any(is_named) {
            continue;
        }
        let shown = |rewritten: &Rewritten| {
            let output = rewritten.output();
            output.map(|output| String::from_utf8_lossy(output).into_owned())
        };
        assert!(
            (fast.output(), &fast.verify_error())
                == (reference.output(), &reference.verify_error()),
            "command {command} of {:?}\nfast:      {:?} {:?}\nreference: {:?} {:?}",
            String::from_utf8_lossy(html),
            shown(&fast),
            fast.verify_error(),
            shown(&reference),
            reference.verify_error(),
        );
    }
}
