//! Writes a manifest from the records of a run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::kept;
use crate::os::digest::Hasher;
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::recovery::journal::contents::JournalContents;
use crate::recovery::journal::log::{Log, moves};
use crate::recovery::records::lines::{LineReader, MANIFEST_VERSION, MANIFEST_VERSION_BESIDE};
use crate::recovery::records::{
    DirectoryRecord, End, FileRecord, LinkRecord, LogRecord, ManifestExtent, ManifestHead,
    Recorded, RecordedDocument,
};
use crate::recovery::write::replaced::Replaced;
use crate::recovery::write::{StreamedFile, WriteOptions};

/// The number of bytes that are written at once.
const CHUNK: usize = 1 << 16;

/// What a manifest is about.
#[derive(Clone, Debug)]
pub struct ManifestSubject {
    /// The command of the run.
    pub command: String,
    /// The number of PATHs for which it is used.
    pub n_roots: usize,
    /// True if it lists all files of the output.
    pub is_all: bool,
}

/// A record of moves before and after a run.
#[derive(Debug)]
pub struct ChangedMoves {
    /// The number of its PATH.
    pub root: usize,
    /// Its content before the run; empty, if there was none.
    pub before: Vec<u8>,
    /// Its content after the run.
    pub after: Vec<u8>,
}

/// The manifest that is being written.
struct ManifestWriter {
    stream: StreamedFile,
    buffer: Vec<u8>,
    hasher: Hasher,
    n_files: usize,
    n_edits: usize,
}

/// An entry of the output. There are many: what the records have is borrowed.
enum ManifestEntry<'l> {
    /// A file with its record, which has the edits.
    Recorded(&'l Recorded),
    /// A file of which only the name has changed.
    Renamed(&'l RecordedDocument),
    /// A symbolic link: its path before the run if that has changed, and its target.
    Link(Option<&'l Path>, &'l Path),
}

/// A file or link whose name has changed, and nothing else.
#[derive(Debug)]
pub enum Renamed {
    /// A file.
    File(RecordedDocument),
    /// A link: the number of the root, the paths below it before and after, and the target.
    Link(usize, PathBuf, PathBuf, PathBuf),
}

/// What a manifest lists besides the records of its run.
#[derive(Debug, Default)]
pub struct Unrecorded {
    /// The records of moves that the run has written.
    pub moves: Vec<ChangedMoves>,
    /// The files and links that have only other names.
    pub renamed: Vec<Renamed>,
}

/// Where a manifest is written.
#[derive(Clone, Copy, Debug)]
pub enum ManifestPlace<'p> {
    /// Next to the PATHs of the run, which are given.
    Kept(&'p [&'p Path]),
    /// Where the caller wants it, and the log is a journal, by which `undo` removes it.
    Recorded,
    /// Where the caller wants it.
    Wanted,
}

/// Writes the manifest of a run whose records are in a log with these contents, in one step: a
/// temporary file gets the name when it is complete. `place` says whose the manifest is.
///
/// # Errors
///
/// [`Failure`] with the path of the manifest, or of the records.
pub fn write(
    to: &Location,
    head: &ManifestSubject,
    (log, contents): (&Log, &JournalContents),
    Unrecorded { moves: moved, renamed }: Unrecorded,
    place: ManifestPlace<'_>,
    options: WriteOptions,
) -> Result<(), Failure> {
    let new_paths = contents.renamed();
    let mut records = LineReader::new(log.file()?).map_err(Failure::reading(to.path()))?;
    let new_path = |root: usize, path: &Path| {
        if new_paths.is_empty() { None } else { new_paths.get(&(root, path.to_owned())) }
    };
    // A run that continued has found the copies of the interrupted one.
    let mut copies: BTreeMap<(usize, Cow<'_, Path>), &OsStr> = BTreeMap::new();
    let n_entries = contents.links.len() + contents.documents.len() + renamed.len();
    let mut entries: Vec<((usize, Cow<'_, Path>), ManifestEntry<'_>)> =
        Vec::with_capacity(n_entries);
    for (root, below, target) in &contents.links {
        let new = new_path(*root, below);
        let entry = ManifestEntry::Link(new.map(|_| &**below), target);
        entries.push(((*root, new.unwrap_or(below).into()), entry));
    }
    for recorded in contents.documents.iter().rev() {
        let document = &recorded.document;
        let place = || {
            let path = document.path();
            let new = new_path(document.root, &path);
            (document.root, new.map_or(path, |new| new.into()))
        };
        if let Some(name) = &document.kept {
            copies.entry(place()).or_insert(name);
        }
        if log.is_written(document) {
            entries.push((place(), ManifestEntry::Recorded(recorded)));
        }
    }
    entries.extend(renamed.iter().map(|renamed| match renamed {
        Renamed::File(document) => {
            ((document.root, document.path()), ManifestEntry::Renamed(document))
        }
        Renamed::Link(root, old, new, target) => {
            ((*root, new.into()), ManifestEntry::Link(Some(old), target))
        }
    }));
    // In path order; of several entries of a path, the first counts: the last record.
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries.dedup_by(|(one, _), (other, _)| one == other);
    let version = if new_paths.is_empty() { MANIFEST_VERSION_BESIDE } else { MANIFEST_VERSION };
    let options = if let ManifestPlace::Kept(_) = place { options.private() } else { options };
    let stream = StreamedFile::new(to, None, options)?;
    let (buffer, hasher) = (Vec::with_capacity(2 * CHUNK), Hasher::default());
    let mut out = ManifestWriter { stream, buffer, hasher, n_files: 0, n_edits: 0 };
    out.record(&LogRecord::RelinkManifest(ManifestHead {
        version,
        relink: env!("CARGO_PKG_VERSION").to_owned(),
        command: head.command.clone(),
        roots: head.n_roots,
        files: if head.is_all { ManifestExtent::All } else { ManifestExtent::Changed },
    }))?;
    for ChangedMoves { root, before, after } in &moved {
        let (lines, n_edits) = moves(*root, before, after);
        out.n_edits += n_edits;
        out.add(&lines)?;
    }
    let directories = if new_paths.is_empty() { &[] } else { &*contents.directories };
    for directory in directories {
        let mut directory = DirectoryRecord::new(directory);
        directory.modified = None;
        out.record(&LogRecord::Directory(directory))?;
    }
    for (place, entry) in &entries {
        let (root, below) = (place.0, &*place.1);
        out.n_files += 1;
        let (document, recorded) = match entry {
            ManifestEntry::Link(before, target) => {
                let link = LinkRecord::new(root, below, *before, target);
                out.record(&LogRecord::Link(link))?;
                continue;
            }
            ManifestEntry::Renamed(document) => ((*document).clone(), None),
            ManifestEntry::Recorded(recorded) => {
                let moved = new_path(root, &recorded.document.path()).cloned();
                (RecordedDocument { moved, ..recorded.document.clone() }, Some(recorded))
            }
        };
        let kept = copies.get(place).map(|name| (*name).to_owned());
        let document = RecordedDocument { kept, ..document };
        let n_edits = recorded.map_or(0, |recorded| recorded.n_edits());
        out.record(&LogRecord::File(FileRecord::new(&document, n_edits)))?;
        out.n_edits += n_edits;
        let Some(recorded) = recorded else { continue };
        recorded
            .each_edit(&mut records, |line| {
                out.add(format!("{line}\n").as_bytes()).map_err(Failure::into_cause)
            })
            .map_err(Failure::writing(to.path()))?;
    }
    out.end(place, contents, log)
}

impl ManifestWriter {
    fn record(&mut self, record: &LogRecord) -> Result<(), Failure> {
        let mut lines = Vec::new();
        record.write(&mut lines);
        self.add(&lines)
    }

    /// Adds complete lines.
    fn add(&mut self, lines: &[u8]) -> Result<(), Failure> {
        self.buffer.extend_from_slice(lines);
        self.hasher.write_all(lines).map_err(Failure::writing(self.stream.path()))?;
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.stream.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the last line, and gives the file its name.
    fn end(
        mut self,
        place: ManifestPlace<'_>,
        records: &JournalContents,
        log: &Log,
    ) -> Result<(), Failure> {
        let sha256 = std::mem::take(&mut self.hasher).finish();
        self.record(&LogRecord::End(End { files: self.n_files, edits: self.n_edits, sha256 }))?;
        if let ManifestPlace::Kept(roots) = place {
            let kept = kept::kept(self.stream.file(), roots, records);
            self.record(&LogRecord::Kept(kept.map_err(Failure::writing(self.stream.path()))?))?;
        }
        self.flush()?;
        if let ManifestPlace::Recorded = place {
            let new = self.stream.hash()?;
            let file = Replaced::before_hash(self.stream.path(), new)?;
            file.map_or(Ok(()), |file| log.note_replaced(&file))?;
        }
        self.stream.finish().map(drop)
    }
}
