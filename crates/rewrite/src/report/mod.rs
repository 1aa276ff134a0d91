//! What became of the references and documents of a unit.

pub(crate) mod skip;

use std::collections::BTreeMap;
use std::fmt;

use basectx::BadBase;

use self::skip::{Declined, SkipReason};
use crate::options::limits::Limit;

/// Which engine read a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadBy {
    /// The fast one.
    Fast,
    /// The reference engine, because the fast one declined.
    Reference(Declined),
    /// The reference engine, because it was asked for.
    Requested,
}

/// What became of one reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was rewritten.
    Rewritten,
    /// It had the wanted style already.
    Kept,
    /// It names a place in its own document, whatever the base.
    Local,
    /// It names its own document, and the base is the document's URL.
    SameDocument,
    /// It is an identity and not a link.
    Identifier,
    /// It is filled in when the document is served.
    Template,
    /// It names a class.
    Class,
    /// It names a file, and is no URL.
    File,
    /// It can only be a path, and stays one.
    PathOnly,
    /// It stays relative to the `codebase` beside it.
    OnCodebase,
    /// It leads out of the tree, and is absolute.
    Outside,
    /// It leads to a file that the tree should hold, and does not.
    Broken,
    /// The run was told to leave its slot.
    Filtered,
    /// It is relative, and no base is known.
    NoBase,
    /// It cannot be resolved against its base.
    Unresolvable,
    /// The bytes around it cannot hold what it would have to be.
    Unwritable,
    /// It was to be rewritten, but the proof of its file failed.
    Unverified,
    /// It stands in what must not change, such as a signed part.
    Sealed,
    /// It names another part of its message as that names itself.
    Part,
    /// Its document has no URL that it could be relative to.
    Nowhere,
    /// It can be read in two ways.
    Ambiguous,
    /// It leads to a file that was saved with its document, beside it.
    SavedResources,
    /// An entity is part of it, which is not expanded.
    Entity,
}

impl Outcome {
    /// All outcomes, in the order of reports.
    pub const ALL: [Outcome; 23] = [
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
        Outcome::Entity,
    ];

    /// Words for the summary.
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Rewritten => "rewritten",
            Outcome::Kept => "already right",
            Outcome::Local => "local",
            Outcome::SameDocument => "to the document itself",
            Outcome::Identifier => "used as identifiers",
            Outcome::Template => "with template marks",
            Outcome::Class => "naming a class",
            Outcome::File => "naming a file",
            Outcome::PathOnly => "that can only be paths",
            Outcome::OnCodebase => "relative to a codebase",
            Outcome::Outside => "out of the tree",
            Outcome::Broken => "to missing files",
            Outcome::Filtered => "left as asked",
            Outcome::NoBase => "without a base",
            Outcome::Unresolvable => "not resolvable",
            Outcome::Unwritable => "not writable",
            Outcome::Unverified => "in files whose proof failed",
            Outcome::Sealed => "in parts that must not change",
            Outcome::Part => "to other parts by a relative location",
            Outcome::Nowhere => "in parts without a URL",
            Outcome::Ambiguous => "that can be read in two ways",
            Outcome::SavedResources => "to files saved with the page",
            Outcome::Entity => "with an entity that is not expanded",
        }
    }

    /// Words for one reference.
    pub const fn reason(self) -> &'static str {
        match self {
            Outcome::Broken => "no such file",
            Outcome::Entity => "a reference with an entity, which is not expanded",
            _ => self.words(),
        }
    }

    /// Whether the reference should have been handled and was not.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Outcome::Broken
                | Outcome::NoBase
                | Outcome::Unresolvable
                | Outcome::Unwritable
                | Outcome::Unverified
                | Outcome::Entity
        )
    }
}

/// How many references had each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Outcome::ALL.len()]);

impl Counts {
    /// The number of references with this outcome.
    pub fn get(&self, outcome: Outcome) -> usize {
        self.0[outcome as usize]
    }

    /// The number of references.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// The number of references that should have been handled and were not.
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

    /// All references of one outcome turned out differently.
    pub(crate) fn change_all(&mut self, from: Outcome, to: Outcome) {
        self.0[to as usize] += std::mem::take(&mut self.0[from as usize]);
    }

    /// A reference turned out differently.
    pub(crate) fn change(&mut self, from: Outcome, to: Outcome) {
        self.0[from as usize] -= 1;
        self.count(to);
    }
}

/// A reference or a base that could not be handled, for the list that a verbose run prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Offset in the file.
    pub at: usize,
    /// The reference, if it is one.
    pub reference: String,
    /// Why.
    pub reason: String,
}

/// What was left: how much of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipScope {
    /// All of it.
    Unit,
    /// A part of a message.
    Part,
    /// A document that stands inside another, which was done.
    Embedded,
}

/// A document that was left as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Why.
    pub reason: SkipReason,
    /// Its offset in the unit.
    pub at: usize,
    /// How much it is.
    pub extent: SkipScope,
    /// The part of the message that it is, or stands in.
    pub part: Option<String>,
}

impl Skipped {
    /// Returns true if it is a header field, and not a document.
    pub fn is_field(&self) -> bool {
        matches!(self.reason, SkipReason::Limit(met) if met.limit == Limit::FieldSize)
    }
}

/// Something that is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDefect {
    /// Its offset in the unit.
    pub at: usize,
    /// The part or heading.
    pub part: String,
    /// What is wrong.
    pub reason: String,
}

/// Which engines read the HTML documents, embedded ones included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engines {
    /// Documents that the fast engine read.
    pub n_fast: usize,
    /// Documents that the reference engine was asked to read.
    pub n_requested: usize,
    /// Documents that the fast engine declined, by reason; the reference engine read them.
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

/// What became of a unit.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Its references.
    pub counts: Counts,
    /// What read it.
    pub engines: Engines,
    /// Documents in it that were left.
    pub skipped: Vec<Skipped>,
    /// What is wrong with the message that it is.
    pub faults: Vec<PartDefect>,
    /// Documents in parts of the message that it is.
    pub n_parts: usize,
    /// Signatures (DKIM, ARC) over what was changed.
    pub n_broken_seals: usize,
    /// Numbers and checksums that were made right for what was changed.
    pub n_derived: usize,
    /// Bases that give none, and where.
    pub bad_bases: Vec<(BadBase, usize)>,
    /// The offset of the first reference that browsers resolve against the base of its document,
    /// and XML Base against an `xml:base` that leads it elsewhere; none if there is no such
    /// reference.
    pub ignored_xml_base: Option<usize>,
    /// References that were made absolute because the tree has no file for them.
    pub n_missing: usize,
    /// Whether what it fetches is at another origin now, and it holds a Content Security Policy, which may not allow that.
    pub may_break_policy: bool,
    /// References that could not be handled, if the run lists them.
    pub incidents: Vec<Incident>,
}

/// What the walk tells of a unit beside its references.
pub(crate) enum Note {
    /// A document was left.
    Skipped(Skipped),
    /// A part of a message is read, but must not be edited.
    Sealed(Skipped),
    /// Something is wrong with a message.
    Fault(PartDefect),
    /// An HTML document is read by this engine.
    ReadBy(ReadBy),
    /// A `<base href>` at this offset gives no base.
    BadBase(BadBase, usize),
    /// The reference at this offset leads elsewhere by XML Base than in browsers.
    IgnoredXmlBase(usize),
}

impl Report {
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

/// Why an output was thrown away: what the proof found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// A byte outside the edits differs.
    Locality,
    /// The output has other references than the input.
    Sequence {
        /// Offset in the output of the first that differs.
        at: usize,
        /// What stands there.
        found: String,
    },
    /// A document that was read in the input is not read in the output, or not by the engine that proves.
    Unread(SkipReason),
    /// A reference that is not to be edited depends on a base that was to be emptied.
    Base,
    /// A reference points elsewhere.
    Target {
        /// Offset of the reference in the output.
        at: usize,
        /// The reference as written.
        reference: String,
        /// Where it should point.
        expected: String,
        /// Where it points, if anywhere.
        found: Option<String>,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Locality => f.write_str("bytes outside the references would have changed"),
            VerifyError::Sequence { at, found } => {
                write!(f, "the output would hold other references: '{found}' at byte {at}")
            }
            VerifyError::Base => f.write_str("a reference that is left depends on the base"),
            VerifyError::Unread(reason) => write!(f, "the output is not read: {reason}"),
            VerifyError::Target { at, reference, expected, found } => {
                write!(
                    f,
                    "'{reference}' at byte {at} of the output should point to {expected}, but "
                )?;
                match found {
                    Some(found) => write!(f, "points to {found}"),
                    None => f.write_str("points nowhere"),
                }
            }
        }
    }
}

impl std::error::Error for VerifyError {}
