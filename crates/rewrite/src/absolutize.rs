//! The decision of `absolutize`: every reference that depends on its base is written as its target.

use basectx::{BadBase, is_template};
use urlcore::{clean, is_absolute_anywhere};

use crate::found::Undone;
use crate::html::ReadBy;
use crate::options::Options;
use crate::report::{Incident, Left, Outcome, Report};
use crate::site::{Receiver, Refused, Site};
use crate::slots::{Kind, SlotId};

/// What a reference of the output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// It points to this target.
    Target,
    /// It is this text, which needs no base or has none.
    Text,
    /// It is this text, and its base is the document's own URL.
    OwnText,
}

/// What the proof needs to know of a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) slot: SlotId,
    pub(crate) kind: Kind,
    pub(crate) promise: Promise,
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
}

impl Targets {
    /// What reference `id` promises.
    pub(crate) fn text(&self, id: usize) -> &str {
        let start = id.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.texts[start..self.entries[id].end]
    }
}

pub(crate) struct Absolutize<'o> {
    options: &'o Options,
    pub(crate) report: Report,
    pub(crate) targets: Targets,
    target: String,
}

impl<'o> Absolutize<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Absolutize {
            options,
            report: Report::default(),
            targets: Targets::default(),
            target: String::new(),
        }
    }

    /// What becomes of a reference; its target, if that is promised, is left in `self.target`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, Promise) {
        match site.kind {
            Kind::Local => return (Outcome::Local, Promise::Text),
            Kind::Class => return (Outcome::Class, Promise::Text),
            // In a list the template is all of it: where its marks end is not known.
            Kind::Template
                if !self.options.also_templates
                    || self.options.extras.syntax_of(site.slot).is_list() =>
            {
                return (Outcome::Template, Promise::Text);
            }
            Kind::Id if !self.options.also_ids => return (Outcome::Identifier, Promise::Text),
            _ => {}
        }
        let dialect = self.options.dialect;
        // `https:x` is absolute only where the base is not of the same scheme: it is written in full.
        if is_absolute_anywhere(site.text, dialect) {
            return (Outcome::Kept, Promise::Text);
        }
        let Some(resolver) = site.resolver else { return (Outcome::NoBase, Promise::Text) };
        let is_edited = self.options.edits(site.slot, site.kind);
        if is_edited && site.is_base_own && is_same_document(&clean(site.text, dialect)) {
            return (Outcome::SameDocument, Promise::OwnText);
        }
        if resolver.resolve_into(site.text, &mut self.target).is_err() {
            return (Outcome::Unresolvable, Promise::Text);
        }
        let is_fixed = || site.slot.row().is_ok_and(|slot| slot.is_fixed);
        let outcome = match () {
            () if !is_edited => Outcome::Filtered,
            // It would not be read as a reference any more.
            () if site.kind != Kind::Template && is_template(&self.target) => Outcome::Unwritable,
            () if site.is_on_codebase && is_fixed() => Outcome::OnCodebase,
            () => Outcome::Rewritten,
        };
        (outcome, Promise::Target)
    }

    fn list(&mut self, at: usize, reference: &str, reason: String) {
        self.report.incidents.push(Incident { at, reference: reference.to_owned(), reason });
    }
}

/// Whether a reference names its base, or a place in it.
fn is_same_document(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

impl Receiver for Absolutize<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        let (outcome, promise) = self.decide(site);
        let Targets { texts, entries, offsets } = &mut self.targets;
        let start = texts.len();
        texts.push_str(if promise == Promise::Target { &self.target } else { site.text });
        entries.push(Entry { slot: site.slot, kind: site.kind, promise, end: texts.len() });
        self.report.counts.count(outcome);
        if self.options.lists_incidents {
            let at = site.frame.raw(site.span).start;
            offsets.push(at);
            if outcome.is_failure() {
                self.list(at, site.text, outcome.words().to_owned());
            }
        }
        (outcome == Outcome::Rewritten).then(|| &self.targets.texts[start..])
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        self.report.counts.change(Outcome::Rewritten, Outcome::Unwritable);
        if let Some(at) = self.targets.offsets.get(id).copied() {
            let target = self.targets.text(id).to_owned();
            self.list(at, &target, reason.to_string());
        }
    }

    fn left(&mut self, reason: Undone, at: usize, is_embedded: bool) {
        self.report.left.push(Left { reason, at, is_embedded });
    }

    fn read_by(&mut self, engine: ReadBy) {
        self.report.engines.count(engine);
    }

    fn bad_base(&mut self, reason: BadBase, at: usize) {
        self.report.bad_bases.push((reason, at));
    }
}
