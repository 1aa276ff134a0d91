//! The function `references`, and its results.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rewrite::{Report, Site, SkipScope, references as find};

use crate::errors::{Failure, detached};
use crate::options::{self, Document};

/// A reference in a document.
#[pyclass(frozen, eq, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The kind of place that contains it, such as `a[href]`.
    #[pyo3(get)]
    slot: String,
    /// The reference, decoded.
    #[pyo3(get)]
    text: String,
    /// The URL that it points to, if that is known.
    #[pyo3(get)]
    target: Option<String>,
    /// The offset of its first byte in the document.
    #[pyo3(get)]
    start: usize,
    /// The offset after its last byte.
    #[pyo3(get)]
    end: usize,
    /// The base URL that it is resolved against, if that is known.
    base: Option<Arc<str>>,
    /// The source of the base: `embedded`, `encapsulating`, `retrieval` or `none`.
    #[pyo3(get)]
    base_source: String,
    /// Its role: `url`, `id`, `template` and so on.
    #[pyo3(get)]
    kind: String,
    /// The part of the message that contains it, such as `1.2`.
    #[pyo3(get)]
    part: Option<String>,
}

#[pymethods]
impl Reference {
    #[new]
    #[pyo3(signature = (slot, text, target, start, end, base, base_source, kind = "url", part = None))]
    #[allow(clippy::too_many_arguments, reason = "the fields, as pickle passes them")]
    fn new(
        slot: String,
        text: String,
        target: Option<String>,
        start: usize,
        end: usize,
        base: Option<&str>,
        base_source: String,
        kind: &str,
        part: Option<String>,
    ) -> Self {
        let (base, kind) = (base.map(Arc::from), kind.to_owned());
        Reference { slot, text, target, start, end, base, base_source, kind, part }
    }

    /// The base URL that it is resolved against, if that is known.
    #[getter]
    fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The offsets of its first byte and after its last one.
    #[getter]
    fn span(&self) -> (usize, usize) {
        (self.start, self.end)
    }

    #[allow(clippy::type_complexity, reason = "the fields, for pickle")]
    fn __getnewargs__(
        &self,
    ) -> (&str, &str, Option<&str>, usize, usize, Option<&str>, &str, &str, Option<&str>) {
        let Reference { slot, text, target, start, end, base, base_source, kind, part } = self;
        let (target, base, part) = (target.as_deref(), base.as_deref(), part.as_deref());
        (slot, text, target, *start, *end, base, base_source, kind, part)
    }

    fn __repr__(&self) -> String {
        let target = self.target.as_ref().map_or("None".to_owned(), |target| format!("{target:?}"));
        let Reference { slot, text, start, end, .. } = self;
        format!("Reference({slot:?}, {text:?}, target={target}, span=({start}, {end}))")
    }
}

/// A document, or a part of one, that was not read.
#[pyclass(frozen, eq, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The reason.
    pub(crate) reason: String,
    /// Its offset.
    offset: usize,
    /// Its extent: `document`, `part` or `embedded`.
    extent: &'static str,
    /// The part of the message that it is, or that contains it.
    part: Option<String>,
}

#[pymethods]
impl Skipped {
    fn __repr__(&self) -> String {
        format!("Skipped({:?}, offset={}, extent={:?})", self.reason, self.offset, self.extent)
    }
}

/// Returns what a report lists as skipped.
pub(crate) fn skipped(report: &Report) -> Vec<Skipped> {
    let skipped = report.skipped.iter().map(|skipped| Skipped {
        reason: skipped.reason.to_string(),
        offset: skipped.at,
        extent: match skipped.extent {
            SkipScope::Unit => "document",
            SkipScope::Part => "part",
            SkipScope::Embedded => "embedded",
        },
        part: skipped.part.clone(),
    });
    skipped.collect()
}

/// Returns the failure of a document that was skipped as a whole.
pub(crate) fn failure(report: &Report) -> Result<(), Failure> {
    match report.skipped.iter().find(|skipped| skipped.extent == SkipScope::Unit) {
        Some(skipped) => Err(Failure::Document(skipped.reason.to_string(), skipped.at)),
        None => Ok(()),
    }
}

/// The references of a document as they are found. Most have the same base.
#[derive(Default)]
struct Collected {
    found: Vec<Reference>,
    base: Option<Arc<str>>,
    target: String,
}

impl Collected {
    fn push(&mut self, site: &Site<'_>) {
        let base = site.context.base();
        if self.base.as_deref() != base {
            self.base = base.map(Arc::from);
        }
        let span = site.frame.raw(site.span);
        self.found.push(Reference {
            slot: site.slot_name().to_owned(),
            text: site.text.to_owned(),
            target: site.target_into(&mut self.target).map(str::to_owned),
            start: span.start,
            end: span.end,
            base: self.base.clone(),
            base_source: site.context.base_source().name().to_owned(),
            kind: site.kind.name().to_owned(),
            part: site.frame.part().map(str::to_owned),
        });
    }
}

/// Returns the references of a document, in the order of the document.
///
/// `base` is the URL of the document; a `<base>` or a header field in it wins over it. `media` is
/// the media type, or the value of a `Content-Type` field; without it, the first bytes decide.
/// `charset` wins over the charset that the document declares itself.
///
/// Raises `DocumentError` if the document cannot be read. If `skipped` is a list, the reason is
/// appended to it instead, and so are the parts and embedded documents that were not read.
///
/// >>> import relink
/// >>> page = b"<base href=b/><a href=c>C</a> <img src='http://example.com/d.png'>"
/// >>> for r in relink.references(page, "http://example.org/a/"):
/// ...     print(r.slot, r.text, r.target, page[r.start:r.end])
/// base[href] b/ http://example.org/a/b/ b'b/'
/// a[href] c http://example.org/a/b/c b'c'
/// img[src] http://example.com/d.png http://example.com/d.png b'http://example.com/d.png'
#[pyfunction]
#[pyo3(signature = (body, base = None, *, media = None, charset = None, skipped = None, **options))]
pub(crate) fn references<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyBytes>,
    base: Option<&str>,
    media: Option<&str>,
    charset: Option<String>,
    skipped: Option<&Bound<'py, PyList>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Reference>> {
    let options = options::read(options)?;
    let document = Document::new(body.as_bytes(), base, media, charset)?;
    let (found, report) = detached(py, || {
        let mut collected = Collected::default();
        let report = document.with_unit(|unit| {
            find(unit, &options, |site| {
                if options.filter.allows(options.extras.name_of(site.slot)) {
                    collected.push(site);
                }
            })
        })?;
        Ok((collected.found, report))
    })?;
    match skipped {
        Some(list) => {
            for one in self::skipped(&report) {
                list.append(one)?;
            }
        }
        None => failure(&report)?,
    }
    Ok(found)
}
