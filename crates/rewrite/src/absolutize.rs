//! The decision of `absolutize`: every reference that depends on its base is written as its target.

use basectx::{BadBase, is_absolute_anywhere, is_template};
use urlcore::clean;

use crate::found::Undone;
use crate::html::ReadBy;
use crate::options::Options;
use crate::report::{Incident, Left, Outcome, Report};
use crate::site::{Receiver, Refused, Site};
use crate::slots::{Kind, SlotId};

/// What the proof needs to know of a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) slot: SlotId,
    pub(crate) kind: Kind,
    /// Its offset in the file, if the run lists what could not be handled.
    at: usize,
    /// Whether it has a target that counts.
    has_target: bool,
    /// Where its target, or else its own text, stands in [`Targets::text`].
    start: usize,
    end: usize,
}

/// The references of a unit in source order, and their targets, in one string.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    text: String,
    pub(crate) entries: Vec<Entry>,
}

impl Targets {
    /// The target of a reference, or, if it has none that counts, the text that it must keep.
    pub(crate) fn target(&self, entry: Entry) -> Result<&str, &str> {
        let text = &self.text[entry.start..entry.end];
        if entry.has_target { Ok(text) } else { Err(text) }
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

    /// What becomes of a reference; its target, if it has one, is left in `self.target`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, bool) {
        match site.kind {
            Kind::Local => return (Outcome::Local, false),
            Kind::Class => return (Outcome::Class, false),
            // In a list the template is all of it: where its marks end is not known.
            Kind::Template
                if !self.options.also_templates
                    || self.options.extras.syntax_of(site.slot).is_list() =>
            {
                return (Outcome::Template, false);
            }
            Kind::Id if !self.options.also_ids => return (Outcome::Identifier, false),
            _ => {}
        }
        let dialect = self.options.dialect;
        let text = clean(site.text, dialect);
        let Some(resolver) = site.resolver else {
            let outcome =
                if is_absolute_anywhere(&text, dialect) { Outcome::Kept } else { Outcome::NoBase };
            return (outcome, false);
        };
        // `https:x` is absolute only where the base is not of the same scheme: it is written in full.
        let is_absolute = is_absolute_anywhere(&text, dialect);
        if resolver.resolve_into(&text, &mut self.target).is_err() {
            // An absolute reference that no browser understands depends on no base either.
            return (if is_absolute { Outcome::Kept } else { Outcome::Unresolvable }, false);
        }
        let outcome = match () {
            () if is_absolute => Outcome::Kept,
            () if !self.options.edits(site.slot, site.kind) => Outcome::Filtered,
            () if is_same_document(&text) && is_own(resolver.base(), site.own_url) => {
                Outcome::SameDocument
            }
            // It would not be read as a reference any more.
            () if site.kind != Kind::Template && is_template(&self.target) => Outcome::Unwritable,
            () if site.is_on_codebase && site.slot.row().is_ok_and(|slot| slot.is_fixed) => {
                Outcome::OnCodebase
            }
            () => Outcome::Rewritten,
        };
        (outcome, true)
    }

    fn list(&mut self, at: usize, reference: &str, reason: String) {
        if self.options.lists_incidents {
            self.report.incidents.push(Incident { at, reference: reference.to_owned(), reason });
        }
    }
}

/// Whether a reference names its base, or a place in it.
fn is_same_document(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

/// Whether the base is the document's own URL.
fn is_own(base: &str, own_url: Option<&str>) -> bool {
    own_url.is_some_and(|own_url| base.split('#').next() == own_url.split('#').next())
}

impl Receiver for Absolutize<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<String> {
        let (outcome, has_target) = self.decide(site);
        let targets = &mut self.targets;
        let start = targets.text.len();
        targets.text.push_str(if has_target { &self.target } else { site.text });
        let end = targets.text.len();
        let at = if self.options.lists_incidents { site.frame.raw(site.span).start } else { 0 };
        targets.entries.push(Entry {
            slot: site.slot,
            kind: site.kind,
            at,
            has_target,
            start,
            end,
        });
        self.report.counts.count(outcome);
        if outcome.is_failure() {
            self.list(at, site.text, outcome.words().to_owned());
        }
        (outcome == Outcome::Rewritten).then(|| self.target.clone())
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        self.report.counts.change(Outcome::Rewritten, Outcome::Unwritable);
        let entry = self.targets.entries[id];
        let (Ok(target) | Err(target)) =
            self.targets.target(entry).map(str::to_owned).map_err(str::to_owned);
        self.list(entry.at, &target, reason.to_string());
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
