//! The journal of a run that builds a new OUT: until it is complete, the output is a directory next
//! to OUT, `.OUT.relink-RUN`, which nobody else uses. `relink resume OUT` continues the run,
//! `relink undo OUT` removes what it has written.
//!
//! The journal is created first, then the directory. At the end the directory gets the name of OUT,
//! unless that is taken, and then the journal is removed. If a run ends in between, the identity of
//! OUT in the journal shows that it is complete.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::conflicts::{NamedRoot, check_around, check_seen, interrupted};
use super::contents::{self, Purpose};
use super::discover::{FoundJournal, look, remove_empty};
use super::lock::{self, LockAttempt, Locked};
use super::{in_journal, read, remove_left, remove_left_beside};
use crate::files::own_files;
use crate::os::command_line::{self, CommandLine};
use crate::os::dirs::{self, Dirs, FileId, Location, beside};
use crate::os::failure::Failure;
use crate::os::paths;
use crate::os::temp_names;
use crate::plan::exit::Error;
use crate::recovery::records::identity::Kept;
use crate::recovery::records::{LogRecord, ReplacedRecord};
use crate::recovery::write::replaced::Replaced;

/// A new output that is not complete, and its journal. Both stay if the run does not complete it,
/// unless the directory is empty.
#[derive(Debug)]
pub(crate) struct Building {
    /// The journal.
    journal: Location,
    /// The open journal, which is locked.
    file: Locked,
    /// The output when it is complete.
    out: Location,
    /// The output until then; that when it is complete, if an interrupted run has completed it.
    now: Location,
    id: FileId,
    /// True if an interrupted run has written a part of it.
    goes_on: bool,
    is_durable: bool,
}

impl Building {
    /// Creates the directory and the journal of a run that creates `out`, or continues an
    /// interrupted run of the same command. Returns `None` if `out` exists, or if neither can be
    /// created: then the run writes into `out` itself.
    ///
    /// # Errors
    ///
    /// [`Error::Path`] if another run creates `out`, or if one with another command was
    /// interrupted.
    pub(crate) fn begin(
        out: &Path,
        line: &CommandLine,
        is_durable: bool,
    ) -> Result<Option<Self>, Error> {
        check_place(out)?;
        let Some(out) = location(out) else { return Ok(None) };
        let is_new = out.is_free();
        let journal = out.sibling(&own_files::journal_name(out.name()));
        let path = real(&journal);
        let attempt = if is_new { lock::make(&path).map(Some) } else { lock::take(&path) };
        let file = match attempt {
            Ok(Some(LockAttempt::Locked(file))) => file,
            Ok(Some(LockAttempt::Busy)) => return Err(lock::busy(out.path())),
            Err(error) if is_new && error.kind() == io::ErrorKind::Other => {
                return Err(in_journal(&path)(error));
            }
            _ => return Ok(None),
        };
        let contents = match read(&path, &file) {
            Err(_) if !is_new => return Ok(None),
            contents => contents?,
        };
        let found = FoundJournal { path, contents, file };
        let places = OutAndJournal { out, journal };
        if is_new && let Some(other) = &found.contents.see {
            check_seen(places.out.path(), other)?;
        }
        let is_built = found.contents.is_creation() && found.contents.builds.is_some();
        if !is_built {
            return match () {
                () if !is_new => Ok(None),
                () if found.contents.has_changes() => Err(interrupted(places.out.path(), &found)),
                () => Ok(places.start(found, line, is_durable)),
            };
        }
        let is_trusted = found.distrust().is_none();
        let is_same = is_trusted && found.contents.does(line);
        match (is_new, found.built().is_some()) {
            // What was begun does not exist any more.
            (true, false) => Ok(places.start(found, line, is_durable)),
            (true, true) | (false, false) if is_same => {
                places.go_on(found, line, is_durable).map(Some)
            }
            (false, true) if is_same => Err(places.taken(&found)),
            (_, true) => Err(interrupted(places.out.path(), &found)),
            (false, false) => {
                if is_trusted {
                    // The run had completed OUT.
                    lock::remove(&found.path).map_err(in_journal(&found.path))?;
                }
                Ok(None)
            }
        }
    }

    /// Returns the path of the directory in which the output is now.
    pub(crate) fn path(&self) -> PathBuf {
        real(&self.now)
    }

    /// Returns the identity of that directory.
    pub(crate) fn id(&self) -> FileId {
        self.id
    }

    /// Returns true if an interrupted run has written a part of the output.
    pub(crate) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Records a file outside of the output, before it is replaced.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the journal, if it cannot be written.
    pub(crate) fn note_replaced(&mut self, file: &Replaced) -> Result<(), Failure> {
        let is_durable = self.is_durable;
        let line = ReplacedRecord::line(file)?;
        let written = self.file.write_all(&line);
        let synced = written.and_then(|()| if is_durable { self.file.sync_data() } else { Ok(()) });
        synced.map_err(Failure::writing(&real(&self.journal)))
    }

    /// Returns true if the output has its name.
    pub(crate) fn is_complete(&self) -> bool {
        self.now.name() == self.out.name()
    }

    /// Returns the name of the directory, if there is anything in it.
    pub(crate) fn unfinished(&self) -> Option<&OsStr> {
        let entries = self.now.directory().directory(self.now.name());
        let is_empty = entries.and_then(|directory| directory.entries());
        (!is_empty.is_ok_and(|entries| entries.is_empty())).then(|| self.now.name())
    }

    /// Gives the complete output its name.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of OUT; also if that exists now.
    pub(crate) fn complete(&mut self) -> Result<(), Failure> {
        let failed = Failure::writing(self.out.path());
        let is_ours = self.now.status().is_ok_and(|status| status.id == self.id);
        if !is_ours {
            let reason = "it was renamed or removed during the run; run the command again";
            return Err(Failure::because(&real(&self.now), reason));
        }
        if self.is_complete() {
            return Ok(());
        }
        let directory = self.now.directory();
        let synced = if self.is_durable {
            directory.directory(self.now.name()).and_then(|built| built.sync())
        } else {
            Ok(())
        };
        synced.map_err(&failed)?;
        match directory.rename_new(self.now.name(), directory, self.out.name()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Failure::because(self.out.path(), taken(self.out.path(), self.now.name())))
            }
            renamed => renamed.map_err(&failed),
        }?;
        self.now = self.out.clone();
        self.sync().map_err(failed)
    }

    /// Removes the journal: the run has ended.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if it cannot be removed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        dirs::remove_left()?;
        let path = real(&self.journal);
        self.journal.remove().map_err(Failure::removing(&path))?;
        self.sync().map_err(Failure::writing(&path))
    }

    fn sync(&self) -> io::Result<()> {
        if self.is_durable { self.out.sync() } else { Ok(()) }
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // A directory that is not empty cannot be removed, and stays with its journal.
        if !self.is_complete() && self.now.remove_directory().is_ok() {
            drop(self.journal.remove());
        }
    }
}

/// Returns true if an interrupted run of the same command has completed `out`, and has not ended:
/// this command ends it.
pub(crate) fn only_end_is_missing(out: &Path, line: &CommandLine) -> bool {
    let Ok(out) = out.canonicalize() else { return false };
    let Some(name) = out.file_name() else { return false };
    let path = out.with_file_name(own_files::journal_name(name));
    let contents = look(&path).unwrap_or_default();
    let builds = contents.builds.as_ref().map(|name| path.with_file_name(name));
    builds.is_some_and(|built| built.symlink_metadata().is_err())
        && contents.does(line)
        && contents.is_root(0, &out)
}

/// The locations of an output and its journal.
struct OutAndJournal {
    out: Location,
    journal: Location,
}

impl OutAndJournal {
    /// Creates the directory, and records it with the command. Returns `None` if this fails:
    /// writing into OUT itself will fail as well, and say more.
    fn start(self, found: FoundJournal, line: &CommandLine, is_durable: bool) -> Option<Building> {
        remove_empty(&found.path, &found.contents);
        let OutAndJournal { out, journal } = self;
        let name = temp_names::unfinished_name(out.name());
        let now = out.sibling(&name);
        let mut file = found.file;
        let begun = begin(&mut file, &now).and_then(|()| {
            let id = record_run(&mut file, &now, line)?;
            if is_durable {
                file.sync_data().and_then(|()| out.sync())?;
            }
            Ok(id)
        });
        match begun {
            Ok(id) => Some(Building { journal, file, out, now, id, goes_on: false, is_durable }),
            Err(_) => {
                drop(now.remove_directory());
                drop(journal.remove());
                None
            }
        }
    }

    /// Records that this run continues an interrupted one. Temporary files of that are removed.
    fn go_on(
        self,
        found: FoundJournal,
        line: &CommandLine,
        is_durable: bool,
    ) -> Result<Building, Error> {
        let OutAndJournal { out, journal } = self;
        let now = match &found.contents.builds {
            Some(name) if found.built().is_some() => out.sibling(name),
            _ => out.clone(),
        };
        let id = now.status().map_err(Failure::reading(&real(&now)))?.id;
        let mut dirs = Dirs::new();
        dirs.add_directory(real(&now), Some(id));
        remove_left(&dirs, 0)?;
        remove_left_beside(&found.contents)?;
        let FoundJournal { path, mut file, .. } = found;
        // This ends an incomplete line.
        file.write_all(&[b"\n", &*contents::run(line)].concat())
            .and_then(|()| if is_durable { file.sync_data() } else { Ok(()) })
            .map_err(in_journal(&path))?;
        Ok(Building { journal, file, out, now, id, goes_on: true, is_durable })
    }

    /// Returns the error for an OUT that exists, although the run that creates it is not complete.
    fn taken(&self, found: &FoundJournal) -> Error {
        let name = found.contents.builds.as_deref().unwrap_or_default();
        Error::at(self.out.path(), taken(self.out.path(), name))
    }
}

/// Begins a journal with the name of the directory, and creates that.
fn begin(file: &mut File, now: &Location) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(&contents::head(Purpose::Builds(now.name())))?;
    let is_new = now.directory().make_directory(now.name())?;
    if is_new { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

/// Records the identity of the directory, and the command. Returns the identity.
fn record_run(file: &mut File, now: &Location, line: &CommandLine) -> io::Result<FileId> {
    let kept = LogRecord::lines([LogRecord::Kept(Kept::new(file, &[&real(now)])?)]);
    file.write_all(&[kept, contents::run(line)].concat())?;
    Ok(now.status()?.id)
}

/// Returns the location of a path, whose directory is created; `None` if there is none.
fn location(out: &Path) -> Option<Location> {
    if let Some(parent) = out.parent() {
        fs::create_dir_all(parent).ok()?;
    }
    let real = beside(&paths::real_parent(out).ok()?).ok()?;
    Some(Location::new(Arc::clone(real.directory()), real.name(), out))
}

/// Checks that no run over a directory around an output is active or interrupted: what is there may
/// be written over at this moment.
///
/// # Errors
///
/// [`Error::Path`] if there is one.
pub(crate) fn check_place(out: &Path) -> Result<(), Error> {
    let path = paths::from_root(out);
    let Some(existing) = path.ancestors().find_map(|path| path.canonicalize().ok()) else {
        return Ok(());
    };
    // Of what does not exist, the directory around it counts too.
    let is_there = path.symlink_metadata().is_ok();
    let real = if is_there { existing } else { existing.join("new") };
    check_around(NamedRoot { typed: out, real: &real }, Path::new(""))
}

/// Returns the path of a location with all links resolved.
fn real(at: &Location) -> PathBuf {
    at.directory().path().join(at.name())
}

/// Returns the reason why an output does not get its name.
fn taken(out: &Path, unfinished: &OsStr) -> String {
    format!(
        "cannot complete the output; another program has created this; what was written is in {}; move this away and use `relink resume {}`",
        unfinished.display(),
        command_line::quoted(out.as_os_str())
    )
}
