//! Writes a manifest from the records of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::kept;
use crate::os::digest::Hasher;
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::paths;
use crate::os::positioned::Positioned;
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

/// The entries of the output, of which there are many: their paths are in one text.
struct ManifestEntries {
    paths: Vec<u8>,
    all: Vec<ManifestEntry>,
}

/// An entry of the output.
struct ManifestEntry {
    root: usize,
    /// The range of its path after the run, in the text.
    path: (usize, usize),
    /// What it is. Of several entries of a path, the first source counts.
    source: Source,
}

/// What is known of an entry: its number in a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A symbolic link of the records.
    Link(u32),
    /// A document of the records, which have its edits. The last record counts.
    Document(Reverse<u32>),
    /// A file or link of which only the name has changed.
    Renamed(u32),
}

impl ManifestEntries {
    fn push(&mut self, root: usize, path: &Path, source: Source) {
        let start = self.paths.len();
        self.paths.extend_from_slice(path.as_os_str().as_encoded_bytes());
        self.all.push(ManifestEntry { root, path: (start, self.paths.len()), source });
    }

    fn path(&self, entry: &ManifestEntry) -> &Path {
        let (start, end) = entry.path;
        // It was a path.
        Path::new(paths::os_str(&self.paths[start..end]).unwrap_or_default())
    }

    /// Sorts them in path order, and keeps one entry of each path.
    fn sort(&mut self) {
        let mut all = std::mem::take(&mut self.all);
        let place = |entry: &ManifestEntry| (entry.root, self.path(entry));
        all.sort_unstable_by(|one, other| {
            place(one).cmp(&place(other)).then(one.source.cmp(&other.source))
        });
        all.dedup_by(|one, other| place(one) == place(other));
        self.all = all;
    }
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
    let records = log.file()?;
    let mut records = contents.documents.reader(LineReader::of(Positioned::new(&records, 0)));
    let new_path = |root: usize, path: &Path| {
        if new_paths.is_empty() { None } else { new_paths.get(&(root, path.to_owned())) }
    };
    // A run that continued has found the copies of the interrupted one.
    let mut copies: BTreeMap<(usize, PathBuf), OsString> = BTreeMap::new();
    let n_entries = contents.links.len() + contents.documents.len() + renamed.len();
    let mut entries = ManifestEntries { all: Vec::with_capacity(n_entries), paths: Vec::new() };
    for (number, (root, below, _)) in (0..).zip(&contents.links) {
        entries.push(*root, new_path(*root, below).unwrap_or(below), Source::Link(number));
    }
    for (number, index) in (0..).zip(0..contents.documents.len()) {
        let document = records.get(index).map_err(Failure::reading(log.path()))?.document;
        let path = document.path();
        let path = new_path(document.root, &path).map_or(&*path, |new| new);
        if log.is_written(&document) {
            entries.push(document.root, path, Source::Document(Reverse(number)));
        }
        if let Some(name) = &document.kept {
            copies.insert((document.root, path.to_owned()), name.clone());
        }
    }
    for (number, renamed) in (0..).zip(&renamed) {
        let source = Source::Renamed(number);
        match renamed {
            Renamed::File(document) => entries.push(document.root, &document.path(), source),
            Renamed::Link(root, _, new, _) => entries.push(*root, new, source),
        }
    }
    entries.sort();
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
    for entry in &entries.all {
        let (root, below) = (entry.root, entries.path(entry));
        out.n_files += 1;
        let link = |before, target| LogRecord::Link(LinkRecord::new(root, below, before, target));
        let (document, recorded) = match entry.source {
            Source::Link(number) => {
                let (_, path, target) = &contents.links[number as usize];
                out.record(&link(new_path(root, path).map(|_| &**path), target))?;
                continue;
            }
            Source::Renamed(number) => match &renamed[number as usize] {
                Renamed::Link(_, old, _, target) => {
                    out.record(&link(Some(old), target))?;
                    continue;
                }
                Renamed::File(document) => (document.clone(), None),
            },
            Source::Document(Reverse(number)) if new_paths.is_empty() && copies.is_empty() => {
                // Its lines are those of the records.
                out.n_edits += records
                    .copy(number as usize, |part| out.add(part).map_err(Failure::into_cause))
                    .map_err(Failure::writing(to.path()))?;
                continue;
            }
            Source::Document(Reverse(number)) => {
                let recorded =
                    records.get(number as usize).map_err(Failure::reading(log.path()))?;
                let moved = new_path(root, &recorded.document.path()).cloned();
                (RecordedDocument { moved, ..recorded.document.clone() }, Some(recorded))
            }
        };
        let kept = copies.remove(&(root, below.to_owned()));
        let document = RecordedDocument { kept, ..document };
        let n_edits = recorded.as_ref().map_or(0, Recorded::n_edits);
        out.record(&LogRecord::File(FileRecord::new(&document, n_edits)))?;
        out.n_edits += n_edits;
        let Some(recorded) = recorded else { continue };
        records
            .each_edit(&recorded, |line| out.line(line).map_err(Failure::into_cause))
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

    /// Adds a line without its end.
    fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.add(line.as_bytes())?;
        self.add(b"\n")
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
