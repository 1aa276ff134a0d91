//! The data of a report: the events of a run as rows, in temporary files until it ends.

use std::io::{self, Write};

use rewrite::Outcome;
use serde::Serialize;

use crate::cli::records::{Run, Sums, name_of};
use crate::events::detail::DocumentPlace;
use crate::events::prepared::{self, DocumentRows, RowFinding, json};
use crate::events::{Event, FinishedDocument, problem_kinds};
use crate::os::messages::{self, Digits};
use crate::os::spool::Spool;

/// The names of the columns of a reference.
const COLUMNS: [&str; 11] = [
    "document",
    "line",
    "column",
    "slot",
    "outcome",
    "base_source",
    "text",
    "new_text",
    "target",
    "reason",
    "file",
];

/// An array of JSON that is written element by element.
#[derive(Default)]
struct Array {
    spool: Spool,
    n: usize,
}

impl Array {
    fn add(&mut self, value: &impl Serialize) {
        // Writing to memory does not fail.
        self.append(|out| drop(messages::append_json(out, value)));
    }

    /// Adds an object of JSON, with the number of its document.
    fn add_to_document(&mut self, document: usize, json: &[u8]) {
        self.append(|out| {
            out.extend_from_slice(b"{\"document\":");
            out.extend_from_slice(Digits::default().write(document as u64, b","));
            out.extend_from_slice(json.get(1..).unwrap_or_default());
        });
    }

    /// Adds the element that `write` appends. The spool remembers an error.
    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let is_first = self.n == 0;
        self.n += 1;
        self.spool.append(|out| {
            if !is_first {
                out.push(b',');
            }
            write(out);
            out.push(b'\n');
        });
    }

    /// Writes the array as the value of a key.
    fn write(self, key: &str, out: &mut impl Write) -> io::Result<()> {
        write!(out, ",\n\"{key}\":[\n")?;
        self.spool.print(out)?;
        out.write_all(b"]")
    }
}

/// Texts by their numbers, in the order in which they were first seen. They are few, and the most
/// frequent ones are seen early.
#[derive(Default)]
struct Table(Vec<String>);

impl Table {
    fn number(&mut self, text: &str) -> usize {
        self.0.iter().position(|known| known == text).unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        })
    }
}

/// An outcome, or a problem.
#[derive(Serialize)]
struct RowKind {
    name: &'static str,
    words: &'static str,
    class: &'static str,
}

/// A document, and what a conversion says of it.
#[derive(Serialize)]
struct DocumentRow<'d> {
    #[serde(flatten)]
    place: &'d DocumentPlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// A message.
#[derive(Serialize)]
struct MessageRow<'m> {
    severity: &'static str,
    text: &'m str,
}

/// The document that rows are about.
struct Current {
    place: DocumentPlace,
    number: usize,
    /// True if its row is written.
    is_written: bool,
}

/// The rows of a run.
pub(super) struct Rows {
    run: Run,
    documents: Array,
    bases: Array,
    references: Array,
    skipped: Array,
    messages: Array,
    slots: Table,
    kinds: Vec<RowKind>,
    sources: Table,
    current: Option<Current>,
    n_documents: usize,
}

impl Rows {
    pub(super) fn new(run: Run) -> Self {
        let array = Array::default;
        Rows {
            run,
            documents: array(),
            bases: array(),
            references: array(),
            skipped: array(),
            messages: array(),
            slots: Table::default(),
            kinds: Vec::new(),
            sources: Table::default(),
            current: None,
            n_documents: 0,
        }
    }

    /// Adds what an event says.
    pub(super) fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Reference(place, detail) => {
                self.add(place, &DocumentRows::of_reference(detail));
            }
            Event::Base(place, detail) => {
                let document = self.document(place);
                self.bases.add_to_document(document, &json(*detail));
            }
            Event::Skipped(place, detail) => {
                let document = self.document(place);
                self.skipped.add_to_document(document, &json(*detail));
            }
            Event::Prepared(prepared) => {
                prepared.rows.iter().for_each(|rows| self.add(&prepared.place, rows));
            }
            Event::Document(document) => self.finished(document),
            Event::Message(message) => {
                let (severity, text) = (name_of(message.severity), message.text);
                self.messages.add(&MessageRow { severity, text });
            }
            _ => {}
        }
    }

    /// Adds the details of a document.
    fn add(&mut self, place: &DocumentPlace, rows: &DocumentRows) {
        if rows.bases.is_empty() && rows.skipped.is_empty() && rows.kinds.is_empty() {
            return;
        }
        let document = self.document(place);
        rows.bases.iter().for_each(|base| self.bases.add_to_document(document, base));
        let kinds: Vec<Vec<u8>> = rows.kinds.iter().map(|kind| self.numbers(kind)).collect();
        let mut start = vec![b'['];
        start.extend_from_slice(Digits::default().write(document as u64, b","));
        for (kind, position, texts) in rows.references() {
            self.references.append(|out| {
                let kind = &kinds[kind];
                out.reserve(start.len() + position.len() + kind.len() + texts.len() + 2);
                out.extend_from_slice(&start);
                out.extend_from_slice(position);
                out.extend_from_slice(kind);
                out.extend_from_slice(texts);
                out.push(b']');
            });
        }
        rows.skipped.iter().for_each(|left| self.skipped.add_to_document(document, left));
    }

    /// Returns the numbers of what references have in common: of the slot, of the outcome, and of
    /// the source of the base.
    fn numbers(&mut self, kind: &prepared::RowKind) -> Vec<u8> {
        let slot = self.slots.number(&kind.slot);
        let (found, source) = match kind.finding {
            RowFinding::Problem(problem) => (of_problem(problem), "null".to_owned()),
            RowFinding::Converted(outcome, source) => {
                let source = self.sources.number(source.name());
                (of_outcome(outcome), source.to_string())
            }
        };
        format!("{slot},{},{source}", self.kind(found)).into_bytes()
    }

    /// Returns the number of an outcome or problem, which may be a new one.
    fn kind(&mut self, found: RowKind) -> usize {
        if let Some(number) = self.kinds.iter().position(|kind| kind.name == found.name) {
            return number;
        }
        self.kinds.push(found);
        self.kinds.len() - 1
    }

    /// Returns the number of a document, which may be a new one.
    fn document(&mut self, place: &DocumentPlace) -> usize {
        if let Some(current) = &self.current
            && current.place == *place
            && !current.is_written
        {
            return current.number;
        }
        self.end_document();
        let number = self.n_documents;
        self.n_documents += 1;
        self.current = Some(Current { place: place.clone(), number, is_written: false });
        number
    }

    fn finished(&mut self, document: &FinishedDocument<'_>) {
        let Some(place) = document.place else { return };
        self.document(place);
        self.documents.add(&DocumentRow {
            place,
            changed: Some(document.is_changed),
            failed: Some(document.is_failed),
            bytes: Some(document.n_bytes),
        });
        self.current.iter_mut().for_each(|current| current.is_written = true);
    }

    /// Writes the row of the current document, if nothing more is said of it.
    fn end_document(&mut self) {
        let Some(current) = self.current.take().filter(|current| !current.is_written) else {
            return;
        };
        let (changed, failed, bytes) = (None, None, None);
        self.documents.add(&DocumentRow { place: &current.place, changed, failed, bytes });
    }

    /// Writes all of it as JSON.
    pub(super) fn write(mut self, sums: &Sums, out: &mut impl Write) -> io::Result<()> {
        self.end_document();
        // The type is first: by it the file is recognized.
        out.write_all(b"{\"type\":\"report\",")?;
        let run = json(&self.run);
        out.write_all(run.get(1..run.len() - 1).unwrap_or_default())?;
        write_key("columns", &COLUMNS, out)?;
        write_key("slots", &self.slots.0, out)?;
        write_key("outcomes", &self.kinds, out)?;
        write_key("base_sources", &self.sources.0, out)?;
        write_key("summary", sums, out)?;
        self.documents.write("documents", out)?;
        self.bases.write("bases", out)?;
        self.references.write("references", out)?;
        self.skipped.write("skipped", out)?;
        self.messages.write("messages", out)?;
        out.write_all(b"}\n")
    }
}

/// Writes a key of the data and its value.
fn write_key(key: &str, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write!(out, ",\n\"{key}\":")?;
    out.write_all(&json(value))
}

/// Returns an outcome as the report shows it.
fn of_outcome(outcome: Outcome) -> RowKind {
    let class = match outcome {
        _ if outcome.is_failure() => "failed",
        Outcome::Rewritten => "changed",
        _ => "kept",
    };
    let words = match outcome {
        Outcome::Kept => "already correct",
        Outcome::Local => "local fragment",
        Outcome::SameDocument => "own document",
        Outcome::Class => "class name",
        Outcome::File => "file name",
        Outcome::PathOnly => "path only",
        Outcome::OnCodebase => "on a codebase",
        Outcome::Outside => "out of the tree",
        Outcome::Broken => "no such file",
        Outcome::Filtered => "excluded",
        Outcome::NoBase => "no base URL",
        Outcome::Unresolvable => "cannot be resolved",
        Outcome::Unwritable => "cannot be written",
        Outcome::Unverified => "not verified",
        Outcome::Sealed => "in a sealed part",
        Outcome::Part => "other part",
        Outcome::Nowhere => "part without a URL",
        Outcome::SavedResources => "saved resource",
        Outcome::Package => "inside of the package",
        Outcome::TwoBases => "two bases",
        Outcome::ErrorPage => "on an error page",
        Outcome::PathDependent => "depends on the path",
        Outcome::PlaceDependent => "in a custom property",
        Outcome::AboveShare => "above the share",
        Outcome::NumberSign => "# in a path",
        outcome => outcome.name(),
    };
    RowKind { name: outcome.name(), words, class }
}

/// Returns a problem as the report shows it.
fn of_problem(name: &'static str) -> RowKind {
    let words = problem_kinds::named(name).map_or(name, |kind| kind.label);
    RowKind { name, words, class: "failed" }
}

#[cfg(test)]
mod tests {
    use layers::Span;

    use super::*;
    use crate::events::detail::{Finding, ReferenceDetail};
    use crate::events::problem::Problem;

    #[test]
    fn rows_are_of_their_documents() {
        let mut rows = Rows::new(Run::new("check", &["site".into()]));
        let place = |path: &str| DocumentPlace { path: path.to_owned(), ..Default::default() };
        let problem = |problem| ReferenceDetail {
            finding: Finding::Problem { problem, file: Some((0, "x".into())) },
            ..ReferenceDetail::at((1, 2), Span::new(1, 2), "a[href]", "x")
        };
        for (path, found) in
            [("a", Problem::ThisMachine), ("a", Problem::NoScheme), ("b", Problem::ThisMachine)]
        {
            rows.receive(&Event::Reference(&place(path), &problem(found)));
        }
        let mut out = Vec::new();
        let sums = Sums::Check { documents: 2, checked: 9, broken: 3, failed: 0 };
        rows.write(&sums, &mut out).unwrap();
        assert!(crate::files::own_files::is_report(&out));
        let text = String::from_utf8(out).unwrap();
        let row = |document, outcome, reason| {
            format!("[{document},1,2,0,{outcome},null,\"x\",null,null,\"{reason}\",\"x\"]\n")
        };
        let (first, second) = (Problem::ThisMachine, Problem::NoScheme);
        let expected = [row(0, 0, &first), row(0, 1, &second), row(1, 0, &first)].join(",");
        assert!(text.contains(&format!("\"references\":[\n{expected}]")), "{text}");
        assert_eq!(text.matches("{\"root\":0,\"path\":").count(), 2, "{text}");
    }
}
