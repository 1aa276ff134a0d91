//! Reverts a run that is complete, with the edits in its manifest.

use std::path::PathBuf;

use super::old_names::{self, OldName};
use super::{UNDO, UndoSummary, Undone, write_old};
use crate::events::Events;
use crate::events::summary::n;
use crate::os::command_line::CommandLine;
use crate::os::digest;
use crate::os::failure::Failure;
use crate::os::positioned::Positioned;
use crate::plan::exit::Error;
use crate::recovery::journal::Journal;
use crate::recovery::journal::recover::DocumentState;
use crate::recovery::manifest::Manifest;
use crate::recovery::manifest::tree::ListedTree;
use crate::recovery::move_log;
use crate::recovery::records::Recorded;
use crate::recovery::write;
use crate::recovery::write::old_directories::OldDirectories;
use crate::recovery::write::replaced::{self, Replaced};
use crate::tree::progress::Counter;

/// The message if a file has another content than the run has written.
pub(super) const CHANGED: &str = "not restored; the file was changed since the run; undo what came later first, or restore it from a backup";

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
    let renamed = old_names::give(&tree, manifest, &journal, &mut failures)?;
    let changed: Vec<&Recorded> =
        manifest.files.iter().filter(|file| file.document.is_changed()).collect();
    let mut counter = Counter::with_total(changed.len());
    let work = |listed: &Recorded| {
        let shown = tree.shown(listed.document.root, &listed.document.path());
        let undone = match renamed.of(listed) {
            Some(OldName::Missing) => None,
            is => Some(restore(&tree, manifest, listed, is == Some(OldName::Given))),
        };
        (shown, undone)
    };
    super::each(changed, work, |(shown, undone)| {
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
    let path = if document.moved.is_some() { document.below.clone() } else { document.path() };
    let shown = tree.shown(document.root, &path);
    let failed = Failure::reading(&shown);
    let state = match document.moved {
        Some(_) => tree.state_at(&path, listed),
        None => tree.state(listed),
    };
    let as_it_was = if has_old_name { Undone::Restored } else { Undone::Unchanged };
    let undone = match state.map_err(&failed)? {
        DocumentState::Old => as_it_was,
        DocumentState::New => {
            let at = tree.locate(document.root, &path).map_err(&failed)?;
            let old_name = document.renamed.as_ref().and(document.below.file_name());
            match listed.n_edits() {
                // Only its name is another one.
                0 => match old_name {
                    Some(name) => {
                        write::rename(&at, &at.sibling(name)).map(|()| Undone::Restored)?
                    }
                    None => as_it_was,
                },
                _ => {
                    let changes = listed
                        .changes(Positioned::new(manifest.file(), 0))
                        .map_err(Failure::reading(&manifest.path))?;
                    write_old(&at, old_name, &document.old, &changes, false)?
                }
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
