//! Reverts an interrupted run: its changes, with the edits in its journal, or a new output that is
//! not complete.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::old_document::{self, write_old};
use super::{UndoSummary, Undone};
use crate::events::{Events, summary};
use crate::files::walk;
use crate::os::dirs::{Dirs, Location, beside};
use crate::os::failure::Failure;
use crate::os::positioned::Positioned;
use crate::os::{command_line, messages};
use crate::plan::exit::Error;
use crate::recovery::journal::contents::{self, JournalContents};
use crate::recovery::journal::discover::FoundJournal;
use crate::recovery::journal::lock::{self, LockAttempt};
use crate::recovery::journal::recover::{place, state};
use crate::recovery::journal::{self};
use crate::recovery::move_log;
use crate::recovery::open_document::{DocumentState, OpenDocument};
use crate::recovery::records::Recorded;
use crate::recovery::records::identity::Identity;
use crate::recovery::records::lines::LineReader;
use crate::recovery::write::old_directories::OldDirectories;
use crate::recovery::write::renames::Steps;
use crate::recovery::write::{self, replaced};
use crate::tree::Counter;

/// The message for a document whose record is incomplete, although it was complete before the
/// document was written over.
const DAMAGED: &str = "not restored; the file was replaced, and its record in the journal is incomplete, perhaps like those of other files; restore it from a backup";

/// The message for a truncated journal.
const CUT: &str = "the journal ends in the middle of a line; the disk was full, or the journal was truncated since; files recorded after this point are not restored";

/// Reverts an interrupted run. A journal that was copied, unpacked or restored is used only if
/// `is_trusted`.
///
/// # Errors
///
/// [`Error::Path`] if the journal is not trusted.
pub(super) fn undo(
    mut found: FoundJournal,
    is_trusted: bool,
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    if !is_trusted {
        found.check_trusted("undo", events)?;
    }
    let roots = found.roots();
    let dirs = directories(&found.contents, &roots);
    let missing = OldDirectories { dirs: &dirs, all: &found.contents.directories }.missing();
    found.note_made(missing);
    let FoundJournal { path: journal, contents, file } = &found;
    // If the run was to wait for the disk, this command waits too.
    let is_durable = contents.line.as_ref().is_some_and(|line| line.has("durable"));
    let mut documents: BTreeMap<PathBuf, (Location, Vec<usize>)> = BTreeMap::new();
    let mut failures = Vec::new();
    // Files get their old names first: under these, the documents are recorded.
    let shown = |root: usize, below: &Path| {
        place(roots.get(root).and_then(Option::as_deref).unwrap_or(Path::new("")), below)
    };
    let directories = &contents.directories;
    let steps =
        Steps { dirs: &dirs, steps: &contents.renames, directories, shown: &shown, is_durable };
    if let Err(failure) = steps.take_back(steps.n_complete()) {
        failures.push(failure.to_string());
    }
    for (number, recorded) in contents.documents.iter(file).enumerate() {
        let recorded = recorded.map_err(Failure::reading(journal))?;
        let Some(Some(root)) = roots.get(recorded.document.root) else {
            let of = contents.roots.get(recorded.document.root).map(PathBuf::as_path);
            failures.push(messages::of_path(
                &of.unwrap_or(Path::new("")).join(&recorded.document.below),
                match of {
                    Some(_) => "not restored; the journal was moved or copied without this PATH; move them together and run `relink undo` again",
                    None => "not restored; the journal is damaged and does not contain the directory of this file; restore it from a backup",
                },
            ));
            continue;
        };
        let path = place(root, &recorded.document.below);
        match dirs.locate(recorded.document.root, &recorded.document.below, &path) {
            Ok(at) => documents.entry(path).or_insert_with(|| (at, Vec::new())).1.push(number),
            Err(error) => {
                let reason = messages::reason(&error);
                let reason = format!("not restored; cannot open its directory: {reason}");
                failures.push(messages::of_path(&path, &reason));
            }
        }
    }
    for document in &contents.torn {
        let Some(Some(root)) = roots.get(document.root) else { continue };
        let path = place(root, &document.below);
        let at = dirs.locate(document.root, &document.below, &path);
        let is_new = at.is_ok_and(|at| state(&at, document) == DocumentState::New);
        if !documents.contains_key(&path) && is_new {
            failures.push(messages::of_path(&path, DAMAGED));
        }
    }
    failures.extend(replaced::restore(&contents.replaced).iter().map(Failure::to_string));
    let mut summary = UndoSummary::default();
    let mut counter = Counter::with_total(documents.len());
    let mut reader = contents.documents.reader(LineReader::of(Positioned::new(file, 0)));
    let read = |(at, numbers): (Location, Vec<usize>)| {
        let notes: io::Result<Vec<Recorded>> =
            numbers.into_iter().map(|number| reader.get(number)).collect();
        (at, notes.map_err(Failure::reading(journal)))
    };
    let work = |(at, notes): (Location, Result<Vec<Recorded>, Failure>)| {
        let undone = notes.and_then(|notes| restore(&at, &notes, file, is_durable));
        (at.path().to_owned(), undone)
    };
    old_document::each(documents.into_values().map(read), work, |(path, undone)| {
        match undone {
            Ok(undone) => summary.add(undone, &path, events),
            Err(failure) => failures.push(failure.to_string()),
        }
        counter.add_file(&path, events);
    })?;
    failures.iter().for_each(|failure| events.error(failure));
    if contents.is_cut {
        events.warning(&messages::of_path(journal, CUT));
    }
    events.report(&format!(
        "{} restored; {} not changed by the run",
        summary::n(summary.n_restored, "document"),
        summary::n(summary.n_unchanged, "document")
    ));
    if !failures.is_empty() {
        let name = roots.iter().flatten().next().map_or(Path::new("."), |root| &**root);
        events.error(&format!(
            "error: some documents were not restored; use `relink undo {}` to try again, or remove {} to keep them as they are",
            command_line::quoted(name.as_os_str()),
            journal.display()
        ));
        summary.n_failed = failures.len();
        return Ok(summary);
    }
    let numbered = roots.iter().enumerate();
    let known = numbered.filter_map(|(number, root)| Some((number, root.as_deref()?)));
    move_log::restore_all(known, file, contents)?;
    clear(&found, &dirs, &roots)?;
    Ok(summary)
}

/// Returns the directories of the PATHs of a journal. A PATH that has a recorded identity must
/// still have it.
fn directories(contents: &JournalContents, roots: &[Option<PathBuf>]) -> Dirs {
    let mut dirs = Dirs::new();
    for (number, root) in roots.iter().enumerate() {
        let identity = contents.identity(number);
        let recorded = identity.filter(|identity| identity.is_of_root(root_path(root)));
        let recorded = recorded.map(Identity::id);
        match root {
            Some(root) if root.is_dir() => dirs.add_directory(root.clone(), recorded),
            root => dirs.add_file(root_path(root), recorded),
        }
    }
    dirs
}

/// Returns a path that does not exist for an unknown PATH.
fn root_path(root: &Option<PathBuf>) -> &Path {
    root.as_deref().unwrap_or(Path::new(""))
}

/// Restores one document.
fn restore(
    at: &Location,
    notes: &[Recorded],
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    let Some(last) = notes.last() else { return Ok(Undone::Unchanged) };
    let renamed = last.document.renamed.as_ref().map(|name| at.sibling(name));
    let found = |at: &Location| {
        let found = notes.iter().rev().map(|recorded| (recorded, state(at, &recorded.document)));
        found
            .into_iter()
            .find(|(_, state)| matches!(state, DocumentState::New | DocumentState::Old))
    };
    let undone = match (found(at), renamed) {
        (Some((recorded, is)), renamed) => {
            // It had both names when the run was interrupted, or both documents existed.
            let is_new = |renamed: &Location| {
                is == DocumentState::Old && state(renamed, &last.document) == DocumentState::New
            };
            let is_ours = |renamed: &Location| at.is_same_file(renamed) || is_new(renamed);
            if let Some(renamed) = renamed.filter(is_ours) {
                renamed.remove().map_err(Failure::removing(renamed.path()))?;
            }
            restore_document(at, None, recorded, is, journal, is_durable)?
        }
        (None, Some(renamed)) if at.status().is_err() => match found(&renamed) {
            Some((recorded, DocumentState::New)) => {
                let name = Some(at.name());
                restore_document(&renamed, name, recorded, DocumentState::New, journal, is_durable)?
            }
            Some(_) => {
                write::rename(&renamed, at)?;
                Undone::Restored
            }
            None => return Err(changed(renamed.path())),
        },
        (None, _) => return Err(changed(at.path())),
    };
    for recorded in notes {
        let kept = recorded.document.kept.as_ref().map(|name| at.sibling(name));
        if let Some(kept) =
            kept.filter(|kept| state(kept, &recorded.document) == DocumentState::Old)
        {
            kept.remove().map_err(Failure::removing(kept.path()))?;
        }
    }
    Ok(undone)
}

fn changed(path: &Path) -> Failure {
    let reason = "not restored; the file was removed or changed since the interrupted run";
    Failure::because(path, reason)
}

/// Writes the old document over the new one. The document gets `renamed` as its new name, if there
/// is one.
fn restore_document(
    location: &Location,
    renamed: Option<&OsStr>,
    recorded: &Recorded,
    state: DocumentState,
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    if state == DocumentState::Old {
        return Ok(Undone::Unchanged);
    }
    let changes =
        recorded.changes(Positioned::new(journal, 0)).map_err(Failure::reading(location.path()))?;
    let new = OpenDocument::new(location).map_err(Failure::reading(location.path()))?;
    write_old(location, new, renamed, recorded.document.old, &changes, is_durable)
}

/// Removes the journal, and the other files that the run has left.
fn clear(found: &FoundJournal, dirs: &Dirs, roots: &[Option<PathBuf>]) -> Result<(), Failure> {
    (0..roots.len()).try_for_each(|number| journal::remove_left(dirs, number))?;
    journal::remove_left_beside(&found.contents)?;
    for root in roots.iter().skip(1).flatten() {
        for place in lock::further_places(root).unwrap_or_default() {
            let Ok(Some(LockAttempt::Locked(file))) = lock::take(&place) else { continue };
            let sees = contents::read(&*file).ok().flatten().and_then(|contents| contents.see);
            // As it was before both were moved, if they were.
            if sees.and_then(|sees| lock::subject(&sees)).as_ref() == found.contents.roots.first() {
                lock::remove(&place).map_err(Failure::removing(&place))?;
            }
        }
    }
    OldDirectories { dirs, all: &found.contents.directories }.restore(&found.contents.made);
    // Last: as long as it exists, all of this can be repeated.
    lock::remove(&found.path).map_err(Failure::removing(&found.path))
}

// Removes a new output that an interrupted run has not completed.

/// Removes the directory in which the output was built, restores the files outside of it, and
/// removes the journal. An output that was completed stays, with those files. A journal that was
/// copied, unpacked or restored is used only if `is_trusted`.
///
/// # Errors
///
/// [`Error::Path`] if the journal is not trusted, [`Error::File`] if something cannot be removed.
pub(super) fn remove_unfinished(
    found: FoundJournal,
    is_trusted: bool,
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    let built = found.built();
    let is_complete = built.is_none() && found.out().is_some_and(|out| out.exists());
    let replaced = &found.contents.replaced;
    if !is_trusted && (built.is_some() || is_complete || !replaced.is_empty()) {
        found.check_trusted("remove_unfinished", events)?;
    }
    let mut summary = UndoSummary::default();
    if !is_complete {
        let failures = replaced::restore(replaced);
        failures.iter().for_each(|failure| events.error(&failure.to_string()));
        summary.n_failed = failures.len();
        journal::remove_left_beside(&found.contents)?;
    }
    let report = match (&built, found.out()) {
        (Some(built), _) => {
            remove(&found, built)?;
            messages::of_path(built, "removed; the run had not completed its output")
        }
        (None, Some(out)) if out.exists() => {
            remove_left(&out)?;
            messages::of_path(&out, "not changed; the run had completed it")
        }
        (None, _) => messages::of_path(&found.path, "removed; the output of its run is gone"),
    };
    // Last: as long as it exists, all of this can be repeated.
    lock::remove(&found.path).map_err(Failure::removing(&found.path))?;
    events.report(&report);
    Ok(summary)
}

/// Removes the temporary files that the run has left in a complete output, and around it.
fn remove_left(out: &Path) -> Result<(), Failure> {
    let mut dirs = Dirs::new();
    dirs.add_directory(out.to_owned(), None);
    journal::remove_left(&dirs, 0)
}

/// Removes a directory and what is in it, if it is the one that the journal has recorded.
fn remove(found: &FoundJournal, built: &Path) -> Result<(), Failure> {
    let failed = Failure::removing(built);
    let id = found.contents.identity(0).map(Identity::id);
    let mut dirs = Dirs::new();
    dirs.add_directory(built.to_owned(), id.filter(|_| found.distrust().is_none()));
    for below in walk::directories(built) {
        // The run may have given it the mode of a directory that is only read.
        make_writable(&dirs, &below);
    }
    for entry in walk::contents_first(built) {
        let (path, is_directory) = entry.map_err(&failed)?;
        let below = path.strip_prefix(built).unwrap_or(Path::new(""));
        let removed = match (below.as_os_str().is_empty(), is_directory) {
            (true, _) => beside(built).and_then(|at| at.remove_directory()),
            (false, true) => dirs.locate(0, below, &path).and_then(|at| at.remove_directory()),
            (false, false) => dirs.locate(0, below, &path).and_then(|at| at.remove()),
        };
        removed.map_err(Failure::removing(&path))?;
    }
    Ok(())
}

/// Makes a directory writable for its owner, if that is possible.
#[cfg(unix)]
fn make_writable(dirs: &Dirs, below: &Path) {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(file) = dirs.directory(0, below).and_then(|directory| directory.as_file()) else {
        return;
    };
    if let Ok(metadata) = file.metadata()
        && metadata.mode() & 0o200 == 0
    {
        drop(file.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777 | 0o700)));
    }
}

/// Does nothing: directories have no modes here.
#[cfg(not(unix))]
fn make_writable(_: &Dirs, _: &Path) {}
