//! Writes a manifest from the records of a run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::kept;
use super::line::{
    Content, Directory, Edit, End, Extent, File, Header, Line, Link, Moves, VERSION,
    VERSION_BESIDE, optional,
};
use crate::os::digest::{self, Hasher};
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths;
use crate::os::undo_log::Changes;
use crate::recovery::journal::lines;
use crate::recovery::journal::log::Log;
use crate::recovery::journal::record::{Contents, Document, Noted};
use crate::recovery::write::replaced::Replaced;
use crate::recovery::write::{Stream, WriteOptions};

/// The number of octets that are written at once.
const CHUNK: usize = 1 << 16;

/// What a manifest is about.
#[derive(Clone, Debug)]
pub struct Head {
    /// The command of the run.
    pub command: String,
    /// The number of PATHs for which it is used.
    pub n_roots: usize,
    /// True if it lists all files of the output.
    pub is_all: bool,
}

/// A record of moves before and after a run.
#[derive(Debug)]
pub struct MovedRecord {
    /// The number of its PATH.
    pub root: usize,
    /// Its content before the run; empty, if there was none.
    pub before: Vec<u8>,
    /// Its content after the run.
    pub after: Vec<u8>,
}

/// The manifest that is being written.
struct Out {
    stream: Stream,
    buffer: Vec<u8>,
    hasher: Hasher,
    n_files: usize,
    n_edits: usize,
}

/// An entry of the output.
enum Entry<'l> {
    /// A file, and its record with the edits; without one, only its name has changed.
    File(Document, Option<&'l Noted>),
    /// A symbolic link: its path before the run if that has changed, and its target.
    Link(Option<PathBuf>, PathBuf),
}

/// A file or link whose name has changed, and nothing else.
#[derive(Debug)]
pub enum Renamed {
    /// A file.
    File(Document),
    /// A link: the number of the root, the paths below it before and after, and the target.
    Link(usize, PathBuf, PathBuf, PathBuf),
}

/// Where a manifest is written.
#[derive(Clone, Copy, Debug)]
pub enum Place<'p> {
    /// Next to the PATHs of the run, which are given.
    Kept(&'p [&'p Path]),
    /// Where the caller wants it, and the log is a journal, by which `undo` removes it.
    Recorded,
    /// Where the caller wants it.
    Wanted,
}

/// Writes the manifest of a run whose records are in a log, in one step: a temporary file gets the
/// name when it is complete. `renamed` are the files and links that have no record. `place` says
/// whose the manifest is.
///
/// # Errors
///
/// [`Failure`] with the path of the manifest, or of the records.
pub fn write(
    to: &Location,
    head: &Head,
    log: &Log,
    moves: &[MovedRecord],
    renamed: Vec<Renamed>,
    place: Place<'_>,
    options: WriteOptions,
) -> Result<(), Failure> {
    let contents = log.contents()?;
    let new_paths = contents.renamed();
    let mut records = lines::Reader::new(log.file()?).map_err(Failure::reading(to.path()))?;
    // In path order; of several records of a document, the last counts.
    let mut entries: BTreeMap<(usize, PathBuf), Entry<'_>> = BTreeMap::new();
    // A run that continued has found the copies of the interrupted one.
    let mut copies: BTreeMap<(usize, PathBuf), &OsStr> = BTreeMap::new();
    let with_new_path = |document: &Document| {
        let moved = new_paths.get(&(document.root, document.path())).cloned();
        Document { moved, ..document.clone() }
    };
    for Noted { document, .. } in &contents.documents {
        if let Some(name) = &document.kept {
            copies.insert((document.root, with_new_path(document).path()), name);
        }
    }
    for renamed in renamed {
        match renamed {
            Renamed::File(document) => {
                entries.insert((document.root, document.path()), Entry::File(document, None));
            }
            Renamed::Link(root, old, new, target) => {
                entries.insert((root, new), Entry::Link(Some(old), target));
            }
        }
    }
    for noted in contents.documents.iter().filter(|noted| log.is_written(&noted.document)) {
        let document = with_new_path(&noted.document);
        let place = (document.root, document.path());
        entries.insert(place, Entry::File(document, Some(noted)));
    }
    for (root, below, target) in &contents.links {
        let new = new_paths.get(&(*root, below.clone()));
        let entry = Entry::Link(new.map(|_| below.clone()), target.clone());
        entries.insert((*root, new.unwrap_or(below).clone()), entry);
    }
    let version = if new_paths.is_empty() { VERSION_BESIDE } else { VERSION };
    let options = if let Place::Kept(_) = place { options.private() } else { options };
    let stream = Stream::new(to, None, options)?;
    let (buffer, hasher) = (Vec::with_capacity(2 * CHUNK), Hasher::default());
    let mut out = Out { stream, buffer, hasher, n_files: 0, n_edits: 0 };
    out.line(&Line::RelinkManifest(Header {
        version,
        relink: env!("CARGO_PKG_VERSION").to_owned(),
        command: head.command.clone(),
        roots: head.n_roots,
        files: if head.is_all { Extent::All } else { Extent::Changed },
    }))?;
    for moved in moves {
        out.moves(moved)?;
    }
    let directories = if new_paths.is_empty() { &[] } else { &*contents.directories };
    for directory in directories {
        out.line(&Line::Directory(Directory::new(directory)))?;
    }
    for ((root, below), entry) in &entries {
        match entry {
            Entry::Link(before, target) => {
                out.n_files += 1;
                out.line(&Line::Link(Link::new(*root, below, before.as_deref(), target)))?;
            }
            Entry::File(document, noted) => {
                out.n_files += 1;
                let copy = copies.get(&(*root, below.clone())).copied();
                let n_edits = noted.map_or(0, Noted::n_edits);
                out.line(&Line::File(file(document, copy, n_edits)))?;
                let Some(noted) = noted else { continue };
                noted
                    .each_edit(&mut records, |at, length, old| out.edit(at, length, old))
                    .map_err(Failure::writing(to.path()))?;
            }
        }
    }
    out.end(place, &contents, log)
}

/// Returns the line of a file.
fn file(document: &Document, copy: Option<&OsStr>, n_edits: usize) -> File {
    let Document { root, below, old, new, renamed, moved, kept: _, lens: [old_len, new_len] } =
        document;
    let (path, path_bytes) = paths::text(&document.path());
    let is_renamed = renamed.is_some() || moved.is_some();
    let (path_before, path_before_bytes) = optional(is_renamed.then_some(&**below));
    let copy = copy.map(|name| below.with_file_name(name));
    let (backup, backup_bytes) = optional(copy.as_deref());
    File {
        root: *root,
        path,
        path_bytes,
        path_before,
        path_before_bytes,
        backup,
        backup_bytes,
        before: Content::new(old, *old_len),
        after: Content::new(new, *new_len),
        edits: n_edits,
    }
}

impl Out {
    fn line(&mut self, line: &Line) -> Result<(), Failure> {
        let start = self.buffer.len();
        let written = messages::write_json(&mut self.buffer, line);
        let written = written.and_then(|()| self.hasher.write_all(&self.buffer[start..]));
        written.map_err(Failure::writing(self.stream.path()))?;
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.stream.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn edit(&mut self, at: u64, length: u64, old: &[u8]) -> io::Result<()> {
        self.n_edits += 1;
        self.line(&Line::Edit(Edit::new(at, length, old))).map_err(Failure::into_cause)
    }

    /// Writes a record of moves, and the edits that restore it.
    fn moves(&mut self, moved: &MovedRecord) -> Result<(), Failure> {
        let MovedRecord { root, before, after } = moved;
        let content = |bytes: &[u8]| Content::new(&digest::of_bytes(bytes), bytes.len() as u64);
        let changes = Changes::between(before, after);
        self.line(&Line::Moves(Moves {
            root: *root,
            before: content(before),
            after: content(after),
            edits: changes.pieces().count(),
        }))?;
        let written = changes
            .pieces()
            .try_for_each(|(span, old)| self.edit(span.start, span.end - span.start, old));
        written.map_err(Failure::writing(self.stream.path()))
    }

    /// Writes the last line, and gives the file its name.
    fn end(mut self, place: Place<'_>, records: &Contents, log: &Log) -> Result<(), Failure> {
        let sha256 = std::mem::take(&mut self.hasher).finish();
        self.line(&Line::End(End { files: self.n_files, edits: self.n_edits, sha256 }))?;
        if let Place::Kept(roots) = place {
            let line = kept::line(self.stream.file(), roots, records);
            self.line(&line.map_err(Failure::writing(self.stream.path()))?)?;
        }
        self.flush()?;
        if let Place::Recorded = place {
            let new = self.stream.hash()?;
            let file = Replaced::before_hash(self.stream.path(), new)?;
            file.map_or(Ok(()), |file| log.note_replaced(&file))?;
        }
        self.stream.finish().map(drop)
    }
}
