//! `relink undo`: reverts the changes of an interrupted run, with the edits in its journal.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::UndoArgs;
use crate::destination::Replacing;
use crate::digest::Hasher;
use crate::dirs::{Dirs, Location};
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::journal::discover::{Found, find};
use crate::journal::lock::{self, Held};
use crate::journal::record::{self, Contents, Noted};
use crate::journal::recover::{State, place, state};
use crate::journal::{self, identity};
use crate::write::Stream;
use crate::{messages, move_log, summary, write};

/// The message for a document whose record is incomplete, although it was complete before the
/// document was written over.
const DAMAGED: &str = "it was written over, and the journal has lost what stood there; so may other documents, if this was its end; it is left as it is";

/// The message for a truncated journal.
const CUT: &str = "it breaks off amid a line, as where a disk is full; if it was cut since, what came after is not known";

/// The result for a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undone {
    /// Its old content was restored.
    PutBack,
    /// It had not been written over.
    AsItWas,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error::Usage`] if there is no journal.
pub fn run(args: &UndoArgs) -> Result<Status, Error> {
    let mut found = find(args.path.as_deref())?;
    if !args.trust {
        found.check_trusted("undo")?;
    }
    found.note_run();
    let Found { path, contents, file } = &found;
    let roots = found.roots();
    let dirs = directories(contents, &roots);
    let mut documents: BTreeMap<PathBuf, (Location, Vec<&Noted>)> = BTreeMap::new();
    let mut failures = Vec::new();
    for noted in &contents.documents {
        let Some(Some(root)) = roots.get(noted.document.root) else {
            let of = contents.roots.get(noted.document.root).map(PathBuf::as_path);
            failures.push(messages::of_path(
                &of.unwrap_or(Path::new("")).join(&noted.document.below),
                match of {
                    Some(_) => "the journal has been moved or copied from there, and what it is of is not beside it as it was",
                    None => "the journal is damaged, and does not tell where this is",
                },
            ));
            continue;
        };
        let path = place(root, &noted.document.below);
        match dirs.locate(noted.document.root, &noted.document.below, &path) {
            Ok(at) => documents.entry(path).or_insert_with(|| (at, Vec::new())).1.push(noted),
            Err(error) => {
                let reason = messages::reason(&error);
                let reason = format!("not restored: its directory cannot be opened: {reason}");
                failures.push(messages::of_path(&path, &reason));
            }
        }
    }
    for document in &contents.torn {
        let Some(Some(root)) = roots.get(document.root) else { continue };
        let path = place(root, &document.below);
        let at = dirs.locate(document.root, &document.below, &path);
        let is_new = at.is_ok_and(|at| state(&at, document) == State::New);
        if !documents.contains_key(&path) && is_new {
            failures.push(messages::of_path(&path, DAMAGED));
        }
    }
    // If the run was to wait for the disk, this command waits too.
    let is_durable =
        contents.line.iter().flat_map(|line| &line.words).any(|word| word == "--durable");
    let (mut n_put_back, mut n_as_before) = (0, 0);
    for (at, notes) in documents.values() {
        match undo(at, notes, file, is_durable) {
            Ok(Undone::PutBack) => n_put_back += 1,
            Ok(Undone::AsItWas) => n_as_before += 1,
            Err(failure) => failures.push(failure.to_string()),
        }
    }
    failures.iter().for_each(|failure| messages::print(failure));
    if contents.is_cut && !args.quiet {
        messages::print(&messages::of_path(path, CUT));
    }
    if !args.quiet {
        messages::print(&format!(
            "{} put back; {} had not been changed",
            summary::n(n_put_back, "document"),
            summary::n(n_as_before, "document")
        ));
    }
    if !failures.is_empty() {
        let name = roots.iter().flatten().next().map_or(Path::new("."), |root| &**root);
        messages::print(&format!(
            "not all is as it was; `relink undo {}` tries again, and without {} the rest stays as it is",
            record::quoted(name.as_os_str()),
            path.display()
        ));
        return Ok(Status::Failed);
    }
    let known: Vec<PathBuf> = roots.iter().flatten().cloned().collect();
    move_log::put_back(&known, contents).map_err(Error::Usage)?;
    clear(&found, &dirs, &roots).map_err(|failure| Error::Usage(failure.to_string()))?;
    Ok(Status::Done)
}

/// Returns the directories of the PATHs of a journal. A PATH that has a recorded identity must
/// still have it.
fn directories(contents: &Contents, roots: &[Option<PathBuf>]) -> Dirs {
    let mut dirs = Dirs::new();
    for (number, root) in roots.iter().enumerate() {
        let recorded = contents.ids.get(&number).map(|(identity, _)| identity.id());
        let recorded = recorded.filter(|_| identity::is_root(contents, number, root_path(root)));
        match root {
            Some(root) if root.is_dir() => dirs.add_directory(root.clone(), recorded),
            root => dirs.add_file(root_path(root), recorded),
        }
    }
    dirs
}

/// Returns a path that does not exist for an unknown PATH.
fn root_path(root: &Option<PathBuf>) -> &Path {
    root.as_deref().unwrap_or(Path::new(""))
}

/// Restores one document.
fn undo(
    at: &Location,
    notes: &[&Noted],
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    let Some(last) = notes.last() else { return Ok(Undone::AsItWas) };
    let renamed = last.document.renamed.as_ref().map(|name| at.sibling(name));
    let found = |at: &Location| {
        let found = notes.iter().rev().map(|noted| (*noted, state(at, &noted.document)));
        found.into_iter().find(|(_, state)| matches!(state, State::New | State::Old))
    };
    let undone = match (found(at), renamed) {
        (Some((noted, is)), renamed) => {
            // It had both names when the run was interrupted, or both documents existed.
            let is_new = |renamed: &Location| {
                is == State::Old && state(renamed, &last.document) == State::New
            };
            let is_ours = |renamed: &Location| at.is_same_file(renamed) || is_new(renamed);
            if let Some(renamed) = renamed.filter(is_ours) {
                renamed.remove().map_err(Failure::at(renamed.path()))?;
            }
            back(at, None, noted, is, journal, is_durable)?
        }
        (None, Some(renamed)) if at.status().is_err() => match found(&renamed) {
            Some((noted, State::New)) => {
                let name = Some(at.name());
                back(&renamed, name, noted, State::New, journal, is_durable)?
            }
            Some(_) => {
                write::rename(&renamed, at)?;
                Undone::PutBack
            }
            None => return Err(changed(renamed.path())),
        },
        (None, _) => return Err(changed(at.path())),
    };
    for noted in notes {
        let kept = noted.document.kept.as_ref().map(|name| at.sibling(name));
        if let Some(kept) = kept.filter(|kept| state(kept, &noted.document) == State::Old) {
            kept.remove().map_err(Failure::at(kept.path()))?;
        }
    }
    Ok(undone)
}

fn changed(path: &Path) -> Failure {
    let reason = "gone, or changed since the run was broken off; it is left as it is";
    Failure::at(path)(io::Error::other(reason))
}

/// Writes the old document over the new one, after its hash has proved that it is the old one. The
/// document gets `renamed` as its new name, if there is one.
fn back(
    location: &Location,
    renamed: Option<&OsStr>,
    noted: &Noted,
    state: State,
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    if state == State::Old {
        return Ok(Undone::AsItWas);
    }
    let at = Failure::at(location.path());
    let (new, metadata) = location.open().map_err(&at)?;
    let changes = noted.changes(journal).map_err(&at)?;
    let stream = Stream::over(location, Some(metadata), is_durable)?;
    let mut out = Out { stream, hasher: Hasher::default() };
    changes.undo(&new, &mut out).map_err(&at)?;
    if out.hasher.finish() != noted.document.old {
        let reason = "what the journal holds does not give the old document; it is left as it is";
        return Err(at(io::Error::other(reason)));
    }
    let replacing = Replacing { backup: None, breaks_hardlinks: true };
    out.stream.replace(Some(&new), &replacing, renamed)?;
    Ok(Undone::PutBack)
}

/// A writer that hashes its output.
struct Out {
    stream: Stream,
    hasher: Hasher,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.write_all(bytes)?;
        self.stream.write(bytes).map_err(|failure| io::Error::other(failure.to_string()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Removes the journal, and the other files that the run has left.
fn clear(found: &Found, dirs: &Dirs, roots: &[Option<PathBuf>]) -> Result<(), Failure> {
    for number in 0..roots.len() {
        journal::remove_left(dirs, number, &found.contents.runs)?;
    }
    for root in roots.iter().skip(1).flatten() {
        for place in lock::further_places(root).unwrap_or_default() {
            let Ok(Some(Held::Ours(file))) = lock::take(&place) else { continue };
            let sees = record::read(&file).ok().flatten().and_then(|contents| contents.see);
            // As it was before both were moved, if they were.
            if sees.and_then(|sees| lock::subject(&sees)).as_ref() == found.contents.roots.first() {
                lock::remove(&place).map_err(Failure::at(&place))?;
            }
        }
    }
    // Last: as long as it exists, all of this can be repeated.
    lock::remove(&found.path).map_err(Failure::at(&found.path))
}
