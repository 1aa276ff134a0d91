//! Commands that only read, and print what they find in each file.

use std::io;

use super::{FileError, NOT_READ, guarded, outside};
use crate::events::detail::{DocumentPlace, ReferenceDetail};
use crate::events::{self, Event, Events, Severity, Status};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::parallel;
use crate::os::spool::Spool;
use crate::plan::exit::Error;
use crate::tree::input::Item;
use crate::tree::input::{self, Input};
use crate::tree::units::Units;
use crate::tree::{Counter, ProgressStep, Tree};
use crate::urls::hints::{HintSource, Tally};

/// The result for one file.
#[derive(Default)]
pub(super) struct FileListing {
    pub(super) output: Spool,
    pub(super) messages: Vec<String>,
    pub(super) is_failed: bool,
    /// True if the file is a document; set by [`run`].
    pub(super) is_document: bool,
    /// The source of its URL, if that is a hint; set by [`run`].
    pub(super) hint: Option<HintSource>,
    /// Number of references or documents without a target or base.
    pub(super) n_unresolved: usize,
    /// The references of the document, if they are sent as events.
    pub(super) references: Option<(DocumentPlace, Vec<ReferenceDetail>)>,
    /// Length of the document, in bytes; set by [`run`].
    pub(super) n_bytes: u64,
    /// What the file adds to the progress of the run; set by [`run`].
    pub(super) step: ProgressStep,
}

/// The sums of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListSummary {
    /// Documents read.
    pub n_documents: usize,
    /// Files and documents that failed.
    pub n_failed: usize,
    /// References or documents without a target or base.
    pub n_unresolved: usize,
    /// Files in unsupported formats.
    pub n_unsupported: usize,
    /// Hints at what was not read, or leads nowhere.
    pub n_unseen: usize,
}

impl ListSummary {
    /// Returns the exit status for these sums: with `is_strict`, a reference without a target, a
    /// document without a base, a file in an unsupported format and a hint count.
    pub fn status(&self, is_strict: bool) -> Status {
        match () {
            () if self.n_failed > 0 => Status::Failed,
            () if is_strict && self.n_unresolved + self.n_unsupported + self.n_unseen > 0 => {
                Status::Found
            }
            () => Status::Done,
        }
    }
}

/// Lists what `file` finds in each file of a tree, in path order.
///
/// # Errors
///
/// [`Error`] if it cannot begin, or if standard output fails.
pub(super) fn run(
    tree: &Tree,
    events: &mut dyn Events,
    file: impl Fn(&Entry, &Input) -> Result<FileListing, FileError> + Sync,
) -> Result<ListSummary, Error> {
    let pool = parallel::pool(tree.jobs)?;
    let entries = walk::entries(&tree.roots).filter(|entry| {
        entry.as_ref().map_or(true, |entry| {
            matches!(entry.kind, EntryKind::File | EntryKind::Stdin)
                || (entry.kind == EntryKind::Special && entry.is_single)
        })
    });
    let units = Units::new(tree, entries).with_records(true);
    let work = |item: Item| {
        let step = ProgressStep::new(&item);
        let outside = outside(tree, &item, NOT_READ);
        let list = || {
            let (entry, input) = input::read_document(tree, item)?;
            let (is_document, n_bytes, hint) = match &input {
                Input::Document(document) => (
                    document.is_counted(),
                    document.bytes.len() as u64,
                    document.hint().map(|hint| hint.source),
                ),
                _ => (false, 0, None),
            };
            Ok(FileListing { is_document, n_bytes, hint, ..file(&entry, &input)? })
        };
        let mut listed = guarded(&step.path, list).unwrap_or_else(failed);
        listed.messages.extend(outside);
        FileListing { step, ..listed }
    };
    let mut summary = ListSummary::default();
    let mut hints = Tally::default();
    let mut counter = Counter::default();
    parallel::for_each(&pool, units, Item::weight, work, |listed| {
        let severity = if listed.is_failed { Severity::Error } else { Severity::Warning };
        listed.messages.iter().for_each(|message| events.message(severity, message));
        hints.add(listed.hint);
        summary.n_documents += usize::from(listed.is_document);
        summary.n_failed += usize::from(listed.is_failed);
        summary.n_unresolved += listed.n_unresolved;
        if let Some((place, references)) = &listed.references {
            let mut references = references.iter();
            references.try_for_each(|it| events.event(Event::Reference(place, it)))?;
        }
        listed.output.print(&mut events::OutputWriter(events))?;
        counter.add(&listed.step, listed.is_document.then_some(listed.n_bytes), events);
        io::Result::Ok(())
    })?;
    summary.n_unsupported = tree.not_read.n_unsupported();
    events.event(Event::OutputEnd)?;
    hints.words().iter().for_each(|words| events.report(words));
    tree.not_read.note_on_ignored().iter().for_each(|note| events.note(note));
    if summary.n_failed == 0 {
        let patterns = tree.globs.words().filter(|_| summary.n_documents == 0);
        let mut hints = tree.not_read.hints(patterns.as_deref(), false);
        hints.extend(tree.leftovers.hint());
        hints.iter().for_each(|hint| events.hint(hint));
        summary.n_unseen = hints.len();
    }
    Ok(summary)
}

fn failed(error: FileError) -> FileListing {
    FileListing { messages: vec![error.to_string()], is_failed: true, ..FileListing::default() }
}
