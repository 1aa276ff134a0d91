//! The functions of web archives: records in, batches of Arrow out.

use std::collections::VecDeque;
use std::io::BufReader;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use arrow_array::builder::BooleanBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use relink::{ArchiveDocument, ArchiveDocuments, BadRecord};
use rewrite::{Options, absolutize, references};

use crate::batch::{Documents, reason};
use crate::columns::{self, Cell, Rows, number};
use crate::errors::{Error, Failure, OptionError, detached};
use crate::links::{Captured, Link};
use crate::source::{self, Source};
use crate::{options, reference, stream};

const PAGES: [&str; 6] = ["page", "record_id", "offset", "media", "charset", "reason"];
const PROBLEMS: [&str; 4] = ["archive", "offset", "record_id", "reason"];
const NUMBERS: &[&str] = &["offset", "status"];

/// The number of bytes of documents from which a batch is full.
const FULL: usize = 64 << 20;

/// The number of problems that are kept for the caller of a stream.
const MOST_PROBLEMS: usize = 1 << 18;

/// The columns of a batch.
type Columns = Vec<(Field, ArrayRef)>;
/// A batch, and the problems that were found with it.
type Pair = (Columns, Columns);

/// Archives that are read one after another, and the rows that were made of them.
struct Archive {
    documents: Option<ArchiveDocuments<BufReader<Source>>>,
    /// The archives that follow.
    sources: VecDeque<Py<PyAny>>,
    range: Range<u64>,
    options: Options,
    /// The name that the caller gives to the archive.
    given_name: Option<String>,
    name: String,
    batch_rows: usize,
    table: Table,
    problems: Rows,
    ready: VecDeque<Pair>,
    error: Option<Failure>,
}

/// The rows that are made of documents.
enum Table {
    References(Rows, Vec<Link>),
    Pages(Rows, Documents, BooleanBuilder),
}

impl Table {
    /// Returns the columns of the rows, and begins again without rows.
    fn take(&mut self) -> Columns {
        match self {
            Table::References(rows, _) => rows.take(),
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
            Table::References(rows, _) => rows.len() >= batch_rows || rows.is_full(),
            Table::Pages(rows, bodies, _) => rows.len() >= batch_rows || bodies.n_bytes() >= FULL,
        }
    }

    fn len(&self) -> usize {
        match self {
            Table::References(rows, _) | Table::Pages(rows, ..) => rows.len(),
        }
    }
}

impl Archive {
    /// Returns the next batch; `None` at the end of the range in the last archive.
    ///
    /// # Errors
    ///
    /// Those of the files, after the batches of what was read before.
    fn next_batch(&mut self) -> Result<Option<Pair>, Failure> {
        while let Some(documents) = self.documents.as_mut().filter(|_| self.ready.is_empty()) {
            match documents.next() {
                Some(Ok(Ok(document))) => {
                    if let Some(defect) = document.defect() {
                        let place = document.place();
                        self.problem(place.offset, place.id.as_deref(), defect);
                    }
                    match self.table {
                        Table::References(..) => self.find(&document),
                        Table::Pages(..) => self.rewrite(&document),
                    }
                }
                Some(Ok(Err(BadRecord { offset, id, reason, .. }))) => {
                    self.problem(offset, id.as_deref(), &reason);
                }
                Some(Err(error)) => {
                    (self.documents, self.error) = (None, Some(Failure::Python(error.into())));
                }
                None => self.error = self.open_next().err(),
            }
            let is_rest = self.documents.is_none() && self.table.len() + self.problems.len() > 0;
            if is_rest || self.table.is_full(self.batch_rows) || self.problems.is_full() {
                self.ready.push_back((self.table.take(), self.problems.take()));
            }
        }
        match self.ready.pop_front() {
            Some(pair) => Ok(Some(pair)),
            None => self.error.take().map_or(Ok(None), Err),
        }
    }

    /// Opens the next archive, if there is one.
    fn open_next(&mut self) -> Result<(), Failure> {
        self.documents = None;
        let Some(source) = self.sources.pop_front() else { return Ok(()) };
        let (file, own_name) = Python::attach(|py| source::open(source.bind(py)))?;
        self.name = self.given_name.clone().unwrap_or(own_name);
        let documents = ArchiveDocuments::of_range(file, self.range.clone(), self.options.limits);
        let documents = documents.map_err(|error| Failure::Python(error.into()))?;
        // What a description does not have cannot be rewritten.
        let has_links = matches!(self.table, Table::References(..));
        self.documents = Some(if has_links { documents.with_wat() } else { documents });
        Ok(())
    }

    /// Returns true if no batch is left.
    fn is_done(&self) -> bool {
        self.documents.is_none() && self.ready.is_empty() && self.error.is_none()
    }

    fn problem(&mut self, offset: u64, id: Option<&str>, reason: &str) {
        let (archive, reason) = (Cell::Text(Some(&*self.name)), Cell::Text(Some(reason)));
        self.problems.push([archive, number(offset), Cell::Text(id), reason]);
    }

    /// Adds a row for each reference of a document.
    fn find(&mut self, document: &ArchiveDocument) {
        let (options, ready) = (&self.options, &mut self.ready);
        let Table::References(rows, columns) = &mut self.table else { return };
        let place = document.place();
        let mut captured = Captured::new(document, &self.name, columns);
        let report = document.with_unit(|unit| {
            references(unit, options, |site| {
                let slot = options.extras.name_of(site.slot);
                if !options.filter.allows(slot) {
                    return;
                }
                if rows.is_full() {
                    ready.push_back((rows.take(), Rows::new(PROBLEMS, NUMBERS).take()));
                }
                let link = captured.link(site, slot);
                rows.push(columns.iter().map(|column| link.cell(*column)));
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

/// The batches of web archives: an iterator of pairs, a batch of rows and one of problems.
///
/// It is a stream of Arrow too, of rows alone; `problems` has the problems that it found. Iterators
/// and streams share the archives, which are read once.
#[pyclass(frozen, module = "relink")]
pub(crate) struct ArchiveBatches {
    archive: Arc<Mutex<Archive>>,
    /// The columns of rows.
    schema: SchemaRef,
    problems: Arc<Mutex<Vec<Columns>>>,
}

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
        let mut archive = lock(&self.archive)?;
        let archive = &mut *archive;
        let Some((rows, problems)) = detached(py, || archive.next_batch())? else {
            return Ok(None);
        };
        Ok(Some((columns::export(py, rows)?, columns::export(py, problems)?)))
    }

    /// Returns the rows as a stream of Arrow, by the PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore the request.
        let _ = requested_schema;
        let (archive, problems) = (Arc::clone(&self.archive), Arc::clone(&self.problems));
        let mut has_begun = false;
        stream::capsule(py, Arc::clone(&self.schema), move || {
            let mut archive = lock(&archive)?;
            // A second stream would look like that of an empty archive.
            if !has_begun && archive.is_done() {
                let message = "the archive was read to its end before; scan it again";
                return Err(Failure::Python(Error::new_err(message)));
            }
            has_begun = true;
            let Some((rows, found)) = archive.next_batch()? else { return Ok(None) };
            let n_rows = |columns: &Columns| columns.first().map_or(0, |(_, column)| column.len());
            if n_rows(&found) > 0 {
                let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
                if problems.iter().map(n_rows).sum::<usize>() >= MOST_PROBLEMS {
                    let message = "more problems than a stream keeps; iterate over the batches";
                    return Err(Failure::TooLarge(message));
                }
                problems.push(found);
            }
            Ok(Some(columns::batch(rows)?))
        })
    }

    /// The batches of problems that streams of Arrow have found until now.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone();
        problems.into_iter().map(|columns| columns::export(py, columns)).collect()
    }
}

/// Locks an archive for one caller. As with a generator, a second one at the same time is an error.
///
/// # Errors
///
/// `Error` if it is in use.
fn lock(archive: &Mutex<Archive>) -> PyResult<MutexGuard<'_, Archive>> {
    match archive.try_lock() {
        Ok(archive) => Ok(archive),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Error::new_err("the iterator is already in use")),
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
    fn batches(self, py: Python<'_>, mut table: Table) -> PyResult<ArchiveBatches> {
        let Arguments { source, start, end, name, batch_rows, options } = self;
        let range = start..end.unwrap_or(u64::MAX);
        if range.start > range.end {
            return Err(OptionError::new_err("the range ends before it starts"));
        }
        let sources: VecDeque<Py<PyAny>> = match source.cast::<PyList>() {
            Ok(sources) => sources.iter().map(Bound::unbind).collect(),
            Err(_) => [source.clone().unbind()].into(),
        };
        let schema = columns::batch(table.take())?.schema();
        let mut archive = Archive {
            documents: None,
            sources,
            range,
            options: options::read(options)?,
            given_name: name,
            name: String::new(),
            batch_rows: batch_rows.max(1),
            table,
            problems: Rows::new(PROBLEMS, NUMBERS),
            ready: VecDeque::new(),
            error: None,
        };
        detached(py, || archive.open_next())?;
        let archive = Arc::new(Mutex::new(archive));
        Ok(ArchiveBatches { archive, schema, problems: Arc::default() })
    }
}

/// Returns an iterator over the references in web archives (WARC or ARC): pairs of a batch of
/// references and a batch of problems. It is also a stream of Arrow (`__arrow_c_stream__`), which
/// DuckDB, Polars and pyarrow read; its attribute `problems` has the problems that a stream found.
///
/// `source` is a path, an object with `read(n)`, and with `seek` if `start` is not 0, or a list of
/// them, which are read one after another. Memory is bounded, whatever the length of the files.
///
/// The range from `start` to `end` has the records that begin in it. The ranges of a gzip file with
/// a member for each record, cut anywhere, have each record and each problem once. Any other file
/// belongs to the range that begins at 0. An exception is a record that contains a gzip archive: if
/// it was not compressed again, a range that begins in it has the records of that archive too.
///
/// The columns of references are `page` (`WARC-Target-URI`), `slot`, `text`, `target`, `record_id`,
/// `offset` (of the record in the file) and `base_source`. `columns` is a list of these names and
/// of `archive` (`name`, or the path), `date`, `status` (of HTTP), `media`, `charset`, `normalized`
/// (`target` as `normalize_url` returns it), `surt` (as `surt_key` does), `rel` (of the element)
/// and `anchor`: the text from an `<a>` to the next tag `<a>` or `</a>`, at most 1,000 characters,
/// with character references decoded, one space for white space and for tags of blocks, and without
/// scripts and styles. `rel` and `anchor` are null outside of HTML, and in documents that are in a
/// page, such as `srcdoc` and `noscript`. The columns of problems are `archive`, `offset`,
/// `record_id` and `reason`: a broken record, a document that was not read, or one of which the
/// archive has only a part. A batch has about `batch_rows` rows.
///
/// A record of a WAT file, which describes a page in JSON, has the rows of the links in it.
///
/// >>> import io, relink
/// >>> archive = (
/// ...     b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/b/\r\n"
/// ...     b"Content-Type: application/http; msgtype=response\r\nContent-Length: 57\r\n\r\n"
/// ...     b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=../c>\r\n\r\n"
/// ... )
/// >>> for found, problems in relink.scan_warc(io.BytesIO(archive)):
/// ...     print(found.column("target").to_pylist(), problems.num_rows)
/// ['http://a.example/c'] 0
#[pyfunction]
#[pyo3(signature = (
    source, *, start = 0, end = None, name = None, columns = None, batch_rows = 65_536, **options
))]
#[allow(clippy::too_many_arguments, reason = "the keyword arguments")]
pub(crate) fn scan_warc(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    start: u64,
    end: Option<u64>,
    name: Option<String>,
    columns: Option<Vec<String>>,
    batch_rows: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArchiveBatches> {
    let (names, links): (Vec<_>, Vec<_>) = Link::read(columns)?.into_iter().unzip();
    let table = Table::References(Rows::new(names, NUMBERS), links);
    Arguments { source, start, end, name, batch_rows, options }.batches(py, table)
}

/// Returns an iterator over the documents in a web archive, with their references made absolute:
/// pairs of a batch of documents and a batch of problems.
///
/// The arguments are those of `scan_warc` but for `columns`. The columns of documents are `page`,
/// `record_id`, `offset`, `media`, `charset`, `body` (without the header section, decoded, and
/// rewritten if `changed`), `changed`, and `reason`: why the document or a part of it stays
/// unchanged. A batch has at most `batch_rows` rows.
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
