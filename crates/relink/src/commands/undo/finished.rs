//! Reverts a run that is complete, with the edits in its manifest, or from the copies that
//! `--backup` has made.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::old_document::{self, write_old};
use super::{UNDO, UndoSummary, Undone};
use crate::events::Events;
use crate::events::summary::n;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::digest;
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
use crate::os::positioned::Positioned;
use crate::plan::exit::Error;
use crate::recovery::journal::Journal;
use crate::recovery::manifest::Manifest;
use crate::recovery::manifest::tree::ListedTree;
use crate::recovery::move_log;
use crate::recovery::open_document::DocumentState;
use crate::recovery::records::Recorded;
use crate::recovery::write::old_directories::OldDirectories;
use crate::recovery::write::renames::Steps;
use crate::recovery::write::replaced::{self, Replaced};
use crate::recovery::write::{self, Step};
use crate::tree::Counter;
use crate::urls::renames::files::steps;

/// The message if a file has another content than the run has written.
const CHANGED: &str = "not restored; the file was changed since the run; undo what came later first, or restore it from a backup";

/// Reverts the run of a manifest. Each file is restored whose content is the one that the run has
/// written; others are reported, and stay. So are `others`, outside of the tree.
///
/// # Errors
///
/// [`Error`] if the manifest is of another tree, or if a run is active or was interrupted there.
pub(super) fn undo(
    manifest: &Manifest,
    paths: &[PathBuf],
    others: &[Replaced],
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    let tree = ListedTree::open(manifest, paths)?;
    // It locks the tree. As nothing is recorded in it, it is removed when it is dropped.
    let line = CommandLine::named(UNDO);
    let (journal, _) = Journal::begin(&tree.roots, &tree.dirs, &line, false)?;
    let mut summary = UndoSummary::default();
    let mut failures = Vec::new();
    let directories = OldDirectories { dirs: &tree.dirs, all: &manifest.directories };
    let missing = directories.missing();
    if !missing.is_empty() {
        journal.log().note_made(&missing)?;
    }
    let made = journal.log().contents()?.made;
    let renamed = give(&tree, manifest, &journal, &mut failures)?;
    let mut counter = Counter::with_total(manifest.n_files().1);
    let work = |listed: Result<Recorded, Failure>| {
        let listed = match listed {
            Ok(listed) => listed,
            Err(failure) => return (manifest.path.clone(), Some(Err(failure))),
        };
        let shown = tree.shown(listed.document.root, &listed.document.path());
        let undone = match renamed.of(&listed) {
            Some(OldName::Missing) => None,
            is => Some(restore(&tree, manifest, &listed, is == Some(OldName::Given))),
        };
        (shown, undone)
    };
    old_document::each(manifest.changed(), work, |(shown, undone)| {
        match undone {
            Some(Ok(undone)) => summary.add(undone, &shown, events),
            Some(Err(failure)) => failures.push(failure),
            None => {}
        }
        counter.add_file(&shown, events);
    })?;
    if failures.is_empty() {
        let failed =
            manifest.moves.iter().filter_map(|moves| restore_moves(&tree, manifest, moves).err());
        failures.extend(failed);
    }
    failures.extend(replaced::restore(others));
    directories.restore(&made);
    // With its records, an undo that is interrupted goes on.
    journal.finish()?;
    failures.iter().for_each(|failure| events.error(&failure.to_string()));
    let mut line = format!("{} restored", n(summary.n_restored, "document"));
    if summary.n_unchanged > 0 {
        line.push_str(&format!(", {} already as before", summary.n_unchanged));
    }
    events.report(&line);
    summary.n_failed = failures.len();
    Ok(summary)
}

/// Restores one file, under its old name. `has_old_name` is true if it got that just before.
fn restore(
    tree: &ListedTree,
    manifest: &Manifest,
    listed: &Recorded,
    has_old_name: bool,
) -> Result<Undone, Failure> {
    let document = &listed.document;
    let is_moved = document.moved.is_some();
    let path = if is_moved { Cow::from(&document.below) } else { document.path() };
    let shown = tree.shown(document.root, &path);
    let failed = Failure::reading(&shown);
    let found = match document.moved {
        Some(_) => tree.find_at(&path, listed),
        None => tree.find(listed),
    };
    let found = found.map_err(&failed)?;
    let as_it_was = if has_old_name { Undone::Restored } else { Undone::Unchanged };
    let undone = match found.state {
        DocumentState::Old => as_it_was,
        DocumentState::New => {
            let at = tree.locate(document.root, &path).map_err(&failed)?;
            let old_name = document.renamed.as_ref().and(document.below.file_name());
            match (listed.n_edits(), old_name, found.open) {
                // Only its name is another one.
                (0, Some(name), _) => {
                    write::rename(&at, &at.sibling(name)).map(|()| Undone::Restored)?
                }
                (1.., old_name, Some(new)) => {
                    let changes = listed
                        .changes(Positioned::new(manifest.file(), 0))
                        .map_err(Failure::reading(&manifest.path))?;
                    write_old(&at, new, old_name, document.old, &changes, false)?
                }
                _ => as_it_was,
            }
        }
        DocumentState::Other => return Err(Failure::because(&shown, CHANGED)),
        DocumentState::Gone => {
            let reason = "not restored; the file does not exist any more; restore it from a backup";
            return Err(Failure::because(&shown, reason));
        }
    };
    // The copy of the old document is not needed any more.
    if let Some(name) = &document.kept
        && let Ok(kept) = tree.locate(document.root, &document.below.with_file_name(name))
        && kept.status().is_ok_and(|found| found.is_file)
        && kept
            .open()
            .and_then(|(file, _)| digest::of_reader(file))
            .is_ok_and(|hash| hash == document.old)
    {
        kept.remove().map_err(Failure::removing(kept.path()))?;
    }
    Ok(undone)
}

/// Restores the record of moves of a PATH.
fn restore_moves(tree: &ListedTree, manifest: &Manifest, moves: &Recorded) -> Result<(), Failure> {
    let Some(real) = tree.roots.get(moves.document.root).and_then(|root| root.real()) else {
        return Ok(());
    };
    let Ok(record) = move_log::beside(real) else { return Ok(()) };
    move_log::restore(&record, &[moves], manifest.file(), false)
}

// Gives the files of a complete run their old names.

/// What was found of a file that the run had renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldName {
    /// It had its old name.
    Has,
    /// It got its old name.
    Given,
    /// It is not there, or was changed; a failure says so.
    Missing,
}

/// The files that the run had renamed.
#[derive(Debug, Default)]
pub(super) struct OldNames(HashMap<(usize, PathBuf), OldName>);

impl OldNames {
    /// Returns what was found of a file; `None` if the run had not renamed it.
    pub(super) fn of(&self, listed: &Recorded) -> Option<OldName> {
        listed.document.moved.as_ref()?;
        self.0.get(&(listed.document.root, listed.document.below.clone())).copied()
    }
}

/// Gives the files that a run has renamed their old names, if they have the content of before or
/// after the run. The order is recorded in the journal, so that an interrupted command can go on.
///
/// # Errors
///
/// [`Error`] if a file cannot be renamed, or if the journal cannot be written.
pub(super) fn give(
    tree: &ListedTree,
    manifest: &Manifest,
    journal: &Journal,
    failures: &mut Vec<Failure>,
) -> Result<OldNames, Error> {
    let mut names = OldNames::default();
    if manifest.renames.is_empty() {
        return Ok(names);
    }
    let shown = |root: usize, below: &Path| tree.shown(root, below);
    let with = |steps: &[Step]| {
        let (dirs, directories) = (&tree.dirs, &*manifest.directories);
        let steps = Steps { dirs, steps, directories, shown: &shown, is_durable: false };
        let n_complete = steps.n_complete();
        steps.take_to_old(n_complete, &manifest.renames)
    };
    // Those of a command that was interrupted: all of them were found then.
    let recorded = journal.log().contents()?.renames;
    if !recorded.is_empty() {
        with(&recorded)?;
    }
    let back = find(tree, manifest, &mut names, failures)?;
    if recorded.is_empty() && !back.is_empty() {
        journal.log().note_renames(&back)?;
        with(&back)?;
    }
    Ok(names)
}

/// Finds the files that do not have their old names. Returns the steps that give them these.
fn find(
    tree: &ListedTree,
    manifest: &Manifest,
    names: &mut OldNames,
    failures: &mut Vec<Failure>,
) -> Result<Vec<Step>, Error> {
    let mut listed: HashMap<(usize, PathBuf), Recorded> = HashMap::new();
    for file in manifest.files() {
        let file = file?;
        if file.document.moved.is_some() {
            listed.insert((file.document.root, file.document.below.clone()), file);
        }
    }
    let by_old: HashMap<(usize, &Path), &Path> = manifest
        .renames
        .iter()
        .map(|(root, old, new)| ((*root, old.as_path()), new.as_path()))
        .collect();
    let new_names: HashSet<(usize, &Path)> =
        manifest.renames.iter().map(|(root, _, new)| (*root, new.as_path())).collect();
    let is_ours = |root: usize, old: &Path, at: &Path| match listed.get(&(root, old.to_owned())) {
        Some(listed) => {
            let found = tree.find_at(at, listed).map(|found| found.state);
            matches!(found, Ok(DocumentState::New | DocumentState::Old))
        }
        None => tree.link(root, at).is_some(),
    };
    let mut back: Vec<Vec<(PathBuf, PathBuf)>> = vec![Vec::new(); manifest.n_roots];
    // The old name of a file may be the new name of another: that one comes first.
    let heads = manifest.renames.iter().filter(|(root, old, _)| !new_names.contains(&(*root, old)));
    for (root, old, new) in heads {
        let (mut old, mut new, mut is_vacated) = (old.as_path(), new.as_path(), false);
        loop {
            let has_old_name = !is_vacated && is_ours(*root, old, old);
            let found = match () {
                () if has_old_name => OldName::Has,
                () if is_ours(*root, old, new) => OldName::Given,
                () => OldName::Missing,
            };
            if found == OldName::Given {
                back[*root].push((new.to_owned(), old.to_owned()));
            }
            if found == OldName::Missing {
                failures.push(Failure::because(&tree.shown(*root, new), CHANGED));
            }
            names.0.insert((*root, old.to_owned()), found);
            is_vacated = found == OldName::Given;
            let Some(next) = by_old.get(&(*root, new)) else { break };
            (old, new) = (new, next);
        }
    }
    let mut all = Vec::new();
    for (root, pairs) in back.iter().enumerate().filter(|(_, pairs)| !pairs.is_empty()) {
        let entries: Vec<PathBuf> = walk::entries(&tree.roots[root..=root])
            .flatten()
            .filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Link))
            .map(|entry| entry.below)
            .collect();
        let outer = |below: &PathBuf| below.ancestors().skip(1).map(Path::to_owned).collect();
        let directories: BTreeSet<PathBuf> =
            entries.iter().flat_map(|below| -> Vec<PathBuf> { outer(below) }).collect();
        // Renames that are no cycle are none in the other direction.
        let steps = steps(pairs, &directories, &entries).unwrap_or_default();
        all.extend(steps.into_iter().map(|(from, to)| (root, from, to)));
    }
    Ok(all)
}

// Reverts a run from the copies that `--backup` has made.

/// Returns the number of files next to which there is a copy.
pub(super) fn count(roots: &[Root], suffix: &OsStr) -> usize {
    walk::entries(roots).flatten().filter(|entry| original(entry, suffix).is_some()).count()
}

/// Restores each file next to which there is a copy: the copy gets the name of the file.
///
/// # Errors
///
/// [`Error`] if there is no copy, or if a run is active or was interrupted there.
pub(super) fn undo_by_copies(
    roots: &[Root],
    suffix: &OsStr,
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    let dirs = walk::dirs(roots);
    let line = CommandLine {
        directory: paths::absolute(".".as_ref()),
        ..CommandLine::named("undo_by_copies")
    };
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
        match at.map_err(Failure::reading(&entry.path)).and_then(|at| restore_copy(&at, path)) {
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
fn restore_copy(copy: &Location, path: &Path) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default();
    copy.directory().rename(copy.name(), copy.directory(), name).map_err(Failure::writing(path))
}
