//! Trees on the disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::Files;

/// Returns the paths of the files of a tree, with slashes. Links are not followed.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = WalkDir::new(directory).sort_by_file_name().into_iter();
    let is_visible = |entry: &walkdir::DirEntry| entry.file_name() != ".git";
    entries
        .filter_entry(is_visible)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Some(entry.path().strip_prefix(directory).ok()?.to_str()?.to_owned()))
        .collect()
}

/// Returns the files of a tree.
pub(crate) fn read(directory: &Path) -> Files {
    let read = |name: String| {
        let bytes = fs::read(directory.join(&name)).expect("a file");
        (name, bytes)
    };
    names(directory).into_iter().map(read).collect()
}

/// Returns the directories of a tree.
pub(crate) fn directories(directory: &Path) -> BTreeSet<PathBuf> {
    let entries = WalkDir::new(directory).into_iter();
    entries
        .filter_entry(|entry| entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_dir())
        .map(|entry| entry.into_path())
        .collect()
}

/// Writes a tree.
pub(crate) fn write(directory: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
}
