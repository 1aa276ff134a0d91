//! Memory that a walk may take: for the values that are found, the scopes and the edits.
//!
//! It is counted where lists are made, not where each element is added: lists of values are made no
//! longer than there is room, and what references take is counted now and then (`budget.rs`). Texts are
//! paid for with the URLs of their bases. Invariant: whether the limit is met depends on the bytes and
//! the contexts alone.

use basectx::Context;
use layers::Edit;

use crate::expectations::Entry;
use crate::format::found::Found;
use crate::options::Verify;
use crate::options::limits::{Limit, Limits, Met};
use crate::unit::Media;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::site::Visitor;
use crate::walk::{Edited, Text, Walk};

/// So many octets are free: small documents may be dense.
const FREE: usize = 4 << 20;

/// Octets of memory that an edited reference takes: its edit, in a text and in the text around it, and what the proof compares.
const EDIT_SIZE: usize = 2 * size_of::<Edit>() + size_of::<Edited>();

/// Octets of memory that an `xml:base` or a `codebase` takes: its context here and in the output, and a scope for each.
const SCOPE_SIZE: usize = 2 * (size_of::<Context<'_>>() + size_of::<Scope<'_>>());

/// Memory that may still be taken, and the limit that is met where there is none left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    octets: usize,
    met: Met,
}

impl Room {
    /// The room of a unit of `len` bytes.
    pub(crate) fn new(limits: &Limits, len: usize) -> Self {
        let most = limits.get(Limit::Memory);
        let growth = limits.get(Limit::MemoryGrowth).saturating_mul(len);
        let growth = growth.saturating_add(FREE);
        let limit = if growth < most { Limit::MemoryGrowth } else { Limit::Memory };
        Room { octets: growth.min(most), met: limits.met(limit) }
    }

    pub(crate) fn octets(self) -> usize {
        self.octets
    }

    pub(crate) fn met(self) -> Met {
        self.met
    }
}

impl<R: Visitor> Walk<'_, R> {
    /// Takes octets of memory. Returns false if the walk has stopped.
    pub(crate) fn take_memory(&mut self, octets: usize) -> bool {
        match self.budget.memory.octets.checked_sub(octets) {
            Some(rest) => {
                self.budget.memory.octets = rest;
                true
            }
            None => {
                self.stop_for_memory();
                false
            }
        }
    }

    /// Gives back octets that were taken.
    pub(crate) fn give_back_memory(&mut self, octets: usize) {
        self.budget.memory.octets = self.budget.memory.octets.saturating_add(octets);
    }

    /// Returns the memory that may still be taken.
    pub(crate) fn room_in_memory(&self) -> Room {
        self.budget.memory
    }

    /// Stops the walk because there is no memory left.
    #[cold]
    pub(crate) fn stop_for_memory(&mut self) {
        self.stop_at(self.budget.memory.met);
    }

    /// Takes the memory of the references that have come since the last time. Returns false if the
    /// walk has stopped.
    pub(crate) fn take_memory_of_references(&mut self) -> bool {
        let [n_references, n_edits] = self.n_taken;
        // Without a proof nobody knows how many are edited.
        let is_proved = self.options.verify != Verify::None;
        self.n_taken =
            [self.n_references, if is_proved { self.edited.len() } else { self.n_references }];
        let entries = (self.n_taken[0] - n_references) * size_of::<Entry>();
        self.take_memory(entries + (self.n_taken[1] - n_edits) * EDIT_SIZE)
    }

    /// Walks the values of one document. Returns its edits.
    pub(crate) fn values(
        &mut self,
        text: Text<'_>,
        found: &Found,
        scopes: Scopes<'_>,
        begins: Option<Media>,
    ) -> Vec<Edit> {
        // Lists of values are short-lived; what each scope and each edit takes stays taken.
        let memory = found.memory();
        let contexts = (found.scopes.len() + found.codebases.len()) * SCOPE_SIZE;
        if !self.take_memory(memory.saturating_add(contexts)) {
            return Vec::new();
        }
        let edits = self.taken_values(text, found, scopes, begins);
        self.give_back_memory(memory);
        edits
    }
}
