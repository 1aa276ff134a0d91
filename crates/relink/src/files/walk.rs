//! The files of a run, in path order.
//!
//! All files are listed, including hidden ones, but not this program's own journals and records,
//! nor an output that is not complete. Symbolic links are never followed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use walkdir::{DirEntry, WalkDir};

use crate::files::own_files;
use crate::files::sidecar::Sidecar;
use crate::os::dirs::{Dirs, FileId};
use crate::os::failure::Failure;
use crate::os::paths::Root;

/// Returns the directories of roots, by their numbers. From then on, a root is the directory that
/// it was at this moment.
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

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory; it comes before its contents.
    Directory,
    /// A file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Special,
    /// Standard input.
    Stdin,
}

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
                Root::Path { typed, real, files: None } => {
                    let walk = WalkDir::new(real).sort_by_file_name().into_iter();
                    let walk = walk.filter_entry(|entry| !is_own(entry));
                    Box::new(walk.map(move |entry| found(idx, typed, real, entry)))
                }
                Root::Path { typed, real, files: Some(files) } => {
                    Box::new(listed(idx, typed, real, files))
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
        let walk = WalkDir::new(real.join(file)).sort_by_file_name().into_iter();
        let walk = walk.filter_entry(|entry| !is_own(entry));
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
fn is_note(entry: &DirEntry) -> bool {
    entry.depth() > 0 && !entry.file_type().is_dir() && own_files::is_note(entry.path())
}

/// Returns true for a journal or a record of this program, and for an output that is not complete.
fn is_own(entry: &DirEntry) -> bool {
    is_note(entry)
        || (entry.depth() > 0
            && entry.file_type().is_dir()
            && own_files::is_unfinished(entry.path()))
}

/// Returns the journals and records of this program in a directory and below.
pub fn notes(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = WalkDir::new(root).into_iter().filter_map(Result::ok);
    entries.filter(is_note).map(DirEntry::into_path)
}

/// Returns the directories below a root, including the root, by their paths below it.
pub fn directories(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let root = root.to_owned();
    let entries = WalkDir::new(&root).into_iter().filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_type().is_dir())
        .filter_map(move |entry| entry.path().strip_prefix(&root).ok().map(Path::to_owned))
}

/// Returns the entries of a directory and below, and at last the directory itself: each with true
/// if it is a directory, and after its contents. Links are not followed.
pub fn contents_first(
    directory: &Path,
) -> impl Iterator<Item = io::Result<(PathBuf, bool)>> + use<> {
    let walk = WalkDir::new(directory).contents_first(true).sort_by_file_name();
    walk.into_iter().map(|entry| match entry {
        Ok(entry) => {
            let is_directory = entry.file_type().is_dir();
            Ok((entry.into_path(), is_directory))
        }
        Err(error) => Err(error.into()),
    })
}

fn stdin(root: usize) -> Entry {
    let (kind, sidecar) = (EntryKind::Stdin, None);
    Entry { root, path: "-".into(), below: "-".into(), kind, is_single: true, sidecar }
}

fn found(
    idx: usize,
    typed: &Path,
    real: &Path,
    entry: walkdir::Result<DirEntry>,
) -> Result<Entry, Failure> {
    let shown = |path: &Path| match path.strip_prefix(real) {
        Ok(below) if below.as_os_str().is_empty() => typed.to_owned(),
        Ok(below) => typed.join(below),
        Err(_) => path.to_owned(),
    };
    let entry = entry.map_err(|error| {
        let path = shown(error.path().unwrap_or(real));
        let reason =
            error.into_io_error().unwrap_or_else(|| io::Error::other("loop of symbolic links"));
        Failure::reading(&path)(reason)
    })?;
    let file_type = entry.file_type();
    let kind = match () {
        () if file_type.is_dir() => EntryKind::Directory,
        () if file_type.is_file() => EntryKind::File,
        () if file_type.is_symlink() => EntryKind::Link,
        () => EntryKind::Special,
    };
    let is_single = entry.depth() == 0 && kind != EntryKind::Directory;
    let path = shown(entry.path());
    let below = match entry.path().strip_prefix(real) {
        // The name as typed: that of the link, if a link was typed.
        _ if is_single => path.file_name().map_or_else(|| path.clone(), PathBuf::from),
        Ok(below) => below.to_owned(),
        Err(_) => entry.path().to_owned(),
    };
    Ok(Entry { root: idx, path, below, kind, is_single, sidecar: None })
}
/// Returns true for a path inside the data of a version-control system: its hashes are over files
/// as they are.
pub fn is_version_control(below: &Path) -> bool {
    const NAMES: [&str; 8] = [".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "CVS"];
    below.components().any(|component| NAMES.iter().any(|name| component.as_os_str() == *name))
}

/// Returns the number of files in trees, links and special files included; fewer if `is_over`
/// becomes true.
pub fn count_files(paths: &[PathBuf], is_over: &AtomicBool) -> usize {
    let entries = paths.iter().flat_map(WalkDir::new);
    let entries = entries.take_while(|_| !is_over.load(Ordering::Relaxed));
    entries.filter(|entry| entry.as_ref().is_ok_and(|entry| !entry.file_type().is_dir())).count()
}
