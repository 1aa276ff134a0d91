//! The journal of a run that was broken off, found by what the run was over.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::held::{self, Held};
use super::record::{self, Contents};
use super::{at, busy, contents, usage};
use crate::exit::Error;
use crate::half_written;
use crate::messages;

/// A journal that is there, and ours as long as it is not dropped.
#[derive(Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub contents: Contents,
    /// The file.
    pub file: File,
}

impl Found {
    /// Notes that this run is at work on what the other left, so that a later one knows the files that it was writing. Where the disk is full it does
    /// without.
    pub fn note_run(&mut self) {
        let line = record::line("undo", &[half_written::run_id().as_bytes()]);
        drop(self.file.write_all(format!("\n{line}").as_bytes()));
        self.contents.runs.push(half_written::run_id().to_owned());
    }
}

/// Finds the journal of the run over `root`, or of the one that was broken off in the current folder.
///
/// # Errors
///
/// [`Error::Usage`] if there is none, or several, or if the run is still at work.
pub fn find(root: Option<&Path>) -> Result<Found, Error> {
    let named = root.unwrap_or(Path::new("."));
    let mut paths: Vec<PathBuf> = held::places(named)
        .map_err(at(named))?
        .into_iter()
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    match root {
        None => paths.extend(journals_in(named)),
        // It may be one of several files.
        Some(file) if paths.is_empty() => {
            let file = file.canonicalize().map_err(at(file))?;
            let folder = file.parent().unwrap_or(Path::new("/"));
            let is_of_it = |path: &PathBuf| {
                let read = File::open(path).and_then(record::read);
                matches!(read, Ok(Some(contents)) if contents.roots.contains(&file))
            };
            paths.extend(journals_in(folder).filter(is_of_it));
        }
        Some(_) => {}
    }
    let mut found: Vec<Found> = Vec::new();
    for path in paths {
        let Some(journal) = open(named, &path)? else { continue };
        if !found.iter().any(|other| other.path == journal.path) {
            found.push(journal);
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(journal), true) => Ok(journal),
        (None, _) => Err(usage(messages::of_path(named, "no run was broken off here"))),
        (Some(last), false) => {
            found.push(last);
            let subjects = found.iter().filter_map(|journal| held::subject(&journal.path));
            let names: Vec<String> =
                subjects.map(|path| record::quoted(path.as_os_str())).collect();
            Err(usage(messages::of_path(
                named,
                &format!("several runs were broken off here; name one of {}", names.join(", ")),
            )))
        }
    }
}

/// Opens a journal, or the one that it tells of, if that tells of a run.
fn open(named: &Path, path: &Path) -> Result<Option<Found>, Error> {
    let mut path = path.to_owned();
    // Once: the file beside a further PATH.
    for _ in 0..2 {
        let file = match held::take(&path).map_err(at(&path))? {
            None => return Ok(None),
            Some(Held::Busy) => return Err(busy(named)),
            Some(Held::Ours(file)) => file,
        };
        let contents = contents(&path, &file)?;
        match contents.see {
            // The run had come to its end, and nothing is locked any more.
            Some(journal) if journal.symlink_metadata().is_err() => {
                held::remove(&path).map_err(at(&path))?;
                return Ok(None);
            }
            Some(journal) => path = journal,
            // Nothing was begun.
            None if contents.line.is_none() => {
                held::remove(&path).map_err(at(&path))?;
                return Ok(None);
            }
            None => return Ok(Some(Found { path, contents, file })),
        }
    }
    Ok(None)
}

/// The journals that lie in a folder.
fn journals_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = folder.canonicalize().and_then(|folder| folder.read_dir());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| held::subject(path).is_some()).collect();
    paths.sort_unstable();
    paths.into_iter()
}
