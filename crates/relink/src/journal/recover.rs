//! What an earlier run of the same command has done, told by the hashes of the documents.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::record::{Contents, Document, Noted};
use crate::digest;
use crate::dirs::{Dirs, Location};
use crate::paths::Root;
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
    pub(super) fn of(contents: &Contents, roots: &[Root], dirs: &Dirs) -> Self {
        let mut earlier = Earlier::default();
        let root_of = |document: &Document| roots.get(document.root)?.path();
        let locate =
            |document: &Document, path: &Path| dirs.locate(document.root, &document.below, path);
        // The last note of a document counts: a run that was resumed may have found it changed.
        let mut last: BTreeMap<PathBuf, &Document> = BTreeMap::new();
        for Noted { document, .. } in &contents.documents {
            if let Some(root) = root_of(document) {
                last.insert(place(root, &document.below), document);
            }
        }
        for document in &contents.torn {
            let Some(path) = root_of(document).map(|root| place(root, &document.below)) else {
                continue;
            };
            let is_new = |at: Location| state(&at, document) == State::New;
            // Its note was whole once, and it is not to be written over twice.
            if !last.contains_key(&path) && locate(document, &path).is_ok_and(is_new) {
                earlier.finished.insert(path);
            }
        }
        for (path, document) in last {
            let Ok(at) = locate(document, &path) else {
                earlier.gone.push(path);
                continue;
            };
            match state(&at, document) {
                State::Old => earlier.finished.extend(with_new_name_only(&at, document)),
                State::New => drop(earlier.finished.insert(with_new_name(&at, document))),
                State::Other => drop(earlier.changed.insert(path)),
                State::Gone => {
                    let renamed = document.renamed.as_ref().map(|name| at.sibling(name));
                    match renamed.filter(|renamed| renamed.status().is_ok()) {
                        Some(renamed) => drop(earlier.finished.insert(renamed.path().to_owned())),
                        None => earlier.gone.push(path),
                    }
                }
            }
        }
        earlier
    }
}

/// Where a path below a PATH is; of a single file it is that.
pub fn place(root: &Path, below: &Path) -> PathBuf {
    match root.is_dir() {
        true => root.join(below),
        false => root.with_file_name(below),
    }
}

/// Returns what a document is now. A link is something else.
pub fn state(at: &Location, document: &Document) -> State {
    match at.status() {
        Ok(found) if found.is_file => {}
        Ok(_) => return State::Other,
        Err(_) => return State::Gone,
    }
    match at.open().and_then(|(file, _)| digest::of(file)) {
        Ok(hash) if hash == document.new => State::New,
        Ok(hash) if hash == document.old => State::Old,
        _ => State::Other,
    }
}

/// Removes the old document, if the new one has its new name already: the run was interrupted
/// between the two. Returns the new path then.
fn with_new_name_only(at: &Location, document: &Document) -> Option<PathBuf> {
    let renamed = at.sibling(document.renamed.as_ref()?);
    if state(&renamed, document) != State::New {
        return None;
    }
    // What cannot be removed is reported when its turn comes.
    drop(at.remove());
    Some(renamed.path().to_owned())
}

/// Gives a document its new name, if the run was interrupted before that. Returns the path that it
/// has now.
fn with_new_name(at: &Location, document: &Document) -> PathBuf {
    let renamed = document.renamed.as_ref().map(|name| at.sibling(name));
    let Some(renamed) = renamed else { return at.path().to_owned() };
    let is_done = match at.is_same_file(&renamed) {
        // It had both names.
        true => at.remove().is_ok(),
        false => write::rename(at, &renamed).is_ok(),
    };
    if is_done { renamed.path().to_owned() } else { at.path().to_owned() }
}
