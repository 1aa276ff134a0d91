//! The directories of an output, created before their files and completed after them; and those of
//! which all files get new paths in one other directory: each is renamed by one call, with
//! everything in it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::Step;
use crate::files::properties::Properties;
use crate::files::walk;
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;

/// A directory that is renamed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MovedDirectory<'s> {
    /// The number of its PATH.
    pub(super) root: usize,
    /// Its path below the PATH.
    pub(super) old: &'s Path,
    /// The path that it gets.
    pub(super) new: &'s Path,
    /// The number of steps that this is.
    pub(super) n: usize,
}

/// Returns the outermost of them, by the numbers of their first steps. The steps of each follow one
/// another. `stays` returns true for a directory that must not get another path.
pub(super) fn find<'s>(
    dirs: &Dirs,
    steps: &'s [Step],
    stays: &dyn Fn(usize, &Path) -> bool,
) -> BTreeMap<usize, MovedDirectory<'s>> {
    let mut found = BTreeMap::new();
    let mut names: Option<OldPaths<'_>> = None;
    let mut last: Option<MovedDirectory<'_>> = None;
    for (first, whole) in candidates(steps) {
        let MovedDirectory { root, old, new, n } = whole;
        let is_inner = |last: MovedDirectory<'_>| last.root == root && old.starts_with(last.old);
        let Some(path) = dirs.path(root) else { continue };
        if last.is_some_and(is_inner) || new.starts_with(old) || stays(root, old) {
            continue;
        }
        let OldPaths { files, filled } = names.get_or_insert_with(|| OldPaths::of(steps));
        // What another step brings into it stays there.
        if filled.contains(&(root, old)) {
            continue;
        }
        let is_known =
            |file: &Path| file.strip_prefix(path).is_ok_and(|below| files.contains(&(root, below)));
        let mut n_found = 0;
        let has_only_files_of_steps = walk::contents_first(&path.join(old)).all(|entry| {
            entry.is_ok_and(|(path, is_directory)| {
                n_found += usize::from(!is_directory);
                is_directory || is_known(&path)
            })
        });
        if has_only_files_of_steps && n_found == n {
            found.insert(first, whole);
            last = Some(whole);
        }
    }
    found
}

/// The old paths of steps, and the directories around their new paths.
struct OldPaths<'s> {
    files: HashSet<(usize, &'s Path)>,
    filled: HashSet<(usize, &'s Path)>,
}

impl<'s> OldPaths<'s> {
    fn of(steps: &'s [Step]) -> Self {
        let mut names = OldPaths { files: HashSet::new(), filled: HashSet::new() };
        for (root, old, new) in steps {
            names.files.insert((*root, old.as_path()));
            // Around one that is known, all are.
            let _ = new.ancestors().skip(1).all(|new| names.filled.insert((*root, new)));
        }
        names
    }
}

/// Returns the directories all of whose steps lead to one directory, and to the same names there,
/// outer ones before inner ones, with the numbers of their first steps.
fn candidates(steps: &[Step]) -> impl Iterator<Item = (usize, MovedDirectory<'_>)> {
    let mut found: BTreeMap<(usize, &Path), Option<(usize, MovedDirectory<'_>)>> = BTreeMap::new();
    for (idx, (root, old, new)) in steps.iter().enumerate() {
        let mut is_same = true;
        let (mut name, mut new_name) = (old.file_name(), new.file_name());
        let mut outer_new = new.ancestors().skip(1);
        for old in old.ancestors().skip(1).take_while(|old| !old.as_os_str().is_empty()) {
            let new = outer_new.next().filter(|new| !new.as_os_str().is_empty());
            is_same &= name == new_name && new.is_some();
            let new = new.unwrap_or(Path::new(""));
            let start = MovedDirectory { root: *root, old, new, n: 0 };
            let known = found.entry((*root, old)).or_insert(Some((idx, start)));
            *known = known
                .filter(|(first, known)| is_same && known.new == new && idx == first + known.n);
            if let Some((_, known)) = known {
                known.n += 1;
            }
            (name, new_name) = (old.file_name(), new.file_name());
        }
    }
    found.into_values().flatten()
}

// The directories of an output: created before their files, and completed after them.

/// Directories that were created, whose modes and times are set when everything is written.
#[derive(Debug)]
pub struct MadeDirectories<'d> {
    dirs: &'d Dirs,
    made: Vec<MadeDirectory>,
    /// True if each is flushed to the disk at last.
    is_durable: bool,
}

#[derive(Debug)]
struct MadeDirectory {
    root: usize,
    below: PathBuf,
    shown: PathBuf,
    properties: Properties,
}

impl<'d> MadeDirectories<'d> {
    /// Creates an empty list for `dirs`. With `is_durable`, each directory is flushed to the disk
    /// at last.
    pub fn new(dirs: &'d Dirs, is_durable: bool) -> Self {
        MadeDirectories { dirs, made: Vec::new(), is_durable }
    }

    /// Creates a directory below a root, unless it exists, that gets the mode and times in
    /// `properties`. A link is not accepted in its place. `shown` is the path that messages name.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn make(
        &mut self,
        root: usize,
        below: &Path,
        shown: &Path,
        properties: Properties,
    ) -> Result<(), Failure> {
        self.dirs.make(root, below).map_err(Failure::to("cannot create the directory", shown))?;
        let (below, shown) = (below.to_owned(), shown.to_owned());
        self.made.push(MadeDirectory { root, below, shown, properties });
        Ok(())
    }

    /// Sets the modes and times, the innermost directories first. Values that cannot be set stay.
    /// Returns a failure for each directory that is not the one that was created, or that cannot be
    /// flushed.
    pub fn finish(self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for MadeDirectory { root, below, shown, properties } in self.made.into_iter().rev() {
            let directory = self.dirs.directory(root, &below);
            let checked =
                directory.and_then(|directory| directory.check_path().map(|()| directory));
            let finished = checked.and_then(|directory| match directory.as_file() {
                Ok(file) => {
                    drop(file.set_times(properties.times()));
                    drop(file.set_permissions(properties.permissions));
                    if self.is_durable { file.sync_all() } else { Ok(()) }
                }
                Err(error) if self.is_durable => Err(error),
                Err(_) => Ok(()),
            });
            if let Err(error) = finished {
                failures.push(Failure::to("cannot set the mode and the times", &shown)(error));
            }
        }
        failures.reverse();
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(files: &[&str], steps: &[(&str, &str)]) -> Vec<String> {
        found_but("", files, steps)
    }

    fn found_but(kept: &str, files: &[&str], steps: &[(&str, &str)]) -> Vec<String> {
        let temp = tempfile::tempdir().unwrap();
        for file in files {
            let path = temp.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut dirs = Dirs::new();
        dirs.add_directory(temp.path().canonicalize().unwrap(), None);
        let steps: Vec<Step> =
            steps.iter().map(|(old, new)| (0, PathBuf::from(old), PathBuf::from(new))).collect();
        find(&dirs, &steps, &|_, old| old == Path::new(kept))
            .into_iter()
            .map(|(first, MovedDirectory { old, new, n, .. })| {
                format!("{first}+{n} {} {}", old.display(), new.display())
            })
            .collect()
    }

    #[test]
    fn the_outermost_directory_is_renamed() {
        let files = ["a/x", "a/b/y", "a/b/z", "a-b/x"];
        let steps = [("a/b/y", "n/b/y"), ("a/b/z", "n/b/z"), ("a/x", "n/x")];
        assert_eq!(found(&files, &steps), ["0+3 a n"]);
        // A file stays, or gets another name: what is inside goes.
        assert_eq!(found(&files, &steps[..2]), ["0+2 a/b n/b"]);
        let other = [steps[0], steps[1], ("a/x", "n/w")];
        assert_eq!(found(&files, &other), ["0+2 a/b n/b"]);
        assert_eq!(found(&files, &steps[..1]), [""; 0]);
        assert_eq!(found_but("a", &files, &steps), ["0+2 a/b n/b"]);
    }

    #[test]
    fn the_name_of_the_directory_may_stay() {
        let steps = [("a/b/x", "c/b/x")];
        assert_eq!(found(&["a/b/x", "a/y"], &steps), ["0+1 a/b c/b"]);
        assert_eq!(found(&["a/b/x"], &steps), ["0+1 a c"]);
        assert_eq!(found(&["b/x"], &[("b/x", "c/b/x")]), ["0+1 b c/b"]);
    }

    #[test]
    fn what_does_not_go_by_one_call() {
        // Into itself, to the PATH, and with a step of another file in between.
        assert_eq!(found(&["a/x"], &[("a/x", "a/b/x")]), [""; 0]);
        assert_eq!(found(&["a/x"], &[("a/x", "x")]), [""; 0]);
        let steps = [("a/x", "n/x"), ("c", "d"), ("a/y", "n/y")];
        assert_eq!(found(&["a/x", "a/y", "c"], &steps), [""; 0]);
        // Another step leads into it.
        let steps = [("a/x", "b/x"), ("b/y", "c/y")];
        assert_eq!(found(&["a/x", "b/y"], &steps), ["0+1 a b"]);
        let steps = [("a/x", "b/d/x"), ("b/y", "c/y")];
        assert_eq!(found(&["a/x", "b/y"], &steps), ["0+1 a b/d"]);
        // Files of another name, or that are not known.
        assert_eq!(found(&["a/x"], &[("a/x", "n/y")]), [""; 0]);
        assert_eq!(found(&["a/x"], &[("a/w", "n/w")]), [""; 0]);
    }
}
