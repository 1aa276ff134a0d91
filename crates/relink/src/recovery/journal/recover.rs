//! The work of an earlier run of the same command, recognized by the hashes of the documents.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::contents::JournalContents;
use crate::os::dirs::{Dirs, Location};
use crate::os::paths::Root;
use crate::os::positioned::Positioned;
use crate::recovery::open_document::{DocumentState, FoundDocument};
use crate::recovery::records::RecordedDocument;
use crate::recovery::records::lines::LineReader;
use crate::recovery::write;
use crate::recovery::write::renames::Steps;

/// The documents that an interrupted run had recorded.
#[derive(Debug, Default)]
pub struct Earlier {
    /// They have their new content.
    pub finished: HashSet<PathBuf>,
    /// They have neither their old nor their new content.
    pub changed: HashSet<PathBuf>,
    /// They do not exist any more.
    pub gone: Vec<PathBuf>,
    /// Those of the finished ones whose records are complete: the number of the root, and the path
    /// below it.
    pub written: Vec<(usize, PathBuf)>,
}

impl Earlier {
    /// Examines each document of a journal.
    ///
    /// # Errors
    ///
    /// Those of reading the journal.
    pub(super) fn new(
        (journal, contents): (&File, &JournalContents),
        roots: &[Root],
        dirs: &Dirs,
    ) -> io::Result<Self> {
        let mut earlier = Earlier::default();
        let root_of = |document: &RecordedDocument| roots.get(document.root)?.path();
        if has_renamed(contents, roots, dirs) {
            // All documents have their new content, and some have their new names.
            for recorded in contents.documents.iter(journal) {
                let document = recorded?.document;
                let path = root_of(&document).map(|root| place(root, &document.below));
                earlier.finished.extend(path);
                earlier.written.push((document.root, document.below));
            }
            return Ok(earlier);
        }
        let locate = |document: &RecordedDocument, path: &Path| {
            dirs.locate(document.root, &document.below, path)
        };
        // The last record of a document counts: a run that was resumed may have found it changed.
        let mut last: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for (number, recorded) in contents.documents.iter(journal).enumerate() {
            let document = recorded?.document;
            if let Some(root) = root_of(&document) {
                last.insert(place(root, &document.below), number);
            }
        }
        for document in &contents.torn {
            let Some(path) = root_of(document).map(|root| place(root, &document.below)) else {
                continue;
            };
            let is_new = |at: Location| state(&at, document) == DocumentState::New;
            // Its record was complete once, and it must not be written over twice.
            if !last.contains_key(&path) && locate(document, &path).is_ok_and(is_new) {
                earlier.finished.insert(path);
            }
        }
        let mut documents = contents.documents.reader(LineReader::of(Positioned::new(journal, 0)));
        for (path, number) in last {
            let document = &documents.get(number)?.document;
            let Ok(at) = locate(document, &path) else {
                earlier.gone.push(path);
                continue;
            };
            let finished = match state(&at, document) {
                DocumentState::Old => with_new_name_only(&at, document),
                DocumentState::New => Some(with_new_name(&at, document)),
                DocumentState::Other => {
                    earlier.changed.insert(path);
                    None
                }
                DocumentState::Gone => {
                    let renamed = document.renamed.as_ref().map(|name| at.sibling(name));
                    let renamed = renamed.filter(|renamed| renamed.status().is_ok());
                    if renamed.is_none() {
                        earlier.gone.push(path);
                    }
                    renamed.map(|renamed| renamed.path().to_owned())
                }
            };
            if let Some(finished) = finished {
                earlier.written.push((document.root, document.below.clone()));
                earlier.finished.insert(finished);
            }
        }
        Ok(earlier)
    }
}

/// Returns true if a run had begun to rename files.
fn has_renamed(contents: &JournalContents, roots: &[Root], dirs: &Dirs) -> bool {
    let shown = |root: usize, below: &Path| {
        place(roots.get(root).and_then(Root::path).unwrap_or(Path::new("")), below)
    };
    let (steps, shown) = (&*contents.renames, &shown);
    Steps { dirs, steps, directories: &[], shown, is_durable: false }.has_begun()
}

/// Returns the place of a path below a PATH; for a single file, the PATH itself.
pub fn place(root: &Path, below: &Path) -> PathBuf {
    if root.is_dir() { root.join(below) } else { root.with_file_name(below) }
}

/// Returns the current state of a document. A link is [`DocumentState::Other`].
pub fn state(at: &Location, document: &RecordedDocument) -> DocumentState {
    match FoundDocument::read(at, document) {
        Ok(found) => found.state,
        Err(_) if at.status().is_err() => DocumentState::Gone,
        Err(_) => DocumentState::Other,
    }
}

/// Removes the old document, if the new one has its new name already: the run was interrupted
/// between the two. Returns the new path in that case.
fn with_new_name_only(at: &Location, document: &RecordedDocument) -> Option<PathBuf> {
    let renamed = at.sibling(document.renamed.as_ref()?);
    if state(&renamed, document) != DocumentState::New {
        return None;
    }
    // A file that cannot be removed is reported later.
    drop(at.remove());
    Some(renamed.path().to_owned())
}

/// Gives a document its new name, if the run was interrupted before that. Returns its current path.
fn with_new_name(at: &Location, document: &RecordedDocument) -> PathBuf {
    let renamed = document.renamed.as_ref().map(|name| at.sibling(name));
    let Some(renamed) = renamed else { return at.path().to_owned() };
    let is_done = if at.is_same_file(&renamed) {
        // It had both names.
        at.remove().is_ok()
    } else {
        write::rename(at, &renamed).is_ok()
    };
    if is_done { renamed.path().to_owned() } else { at.path().to_owned() }
}
