//! `relink verify`: compares a tree with the manifest of the run that wrote it.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::events::summary::n;
use crate::events::{self, Event, Events, Status};
use crate::os::failure::Failure;
use crate::os::format::Format;
use crate::os::{messages, parallel, paths};
use crate::plan::exit::Error;
use crate::recovery::manifest::Manifest;
use crate::recovery::manifest::tree::ListedTree;
use crate::recovery::open_document::DocumentState;
use crate::recovery::records::Recorded;
use crate::tree::Counter;

/// The state of a file, compared with the manifest.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum FileState {
    /// As the run has written it.
    After,
    /// As it was before the run.
    Before,
    /// Neither.
    Changed,
    /// It does not exist.
    Missing,
    /// The manifest does not list it.
    Added,
    /// It is as the run has written it, and the edits do not give the old content.
    NoWayBack,
}

impl FileState {
    /// Returns the words of the problem, if it is one.
    fn problem(self) -> Option<&'static str> {
        match self {
            FileState::After => None,
            FileState::Before => Some("has its content of before the run"),
            FileState::Changed => Some("was changed since the run"),
            FileState::Missing => Some("does not exist"),
            FileState::Added => Some("is not in the manifest; it was added since the run"),
            FileState::NoWayBack => Some(
                "is as the run has written it, but the edits in the manifest do not give its old content",
            ),
        }
    }
}

/// A line of the list.
#[derive(Serialize)]
struct VerifiedFile<'l> {
    root: usize,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    state: FileState,
    /// The number of edits that give the old content; `null` if that was not tested.
    edits: Option<usize>,
    #[serde(skip)]
    shown: &'l Path,
}

/// The sums of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifySummary {
    /// Files and links that are as the run has written them.
    pub n_after: usize,
    /// Files that have their content of before the run.
    pub n_before: usize,
    /// Files that were changed since the run.
    pub n_changed: usize,
    /// Files that do not exist.
    pub n_missing: usize,
    /// Files that the manifest does not list, although it lists all files.
    pub n_added: usize,
    /// Files whose edits do not give the old content.
    pub n_no_way_back: usize,
    /// Edits that give the old contents of the files that are as the run has written them.
    pub n_edits: usize,
    /// Files that could not be read.
    pub n_failed: usize,
}

impl VerifySummary {
    /// Returns the exit status for these sums.
    pub fn status(&self) -> Status {
        let n_others = self.n_before + self.n_changed + self.n_missing + self.n_added;
        match () {
            () if self.n_failed > 0 => Status::Failed,
            () if n_others + self.n_no_way_back > 0 => Status::Found,
            () => Status::Done,
        }
    }

    fn add(&mut self, found: FileState) {
        *match found {
            FileState::After => &mut self.n_after,
            FileState::Before => &mut self.n_before,
            FileState::Changed => &mut self.n_changed,
            FileState::Missing => &mut self.n_missing,
            FileState::Added => &mut self.n_added,
            FileState::NoWayBack => &mut self.n_no_way_back,
        } += 1;
    }

    /// Returns the sums in words.
    fn lines(&self, is_all: bool) -> Vec<String> {
        let mut files = format!("{} as written by the run", n(self.n_after, "file"));
        for (count, words) in [
            (self.n_before, "as before the run"),
            (self.n_changed, "changed since"),
            (self.n_missing, "missing"),
            (self.n_added, "added"),
            (self.n_no_way_back, "without a way back"),
            (self.n_failed, "failed"),
        ] {
            if count > 0 {
                files.push_str(&format!(", {count} {words}"));
            }
        }
        let rest = if is_all {
            "the manifest lists all files of the output"
        } else {
            "the manifest lists only files that the run has changed"
        };
        let give = if self.n_edits == 1 { "gives" } else { "give" };
        vec![
            format!("{files}; {rest}"),
            format!(
                "{} {give} their old contents, and no other byte differs",
                n(self.n_edits, "edit")
            ),
        ]
    }
}

/// Compares a tree with the manifest of the run that wrote it. `paths` are the PATHs of the run, or
/// its output. The list goes to `events`: as text the problems, as JSON every file.
///
/// # Errors
///
/// [`Error`] if the manifest is damaged, or is of another tree, or if the receiver of the output
/// fails.
pub fn verify(
    manifest: &Path,
    paths: &[PathBuf],
    format: Format,
    events: &mut dyn Events,
) -> Result<VerifySummary, Error> {
    let manifest = Manifest::open(manifest)?;
    let tree = ListedTree::open(&manifest, paths)?;
    let mut summary = VerifySummary::default();
    let mut counter = Counter::with_total(manifest.n_files().0);
    let mut list = |found, root, below: &Path, edits: Option<usize>, events: &mut dyn Events| {
        summary.add(found);
        summary.n_edits += edits.unwrap_or_default();
        let (path, path_bytes) = paths::text(below);
        let shown = tree.shown(root, below);
        print(
            VerifiedFile { root, path, path_bytes, state: found, edits, shown: &shown },
            format,
            events,
        )
    };
    let mut failures = Vec::new();
    let work = |listed: Result<Recorded, Failure>| {
        listed.map(|listed| {
            let examined = examine(&tree, &manifest, &listed);
            (listed, examined)
        })
    };
    let pool = parallel::pool(None)?;
    parallel::for_each(
        &pool,
        manifest.files(),
        |_| 0,
        work,
        |examined| {
            let (listed, examined) = examined?;
            let (root, below) = (listed.document.root, listed.document.path());
            let shown = tree.shown(root, &below);
            match examined {
                Ok((found, edits)) => list(found, root, &below, edits, events)?,
                Err(error) => failures.push(Failure::reading(&shown)(error)),
            }
            counter.add_file(&shown, events);
            Ok::<_, Error>(())
        },
    )?;
    for (root, below, target) in &manifest.links {
        let found = match tree.link(*root, below) {
            Some(is) if is == *target => FileState::After,
            Some(_) => FileState::Changed,
            None if tree.locate(*root, below).is_ok_and(|at| !at.is_free()) => FileState::Changed,
            None => FileState::Missing,
        };
        list(found, *root, below, None, events)?;
    }
    if manifest.is_all {
        for added in tree.added(&manifest) {
            match added {
                Ok((root, below)) => list(FileState::Added, root, &below, None, events)?,
                Err(failure) => failures.push(failure),
            }
        }
    }
    events.event(Event::OutputEnd)?;
    summary.n_failed = failures.len();
    failures.iter().for_each(|failure| events.error(&failure.to_string()));
    summary.lines(manifest.is_all).iter().for_each(|line| events.report(line));
    Ok(summary)
}

/// Compares a file with the manifest, and its edits with the file. Returns the number of edits that
/// were tested.
fn examine(
    tree: &ListedTree,
    manifest: &Manifest,
    listed: &Recorded,
) -> std::io::Result<(FileState, Option<usize>)> {
    let found = tree.find(listed)?;
    Ok(match (found.state, found.open) {
        (DocumentState::New, Some(mut new)) => match tree.gives_old(manifest, listed, &mut new)? {
            true => (FileState::After, Some(listed.n_edits())),
            false => (FileState::NoWayBack, None),
        },
        (DocumentState::New, None) => (FileState::NoWayBack, None),
        (DocumentState::Old, _) => (FileState::Before, None),
        (DocumentState::Other, _) => (FileState::Changed, None),
        (DocumentState::Gone, _) => (FileState::Missing, None),
    })
}

/// Prints a line of the list.
fn print(line: VerifiedFile<'_>, format: Format, events: &mut dyn Events) -> Result<(), Error> {
    let mut out = events::OutputWriter(events);
    match (format, line.state.problem()) {
        (Format::Json, _) => messages::write_json(&mut out, &line)?,
        (Format::Text, Some(problem)) => {
            let text = messages::of_path(line.shown, problem);
            writeln!(out, "{}", messages::visible(&text))?;
        }
        (Format::Text, None) => {}
    }
    Ok(())
}
