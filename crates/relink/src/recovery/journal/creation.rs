//! The journal of a run that only creates files in a directory, as `unpack` does. It locks the
//! directory and records the command. `relink resume` continues the run; there is nothing to
//! revert.

use std::io::{self, Write};
use std::path::Path;

use super::conflicts::{NamedRoot, check_around, check_seen, check_within, interrupted};
use super::contents::{self, Purpose};
use super::discover::FoundJournal;
use super::lock::Locked;
use super::{in_journal, lock, open, read, reading, remove_left, write_head};
use crate::os::command_line::CommandLine;
use crate::os::dirs::{self, Dirs, Location, beside};
use crate::os::failure::Failure;
use crate::os::paths::Root;
use crate::plan::exit::Error;

/// The journal of a run that creates files. It stays if the run does not remove it.
#[derive(Debug)]
pub(crate) struct CreationJournal {
    at: Location,
    /// Holds the lock.
    file: Locked,
    /// Holds that of the tree.
    _tree: Option<Locked>,
    is_durable: bool,
}

impl CreationJournal {
    /// Creates the journal of a run that creates files in `out`, which exists and is the only
    /// directory of `dirs`, or continues that of an interrupted run. Temporary files of that run
    /// are removed.
    ///
    /// # Errors
    ///
    /// [`Error::Path`] if another run is active in the directory, if one that writes over files
    /// was interrupted there, or if no journal can be created.
    pub(crate) fn begin(
        out: &Path,
        dirs: &Dirs,
        line: &CommandLine,
        is_durable: bool,
    ) -> Result<Self, Error> {
        let root = Root::new(out.to_owned());
        let named = NamedRoot::new(&root)
            .ok_or_else(|| Error::at(out, "cannot create a journal; it is not a directory"))?;
        let places = lock::places(named.real).map_err(reading(named.typed))?;
        let own = places.iter().find(|place| place.symlink_metadata().is_ok());
        check_around(named, own.map_or(Path::new(""), |own| own))?;
        // Before the journal, which would stay.
        let tree = lock::tree(named.real).map_err(|_| lock::busy(named.typed))?;
        let (path, file) = open(named.typed, &places)?;
        let contents = read(&path, &file)?;
        if let Some(journal) = &contents.see {
            check_seen(named.typed, journal)?;
        }
        let mut found = FoundJournal { path, contents, file };
        let is_ours = found.contents.is_creation() && found.contents.builds.is_none();
        // A new output that does not exist any more counts as nothing.
        let is_left = found.contents.builds.is_none() || found.built().is_some();
        if found.contents.has_changes() && !is_ours && is_left {
            return Err(interrupted(named.typed, &found));
        }
        let goes_on = is_ours && found.distrust().is_none();
        check_within(named)?;
        if found.contents.line.is_some() {
            remove_left(dirs, 0)?;
        }
        start(&mut found, named.real, line, goes_on).map_err(in_journal(&found.path))?;
        let FoundJournal { path, file, .. } = found;
        let at = beside(&path).map_err(in_journal(&path))?;
        let journal = CreationJournal { at, file, _tree: tree, is_durable };
        journal.sync()?;
        Ok(journal)
    }

    /// Removes the journal: the run has ended.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if it cannot be removed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        dirs::remove_left()?;
        self.at.remove().map_err(Failure::removing(self.at.path()))?;
        self.sync()
    }

    fn sync(&self) -> Result<(), Failure> {
        let sync = || self.file.sync_data().and_then(|()| self.at.sync());
        let synced = if self.is_durable { sync() } else { Ok(()) };
        synced.map_err(Failure::writing(self.at.path()))
    }
}

/// Records the run. One that goes on keeps the identifiers of the earlier ones.
fn start(
    found: &mut FoundJournal,
    root: &Path,
    line: &CommandLine,
    goes_on: bool,
) -> io::Result<()> {
    if goes_on {
        // This ends an incomplete line.
        found.file.write_all(b"\n")?;
    } else {
        write_head(&mut found.file, Purpose::Creates, &[root])?;
    }
    found.file.write_all(&contents::run(line))
}
