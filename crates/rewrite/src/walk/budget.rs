//! The budget of a walk: URLs of long bases, memory, and time.
//!
//! Each reference is charged with the length of its base, which is part of its target and of most
//! outputs; so is everything else with a URL as long as that of its base. A walk whose budget is
//! exhausted stops, and the whole unit is skipped. Invariant: without a time limit, only the bytes
//! and the contexts decide if a walk stops.

use std::time::Duration;

use crate::options::AvailableMemory;
use crate::options::Options;
use crate::options::limits::{Limit, Met};
use crate::report::skip::SkipReason;
use crate::report::{Note, SkipScope};
use crate::walk::frame::Frame;
use crate::walk::{Text, Walk, skipped};

/// The cost that is free for every unit: small documents may have long bases.
const FREE: usize = 16 << 20;

/// The cost after which the clock is read and memory is counted again.
const STEP: usize = 1 << 16;

/// The remaining budget of a walk.
pub(crate) struct WalkBudget {
    /// The cost that can be charged before the clock is read again.
    in_step: usize,
    /// The cost that can be charged after that.
    rest: usize,
    /// The decoded bytes that may still be made.
    decoded: usize,
    /// The memory that may still be taken.
    pub(crate) memory: AvailableMemory,
    /// The reading of the clock at which the time is over.
    end: Option<Duration>,
    is_stopped: bool,
}

impl WalkBudget {
    /// Returns the budget for a unit of `len` bytes.
    pub(crate) fn new(options: &Options, len: usize, memory: AvailableMemory) -> Self {
        let limits = &options.limits;
        let rest = limits.get(Limit::OutputGrowth).saturating_mul(len).saturating_add(FREE);
        let end = limits.time().and_then(|time| options.clock.now()?.checked_add(time));
        let decoded = limits.get(Limit::EmbeddedSize).saturating_mul(len);
        let decoded = decoded.saturating_add(1 << 20);
        WalkBudget { in_step: 0, rest, decoded, memory, end, is_stopped: false }
    }
}

impl Walk<'_> {
    /// Charges the cost of a URL. Returns false if the walk has stopped.
    #[inline]
    pub(crate) fn charge(&mut self, cost: usize) -> bool {
        match self.budget.in_step.checked_sub(cost) {
            Some(rest) => {
                self.budget.in_step = rest;
                true
            }
            None => self.refill(cost),
        }
    }

    #[cold]
    fn refill(&mut self, cost: usize) -> bool {
        if self.past_deadline() || !self.take_memory_of_references() {
            return false;
        }
        let WalkBudget { in_step, rest, .. } = &mut self.budget;
        *rest = rest.saturating_add(*in_step);
        let step = (*rest).min(cost.max(STEP));
        (*in_step, *rest) = (step, *rest - step);
        match in_step.checked_sub(cost) {
            Some(after) => {
                *in_step = after;
                true
            }
            None => {
                self.stop(Limit::OutputGrowth);
                false
            }
        }
    }

    /// Returns the remaining cost that URLs may have.
    pub(crate) fn remaining(&self) -> usize {
        self.budget.rest.saturating_add(self.budget.in_step)
    }

    /// Returns true if the walk has stopped, or stops now because its time limit has passed.
    pub(crate) fn past_deadline(&mut self) -> bool {
        if !self.budget.is_stopped
            && let Some(end) = self.budget.end
            && self.options.clock.now().is_some_and(|now| now >= end)
        {
            self.stop(Limit::Time);
        }
        self.budget.is_stopped
    }

    /// Returns true if the walk has stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.is_stopped
    }

    /// Stops the walk at a limit.
    pub(crate) fn stop(&mut self, limit: Limit) {
        self.stop_at(self.options.limits.met(limit));
    }

    /// Stops the walk: the whole unit is skipped, and that is reported once.
    pub(crate) fn stop_at(&mut self, met: Met) {
        if !std::mem::replace(&mut self.budget.is_stopped, true) {
            let reason = SkipReason::Limit(met);
            self.visitor.note(Note::Skipped(skipped(
                reason,
                0,
                SkipScope::Unit,
                &Frame::outermost(),
            )));
        }
        (self.budget.in_step, self.budget.rest) = (0, 0);
    }

    /// Takes decoded bytes from the budget. Returns false if too few are left.
    pub(crate) fn spend(&mut self, cost: usize) -> bool {
        match self.budget.decoded.checked_sub(cost) {
            Some(rest) => {
                self.budget.decoded = rest;
                true
            }
            None => false,
        }
    }

    /// Returns the reason to skip a document that exceeds the budget.
    pub(crate) fn too_large(&self) -> SkipReason {
        SkipReason::Limit(self.options.limits.met(Limit::EmbeddedSize))
    }

    /// Reports a document that is embedded too deeply.
    #[cold]
    pub(crate) fn too_deep(&mut self, text: Text<'_>) {
        self.skip(SkipReason::Limit(self.options.limits.met(Limit::EmbeddedDepth)), text);
    }
}
