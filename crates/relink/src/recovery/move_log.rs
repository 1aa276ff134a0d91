//! The record of moves, if a second run would move documents again: a file next to each PATH,
//! `.NAME.relink-moves`.
//!
//! It has one record per line, with tabs between its fields: first the roots, then each document
//! with the hash of its new content, at last that the move is complete. It is written at the end of
//! a run; during the run, its [journal](crate::recovery::journal) has the same information. If a
//! document failed, the same command continues: documents with their recorded hash are finished.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use urlcore::{Dialect, below};

use crate::files::own_files::MOVES as SUFFIX;
use crate::files::walk;
use crate::os::digest::{self, N_DIGITS};
use crate::os::dirs;
use crate::os::failure::Failure;
use crate::os::paths;
use crate::os::paths::Root;
use crate::plan::exit::Error;
use crate::recovery::journal::record::{Contents, Document};
use crate::recovery::journal::recover::place;
use crate::recovery::journal::{Journal, lines, lock};
use crate::recovery::write::{self, WriteOptions};

/// The maximum length of a line, in octets.
const MOST_OF_LINE: usize = 1 << 20;

/// The maximum length of a file that is read, in octets.
const MOST_OF_NOTES: u64 = 1 << 30;

/// One line of the file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    /// The old and new URLs of the roots.
    PrefixMap(Vec<(String, String)>),
    /// A document: its path below PATH, in percent-escapes, and the hash of its new content.
    Document(String, String),
    /// The move is complete.
    Done,
}

impl Line {
    /// Returns the line as written. No URL and no escaped path contains a tab.
    fn text(&self) -> String {
        match self {
            Line::PrefixMap(pairs) => {
                let pairs = pairs.iter().map(|(from, to)| format!("\t{from}\t{to}"));
                format!("moves{}\n", pairs.collect::<String>())
            }
            Line::Document(name, hash) => format!("document\t{name}\t{hash}\n"),
            Line::Done => "done\n".to_owned(),
        }
    }

    /// Parses a line, if it is complete.
    fn read(line: &str) -> Option<Line> {
        let fields: Vec<&str> = line.split('\t').collect();
        match &*fields {
            ["moves", urls @ ..] if !urls.is_empty() && urls.len() % 2 == 0 => {
                let pairs = urls.chunks_exact(2).map(|pair| (pair[0].into(), pair[1].into()));
                Some(Line::PrefixMap(pairs.collect()))
            }
            ["document", name, hash] if hash.len() == N_DIGITS => {
                Some(Line::Document((*name).to_owned(), (*hash).to_owned()))
            }
            ["done"] => Some(Line::Done),
            _ => None,
        }
    }
}

/// The record next to one PATH.
#[derive(Debug)]
struct Noted {
    pairs: Vec<(String, String)>,
    documents: Vec<(String, String)>,
    is_done: bool,
}

/// The records next to the PATHs. Each is created when it is needed.
#[derive(Debug)]
pub struct MoveLog {
    pairs: Vec<(String, String)>,
    files: Vec<Notes>,
    /// The documents that an earlier run has moved, by path.
    finished: HashSet<PathBuf>,
}

/// The file next to one PATH.
#[derive(Debug)]
struct Notes {
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
                Some(noted) if noted.documents.is_empty() && !noted.is_done => false,
                Some(noted) if noted.is_done && is_same(&noted.pairs, pairs) && !again => {
                    finished.extend(documents(root, &noted.documents));
                    done.push((path.clone(), root));
                    true
                }
                Some(noted) if noted.is_done => false,
                Some(noted) if is_same(&noted.pairs, pairs) && !again => {
                    finished.extend(documents(root, &noted.documents));
                    true
                }
                Some(noted) => {
                    let moves = noted.pairs.iter();
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
            files.push(Notes { path, goes_on });
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
        let (written, renamed) = (&contents.documents, contents.renamed());
        let mut recorded = Vec::new();
        for (idx, Notes { path, goes_on }) in self.files.iter().enumerate() {
            let written = written.iter().map(|written| &written.document);
            // Whatever threads wrote them, and however often the run was interrupted.
            let lines: BTreeSet<Line> = written
                .filter(|document| document.root == idx)
                .flat_map(|document| {
                    let moved = renamed.get(&(idx, document.path())).cloned();
                    of_document(&Document { moved, ..document.clone() })
                })
                .collect();
            if lines.is_empty() && !(*goes_on && is_all) {
                continue;
            }
            let mut text = match goes_on {
                true => String::from_utf8_lossy(&earlier(path)?).into_owned() + "\n",
                false => Line::PrefixMap(self.pairs.clone()).text(),
            };
            let lines = lines.into_iter().chain(is_all.then_some(Line::Done));
            text.extend(lines.map(|line| line.text()));
            journal.log().note_moves(idx, &earlier(path)?)?;
            let at = dirs::beside(path).map_err(Failure::writing(path))?;
            let options = WriteOptions::durable(is_durable).private();
            write::bytes(&at, text.as_bytes(), None, options)?;
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
pub fn earlier(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if let Some(mut notes) = open(path)? {
        notes.read_to_end(&mut bytes).map_err(Failure::reading(path))?;
    }
    Ok(bytes)
}

/// Restores the records of earlier moves, if a run was interrupted after it had written its own.
///
/// # Errors
///
/// [`Error::File`] if a record cannot be written.
pub fn put_back(roots: &[PathBuf], contents: &Contents) -> Result<(), Error> {
    // If the run continued and was interrupted again, the first saved record counts.
    for (idx, earlier) in contents.notes.iter().rev() {
        let Some(root) = roots.get(*idx) else { continue };
        let path = beside(root)?;
        match &**earlier {
            [] => lock::remove(&path).map_err(Failure::removing(&path))?,
            earlier => {
                let at = dirs::beside(&path).map_err(Failure::writing(&path))?;
                write::bytes(&at, earlier, None, WriteOptions::durable(true).private())?;
            }
        }
    }
    Ok(())
}

/// Returns the records of a document, for each name that it may have.
fn of_document(document: &Document) -> Vec<Line> {
    let renamed = document.renamed.as_ref().map(|name| document.below.with_file_name(name));
    let names = std::iter::once(document.below.clone()).chain(renamed);
    let names = names.chain(document.moved.clone());
    names.map(|name| Line::Document(escaped(&name), document.new.clone())).collect()
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
        let Some(noted) = read(&notes)?.filter(|noted| is_same(&noted.pairs, pairs)) else {
            continue;
        };
        let documents = documents(directory, &noted.documents);
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
        if let Some(noted) = read(&notes)?.filter(|noted| is_same(&noted.pairs, pairs)) {
            moved.extend(documents(&subject, &noted.documents));
        }
    }
    Ok(moved)
}

/// Returns true if two moves are the same: from the same directories to the same directories,
/// however their URLs are spelled.
fn is_same(noted: &[(String, String)], pairs: &[(String, String)]) -> bool {
    let is_in = |root: &str, url: &str| below(root, url, Dialect::Web).is_some();
    let is_one = |one: &str, other: &str| is_in(one, other) && is_in(other, one);
    noted.len() == pairs.len()
        && (noted.iter().zip(pairs))
            .all(|(noted, pair)| is_one(&noted.0, &pair.0) && is_one(&noted.1, &pair.1))
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
    match metadata.len() > MOST_OF_NOTES {
        true => Err(failed("it is too large for a record of moves; move it away")),
        false => Ok(Some(file)),
    }
}

/// Returns the content of a record, if it exists.
fn read(path: &Path) -> Result<Option<Noted>, Error> {
    Ok(read_lines(path)?)
}

fn read_lines(path: &Path) -> Result<Option<Noted>, Failure> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut noted: Option<Noted> = None;
    let mut is_wrong = false;
    let is_cut = lines::each(BufReader::new(file), 0, MOST_OF_LINE, |_, line| {
        match (Line::read(line.unwrap_or_default()), &mut noted) {
            (Some(Line::PrefixMap(pairs)), None) => {
                noted = Some(Noted { pairs, documents: Vec::new(), is_done: false });
            }
            (Some(Line::Document(name, hash)), Some(noted)) => noted.documents.push((name, hash)),
            (Some(Line::Done), Some(noted)) => noted.is_done = true,
            (_, None) => is_wrong = true,
            // An incomplete line: its document was not written over.
            _ => {}
        }
        !is_wrong
    });
    let is_cut = is_cut.map_err(Failure::reading(path))?;
    if is_wrong || (is_cut && noted.is_none()) {
        let reason = "the record does not say what was moved; remove it if you know that";
        return Err(Failure::reading(path)(io::Error::other(reason)));
    }
    Ok(noted)
}

/// Returns the documents that have their new content.
fn documents(root: &Path, documents: &[(String, String)]) -> Vec<PathBuf> {
    let path = |name: &String| {
        let name = urlcore::escape::percent_decode(name);
        let name = match name {
            std::borrow::Cow::Borrowed(name) => name.to_vec(),
            std::borrow::Cow::Owned(name) => name,
        };
        Some(place(root, &paths::from_bytes(&name)?))
    };
    let is_it = |(name, hash): &(String, String)| {
        let path = path(name)?;
        let (file, _) = dirs::beside(&path).and_then(|at| at.open()).ok()?;
        (digest::of_reader(file).ok()? == *hash).then_some(path)
    };
    documents.iter().filter_map(is_it).collect()
}

/// Returns the path below PATH, as text.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for (idx, name) in paths::bytes(path).split(|byte| *byte == b'/').enumerate() {
        if idx > 0 {
            text.push('/');
        }
        urlcore::escape::encode_path_segment(name, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written_and_only_whole() {
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        for line in [
            Line::PrefixMap(vec![pair("http://a/", "http://a/b/"), pair("http://c/", "ftp://d/")]),
            Line::Document("a%09b/c.html".to_owned(), "0".repeat(N_DIGITS)),
            Line::Done,
        ] {
            let text = line.text();
            let whole = text.trim_end();
            assert_eq!(Line::read(whole), Some(line));
            assert_eq!(
                Line::read(&whole[..whole.len() - 1])
                    .filter(|line| !matches!(line, Line::PrefixMap(_))),
                None
            );
        }
        assert_eq!(Line::read("moves"), None);
        assert_eq!(Line::read("mine"), None);
    }
}
