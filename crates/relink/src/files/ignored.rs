//! Files that `.gitignore`, `.ignore` and `.git/info/exclude` exclude, for `--ignore-files`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::files::walk::Entry;
use crate::os::paths::Root;

/// The files of the PATHs that ignore files do not exclude.
#[derive(Debug, Default)]
pub struct Ignored {
    /// The paths below each PATH; `None` if ignore files do not count.
    kept: Option<Vec<HashSet<PathBuf>>>,
}

impl Ignored {
    /// Reads the ignore files in and around the PATHs. A PATH itself is never excluded.
    pub fn read(roots: &[Root]) -> Self {
        let kept = |root: &Root| root.real().map(kept).unwrap_or_default();
        Ignored { kept: Some(roots.iter().map(kept).collect()) }
    }

    /// Returns true if an entry is excluded.
    pub fn contains(&self, entry: &Entry) -> bool {
        let Some(kept) = &self.kept else { return false };
        !entry.is_single && !kept.get(entry.root).is_some_and(|kept| kept.contains(&entry.below))
    }
}

/// Returns the paths of the files below a directory that are not excluded.
fn kept(directory: &Path) -> HashSet<PathBuf> {
    let walk = WalkBuilder::new(directory)
        .hidden(false)
        // Those of one user would give another result for each.
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .build();
    let below =
        |entry: ignore::DirEntry| entry.path().strip_prefix(directory).ok().map(Path::to_owned);
    walk.filter_map(Result::ok).filter_map(below).collect()
}
