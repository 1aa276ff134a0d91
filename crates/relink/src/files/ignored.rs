//! Files that are not read because ignore files exclude them (`--ignore-files`), or because git
//! ignores them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::files::git::WorkTree;
use crate::files::walk::Entry;
use crate::os::paths::Root;

/// The files of the PATHs that are excluded.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Those of each PATH that are not; `None` if none is excluded.
    kept: Vec<Option<Kept>>,
    is_by_git: bool,
}

/// The files of a PATH that are not excluded.
#[derive(Debug, Default)]
struct Kept {
    /// Their paths below the PATH.
    paths: HashSet<PathBuf>,
    /// What a list of the user names, with all that is below.
    listed: HashSet<PathBuf>,
    /// The PATH, and the work tree around it: a file that git tracks is not ignored.
    tracked: Option<(PathBuf, WorkTree)>,
}

impl Ignored {
    /// Reads `.gitignore`, `.ignore` and `.git/info/exclude` in and around the PATHs. A PATH itself
    /// is never excluded.
    pub fn read(roots: &[Root]) -> Self {
        let kept = |root: &Root| {
            let paths = root.real().map(|real| paths(real, walk(real).require_git(false)));
            Some(Kept { paths: paths.unwrap_or_default(), ..Kept::default() })
        };
        Ignored { kept: roots.iter().map(kept).collect(), is_by_git: false }
    }

    /// Reads what git ignores below PATHs in a work tree. A PATH that is ignored is read whole, as
    /// the output of a generator is.
    pub fn by_git(roots: &[Root]) -> Self {
        Ignored { kept: roots.iter().map(kept_by_git).collect(), is_by_git: true }
    }

    /// Returns true if an entry is excluded.
    pub fn contains(&self, entry: &Entry) -> bool {
        let Some(Some(kept)) = self.kept.get(entry.root) else { return false };
        let is_tracked =
            |(real, work_tree): &(PathBuf, WorkTree)| work_tree.tracks(&real.join(&entry.below));
        !entry.is_single
            && !kept.paths.contains(&entry.below)
            && !entry.below.ancestors().any(|path| kept.listed.contains(path))
            && !kept.tracked.as_ref().is_some_and(is_tracked)
    }

    /// Returns true if an entry is excluded, and not because an option says so.
    pub fn is_by_git(&self, entry: &Entry) -> bool {
        self.is_by_git && self.contains(entry)
    }
}

fn kept_by_git(root: &Root) -> Option<Kept> {
    let real = root.real().filter(|_| root.store().is_some_and(|store| store.is_disk()))?;
    let work_tree = WorkTree::around(real).filter(|_| real.is_dir())?;
    let top = work_tree.top();
    let around = real.to_owned();
    let mut to_path = walk(top);
    to_path.ignore(false).filter_entry(move |entry| around.starts_with(entry.path()));
    let is_ignored = !to_path.build().flatten().any(|entry| entry.path() == real);
    let listed = root.files().unwrap_or_default().iter().cloned().collect();
    (!is_ignored).then(|| Kept {
        paths: paths(real, walk(real).ignore(false)),
        listed,
        tracked: Some((real.to_owned(), work_tree)),
    })
}

/// Returns a walk over the files below a directory that are not excluded.
fn walk(directory: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(directory);
    // The ignore files of one user would give another result for each.
    walk.hidden(false).git_global(false).follow_links(false);
    walk
}

/// Returns the paths of a walk below a directory.
fn paths(directory: &Path, walk: &WalkBuilder) -> HashSet<PathBuf> {
    let below =
        |entry: ignore::DirEntry| entry.path().strip_prefix(directory).ok().map(Path::to_owned);
    walk.build().filter_map(Result::ok).filter_map(below).collect()
}
