//! The proof: before an output is used it is read again.
//!
//! The base chain is rebuilt *from the output*; the sequence of slots and kinds must be the same, reference i must point to target i, and
//! everything outside the edits must be the input, range by range (DESIGN section 2, "proof").

use basectx::BadBase;

use crate::absolutize::Targets;
use crate::found::Undone;
use crate::html::ReadBy;
use crate::report::Disproof;
use crate::site::{Receiver, Refused, Site};

/// Compares the references of an output with those of its input, in order.
pub(crate) struct Prover<'t> {
    expected: &'t Targets,
    n_seen: usize,
    n_left: usize,
    found: String,
    disproof: Option<Disproof>,
}

impl<'t> Prover<'t> {
    pub(crate) fn new(expected: &'t Targets) -> Self {
        Prover { expected, n_seen: 0, n_left: 0, found: String::new(), disproof: None }
    }

    /// The result, when all of the output has been walked. `n_left` is the number of documents that were left in the input.
    pub(crate) fn finish(self, n_left: usize) -> Result<(), Disproof> {
        match self.disproof {
            Some(disproof) => Err(disproof),
            None if self.n_seen != self.expected.entries.len() || self.n_left != n_left => {
                Err(Disproof::Sequence { at: 0, found: format!("{} references", self.n_seen) })
            }
            None => Ok(()),
        }
    }

    fn compare(&mut self, site: &Site<'_>) -> Result<(), Disproof> {
        let at = || site.frame.raw(site.span).start;
        let entry = self.expected.entries.get(site.id).copied();
        let Some(entry) = entry.filter(|entry| entry.slot == site.slot && entry.kind == site.kind)
        else {
            return Err(Disproof::Sequence { at: at(), found: site.text.to_owned() });
        };
        let Some(expected) = self.expected.target(entry) else { return Ok(()) };
        let resolved =
            site.resolver.map(|resolver| resolver.resolve_into(site.text, &mut self.found).is_ok());
        let found = (resolved == Some(true)).then_some(&*self.found);
        if found == Some(expected) {
            return Ok(());
        }
        Err(Disproof::Target {
            at: at(),
            reference: site.text.to_owned(),
            expected: expected.to_owned(),
            found: found.map(str::to_owned),
        })
    }
}

impl Receiver for Prover<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<String> {
        self.n_seen += 1;
        if self.disproof.is_none() {
            self.disproof = self.compare(site).err();
        }
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn left(&mut self, _: Undone, _: usize, _: bool) {
        self.n_left += 1;
    }

    fn read_by(&mut self, _: ReadBy) {}

    fn bad_base(&mut self, _: BadBase, _: usize) {}
}
