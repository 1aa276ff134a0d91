//! The directories of a tree: they are part of what a run that renames files must keep.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::copies::set_modified;
use crate::tree::long_ago;

/// All that a directory is but its entries.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Directory {
    mode: u32,
    owner: (u32, u32),
    /// Its extended attributes, with its access lists.
    attributes: BTreeMap<OsString, Vec<u8>>,
    modified: SystemTime,
}

/// The directories of a tree.
pub(crate) type Directories = BTreeMap<PathBuf, Directory>;

/// The owner of some directories, where this user may give them away.
const OWNER: (Option<u32>, Option<u32>) = (Some(12345), Some(54321));

/// The list of rights that one more user has: `user::rwx`, `user:12345:r-x`, `group::r-x`,
/// `mask::r-x`, `other::---` (acl(5)).
fn list() -> Vec<u8> {
    const NONE: u32 = u32::MAX;
    let entries = [(1, 7, NONE), (2, 5, 12345), (4, 5, NONE), (16, 5, NONE), (32, 0, NONE)];
    let entries = entries.map(|(tag, rights, id): (u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
    });
    [&2_u32.to_le_bytes()[..], &entries.concat()].concat()
}

/// Makes directories that are empty, and gives all rights and times of their own; where the system
/// and the file system can do that, some have another owner, an attribute, or access lists.
pub(crate) fn write(root: &Path) {
    for directory in ["site/docs/empty/inner", "site/news/empty"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for (idx, directory) in read(root).into_keys().rev().enumerate() {
        if idx % 4 == 1 {
            drop(chown(&directory, OWNER.0, OWNER.1));
        }
        let mode = [0o750, 0o700, 0o2755][idx % 3];
        fs::set_permissions(&directory, Permissions::from_mode(mode)).unwrap();
        if idx % 2 == 0 {
            drop(xattr::set(&directory, "user.relink.test", &[0, b'\t', b'%', 0xFF]));
        }
        if idx % 4 == 2 {
            drop(xattr::set(&directory, "system.posix_acl_access", &list()));
        }
        if directory.ends_with("inner") {
            drop(xattr::set(&directory, "system.posix_acl_default", &list()));
        }
        set_modified(&directory, long_ago(idx));
    }
}

/// Gives a directory the rights, the owner, the attributes and the time of another one.
pub(crate) fn copy(from: &Path, metadata: &Metadata, to: &Path) {
    let (user, group) = (metadata.uid(), metadata.gid());
    if fs::metadata(to).is_ok_and(|now| (now.uid(), now.gid()) != (user, group)) {
        chown(to, Some(user), Some(group)).unwrap();
    }
    fs::set_permissions(to, metadata.permissions()).unwrap();
    for (name, value) in attributes(from) {
        xattr::set(to, name, &value).unwrap();
    }
    set_modified(to, metadata.modified().unwrap());
}

fn attributes(path: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let names = xattr::list(path).into_iter().flatten();
    names.filter_map(|name| Some((name.clone(), xattr::get(path, &name).ok()??))).collect()
}

pub(crate) fn read(root: &Path) -> Directories {
    let entries = WalkDir::new(root).into_iter().map(Result::unwrap);
    let directories = entries.filter(|entry| entry.file_type().is_dir());
    let state = |path: &Path, metadata: Metadata| Directory {
        mode: metadata.permissions().mode() & 0o7777,
        owner: (metadata.uid(), metadata.gid()),
        attributes: attributes(path),
        modified: metadata.modified().unwrap(),
    };
    directories
        .map(|entry| (entry.path().to_owned(), state(entry.path(), entry.metadata().unwrap())))
        .collect()
}

/// The directories that only one of both has, or with another mode, owner or attribute; with
/// `has_times` also those with another time, but for the outermost, where journals and manifests
/// come and go.
pub(crate) fn others<'d>(
    now: &'d Directories,
    expected: &'d Directories,
    has_times: bool,
) -> Vec<&'d PathBuf> {
    let outermost = expected.keys().next();
    let is_other = |path: &&PathBuf| match (now.get(*path), expected.get(*path)) {
        (Some(now), Some(old)) => {
            let modified =
                if has_times && Some(*path) != outermost { now.modified } else { old.modified };
            Directory { modified, ..now.clone() } != *old
        }
        _ => true,
    };
    now.keys().chain(expected.keys()).filter(is_other).collect()
}
