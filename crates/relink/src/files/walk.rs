//! The files of a run, in path order.
//!
//! All files are listed, including hidden ones, but not this program's own journals and records,
//! nor an output that is not complete. Symbolic links are never followed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::own_files;
use crate::files::sidecar::Sidecar;
#[cfg(not(target_family = "wasm"))]
use crate::os::dirs::{Dirs, FileId};
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
pub use crate::os::store::EntryKind;
#[cfg(not(target_family = "wasm"))]
use crate::os::store::disk::disk;
#[cfg(not(target_family = "wasm"))]
pub use crate::os::store::disk::{contents_first, count_files, directories};
use crate::os::store::{FoundEntry, SharedStore, Store};

/// Returns the directories of roots, by their numbers. From then on, a root is the directory that
/// it was at this moment.
#[cfg(not(target_family = "wasm"))]
pub fn dirs(roots: &[Root]) -> Dirs {
    let mut dirs = Dirs::new();
    for root in roots {
        let real = root.real().unwrap_or(Path::new("/-"));
        match real.metadata() {
            Ok(found) if found.is_dir() => {
                dirs.add_directory(real.to_owned(), Some(FileId::from_metadata(&found)));
            }
            _ => dirs.add_file(real, None),
        }
    }
    dirs
}

/// The message for a pipe, socket or device.
pub const SPECIAL: &str = "skipped; it is a pipe, a socket or a device";

/// An entry of the tree.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Index of the root that contains it.
    pub root: usize,
    /// Its path.
    pub path: PathBuf,
    /// Its path below its root; empty for the root directory itself, the name for a single file.
    pub below: PathBuf,
    /// Its kind.
    pub kind: EntryKind,
    /// True if the root itself is this file.
    pub is_single: bool,
    /// The header section in a file next to it; only for documents, once their type is known.
    pub sidecar: Option<Arc<Sidecar>>,
}

/// Returns the entries of all roots in order, except this program's journals and records. A
/// directory or path that cannot be read becomes a failure in its place.
pub fn entries(roots: &[Root]) -> impl Iterator<Item = Result<Entry, Failure>> + use<'_> {
    roots.iter().enumerate().flat_map(
        |(idx, root)| -> Box<dyn Iterator<Item = Result<Entry, Failure>>> {
            match root {
                Root::Stdin => Box::new(std::iter::once(Ok(stdin(idx)))),
                Root::Path { typed, real, files: None, store } => {
                    let walk = store.walk(real, is_own);
                    Box::new(walk.map(move |entry| found(idx, typed, real, entry)))
                }
                Root::Path { typed, real, files: Some(files), store } => {
                    Box::new(listed(idx, typed, real, files, store))
                }
            }
        },
    )
}

/// Returns the entries of some files of a root, and the directories that contain them.
fn listed<'r>(
    idx: usize,
    typed: &'r Path,
    real: &'r Path,
    files: &'r [PathBuf],
    store: &'r SharedStore,
) -> impl Iterator<Item = Result<Entry, Failure>> + use<'r> {
    let before = std::iter::once(Path::new("")).chain(files.iter().map(|path| &**path));
    files.iter().zip(before).flat_map(move |(file, before)| {
        // The directories that do not contain the file before.
        let outer: Vec<&Path> = file.ancestors().skip(1).collect();
        let is_first = before.as_os_str().is_empty();
        let new = outer.into_iter().rev().filter(move |directory| {
            is_first || (!directory.as_os_str().is_empty() && !before.starts_with(directory))
        });
        let directories = new.map(move |below| {
            let (path, below) = (typed.join(below), below.to_owned());
            let kind = EntryKind::Directory;
            Ok(Entry { root: idx, path, below, kind, is_single: false, sidecar: None })
        });
        let walk = store.walk(&real.join(file), is_own);
        directories.chain(walk.map(move |entry| {
            let entry = found(idx, typed, real, entry)?;
            let below = match entry.path.strip_prefix(typed) {
                Ok(below) if entry.is_single => below.to_owned(),
                _ => entry.below.clone(),
            };
            Ok(Entry { below, is_single: false, ..entry })
        }))
    })
}

/// Returns true if a file in a directory is a journal or a record of this program.
fn is_note(store: &dyn Store, path: &Path, kind: EntryKind, depth: usize) -> bool {
    depth > 0 && kind != EntryKind::Directory && own_files::is_note_in(store, path)
}

/// Returns true for a journal or a record of this program, and for an output that is not complete.
fn is_own(store: &dyn Store, path: &Path, kind: EntryKind, depth: usize) -> bool {
    is_note(store, path, kind, depth)
        || (depth > 0 && kind == EntryKind::Directory && own_files::is_unfinished(store, path))
}

/// Returns the journals and records of this program in a directory and below.
#[cfg(not(target_family = "wasm"))]
pub fn notes(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let disk = disk();
    let is_note =
        |(path, kind, depth): FoundEntry| is_note(&*disk, &path, kind, depth).then_some(path);
    let notes: Vec<_> = disk.walk(root, |_, _, _, _| false).flatten().filter_map(is_note).collect();
    notes.into_iter()
}

fn stdin(root: usize) -> Entry {
    let (kind, sidecar) = (EntryKind::Stdin, None);
    Entry { root, path: "-".into(), below: "-".into(), kind, is_single: true, sidecar }
}

fn found(
    idx: usize,
    typed: &Path,
    real: &Path,
    entry: Result<FoundEntry, (PathBuf, io::Error)>,
) -> Result<Entry, Failure> {
    let shown = |below: Option<&Path>, path: &Path| match below {
        Some(below) if below.as_os_str().is_empty() => typed.to_owned(),
        Some(below) => typed.join(below),
        None => path.to_owned(),
    };
    let (own, kind, depth) = entry.map_err(|(path, reason)| {
        Failure::reading(&shown(paths::below(&path, real), &path))(reason)
    })?;
    let is_single = depth == 0 && kind != EntryKind::Directory;
    let below = paths::below(&own, real);
    let path = shown(below, &own);
    let below = match below {
        // The name as typed: that of the link, if a link was typed.
        _ if is_single => path.file_name().map_or_else(|| path.clone(), PathBuf::from),
        Some(below) => below.to_owned(),
        None => own,
    };
    Ok(Entry { root: idx, path, below, kind, is_single, sidecar: None })
}

/// Returns true for a path inside the data of a version-control system: its hashes are over files
/// as they are.
pub fn is_version_control(below: &Path) -> bool {
    const NAMES: [&str; 8] = [".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "CVS"];
    below.components().any(|component| NAMES.iter().any(|name| component.as_os_str() == *name))
}
