//! The functions of web archives: records in, batches of Arrow out.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::sync::{Arc, Mutex, TryLockError};

use arrow_array::builder::BooleanBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use relink::{ArchiveDocument, ArchiveDocuments, BadRecord};
use rewrite::{Options, absolutize, references};

use crate::batch::{Documents, reason};
use crate::columns::{self, Cell, Rows, number};
use crate::errors::{Failure, detached};
use crate::source::{self, Source};
use crate::{options, reference};

const REFERENCES: [&str; 7] =
    ["page", "slot", "text", "target", "record_id", "offset", "base_source"];
const PAGES: [&str; 6] = ["page", "record_id", "offset", "media", "charset", "reason"];
const PROBLEMS: [&str; 4] = ["archive", "offset", "record_id", "reason"];
const NUMBERS: &[&str] = &["offset"];

/// The number of bytes of documents from which a batch is full.
const FULL: usize = 64 << 20;

/// The columns of a batch.
type Columns = Vec<(Field, ArrayRef)>;
/// A batch, and the problems that were found with it.
type Pair = (Columns, Columns);

/// An archive that is read, and the rows that were made of it.
struct Archive {
    documents: ArchiveDocuments<BufReader<Source>>,
    options: Options,
    name: String,
    batch_rows: usize,
    table: Table,
    problems: Rows<4>,
    ready: VecDeque<Pair>,
    error: Option<io::Error>,
    is_done: bool,
}

/// The rows that are made of documents.
enum Table {
    References(Rows<7>),
    Pages(Rows<6>, Documents, BooleanBuilder),
}

impl Table {
    /// Returns the columns of the rows, and begins again without rows.
    fn take(&mut self) -> Columns {
        match self {
            Table::References(rows) => rows.take(),
            Table::Pages(rows, bodies, changed) => {
                let mut columns = rows.take();
                let (body, changed) = (bodies.finish(), changed.finish());
                let changed: ArrayRef = Arc::new(changed);
                columns.insert(5, (Field::new("body", body.data_type().clone(), true), body));
                let field = Field::new("changed", changed.data_type().clone(), true);
                columns.insert(6, (field, changed));
                columns
            }
        }
    }

    /// Returns true if the rows are a batch.
    fn is_full(&self, batch_rows: usize) -> bool {
        match self {
            Table::References(rows) => rows.len() >= batch_rows || rows.is_full(),
            Table::Pages(rows, bodies, _) => rows.len() >= batch_rows || bodies.n_bytes() >= FULL,
        }
    }

    fn len(&self) -> usize {
        match self {
            Table::References(rows) => rows.len(),
            Table::Pages(rows, ..) => rows.len(),
        }
    }
}

impl Archive {
    /// Returns the next batch; `None` at the end of the range.
    fn next_batch(&mut self) -> Result<Option<Pair>, Failure> {
        while self.ready.is_empty() && !self.is_done {
            match self.documents.next() {
                Some(Ok(Ok(document))) => {
                    if let Some(defect) = document.defect() {
                        let place = document.place();
                        self.problem(place.offset, place.id.as_deref(), defect);
                    }
                    match self.table {
                        Table::References(_) => self.find(&document),
                        Table::Pages(..) => self.rewrite(&document),
                    }
                }
                Some(Ok(Err(BadRecord { offset, id, reason, .. }))) => {
                    self.problem(offset, id.as_deref(), &reason);
                }
                Some(Err(error)) => (self.error, self.is_done) = (Some(error), true),
                None => self.is_done = true,
            }
            let is_rest = self.is_done && self.table.len() + self.problems.len() > 0;
            if is_rest || self.table.is_full(self.batch_rows) || self.problems.is_full() {
                self.ready.push_back((self.table.take(), self.problems.take()));
            }
        }
        match self.ready.pop_front() {
            Some(pair) => Ok(Some(pair)),
            None => self.error.take().map_or(Ok(None), |error| Err(Failure::Python(error.into()))),
        }
    }

    fn problem(&mut self, offset: u64, id: Option<&str>, reason: &str) {
        let (archive, reason) = (Cell::Text(Some(&*self.name)), Cell::Text(Some(reason)));
        self.problems.push([archive, number(offset), Cell::Text(id), reason]);
    }

    /// Adds a row for each reference of a document.
    fn find(&mut self, document: &ArchiveDocument) {
        let (options, ready) = (&self.options, &mut self.ready);
        let Table::References(rows) = &mut self.table else { return };
        let place = document.place();
        let mut target = String::new();
        let report = document.with_unit(|unit| {
            references(unit, options, |site| {
                let slot = options.extras.name_of(site.slot);
                if !options.filter.allows(slot) {
                    return;
                }
                if rows.is_full() {
                    ready.push_back((rows.take(), Rows::new(PROBLEMS, NUMBERS).take()));
                }
                rows.push([
                    Cell::Text(place.url.as_deref()),
                    Cell::Text(Some(slot)),
                    Cell::Text(Some(site.text)),
                    Cell::Text(site.target_into(&mut target)),
                    Cell::Text(place.id.as_deref()),
                    number(place.offset),
                    Cell::Text(Some(site.context.base_source().name())),
                ]);
            })
        });
        for skipped in reference::skipped(&report) {
            self.problem(place.offset, place.id.as_deref(), &skipped.reason);
        }
    }

    /// Adds a row for a document with its references made absolute.
    fn rewrite(&mut self, document: &ArchiveDocument) {
        let rewritten = document.with_unit(|unit| absolutize(unit, &self.options));
        let reason = reason(&rewritten);
        let Table::Pages(rows, bodies, changed) = &mut self.table else { return };
        let bytes = rewritten.output().unwrap_or(document.bytes());
        let place = document.place();
        let pushed = bodies.push(Some(document.body_of(bytes)));
        let reason = match pushed {
            Ok(()) => reason,
            Err(_) => {
                let problem = "its rewritten body has more than 2 GiB";
                return self.problem(place.offset, place.id.as_deref(), problem);
            }
        };
        let (media, charset) = document.content_type();
        rows.push([
            Cell::Text(place.url.as_deref()),
            Cell::Text(place.id.as_deref()),
            number(place.offset),
            Cell::Text(media.as_deref()),
            Cell::Text(charset.as_deref()),
            Cell::Text(reason.as_deref()),
        ]);
        changed.append_value(rewritten.output().is_some());
    }
}

/// The batches of a web archive: an iterator of pairs, a batch of rows and one of problems.
#[pyclass(frozen, module = "relink")]
pub(crate) struct ArchiveBatches(Mutex<Archive>);

#[pymethods]
impl ArchiveBatches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        // Ctrl-C ends a loop over batches.
        py.check_signals()?;
        // As with a generator, a second caller at the same time is an error.
        let mut archive = match self.0.try_lock() {
            Ok(archive) => archive,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyValueError::new_err("the iterator is already in use"));
            }
        };
        let archive = &mut *archive;
        let Some((rows, problems)) = detached(py, || archive.next_batch())? else {
            return Ok(None);
        };
        Ok(Some((columns::export(py, rows)?, columns::export(py, problems)?)))
    }
}

/// The arguments of a function of archives.
struct Arguments<'a, 'py> {
    source: &'a Bound<'py, PyAny>,
    start: u64,
    end: Option<u64>,
    name: Option<String>,
    batch_rows: usize,
    options: Option<&'a Bound<'py, PyDict>>,
}

impl Arguments<'_, '_> {
    fn batches(self, py: Python<'_>, table: Table) -> PyResult<ArchiveBatches> {
        let Arguments { source, start, end, name, batch_rows, options } = self;
        let range = start..end.unwrap_or(u64::MAX);
        if range.start > range.end {
            return Err(PyValueError::new_err("the range ends before it starts"));
        }
        let options = options::read(options)?;
        let (file, own_name) = source::open(source)?;
        let documents = detached(py, || {
            let documents = ArchiveDocuments::of_range(file, range, options.limits);
            documents.map_err(|error| Failure::Python(error.into()))
        })?;
        Ok(ArchiveBatches(Mutex::new(Archive {
            documents,
            options,
            name: name.unwrap_or(own_name),
            batch_rows: batch_rows.max(1),
            table,
            problems: Rows::new(PROBLEMS, NUMBERS),
            ready: VecDeque::new(),
            error: None,
            is_done: false,
        })))
    }
}

/// Returns an iterator over the references in a web archive (WARC or ARC): pairs of a batch of
/// references and a batch of problems.
///
/// `source` is a path, or an object with `read(n)`, and with `seek` if `start` is not 0. Memory is
/// bounded, whatever the length of the file.
///
/// The range from `start` to `end` has the records that begin in it. The ranges of a gzip file with
/// a member for each record, cut anywhere, have each record and each problem once. Any other file
/// belongs to the range that begins at 0. An exception is a record that contains a gzip archive: if
/// it was not compressed again, a range that begins in it has the records of that archive too.
///
/// The columns of references are `page` (`WARC-Target-URI`), `slot`, `text`, `target`, `record_id`,
/// `offset` (of the record in the file) and `base_source`. The columns of problems are `archive`
/// (`name`, or the path), `offset`, `record_id` and `reason`: a broken record, a document that was
/// not read, or one of which the archive has only a part. A batch has about `batch_rows` rows.
///
/// >>> import io, relink
/// >>> archive = (
/// ...     b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/b/\r\n"
/// ...     b"Content-Type: application/http; msgtype=response\r\nContent-Length: 57\r\n\r\n"
/// ...     b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=../c>\r\n\r\n"
/// ... )
/// >>> for found, problems in relink.warc_references(io.BytesIO(archive)):
/// ...     print(found.column("target").to_pylist(), problems.num_rows)
/// ['http://a.example/c'] 0
#[pyfunction]
#[pyo3(signature = (source, *, start = 0, end = None, name = None, batch_rows = 65_536, **options))]
pub(crate) fn warc_references(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    start: u64,
    end: Option<u64>,
    name: Option<String>,
    batch_rows: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArchiveBatches> {
    let table = Table::References(Rows::new(REFERENCES, NUMBERS));
    Arguments { source, start, end, name, batch_rows, options }.batches(py, table)
}

/// Returns an iterator over the documents in a web archive, with their references made absolute:
/// pairs of a batch of documents and a batch of problems.
///
/// The arguments are those of `warc_references`. The columns of documents are `page`, `record_id`,
/// `offset`, `media`, `charset`, `body` (without the header section, decoded, and rewritten if
/// `changed`), `changed`, and `reason`: why the document or a part of it stays unchanged. A batch
/// has at most `batch_rows` rows.
///
/// >>> import io, relink
/// >>> archive = (
/// ...     b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/b/\r\n"
/// ...     b"Content-Type: text/html\r\nContent-Length: 13\r\n\r\n<a href=../c>\r\n\r\n"
/// ... )
/// >>> for pages, problems in relink.warc_absolutize(io.BytesIO(archive)):
/// ...     print(pages.column("body")[0].as_py())
/// b'<a href=http://a.example/c>'
#[pyfunction]
#[pyo3(signature = (source, *, start = 0, end = None, name = None, batch_rows = 1024, **options))]
pub(crate) fn warc_absolutize(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    start: u64,
    end: Option<u64>,
    name: Option<String>,
    batch_rows: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArchiveBatches> {
    let rows = Rows::new(PAGES, NUMBERS);
    let table = Table::Pages(rows, Documents::new(false), BooleanBuilder::new());
    Arguments { source, start, end, name, batch_rows, options }.batches(py, table)
}
