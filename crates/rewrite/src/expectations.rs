//! What the references of a unit must be after they were rewritten: what the proof compares with.

use crate::options::Options;
use crate::report::{Incident, Outcome, Report};
use crate::slots::{Kind, SlotId};
use crate::walk::memory::REFERENCE_SIZE;
use crate::walk::site::Site;

/// What a reference of the output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// It points to this target.
    Target,
    /// It is this text, which needs no base or has none.
    Text,
    /// It is this text, which is not the one that it was.
    NewText,
    /// It is this text, and its base is the document's own URL.
    OwnText,
    /// It stays as it is, and leads where that leads.
    Skipped,
}

/// What the proof needs to know of a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) slot: SlotId,
    pub(crate) kind: Kind,
    pub(crate) expectation: Expectation,
    outcome: Outcome,
    /// How many octets its target, or its text, has in common with that of the one before.
    shared: u32,
    /// Where the rest ends in [`Expectations::rests`]; it begins where that of the one before ends.
    end: usize,
}

const _: () = assert!(size_of::<Entry>() <= REFERENCE_SIZE);

/// Where the first part of long texts is shared, one of so many is there as a whole: what is read in
/// another order than the source's is found in so many steps.
const RESTART: usize = 64;

/// What is shorter is there as a whole: most targets are, and to compare them takes time.
const LONG: usize = 256;

/// The references of a unit in source order, and their targets, in one string. Of long texts it has
/// only what differs from the one before: most have the same base.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    rests: String,
    /// The last long text, and the number of the reference after its own.
    last: (String, usize),
    pub(crate) entries: Vec<Entry>,
    /// The offsets of the references in the file, if the run lists what could not be handled.
    offsets: Vec<usize>,
    /// Whether a reference that is left as it is would lead elsewhere under the new base.
    pub(crate) depends_on_base: bool,
}

/// What was decided of one reference.
pub(crate) struct DecidedReference<'d> {
    pub(crate) outcome: Outcome,
    pub(crate) expectation: Expectation,
    /// The target or text that is promised.
    pub(crate) text: &'d str,
}

/// Reads the texts of [`Expectations`], best in the order of the references.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The reference after the one that was read last.
    next: usize,
    text: String,
}

impl Texts {
    /// Returns what reference `id` of `expectations` promises.
    #[inline]
    pub(crate) fn text<'t>(&'t mut self, expectations: &'t Expectations, id: usize) -> &'t str {
        let rest = expectations.rest(id);
        match expectations.entries[id].shared == 0 && rest.len() < LONG {
            true => rest,
            false => self.long(expectations, id),
        }
    }

    #[cold]
    fn long(&mut self, expectations: &Expectations, id: usize) -> &str {
        let restart = id - id % RESTART;
        if id < self.next || self.next < restart {
            (self.next, self.text) = (restart, String::new());
        }
        for idx in self.next..=id {
            self.text.truncate(expectations.entries[idx].shared as usize);
            self.text.push_str(expectations.rest(idx));
        }
        self.next = id + 1;
        &self.text
    }
}

/// Returns the number of octets, whole characters, with which both texts begin.
fn common(a: &str, b: &str) -> u32 {
    let is_same = |n: &usize| a.as_bytes()[*n] == b.as_bytes()[*n];
    let mut n = (0..a.len().min(b.len())).take_while(is_same).count();
    while !(a.is_char_boundary(n) && b.is_char_boundary(n)) {
        n -= 1;
    }
    u32::try_from(n).unwrap_or(0)
}

impl Expectations {
    fn rest(&self, id: usize) -> &str {
        let start = id.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.rests[start..self.entries[id].end]
    }

    /// Notes what was decided of the next reference, in the report too.
    pub(crate) fn note(
        &mut self,
        site: &Site<'_>,
        decided: &DecidedReference<'_>,
        options: &Options,
        report: &mut Report,
    ) {
        let DecidedReference { outcome, expectation, text } = *decided;
        let shared = self.add(text);
        self.entries.push(Entry {
            slot: site.slot,
            kind: site.kind,
            expectation,
            outcome,
            shared,
            end: self.rests.len(),
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

    /// Adds the text of the next reference. Returns how much of it is that of the one before.
    #[inline]
    fn add(&mut self, text: &str) -> u32 {
        if text.len() < LONG {
            self.rests.push_str(text);
            return 0;
        }
        self.add_long(text)
    }

    #[cold]
    fn add_long(&mut self, text: &str) -> u32 {
        let (last, after) = &mut self.last;
        let id = self.entries.len();
        if *after != id || id.is_multiple_of(RESTART) {
            last.clear();
        }
        let shared = common(last, text);
        let rest = &text[shared as usize..];
        last.truncate(shared as usize);
        last.push_str(rest);
        *after = id + 1;
        self.rests.push_str(rest);
        shared
    }

    /// Notes that reference `id` stays as it is, and does not lead to its target.
    pub(crate) fn leave(&mut self, id: usize) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.expectation = Expectation::Skipped;
        }
    }

    /// Notes that what was to be written for reference `id` cannot be.
    pub(crate) fn refuse(&self, id: usize, reason: String, report: &mut Report) {
        report.counts.change(self.entries[id].outcome, Outcome::Unwritable);
        if let Some(at) = self.offsets.get(id).copied() {
            let reference = Texts::default().text(self, id).to_owned();
            report.incidents.push(Incident { at, reference, reason });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expectations(texts: &[String]) -> Expectations {
        let mut expectations = Expectations::default();
        for text in texts {
            let shared = expectations.add(text);
            let (slot, kind) = (SlotId::BASE_HREF, Kind::Url);
            let (expectation, outcome, end) =
                (Expectation::Target, Outcome::Kept, expectations.rests.len());
            expectations.entries.push(Entry { slot, kind, expectation, outcome, shared, end });
        }
        expectations
    }

    #[test]
    fn texts_are_read_in_any_order() {
        let base = format!("http://h/{}", "\u{E9}/".repeat(200));
        let text = |idx: usize| match idx % 7 {
            0 => String::new(),
            1 => "short".to_owned(),
            // These differ in the second octet of a character.
            2 => format!("{base}\u{E8}"),
            3 => format!("{base}\u{E9}{idx}"),
            4 => base[..273].to_owned(),
            _ => format!("{base}{idx}"),
        };
        let texts: Vec<String> = (0..1000).map(text).collect();
        let expectations = expectations(&texts);
        assert!(expectations.rests.len() < texts.concat().len() / 2);
        let mut forward = Texts::default();
        for (id, text) in texts.iter().enumerate() {
            assert_eq!(forward.text(&expectations, id), text);
            assert_eq!(Texts::default().text(&expectations, id), text);
        }
        let mut other = Texts::default();
        for id in (0..texts.len()).rev().chain((0..texts.len()).step_by(3)) {
            assert_eq!(other.text(&expectations, id), texts[id], "{id}");
        }
    }
}
