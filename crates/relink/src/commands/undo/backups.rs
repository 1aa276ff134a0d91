//! Reverts a run from the copies that `--backup` has made.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::{UndoSummary, Undone};
use crate::events::Events;
use crate::events::summary::n;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
use crate::plan::exit::Error;
use crate::recovery::journal::Journal;
use crate::tree::progress::Counter;

/// Returns the number of files next to which there is a copy.
pub(super) fn count(roots: &[Root], suffix: &OsStr) -> usize {
    walk::entries(roots).flatten().filter(|entry| original(entry, suffix).is_some()).count()
}

/// Restores each file next to which there is a copy: the copy gets the name of the file.
///
/// # Errors
///
/// [`Error`] if there is no copy, or if a run is active or was interrupted there.
pub(super) fn undo(
    roots: &[Root],
    suffix: &OsStr,
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    let dirs = walk::dirs(roots);
    let line =
        CommandLine { directory: paths::absolute(".".as_ref()), ..CommandLine::named("undo") };
    // It locks the tree, and is removed when it is dropped.
    let (journal, _) = Journal::begin(roots, &dirs, &line, false)?;
    let mut summary = UndoSummary::default();
    let mut failures = Vec::new();
    let mut copies: Vec<(Entry, PathBuf)> = Vec::new();
    for entry in walk::entries(roots) {
        match entry {
            Ok(entry) => copies.extend(original(&entry, suffix).map(|path| (entry, path))),
            Err(failure) => failures.push(failure),
        }
    }
    if let (true, Some(root)) = (copies.is_empty(), roots.first().and_then(Root::path)) {
        let reason = format!(
            "no file has a copy with the suffix {}; use `--backup=SUFFIX` to name another suffix",
            suffix.display()
        );
        return Err(Error::at(root, reason));
    }
    let mut counter = Counter::with_total(copies.len());
    for (entry, path) in &copies {
        let at = dirs.locate(entry.root, &entry.below, &entry.path);
        match at.map_err(Failure::reading(&entry.path)).and_then(|at| restore(&at, path)) {
            Ok(()) => summary.add(Undone::Restored, path, events),
            Err(failure) => failures.push(failure),
        }
        counter.add_file(path, events);
    }
    drop(journal);
    failures.iter().for_each(|failure| events.error(&failure.to_string()));
    events.report(&format!("{} restored from copies", n(summary.n_restored, "document")));
    summary.n_failed = failures.len();
    Ok(summary)
}

/// Returns the path of the file that an entry is a copy of.
fn original(entry: &Entry, suffix: &OsStr) -> Option<PathBuf> {
    let name = entry.path.file_name()?.as_encoded_bytes();
    let name = name.strip_suffix(suffix.as_encoded_bytes()).filter(|name| !name.is_empty())?;
    let path = entry.path.with_file_name(paths::os_str(name)?);
    let is_both =
        entry.kind == EntryKind::File && path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_both.then_some(path)
}

/// Gives a copy the name of its file, which it replaces.
fn restore(copy: &Location, path: &std::path::Path) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default();
    copy.directory().rename(copy.name(), copy.directory(), name).map_err(Failure::writing(path))
}
