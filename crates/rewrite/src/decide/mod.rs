//! Decisions on references, and the rules by which each command makes them.

pub(crate) mod absolutize;
mod base_dependence;
mod condition;
pub(crate) mod decider;
mod listing;
pub(crate) mod relativize;
pub(crate) mod relocate;
mod shared_rules;

use urlcore::Resolver;

use self::base_dependence::BaseDependence;
use crate::expectations::Expectation;
use crate::report::{Outcome, Report};
use crate::slots::SlotId;
use crate::walk::site::Site;

/// The decision on one reference.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decision<'d> {
    /// The reference stays as it is written.
    Keep {
        /// Its outcome for the report.
        outcome: Outcome,
        /// Its expected state in the output.
        expect: Expectation<'d>,
    },
    /// The reference is replaced.
    Write {
        /// Its outcome for the report.
        outcome: Outcome,
        /// Its expected state in the output.
        expect: Expectation<'d>,
        /// The text that replaces it.
        text: &'d str,
    },
}

impl<'d> Decision<'d> {
    /// Returns the decision to keep a reference whose target is not compared: only its text must
    /// be the same.
    fn unchanged(outcome: Outcome) -> Decision<'d> {
        Decision::Keep { outcome, expect: Expectation::Text }
    }
}

/// The rules of one command.
pub(crate) trait CommandRules {
    /// True if references cannot be decided on in a document without a URL, which is then reported
    /// as skipped.
    const NEEDS_DOCUMENT_URL: bool = false;

    /// Decides on a reference. References are shown in source order.
    fn decide<'d>(&'d mut self, site: &Site<'_>, findings: &mut Findings) -> Decision<'d>;

    /// Returns true if a reference that could not be written as decided still points to its target.
    fn refused_keep_targets(&self) -> bool {
        true
    }

    /// Returns the target in the output of a base inside a document, as [`Visitor::respelled`]
    /// does.
    ///
    /// [`Visitor::respelled`]: crate::walk::site::Visitor::respelled
    fn respelled(
        &mut self,
        slot: SlotId,
        text: &str,
        base: &str,
        under: &Resolver<'_>,
    ) -> Option<String> {
        let _ = (slot, text, base, under);
        None
    }
}

/// The facts about a whole unit that its decisions add to.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) report: Report,
    bases: BaseDependence,
}
