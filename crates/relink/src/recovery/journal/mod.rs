//! The journal of a run that writes over documents: the old and new state of each, recorded before
//! it is written over.
//!
//! It is next to PATH, and is deleted when the run is complete. An interrupted run leaves it:
//! `relink resume` continues the run, `relink undo` restores the old contents. The journal does not
//! record whether a document was written over: the hash of the document shows it. During a run, its
//! journal is locked ([`lock`]). [`contents`] describes what it contains.

pub(crate) mod building;
mod conflicts;
pub mod contents;
pub(crate) mod creation;
pub mod discover;
pub mod lock;
pub mod log;
pub mod recover;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::conflicts::{
    NamedRoot, check_apart, check_around, check_seen, check_within, interrupted, lock_further,
};
use self::contents::{JournalContents, Purpose};
use self::discover::FoundJournal;
use self::lock::{LockAttempt, Locked};
use self::log::Log;
use self::recover::Earlier;
use crate::files::walk;
use crate::os::command_line::CommandLine;
use crate::os::dirs::{self, Directory, Dirs, Location, beside};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::Root;
use crate::os::temp_names::is_temporary;
use crate::plan::exit::Error;
use crate::recovery::records::LogRecord;
use crate::recovery::records::identity::Kept;

/// The journal of a run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    at: Location,
    log: Log,
    /// The files at further PATHs that name the journal, and thereby lock those.
    further: Vec<Location>,
    /// Hold the locks of the trees.
    trees: Vec<Locked>,
    is_durable: bool,
}

impl Journal {
    /// Creates the journal of a run over `roots`, or continues that of an interrupted run of the
    /// same command.
    ///
    /// # Errors
    ///
    /// [`Error::Path`] if another run is active in a tree, if one with another command was
    /// interrupted there, or if no journal can be created.
    pub fn begin(
        roots: &[Root],
        dirs: &Dirs,
        line: &CommandLine,
        is_durable: bool,
    ) -> Result<(Self, Earlier), Error> {
        let paths: Vec<NamedRoot<'_>> = roots.iter().filter_map(NamedRoot::new).collect();
        let Some(first) = paths.first() else {
            return Err(Error::Usage("no PATH is written in place".to_owned()));
        };
        check_apart(&paths)?;
        let places = lock::places(first.real).map_err(reading(first.typed))?;
        // Conflicts are checked before anything is created. Another run may do the same at this
        // moment: the check is repeated below.
        let own = places.iter().find(|place| place.symlink_metadata().is_ok());
        for root in &paths {
            check_around(*root, own.map_or(Path::new(""), |own| own))?;
        }
        let (mut path, mut file) = open(first.typed, &places)?;
        let mut contents = read(&path, &file)?;
        let goes_on = match &contents.see {
            Some(journal) => {
                check_seen(first.typed, journal)?;
                false
            }
            None if !contents.has_changes() => false,
            None => {
                let found = FoundJournal { path, contents, file };
                if found.distrust().is_some() || !found.contents.does(line) {
                    return Err(interrupted(first.typed, &found));
                }
                FoundJournal { path, contents, file } = found;
                true
            }
        };
        // If this fails, the created files are removed again.
        let own = beside(&path).map_err(in_journal(&path))?;
        let log = Log::new(&path, file, is_durable, goes_on);
        let (further, trees) = (Vec::new(), Vec::new());
        let mut journal = Journal { path, at: own, log, further, trees, is_durable };
        for root in &paths {
            journal.trees.extend(lock::tree(root.real).map_err(|_| lock::busy(root.typed))?);
        }
        if !goes_on {
            let real: Vec<&Path> = paths.iter().map(|root| root.real).collect();
            // With all PATHs, before there are files at further ones: who finds it without a
            // command removes those too.
            journal
                .log
                .write(|file| write_head(file, Purpose::InPlace, &real))
                .map_err(in_journal(&journal.path))?;
        }
        for root in &paths[1..] {
            let places = lock::further_places(root.real).map_err(reading(root.typed))?;
            let is_locked =
                |place: &PathBuf| journal.further.iter().any(|attempt| attempt.path() == place);
            if !places.iter().any(is_locked) {
                let further = lock_further(*root, &places, &journal.path)?;
                let further = further.map(|path| beside(&path).map_err(in_journal(&path)));
                journal.further.extend(further.transpose()?);
            }
        }
        for root in &paths {
            check_around(*root, &journal.path)?;
            check_within(*root)?;
        }
        if contents.line.is_some() {
            (0..roots.len()).try_for_each(|number| remove_left(dirs, number))?;
        }
        remove_left_beside(&contents)?;
        journal.start(line, goes_on).map_err(in_journal(&journal.path))?;
        let earlier = journal.log.file().map_err(Failure::into_cause);
        let earlier = earlier.and_then(|file| Earlier::new((&file, &contents), roots, dirs));
        let earlier = earlier.map_err(in_journal(&journal.path))?;
        earlier.written.iter().for_each(|(root, below)| journal.log.set_written(*root, below));
        Ok((journal, earlier))
    }

    /// Records the command.
    fn start(&self, line: &CommandLine, goes_on: bool) -> io::Result<()> {
        // This ends an incomplete record.
        let start: &[u8] = if goes_on { b"\n" } else { b"" };
        let text = [start, &contents::run(line)].concat();
        self.log.write(|file| {
            file.write_all(&text)?;
            if self.is_durable { file.sync_data().and_then(|()| self.at.sync()) } else { Ok(()) }
        })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if any document may have been written over.
    pub fn has_changes(&self) -> bool {
        self.log.has_changes()
    }

    /// Returns its records.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Removes the journal: the run is complete, and leaves no temporary file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the file that could not be removed.
    pub fn finish(self) -> Result<(), Failure> {
        dirs::remove_left()?;
        self.remove()
    }

    fn remove(&self) -> Result<(), Failure> {
        // It comes last: as long as it exists, the run can continue to its end.
        for at in self.further.iter().chain(std::iter::once(&self.at)) {
            at.remove().map_err(Failure::removing(at.path()))?;
        }
        if self.is_durable { self.at.sync().map_err(Failure::writing(&self.path)) } else { Ok(()) }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.has_changes() {
            // Nothing was written over. A journal that stays is empty, and does no harm.
            drop(self.remove());
        }
    }
}

/// Writes the beginning of a journal: the PATHs and their identities.
fn write_head(file: &mut File, purpose: Purpose<'_>, paths: &[&Path]) -> io::Result<()> {
    file.set_len(0)?;
    let kept = LogRecord::lines([LogRecord::Kept(Kept::new(file, paths)?)]);
    file.write_all(&[contents::head(purpose), kept].concat())
}

/// Adds a PATH to an error of reading.
fn reading(path: &Path) -> impl Fn(io::Error) -> Error {
    move |error| Failure::reading(path)(error).into()
}

/// Adds the path of a journal to an error.
fn in_journal(path: &Path) -> impl Fn(io::Error) -> Error {
    move |error| Failure::to("cannot use this journal", path)(error).into()
}

/// Reads an open journal.
fn read(path: &Path, file: &File) -> Result<JournalContents, Error> {
    let failed = in_journal(path);
    let contents = contents::read(file).map_err(&failed)?;
    contents.ok_or_else(|| failed(io::Error::other(lock::NO_JOURNAL)))
}

/// Opens and locks the journal of a PATH: the existing one, or a new one in the first of these
/// places where one can be created.
fn open(root: &Path, places: &[PathBuf]) -> Result<(PathBuf, Locked), Error> {
    let ours = |attempt: LockAttempt, path: &Path| match attempt {
        LockAttempt::Locked(file) => Ok((path.to_owned(), file)),
        LockAttempt::Busy => Err(lock::busy(root)),
    };
    for path in places {
        if let Some(attempt) = lock::take(path).map_err(in_journal(path))? {
            return ours(attempt, path);
        }
    }
    let mut refused = None;
    for path in places {
        match lock::make(path) {
            Ok(attempt) => return ours(attempt, path),
            Err(error) => refused = refused.or(Some((path, error))),
        }
    }
    Err(match refused {
        Some((path, error)) => {
            let (path, reason) = (path.display(), messages::reason(&error));
            Error::at(
                root,
                format!(
                    "cannot create the journal {path}; {reason}; make its directory writable, or use `-o OUT` to write elsewhere"
                ),
            )
        }
        None => Error::at(
            root,
            "cannot create a journal; there is no directory for it; use `-o OUT` to write elsewhere",
        ),
    })
}

/// Returns a message for a tree that is only read, if a run over it was interrupted or is active:
/// parts of it may have been written over.
pub fn left_at(root: &Path) -> Option<String> {
    let places = lock::places(root).ok()?;
    let mut contents = places.iter().filter_map(|path| discover::look(path));
    let contents = contents.find(JournalContents::has_changes)?;
    let reason = if contents.is_creation() {
        "read as it is now; the run that creates it was interrupted or is active; use `relink resume` first to get a complete tree"
    } else {
        "read as it is now; a run with --in-place was interrupted or is active here; use `relink resume` or `relink undo` first to get a consistent tree"
    };
    Some(messages::of_path(root, reason))
}

/// Removes the temporary files that killed runs have left: in a root, and in the directory around
/// it, where single files and records of moves are written.
pub(crate) fn remove_left(dirs: &Dirs, root: usize) -> Result<(), Failure> {
    let Some(path) = dirs.path(root) else { return Ok(()) };
    // A directory that cannot be opened any more is left to the next run.
    if let Some(around) = path.parent().and_then(|around| Directory::open(around).ok()) {
        remove_left_in(&around)?;
    }
    if dirs.is_single(root) {
        dirs.directory(root, Path::new("")).map_or(Ok(()), |directory| remove_left_in(&directory))
    } else {
        walk::directories(path)
            .filter_map(|below| dirs.directory(root, &below).ok())
            .try_for_each(|directory| remove_left_in(&directory))
    }
}

/// Removes the temporary files beside the files outside of the tree that a journal names.
pub(crate) fn remove_left_beside(contents: &JournalContents) -> Result<(), Failure> {
    let directories: BTreeSet<&Path> =
        contents.replaced.iter().filter_map(|file| file.path.parent()).collect();
    let mut open = directories.into_iter().filter_map(|path| Directory::open(path).ok());
    open.try_for_each(|directory| remove_left_in(&directory))
}

/// Removes the temporary files in a directory.
fn remove_left_in(directory: &Directory) -> Result<(), Failure> {
    let entries = directory.entries().unwrap_or_default().into_iter();
    let mut left = entries.filter(|(name, is_file)| *is_file && is_temporary(name));
    left.try_for_each(|(name, _)| {
        let removed = dirs::remove_abandoned(directory, &name);
        removed.map(drop).map_err(Failure::removing(&directory.path().join(&name)))
    })
}
