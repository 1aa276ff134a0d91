//! What the references of a unit must be after they were rewritten: what the proof compares with.

use crate::options::Options;
use crate::report::{Incident, Outcome, Report};
use crate::site::Site;
use crate::slots::{Kind, SlotId};

/// What a reference of the output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// It points to this target.
    Target,
    /// It is this text, which needs no base or has none.
    Text,
    /// It is this text, which is not the one that it was.
    NewText,
    /// It is this text, and its base is the document's own URL.
    OwnText,
    /// It stays as it is, and leads where that leads.
    Left,
}

/// What the proof needs to know of a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) slot: SlotId,
    pub(crate) kind: Kind,
    pub(crate) promise: Promise,
    outcome: Outcome,
    /// Where its target, or its text, ends in [`Targets::texts`]; it begins where the one before ends.
    end: usize,
}

/// The references of a unit in source order, and their targets, in one string.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    texts: String,
    pub(crate) entries: Vec<Entry>,
    /// The offsets of the references in the file, if the run lists what could not be handled.
    offsets: Vec<usize>,
    /// Whether a reference that is left as it is would lead elsewhere under the new base.
    pub(crate) depends_on_base: bool,
}

/// What was decided of one reference.
pub(crate) struct Decided<'d> {
    pub(crate) outcome: Outcome,
    pub(crate) promise: Promise,
    /// The target or text that is promised.
    pub(crate) text: &'d str,
}

impl Targets {
    /// What reference `id` promises.
    pub(crate) fn text(&self, id: usize) -> &str {
        let start = id.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.texts[start..self.entries[id].end]
    }

    /// Notes what was decided of the next reference, in the report too.
    pub(crate) fn note(
        &mut self,
        site: &Site<'_>,
        decided: &Decided<'_>,
        options: &Options,
        report: &mut Report,
    ) {
        let Decided { outcome, promise, text } = *decided;
        self.texts.push_str(text);
        self.entries.push(Entry {
            slot: site.slot,
            kind: site.kind,
            promise,
            outcome,
            end: self.texts.len(),
        });
        report.counts.count(outcome);
        if options.lists_incidents {
            let at = site.frame.raw(site.span).start;
            self.offsets.push(at);
            if outcome.is_failure() {
                let (reference, reason) = (site.text.to_owned(), outcome.reason().to_owned());
                report.incidents.push(Incident { at, reference, reason });
            }
        }
    }

    /// Notes that reference `id` stays as it is, and does not lead to its target.
    pub(crate) fn leave(&mut self, id: usize) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.promise = Promise::Left;
        }
    }

    /// Notes that what was to be written for reference `id` cannot be.
    pub(crate) fn refuse(&self, id: usize, reason: String, report: &mut Report) {
        report.counts.change(self.entries[id].outcome, Outcome::Unwritable);
        if let Some(at) = self.offsets.get(id).copied() {
            let reference = self.text(id).to_owned();
            report.incidents.push(Incident { at, reference, reason });
        }
    }
}
