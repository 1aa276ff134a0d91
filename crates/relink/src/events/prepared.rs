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
use crate::os::spool::Spool;

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
    pub(crate) records: Spool,
    pub(crate) rows: Option<DocumentRows>,
}

impl Prepared {
    pub(crate) fn new(details: DocumentDetails, prepares: Prepares) -> Self {
        let DocumentDetails { place, references, bases, skipped } = details;
        let mut rows = prepares.rows.then(DocumentRows::default);
        let mut records = Spool::default();
        for base in &bases {
            let record = DetailRecord::Base(OfDocument { place: &place, detail: base });
            prepares.append_record(&record, &mut records);
            rows.iter_mut().for_each(|rows| rows.bases.push(json(base)));
        }
        let mut lines = prepares.records.then(|| Lines::of_type("reference", place.clone()));
        // Each detail is freed after its lines.
        for reference in references {
            if let Some(lines) = &mut lines {
                records.append(|out| lines.append(&reference, out));
            }
            rows.iter_mut().for_each(|rows| rows.add(&reference));
        }
        for left in &skipped {
            let record = DetailRecord::Skipped(OfDocument { place: &place, detail: left });
            prepares.append_record(&record, &mut records);
            rows.iter_mut().for_each(|rows| rows.skipped.push(json(left)));
        }
        Prepared { place, records, rows }
    }
}

impl Prepares {
    fn append_record(self, record: &DetailRecord<'_>, records: &mut Spool) {
        if self.records {
            // Writing to memory does not fail.
            records.append(|out| drop(messages::write_json(out, record)));
        }
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
    pub(crate) finding: RowFinding,
    pub(crate) slot: Cow<'static, str>,
}

/// What became of references, or what is wrong with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFinding {
    Converted(Outcome, BaseSource),
    /// The name of the problem.
    Problem(&'static str),
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
    /// Returns the row of one reference.
    pub(crate) fn of_reference(reference: &ReferenceDetail) -> Self {
        let mut rows = DocumentRows::default();
        rows.add(reference);
        rows
    }

    fn add(&mut self, reference: &ReferenceDetail) {
        let ReferenceDetail { line, column, text, target, base_source, .. } = reference;
        let (finding, new_text, reason, file) = match &reference.finding {
            Finding::Converted { new_text, outcome, reason } => {
                let finding = RowFinding::Converted(*outcome, *base_source);
                (finding, new_text.as_deref(), reason.as_deref().map(Cow::Borrowed), None)
            }
            Finding::Problem { problem, file } => {
                let file = file.as_ref().map(|(_, path)| &**path);
                let finding = RowFinding::Problem(problem.kind().name);
                (finding, None, Some(Cow::Owned(problem.to_string())), file)
            }
            Finding::Listed { .. } => return,
        };
        let kind = self.kind(finding, reference);
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

    /// Returns the number of a kind, which may be a new one.
    fn kind(&mut self, finding: RowFinding, reference: &ReferenceDetail) -> usize {
        let is_same = |kind: &RowKind| kind.finding == finding && kind.slot == reference.slot;
        self.kinds.iter().position(is_same).unwrap_or_else(|| {
            self.kinds.push(RowKind { finding, slot: reference.slot.clone() });
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
