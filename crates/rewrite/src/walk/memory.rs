//! Memory that a walk may take: for the values that are found, the scopes and the edits.
//!
//! It is counted where lists are made, not where each element is added: lists of values are made no
//! longer than there is room, and what references take is counted now and then (`budget.rs`). Texts are
//! paid for with the URLs of their bases. Invariant: whether the limit is met depends on the bytes and
//! the contexts alone.

use basectx::Context;
use layers::Edit;

use crate::format::found::Found;
use crate::options::Verify;
use crate::options::room::Room;
use crate::unit::Media;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::site::Visitor;
use crate::walk::{Edited, Text, Walk};

/// Octets of memory that a reference takes: what its command expects of it in the output.
pub(crate) const REFERENCE_SIZE: usize = 24;

/// Octets of memory that an edited reference takes: its edit, in a text and in the text around it, and what the proof compares.
const EDIT_SIZE: usize = 2 * size_of::<Edit>() + size_of::<Edited>();

/// Octets of memory that an `xml:base` or a `codebase` takes: its context here and in the output, and a scope for each.
const SCOPE_SIZE: usize = 2 * (size_of::<Context<'_>>() + size_of::<Scope<'_>>());

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
        self.stop_at(self.budget.memory.met());
    }

    /// Takes the memory of the references that have come since the last time. Returns false if the
    /// walk has stopped.
    pub(crate) fn take_memory_of_references(&mut self) -> bool {
        let [n_references, n_edits] = self.n_taken;
        // Without a proof nobody knows how many are edited.
        let is_proved = self.options.verify != Verify::None;
        self.n_taken =
            [self.n_references, if is_proved { self.edited.len() } else { self.n_references }];
        let entries = (self.n_taken[0] - n_references) * REFERENCE_SIZE;
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
