//! The directories around files that are renamed, as they were before.
//!
//! They are recorded before the first rename. A new directory that takes the place of an old one
//! gets its state, so that a directory that is renamed as a whole keeps it; its empty directories
//! follow. When the renames are taken back, directories are again what they were, and exist only if
//! they did.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::Step;
use crate::files::walk;
use crate::os::attributes::{self, DirectoryState};
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;

/// A directory of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldDirectory {
    /// The number of its PATH.
    pub root: usize,
    /// Its path below the PATH; empty for the PATH itself.
    pub below: PathBuf,
    /// What it was.
    pub state: DirectoryState,
}

/// A directory: the number of its PATH, and its path below it.
type Place<'p> = (usize, &'p Path);

/// The directories of a run.
#[derive(Clone, Copy, Debug)]
pub struct OldDirectories<'d> {
    /// Where they are.
    pub dirs: &'d Dirs,
    /// What was recorded of them.
    pub all: &'d [OldDirectory],
}

/// Reads the state of the directories around the files of some steps, and of those below them.
///
/// # Errors
///
/// [`Failure`] with the path of a directory that cannot be read. What may not be listed is not
/// removed either.
pub fn read(dirs: &Dirs, steps: &[Step]) -> Result<Vec<OldDirectory>, Failure> {
    let mut places: BTreeSet<(usize, PathBuf)> = BTreeSet::new();
    for (root, old, new) in steps {
        let outer = old.ancestors().skip(1).chain(new.ancestors().skip(1));
        places.extend(outer.map(|outer| (*root, outer.to_owned())));
    }
    // Empty ones go with the directory that they are in, which may become a file. The outermost has
    // all others.
    let replaced = replaced(steps);
    let mut with_inner: BTreeSet<Place<'_>> =
        replaced.iter().filter(|(_, new)| new.is_some()).map(|(old, _)| *old).collect();
    for (root, _, new) in steps {
        if of(dirs, *root, new.clone())?.is_some() {
            with_inner.insert((*root, new));
        }
    }
    let mut last: Option<Place<'_>> = None;
    for (root, old) in with_inner {
        let is_inner = last.is_some_and(|(of, outer)| of == root && old.starts_with(outer));
        let Some(path) = dirs.path(root).filter(|_| !is_inner) else { continue };
        last = Some((root, old));
        for found in walk::contents_first(&path.join(old)) {
            match found {
                Ok((inner, true)) => {
                    places.extend(inner.strip_prefix(path).map(|below| (root, below.to_owned())));
                }
                Err(error) if error.kind() != io::ErrorKind::PermissionDenied => {
                    return Err(Failure::reading(&path.join(old))(error));
                }
                _ => {}
            }
        }
    }
    places.into_iter().filter_map(|(root, below)| of(dirs, root, below).transpose()).collect()
}

/// Reads the state of one directory; `None` if there is none, or if it may not be read.
///
/// # Errors
///
/// [`Failure`] with its path, if the disk fails.
pub fn of(dirs: &Dirs, root: usize, below: PathBuf) -> Result<Option<OldDirectory>, Failure> {
    let read = dirs.directory(root, &below).and_then(|found| attributes::directory(&found));
    match read {
        Ok(state) => Ok(Some(OldDirectory { root, below, state })),
        Err(error)
            if error.kind() == io::ErrorKind::PermissionDenied || is_no_directory(&error) =>
        {
            Ok(None)
        }
        Err(error) => {
            Err(Failure::reading(&dirs.path(root).unwrap_or(Path::new("")).join(below))(error))
        }
    }
}

/// Returns true if an error means that there is nothing at a path, or something else. That of a
/// link has no number of the system.
fn is_no_directory(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::NotFound)
        || error.raw_os_error().is_none()
}

/// Returns the directories around the old paths of steps, each with the one that takes its place:
/// where files of one go to several, none does.
fn replaced(steps: &[Step]) -> BTreeMap<Place<'_>, Option<&Path>> {
    let mut found: BTreeMap<Place<'_>, Option<&Path>> = BTreeMap::new();
    // A file may have a name in between.
    let mut first: BTreeMap<Place<'_>, &Path> = BTreeMap::new();
    for (root, old, new) in steps {
        let old = first.remove(&(*root, old.as_path())).unwrap_or(old);
        first.insert((*root, new), old);
    }
    for ((root, new), old) in first {
        let outer = |path| Path::ancestors(path).skip(1).filter(|of| !of.as_os_str().is_empty());
        for (old, new) in outer(old).zip(outer(new)) {
            let known = found.entry((root, old)).or_insert(Some(new));
            *known = known.filter(|known| *known == new);
        }
    }
    found
}

impl<'d> OldDirectories<'d> {
    /// Returns the state that a directory had.
    fn state(&self, root: usize, below: &Path) -> Option<&'d DirectoryState> {
        let idx = self.all.binary_search_by(|old| (old.root, &*old.below).cmp(&(root, below)));
        idx.ok().map(|idx| &self.all[idx].state)
    }

    /// Returns true if a directory existed before the renames.
    pub(super) fn has(&self, root: usize, below: &Path) -> bool {
        self.state(root, below).is_some()
    }

    /// Gives a directory that was just created the rights that it had before the renames, or else
    /// those of the one whose place it takes. What cannot be set stays.
    pub(super) fn protect(&self, root: usize, below: &Path, replaced: Option<&Path>) {
        let state = self.state(root, below).or_else(|| self.state(root, replaced?));
        if let Some(state) = state {
            self.give(root, below, state, false);
        }
    }

    /// Gives a directory a state. What cannot be set stays.
    fn give(&self, root: usize, below: &Path, state: &DirectoryState, has_times: bool) {
        if let Ok(directory) = self.dirs.directory(root, below) {
            attributes::give_to_directory(&directory, state, has_times);
        }
    }

    /// Completes the directories of files that were renamed: those that take the place of others
    /// get their state and their empty directories. The old ones are removed.
    pub(super) fn follow(&self, steps: &[Step]) {
        let mut is_empty: BTreeMap<Place<'_>, bool> = BTreeMap::new();
        let replaced = replaced(steps);
        let moved = self.moved(&replaced).filter(|(old, outer, _)| {
            // One with files stays, with all in it.
            let path = self.dirs.path(old.root).map(|root| root.join(outer));
            *is_empty.entry((old.root, outer)).or_insert_with(|| {
                let mut inner = path.into_iter().flat_map(|path| walk::contents_first(&path));
                inner.by_ref().flatten().all(|(_, is_directory)| is_directory)
            })
        });
        let moved: Vec<(&OldDirectory, PathBuf)> = moved
            .filter(|(old, _, new)| {
                !self.has(old.root, new) && self.dirs.make(old.root, new).is_ok()
            })
            .map(|(old, _, new)| (old, new))
            .collect();
        for (old, new) in moved.iter().rev() {
            self.remove(old.root, &old.below);
            self.give(old.root, new, &old.state, true);
        }
    }

    /// Returns those that do not exist any more, or are something else.
    pub fn missing(&self) -> Vec<(usize, PathBuf)> {
        let is_missing = |old: &&OldDirectory| {
            self.dirs.directory(old.root, &old.below).is_err_and(|error| is_no_directory(&error))
        };
        let missing = self.all.iter().filter(is_missing);
        missing.map(|old| (old.root, old.below.clone())).collect()
    }

    /// Creates the directories that do not exist any more.
    pub(super) fn make(&self) {
        for OldDirectory { root, below, state } in self.all {
            if self.dirs.make(*root, below).is_ok_and(|is_new| is_new) {
                self.give(*root, below, state, false);
            }
        }
    }

    /// Removes the directories that took the place of others, if they are empty.
    pub(super) fn remove_new(&self, steps: &[Step]) {
        let replaced = replaced(steps);
        let new: BTreeSet<(usize, PathBuf)> =
            self.moved(&replaced).map(|(old, _, new)| (old.root, new)).collect();
        let around = steps.iter().flat_map(|(root, _, new)| {
            new.ancestors().skip(1).map(|directory| (*root, directory.to_owned()))
        });
        let new: BTreeSet<(usize, PathBuf)> = new.into_iter().chain(around).collect();
        // The inner ones come after the outer ones.
        for (root, directory) in new.iter().rev().filter(|(root, new)| !self.has(*root, new)) {
            self.remove(*root, directory);
        }
    }

    /// Gives the directories that were `made` again what they had before the renames, and the
    /// others their time: nothing else of them was changed by the run.
    pub fn restore(&self, made: &BTreeSet<(usize, PathBuf)>) {
        self.make();
        for OldDirectory { root, below, state } in self.all.iter().rev() {
            if made.contains(&(*root, below.clone())) {
                self.give(*root, below, state, true);
            } else if let Ok(directory) = self.dirs.directory(*root, below) {
                attributes::give_time_to_directory(&directory, state);
            }
        }
    }

    /// Returns the directories that have others in their place: with the one around it, or itself,
    /// for which a file shows that, and the new path. One whose files go to several has none, and
    /// neither has one whose files come into another.
    fn moved<'s>(
        self,
        replaced: &'s BTreeMap<Place<'s>, Option<&'s Path>>,
    ) -> impl Iterator<Item = (&'d OldDirectory, &'d Path, PathBuf)> + use<'d, 's> {
        self.all.iter().filter_map(move |old| {
            let mut outer = old.below.ancestors();
            let (outer, new) =
                outer.find_map(|outer| Some((outer, replaced.get(&(old.root, outer))?)))?;
            let (new, rest) = ((*new)?, old.below.strip_prefix(outer).ok()?);
            // Files that come into a directory that was there bring nothing along.
            let is_replaced = || replaced.get(&(old.root, new)).is_some_and(Option::is_some);
            if self.has(old.root, new) && !is_replaced() {
                return None;
            }
            Some((old, outer, new.join(rest).components().collect()))
        })
    }

    /// Removes a directory, if it is empty.
    fn remove(&self, root: usize, below: &Path) {
        // One that is not empty is not removed.
        drop(self.dirs.locate(root, below, below).and_then(|at| at.remove_directory()));
    }
}
