//! Renaming the files of a tree, one after another in a recorded order, and back.
//!
//! Invariant: the new path of each step is free when its turn comes, and no step begins before the
//! one before it is complete, but for those of a directory that is renamed as a whole. So the names
//! that exist show how many steps are complete: after each step they are others, and while a file
//! has two names there is one more, of the same file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use super::old_directories::{OldDirectories, OldDirectory};
use super::whole_directories::{self, MovedDirectory};
use super::{Step, rename};
use crate::files::walk;
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;

/// Returns the new paths of the files that all steps rename, by their numbers of the root and their
/// old paths.
pub fn new_paths(steps: &[Step]) -> BTreeMap<(usize, PathBuf), PathBuf> {
    let mut old: BTreeMap<(usize, PathBuf), PathBuf> = BTreeMap::new();
    for (root, from, to) in steps {
        // The second step of a file begins where the first has ended.
        let first = old.remove(&(*root, from.clone())).unwrap_or_else(|| from.clone());
        old.insert((*root, to.clone()), first);
    }
    old.into_iter().map(|((root, new), old)| ((root, old), new)).collect()
}

/// Steps, and the tree in which they are taken.
pub struct Steps<'s> {
    /// The directories of the PATHs.
    pub dirs: &'s Dirs,
    /// The steps, in their order.
    pub steps: &'s [Step],
    /// The directories around the files before the renames.
    pub directories: &'s [OldDirectory],
    /// Returns the path that messages name.
    pub shown: &'s dyn Fn(usize, &Path) -> PathBuf,
    /// True if each step is flushed to the disk.
    pub is_durable: bool,
}

impl Steps<'_> {
    /// Returns the number of steps that are complete. The next one may have given a file its new
    /// name, and not yet removed the old one.
    pub fn n_complete(&self) -> usize {
        // A directory with that name makes way for the file when its turn comes.
        let has_file = |root: usize, below: &Path| {
            let status = self.locate(root, below).and_then(|at| at.status());
            status.is_ok_and(|found| !found.is_directory)
        };
        self.n_by_names(&has_file).unwrap_or_else(|| {
            // Others have changed names: the last step that is complete by its own names counts.
            let is_free = |root: usize, below: &Path| {
                self.locate(root, below).map_or(true, |at| at.is_free())
            };
            let is_complete = |(root, old, new): &Step| is_free(*root, old) && has_file(*root, new);
            self.steps.iter().rposition(is_complete).map_or(0, |last| last + 1)
        })
    }

    /// Returns true if a step is complete, or if the file of the first one has both names.
    pub fn has_begun(&self) -> bool {
        let is_half = |(root, old, new): &Step| self.has_both(*root, old, new);
        self.n_complete() > 0 || self.steps.first().is_some_and(is_half)
    }

    /// Returns true if a file has both names.
    fn has_both(&self, root: usize, old: &Path, new: &Path) -> bool {
        match (self.locate(root, old), self.locate(root, new)) {
            (Ok(old), Ok(new)) => old.is_same_file(&new),
            _ => false,
        }
    }

    /// Returns the number of complete steps after which exactly these names would exist; `None` if
    /// there is no such number.
    fn n_by_names(&self, has_file: &dyn Fn(usize, &Path) -> bool) -> Option<usize> {
        let mut exists: HashMap<(usize, &Path), bool> = HashMap::new();
        for (root, old, new) in self.steps {
            exists.entry((*root, old)).or_insert(true);
            exists.entry((*root, new)).or_insert(false);
        }
        let found: HashMap<(usize, &Path), bool> =
            exists.keys().map(|(root, path)| ((*root, *path), has_file(*root, path))).collect();
        let mut n_other =
            found.iter().filter(|(place, is_there)| exists[place] != **is_there).count();
        let mut set = |root: usize, path, is_there: bool| {
            let place = (root, path);
            if found[&place] == is_there {
                n_other -= usize::from(exists[&place] != is_there);
            } else {
                n_other += usize::from(exists[&place] != is_there);
            }
            exists.insert(place, is_there);
            n_other
        };
        for (number, (root, old, new)) in self.steps.iter().enumerate() {
            if set(*root, old, true) == 0 {
                return Some(number);
            }
            // The same names exist while the file of another step has two.
            if set(*root, new, true) == 0 && self.has_both(*root, old, new) {
                return Some(number);
            }
            set(*root, old, false);
        }
        let (root, old, _) = self.steps.last()?;
        (set(*root, old, false) == 0).then_some(self.steps.len())
    }

    fn old_directories(&self) -> OldDirectories<'_> {
        OldDirectories { dirs: self.dirs, all: self.directories }
    }

    /// Takes the steps after the first `n_complete`, and removes the directories that are empty
    /// then.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the first step that fails; those before it are complete.
    pub fn take(&self, n_complete: usize) -> Result<(), Failure> {
        self.take_all(&self.steps[n_complete..], &|_, _| false)?;
        self.old_directories().follow(self.steps);
        self.remove_empty(self.steps.iter().map(|(root, old, _)| (*root, old.as_path())));
        Ok(())
    }

    /// Takes the steps after the first `n_complete`, which give files the names that they had
    /// before the renames `taken`. Only directories are left that existed then.
    ///
    /// # Errors
    ///
    /// As those of [`Steps::take`].
    pub fn take_to_old(&self, n_complete: usize, taken: &[Step]) -> Result<(), Failure> {
        self.take_all(&self.steps[n_complete..], &|root, old| {
            self.old_directories().has(root, old)
        })?;
        self.old_directories().make();
        self.old_directories().remove_new(taken);
        Ok(())
    }

    /// Takes the first `n_complete` steps back, the last one first, and removes the directories
    /// that are empty then.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the first step that fails.
    pub fn take_back(&self, n_complete: usize) -> Result<(), Failure> {
        // The next step may have given a file both names.
        if let Some((root, old, new)) = self.steps.get(n_complete)
            && self.has_both(*root, old, new)
            && let Ok(new) = self.locate(*root, new)
        {
            new.remove().map_err(Failure::removing(new.path()))?;
        }
        let taken = self.steps[..n_complete].iter().rev();
        let back: Vec<Step> =
            taken.map(|(root, old, new)| (*root, new.clone(), old.clone())).collect();
        self.take_all(&back, &|root, old| self.old_directories().has(root, old))?;
        self.old_directories().make();
        self.old_directories().remove_new(self.steps);
        Ok(())
    }

    /// Takes steps one after another; those of a whole directory by one call, if that is possible,
    /// and if it is none that `stays`.
    fn take_all(
        &self,
        steps: &[Step],
        stays: &dyn Fn(usize, &Path) -> bool,
    ) -> Result<(), Failure> {
        let whole = whole_directories::find(self.dirs, steps, stays);
        let mut n_taken = 0;
        while let Some((root, old, new)) = steps.get(n_taken) {
            match whole.get(&n_taken) {
                Some(whole) if self.rename_directory(whole)? => n_taken += whole.n,
                _ => {
                    self.step(*root, old, new)?;
                    n_taken += 1;
                }
            }
        }
        Ok(())
    }

    /// Gives a directory a new path, with everything in it. Returns false if that path exists, or
    /// if the system does not do it: its files can still be renamed.
    fn rename_directory(&self, whole: &MovedDirectory<'_>) -> Result<bool, Failure> {
        let MovedDirectory { root, old, new, .. } = *whole;
        self.make_directories(root, old, new)?;
        let (Ok(from), Ok(to)) = (self.locate(root, old), self.locate(root, new)) else {
            return Ok(false);
        };
        if from.directory().rename_new(from.name(), to.directory(), to.name()).is_err() {
            return Ok(false);
        }
        self.dirs.set_renamed(root, old, new);
        self.flush(&from, &to)?;
        Ok(true)
    }

    /// Waits for the disk, if each step does.
    fn flush(&self, from: &Location, to: &Location) -> Result<(), Failure> {
        if self.is_durable {
            from.sync().and_then(|()| to.sync()).map_err(Failure::writing(to.path()))
        } else {
            Ok(())
        }
    }

    /// Gives a file a new path, in directories that are created if they do not exist.
    pub fn step(&self, root: usize, from: &Path, to: &Path) -> Result<(), Failure> {
        let old = self.locate(root, from).map_err(Failure::reading(&(self.shown)(root, from)))?;
        self.make_directories(root, from, to)?;
        let new = self.locate(root, to).map_err(Failure::writing(&(self.shown)(root, to)))?;
        if new.status().is_ok_and(|found| found.is_directory) {
            self.remove_empty_tree(root, to);
        }
        rename(&old, &new)?;
        self.flush(&old, &new)
    }

    fn locate(&self, root: usize, below: &Path) -> io::Result<Location> {
        self.dirs.locate(root, below, &(self.shown)(root, below))
    }

    /// Creates the directories around a path, each with the rights of the directory around the old
    /// path that it replaces.
    fn make_directories(&self, root: usize, from: &Path, to: &Path) -> Result<(), Failure> {
        let outer = |path: &Path| -> Vec<PathBuf> {
            let outer = path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
            outer.map(Path::to_owned).collect()
        };
        let old = outer(from);
        for (depth, directory) in outer(to).iter().enumerate().rev() {
            let shown = (self.shown)(root, directory);
            let failed = Failure::to("cannot create the directory", &shown);
            if self.dirs.make(root, directory).map_err(failed)? {
                let replaced = old.get(depth).map(PathBuf::as_path);
                self.old_directories().protect(root, directory, replaced);
            }
        }
        Ok(())
    }

    /// Removes the directories around some paths that are empty.
    fn remove_empty<'p>(&self, paths: impl Iterator<Item = (usize, &'p Path)>) {
        let mut directories: BTreeSet<(usize, &Path)> = BTreeSet::new();
        for (root, path) in paths {
            let outer = path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
            directories.extend(outer.map(|directory| (root, directory)));
        }
        // The inner ones come after the outer ones.
        for (root, directory) in directories.into_iter().rev() {
            // One that is not empty is not removed.
            drop(self.locate(root, directory).and_then(|at| at.remove_directory()));
        }
    }

    /// Removes a directory that contains empty directories only.
    fn remove_empty_tree(&self, root: usize, directory: &Path) {
        let Some(real) = self.dirs.path(root) else { return };
        for (path, is_directory) in walk::contents_first(&real.join(directory)).flatten() {
            let Ok(below) = path.strip_prefix(real) else { return };
            let Ok(at) = self.locate(root, below) else { return };
            if !is_directory || at.remove_directory().is_err() {
                return;
            }
        }
    }
}
