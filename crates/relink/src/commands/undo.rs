//! `relink undo`: what a run that was broken off has changed is put back, from the edits in its journal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::UndoArgs;
use crate::destination::Replacing;
use crate::digest::Hasher;
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::journal::earlier::{State, is_within, place, state};
use crate::journal::found::{Found, find};
use crate::journal::held::{self, Held};
use crate::journal::record::{self, Noted};
use crate::write::Stream;
use crate::{half_written, messages, moved, summary, write};

/// What is told of a document whose note is not whole, though it was before it was written over.
const DAMAGED: &str = "it was written over, and the journal has lost what stood there; so may other documents, if this was its end; it is left as it is";

/// What is told of a journal that was cut off.
const CUT: &str = "it breaks off amid a line, as where a disk is full; if it was cut since, what came after is not known";

/// What became of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undone {
    /// It is what it was.
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
    found.note_run();
    let Found { path, contents, file } = &found;
    let roots = found.roots();
    let mut documents: BTreeMap<PathBuf, Vec<&Noted>> = BTreeMap::new();
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
        match is_within(root, &noted.document.below) {
            true => {
                let path = place(root, &noted.document.below);
                documents.entry(path).or_default().push(noted);
            }
            false => failures.push(messages::of_path(
                &root.join(&noted.document.below),
                "a folder on the way to it is gone, or is a link now; it is left as it is",
            )),
        }
    }
    for document in &contents.torn {
        let Some(Some(root)) = roots.get(document.root) else { continue };
        let path = place(root, &document.below);
        if !documents.contains_key(&path) && state(&path, document) == State::New {
            failures.push(messages::of_path(&path, DAMAGED));
        }
    }
    // What the run was to wait for on the disk, this waits for too.
    let is_durable =
        contents.line.iter().flat_map(|line| &line.words).any(|word| word == "--durable");
    let (mut n_put_back, mut n_as_before) = (0, 0);
    for (path, notes) in &documents {
        match undo(path, notes, file, is_durable) {
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
    let roots: Vec<PathBuf> = roots.into_iter().flatten().collect();
    if !failures.is_empty() {
        let name = roots.first().map_or(Path::new("."), |root| &**root);
        messages::print(&format!(
            "not all is as it was; `relink undo {}` tries again, and without {} the rest stays as it is",
            record::quoted(name.as_os_str()),
            path.display()
        ));
        return Ok(Status::Failed);
    }
    moved::put_back(&roots, contents).map_err(Error::Usage)?;
    clear(&found, &roots).map_err(|failure| Error::Usage(failure.to_string()))?;
    Ok(Status::Done)
}

/// Puts back one document.
fn undo(
    path: &Path,
    notes: &[&Noted],
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    let Some(last) = notes.last() else { return Ok(Undone::AsItWas) };
    let renamed = last.document.renamed.as_ref().map(|name| path.with_file_name(name));
    let stands = |path: &Path| {
        let found = notes.iter().rev().map(|noted| (*noted, state(path, &noted.document)));
        found.into_iter().find(|(_, state)| matches!(state, State::New | State::Old))
    };
    let undone = match (stands(path), renamed.as_deref()) {
        (Some((noted, state)), renamed) => {
            // It had both names when the run was broken off.
            if let Some(renamed) = renamed.filter(|renamed| write::is_one(path, renamed)) {
                fs::remove_file(renamed).map_err(Failure::at(renamed))?;
            }
            back(path, noted, state, journal, is_durable)?
        }
        (None, Some(renamed)) if path.symlink_metadata().is_err() => match stands(renamed) {
            // In this order: what stands under the old name, old or new, is known to a run that goes on, too.
            Some((noted, state)) => {
                write::rename(renamed, path)?;
                back(path, noted, state, journal, is_durable)?;
                Undone::PutBack
            }
            None => return Err(changed(renamed)),
        },
        (None, _) => return Err(changed(path)),
    };
    for noted in notes {
        let kept = noted.document.kept.as_ref().map(|name| path.with_file_name(name));
        if let Some(kept) = kept.filter(|kept| state(kept, &noted.document) == State::Old) {
            fs::remove_file(&kept).map_err(Failure::at(&kept))?;
        }
    }
    Ok(undone)
}

fn changed(path: &Path) -> Failure {
    let reason = "gone, or changed since the run was broken off; it is left as it is";
    Failure::at(path)(io::Error::other(reason))
}

/// Writes the old document over the new one, and proves by its hash that it is the old one before it stands there.
fn back(
    path: &Path,
    noted: &Noted,
    state: State,
    journal: &File,
    is_durable: bool,
) -> Result<Undone, Failure> {
    if state == State::Old {
        return Ok(Undone::AsItWas);
    }
    let at = |error| Failure::at(path)(error);
    let new = File::open(path).map_err(at)?;
    let metadata = new.metadata().map_err(at)?;
    let changes = noted.changes(journal).map_err(at)?;
    let stream = Stream::over(path, Some(metadata), is_durable)?;
    let mut out = Out { stream, hasher: Hasher::default() };
    changes.undo(new, &mut out).map_err(at)?;
    if out.hasher.finish() != noted.document.old {
        let reason = "what the journal holds does not give the old document; it is left as it is";
        return Err(at(io::Error::other(reason)));
    }
    out.stream.replace(&Replacing { backup: None, breaks_hardlinks: true })?;
    Ok(Undone::PutBack)
}

/// What is written, and its hash.
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

/// Removes the journal, and what else the run has left.
fn clear(found: &Found, roots: &[PathBuf]) -> Result<(), Failure> {
    for root in roots {
        for left in half_written::left_by(root, &found.contents.runs) {
            held::remove(&left).map_err(Failure::at(&left))?;
        }
    }
    for root in roots.iter().skip(1) {
        for place in held::further_places(root).unwrap_or_default() {
            let Ok(Some(Held::Ours(file))) = held::take(&place) else { continue };
            let sees = record::read(&file).ok().flatten().and_then(|contents| contents.see);
            // As it was before both were moved, if they were.
            if sees.and_then(|sees| held::subject(&sees)).as_ref() == found.contents.roots.first() {
                held::remove(&place).map_err(Failure::at(&place))?;
            }
        }
    }
    // At last: as long as it is there, all of this can be done again.
    held::remove(&found.path).map_err(Failure::at(&found.path))
}
