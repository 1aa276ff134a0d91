//! `relink undo`: reverts the changes of a run that wrote over documents.
//!
//! An interrupted run has left its journal (`interrupted.rs`), a finished one its manifest
//! (`finished.rs`), or copies of the old documents (`finished.rs`). A new output that is not
//! complete is removed (`interrupted.rs`).

mod finished;
mod interrupted;
mod old_document;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::events::detail::UndoneDetail;
use crate::events::summary::n;
use crate::events::{Event, Events, Status};
use crate::os::command_line;
use crate::os::paths::Root;
use crate::plan::exit::Error;
use crate::recovery::journal::discover::{FoundJournal, find};
use crate::recovery::manifest::{Manifest, kept};

/// The command in the journal of an undo of a complete run. The same one continues it.
pub(crate) const UNDO: &str = "undo";

/// The message if there is nothing to revert.
const NOTHING_TO_REVERT: &str =
    "no run to revert found; there is neither a journal nor a manifest; use a PATH of the run";

/// The run that `undo` reverts.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// The PATHs of the run, or its output. Without --manifest, one is enough, or none in its
    /// directory.
    pub paths: Vec<PathBuf>,
    /// The manifest of the run, if it is not the one that the run has kept.
    pub manifest: Option<PathBuf>,
    /// The suffix of the copies that are restored, if there is neither a journal nor a manifest.
    pub backup: Option<OsString>,
    /// True if a journal or a kept manifest is trusted that was copied, unpacked or restored.
    pub is_trusted: bool,
}

/// The result for a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undone {
    /// Its old content was restored.
    Restored,
    /// It had its old content.
    Unchanged,
}

/// The sums of a run that was reverted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoSummary {
    /// Documents whose old content was restored.
    pub n_restored: usize,
    /// Documents that had their old content.
    pub n_unchanged: usize,
    /// Documents that could not be restored; messages name them, and the journal stays.
    pub n_failed: usize,
}

impl UndoSummary {
    /// Returns the exit status for these sums.
    pub fn status(&self) -> Status {
        if self.n_failed > 0 { Status::Failed } else { Status::Done }
    }

    /// Adds a document, and sends its result to the receiver.
    fn add(&mut self, undone: Undone, path: &Path, events: &mut dyn Events) {
        let is_restored = undone == Undone::Restored;
        if is_restored {
            self.n_restored += 1;
        } else {
            self.n_unchanged += 1;
        }
        let path = path.to_string_lossy().into_owned();
        // What nobody reads is no reason to restore only half of the documents.
        drop(events.event(Event::Undone(&UndoneDetail { path, is_restored })));
    }
}

/// Reverts a run: with a manifest that is given; or else with the journal of an interrupted run,
/// the manifest that the last run has kept, or the copies of the documents.
///
/// # Errors
///
/// [`Error::Path`] if there is none of them, or if it is not trusted or damaged.
pub fn undo(options: &Undo, events: &mut dyn Events) -> Result<UndoSummary, Error> {
    let Undo { paths, manifest, backup, is_trusted } = options;
    if let Some(manifest) = manifest {
        return finished::undo(&Manifest::open(manifest)?, paths, &[], events);
    }
    let found = find(paths.first().map(PathBuf::as_path))?;
    let found = match found {
        Some(found) if found.contents.builds.is_some() => {
            return interrupted::remove_unfinished(found, *is_trusted, events);
        }
        Some(found) if found.contents.is_creation() => return Err(only_created(&found)),
        found => found,
    };
    let is_undo = |found: &FoundJournal| {
        found.contents.line.as_ref().is_some_and(|line| line.command == UNDO)
    };
    // An undo of a complete run that was interrupted goes on.
    if let Some(found) = found.filter(|found| !is_undo(found)) {
        let first = found.roots().into_iter().flatten().next();
        let summary = interrupted::undo(found, *is_trusted, events)?;
        if let Some(first) = first.filter(|_| summary.n_failed == 0) {
            kept::remove_reverted(&first, *is_trusted)?;
        }
        return Ok(summary);
    }
    let roots: Vec<Root> = paths.iter().cloned().map(Root::new).collect();
    if let Some(suffix) = backup {
        return finished::undo_by_copies(&roots, suffix, events);
    }
    if let Some((manifest, paths)) = kept::find(&roots, *is_trusted, events)? {
        let summary = finished::undo(&manifest, &paths, &manifest.replaced(), events)?;
        if summary.n_failed == 0 {
            kept::remove(&manifest)?;
        }
        return Ok(summary);
    }
    let named = paths.first().map_or(Path::new("."), PathBuf::as_path);
    Err(match finished::count(&roots, OsStr::new(".orig")) {
        0 => Error::at(named, not_found(named)),
        count => Error::at(
            named,
            format!(
                "no journal and no manifest of a run found, but {} with a copy (.orig); use `relink undo --backup {}` to restore them from the copies",
                n(count, "file"),
                command_line::quoted(named.as_os_str())
            ),
        ),
    })
}

/// Returns the error for a run that only creates files.
fn only_created(found: &FoundJournal) -> Error {
    let root = found.roots().into_iter().flatten().next().unwrap_or_else(|| found.path.clone());
    let (name, journal) = (command_line::quoted(root.as_os_str()), found.path.display());
    let reason = format!(
        "nothing to undo; the interrupted run only creates files; use `relink resume {name}` to continue it, or remove the directory and {journal}"
    );
    Error::at(&root, reason)
}

/// Returns the reason why no run over a PATH can be reverted.
fn not_found(path: &Path) -> String {
    let Some(directory) = kept::around(path) else { return NOTHING_TO_REVERT.to_owned() };
    let is_current = Path::new(".").canonicalize().is_ok_and(|current| current == directory);
    let (shown, argument) = if is_current {
        ("the current directory".to_owned(), ".".to_owned())
    } else {
        (directory.display().to_string(), command_line::quoted(directory.as_os_str()))
    };
    format!(
        "no run over it found; the last run over {shown} includes it; use `relink undo {argument}` to revert that run"
    )
}
