//! The files of a run, in path order. All are walked, hidden ones included, but for this program's own notes; symbolic links are never followed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use crate::sidecar::Sidecar;
use crate::{half_written, journal, messages, moved, places};

/// One PATH of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// `-`
    Stdin,
    /// A folder or file.
    Path(PathBuf),
}

impl Root {
    /// The root that a word of the command line names.
    pub fn new(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Root::Stdin } else { Root::Path(path) }
    }

    /// Its path, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Root::Stdin => None,
            Root::Path(path) => Some(path),
        }
    }

    /// What the root is called: the last part of its path.
    pub fn name(&self) -> PathBuf {
        match self {
            Root::Stdin => PathBuf::from("-"),
            Root::Path(path) => {
                places::absolute(path).file_name().map(PathBuf::from).unwrap_or_default()
            }
        }
    }
}

/// What is told of a pipe, socket or device.
pub const SPECIAL: &str = "neither a file nor a folder; it is left out";

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder; it comes before what is in it.
    Folder,
    /// A file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Special,
    /// Standard input.
    Stdin,
}

/// One thing that was found.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Index of the root that it is in.
    pub root: usize,
    /// Where it is.
    pub path: PathBuf,
    /// Where it is below its root; empty for the root folder itself, the name for a single file.
    pub below: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Whether the root itself is this file.
    pub is_single: bool,
    /// The headings that lie beside it; of documents only, once it is known what they are.
    pub sidecar: Option<Arc<Sidecar>>,
}

/// The entries of all roots in order, but for the files that this program makes for itself; a folder or path that cannot be read is a message in its place.
pub fn entries(roots: &[Root]) -> impl Iterator<Item = Result<Entry, String>> + use<'_> {
    roots.iter().enumerate().flat_map(
        |(idx, root)| -> Box<dyn Iterator<Item = Result<Entry, String>>> {
            match root {
                Root::Stdin => Box::new(std::iter::once(Ok(stdin(idx)))),
                Root::Path(path) => {
                    let walk = WalkDir::new(path).sort_by_file_name().into_iter();
                    let walk = walk.filter(|entry| !entry.as_ref().is_ok_and(is_own));
                    Box::new(walk.map(move |entry| found(idx, path, entry)))
                }
            }
        },
    )
}

/// Whether a file in a folder is one that this program makes for itself: notes, a journal, or what a killed run has left half-written.
fn is_own(entry: &DirEntry) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    let ends = [journal::held::SUFFIX, moved::SUFFIX];
    let is_notes = name.starts_with(b".") && ends.iter().any(|end| name.ends_with(end.as_bytes()));
    let is_named = is_notes || half_written::is_temporary(entry.path());
    entry.depth() > 0 && is_named && !entry.file_type().is_dir()
}

/// The files in a folder that this program makes for itself.
pub fn own_files(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = WalkDir::new(root).into_iter().filter_map(Result::ok);
    entries.filter(is_own).map(DirEntry::into_path)
}

fn stdin(root: usize) -> Entry {
    let (kind, sidecar) = (EntryKind::Stdin, None);
    Entry { root, path: "-".into(), below: "-".into(), kind, is_single: true, sidecar }
}

fn found(idx: usize, root: &Path, entry: walkdir::Result<DirEntry>) -> Result<Entry, String> {
    let entry = entry.map_err(|error| {
        let path = error.path().unwrap_or(root).to_owned();
        let reason = error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of links"));
        messages::of_path(&path, &messages::reason(&reason))
    })?;
    // A link that is itself named on the command line is followed.
    let file_type = match entry.depth() {
        0 => entry
            .path()
            .metadata()
            .map_or_else(|_| entry.file_type(), |metadata| metadata.file_type()),
        _ => entry.file_type(),
    };
    let kind = match () {
        () if file_type.is_dir() => EntryKind::Folder,
        () if file_type.is_file() => EntryKind::File,
        () if file_type.is_symlink() => EntryKind::Link,
        () => EntryKind::Special,
    };
    let is_single = entry.depth() == 0 && kind != EntryKind::Folder;
    let below = match entry.path().strip_prefix(root) {
        _ if is_single => {
            entry.path().file_name().map_or_else(|| entry.path().into(), PathBuf::from)
        }
        Ok(below) => below.to_owned(),
        Err(_) => entry.path().to_owned(),
    };
    Ok(Entry { root: idx, path: entry.into_path(), below, kind, is_single, sidecar: None })
}
