//! The records of what a run writes: in its journal, or, for the manifest of a run that writes
//! elsewhere, in a temporary file without a name.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::contents::{self, JournalContents, Purpose};
use super::lock::Locked;
use crate::os::digest::{self, Short};
use crate::os::failure::Failure;
use crate::os::undo_log::Changes;
use crate::recovery::records::list::place_hash;
use crate::recovery::records::{
    ContentRecord, DirectoryRecord, FileRecord, LinkRecord, LogRecord, MovesRecord,
    RecordedDocument, RenameRecord, ReplacedRecord, write_edits,
};
use crate::recovery::write::Step;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// The number of bytes of edits of one container that are kept in memory.
const SPOOLED: usize = 1 << 20;

/// A file of records.
#[derive(Debug)]
pub struct Log {
    /// The path that messages name.
    path: PathBuf,
    file: Mutex<LogFile>,
    is_durable: bool,
    /// True if documents are recorded, by this run or by an interrupted one.
    has_changes: AtomicBool,
    /// The documents that have their new content, by [`place_hash`].
    written: Mutex<HashSet<Short>>,
    /// The directories that are recorded, if the run renames files.
    directories: Mutex<Option<HashSet<(usize, PathBuf)>>>,
}

/// The end of the file.
#[derive(Debug)]
struct LogFile {
    file: Locked,
    /// True if the last line is incomplete.
    is_torn: bool,
}

/// The edits of a container, which come one message after another.
#[derive(Debug, Default)]
pub struct EditSpool {
    text: Vec<u8>,
    /// The earlier edits.
    file: Option<File>,
    n_edits: usize,
}

impl Log {
    pub(super) fn new(path: &Path, file: Locked, is_durable: bool, has_changes: bool) -> Self {
        Log {
            path: path.to_owned(),
            file: Mutex::new(LogFile { file, is_torn: false }),
            is_durable,
            has_changes: AtomicBool::new(has_changes),
            written: Mutex::default(),
            directories: Mutex::default(),
        }
    }

    /// Creates the records of a run that writes no journal, in the directory of `path`.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn temporary(path: &Path) -> Result<Self, Failure> {
        let directory = path.parent().unwrap_or(Path::new("/"));
        let file = tempfile::tempfile_in(directory)
            .map_err(Failure::to("cannot create a file in its directory", path))?;
        let log = Log::new(path, file.into(), false, false);
        let head = contents::head(Purpose::InPlace);
        log.lines().file.write_all(&head).map_err(Failure::writing(path))?;
        Ok(log)
    }

    /// Returns true if any document may have been written over.
    pub fn has_changes(&self) -> bool {
        self.has_changes.load(Ordering::Relaxed)
    }

    /// Records what a document becomes, before it is written over.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the records: the document must stay then.
    pub fn note(&self, document: &RecordedDocument, changes: &Changes) -> Result<(), Failure> {
        let mut text = Vec::new();
        LogRecord::File(FileRecord::new(document, changes.pieces().count())).write(&mut text);
        write_edits(changes, 0, &mut text);
        self.add(|file| file.write_all(&text))
    }

    /// Records what a container becomes.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_spooled(
        &self,
        document: &RecordedDocument,
        spool: &mut EditSpool,
    ) -> Result<(), Failure> {
        self.add(|file| {
            file.write_all(&LogRecord::lines([LogRecord::File(FileRecord::new(
                document,
                spool.n_edits,
            ))]))?;
            if let Some(spooled) = &mut spool.file {
                spooled.rewind()?;
                io::copy(spooled, file)?;
            }
            file.write_all(&spool.text)
        })
    }

    /// Records a symbolic link of the output.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_link(&self, root: usize, below: &Path, target: &Path) -> Result<(), Failure> {
        self.add_records([LogRecord::Link(LinkRecord::new(root, below, None, target))])
    }

    /// Records the files that are renamed after all documents are written.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_renames(&self, steps: &[Step]) -> Result<(), Failure> {
        let text = renames(steps);
        self.add(|file| file.write_all(&text))
    }

    /// Records the directories around those files, before anything is written. From then on, those
    /// around documents are recorded too.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_directories(&self, directories: &[OldDirectory]) -> Result<(), Failure> {
        self.set_directories(directories);
        let lines = LogRecord::lines(directories.iter().map(directory));
        self.write(|file| file.write_all(&lines)).map_err(Failure::writing(&self.path))
    }

    /// Sets the directories that an interrupted run has recorded.
    pub fn set_directories(&self, directories: &[OldDirectory]) {
        let known = directories.iter().map(|old| (old.root, old.below.clone()));
        *self.directories() = Some(known.collect());
    }

    /// Records the directory around a document, before the first of its documents is written over.
    /// `read` returns what it is now.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_around(
        &self,
        root: usize,
        below: &Path,
        read: impl FnOnce(&Path) -> Result<Option<OldDirectory>, Failure>,
    ) -> Result<(), Failure> {
        let around = below.parent().unwrap_or(Path::new(""));
        // Another document of the directory is not written before it is read.
        let mut directories = self.directories();
        let Some(known) = directories.as_mut() else { return Ok(()) };
        if known.contains(&(root, around.to_owned())) {
            return Ok(());
        }
        self.add_records(read(around)?.iter().map(directory))?;
        known.insert((root, around.to_owned()));
        Ok(())
    }

    /// Records a file outside of the tree, before it is replaced.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_replaced(&self, file: &Replaced) -> Result<(), Failure> {
        let line = ReplacedRecord::line(file)?;
        self.add(|file| file.write_all(&line))
    }

    /// Records directories that do not exist, before they are created again.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_made(&self, places: &[(usize, PathBuf)]) -> Result<(), Failure> {
        let lines = contents::made(places);
        self.add(|file| file.write_all(&lines))
    }

    fn directories(&self) -> MutexGuard<'_, Option<HashSet<(usize, PathBuf)>>> {
        self.directories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records what the record of moves of a PATH becomes, before it is written over.
    ///
    /// # Errors
    ///
    /// As those of [`Log::note`].
    pub fn note_moves(&self, root: usize, before: &[u8], after: &[u8]) -> Result<(), Failure> {
        let text = moves(root, before, after).0;
        self.add(|file| file.write_all(&text))
    }

    /// Adds edits to those of a container; the new bytes begin at `at` in the new file.
    ///
    /// # Errors
    ///
    /// [`Failure`] if they cannot be stored next to the records.
    pub fn spool(&self, spool: &mut EditSpool, changes: &Changes, at: u64) -> Result<(), Failure> {
        spool.n_edits += write_edits(changes, at, &mut spool.text);
        if spool.text.len() < SPOOLED {
            return Ok(());
        }
        let mut write = || {
            let directory = self.path.parent().unwrap_or(Path::new("/"));
            let file = match &mut spool.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile_in(directory)?),
            };
            file.write_all(&spool.text)?;
            spool.text.clear();
            Ok(())
        };
        write().map_err(Failure::writing(&self.path))
    }

    /// Remembers that a recorded document has its new content.
    pub fn set_written(&self, root: usize, below: &Path) {
        self.written().insert(place_hash(root, below));
    }

    /// Returns true if a recorded document has its new content.
    pub fn is_written(&self, document: &RecordedDocument) -> bool {
        self.written().contains(&place_hash(document.root, &document.below))
    }

    /// Returns all records.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path, if they cannot be read.
    pub fn contents(&self) -> Result<JournalContents, Failure> {
        let contents = contents::read(&*self.lines().file).map_err(Failure::reading(&self.path))?;
        Ok(contents.unwrap_or_default())
    }

    /// Returns the path that messages name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file, to read documents and edits from it.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn file(&self) -> Result<File, Failure> {
        self.lines().file.try_clone().map_err(Failure::reading(&self.path))
    }

    fn written(&self) -> MutexGuard<'_, HashSet<Short>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> MutexGuard<'_, LogFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to the file as it is, in one piece.
    pub(super) fn write(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        write(&mut self.lines().file)
    }

    fn add_records(&self, records: impl IntoIterator<Item = LogRecord>) -> Result<(), Failure> {
        let lines = LogRecord::lines(records);
        self.add(|file| file.write_all(&lines))
    }

    fn add(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        let mut lines = self.lines();
        let is_torn = std::mem::replace(&mut lines.is_torn, true);
        let write = || {
            if is_torn {
                lines.file.write_all(b"\n")?;
            }
            write(&mut lines.file)?;
            if self.is_durable { lines.file.sync_data() } else { Ok(()) }
        };
        write().map_err(Failure::writing(&self.path))?;
        lines.is_torn = false;
        self.has_changes.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Returns the lines of the files that are renamed.
pub(super) fn renames(steps: &[Step]) -> Vec<u8> {
    let number = LogRecord::Renames { renames: steps.len() };
    let steps = steps.iter().map(|step| LogRecord::Rename(RenameRecord::new(step)));
    LogRecord::lines(std::iter::once(number).chain(steps))
}

fn directory(old: &OldDirectory) -> LogRecord {
    LogRecord::Directory(DirectoryRecord::new(old))
}

/// Returns the lines of a record of moves with the edits that restore it, and their number.
pub(in crate::recovery) fn moves(root: usize, before: &[u8], after: &[u8]) -> (Vec<u8>, usize) {
    let content = |bytes: &[u8]| ContentRecord::new(digest::of_bytes(bytes), bytes.len() as u64);
    let changes = Changes::between(before, after);
    let n_edits = changes.pieces().count();
    let moves = MovesRecord::new(root, content(before), content(after), n_edits);
    let mut text = LogRecord::lines([LogRecord::Moves(moves)]);
    write_edits(&changes, 0, &mut text);
    (text, n_edits)
}
