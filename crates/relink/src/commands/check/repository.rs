//! References in Markdown that lead out of a tree on a disk, as those follow them who show the
//! files of a repository: to other files of it, and by `/x` from its top.

use std::path::Path;

use urlcore::{Dialect, Reference};

use crate::files::git::WorkTree;
use crate::os::paths;
use crate::urls::layout;

/// Where a reference leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Repository {
    /// To a file or directory below PATH.
    Below,
    /// To a file or directory outside of PATH that git tracks.
    Above,
    /// To no file of the repository, whose path this is.
    Missing(String),
    /// To a page of a site whose root is not known.
    UnknownRoot,
    /// To none of these.
    Elsewhere,
}

/// Returns where a relative reference leads, given its target on the disk. `root` is the directory
/// of PATH, without links.
pub(super) fn relative(work_tree: Option<&WorkTree>, root: &Path, target: &str) -> Repository {
    let found = work_tree.zip(name(target)).and_then(|(work_tree, name)| {
        let path = paths::real_parent(&Path::new("/").join(paths::from_bytes(&name)?)).ok()?;
        (work_tree.tracks(&path) && path.exists()).then_some(path)
    });
    match found {
        Some(path) if path.starts_with(root) => Repository::Below,
        Some(_) => Repository::Above,
        None => Repository::Elsewhere,
    }
}

/// Returns where `/x` leads: from the top of the work tree, as on the site of a repository, or from
/// PATH, as in many generators of sites. It is missing if it names a file in a directory that
/// exists; anything else may be the route of a page, for which there is no file.
pub(super) fn from_root(work_tree: Option<&WorkTree>, root: &Path, target: &str) -> Repository {
    let Some(name) = name(target) else { return Repository::Elsewhere };
    let Some(below) = (if name.is_empty() { Some("".into()) } else { paths::from_bytes(&name) })
    else {
        return Repository::UnknownRoot;
    };
    let above = work_tree.filter(|work_tree| {
        let path = work_tree.top().join(&below);
        !path.starts_with(root) && work_tree.tracks(&path) && path.exists()
    });
    let tops = || [work_tree.map(WorkTree::top), Some(root)].into_iter().flatten();
    if above.is_some() {
        return Repository::Above;
    }
    if tops().any(|top| top.join(&below).starts_with(root) && top.join(&below).exists()) {
        return Repository::Below;
    }
    let extension = below.extension().map(|extension| extension.to_ascii_lowercase());
    let is_file = extension.is_some_and(|extension| extension != "html" && extension != "htm");
    let first = below.components().next().filter(|_| below.components().count() > 1);
    let is_in_one = first.is_some_and(|first| tops().any(|top| top.join(first).is_dir()));
    if is_file && is_in_one {
        Repository::Missing(paths::shown(&name))
    } else {
        Repository::UnknownRoot
    }
}

/// Returns the path of a target without the slashes around it; `None` if it is not on the disk.
fn name(target: &str) -> Option<Vec<u8>> {
    let reference = Reference::split(target, Dialect::Web);
    let is_on_disk = reference.scheme().is_some_and(|name| name.eq_ignore_ascii_case("file"));
    is_on_disk.then(|| layout::decoded(reference.path().trim_matches('/')))
}
