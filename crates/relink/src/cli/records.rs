//! `--format json` of the commands that convert, explain and revert: the events of a run as JSON
//! Lines. The first record names the format and its version, the last one has the sums.
//!
//! The records are documented in `docs/json.md`, and their schema is `docs/schema/relink.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rewrite::{Counts, Outcome};
use serde::Serialize;

use crate::commands::check::CheckSummary;
use crate::commands::listing::ListSummary;
use crate::commands::undo::UndoSummary;
use crate::events::detail::{DocumentPlace, Finding, OfDocument, UndoneDetail};
use crate::events::keys::Keyed;
use crate::events::prepared::DetailRecord;
use crate::events::summary::Summary;
use crate::events::{Event, Severity};
use crate::os::messages;

/// The version of the format. Keys are only added to it.
pub const VERSION: u32 = 1;

/// A run, as its first record describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The format: `relink`.
    format: &'static str,
    /// Its version.
    version: u32,
    /// The version of the program.
    program: &'static str,
    /// The name of the command.
    command: &'static str,
    /// The PATHs of the command line.
    paths: Vec<String>,
}

impl Run {
    /// Creates the description of a run over these paths.
    pub fn new(command: &'static str, paths: &[PathBuf]) -> Self {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let (format, program) = ("relink", env!("CARGO_PKG_VERSION"));
        let paths = paths.iter().map(text).collect();
        Run { format, version: VERSION, program, command, paths }
    }
}

/// One record.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum OutputRecord<'r> {
    Run(&'r Run),
    Document(DocumentRecord<'r>),
    Undone { path: &'r str, restored: bool },
    Message { severity: &'static str, text: &'r str },
    Summary(&'r Sums),
}

/// A document that was converted, or would be.
#[derive(Serialize)]
struct DocumentRecord<'r> {
    #[serde(flatten)]
    place: &'r DocumentPlace,
    changed: bool,
    failed: bool,
    bytes: u64,
    references: BTreeMap<&'static str, usize>,
}

/// The sums of a run.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Sums {
    /// Of a conversion.
    Conversion(Box<ConversionSums>),
    /// Of a check.
    Check {
        /// Documents read, without messages.
        documents: usize,
        /// References that were checked.
        checked: usize,
        /// Broken references.
        broken: usize,
        /// Files and documents that failed.
        failed: usize,
    },
    /// Of a list.
    List {
        /// Documents read.
        documents: usize,
        /// Files and documents that failed.
        failed: usize,
        /// References or documents without a target or base.
        unresolved: usize,
        /// Files in unsupported formats.
        unsupported: usize,
    },
    /// Of a run that was reverted.
    Undo {
        /// Documents whose old content was restored.
        restored: usize,
        /// Documents that the run had not changed.
        unchanged: usize,
        /// Documents that could not be restored.
        failed: usize,
    },
}

/// The sums of a conversion.
#[derive(Serialize)]
pub struct ConversionSums {
    documents: usize,
    changed: usize,
    skipped: usize,
    skipped_parts: usize,
    skipped_embedded: usize,
    without_url: usize,
    failed: usize,
    unsupported: usize,
    other_files: usize,
    current: usize,
    removed: usize,
    /// Files that got another name.
    renamed: usize,
    /// References to missing files that were made absolute.
    made_absolute: usize,
    /// References to URLs that were found under another scheme or host.
    twins: usize,
    bytes: u64,
    seconds: f64,
    /// The number of the signal that ended the run early.
    interrupted: Option<u8>,
    references: BTreeMap<&'static str, usize>,
}

impl From<&Summary> for Sums {
    fn from(summary: &Summary) -> Self {
        Sums::Conversion(Box::new(ConversionSums {
            documents: summary.n_documents,
            changed: summary.n_changed,
            skipped: summary.n_skipped,
            skipped_parts: summary.n_left_parts,
            skipped_embedded: summary.n_left_embedded,
            without_url: summary.n_without_url,
            failed: summary.n_failed,
            unsupported: summary.n_unsupported,
            other_files: summary.n_others,
            current: summary.n_current,
            removed: summary.n_removed,
            renamed: summary.n_renamed,
            made_absolute: summary.n_missing,
            twins: summary.n_twins,
            bytes: summary.n_bytes,
            seconds: summary.elapsed.as_secs_f64(),
            interrupted: summary.interrupted,
            references: by_outcome(&summary.counts),
        }))
    }
}

impl From<&CheckSummary> for Sums {
    fn from(summary: &CheckSummary) -> Self {
        let CheckSummary { n_documents, n_references, n_broken, n_failed, .. } = *summary;
        let (documents, checked, broken, failed) = (n_documents, n_references, n_broken, n_failed);
        Sums::Check { documents, checked, broken, failed }
    }
}

impl From<&ListSummary> for Sums {
    fn from(summary: &ListSummary) -> Self {
        let ListSummary { n_documents, n_failed, n_unresolved, n_unsupported, .. } = *summary;
        let (failed, unresolved, unsupported) = (n_failed, n_unresolved, n_unsupported);
        Sums::List { documents: n_documents, failed, unresolved, unsupported }
    }
}

impl From<&UndoSummary> for Sums {
    fn from(summary: &UndoSummary) -> Self {
        let UndoSummary { n_restored, n_unchanged, n_failed } = *summary;
        Sums::Undo { restored: n_restored, unchanged: n_unchanged, failed: n_failed }
    }
}

/// Returns the number of references of each outcome that occurs, and of all.
pub fn by_outcome(counts: &Counts) -> BTreeMap<&'static str, usize> {
    let outcomes = Outcome::ALL.into_iter().map(|outcome| (outcome.name(), counts.get(outcome)));
    let occurring = outcomes.filter(|(_, n)| *n > 0);
    occurring.chain([("total", counts.total())]).collect()
}

/// Returns the name of a severity.
pub fn name_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
        Severity::Hint => "hint",
        Severity::Report => "report",
    }
}

/// The writer of the records of a run.
pub struct RecordWriter {
    run: Run,
    is_begun: bool,
}

impl RecordWriter {
    /// Creates the writer.
    pub fn new(run: Run) -> Self {
        RecordWriter { run, is_begun: false }
    }

    /// Returns the lines for an event; none for one that has no record.
    pub fn lines(&mut self, event: &Event<'_>) -> Vec<u8> {
        let record = match event {
            Event::Base(place, detail) => {
                return self.line(&DetailRecord::Base(OfDocument { place, detail: *detail }));
            }
            Event::Reference(place, detail) => {
                let keyed = Keyed::whole(place, detail);
                return self.line(&match detail.finding {
                    Finding::Problem { .. } => DetailRecord::Problem(keyed),
                    _ => DetailRecord::Reference(keyed),
                });
            }
            Event::Skipped(place, detail) => {
                return self.line(&DetailRecord::Skipped(OfDocument { place, detail: *detail }));
            }
            Event::Undone(UndoneDetail { path, is_restored }) => {
                OutputRecord::Undone { path, restored: *is_restored }
            }
            Event::Document(document) => {
                let Some(place) = document.place else { return Vec::new() };
                OutputRecord::Document(DocumentRecord {
                    place,
                    changed: document.is_changed,
                    failed: document.is_failed,
                    bytes: document.n_bytes,
                    references: by_outcome(document.counts),
                })
            }
            Event::Message(message) => {
                OutputRecord::Message { severity: name_of(message.severity), text: message.text }
            }
            // The records of `explain`, and those that the workers made.
            Event::Output(_) | Event::Prepared(_) => return self.begin(),
            Event::Progress(_) | Event::OutputEnd | Event::Summary(_) => return Vec::new(),
        };
        self.line(&record)
    }

    /// Returns the last lines of a run that came to its end.
    pub fn end(&mut self, sums: &Sums) -> Vec<u8> {
        self.line(&OutputRecord::Summary(sums))
    }

    /// Returns the last lines of a run that an error has ended.
    pub fn failed(&mut self, text: &str) -> Vec<u8> {
        self.line(&OutputRecord::Message { severity: name_of(Severity::Error), text })
    }

    fn line(&mut self, record: &impl Serialize) -> Vec<u8> {
        let mut lines = self.begin();
        // Writing to memory does not fail.
        drop(messages::write_json(&mut lines, record));
        lines
    }

    /// Returns the first record, once.
    fn begin(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        if !std::mem::replace(&mut self.is_begun, true) {
            drop(messages::write_json(&mut lines, &OutputRecord::Run(&self.run)));
        }
        lines
    }
}
