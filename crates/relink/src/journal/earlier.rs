//! What an earlier run of the same command has done, told by the hashes of the documents.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::record::{Contents, Document, Noted};
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
    /// They are not there any more.
    pub gone: Vec<PathBuf>,
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
    pub(super) fn of(contents: &Contents, roots: &[Root]) -> Self {
        let mut earlier = Earlier::default();
        let root_of = |document: &Document| roots.get(document.root)?.path();
        // The last note of a document counts: a run that went on may have found it changed.
        let mut last: BTreeMap<PathBuf, (&Path, &Document)> = BTreeMap::new();
        for Noted { document, .. } in &contents.documents {
            if let Some(root) = root_of(document) {
                last.insert(place(root, &document.below), (root, document));
            }
        }
        for document in &contents.torn {
            let Some(path) = root_of(document).map(|root| place(root, &document.below)) else {
                continue;
            };
            // Its note was whole once, and it is not to be written over twice.
            if !last.contains_key(&path) && state(&path, document) == State::New {
                earlier.finished.insert(path);
            }
        }
        for (path, (root, document)) in last {
            if !is_within(root, &document.below) {
                earlier.gone.push(path);
                continue;
            }
            match state(&path, document) {
                State::Old => {}
                State::New => drop(earlier.finished.insert(with_new_name(path, document))),
                State::Other => drop(earlier.changed.insert(path)),
                State::Gone => {
                    let renamed = document.renamed.as_ref().map(|name| path.with_file_name(name));
                    match renamed.filter(|renamed| renamed.symlink_metadata().is_ok()) {
                        Some(renamed) => drop(earlier.finished.insert(renamed)),
                        None => earlier.gone.push(path),
                    }
                }
            }
        }
        earlier
    }
}

/// Whether the folders from a PATH to what is below it are folders, and no links.
pub fn is_within(root: &Path, below: &Path) -> bool {
    let mut folders = below.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders
        .all(|folder| root.join(folder).symlink_metadata().is_ok_and(|metadata| metadata.is_dir()))
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
