//! Gives the files of a complete run their old names.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::finished::CHANGED;
use crate::files::walk::{self, EntryKind};
use crate::os::failure::Failure;
use crate::plan::exit::Error;
use crate::recovery::journal::Journal;
use crate::recovery::journal::recover::DocumentState;
use crate::recovery::manifest::Manifest;
use crate::recovery::manifest::tree::ListedTree;
use crate::recovery::records::Recorded;
use crate::recovery::write::renames::{Step, Steps};
use crate::urls::renames::files::steps;

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
    let listed: HashMap<(usize, &Path), &Recorded> = manifest
        .files
        .iter()
        .map(|listed| ((listed.document.root, listed.document.below.as_path()), listed))
        .collect();
    let by_old: HashMap<(usize, &Path), &Path> = manifest
        .renames
        .iter()
        .map(|(root, old, new)| ((*root, old.as_path()), new.as_path()))
        .collect();
    let new_names: HashSet<(usize, &Path)> =
        manifest.renames.iter().map(|(root, _, new)| (*root, new.as_path())).collect();
    let is_ours = |root: usize, old: &Path, at: &Path| match listed.get(&(root, old)) {
        Some(listed) => {
            matches!(tree.state_at(at, listed), Ok(DocumentState::New | DocumentState::Old))
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
