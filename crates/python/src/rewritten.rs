//! The functions that rewrite a document: `absolutize`, `relativize` and `move`.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rewrite::{
    BaseElement, Command, FixedRoots, Move, MoveStyle, NewPlace, Options, Outcome, PrefixMap,
    Relative, Report, TargetMap, Unit, Verify,
};

use crate::errors::{Failure, detached};
use crate::options::{self, Document};
use crate::reference::{self, Skipped};
use crate::urls;

/// A document whose references were rewritten.
#[pyclass(frozen, module = "relink", skip_from_py_object)]
pub(crate) struct Rewritten {
    output: Py<PyBytes>,
    edits: Vec<(usize, usize, Vec<u8>)>,
    report: Report,
    verify_error: Option<String>,
    is_verified: bool,
}

/// A reference that could not be handled and stays unchanged.
#[pyclass(frozen, eq, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unchanged {
    /// Its offset in the document.
    offset: usize,
    /// The reference.
    text: String,
    /// The reason.
    reason: String,
}

#[pymethods]
impl Unchanged {
    fn __repr__(&self) -> String {
        format!("Unchanged({:?}, offset={}, reason={:?})", self.text, self.offset, self.reason)
    }
}

#[pymethods]
impl Rewritten {
    /// The document with its edits; the same object as the input if there are none.
    #[getter]
    fn output(&self, py: Python<'_>) -> Py<PyBytes> {
        self.output.clone_ref(py)
    }

    /// True if the output differs from the input.
    #[getter]
    fn changed(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The edits, in order: the offsets in the input that each replaces, and the new bytes.
    #[getter]
    fn edits<'py>(&self, py: Python<'py>) -> Vec<(usize, usize, Bound<'py, PyBytes>)> {
        let edits = self.edits.iter();
        edits.map(|(start, end, text)| (*start, *end, PyBytes::new(py, text))).collect()
    }

    /// The number of references by outcome, such as `rewritten` and `kept`.
    #[getter]
    fn counts(&self) -> BTreeMap<&'static str, usize> {
        counts(&self.report.counts)
    }

    /// The references that could not be handled.
    #[getter]
    fn unchanged(&self) -> Vec<Unchanged> {
        let incidents = self.report.incidents.iter();
        let one = |incident: &rewrite::Incident| Unchanged {
            offset: incident.at,
            text: incident.reference.clone(),
            reason: incident.message.clone(),
        };
        incidents.map(one).collect()
    }

    /// What was not read: the document, parts of it, and embedded documents.
    #[getter]
    fn skipped(&self) -> Vec<Skipped> {
        reference::skipped(&self.report)
    }

    /// True if the output was verified: each reference has its intended target.
    #[getter]
    fn verified(&self) -> bool {
        self.is_verified
    }

    /// The reason why verification failed, so that the document stays unchanged.
    #[getter]
    fn verify_error(&self) -> Option<&str> {
        self.verify_error.as_deref()
    }

    fn __repr__(&self) -> String {
        let verified = if self.is_verified { "True" } else { "False" };
        format!("Rewritten(edits={}, verified={verified})", self.edits.len())
    }
}

/// Returns the number of references of each outcome that occurs.
pub(crate) fn counts(counts: &rewrite::Counts) -> BTreeMap<&'static str, usize> {
    let all = Outcome::ALL.into_iter().map(|outcome| (outcome.name(), counts.get(outcome)));
    all.filter(|(_, count)| *count > 0).collect()
}

/// The arguments that all of these functions have.
struct Arguments<'a, 'py> {
    body: &'a Bound<'py, PyBytes>,
    base: Option<&'a str>,
    media: Option<&'a str>,
    charset: Option<String>,
    options: Option<&'a Bound<'py, PyDict>>,
}

impl Arguments<'_, '_> {
    /// Rewrites the document by a function of the library.
    fn rewrite(
        self,
        py: Python<'_>,
        act: impl FnOnce(Unit<'_>, &Options) -> Result<rewrite::Rewritten, Failure> + Send,
    ) -> PyResult<Rewritten> {
        let options = options::read(self.options)?;
        let Arguments { body, base, media, charset, .. } = self;
        let document = Document::new(body.as_bytes(), base, media, charset)?;
        let mut rewritten = detached(py, || document.with_unit(|unit| act(unit, &options))?)?;
        let output = match rewritten.take_output() {
            Some(output) => PyBytes::new(py, &output),
            None => body.clone(),
        };
        let verify_error = rewritten.verify_error().map(ToString::to_string);
        let rewrite::Rewritten { edits, report, .. } = rewritten;
        let edits = edits.as_slice().iter();
        let edits = edits.map(|edit| (edit.span.start, edit.span.end, edit.text.to_vec()));
        let is_verified = options.verify != Verify::None && verify_error.is_none();
        Ok(Rewritten {
            output: output.unbind(),
            edits: edits.collect(),
            report,
            verify_error,
            is_verified,
        })
    }
}

/// Returns a document with its references made absolute.
///
/// The arguments are those of `references`. No other byte changes. The output is verified; if a
/// reference in it does not have its intended target, the document stays unchanged. `verify` is
/// `fast`, `full` or `none`.
///
/// >>> import relink
/// >>> rewritten = relink.absolutize(b"<a href='../c'>C</a>", "http://example.org/a/b")
/// >>> rewritten.output
/// b"<a href='http://example.org/c'>C</a>"
/// >>> rewritten.edits, rewritten.verified
/// ([(9, 11, b'http://example.org')], True)
#[pyfunction]
#[pyo3(signature = (body, base = None, *, media = None, charset = None, **options))]
pub(crate) fn absolutize<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyBytes>,
    base: Option<&str>,
    media: Option<&str>,
    charset: Option<String>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Rewritten> {
    let arguments = Arguments { body, base, media, charset, options };
    arguments.rewrite(py, |unit, options| Ok(Command::Absolutize.run(unit, options)))
}

/// Returns a document with its references into a tree made relative. `base` is the URL of the
/// document, and `root` that of the directory that is the tree; without it, the tree is everything
/// at the scheme and host of the document.
///
/// `style` is `relative`, `shortest`, `absolute-path`, `network-path` or `absolute`. `base_element`
/// says what becomes of `<base href>`: `empty`, `relative` or `keep`.
///
/// >>> import relink
/// >>> page = b"<a href=http://example.org/a/c> <a href=http://example.org/d>"
/// >>> relink.relativize(page, "http://example.org/a/b", root="http://example.org/a/").output
/// b'<a href=c> <a href=http://example.org/d>'
#[pyfunction]
#[pyo3(signature = (
    body, base, *, root = None, style = "relative", base_element = "empty", media = None,
    charset = None, **options
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn relativize<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyBytes>,
    base: &str,
    root: Option<&str>,
    style: &str,
    base_element: &str,
    media: Option<&str>,
    charset: Option<String>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Rewritten> {
    let relative = match root {
        Some(root) => Relative::below(directory(root)?),
        None => Relative::default(),
    };
    let element: Result<BaseElement, _> = base_element.parse();
    let element = element.map_err(|error| {
        Failure::Option(format!("invalid base_element '{base_element}'; {error}"))
    })?;
    let relative = relative.with_style(urls::style(style)?).with_base_element(element);
    let arguments = Arguments { body, base: Some(base), media, charset, options };
    arguments.rewrite(py, |unit, options| Ok(Command::Relativize(&relative).run(unit, options)))
}

/// Returns a document with its references corrected for a tree that moves. `base` is the old URL of
/// the document, and `moves` has the old and the new URL of each directory that moves.
///
/// `style` is `keep`, `absolute`, `relative`, or a style of `relativize`.
///
/// >>> import relink
/// >>> page = b"<a href=/b> <a href=c> <a href=http://example.com/>"
/// >>> moves = {"http://old.example/": "http://new.example/x/"}
/// >>> relink.move(page, "http://old.example/a/", moves=moves).output
/// b'<a href=../b> <a href=c> <a href=http://example.com/>'
#[pyfunction(name = "move")]
#[pyo3(signature = (body, base, *, moves, style = "keep", media = None, charset = None, **options))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn relocate<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyBytes>,
    base: &str,
    moves: BTreeMap<String, String>,
    style: &str,
    media: Option<&str>,
    charset: Option<String>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Rewritten> {
    let (mut map, mut roots) = (PrefixMap::default(), FixedRoots::default());
    for (from, to) in &moves {
        let added = map.add(directory(from)?, directory(to)?, []);
        added.map_err(|conflict| Failure::Option(conflict.to_string()))?;
        roots.add(from, []);
    }
    let root = roots.find(base).and_then(|(number, _)| moves.values().nth(number));
    let new_url = map.url(base).parse();
    let to = Move::by(map).with_style(move_style(style)?);
    let arguments = Arguments { body, base: Some(base), media, charset, options };
    arguments.rewrite(py, |unit, options| {
        let place = new_url.as_ref().ok().zip(root);
        let new_place = place.map(|(url, root)| NewPlace { url, root });
        Ok(Command::Relocate(&to).run(unit.with_new_place(new_place), options))
    })
}

/// Returns the style of a move with this name.
pub(crate) fn move_style(name: &str) -> Result<MoveStyle, Failure> {
    match name.parse() {
        Ok(style) => Ok(style),
        Err(_) => urls::style(name).map(MoveStyle::Written),
    }
}

/// Returns the URL of a directory, which ends with a slash.
///
/// # Errors
///
/// [`Failure::Url`] if it does not.
fn directory(url: &str) -> Result<&str, Failure> {
    if url.ends_with('/') {
        Ok(url)
    } else {
        Err(Failure::Url(format!("invalid URL '{url}'; that of a directory ends with /")))
    }
}
