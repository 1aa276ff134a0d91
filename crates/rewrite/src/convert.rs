//! From a decision to an output: the walk that makes the edits, and the proof that they are right.

use layers::{Edit, Edits};

use crate::beside::Beside;
use crate::decision::Decision;
use crate::document::Whole;
use crate::frame::Frame;
use crate::html::Engine;
use crate::message::{Follow, Outermost};
use crate::options::{Options, Verify};
use crate::proof::Prover;
use crate::report::{Disproof, Outcome, Report};
use crate::scope::{Bases, Place, There};
use crate::site::Receiver;
use crate::targets::Targets;
use crate::traverse::Walk;
use crate::unit::{Media, Rewritten, Unit};

/// Rewrites a unit as `decision` says, and proves it.
pub(crate) fn convert(
    unit: Unit<'_>,
    options: &Options,
    bases: Bases<'_>,
    mut decision: impl Decision,
) -> Rewritten {
    let (edits, follow) = walk(unit, options, options.engine, bases, &mut decision);
    let (mut report, targets) = decision.finish();
    let n_left = report.left.iter().filter(|left| !left.reason.is_read()).count();
    let disproved = |mut report: Report, disproof| {
        report.counts.change_all(Outcome::Rewritten, Outcome::Unproved);
        Rewritten { edits: Edits::default(), output: None, report, disproof: Some(disproof) }
    };
    if targets.depends_on_base {
        return disproved(report, Disproof::Base);
    }
    let n_broken_seals = follow.n_broken(&edits);
    let (edits, n_derived) = match edits.is_empty() {
        true => (edits, 0),
        false => follow.with_derived(unit.bytes, edits),
    };
    let edits = match Edits::new(edits, unit.bytes.len()) {
        Ok(edits) => edits,
        Err(_) => return disproved(report, Disproof::Locality),
    };
    // What is no base here may be one in another place.
    let is_as_read = unit.new_place.is_none() || report.bad_bases.is_empty();
    if edits.is_empty() && is_as_read {
        return Rewritten { edits, output: None, report, disproof: None };
    }
    let output = edits.apply(unit.bytes);
    let proof = match options.verify {
        Verify::None => Ok(()),
        Verify::Fast | Verify::Full => {
            prove(unit, &output, &edits, &targets, options, (bases, n_left))
        }
    };
    match proof {
        Ok(()) => {
            (report.n_broken_seals, report.n_derived) = (n_broken_seals, n_derived);
            let output = Some(output).filter(|_| !edits.is_empty());
            Rewritten { edits, output, report, disproof: None }
        }
        Err(disproof) => disproved(report, disproof),
    }
}

fn prove(
    unit: Unit<'_>,
    output: &[u8],
    edits: &Edits,
    targets: &Targets,
    options: &Options,
    (bases, n_left): (Bases<'_>, usize),
) -> Result<(), Disproof> {
    if !edits.explain(unit.bytes, output) {
        return Err(Disproof::Locality);
    }
    let mut prover = Prover::new(targets);
    let engine = if options.verify == Verify::Full { Engine::Reference } else { options.engine };
    let outermost = unit.new_context();
    let heading = unit.new_heading(outermost.as_ref(), bases, options);
    let context = heading.as_ref().or(outermost.as_ref()).unwrap_or(unit.context);
    let own_url = unit.new_place.map(|place| place.url).or(unit.own_url);
    let unit = Unit { bytes: output, media: unit.media, context, own_url, new_place: None };
    walk(unit, options, engine, Bases::KEPT, &mut prover);
    prover.finish(n_left)
}

/// Shows a unit to a receiver; the edits that it asks for.
pub(crate) fn walk<R: Receiver>(
    unit: Unit<'_>,
    options: &Options,
    engine: Engine,
    bases: Bases<'_>,
    receiver: &mut R,
) -> (Vec<Edit>, Follow) {
    let mut walk = Walk::new(receiver, options, engine, bases, unit.bytes.len());
    walk.beside = Beside::of(unit.context);
    let outermost = unit.new_context();
    let heading = unit.new_heading(outermost.as_ref(), bases, options);
    let moved = heading.as_ref().or(outermost.as_ref());
    let there = match (moved, unit.new_place) {
        (Some(context), Some(place)) => {
            Some(There { context, own_url: Some(place.url), root: place.root })
        }
        // It stays where it is, and what it holds may not.
        _ if bases.is_move() => {
            let context = moved.unwrap_or(unit.context);
            Some(There { context, own_url: unit.own_url, root: "" })
        }
        _ => None,
    };
    let place = Place { context: unit.context, own_url: unit.own_url, new: there };
    let frame = &Frame::outermost();
    let (media, bytes) = (unit.media, unit.bytes);
    let edits = match media {
        Media::Message(shell) => {
            let place = Outermost { shell, context: unit.context, there: moved };
            walk.unit_message(bytes, place)
        }
        Media::Http(http) => walk.http(bytes, http, place),
        media => walk.whole(Whole { media, bytes, charset: None, frame, place }),
    };
    (edits, walk.follow)
}

#[cfg(test)]
mod tests {
    use basectx::Context;
    use layers::Span;

    use super::*;
    use crate::absolutize::Absolutize;

    const INPUT: &str = "<p id=a><img srcset='x 1x'><a href=y>b";

    /// Whether an output of these edits (start, end, text) of the input is proved.
    fn check(edits: &[(usize, usize, &str)], output: &str) -> Result<(), Disproof> {
        let context = Context::retrieval("http://h/d/p", "test");
        let bytes = INPUT.as_bytes();
        let unit =
            Unit { bytes, media: Media::Html, context: &context, own_url: None, new_place: None };
        let options = Options::default();
        let mut absolutize = Absolutize::new(&options);
        walk(unit, &options, Engine::Auto, Bases::KEPT, &mut absolutize);
        let edit = |&(start, end, text): &(usize, usize, &str)| Edit {
            span: Span::new(start, end),
            text: text.as_bytes().into(),
            id: 0,
        };
        let edits = Edits::new(edits.iter().map(edit).collect(), bytes.len()).unwrap();
        let rest = (Bases::KEPT, 0);
        prove(unit, output.as_bytes(), &edits, &absolutize.finish().1, &options, rest)
    }

    #[test]
    fn bytes_outside_the_edits_stay() {
        let edits = [(21, 21, "http://h/d/"), (35, 35, "http://h/d/")];
        let honest = "<p id=a><img srcset='http://h/d/x 1x'><a href=http://h/d/y>b";
        assert_eq!(check(&edits, honest), Ok(()));
        assert_eq!(check(&[], INPUT), Ok(()));
        for (old, new) in [("id=a", "id=b"), ("1x", "2x"), ("b", ""), ("<p", " <p"), (">b", ">bb")]
        {
            let output = honest.replace(old, new);
            assert_eq!(check(&edits, &output), Err(Disproof::Locality), "{output:?}");
        }
        assert_eq!(check(&edits[..1], honest), Err(Disproof::Locality));
        assert_eq!(check(&edits, INPUT), Err(Disproof::Locality));
    }

    #[test]
    fn edits_that_change_more_than_references_are_disproved() {
        let is_sequence = |result| matches!(result, Err(Disproof::Sequence { .. }));
        // A comma after the descriptor would be one more candidate.
        let output = "<p id=a><img srcset='x, 1x'><a href=y>b";
        assert!(is_sequence(check(&[(22, 22, ",")], output)));
        let output = "<p id=a><img srcset='x 1x'><!a href=y>b";
        assert!(is_sequence(check(&[(28, 28, "!")], output)));
        let output = "<p id=a><img srcset='x 1x'><a href=z>b";
        assert!(matches!(check(&[(35, 36, "z")], output), Err(Disproof::Target { at: 35, .. })));
    }
}
