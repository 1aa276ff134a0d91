//! What a walk may cost: the URLs of long bases, memory, and time.
//!
//! Each reference is paid for with the length of its base, which is in its target, and in most outputs too; so is whatever else has a URL as
//! long as that of its base. A walk that cannot pay stops: all of the unit is left. Invariant: without a limit of time it depends on the bytes
//! and the contexts alone whether a walk stops.

use std::time::{Duration, Instant};

use crate::options::limits::{Limit, Limits, Met};
use crate::options::room::Room;
use crate::report::skip::SkipReason;
use crate::report::{Note, SkipScope};
use crate::walk::frame::Frame;
use crate::walk::site::Visitor;
use crate::walk::{Text, Walk, skipped};

/// So much is free: small documents may have long bases.
const FREE: usize = 16 << 20;

/// The clock is looked at, and memory counted, when so much has been paid.
const STEP: usize = 1 << 16;

/// What a walk may still cost.
pub(crate) struct Budget {
    /// What can be paid before the clock is looked at again.
    in_step: usize,
    /// What can be paid after that.
    rest: usize,
    /// Decoded bytes that may still be made.
    decoded: usize,
    /// Memory that may still be taken.
    pub(crate) memory: Room,
    end: Option<Instant>,
    is_stopped: bool,
}

impl Budget {
    /// For a walk through a unit of `len` bytes.
    pub(crate) fn new(limits: &Limits, len: usize) -> Self {
        let rest = limits.get(Limit::OutputGrowth).saturating_mul(len).saturating_add(FREE);
        let end = limits.time().and_then(|time: Duration| Instant::now().checked_add(time));
        let decoded = limits.get(Limit::EmbeddedSize).saturating_mul(len);
        let decoded = decoded.saturating_add(1 << 20);
        let memory = Room::new(limits, len);
        Budget { in_step: 0, rest, decoded, memory, end, is_stopped: false }
    }
}

impl<R: Visitor> Walk<'_, R> {
    /// Pays for a URL. False if the walk has stopped.
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
        let Budget { in_step, rest, .. } = &mut self.budget;
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

    /// What URLs may still cost.
    pub(crate) fn remaining(&self) -> usize {
        self.budget.rest.saturating_add(self.budget.in_step)
    }

    /// Whether the walk has stopped, or stops now as it has taken too long.
    pub(crate) fn past_deadline(&mut self) -> bool {
        if !self.budget.is_stopped && self.budget.end.is_some_and(|end| Instant::now() >= end) {
            self.stop(Limit::Time);
        }
        self.budget.is_stopped
    }

    /// Whether the walk has stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.is_stopped
    }

    /// Stops the walk at a limit.
    pub(crate) fn stop(&mut self, limit: Limit) {
        self.stop_at(self.options.limits.met(limit));
    }

    /// Stops the walk: all of the unit is skipped, and that is reported once.
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

    /// Takes decoded bytes from the budget.
    pub(crate) fn spend(&mut self, cost: usize) -> bool {
        match self.budget.decoded.checked_sub(cost) {
            Some(rest) => {
                self.budget.decoded = rest;
                true
            }
            None => false,
        }
    }

    /// What is told where there is no budget left.
    pub(crate) fn too_large(&self) -> SkipReason {
        SkipReason::Limit(self.options.limits.met(Limit::EmbeddedSize))
    }

    /// Tells of a document that lies in too many others.
    #[cold]
    pub(crate) fn too_deep(&mut self, text: Text<'_>) {
        self.skip(SkipReason::Limit(self.options.limits.met(Limit::EmbeddedDepth)), text);
    }
}
