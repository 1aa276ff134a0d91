//! The record of moves, if a second run would move documents again: a file next to each PATH,
//! `.NAME.relink-moves`.
//!
//! It is a log of [records](crate::recovery::records): first the URLs of the PATHs, then each
//! document with the hash of its new content, at last that the move is complete. It is written at
//! the end of a run; during the run, its [journal](crate::recovery::journal) has the same
//! information. If a document failed, the same command continues: documents with their recorded
//! hash are finished.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use urlcore::{Dialect, below};

use crate::files::own_files::MOVES as SUFFIX;
use crate::files::walk;
use crate::os::digest::{self, ContentHash};
use crate::os::dirs;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::plan::exit::Error;
use crate::recovery::journal::contents::JournalContents;
use crate::recovery::journal::recover::place;
use crate::recovery::journal::{Journal, lock};
use crate::recovery::records::lines::{self, Beginning, MOVES, MOVES_VERSION};
use crate::recovery::records::{LogRecord, MovedRecord, MovesHead, Recorded};
use crate::recovery::write::{self, WriteOptions};

/// The reason why a record is not restored that is not as the run has written it.
const CHANGED: &str = "not restored; the file was changed since the run; undo what came later first, or restore it from a backup";

/// The maximum length of a file that is read, in bytes.
const MOST_OF_FILE: u64 = 1 << 30;

/// The record next to one PATH.
#[derive(Debug)]
struct PastMove {
    pairs: Vec<(String, String)>,
    /// The documents: their paths below PATH, and the hashes of their new content.
    documents: Vec<(PathBuf, ContentHash)>,
    is_done: bool,
}

/// The records next to the PATHs. Each is created when it is needed.
#[derive(Debug)]
pub struct MoveLog {
    pairs: Vec<(String, String)>,
    files: Vec<MovesFile>,
    /// The documents that an earlier run has moved, by path.
    finished: HashSet<PathBuf>,
}

/// The file next to one PATH.
#[derive(Debug)]
struct MovesFile {
    path: PathBuf,
    /// True if it continues after an earlier run that ended without processing all documents.
    goes_on: bool,
}

impl MoveLog {
    /// Reads the records of earlier runs. With `again`, finished documents are moved again.
    ///
    /// # Errors
    ///
    /// [`Error::Path`] if the trees were already moved in this way, or if another move of them was
    /// interrupted.
    pub fn open(roots: &[Root], pairs: &[(String, String)], again: bool) -> Result<Self, Error> {
        let (mut files, mut finished) = (Vec::new(), HashSet::new());
        // The first of several may be complete if the run was interrupted.
        let mut done = Vec::new();
        for root in roots {
            let Root::Path { typed: root, real, .. } = root else { continue };
            let path = beside(real)?;
            if !again {
                check_outer(root, real, pairs)?;
                finished.extend(inner(root, real, pairs)?);
            }
            let goes_on = match read(&path)? {
                // It was interrupted before anything was written over.
                Some(past) if past.documents.is_empty() && !past.is_done => false,
                Some(past) if past.is_done && is_same(&past.pairs, pairs) && !again => {
                    finished.extend(documents(root, &past.documents));
                    done.push((path.clone(), root));
                    true
                }
                Some(past) if past.is_done => false,
                Some(past) if is_same(&past.pairs, pairs) && !again => {
                    finished.extend(documents(root, &past.documents));
                    true
                }
                Some(past) => {
                    let moves = past.pairs.iter();
                    let moves: Vec<String> =
                        moves.map(|(from, to)| format!("--from {from} --to {to}")).collect();
                    let (root, moves) = (root.display(), moves.join(" "));
                    let reason = format!(
                        "cannot start; another move of {root} was interrupted; finish it first with {moves}"
                    );
                    return Err(Error::at(&path, reason));
                }
                None => false,
            };
            files.push(MovesFile { path, goes_on });
        }
        match done.first() {
            Some((_, root)) if done.len() == files.len() && is_broken_off(root) => {
                let reason = "cannot start; a run was interrupted here just before its end; use `relink resume` to finish it";
                Err(Error::at(root, reason))
            }
            Some((path, root)) if done.len() == files.len() => Err(moved_already(path, root)),
            _ => Ok(MoveLog { pairs: pairs.to_vec(), files, finished }),
        }
    }

    /// Returns the documents that an earlier run has moved.
    pub fn finished(&self) -> HashSet<PathBuf> {
        self.finished.clone()
    }

    /// Records the written documents, and with `is_all` that the move is complete. Returns the
    /// paths of the records.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the record.
    pub fn finish(
        &self,
        journal: &Journal,
        is_all: bool,
        is_durable: bool,
    ) -> Result<Vec<&Path>, Failure> {
        let contents = journal.log().contents()?;
        let (log, renamed) = (journal.log().file()?, contents.renamed());
        let mut recorded = Vec::new();
        for (idx, MovesFile { path, goes_on }) in self.files.iter().enumerate() {
            // Whatever threads wrote them, and however often the run was interrupted.
            let mut names: BTreeSet<(PathBuf, ContentHash)> = BTreeSet::new();
            for written in contents.documents.iter(&log) {
                let document = written.map_err(Failure::reading(journal.path()))?.document;
                if document.root == idx {
                    let path = document.path().into_owned();
                    let moved = renamed.get(&(idx, path.clone())).cloned();
                    let all = [Some(document.below), Some(path), moved];
                    names.extend(all.into_iter().flatten().map(|name| (name, document.new)));
                }
            }
            if names.is_empty() && !(*goes_on && is_all) {
                continue;
            }
            let before = bytes(path)?;
            let head = MovesHead { version: MOVES_VERSION, moves: self.pairs.clone() };
            let head = (!goes_on).then_some(LogRecord::RelinkMoves(head));
            let moved =
                names.iter().map(|(name, hash)| LogRecord::Moved(MovedRecord::new(name, *hash)));
            let records = head.into_iter().chain(moved).chain(is_all.then_some(LogRecord::Done));
            let mut text = LogRecord::lines(records);
            if *goes_on {
                // The line end is that of an incomplete line.
                text.splice(..0, [&before, &b"\n"[..]].concat());
            }
            journal.log().note_moves(idx, &before, &text)?;
            let at = dirs::beside(path).map_err(Failure::writing(path))?;
            let options = WriteOptions::durable(is_durable).private();
            write::bytes(&at, &text, None, options)?;
            recorded.push(&**path);
        }
        Ok(recorded)
    }
}

/// Returns the content of a record of moves; empty, if there is none.
///
/// # Errors
///
/// [`Failure`] with its path, if it cannot be read or is not one.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if let Some(mut file) = open(path)? {
        file.read_to_end(&mut bytes).map_err(Failure::reading(path))?;
    }
    Ok(bytes)
}

/// Restores the records of moves that an interrupted run has changed, given its PATHs with their
/// numbers.
///
/// # Errors
///
/// [`Error::File`] if a record cannot be written, or was changed since.
pub fn restore_all<'r>(
    roots: impl IntoIterator<Item = (usize, &'r Path)>,
    journal: &File,
    contents: &JournalContents,
) -> Result<(), Error> {
    for (number, root) in roots {
        let changed = contents.moves_of(number);
        if !changed.is_empty() {
            restore(&beside(root)?, &changed, journal, true)?;
        }
    }
    Ok(())
}

/// Restores a record of moves that a run has changed, with the edits in a log.
///
/// # Errors
///
/// [`Failure`] with its path, if it cannot be written, or was changed since.
pub fn restore(
    path: &Path,
    changed: &[&Recorded],
    log: &File,
    is_durable: bool,
) -> Result<(), Failure> {
    let now = bytes(path)?;
    let old = before(path, &now, changed, log)?;
    if old == now {
        return Ok(());
    }
    let at = dirs::beside(path).map_err(Failure::writing(path))?;
    let options = WriteOptions::durable(is_durable).private();
    if old.is_empty() {
        at.remove().map_err(Failure::removing(path))
    } else {
        write::bytes(&at, &old, None, options).map(drop)
    }
}

/// Returns what a record of moves contained before a run has changed it, given what it contains
/// now. A run that was continued has changed it several times; it may be restored already.
///
/// # Errors
///
/// [`Failure`] with its path, if it has another content than the run has written.
pub fn before(
    path: &Path,
    now: &[u8],
    changed: &[&Recorded],
    log: &File,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = now.to_vec();
    for recorded in changed.iter().rev() {
        if digest::of_bytes(&bytes) == recorded.document.new {
            let mut old = Vec::new();
            let changes = recorded.changes(log).map_err(Failure::reading(path))?;
            let mut new = BufReader::new(Cursor::new(&bytes));
            changes.undo(&mut new, bytes.len() as u64, &mut old).map_err(Failure::reading(path))?;
            bytes = old;
        }
    }
    let is_old = |first: &&Recorded| digest::of_bytes(&bytes) == first.document.old;
    if changed.first().is_none_or(is_old) {
        Ok(bytes)
    } else {
        Err(Failure::because(path, CHANGED))
    }
}

/// Returns true if there is a journal.
fn is_broken_off(root: &Path) -> bool {
    let places = lock::places(root).unwrap_or_default();
    places.iter().any(|journal| journal.symlink_metadata().is_ok())
}

fn moved_already(notes: &Path, root: &Path) -> Error {
    let root = root.display();
    Error::at(
        notes,
        format!(
            "cannot start; {root} was already moved by the same move; use `--again` to move it once more"
        ),
    )
}

/// Checks that no directory around a PATH was moved in this way.
fn check_outer(root: &Path, path: &Path, pairs: &[(String, String)]) -> Result<(), Error> {
    for directory in path.ancestors().skip(1).filter(|directory| directory.file_name().is_some()) {
        let notes = beside(directory)?;
        let Some(past) = read(&notes)?.filter(|past| is_same(&past.pairs, pairs)) else {
            continue;
        };
        let documents = documents(directory, &past.documents);
        if documents.iter().any(|document| document.starts_with(path)) {
            return Err(moved_already(&notes, root));
        }
    }
    Ok(())
}

/// Returns the documents in a PATH that were moved in this way when their directory was a PATH of
/// its own.
fn inner(root: &Path, real: &Path, pairs: &[(String, String)]) -> Result<Vec<PathBuf>, Error> {
    let mut moved = Vec::new();
    for notes in walk::notes(real) {
        // Documents are identified by the path as typed.
        let below = notes.strip_prefix(real).unwrap_or(&notes);
        let notes = root.join(below);
        // That of the PATH itself may be in it.
        let subject = lock::subject_with(&notes, SUFFIX).filter(|subject| subject != root);
        let Some(subject) = subject else { continue };
        if let Some(past) = read(&notes)?.filter(|past| is_same(&past.pairs, pairs)) {
            moved.extend(documents(&subject, &past.documents));
        }
    }
    Ok(moved)
}

/// Returns true if two moves are the same: from the same directories to the same directories,
/// however their URLs are spelled.
fn is_same(past: &[(String, String)], pairs: &[(String, String)]) -> bool {
    let is_in = |root: &str, url: &str| below(root, url, Dialect::Web).is_some();
    let is_one = |one: &str, other: &str| is_in(one, other) && is_in(other, one);
    past.len() == pairs.len()
        && (past.iter().zip(pairs))
            .all(|(past, pair)| is_one(&past.0, &pair.0) && is_one(&past.1, &pair.1))
}

/// Returns the path of the record of a PATH: next to it, or in it, as that of a journal.
///
/// # Errors
///
/// [`Error::Path`] if there is none: the PATH does not exist.
pub fn beside(root: &Path) -> Result<PathBuf, Error> {
    // The record is in one place, whatever links lead to PATH.
    let path = root.canonicalize().unwrap_or_else(|_| paths::absolute(root));
    let places = lock::places_with(&path, SUFFIX).unwrap_or_default();
    let known = places.iter().find(|place| place.symlink_metadata().is_ok());
    known.or(places.first()).cloned().ok_or_else(|| {
        Error::at(
            root,
            "cannot record the move; this PATH is not inside a directory; use `-o OUT` to write elsewhere",
        )
    })
}

/// Opens the record at a path, if it exists: only a regular file of this user, and of a reasonable
/// size.
fn open(path: &Path) -> Result<Option<File>, Failure> {
    let failed = |reason: &str| Failure::reading(path)(io::Error::other(reason.to_owned()));
    let at = match dirs::beside(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        at => at.map_err(Failure::reading(path))?,
    };
    let (file, metadata) = match at.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if at.status().is_ok_and(|status| !status.is_file) => {
            return Err(failed("it is not a record of moves by relink; move it away"));
        }
        opened => opened.map_err(Failure::reading(path))?,
    };
    if !lock::is_own(&metadata) {
        return Err(failed("it is not trusted because another user owns it; move it away"));
    }
    if metadata.len() > MOST_OF_FILE {
        return Err(failed("it is too large for a record of moves; move it away"));
    }
    Ok(Some(file))
}

/// Returns the content of a record, if it exists.
fn read(path: &Path) -> Result<Option<PastMove>, Failure> {
    let failed = |reason: &str| Failure::reading(path)(io::Error::other(reason.to_owned()));
    let Some(file) = open(path)? else { return Ok(None) };
    let mut found: Option<PastMove> = None;
    let beginning = lines::read(file, &MOVES, |_, line| {
        match (LogRecord::read(line), &mut found) {
            (Some(LogRecord::RelinkMoves(head)), None) => {
                let (documents, is_done) = (Vec::new(), false);
                found = Some(PastMove { pairs: head.moves, documents, is_done });
            }
            (Some(LogRecord::Moved(moved)), Some(found)) => {
                found.documents.extend(moved.document())
            }
            (Some(LogRecord::Done), Some(found)) => found.is_done = true,
            // An incomplete line: its document was not written over.
            _ => {}
        }
        found.is_some()
    });
    match (beginning.map_err(Failure::reading(path))?, found) {
        (Beginning::Version(version), _) => Err(failed(&messages::of_other_version(version))),
        (_, Some(found)) if !found.pairs.is_empty() => Ok(Some(found)),
        _ => Err(failed("the record does not say what was moved; remove it if you know that")),
    }
}

/// Returns the documents that have their new content.
fn documents(root: &Path, documents: &[(PathBuf, ContentHash)]) -> Vec<PathBuf> {
    let is_it = |(below, hash): &(PathBuf, ContentHash)| {
        let path = place(root, below);
        let (file, _) = dirs::beside(&path).and_then(|at| at.open()).ok()?;
        (digest::of_reader(file).ok()? == *hash).then_some(path)
    };
    documents.iter().filter_map(is_it).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::recovery::journal::log::Log;

    #[test]
    fn a_record_is_restored_unless_it_was_changed_since() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().canonicalize().unwrap().join(".a.relink-moves");
        // A run that was continued has changed it twice.
        let contents = [&b""[..], b"one\n", b"one\ntwo\n"];
        let log = Log::temporary(&path).unwrap();
        log.note_moves(0, contents[0], contents[1]).unwrap();
        log.note_moves(0, contents[1], contents[2]).unwrap();
        let (records, file) = (log.contents().unwrap(), log.file().unwrap());
        let restored = || restore(&path, &records.moves_of(0), &file, false);
        for now in contents {
            fs::write(&path, now).unwrap();
            restored().unwrap();
            assert_eq!(fs::read(&path).unwrap_or_default(), b"");
            // An undo that was interrupted here begins again.
            restored().unwrap();
        }
        fs::write(&path, "mine\n").unwrap();
        restored().unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"mine\n");
    }
}
