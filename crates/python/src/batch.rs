//! The functions of batches: arrays of documents in, batches of Arrow out.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, LargeBinaryBuilder};
use arrow_array::{Array, ArrayRef};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rewrite::{Media, Options, absolutize, references};

use crate::columns::{self, Bodies, Cell, Rows, Texts, number};
use crate::errors::{Failure, OptionError, detached};
use crate::options::{self, ContentType, Document};

/// The columns of references, and those that are numbers.
const REFERENCES: [&str; 9] =
    ["document", "page", "slot", "text", "target", "start", "end", "base", "base_source"];
/// The columns of documents that were not read.
const ERRORS: [&str; 4] = ["document", "page", "offset", "reason"];
const NUMBERS: &[&str] = &["document", "start", "end", "offset"];

const TOO_LARGE: &str = "the result is too large for one batch; pass fewer documents";

/// The documents of a batch.
struct Batch {
    urls: Texts,
    bodies: Bodies,
    content_types: Option<Texts>,
}

impl Batch {
    fn import(
        urls: &Bound<'_, PyAny>,
        bodies: &Bound<'_, PyAny>,
        content_types: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let urls = Texts::import("urls", urls)?;
        let bodies = Bodies::import(bodies)?;
        let content_types =
            content_types.map(|types| Texts::import("content_types", types)).transpose()?;
        let lengths = [urls.len(), content_types.as_ref().map_or(urls.len(), Texts::len)];
        if lengths.iter().any(|length| *length != bodies.len()) {
            return Err(OptionError::new_err("the arrays have different lengths"));
        }
        Ok(Batch { urls, bodies, content_types })
    }

    /// Returns a document.
    fn document(&self, row: usize, options: &Options) -> Result<Document<'_>, Failure> {
        let body = self.bodies.get(row).ok_or_else(|| Failure::Media("no body".to_owned()))?;
        let content_type = self.content_types.as_ref().and_then(|types| types.get(row));
        let content_type = ContentType::read(content_type)?;
        let is_enabled = |media: Media| media.is_enabled_by(options.opt_in);
        if let Some(media) = content_type.media.filter(|media| !is_enabled(*media)) {
            let also = media.opt_in_name().unwrap_or_default();
            let name = media.name();
            let message = format!("documents of {name} are read with also=['{also}'] only");
            return Err(Failure::Media(message));
        }
        Ok(Document { body, base: self.urls.get(row), content_type })
    }
}

/// Returns the words of a failure, for a row.
fn words(failure: Failure) -> Result<String, Failure> {
    match failure {
        Failure::Url(message) | Failure::Media(message) | Failure::Document(message, _) => {
            Ok(message)
        }
        failure => Err(failure),
    }
}

/// Returns the references of many documents as a pair of batches: the references, and what was not
/// read.
///
/// `urls` has the URL of each document, `bodies` its bytes, and `content_types` the value of its
/// `Content-Type`, or null. The arrays are those of `pyarrow`, or have `__arrow_c_array__`. Bodies
/// are not copied. Other threads run in the meantime.
///
/// The columns of `references` are `document` (the row of the document), `page` (its URL), `slot`,
/// `text`, `target`, `start`, `end`, `base` and `base_source`; those of `errors` are `document`,
/// `page`, `offset` and `reason`.
///
/// >>> import pyarrow, relink
/// >>> found = relink.references_batch(
/// ...     pyarrow.array(["http://a.example/b/", "http://a.example/logo.png"]),
/// ...     pyarrow.array([b"<a href=../c>", b"PNG"]),
/// ...     pyarrow.array(["text/html; charset=utf-8", "image/png"]),
/// ... )
/// >>> found.references.column("target").to_pylist()
/// ['http://a.example/c']
/// >>> found.errors.column("reason").to_pylist()
/// ["documents of the media type 'image/png' are not read"]
#[pyfunction]
#[pyo3(signature = (urls, bodies, content_types = None, **options))]
pub(crate) fn references_batch<'py>(
    py: Python<'py>,
    urls: &Bound<'py, PyAny>,
    bodies: &Bound<'py, PyAny>,
    content_types: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let options = options::read(options)?;
    let batch = Batch::import(urls, bodies, content_types)?;
    let (found, errors) = detached(py, || find(&batch, &options))?;
    Ok((columns::export(py, found)?, columns::export(py, errors)?))
}

/// The columns of a batch.
type Columns = Vec<(Field, ArrayRef)>;

fn find(batch: &Batch, options: &Options) -> Result<(Columns, Columns), Failure> {
    let mut found = Rows::new(REFERENCES, NUMBERS);
    let mut errors = Rows::new(ERRORS, NUMBERS);
    let mut target = String::new();
    for row in 0..batch.bodies.len() {
        let page = batch.urls.get(row);
        let report = batch.document(row, options).and_then(|document| {
            document.with_unit(|unit| {
                references(unit, options, |site| {
                    let slot = options.extras.name_of(site.slot);
                    if found.is_full() || !options.filter.allows(slot) {
                        return;
                    }
                    let span = site.frame.raw(site.span);
                    found.push([
                        number(row),
                        Cell::Text(page),
                        Cell::Text(Some(slot)),
                        Cell::Text(Some(site.text)),
                        Cell::Text(site.target_into(&mut target)),
                        number(span.start),
                        number(span.end),
                        Cell::Text(site.context.base()),
                        Cell::Text(Some(site.context.base_source().name())),
                    ]);
                })
            })
        });
        let mut error = |at: Cell<'_>, reason: &str| {
            errors.push([number(row), Cell::Text(page), at, Cell::Text(Some(reason))]);
        };
        match report {
            Ok(report) => {
                for skipped in &report.skipped {
                    error(number(skipped.at), &skipped.reason.to_string());
                }
            }
            Err(failure) => error(Cell::Text(None), &words(failure)?),
        }
        if found.is_full() || errors.is_full() {
            return Err(Failure::TooLarge(TOO_LARGE));
        }
    }
    Ok((found.take(), errors.take()))
}

/// Returns many documents with their references made absolute, as a batch with a row for each.
///
/// The arguments are those of `references_batch`. The columns are `document`, `page`, `body` (the
/// document, also if it did not change; of the type of `bodies`), `changed`, and `reason`: why the
/// document or a part of it stays unchanged.
///
/// >>> import pyarrow, relink
/// >>> batch = relink.absolutize_batch(
/// ...     pyarrow.array(["http://a.example/b/"]), pyarrow.array([b"<a href=../c>"]))
/// >>> batch.column("body")[0].as_py()
/// b'<a href=http://a.example/c>'
#[pyfunction]
#[pyo3(signature = (urls, bodies, content_types = None, **options))]
pub(crate) fn absolutize_batch<'py>(
    py: Python<'py>,
    urls: &Bound<'py, PyAny>,
    bodies: &Bound<'py, PyAny>,
    content_types: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options::read(options)?;
    let batch = Batch::import(urls, bodies, content_types)?;
    let columns = detached(py, || rewritten(&batch, &options))?;
    columns::export(py, columns)
}

fn rewritten(batch: &Batch, options: &Options) -> Result<Columns, Failure> {
    let mut rows = Rows::new(["document", "page", "reason"], NUMBERS);
    let mut out = Documents::new(batch.bodies.is_large());
    let mut changed = BooleanBuilder::new();
    for row in 0..batch.bodies.len() {
        let result = batch
            .document(row, options)
            .and_then(|document| document.with_unit(|unit| absolutize(unit, options)));
        let (output, reason) = match result {
            Ok(rewritten) => {
                let reason = reason(&rewritten);
                (rewritten.into_output(), reason)
            }
            Err(failure) => (None, Some(words(failure)?)),
        };
        rows.push([number(row), Cell::Text(batch.urls.get(row)), Cell::Text(reason.as_deref())]);
        changed.append_value(output.is_some());
        out.push(output.as_deref().or(batch.bodies.get(row)))?;
        if rows.is_full() {
            return Err(Failure::TooLarge(TOO_LARGE));
        }
    }
    let mut columns = rows.take();
    let changed: ArrayRef = Arc::new(changed.finish());
    let body = out.finish();
    columns.insert(2, (Field::new("body", body.data_type().clone(), true), body));
    columns.insert(3, (Field::new("changed", changed.data_type().clone(), true), changed));
    Ok(columns)
}

/// Returns why a document, or the first part of it, stays unchanged.
pub(crate) fn reason(rewritten: &rewrite::Rewritten) -> Option<String> {
    let error = rewritten.verify_error().map(ToString::to_string);
    error.or_else(|| rewritten.report.skipped.first().map(|skipped| skipped.reason.to_string()))
}

/// An array of documents that is being built.
pub(crate) enum Documents {
    Small(BinaryBuilder),
    Large(LargeBinaryBuilder),
}

impl Documents {
    pub(crate) fn new(is_large: bool) -> Self {
        if is_large {
            Documents::Large(LargeBinaryBuilder::new())
        } else {
            Documents::Small(BinaryBuilder::new())
        }
    }

    /// Returns the number of bytes of all documents.
    pub(crate) fn n_bytes(&self) -> usize {
        match self {
            Documents::Small(builder) => builder.values_slice().len(),
            Documents::Large(builder) => builder.values_slice().len(),
        }
    }

    /// Adds a document, or a null.
    ///
    /// # Errors
    ///
    /// [`Failure::TooLarge`] if the offsets cannot represent it.
    pub(crate) fn push(&mut self, document: Option<&[u8]>) -> Result<(), Failure> {
        let n_bytes = self.n_bytes().saturating_add(document.map_or(0, <[u8]>::len));
        match self {
            Documents::Small(_) if i32::try_from(n_bytes).is_err() => {
                return Err(Failure::TooLarge(
                    "the result has more than 2 GiB; pass fewer documents, or large_binary",
                ));
            }
            Documents::Small(builder) => builder.append_option(document),
            Documents::Large(builder) => builder.append_option(document),
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Documents::Small(builder) => Arc::new(builder.finish()),
            Documents::Large(builder) => Arc::new(builder.finish()),
        }
    }
}
