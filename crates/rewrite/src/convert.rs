//! The conversion of a unit: the walk that collects the edits, and the verification of the output.

use layers::{Edit, Edits};

use crate::decide::CommandRules;
use crate::decide::decider::{Decided, Decider};
use crate::options::AvailableMemory;
use crate::options::{Options, Verify};
use crate::policy;
use crate::report::skip::SkipReason;
use crate::report::{Outcome, Report, SkipScope, VerifyError};
use crate::unit::{NewBytes, Rewritten, Unit};
use crate::verify::proof::{OutputFacts, Proof};
use crate::verify::shifted;
use crate::walk;
use crate::walk::frame::Frame;
use crate::walk::scope::Bases;
use crate::walk::start::{Walked, walk};

/// Rewrites a unit by the rules that `rules` returns and verifies the output. If there are `given`
/// edits, those are applied instead.
pub(crate) fn convert<R: CommandRules>(
    unit: Unit<'_>,
    options: &Options,
    bases: Bases<'_>,
    rules: impl Fn() -> R,
    given: Option<&[Edit]>,
) -> Rewritten {
    let rewritten = converted(unit, options, bases, rules(), given);
    // Policies come before the texts of which they have hashes: they are edited in a second run.
    let output = match given {
        Some(edits) if policy::has_policy_hashes(unit.bytes) => {
            Edits::new(edits.to_vec(), unit.bytes.len()).ok().map(|edits| edits.apply(unit.bytes))
        }
        _ if rewritten.report.may_break_hashes => rewritten.output().map(<[u8]>::to_vec),
        _ => None,
    };
    let digests = output.and_then(|output| policy::text_digests(unit, &output, options));
    let Some(digests) = digests else { return rewritten };
    let unit = Unit { text_digests: Some(&digests), ..unit };
    let mut with_policies = converted(unit, options, bases, rules(), given);
    if with_policies.verify_error().is_some() && given.is_none() {
        return rewritten;
    }
    let output = with_policies.output().unwrap_or_default();
    let has_old_hashes = policy::has_old_hashes(output, &digests);
    with_policies.report.may_break_hashes &= has_old_hashes;
    with_policies
}

/// Rewrites a unit once. Policies are edited if the unit has the digests of its texts.
fn converted(
    unit: Unit<'_>,
    options: &Options,
    bases: Bases<'_>,
    rules: impl CommandRules,
    given: Option<&[Edit]>,
) -> Rewritten {
    let memory = AvailableMemory::new(&options.limits, unit.bytes.len());
    let mut decider = Decider::new(rules, options, memory);
    let Walked { edits, edited, derived, page, is_stopped, memory } =
        walk(unit, options, options.engine, bases, memory, &mut decider);
    let Decided { mut report, expectations, depends_on_base } = decider.finish();
    report.may_break_policy = report.may_break_policy && policy::has_policy(unit.bytes);
    report.may_break_hashes = report.edits_hashed_texts && policy::has_policy_hashes(unit.bytes);
    if is_stopped {
        // The walk stopped early, so the counts are incomplete.
        report.forget_references();
        return Rewritten::without_edits(NewBytes::Skipped, report);
    }
    let reasons =
        report.skipped.iter().map(|skipped| skipped.reason).filter(|reason| !reason.is_read());
    let skipped: Vec<SkipReason> = reasons.collect();
    let unverified = |mut report: Report, verify_error| {
        report.reject();
        Rewritten::without_edits(NewBytes::Rejected(verify_error), report)
    };
    if depends_on_base {
        return unverified(report, VerifyError::Base);
    }
    let n_broken_seals = derived.n_broken(&edits);
    let (edits, n_derived) = match given {
        Some(edits) => (edits.to_vec(), 0),
        None if edits.is_empty() => (edits, 0),
        None => derived.with_derived(unit.bytes, edits),
    };
    let edits = match Edits::new(edits, unit.bytes.len()) {
        Ok(edits) => edits,
        Err(_) => return unverified(report, VerifyError::Locality),
    };
    // A value that is not a base here may be one at another location, and an edit that was decided
    // must be there.
    let is_as_read = unit.new_place.is_none() || report.bad_bases.is_empty();
    let is_as_read = is_as_read && report.counts.get(Outcome::Rewritten) == 0;
    if edits.is_empty() && is_as_read {
        let is_skipped = report.skipped.iter().any(|skipped| skipped.extent == SkipScope::Unit);
        let bytes = if is_skipped { NewBytes::Skipped } else { NewBytes::Unchanged };
        return Rewritten::without_edits(bytes, report);
    }
    let output = edits.apply(unit.bytes);
    let result = match options.verify {
        Verify::None => Ok(()),
        Verify::Fast | Verify::Full => {
            let facts = OutputFacts {
                expectations: &expectations,
                edited: &edited,
                derived: &derived,
                skipped: &skipped,
                memory,
            };
            let proof = Proof { unit, output: &output, facts, options, bases };
            let known = page
                .filter(|_| !shifted::is_read_whole(unit, options))
                .and_then(|page| shifted::values(page, edits.as_slice(), &output));
            // An error is found by reading all of the output.
            if known.is_some_and(|known| proof.holds_for(known)) {
                Ok(())
            } else {
                proof.check_whole()
            }
        }
    };
    match result {
        Ok(()) => {
            (report.n_broken_seals, report.n_derived) = (n_broken_seals, n_derived);
            let bytes =
                if edits.is_empty() { NewBytes::Unchanged } else { NewBytes::Changed(output) };
            Rewritten { edits, bytes, report }
        }
        // Another rewrite would depend on which engine meets the limit.
        Err(VerifyError::Unread(reason @ SkipReason::Limit(_))) => {
            report.skipped.push(walk::skipped(reason, 0, SkipScope::Unit, &Frame::outermost()));
            report.forget_references();
            Rewritten::without_edits(NewBytes::Skipped, report)
        }
        Err(verify_error) => unverified(report, verify_error),
    }
}

#[cfg(test)]
mod tests {
    use basectx::Context;

    use super::*;
    use crate::decide::absolutize::Absolutize;
    use crate::options::Engine;
    use crate::unit::Media;

    const INPUT: &str = "<p id=a><img srcset='x 1x'><a href=y>b";

    /// Verifies an output of the input.
    fn check(output: &str) -> Result<(), VerifyError> {
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        let bytes = INPUT.as_bytes();
        let unit = Unit::new(bytes, Media::HTML, &context);
        let options = Options::default();
        let memory = AvailableMemory::new(&options.limits, bytes.len());
        let mut decider = Decider::new(Absolutize::new(&options, None), &options, memory);
        let Walked { edited, derived, .. } =
            walk(unit, &options, Engine::Auto, Bases::KEPT, memory, &mut decider);
        let expectations = &decider.finish().expectations;
        let (edited, derived) = (&edited, &derived);
        let facts = OutputFacts { expectations, edited, derived, skipped: &[], memory };
        let (options, bases) = (&options, Bases::KEPT);
        Proof { unit, output: output.as_bytes(), facts, options, bases }.check_whole()
    }

    #[test]
    fn bytes_outside_the_references_stay() {
        let correct = "<p id=a><img srcset='http://h/d/x 1x'><a href=http://h/d/y>b";
        assert_eq!(check(correct), Ok(()));
        assert_eq!(check(INPUT), Ok(()));
        for (old, new) in
            [("id=a", "id=b"), ("1x", "2x"), (">b", ">"), ("<p", " <p"), (">b", ">bb")]
        {
            let output = correct.replace(old, new);
            assert_eq!(check(&output), Err(VerifyError::Locality), "{output:?}");
        }
    }

    #[test]
    fn outputs_with_other_references_are_disproved() {
        let is_sequence = |result| matches!(result, Err(VerifyError::Sequence { .. }));
        // A comma after the descriptor would start one more candidate.
        assert!(is_sequence(check("<p id=a><img srcset='x, 1x'><a href=y>b")));
        assert!(is_sequence(check("<p id=a><img srcset='x 1x'><!a href=y>b")));
        let output = "<p id=a><img srcset='x 1x'><a href=z>b";
        assert!(matches!(check(output), Err(VerifyError::Target { at: 35, .. })));
    }
}
