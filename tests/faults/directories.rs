//! The directories of a tree: they are part of what a run that renames files must keep.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::copies::set_modified;
use crate::tree::long_ago;

/// The directories of a tree, each with its mode and time.
pub(crate) type Directories = BTreeMap<PathBuf, (u32, SystemTime)>;

/// Makes directories that are empty, and gives all rights and times of their own.
pub(crate) fn write(root: &Path) {
    for directory in ["site/docs/empty/inner", "site/news/empty"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for (idx, directory) in read(root).into_keys().rev().enumerate() {
        set_modified(&directory, long_ago(idx));
        let mode = [0o750, 0o700, 0o2755][idx % 3];
        fs::set_permissions(&directory, Permissions::from_mode(mode)).unwrap();
    }
}

pub(crate) fn read(root: &Path) -> Directories {
    let entries = WalkDir::new(root).into_iter().map(Result::unwrap);
    let directories = entries.filter(|entry| entry.file_type().is_dir());
    let state =
        |metadata: Metadata| (metadata.permissions().mode() & 0o7777, metadata.modified().unwrap());
    directories.map(|entry| (entry.path().to_owned(), state(entry.metadata().unwrap()))).collect()
}

/// The directories that only one of both has, or with another mode; with `has_times` also those with
/// another time, but for the outermost, where journals and manifests come and go.
pub(crate) fn others<'d>(
    now: &'d Directories,
    expected: &'d Directories,
    has_times: bool,
) -> Vec<&'d PathBuf> {
    let outermost = expected.keys().next();
    let is_other = |path: &&PathBuf| match (now.get(*path), expected.get(*path)) {
        (Some((mode, time)), Some((old_mode, old_time))) => {
            mode != old_mode || (has_times && Some(*path) != outermost && time != old_time)
        }
        _ => true,
    };
    now.keys().chain(expected.keys()).filter(is_other).collect()
}
