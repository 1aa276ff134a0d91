//! The function `bases`: the base URL of each document in a document, with its reasons.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rewrite::{DocumentSite, documents};

use crate::errors::detached;
use crate::options::{self, Document};
use crate::reference;

/// The base URL of a document: of the whole, of a part of a message, or of an embedded document.
#[pyclass(frozen, eq, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    /// The part of the message that it is, such as `1.2`.
    part: Option<String>,
    /// The slots of the embedded documents that contain it, outermost first, and its own.
    embedded: Vec<String>,
    /// Its media type.
    media: &'static str,
    /// The base URL, if it is known.
    base: Option<String>,
    /// Its source: `embedded`, `encapsulating`, `retrieval` or `none`.
    base_source: &'static str,
    /// The contexts of RFC 1808, section 3, innermost first.
    chain: Vec<Context>,
}

#[pymethods]
impl Base {
    fn __repr__(&self) -> String {
        let base = self.base.as_ref().map_or("None".to_owned(), |base| format!("{base:?}"));
        format!("Base({base}, base_source={:?}, media={:?})", self.base_source, self.media)
    }
}

/// A context, which may declare a base.
#[pyclass(frozen, eq, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    /// Its source, as in `Base.base_source`.
    source: &'static str,
    /// The element, header field or argument that declares the base.
    origin: String,
    /// The base that it declares, if it does.
    url: Option<String>,
    /// The section of the specification that gives it this place in the chain.
    section: &'static str,
    /// The offsets of the bytes that declare the base.
    span: Option<(usize, usize)>,
    /// True if its base is the one that holds.
    decides: bool,
}

#[pymethods]
impl Context {
    fn __repr__(&self) -> String {
        let url = self.url.as_ref().map_or("None".to_owned(), |url| format!("{url:?}"));
        format!("Context({:?}, {:?}, url={url})", self.source, self.origin)
    }
}

impl Base {
    fn new(document: &DocumentSite<'_>, options: &rewrite::Options) -> Self {
        let embedded = document.frame.embedded();
        let names = embedded.iter().map(|(slot, _)| options.extras.name_of(*slot).to_owned());
        let chain = document.context.chain().map(|context| Context {
            source: context.source().name(),
            origin: context.origin().to_owned(),
            url: context.url().map(str::to_owned),
            section: context.section(),
            span: context.span(),
            decides: context.decides(),
        });
        Base {
            part: document.frame.part().map(str::to_owned),
            embedded: names.collect(),
            media: document.media.name(),
            base: document.context.base().map(str::to_owned),
            base_source: document.context.base_source().name(),
            chain: chain.collect(),
        }
    }
}

/// Returns the base URL of each document in a document, the outermost first: of a message the parts
/// with a document, and of a page also the documents embedded in it.
///
/// The arguments are those of `references`. Raises `DocumentError` if the document cannot be read.
///
/// >>> import relink
/// >>> message = (
/// ...     b"Content-Type: text/html\r\n"
/// ...     b"Content-Location: http://example.org/a/\r\n\r\n<base href=b/>"
/// ... )
/// >>> (base,) = relink.bases(message, media="message/rfc822")
/// >>> base.base, base.base_source
/// ('http://example.org/a/b/', 'embedded')
/// >>> [(context.origin, context.url) for context in base.chain][:2]
/// [('base[href]', 'http://example.org/a/b/'), ('Content-Location', 'http://example.org/a/')]
#[pyfunction]
#[pyo3(signature = (body, base = None, *, media = None, charset = None, **options))]
pub(crate) fn bases<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyBytes>,
    base: Option<&str>,
    media: Option<&str>,
    charset: Option<String>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Base>> {
    let options = options::read(options)?;
    let document = Document::new(body.as_bytes(), base, media, charset)?;
    detached(py, || {
        let mut found = Vec::new();
        let report = document.with_unit(|unit| {
            documents(unit, &options, |document| found.push(Base::new(document, &options)))
        })?;
        reference::failure(&report)?;
        Ok(found)
    })
}
