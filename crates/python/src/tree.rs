//! The functions of the program: `convert_tree`, which runs a plan, and `main`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use relink::{
    Event, Interrupt, MoveOptions, Plan, PlanBuilder, RelativizeOptions, Severity, TreeOptions,
};

use crate::errors::{Failure, detached};
use crate::{options, rewritten, urls};

/// The sums of a run.
#[pyclass(frozen, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The number of documents that were read.
    documents: usize,
    /// The number of documents that were changed, or would be.
    changed: usize,
    /// The number of files that failed.
    failed: usize,
    /// The number of skipped documents, without those that failed.
    skipped: usize,
    /// The number of files that are not documents.
    others: usize,
    /// The length of the documents, in bytes.
    octets: u64,
    /// The number of references by outcome.
    counts: BTreeMap<&'static str, usize>,
    /// The exit status that the program would have: 0 if nothing failed.
    status: u8,
}

#[pymethods]
impl Summary {
    fn __repr__(&self) -> String {
        let Summary { documents, changed, failed, .. } = self;
        format!("Summary(documents={documents}, changed={changed}, failed={failed})")
    }
}

/// Passes the events of a run on to a function of Python. An exception of it, or a signal, ends the
/// run.
struct Receiver {
    on_event: Option<Py<PyAny>>,
    interrupt: Interrupt,
    error: Option<PyErr>,
}

impl Receiver {
    fn receive(&mut self, event: Event<'_>) -> io::Result<()> {
        if self.error.is_some() {
            return Err(io::Error::other("the receiver has failed"));
        }
        let result = Python::attach(|py| {
            py.check_signals()?;
            match (&self.on_event, dict(py, event)?) {
                (Some(on_event), Some(dict)) => on_event.call1(py, (dict,)).map(drop),
                _ => Ok(()),
            }
        });
        result.map_err(|error| {
            self.error = Some(error);
            self.interrupt.stop();
            io::Error::other("the receiver has failed")
        })
    }
}

/// Returns an event as a dictionary; `None` if it has nothing to say.
fn dict<'py>(py: Python<'py>, event: Event<'_>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let details = |name: &str, place: &dyn as_json::Json, detail: &dyn as_json::Json| {
        let json = py.import("json")?;
        let dict = json.call_method1("loads", (detail.json()?,))?.cast_into::<PyDict>()?;
        dict.set_item("event", name)?;
        dict.set_item("document", json.call_method1("loads", (place.json()?,))?)?;
        Ok::<_, PyErr>(Some(dict))
    };
    let dict = PyDict::new(py);
    match event {
        Event::Message(message) => {
            dict.set_item("event", "message")?;
            dict.set_item("severity", severity(message.severity))?;
            dict.set_item("text", message.to_string())?;
        }
        Event::Reference(place, detail) => return details("reference", place, detail),
        Event::Base(place, detail) => return details("base", place, detail),
        Event::Skipped(place, detail) => return details("skipped", place, detail),
        Event::Document(document) => {
            dict.set_item("event", "document")?;
            dict.set_item("path", document.path.as_os_str())?;
            dict.set_item("message", document.numbered.map(|(_, number)| number))?;
            dict.set_item("changed", document.is_changed)?;
            dict.set_item("failed", document.is_failed)?;
            dict.set_item("octets", document.n_bytes)?;
            dict.set_item("counts", rewritten::counts(document.counts))?;
        }
        Event::Progress(progress) => {
            dict.set_item("event", "progress")?;
            dict.set_item("path", progress.path.as_os_str())?;
            dict.set_item("files", progress.n_files)?;
            dict.set_item("total", progress.n_total)?;
            dict.set_item("documents", progress.n_documents)?;
            dict.set_item("octets", progress.n_bytes)?;
        }
        Event::Output(bytes) => {
            dict.set_item("event", "output")?;
            dict.set_item("bytes", PyBytes::new(py, bytes))?;
        }
        _ => return Ok(None),
    }
    Ok(Some(dict))
}

/// Serialization of the details of events.
mod as_json {
    use pyo3::PyResult;
    use pyo3::exceptions::PyValueError;
    use serde::Serialize;

    /// A value that can be JSON.
    pub(super) trait Json {
        /// Returns it as JSON.
        fn json(&self) -> PyResult<Vec<u8>>;
    }

    impl<T: Serialize> Json for T {
        fn json(&self) -> PyResult<Vec<u8>> {
            let mut out = Vec::new();
            let written = serde_json::to_writer(&mut out, self);
            written.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(out)
        }
    }
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
        Severity::Hint => "hint",
        _ => "report",
    }
}

/// The options of a run that are read from keyword arguments.
struct Run {
    command: String,
    tree: TreeOptions,
    moves: MoveOptions,
    relativize: RelativizeOptions,
    /// The methods of the builder that set an option, in order.
    settings: Vec<Box<dyn FnOnce(PlanBuilder) -> PlanBuilder + Send>>,
}

impl Run {
    /// Reads an option that has the name and the meaning of one of the program.
    fn option(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let tree = self.tree.clone();
        let each = |tree: TreeOptions, add: fn(TreeOptions, String) -> TreeOptions| {
            Ok::<_, PyErr>(value.extract::<Vec<String>>()?.into_iter().fold(tree, add))
        };
        self.tree = match name {
            "include" => each(tree, TreeOptions::include)?,
            "exclude" => each(tree, TreeOptions::exclude)?,
            "only" => each(tree, TreeOptions::only)?,
            "skip" => each(tree, TreeOptions::skip)?,
            "also" => each(tree, TreeOptions::also)?,
            "media_type" => each(tree, TreeOptions::media_type)?,
            "limit" => {
                let limits: BTreeMap<String, Bound<'_, PyAny>> = value.extract()?;
                let limits = limits.into_iter().map(|(name, value)| format!("{name}={value}"));
                limits.fold(tree, |tree, limit| tree.limit(limit))
            }
            "map" => {
                let map: BTreeMap<PathBuf, String> = value.extract()?;
                map.into_iter().fold(tree, |tree, (path, url)| tree.map(path, url))
            }
            "jobs" => tree.jobs(value.extract()?),
            "dialect" => tree.dialect(options::dialect(&value.extract::<String>()?)?),
            "no_hints" if value.is_truthy()? => tree.no_hints(),
            "no_hints" => tree,
            _ => return self.setting(name, value),
        };
        Ok(())
    }

    fn setting(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let is_set = || value.is_truthy();
        let setting: Box<dyn FnOnce(PlanBuilder) -> PlanBuilder + Send> = match name {
            "output" => {
                let path: PathBuf = value.extract()?;
                Box::new(|builder| builder.output(path))
            }
            "backup" => {
                let suffix: OsString = value.extract()?;
                Box::new(|builder| builder.backup(suffix))
            }
            "manifest" => {
                let path: PathBuf = value.extract()?;
                Box::new(|builder| builder.manifest(path))
            }
            "verify" => {
                let word: String = value.extract()?;
                let verify: Result<rewrite::Verify, _> = word.parse();
                let verify = verify.map_err(|error| {
                    Failure::Option(format!("invalid verify '{word}'; {error}"))
                })?;
                Box::new(move |builder| builder.verify(verify))
            }
            "in_place" if is_set()? => Box::new(PlanBuilder::in_place),
            "dry_run" if is_set()? => Box::new(PlanBuilder::dry_run),
            "force" if is_set()? => Box::new(PlanBuilder::force),
            "update" if is_set()? => Box::new(PlanBuilder::update),
            "delete" if is_set()? => Box::new(PlanBuilder::delete),
            "durable" if is_set()? => Box::new(PlanBuilder::durable),
            "list_details" if is_set()? => Box::new(PlanBuilder::list_details),
            "diff" if is_set()? => Box::new(|builder| builder.diff(relink::Look::Exact)),
            "in_place" | "dry_run" | "force" | "update" | "delete" | "durable" | "list_details"
            | "diff" => return Ok(()),
            "style" => {
                let style: String = value.extract()?;
                if self.command == "move" {
                    self.moves = self.moves.clone().style(rewritten::move_style(&style)?);
                } else {
                    self.relativize = self.relativize.clone().style(urls::style(&style)?);
                }
                return Ok(());
            }
            "moves" => {
                for (from, to) in value.extract::<BTreeMap<String, String>>()? {
                    self.moves = self.moves.clone().pair(from, to);
                }
                return Ok(());
            }
            _ => {
                let message = format!("unexpected keyword argument '{name}'");
                return Err(PyTypeError::new_err(message));
            }
        };
        self.settings.push(setting);
        Ok(())
    }

    /// Returns the builder of the plan.
    fn builder(self) -> Result<PlanBuilder, Failure> {
        let builder = match &*self.command {
            "absolutize" => Plan::absolutize(self.tree),
            "relativize" => Plan::relativize(self.tree, self.relativize),
            "move" => Plan::relocate(self.tree, self.moves),
            other => {
                let message = format!(
                    "unknown command '{other}'; expected one of absolutize, relativize, move"
                );
                return Err(Failure::Option(message));
            }
        };
        Ok(self.settings.into_iter().fold(builder, |builder, set| set(builder)))
    }
}

/// Converts a tree of files, as the program does, and returns a `Summary`.
///
/// `command` is `absolutize`, `relativize` or `move`, `paths` the directories and files, and `base`
/// the URL of the only path. Other keyword arguments have the names and the meanings of the options
/// of the program: `output`, `in_place`, `dry_run`, `moves` (a mapping of `--from` to `--to`),
/// `include`, `limit` (a mapping), `media_type` (`--type`) and so on.
///
/// `on_event` is called with a dictionary for each message, finished document and step of progress,
/// and with `list_details=True` for each reference, base and skipped document; its key `event` has
/// the kind. If it raises an exception, or after Ctrl-C, the files that are in progress are
/// finished, no others are begun, and the exception is raised.
///
/// Raises `OptionError` for options that are invalid, and `RunError` if the run cannot begin or
/// continue. A file that fails does not end the run: it is a message, and counted in the summary.
///
/// >>> import pathlib, relink, tempfile
/// >>> directory = pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (directory / "page.html").write_text("<a href=a/>")
/// >>> output, base = directory.with_suffix(".out"), "http://example.org/"
/// >>> summary = relink.convert_tree("absolutize", [directory], base=base, output=output)
/// >>> summary.documents, summary.changed, summary.counts
/// (1, 1, {'rewritten': 1})
/// >>> (output / "page.html").read_text()
/// '<a href=http://example.org/a/>'
#[pyfunction]
#[pyo3(signature = (command, paths, *, base = None, on_event = None, **options))]
pub(crate) fn convert_tree(
    py: Python<'_>,
    command: String,
    paths: Vec<PathBuf>,
    base: Option<String>,
    on_event: Option<Py<PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Summary> {
    let mut tree = TreeOptions::new(paths);
    if let Some(base) = base {
        tree = tree.base(base);
    }
    let (moves, relativize) = (MoveOptions::new(), RelativizeOptions::new());
    let mut run = Run { command, tree, moves, relativize, settings: Vec::new() };
    let options = options.map(|options| options.items());
    for option in options.iter().flatten() {
        let (name, value): (String, Bound<'_, PyAny>) = option.extract()?;
        if !value.is_none() {
            run.option(&name, &value)?;
        }
    }
    let interrupt = Interrupt::default();
    let mut receiver = Receiver { on_event, interrupt: interrupt.clone(), error: None };
    let result = detached(py, || {
        let mut receive = |event: Event<'_>| receiver.receive(event);
        let plan = run.builder()?.build(&mut receive);
        let plan = plan.map_err(|error| Failure::Option(error.to_string()))?;
        let summary = plan.interrupt(interrupt).run(&mut receive).map_err(failure)?;
        Ok(Summary {
            documents: summary.n_documents,
            changed: summary.n_changed,
            failed: summary.n_failed,
            skipped: summary.n_skipped,
            others: summary.n_others,
            octets: summary.n_bytes,
            counts: rewritten::counts(&summary.counts),
            status: summary.status(false, false).code(),
        })
    });
    match receiver.error {
        Some(error) => Err(error),
        None => result,
    }
}

/// Returns the failure for an error that ends a run.
fn failure(error: relink::Error) -> Failure {
    let path = match &error {
        relink::Error::Path(path, _) => Some(path.display().to_string()),
        relink::Error::File(failure) => Some(failure.path().display().to_string()),
        _ => None,
    };
    Failure::Run(error.to_string(), path)
}

/// Runs the program with the arguments of a command line, its own name first, and returns its exit
/// status.
#[pyfunction]
#[allow(clippy::disallowed_methods, reason = "the program of the package has the streams")]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    detached(py, || {
        let status = relink::status_of(arguments);
        // At the end of a program of Python, what Rust has buffered would be lost.
        drop(io::stdout().flush());
        Ok(status.code())
    })
}
