//! The budget of a walk: the time, the URLs of long bases, and the memory that it may take for
//! decoded texts, values, scopes, edits, and the records of its visitor.
//!
//! Memory is counted where lists are created, not where each element is added: lists of values have
//! a bounded length, and the memory of references is counted at intervals. The walk that verifies
//! an output uses what the walk that decided has left. Invariant: only the bytes and the contexts
//! decide if the limit is met.
//!
//! The texts of the last edits: the next edit often writes one of them again and shares it.

use std::sync::Arc;
use std::time::Duration;

use basectx::Context;
use layers::Edit;
use urlcore::{Dialect, Reference, SchemeKind};

use crate::format::found::Found;
use crate::options::limits::{Limit, Met};
use crate::options::{AvailableMemory, Options};
use crate::report::skip::SkipReason;
use crate::report::{Note, SkipScope};
use crate::slots::Kind;
use crate::unit::Media;
use crate::walk::frame::Frame;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::{EditedReference, Text, Walk, skipped};

/// Bytes of memory per reference: the entry with its expectation.
pub(crate) const REFERENCE_SIZE: usize = 24;

/// Bytes of memory per edited reference: its edit, in a text and in the text around it, and the
/// entry that verification compares.
const EDIT_SIZE: usize = 2 * size_of::<Edit>() + size_of::<EditedReference>();

/// Bytes of memory per `xml:base` or `codebase`: its context in the input and in the output, and a
/// scope for each.
const SCOPE_SIZE: usize = 2 * (size_of::<Context<'_>>() + size_of::<Scope<'_>>());

/// The number of bytes from which the memory of a reference is checked before it is resolved.
pub(crate) const LONG: usize = 1 << 14;

/// The copies of a long reference: its target, its edit, what is expected of it and of the one
/// before.
const COPIES: usize = 4;

/// The copies of a URL that is a base inside a document: in its context and split, in the input and
/// in the output, and while it is compared.
const URL_COPIES: usize = 8;

impl Walk<'_> {
    /// Takes bytes of memory. Returns false if the walk has stopped.
    pub(crate) fn take_memory(&mut self, bytes: usize) -> bool {
        match self.budget.memory.bytes.checked_sub(bytes) {
            Some(rest) => {
                self.budget.memory.bytes = rest;
                true
            }
            None => {
                self.stop_for_memory();
                false
            }
        }
    }

    /// Returns bytes that were taken to the budget.
    pub(crate) fn give_back_memory(&mut self, bytes: usize) {
        self.budget.memory.bytes = self.budget.memory.bytes.saturating_add(bytes);
    }

    /// Returns the memory that may still be taken.
    pub(crate) fn available_memory(&self) -> AvailableMemory {
        self.budget.memory
    }

    /// Stops the walk because there is no memory left.
    #[cold]
    pub(crate) fn stop_for_memory(&mut self) {
        self.stop_at(self.budget.memory.met());
    }

    /// Takes the memory of the references since the last call: the records of the visitor and the
    /// edits. The output itself has a limit of its own. Returns false if the walk has stopped.
    pub(crate) fn take_memory_of_references(&mut self) -> bool {
        let Recent { stored, n_texts, .. } = self.recent;
        let all = self.visitor.memory() + n_texts * EDIT_SIZE + stored;
        let taken = std::mem::replace(&mut self.taken, all);
        self.take_memory(all.saturating_sub(taken))
    }

    /// Takes the memory of the texts of lifted edits. Returns false if the walk has stopped.
    pub(crate) fn take_memory_of_edits(&mut self, edits: &[Edit]) -> bool {
        self.take_memory(edits.iter().map(|edit| edit.text.len() + COUNTERS).sum())
    }

    /// Returns true if a long reference is within the limit of URLs, and there is memory to decide
    /// on it. A byte that is not ASCII takes three in its target (RFC 3986, section 2.1).
    #[cold]
    pub(crate) fn may_resolve_long(&mut self, text: &str, kind: Kind, scope: &Scope<'_>) -> bool {
        let len = text.len() + scope.cost;
        if len > self.options.limits.get(Limit::UrlSize)
            && kind.is_link()
            && has_path(text, scope.dialect)
        {
            self.stop(Limit::UrlSize);
            return false;
        }
        let bytes = COPIES * if text.is_ascii() { text.len() } else { 3 * text.len() };
        self.take_memory_of_references() && self.has_memory(bytes)
    }

    /// Returns true if there are as many bytes of memory. If not, the walk stops.
    fn has_memory(&mut self, bytes: usize) -> bool {
        let has_memory = self.take_memory(bytes);
        if has_memory {
            self.give_back_memory(bytes);
        }
        has_memory
    }

    /// Returns true if there is memory to resolve the base `href` inside a document against the
    /// base outside. If not, the walk stops.
    pub(crate) fn has_memory_for_base(&mut self, outside: &Context<'_>, href: &str) -> bool {
        let len = outside.base().map_or(0, str::len) + href.len();
        len < LONG || self.has_memory(URL_COPIES * len)
    }

    /// Takes the memory of a URL that is a base inside a document. Returns false if the walk has
    /// stopped, or if too much was decoded.
    pub(crate) fn take_url(&mut self, context: &Context<'_>) -> bool {
        let len = context.base().map_or(0, str::len);
        self.spend(len) && self.take_memory(URL_COPIES * len)
    }

    /// Charges the memory of the values of one document, and walks them. Returns the edits.
    pub(crate) fn values(
        &mut self,
        text: Text<'_>,
        found: &Found,
        scopes: Scopes<'_>,
        begins: Option<Media>,
    ) -> Vec<Edit> {
        // Lists of values are freed early; the memory of each scope and each edit stays taken.
        let memory = found.memory();
        let contexts = (found.scopes.len() + found.codebases.len()) * SCOPE_SIZE;
        if !self.take_memory(memory.saturating_add(contexts)) {
            return Vec::new();
        }
        let edits = self.walk_values(text, found, scopes, begins);
        self.give_back_memory(memory);
        edits
    }
}

/// Returns true if a reference has segments: unlike that of `data:`, its path is looked at.
fn has_path(reference: &str, dialect: Dialect) -> bool {
    let reference = Reference::split(reference, dialect);
    let is_special = |scheme| Dialect::Web.rules().kind_of(scheme) != SchemeKind::Other;
    reference.authority().is_some() || reference.scheme().is_none_or(is_special)
}

/// The number of texts that are kept. Most pages point to a few directories.
const N: usize = 4;

/// The bytes that a shared text takes with its own: its counters, and those of the allocator.
pub(crate) const COUNTERS: usize = 4 * size_of::<usize>();

#[derive(Debug, Default)]
pub(crate) struct Recent {
    texts: [Arc<[u8]>; N],
    /// The index of the text to replace next.
    oldest: usize,
    /// The bytes of all texts that are not shared.
    pub(crate) stored: usize,
    /// The number of texts.
    pub(crate) n_texts: usize,
}

impl Recent {
    /// Returns `text`, shared with an earlier edit if it is one of the last ones.
    pub(crate) fn shared(&mut self, text: &[u8]) -> Arc<[u8]> {
        self.n_texts += 1;
        if let Some(recent) = self.texts.iter().find(|recent| ***recent == *text) {
            return Arc::clone(recent);
        }
        self.stored += text.len() + COUNTERS;
        let recent = &mut self.texts[self.oldest];
        self.oldest = (self.oldest + 1) % N;
        *recent = text.into();
        Arc::clone(recent)
    }
}

// The budget of a walk: URLs of long bases, memory, and time.
//
// Each reference is charged with the length of its base, which is part of its target and of most
// outputs; so is everything else with a URL as long as that of its base. A walk whose budget is
// exhausted stops, and the whole unit is skipped. Invariant: without a time limit, only the bytes
// and the contexts decide if a walk stops.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_shared_and_others_are_not() {
        let mut recent = Recent::default();
        let texts = [&b"a"[..], b"b", b"c", b"d", b"e"];
        let first = texts.map(|text| recent.shared(text));
        assert_eq!(first.each_ref().map(|text| &**text), texts);
        // The oldest one was replaced.
        let again = texts.map(|text| recent.shared(text));
        assert_eq!(again, first);
        let is_same = |idx: usize| Arc::ptr_eq(&again[idx], &first[idx]);
        assert!(!is_same(0) && Arc::ptr_eq(&recent.shared(b"e"), &recent.shared(b"e")));
    }
}
