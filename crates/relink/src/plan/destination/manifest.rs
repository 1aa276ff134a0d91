//! The path of a manifest that a run writes, and whether it can be written there.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::files::own_files::MANIFEST_START as START;
use crate::os::dirs::beside;
use crate::os::paths;

/// A manifest that cannot be written.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}: cannot write the manifest here; {reason}", path.display())]
pub struct ManifestError {
    /// Its path.
    path: PathBuf,
    /// The reason, and what to do.
    reason: &'static str,
}

/// Checks the path of a manifest. `trees` are the PATHs and the output, with all links resolved.
/// With `replaces`, an existing manifest may be replaced.
///
/// # Errors
///
/// [`ManifestError`] if no manifest can be written there.
pub fn check<'t>(
    path: &Path,
    trees: impl IntoIterator<Item = &'t Path>,
    replaces: bool,
) -> Result<(), ManifestError> {
    let wrong = |reason| Err(ManifestError { path: path.to_owned(), reason });
    let full = paths::from_root(path);
    let (Some(directory), Some(name)) = (full.parent(), full.file_name()) else {
        return wrong("it is not the name of a file; use another path");
    };
    let Ok(real) = directory.canonicalize() else {
        return wrong("its directory does not exist; create it first");
    };
    let real = real.join(name);
    if trees.into_iter().any(|tree| real.starts_with(tree)) {
        return wrong(
            "it is inside of PATH or OUT, and would be a file of the tree; use a path outside",
        );
    }
    match full.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(found) if !found.is_file() => {
            wrong("it exists, and is not a regular file; use another path")
        }
        Ok(_) if !is_manifest(&full) => {
            wrong("the file exists, and is not a manifest; use another path")
        }
        Ok(_) if !replaces => wrong(
            "it exists, and is the manifest of another run; use another path, or remove it if that run is not to be reverted",
        ),
        Ok(_) => Ok(()),
    }
}

/// Returns true if a regular file begins as a manifest does.
pub fn is_manifest(path: &Path) -> bool {
    let mut head = Vec::new();
    let opened = beside(path).and_then(|at| at.open());
    let read = opened.and_then(|(file, _)| file.take(START.len() as u64).read_to_end(&mut head));
    read.is_ok() && head == START
}
