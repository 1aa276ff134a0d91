//! What an earlier run of the same command has done, told by the hashes of the documents.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::record::{Document, Noted};
use crate::digest;
use crate::walk::Root;
use crate::write;

/// The documents that a run which was broken off had noted.
#[derive(Debug, Default)]
pub struct Earlier {
    /// They are what they were to become.
    pub finished: HashSet<PathBuf>,
    /// They are neither what they were nor what they were to become.
    pub changed: HashSet<PathBuf>,
}

/// What a document is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// What it was.
    Old,
    /// What it was to become.
    New,
    /// Something else.
    Other,
    /// It is not there.
    Gone,
}

impl Earlier {
    /// Looks at each document.
    pub(super) fn of(documents: &[Noted], roots: &[Root]) -> Self {
        let mut earlier = Earlier::default();
        // The last note of a document counts: a run that went on may have found it changed.
        let mut last: BTreeMap<PathBuf, &Document> = BTreeMap::new();
        for Noted { document, .. } in documents {
            if let Some(path) = roots.get(document.root).and_then(|root| path_in(root, document)) {
                last.insert(path, document);
            }
        }
        for (path, document) in last {
            match state(&path, document) {
                State::Old => {}
                State::New => drop(earlier.finished.insert(with_new_name(path, document))),
                State::Other => drop(earlier.changed.insert(path)),
                State::Gone => {
                    let renamed = document.renamed.as_ref().map(|name| path.with_file_name(name));
                    earlier.finished.extend(renamed);
                }
            }
        }
        earlier
    }
}

/// Where a document is, as it is found on a walk through its PATH.
fn path_in(root: &Root, document: &Document) -> Option<PathBuf> {
    let root = root.path()?;
    Some(place(root, &document.below))
}

/// Where a path below a PATH is; of a single file it is that.
pub fn place(root: &Path, below: &Path) -> PathBuf {
    match root.is_dir() {
        true => root.join(below),
        false => root.with_file_name(below),
    }
}

/// What stands at a path; a link is something else.
pub fn state(path: &Path, document: &Document) -> State {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => {}
        Ok(_) => return State::Other,
        Err(_) => return State::Gone,
    }
    match File::open(path).and_then(digest::of) {
        Ok(hash) if hash == document.new => State::New,
        Ok(hash) if hash == document.old => State::Old,
        _ => State::Other,
    }
}

/// Gives a document its new name, if the run was broken off before it had that; the name that it has now.
fn with_new_name(path: PathBuf, document: &Document) -> PathBuf {
    let Some(renamed) = document.renamed.as_ref().map(|name| path.with_file_name(name)) else {
        return path;
    };
    if write::is_one(&path, &renamed) {
        // It had both names.
        return match std::fs::remove_file(&path) {
            Ok(()) => renamed,
            Err(_) => path,
        };
    }
    match write::rename(&path, &renamed) {
        Ok(()) => renamed,
        Err(_) => path,
    }
}
