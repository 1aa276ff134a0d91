//! The expected state of the references of a unit after rewriting, which verification compares
//! with.

use crate::options::Options;
use crate::report::{Incident, Outcome, Report};
use crate::slots::{Kind, SlotId};
use crate::walk::memory::REFERENCE_SIZE;
use crate::walk::site::Site;

/// The expected state of a reference of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expectation<'e> {
    /// The reference points to this target.
    Target(&'e str),
    /// The reference points to this target, which is another than that of its text in the input.
    NewTarget(&'e str),
    /// The reference is its text in the input, which needs no base or has none.
    Text,
    /// The reference is this text, which differs from its text in the input.
    NewText(&'e str),
    /// The reference is its text in the input, and its base is the document's own URL.
    OwnText,
}

impl<'e> Expectation<'e> {
    /// Returns the kind of expectation, and the expected target or text; `text` is the text of the
    /// reference in the input.
    #[inline]
    fn stored(self, text: &'e str) -> (ExpectationKind, &'e str) {
        match self {
            Expectation::Target(target) => (ExpectationKind::Target, target),
            Expectation::NewTarget(target) => (ExpectationKind::NewTarget, target),
            Expectation::Text => (ExpectationKind::Text, text),
            Expectation::NewText(new) => (ExpectationKind::NewText, new),
            Expectation::OwnText => (ExpectationKind::OwnText, text),
        }
    }
}

/// The kind of an [`Expectation`]; its target or text is in [`Texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectationKind {
    /// The reference points to this target.
    Target,
    /// The reference points to this target, which is another than that of its text in the input.
    NewTarget,
    /// The reference is this text, which needs no base or has none.
    Text,
    /// The reference is this text, which differs from its text in the input.
    NewText,
    /// The reference is this text, and its base is the document's own URL.
    OwnText,
    /// The reference is unchanged, and its target is not compared.
    Skipped,
}

/// The facts about a reference that verification needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReferenceFacts {
    pub(crate) slot: SlotId,
    pub(crate) kind: Kind,
    pub(crate) expectation: ExpectationKind,
    outcome: Outcome,
    /// The number of bytes that its target or text shares with the start of the one before.
    shared: u32,
    /// The end of its remainder in [`Expectations::rests`]; it begins at the end of the one before.
    end: usize,
}

const _: () = assert!(size_of::<ReferenceFacts>() <= REFERENCE_SIZE);

/// The interval at which long texts are stored whole although they share a prefix: reading in
/// another order than that of the source takes at most this many steps.
const RESTART: usize = 64;

/// The length below which texts are stored whole: most targets are shorter, and comparing them
/// takes time.
const LONG: usize = 256;

/// The bytes of a short text that are counted as memory.
const SHORT: usize = 24;

/// The references of a unit in source order, and their targets in one string. For a long text only
/// the part that differs from the one before is stored: most have the same base.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    rests: String,
    /// The bytes in `rests` of long texts.
    n_long: usize,
    /// The last long text, and the number of the reference after it.
    last: (String, usize),
    pub(crate) entries: Vec<ReferenceFacts>,
    /// The number of references before each embedded document that was skipped because of its
    /// bases. In the output it may have one: a policy may forbid the other there.
    unread: Vec<usize>,
    /// The offsets of the references in the file, if the run lists references that could not be
    /// handled.
    offsets: Vec<usize>,
}

/// A reader of the texts of [`Expectations`], fastest in the order of the references.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The number of the reference after the one read last.
    next: usize,
    text: String,
}

impl Texts {
    /// Returns the expected target or text of reference `id`.
    #[inline]
    pub(crate) fn text<'t>(&'t mut self, expectations: &'t Expectations, id: usize) -> &'t str {
        let rest = expectations.rest(id);
        if expectations.entries[id].shared == 0 && rest.len() < LONG {
            rest
        } else {
            self.long(expectations, id)
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

/// Returns the length in bytes of the longest common prefix, cut at a character boundary.
fn common(a: &str, b: &str) -> u32 {
    let is_same = |n: &usize| a.as_bytes()[*n] == b.as_bytes()[*n];
    let mut n = (0..a.len().min(b.len())).take_while(is_same).count();
    while !(a.is_char_boundary(n) && b.is_char_boundary(n)) {
        n -= 1;
    }
    u32::try_from(n).unwrap_or(0)
}

impl Expectations {
    /// Notes that the embedded document after the last reference was skipped because of its bases.
    pub(crate) fn leave_unread(&mut self) {
        self.unread.push(self.entries.len());
    }

    /// Returns true if an embedded document after so many references was skipped for that.
    pub(crate) fn is_unread(&self, n_references: usize) -> bool {
        self.unread.binary_search(&n_references).is_ok()
    }

    fn rest(&self, id: usize) -> &str {
        let start = id.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.rests[start..self.entries[id].end]
    }

    /// Records the outcome of the next reference and its expectation, also in the report.
    pub(crate) fn note(
        &mut self,
        site: &Site<'_>,
        outcome: Outcome,
        expect: Expectation<'_>,
        options: &Options,
        report: &mut Report,
    ) {
        let (expectation, text) = expect.stored(site.text);
        let shared = self.add(text);
        self.entries.push(ReferenceFacts {
            slot: site.slot,
            kind: site.kind,
            expectation,
            outcome,
            shared,
            end: self.rests.len(),
        });
        match site.kind {
            Kind::Condition => {
                let n_changed = report.n_changed_conditions(site.slot);
                *n_changed += usize::from(outcome == Outcome::Rewritten);
            }
            _ => report.counts.count(outcome),
        }
        if options.lists_incidents {
            let at = site.frame.raw(site.span).start;
            self.offsets.push(at);
            if outcome.is_failure() {
                let (reference, message) = (site.text.to_owned(), outcome.message().to_owned());
                report.incidents.push(Incident { at, reference, message });
            }
        }
    }

    /// Adds the text of the next reference. Returns the length that it shares with the one before.
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
        self.n_long += rest.len();
        shared
    }

    /// Returns the bytes of memory that they take. Short texts count no more than [`SHORT`] each:
    /// all together they are as long as the output may grow.
    pub(crate) fn memory(&self) -> usize {
        let short = (self.rests.len() - self.n_long).min(SHORT * self.entries.len());
        let (last, _) = &self.last;
        let entries = self.entries.len() * REFERENCE_SIZE + size_of_val(&*self.offsets);
        entries + short + self.n_long + last.len()
    }

    /// Records that reference `id` stays unchanged and does not point to its target.
    pub(crate) fn leave(&mut self, id: usize) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.expectation = ExpectationKind::Skipped;
        }
    }

    /// Returns true if reference `id` must have another target than it has unchanged.
    pub(crate) fn is_new_target(&self, id: usize) -> bool {
        let entry = self.entries.get(id);
        entry.is_some_and(|entry| entry.expectation == ExpectationKind::NewTarget)
    }

    /// Records that the text decided for reference `id` cannot be written.
    pub(crate) fn refuse(&self, id: usize, reason: String, report: &mut Report) {
        match self.entries[id].kind {
            Kind::Condition => *report.n_changed_conditions(self.entries[id].slot) -= 1,
            _ => report.counts.change(self.entries[id].outcome, Outcome::Unwritable),
        }
        if let Some(at) = self.offsets.get(id).copied() {
            let reference = Texts::default().text(self, id).to_owned();
            let message = format!("unchanged; {reason}");
            report.incidents.push(Incident { at, reference, message });
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
                (ExpectationKind::Target, Outcome::Kept, expectations.rests.len());
            expectations.entries.push(ReferenceFacts {
                slot,
                kind,
                expectation,
                outcome,
                shared,
                end,
            });
        }
        expectations
    }

    #[test]
    fn texts_are_read_in_any_order() {
        let base = format!("http://h/{}", "\u{E9}/".repeat(200));
        let text = |idx: usize| match idx % 7 {
            0 => String::new(),
            1 => "short".to_owned(),
            // These differ in the second byte of a character.
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
