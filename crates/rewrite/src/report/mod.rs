//! The report on a unit: the outcomes of its references and documents.

pub(crate) mod listed;
pub(crate) mod skip;

use std::collections::{BTreeMap, BTreeSet};

use basectx::BadBase;

use self::listed::{ListedDocument, ListedReference};
pub use self::skip::VerifyError;
use self::skip::{Declined, SkipReason};
use crate::options::limits::Limit;
use crate::slots::SlotId;

/// The engine that read a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadBy {
    /// The fast engine.
    Fast,
    /// The reference engine, because the fast one declined.
    Reference(Declined),
    /// The reference engine, because it was requested.
    Requested,
}

/// The outcome of one reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was rewritten.
    Rewritten,
    /// It had the wanted style already.
    Kept,
    /// It is a fragment of its own document, whatever the base.
    Local,
    /// It names its own document, and the base is the document's URL.
    SameDocument,
    /// It is an identifier and not a link.
    Identifier,
    /// It is a template that is filled in when the document is served.
    Template,
    /// It names a class.
    Class,
    /// It names a file and is not a URL.
    File,
    /// It can only be a path, and stays one.
    PathOnly,
    /// It stays relative to the `codebase` of the same element.
    OnCodebase,
    /// It points out of the tree and is absolute.
    Outside,
    /// It points to a file that the tree should contain but does not.
    Broken,
    /// Its slot is excluded by the options of the run.
    Filtered,
    /// It is relative, and no base is known.
    NoBase,
    /// It cannot be resolved against its base.
    Unresolvable,
    /// The text that it would need cannot be represented in the bytes around it.
    Unwritable,
    /// It was to be rewritten, but verification of its file failed.
    Unverified,
    /// It is in content that must not change, such as a signed part.
    Sealed,
    /// It names another part of its message by the location that this declares.
    Part,
    /// Its document has no URL that it could be relative to.
    Nowhere,
    /// It has two readings.
    Ambiguous,
    /// It points to a file that was saved with its document.
    SavedResources,
    /// It points to another member of its package, or to its own.
    Package,
    /// An entity is part of it, and entities are not expanded.
    Entity,
    /// A `<base>` that comes after it, or is invalid, gives it another target in some browsers or
    /// at another moment.
    TwoBases,
    /// It is on an error page, which has several URLs, and keeps its form.
    ErrorPage,
    /// It is on an error page, and has another target at each of its URLs.
    PathDependent,
    /// It is resolved where the custom property that contains it is used.
    PlaceDependent,
    /// It leads above the share of its document, where it has another meaning for each program.
    AboveShare,
    /// It is a path with a `#`, which begins a fragment or is part of a name.
    NumberSign,
}

impl Outcome {
    /// All outcomes, in the order of reports.
    pub const ALL: [Outcome; 30] = [
        Outcome::Rewritten,
        Outcome::Kept,
        Outcome::Local,
        Outcome::SameDocument,
        Outcome::Identifier,
        Outcome::Template,
        Outcome::Class,
        Outcome::File,
        Outcome::PathOnly,
        Outcome::OnCodebase,
        Outcome::Outside,
        Outcome::Broken,
        Outcome::Filtered,
        Outcome::NoBase,
        Outcome::Unresolvable,
        Outcome::Unwritable,
        Outcome::Unverified,
        Outcome::Sealed,
        Outcome::Part,
        Outcome::Nowhere,
        Outcome::Ambiguous,
        Outcome::SavedResources,
        Outcome::Package,
        Outcome::Entity,
        Outcome::TwoBases,
        Outcome::ErrorPage,
        Outcome::PathDependent,
        Outcome::PlaceDependent,
        Outcome::AboveShare,
        Outcome::NumberSign,
    ];

    /// Returns the name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Rewritten => "rewritten",
            Outcome::Kept => "kept",
            Outcome::Local => "local",
            Outcome::SameDocument => "same-document",
            Outcome::Identifier => "identifier",
            Outcome::Template => "template",
            Outcome::Class => "class",
            Outcome::File => "file",
            Outcome::PathOnly => "path-only",
            Outcome::OnCodebase => "on-codebase",
            Outcome::Outside => "outside",
            Outcome::Broken => "missing",
            Outcome::Filtered => "filtered",
            Outcome::NoBase => "no-base",
            Outcome::Unresolvable => "unresolvable",
            Outcome::Unwritable => "unwritable",
            Outcome::Unverified => "unverified",
            Outcome::Sealed => "sealed",
            Outcome::Part => "part",
            Outcome::Nowhere => "no-url",
            Outcome::Ambiguous => "ambiguous",
            Outcome::SavedResources => "saved-resource",
            Outcome::Package => "package",
            Outcome::Entity => "entity",
            Outcome::TwoBases => "base-differs",
            Outcome::ErrorPage => "error-page",
            Outcome::PathDependent => "path-dependent",
            Outcome::PlaceDependent => "place-dependent",
            Outcome::AboveShare => "above-share",
            Outcome::NumberSign => "number-sign",
        }
    }

    /// Returns the wording for the summary.
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Rewritten => "rewritten",
            Outcome::Kept => "already correct",
            Outcome::Local => "local",
            Outcome::SameDocument => "to their own document",
            Outcome::Identifier => "used as identifiers",
            Outcome::Template => "with template marks",
            Outcome::Class => "naming a class",
            Outcome::File => "naming a file",
            Outcome::PathOnly => "that must be paths",
            Outcome::OnCodebase => "relative to a codebase",
            Outcome::Outside => "out of the tree",
            Outcome::Broken => "to missing files",
            Outcome::Filtered => "excluded by options",
            Outcome::NoBase => "without a base URL",
            Outcome::Unresolvable => "that cannot be resolved",
            Outcome::Unwritable => "that cannot be written in their place",
            Outcome::Unverified => "in files that failed verification",
            Outcome::Sealed => "in parts that must not change",
            Outcome::Part => "to other parts of their message",
            Outcome::Nowhere => "in parts without a URL",
            Outcome::Ambiguous => "that are ambiguous",
            Outcome::SavedResources => "to files saved with the page",
            Outcome::Package => "inside of their package",
            Outcome::Entity => "with an entity, which is not expanded",
            Outcome::ErrorPage => "on error pages, which keep their form",
            Outcome::PlaceDependent => "in custom properties, which are left",
            Outcome::PathDependent => "that depend on the path of an error page",
            Outcome::AboveShare => "above the share of their document",
            Outcome::NumberSign => "with a # that may be part of a name",
            Outcome::TwoBases => "to which a <base> gives another target in some browsers",
        }
    }

    /// Returns the message about one reference that could not be handled; the reference comes
    /// before it.
    pub const fn message(self) -> &'static str {
        match self {
            Outcome::Broken => "unchanged; the tree has no such file",
            Outcome::NoBase => "unchanged; its base URL is unknown; use `--base URL` to set it",
            Outcome::Unresolvable => "unchanged; it cannot be resolved against its base URL",
            Outcome::Unwritable => "unchanged; the new text cannot be written in its place",
            Outcome::Unverified => "unchanged; its file failed verification",
            Outcome::Entity => "unchanged; it contains an entity, which is not expanded",
            Outcome::TwoBases => "unchanged; a <base> gives it another target in some browsers",
            Outcome::PathDependent => {
                "unchanged; its document is sent for many URLs, and at each it leads elsewhere"
            }
            Outcome::AboveShare => "unchanged; it leads above the share of its document",
            Outcome::NumberSign => {
                "unchanged; no file of the tree shows whether # begins a fragment or is part of a name; use %23 or a URL"
            }
            _ => "unchanged",
        }
    }

    /// Returns true if the reference should have been handled and was not.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Outcome::Broken
                | Outcome::NoBase
                | Outcome::Unresolvable
                | Outcome::Unwritable
                | Outcome::Unverified
                | Outcome::Entity
                | Outcome::TwoBases
                | Outcome::PathDependent
                | Outcome::AboveShare
                | Outcome::NumberSign
        )
    }
}

/// The number of references by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Outcome::ALL.len()]);

impl FromIterator<(Outcome, usize)> for Counts {
    fn from_iter<I: IntoIterator<Item = (Outcome, usize)>>(counts: I) -> Self {
        let mut sums = Counts::default();
        counts.into_iter().for_each(|(outcome, n)| sums.0[outcome as usize] += n);
        sums
    }
}

impl Counts {
    /// Returns the number of references with this outcome.
    pub fn get(&self, outcome: Outcome) -> usize {
        self.0[outcome as usize]
    }

    /// Returns the number of references.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the number of references that should have been handled and were not.
    pub fn failures(&self) -> usize {
        Outcome::ALL
            .into_iter()
            .filter(|outcome| outcome.is_failure())
            .map(|outcome| self.get(outcome))
            .sum()
    }

    /// Adds the counts of another unit.
    pub fn add(&mut self, other: &Counts) {
        for (sum, n) in self.0.iter_mut().zip(other.0) {
            *sum += n;
        }
    }

    pub(crate) fn count(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    /// Changes all references of one outcome to another.
    pub(crate) fn change_all(&mut self, from: Outcome, to: Outcome) {
        self.0[to as usize] += std::mem::take(&mut self.0[from as usize]);
    }

    /// Changes one reference from one outcome to another.
    pub(crate) fn change(&mut self, from: Outcome, to: Outcome) {
        self.0[from as usize] -= 1;
        self.count(to);
    }
}

/// A reference that could not be handled, for the list that a verbose run prints.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incident {
    /// The offset in the file.
    pub at: usize,
    /// The reference.
    pub reference: String,
    /// The message about it, which follows the reference.
    pub message: String,
}

/// The extent of what was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipScope {
    /// The whole unit.
    Unit,
    /// A part of a message.
    Part,
    /// A document embedded in another, which was read.
    Embedded,
}

/// A document that was skipped and stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The reason.
    pub reason: SkipReason,
    /// Its offset in the unit.
    pub at: usize,
    /// The extent.
    pub extent: SkipScope,
    /// The part of the message that it is, or that contains it.
    pub part: Option<String>,
}

impl Skipped {
    /// Returns true if it is a header field, and not a document.
    pub fn is_field(&self) -> bool {
        matches!(self.reason, SkipReason::Limit(met) if met.limit == Limit::FieldSize)
    }
}

/// A defect of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartDefect {
    /// Its offset in the unit.
    pub at: usize,
    /// The part or header section.
    pub part: String,
    /// The defect.
    pub reason: String,
}

/// The engines that read the HTML documents, including embedded ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Engines {
    /// The number of documents that the fast engine read.
    pub n_fast: usize,
    /// The number of documents that the reference engine was requested to read.
    pub n_requested: usize,
    /// The number of documents that the fast engine declined, by reason; the reference engine read
    /// them.
    pub declined: BTreeMap<Declined, usize>,
}

impl Engines {
    /// Adds the counts of another unit.
    pub fn add(&mut self, other: &Engines) {
        self.n_fast += other.n_fast;
        self.n_requested += other.n_requested;
        for (reason, n) in &other.declined {
            *self.declined.entry(*reason).or_default() += n;
        }
    }

    pub(crate) fn count(&mut self, engine: ReadBy) {
        match engine {
            ReadBy::Fast => self.n_fast += 1,
            ReadBy::Requested => self.n_requested += 1,
            ReadBy::Reference(reason) => *self.declined.entry(reason).or_default() += 1,
        }
    }
}

/// The report on a unit.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The outcomes of its references.
    pub counts: Counts,
    /// The engines that read it.
    pub engines: Engines,
    /// The documents in it that were skipped.
    pub skipped: Vec<Skipped>,
    /// The defects of the message, if it is one.
    pub faults: Vec<PartDefect>,
    /// The number of documents in parts of the message, if it is one.
    pub n_parts: usize,
    /// The number of signatures (DKIM, ARC) over content that was changed.
    pub n_broken_seals: usize,
    /// The number of byte counts that were updated.
    pub n_derived: usize,
    /// The number of conditions on what is loaded (`integrity`, `crossorigin`) that were changed.
    pub n_conditions: usize,
    /// The number of policies in which hashes of texts of the document were changed.
    pub n_renewed_policies: usize,
    /// The URLs of edited files of which the document has a digest that was wrong before.
    pub wrong_digests: Vec<String>,
    /// The values that are not valid bases, and their offsets.
    pub bad_bases: Vec<(BadBase, usize)>,
    /// The offset of the first reference that browsers resolve against the base of its document,
    /// and that has another target by XML Base, against an `xml:base`; `None` if there is no such
    /// reference.
    pub ignored_xml_base: Option<usize>,
    /// The number of references that were made absolute because the tree has no file for them.
    pub n_missing: usize,
    /// The number of references to URLs that the tree has under another scheme or host, written as
    /// references to that file.
    pub n_twins: usize,
    /// The number of references to files, in a tree for a disk, that no browser loads from there:
    /// modules, masks, subtitles, and what SVG and filters use.
    pub n_not_from_disk: usize,
    /// The URLs outside of the tree that it loads, if the run lists them; a number of them at most.
    pub outside_loads: BTreeSet<String>,
    /// True if resources that it fetches are now at another origin, and it contains a Content
    /// Security Policy, which may not allow that.
    pub may_break_policy: bool,
    /// True if a style or script in it was edited.
    pub edits_hashed_texts: bool,
    /// True if a style or script in it was edited, and it contains a Content Security Policy with
    /// hashes, one of which may be that of the old text.
    pub may_break_hashes: bool,
    /// The references that could not be handled, if the run lists them.
    pub incidents: Vec<Incident>,
    /// All references in source order, if the run lists them.
    pub references: Vec<ListedReference>,
    /// All documents in it, itself first, if the run lists references.
    pub documents: Vec<ListedDocument>,
    /// The number of references that are not listed, because the list would take too much memory.
    pub n_unlisted: usize,
}

/// The notes of a walk on a unit, in addition to its references.
pub(crate) enum Note {
    /// A document was skipped.
    Skipped(Skipped),
    /// A part of a message is read, but must not be edited.
    Sealed(Skipped),
    /// A message has a defect.
    Fault(PartDefect),
    /// An HTML document is read by this engine.
    ReadBy(ReadBy),
    /// The `<base href>` at this offset is not a valid base.
    BadBase(BadBase, usize),
    /// The reference at this offset has another target by XML Base than in browsers.
    IgnoredXmlBase(usize),
}

impl Report {
    /// Records that no reference was handled: the walk stopped early.
    pub(crate) fn forget_references(&mut self) {
        self.counts = Counts::default();
        (self.n_conditions, self.n_renewed_policies) = (0, 0);
        self.references.clear();
        self.n_unlisted = 0;
    }

    /// Returns the number of conditions that were changed, of those that are counted together.
    pub(crate) fn n_changed_conditions(&mut self, slot: SlotId) -> &mut usize {
        if slot.is_policy() { &mut self.n_renewed_policies } else { &mut self.n_conditions }
    }

    /// Records that the output is not used, because verification failed.
    pub(crate) fn reject(&mut self) {
        self.counts.change_all(Outcome::Rewritten, Outcome::Unverified);
        (self.n_conditions, self.n_renewed_policies) = (0, 0);
        (self.may_break_hashes, self.edits_hashed_texts) = (false, false);
        let is_rewritten = |listed: &&mut ListedReference| listed.outcome == Outcome::Rewritten;
        for listed in self.references.iter_mut().filter(is_rewritten) {
            listed.outcome = Outcome::Unverified;
            listed.new_text = None;
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        match note {
            Note::Skipped(skipped) | Note::Sealed(skipped) => self.skipped.push(skipped),
            Note::Fault(fault) => self.faults.push(fault),
            Note::ReadBy(engine) => self.engines.count(engine),
            Note::BadBase(reason, at) => self.bad_bases.push((reason, at)),
            Note::IgnoredXmlBase(at) => {
                self.ignored_xml_base.get_or_insert(at);
            }
        }
    }
}
