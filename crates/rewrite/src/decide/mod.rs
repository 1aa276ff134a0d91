//! Decisions on references, and the rules by which each command makes them.
//!
//! The accumulator of what depends on the bases of a unit.
//!
//! A walk assumes what the bases of the output are before anything is decided. Here is recorded
//! what would have another target if the assumption were wrong.

pub(crate) mod absolutize;
pub(crate) mod decider;
pub(crate) mod inline;
mod listing;
pub(crate) mod relativize;
pub(crate) mod relocate;
mod shared_rules;
mod shares;

use urlcore::Resolver;

use crate::expectations::Expectation;
use crate::report::skip::{SkipReason, SyntaxError};
use crate::report::{Outcome, Report, SkipScope, Skipped};
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

    /// Returns true if the target that a decision expects is the URL to which the reference is
    /// resolved in the input.
    fn expects_own_targets(&self) -> bool {
        false
    }

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

/// The references and documents of a unit that need the bases of the input, or those that the walk
/// assumes in the output.
#[derive(Debug, Default)]
pub(crate) struct BaseDependence {
    /// True if a reference has another target in the output.
    is_target_lost: bool,
    /// True if a base is emptied.
    has_emptied: bool,
    /// True if an embedded document was skipped.
    has_skipped: bool,
    /// The references that are right only if they are rewritten, in order.
    bound: Vec<usize>,
}

impl BaseDependence {
    /// Records a reference that stays as written; `loses_target` is true if it has another target
    /// under the base of the output, or if it is a base of which the walk assumes another target.
    pub(crate) fn reference_stays(&mut self, loses_target: bool) {
        self.is_target_lost |= loses_target;
    }

    /// Records that reference `id`, a base, is emptied.
    pub(crate) fn base_is_emptied(&mut self, id: usize) {
        self.has_emptied = true;
        self.must_be_rewritten(id);
    }

    /// Records that reference `id` must be rewritten, because its base changes or because it is a
    /// base that does. References are recorded in order.
    pub(crate) fn must_be_rewritten(&mut self, id: usize) {
        self.bound.push(id);
    }

    /// Records that reference `id` could not be rewritten.
    pub(crate) fn refused(&mut self, id: usize) {
        self.is_target_lost |= self.bound.binary_search(&id).is_ok();
    }

    /// Records that a document was skipped.
    pub(crate) fn skipped(&mut self, skipped: &Skipped) {
        // Malformed JSON has no references for any reader.
        let is_read = skipped.reason != SkipReason::Malformed(SyntaxError::Json);
        self.has_skipped |= is_read && skipped.extent == SkipScope::Embedded;
    }

    /// Returns true if bases must stay as they are written, because a reference would have another
    /// target otherwise. References in a skipped document cannot follow an emptied base.
    pub(crate) fn must_stay(&self) -> bool {
        self.is_target_lost || (self.has_skipped && self.has_emptied)
    }
}
