//! Finds the journal of an interrupted run by one of its PATHs.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::contents::{self, JournalContents};
use super::lock::{self, LockAttempt, Locked};
use super::{in_journal, read, reading};
use crate::events::Events;
use crate::os::command_line;
use crate::os::dirs::beside;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::temp_names;
use crate::plan::exit::Error;
use crate::recovery::records::LogRecord;
use crate::recovery::records::identity::Distrust;

/// An existing journal, locked until it is dropped.
#[derive(Debug)]
pub struct FoundJournal {
    /// Its path.
    pub path: PathBuf,
    /// Its contents.
    pub contents: JournalContents,
    /// The file.
    pub file: Locked,
}

impl FoundJournal {
    /// Returns the directory in which a new output is built, if it exists.
    pub fn built(&self) -> Option<PathBuf> {
        let path = self.path.with_file_name(self.contents.builds.as_ref()?);
        path.symlink_metadata().is_ok().then_some(path)
    }

    /// Returns the path that a new output gets when it is complete, if the run creates one.
    pub fn out(&self) -> Option<PathBuf> {
        self.contents.builds.as_ref().and_then(|_| lock::subject(&self.path))
    }

    /// Returns the current path of each PATH. The first one is determined by the place of the
    /// journal. If both were renamed since, or are a copy, a further PATH is recognized by its
    /// identity, or else by the file at it that names the journal. It is `None` if neither is
    /// conclusive.
    pub fn roots(&self) -> Vec<Option<PathBuf>> {
        let Some((was, further)) = self.contents.roots.split_first() else { return Vec::new() };
        let is = self.built().or_else(|| lock::subject(&self.path)).unwrap_or_else(|| was.clone());
        let is_renamed = self.contents.is_root(0, &is);
        let now = |(number, root): (usize, &PathBuf)| {
            if is == *was {
                return Some(root.clone());
            }
            let moved = moved_along(root, was, &is);
            // The original of a copy may still be in its old place, and is not meant.
            if is_renamed {
                let mut both = moved.iter().chain(std::iter::once(root));
                return both.find(|path| self.contents.is_root(number + 1, path)).cloned();
            }
            moved.filter(|root| names_journal(root, was))
        };
        std::iter::once(Some(is.clone())).chain(further.iter().enumerate().map(now)).collect()
    }

    /// Returns the reason why the journal is not trusted, if it is not.
    pub fn distrust(&self) -> Option<Distrust> {
        let JournalContents { kept, roots, line, .. } = &self.contents;
        let directory = line.as_ref().map(|line| &line.directory);
        let mut paths = roots.iter().chain(directory);
        if let Some(relative) = paths.find(|path| !path.is_absolute()) {
            return Some(Distrust::Relative(relative.clone()));
        }
        match kept {
            Some(kept) => kept.distrust(&self.file, &self.roots()),
            None => Some(Distrust::Copied),
        }
    }

    /// Checks that the journal is trusted.
    ///
    /// # Errors
    ///
    /// [`Error::Path`] with the reason and what to do; messages with the paths of the run come
    /// before.
    pub fn check_trusted(&self, command: &str, events: &mut dyn Events) -> Result<(), Error> {
        let Some(distrust) = self.distrust() else { return Ok(()) };
        let mut note = |text: String| events.error(&messages::of_path(&self.path, &text));
        let is = self.roots();
        for (number, was) in self.contents.roots.iter().enumerate() {
            match is.get(number).cloned().flatten() {
                Some(is) if is != *was => {
                    note(format!(
                        "records changes in {}, which was {}",
                        is.display(),
                        was.display()
                    ));
                }
                _ => note(format!("records changes in {}", was.display())),
            }
        }
        for file in &self.contents.replaced {
            note(format!("records changes in {}", file.path.display()));
        }
        if let Some(line) = self.contents.line.as_ref() {
            note(format!(
                "records the command `relink {}` in {}",
                line.shown(),
                line.directory.display()
            ));
        }
        let reason = format!(
            "cannot {command}; the journal is not trusted: {distrust}; if the lines above are right, use `relink {command} --trust`, else remove the journal"
        );
        Err(Error::at(&self.path, reason))
    }

    /// Records that the journal is trusted from now on: its own identity, and those of its PATHs.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if it cannot be written.
    pub fn trust(&mut self) -> Result<(), Failure> {
        let Some(kept) = &self.contents.kept else { return Ok(()) };
        kept.renewed(&self.file, &self.roots())
            .map(|kept| [b"\n", &*LogRecord::lines([LogRecord::Kept(kept)])].concat())
            .and_then(|line| self.file.write_all(&line))
            .map_err(Failure::writing(&self.path))
    }

    /// Records the directories that this run creates again. If the disk is full, they are not
    /// recorded.
    pub fn note_made(&mut self, places: Vec<(usize, PathBuf)>) {
        drop(self.file.write_all(&contents::made(&places)));
        self.contents.made.extend(places);
    }
}

/// Returns the path of a PATH, if the directory that contains it and the first PATH was moved with
/// that.
fn moved_along(root: &Path, first_was: &Path, first_is: &Path) -> Option<PathBuf> {
    let around = first_was.ancestors().zip(first_is.ancestors()).skip(1);
    let lies = |(was, is): (&Path, &Path)| Some(is.join(root.strip_prefix(was).ok()?));
    around.filter_map(lies).next()
}

/// Returns true if the file at a further PATH names the journal that this first PATH had.
fn names_journal(root: &Path, first: &Path) -> bool {
    lock::further_places(root).unwrap_or_default().iter().any(|place| {
        let see = look(place).and_then(|contents| contents.see);
        see.and_then(|journal| lock::subject(&journal)).is_some_and(|of| of == first)
    })
}

/// The message if no journal is found.
pub const NOT_FOUND: &str = "no interrupted run found; there is no journal; use a PATH of the run";

/// Finds the journal of the run over `root`, or of the interrupted one in the current directory;
/// `None` if there is none.
///
/// # Errors
///
/// [`Error::Path`] if there are several, or if the run is still active.
pub fn find(root: Option<&Path>) -> Result<Option<FoundJournal>, Error> {
    let named = root.unwrap_or(Path::new("."));
    let mut paths: Vec<PathBuf> = lock::places(named)
        .map_err(reading(named))?
        .into_iter()
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    match root {
        None => paths.extend(journals_in(named)),
        // It may be one of several files.
        Some(file) if paths.is_empty() => {
            let file = file.canonicalize().map_err(reading(file))?;
            let directory = file.parent().unwrap_or(Path::new("/"));
            let is_of_it = |path: &PathBuf| {
                let contents = look(path).and_then(|contents| match &contents.see {
                    Some(journal) => look(journal),
                    None => Some(contents),
                });
                contents.is_some_and(|contents| contents.roots.contains(&file))
            };
            paths.extend(journals_in(directory).filter(is_of_it));
        }
        Some(_) => {}
    }
    let mut found: Vec<FoundJournal> = Vec::new();
    for path in paths {
        // Several files may name one journal, which would be locked twice.
        let journal = look(&path).and_then(|contents| contents.see).unwrap_or_else(|| path.clone());
        if !found.iter().any(|other| other.path == journal) {
            found.extend(open(named, &path)?);
        }
    }
    match (found.pop(), found.is_empty()) {
        (journal, true) => Ok(journal),
        (None, false) => Ok(None),
        (Some(last), false) => {
            found.push(last);
            let subjects = found.iter().filter_map(|journal| lock::subject(&journal.path));
            let names: Vec<String> =
                subjects.map(|path| command_line::quoted(path.as_os_str())).collect();
            let names = names.join(", ");
            Err(Error::at(
                named,
                format!("several interrupted runs found; use one of their PATHs: {names}"),
            ))
        }
    }
}

/// Reads a journal without a lock.
pub(super) fn look(path: &Path) -> Option<JournalContents> {
    let (file, _) = beside(path).and_then(|at| at.open()).ok()?;
    contents::read(file).ok().flatten()
}

/// Opens a journal, or the one that it names, if that records a run.
fn open(named: &Path, path: &Path) -> Result<Option<FoundJournal>, Error> {
    let mut path = path.to_owned();
    let mut further = None;
    // Twice at most: the file at a further PATH, then the journal.
    for _ in 0..2 {
        let file = match lock::take(&path).map_err(in_journal(&path))? {
            None => return Ok(None),
            Some(LockAttempt::Busy) => return Err(lock::busy(named)),
            Some(LockAttempt::Locked(file)) => file,
        };
        let contents = read(&path, &file)?;
        match contents.see {
            Some(journal) if journal.symlink_metadata().is_err() => {
                let reason = format!(
                    "cannot find the journal of the run; {} does not exist; use the first PATH of the run where it is now, or remove {}",
                    journal.display(),
                    path.display()
                );
                return Err(Error::at(named, reason));
            }
            Some(journal) => {
                further = lock::subject(&path);
                path = journal;
            }
            // Nothing was started.
            None if contents.line.is_none() && !contents.has_changes() => {
                remove_empty(&path, &contents);
                remove_further(&path, &contents)?;
                lock::remove(&path).map_err(in_journal(&path))?;
                return Ok(None);
            }
            None if further.as_ref().is_some_and(|further| !is_of(&contents, further)) => {
                let reason = format!(
                    "this is a copy of the tree of the run; {} belongs to the original; use the first PATH of the copy",
                    path.display()
                );
                return Err(Error::at(named, reason));
            }
            None => return Ok(Some(FoundJournal { path, contents, file })),
        }
    }
    Ok(None)
}

/// Removes the files at further PATHs that name a journal.
///
/// # Errors
///
/// [`Failure`] with the path of one that cannot be removed.
fn remove_further(journal: &Path, contents: &JournalContents) -> Result<(), Failure> {
    for root in contents.roots.iter().skip(1) {
        for place in lock::further_places(root).unwrap_or_default() {
            if look(&place).and_then(|contents| contents.see).as_deref() == Some(journal) {
                lock::remove(&place).map_err(Failure::removing(&place))?;
            }
        }
    }
    Ok(())
}

/// Returns true if a journal is of a directory, or of a file in it.
fn is_of(contents: &JournalContents, directory: &Path) -> bool {
    contents.roots.iter().any(|root| root == directory || root.parent() == Some(directory))
}

/// Returns the journals in a directory.
fn journals_in(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = directory.canonicalize().and_then(|directory| directory.read_dir());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| lock::subject(path).is_some()).collect();
    paths.sort_unstable();
    paths.into_iter()
}

/// Removes the directory that a journal names, if it is empty: the run ended before it had recorded
/// its command.
pub(super) fn remove_empty(journal: &Path, contents: &JournalContents) {
    let name = contents.builds.as_ref().filter(|name| temp_names::finished_name(name).is_some());
    if let (Some(name), Ok(journal)) = (name, beside(journal)) {
        drop(journal.sibling(name).remove_directory());
    }
}
