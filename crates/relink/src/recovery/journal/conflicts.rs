//! Other runs over the same files: only one at a time may write over a tree, and an interrupted one
//! comes first.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::contents::{self, JournalContents, Purpose};
use super::discover::FoundJournal;
use super::lock::{self, LockAttempt};
use super::{in_journal, open, read, reading};
use crate::files::walk;
use crate::os::command_line;
use crate::os::paths::Root;
use crate::plan::exit::Error;

/// A PATH: as typed, for messages, and with all links resolved when the run began.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedRoot<'r> {
    pub(super) typed: &'r Path,
    pub(super) real: &'r Path,
}

impl<'r> NamedRoot<'r> {
    /// Returns both paths of a root, if it has one.
    pub(super) fn new(root: &'r Root) -> Option<Self> {
        Some(NamedRoot { typed: root.path()?, real: root.real()? })
    }
}

/// Locks a further PATH of the run: another run that finds the file checks whether the journal that
/// it names is locked. Returns `None` if nothing can be written over there.
pub(super) fn lock_further(
    root: NamedRoot<'_>,
    places: &[PathBuf],
    journal: &Path,
) -> Result<Option<PathBuf>, Error> {
    // A file can only be replaced where one can be created.
    let is_shut = |place: &PathBuf| {
        let reason = lock::make(place).map_err(|error| error.kind());
        matches!(reason, Err(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem))
    };
    if !root.real.is_dir() && places.iter().all(is_shut) {
        return Ok(None);
    }
    let (path, mut file) = open(root.typed, places)?;
    let contents = read(&path, &file)?;
    if contents.has_changes() {
        return Err(interrupted(root.typed, &FoundJournal { path, contents, file }));
    }
    match &contents.see {
        // A run that continues leaves it complete: without it, the journal is not found from here.
        Some(other) if other == journal => return Ok(Some(path)),
        Some(other) => check_seen(root.typed, other)?,
        None => {}
    }
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.write_all(&contents::head(Purpose::See(journal)))
    };
    if let Err(error) = write(&mut file) {
        drop(lock::remove(&path));
        return Err(in_journal(&path)(error));
    }
    Ok(Some(path))
}

/// Checks that a journal does not exist, or that it is empty and not locked; or that it names
/// `own`.
fn check_free(root: &Path, journal: &Path, own: &Path) -> Result<(), Error> {
    match lock::take(journal).map_err(in_journal(journal))? {
        None => Ok(()),
        Some(LockAttempt::Busy) => Err(lock::busy(root)),
        Some(LockAttempt::Locked(file)) => match read(journal, &file)? {
            JournalContents { see: Some(see), .. } if see == own => Ok(()),
            JournalContents { see: Some(see), .. } => check_seen(root, &see),
            contents if contents.has_changes() => {
                Err(interrupted(root, &FoundJournal { path: journal.to_owned(), contents, file }))
            }
            _ => Ok(()),
        },
    }
}

/// Checks the same for a journal that the file at a further PATH names.
pub(super) fn check_seen(root: &Path, journal: &Path) -> Result<(), Error> {
    match lock::take(journal).map_err(in_journal(journal))? {
        None => Ok(()),
        Some(LockAttempt::Busy) => Err(lock::busy(root)),
        Some(LockAttempt::Locked(file)) => match read(journal, &file)? {
            contents if contents.has_changes() => {
                Err(interrupted(root, &FoundJournal { path: journal.to_owned(), contents, file }))
            }
            _ => Ok(()),
        },
    }
}

/// Checks that no file is to be written over twice.
pub(super) fn check_apart(roots: &[NamedRoot<'_>]) -> Result<(), Error> {
    let mut paths = Vec::with_capacity(roots.len());
    for root in roots {
        root.real.symlink_metadata().map_err(reading(root.typed))?;
        paths.push((root.real, root.typed));
    }
    paths.sort_unstable();
    // The contents of a directory come right after it, or after other contents of it.
    for pair in paths.windows(2) {
        let [(outer, around), (inner, within)] = pair else { continue };
        if inner.starts_with(outer) {
            let reason = if inner == outer {
                "this PATH is given twice; remove one".to_owned()
            } else {
                format!(
                    "it is inside {}, which is another PATH; remove one of them",
                    around.display()
                )
            };
            return Err(Error::at(within, format!("cannot write in place; {reason}")));
        }
    }
    Ok(())
}

/// Checks that no run over a directory around a PATH is active or interrupted.
pub(super) fn check_around(root: NamedRoot<'_>, own: &Path) -> Result<(), Error> {
    for directory in root.real.ancestors().skip(1) {
        for journal in lock::places(directory).map_err(reading(directory))? {
            // Of the places for the journal of that directory, the one inside may be in a directory
            // that cannot be read.
            if journal.symlink_metadata().is_ok() {
                check_free(directory, &journal, own)?;
            }
        }
    }
    Ok(())
}

/// Checks that no run over something in a PATH is active or interrupted.
pub(super) fn check_within(root: NamedRoot<'_>) -> Result<(), Error> {
    if !root.real.is_dir() {
        return Ok(());
    }
    let own = lock::places(root.real).map_err(reading(root.typed))?;
    for path in walk::notes(root.real) {
        if let Some(subject) = lock::subject(&path)
            && !path.canonicalize().is_ok_and(|path| own.contains(&path))
        {
            check_free(&subject, &path, Path::new(""))?;
        }
    }
    Ok(())
}

/// Returns the error for a journal of an interrupted run, which says what can be done.
pub(super) fn interrupted(root: &Path, found: &FoundJournal) -> Error {
    let name = command_line::quoted(root.as_os_str());
    if let Some(distrust) = found.distrust() {
        let journal = found.path.display();
        return Error::at(
            root,
            format!(
                "cannot start; the journal {journal} of an interrupted run is not trusted: {distrust}; remove it, or see `--trust` in `relink undo --help`"
            ),
        );
    }
    if let Some(line) = found
        .contents
        .line
        .as_ref()
        .filter(|_| found.contents.is_creation() && found.contents.builds.is_none())
    {
        let (line, journal) = (line.shown(), found.path.display());
        return Error::at(
            root,
            format!(
                "cannot start; a run was interrupted here ({line}); use `relink resume {name}` to continue it, or remove the directory and {journal}"
            ),
        );
    }
    // At a further PATH: its journal contains the command.
    let command = found.contents.line.as_ref().map(|line| format!(" ({})", line.shown()));
    let command = command.unwrap_or_default();
    Error::at(
        root,
        format!(
            "cannot start; a run was interrupted here{command}; use `relink resume {name}` to continue it, or `relink undo {name}` to revert it"
        ),
    )
}
