//! The memory that a walk may take: for values, scopes and edits.
//!
//! Memory is counted where lists are created, not where each element is added: lists of values have
//! a bounded length, and the memory of references is counted at intervals (`budget.rs`). Texts are
//! charged with the URLs of their bases. Invariant: only the bytes and the contexts decide if the
//! limit is met.

use basectx::Context;
use layers::Edit;

use crate::format::found::Found;
use crate::options::Verify;
use crate::options::room::Room;
use crate::unit::Media;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::site::Visitor;
use crate::walk::{Edited, Text, Walk};

/// Octets of memory per reference: the entry with its expectation.
pub(crate) const REFERENCE_SIZE: usize = 24;

/// Octets of memory per edited reference: its edit, in a text and in the text around it, and the
/// entry that verification compares.
const EDIT_SIZE: usize = 2 * size_of::<Edit>() + size_of::<Edited>();

/// Octets of memory per `xml:base` or `codebase`: its context in the input and in the output, and a
/// scope for each.
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

    /// Returns octets that were taken to the budget.
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

    /// Takes the memory of the references since the last call. Returns false if the walk has
    /// stopped.
    pub(crate) fn take_memory_of_references(&mut self) -> bool {
        let [n_references, n_edits] = self.n_taken;
        // Without verification the number of edited references is not recorded.
        let is_verified = self.options.verify != Verify::None;
        self.n_taken =
            [self.n_references, if is_verified { self.edited.len() } else { self.n_references }];
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
        // Lists of values are freed early; the memory of each scope and each edit stays taken.
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
