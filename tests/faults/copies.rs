//! Copies of trees, made in this process, and in memory: tests of many runs make thousands of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::directories;

/// Copies a directory with all that a program can see of it, as `cp -a` does: modes, times, links,
/// and files that have two names.
pub(crate) fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).unwrap();
    }
    let mut names: BTreeMap<(u64, u64), PathBuf> = BTreeMap::new();
    let mut directories = Vec::new();
    for entry in WalkDir::new(from).into_iter().map(Result::unwrap) {
        let new = to.join(entry.path().strip_prefix(from).unwrap());
        let metadata = entry.path().symlink_metadata().unwrap();
        if metadata.is_dir() {
            fs::create_dir(&new).unwrap();
            directories.push((entry.path().to_owned(), metadata, new));
            continue;
        }
        // A link has two names too while it gets a new one.
        let file = (metadata.dev(), metadata.ino());
        if let Some(name) = names.get(&file) {
            fs::hard_link(name, new).unwrap();
            continue;
        }
        if metadata.is_symlink() {
            symlink(fs::read_link(entry.path()).unwrap(), &new).unwrap();
        } else {
            fs::copy(entry.path(), &new).unwrap();
            set_modified(&new, metadata.modified().unwrap());
        }
        names.insert(file, new);
    }
    // What is made in a directory changes its time.
    for (old, metadata, new) in directories.iter().rev() {
        directories::copy(old, metadata, new);
    }
}

/// Sets the time of a file or a directory.
pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// Returns a directory on a disk in memory, if the system has one.
pub(crate) fn in_memory() -> Option<TempDir> {
    const MEMORY: &str = "/dev/shm";
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let has_one = mounts.lines().any(|line| line.starts_with(&format!("tmpfs {MEMORY} tmpfs ")));
    has_one.then(|| tempfile::tempdir_in(MEMORY).ok()).flatten()
}

#[test]
fn files_and_links_with_two_names_have_them_in_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path("old")).unwrap();
    fs::write(path("old/file"), "text").unwrap();
    symlink("file", path("old/link")).unwrap();
    for name in ["file", "link"] {
        fs::hard_link(path(&format!("old/{name}")), path(&format!("old/{name} again"))).unwrap();
    }
    copy(&path("old"), &path("new"));
    let number = |name: &str| path(&format!("new/{name}")).symlink_metadata().unwrap().ino();
    assert_eq!(number("file"), number("file again"));
    assert_eq!(number("link"), number("link again"));
    assert_eq!(fs::read_link(path("new/link")).unwrap(), Path::new("file"));
}
