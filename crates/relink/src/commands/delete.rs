//! `--delete`: removes from the output what the input does not contain.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::files::own_files;
use crate::files::walk;
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;

/// What the output contains after the run: by the number of the root, and the path below it.
#[derive(Debug, Default)]
pub(super) struct Expected(Mutex<HashSet<(usize, PathBuf)>>);

impl Expected {
    /// Adds a file or directory that is written.
    pub(super) fn add(&self, root: usize, below: &Path) {
        self.lock().insert((root, below.to_owned()));
    }

    /// Replaces a file by another one: its name has changed.
    pub(super) fn rename(&self, root: usize, old: &Path, new: PathBuf) {
        let mut paths = self.lock();
        paths.remove(&(root, old.to_owned()));
        paths.insert((root, new));
    }

    /// Removes what is in the place of a file or directory and is of the other kind.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub(super) fn make_way(
        &self,
        out: &Dirs,
        root: usize,
        below: &Path,
        shown: &Path,
        is_directory: bool,
    ) -> Result<(), Failure> {
        let Ok(at) = out.locate(root, below, shown) else { return Ok(()) };
        match at.status() {
            Ok(status) if status.is_directory && !is_directory => {
                remove(out, root, below, shown, |_| false).1.into_iter().next().map_or(Ok(()), Err)
            }
            Ok(status) if !status.is_directory && is_directory => {
                at.remove().map_err(Failure::removing(shown))
            }
            _ => Ok(()),
        }
    }

    /// Removes everything else from a root of the output. Returns what was removed, and a failure
    /// for each path that could not be.
    pub(super) fn remove_others(
        &self,
        out: &Dirs,
        root: usize,
        shown: &Path,
    ) -> (Vec<PathBuf>, Vec<Failure>) {
        let expected = self.lock();
        // The root of the output is always expected.
        let keeps =
            |below: &Path| below.as_os_str().is_empty() || expected.contains(&(root, below.into()));
        remove(out, root, Path::new(""), shown, keeps)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<(usize, PathBuf)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a directory of the output and what is in it, except what is kept, and journals and
/// records of this program.
fn remove(
    out: &Dirs,
    root: usize,
    directory: &Path,
    shown: &Path,
    keeps: impl Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<Failure>) {
    let (mut removed, mut failures) = (Vec::new(), Vec::new());
    let Some(real) = out.path(root) else { return (removed, failures) };
    for entry in walk::contents_first(&real.join(directory)) {
        let (path, is_directory) = match entry {
            Ok(entry) => entry,
            Err(error) => {
                failures.push(Failure::removing(shown)(error));
                continue;
            }
        };
        let Ok(below) = path.strip_prefix(real) else { continue };
        let shown = match below.strip_prefix(directory) {
            Ok(rest) if !rest.as_os_str().is_empty() => shown.join(rest),
            _ => shown.to_owned(),
        };
        if keeps(below) || (!is_directory && own_files::is_note(&path)) {
            continue;
        }
        let result = out
            .locate(root, below, &shown)
            .and_then(|at| if is_directory { at.remove_directory() } else { at.remove() });
        match result {
            Ok(()) => removed.push(shown),
            Err(error) => failures.push(Failure::removing(&shown)(error)),
        }
    }
    (removed, failures)
}
