//! The details of a document as the records and the report of a run have them. The thread that
//! converts the document makes them, so that the one that takes all results only copies.

use std::borrow::Cow;

use basectx::BaseSource;
use rewrite::Outcome;
use serde::Serialize;

use crate::events::detail::{
    BaseDetail, DocumentPlace, Finding, OfDocument, ReferenceDetail, SkippedDetail,
};
use crate::events::keys::{Keyed, Lines};
use crate::os::messages::{self, Digits};

/// What is made of details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prepares {
    /// The records of `--format json`.
    pub(crate) records: bool,
    /// The rows of `--report`.
    pub(crate) rows: bool,
}

/// The details of one document.
pub(crate) struct DocumentDetails {
    pub(crate) place: DocumentPlace,
    pub(crate) references: Vec<ReferenceDetail>,
    pub(crate) bases: Vec<BaseDetail>,
    pub(crate) skipped: Vec<SkippedDetail>,
}

/// What was made of the details of one document.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) place: DocumentPlace,
    /// The lines of JSON of its records.
    pub(crate) records: Vec<u8>,
    pub(crate) rows: Option<DocumentRows>,
}

impl Prepared {
    pub(crate) fn new(details: DocumentDetails, prepares: Prepares) -> Self {
        let records = if prepares.records { records(&details) } else { Vec::new() };
        let rows = prepares.rows.then(|| DocumentRows::new(&details));
        Prepared { place: details.place, records, rows }
    }
}

/// The record of a detail.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum DetailRecord<'r> {
    Base(OfDocument<'r, BaseDetail>),
    Reference(Keyed<'r>),
    Skipped(OfDocument<'r, SkippedDetail>),
    Problem(Keyed<'r>),
}

/// Returns the records of a document that was converted.
fn records(details: &DocumentDetails) -> Vec<u8> {
    let DocumentDetails { place, references, bases, skipped } = details;
    let mut records = Vec::new();
    // Writing to memory does not fail.
    let add = |records: &mut Vec<u8>, record: &_| drop(messages::write_json(records, record));
    for detail in bases {
        add(&mut records, &DetailRecord::Base(OfDocument { place, detail }));
    }
    if !references.is_empty() {
        let lines = Lines::of_type("reference", place.clone());
        references.iter().for_each(|reference| lines.append(reference, &mut records));
    }
    for detail in skipped {
        add(&mut records, &DetailRecord::Skipped(OfDocument { place, detail }));
    }
    records
}

/// The details of one document as rows of a report, without the numbers that depend on the
/// documents before it.
#[derive(Debug, Default)]
pub(crate) struct DocumentRows {
    /// What its references have in common, without doubles, in the order of the references.
    pub(crate) kinds: Vec<RowKind>,
    references: Vec<ReferenceRow>,
    /// The texts of `references`, one after the other.
    texts: Vec<u8>,
    /// Objects of JSON.
    pub(crate) bases: Vec<Vec<u8>>,
    /// Objects of JSON.
    pub(crate) skipped: Vec<Vec<u8>>,
}

/// What references have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowKind {
    pub(crate) outcome: Outcome,
    pub(crate) source: BaseSource,
    /// The name of the problem, which has no outcome and no source.
    pub(crate) problem: Option<&'static str>,
    pub(crate) slot: Cow<'static, str>,
}

#[derive(Debug)]
struct ReferenceRow {
    /// Its number in `kinds`.
    kind: usize,
    /// The end of its line and column in the texts.
    place_end: usize,
    end: usize,
}

impl DocumentRows {
    fn new(details: &DocumentDetails) -> Self {
        let mut rows = DocumentRows::of_references(&details.references);
        rows.bases.extend(details.bases.iter().map(json));
        rows.skipped.extend(details.skipped.iter().map(json));
        rows
    }

    /// Returns the rows of these references.
    pub(crate) fn of_references(references: &[ReferenceDetail]) -> Self {
        let mut rows = DocumentRows::default();
        rows.references.reserve(references.len());
        references.iter().for_each(|reference| rows.add(reference));
        rows
    }

    fn add(&mut self, reference: &ReferenceDetail) {
        let ReferenceDetail { line, column, text, target, .. } = reference;
        let (new_text, reason, file) = match &reference.finding {
            Finding::Converted { new_text, reason, .. } => {
                (new_text.as_deref(), reason.as_deref().map(Cow::Borrowed), None)
            }
            Finding::Problem { problem, file } => {
                let file = file.as_ref().map(|(_, path)| &**path);
                (None, Some(Cow::Owned(problem.to_string())), file)
            }
            Finding::Listed { .. } => return,
        };
        let kind = self.kind(reference);
        let mut digits = Digits::default();
        let out = &mut self.texts;
        out.extend_from_slice(digits.write(*line as u64, b","));
        out.extend_from_slice(digits.write(*column as u64, b","));
        let place_end = out.len();
        for text in [Some(&**text), new_text, target.as_deref(), reason.as_deref(), file] {
            match text {
                Some(text) => {
                    out.push(b',');
                    messages::append_json_text(out, text);
                }
                None => out.extend_from_slice(b",null"),
            }
        }
        self.references.push(ReferenceRow { kind, place_end, end: self.texts.len() });
    }

    /// Returns the number of the kind of a reference, which may be a new one.
    fn kind(&mut self, reference: &ReferenceDetail) -> usize {
        let (outcome, source, problem) = match &reference.finding {
            Finding::Converted { outcome, .. } => (*outcome, reference.base_source, None),
            Finding::Problem { problem, .. } => {
                (Outcome::Broken, BaseSource::None, Some(problem.kind().name))
            }
            Finding::Listed { .. } => (Outcome::Kept, BaseSource::None, None),
        };
        let is_same = |kind: &RowKind| {
            (kind.outcome, kind.source, kind.problem) == (outcome, source, problem)
                && kind.slot == reference.slot
        };
        self.kinds.iter().position(is_same).unwrap_or_else(|| {
            self.kinds.push(RowKind { outcome, source, problem, slot: reference.slot.clone() });
            self.kinds.len() - 1
        })
    }

    /// Returns its references: the number of the kind, the line and the column with a comma after
    /// each, and the texts with a comma before each.
    pub(crate) fn references(&self) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
        let starts = [0].into_iter().chain(self.references.iter().map(|row| row.end));
        self.references.iter().zip(starts).map(|(row, start)| {
            (row.kind, &self.texts[start..row.place_end], &self.texts[row.place_end..row.end])
        })
    }
}

/// Returns a value as JSON, without a line end.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    drop(messages::append_json(&mut json, value));
    json
}
