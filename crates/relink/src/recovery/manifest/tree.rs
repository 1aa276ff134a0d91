//! The tree to which a manifest is applied.

use std::collections::HashSet;
use std::io::{self, ErrorKind::NotADirectory};
use std::path::{Path, PathBuf};

use super::Manifest;
use crate::files::walk::{self, EntryKind};
use crate::os::digest::{self, Hasher};
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::paths::Root;
use crate::os::positioned::Positioned;
use crate::plan::exit::Error;
use crate::recovery::journal::recover::{DocumentState, place};
use crate::recovery::records::Recorded;

/// The PATHs of a tree, and its directories.
pub struct ListedTree {
    /// The PATHs, in the order of the run.
    pub roots: Vec<Root>,
    /// Their directories.
    pub dirs: Dirs,
}

impl ListedTree {
    /// Opens the tree of a manifest.
    ///
    /// # Errors
    ///
    /// [`Error`] if a PATH does not exist, if their number is another one, or if nothing in them is
    /// what the run has written or had found.
    pub fn open(manifest: &Manifest, paths: &[PathBuf]) -> Result<Self, Error> {
        for path in paths {
            path.metadata().map_err(Failure::reading(path))?;
        }
        if paths.len() != manifest.n_roots {
            let reason = format!(
                "cannot use the manifest; it is of a run with {}, and {} given; use the PATHs of the run, in the same order",
                crate::events::summary::n(manifest.n_roots, "PATH"),
                match paths.len() {
                    0 => "none is".to_owned(),
                    1 => "1 is".to_owned(),
                    n => format!("{n} are"),
                }
            );
            return Err(Error::at(&manifest.path, reason));
        }
        let roots: Vec<Root> = paths.iter().cloned().map(Root::new).collect();
        let tree = ListedTree { dirs: walk::dirs(&roots), roots };
        let is_known = |listed: &Recorded| {
            matches!(tree.state(listed), Ok(DocumentState::New | DocumentState::Old))
        };
        if !manifest.files.is_empty() && !manifest.files.iter().any(is_known) {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let reason = format!(
                "cannot use the manifest; it is of another tree: no file in {} has the content that it lists; use the PATH of the run",
                names.join(", ")
            );
            return Err(Error::at(&manifest.path, reason));
        }
        Ok(tree)
    }

    /// Returns the path of a file, as messages name it.
    pub fn shown(&self, root: usize, below: &Path) -> PathBuf {
        let root = self.roots.get(root).and_then(Root::path).unwrap_or(Path::new(""));
        place(root, below)
    }

    /// Returns the location of a file after the run.
    ///
    /// # Errors
    ///
    /// Those of opening its directory.
    pub fn locate(&self, root: usize, below: &Path) -> io::Result<Location> {
        self.dirs.locate(root, below, &self.shown(root, below))
    }

    /// Returns the state of a file under its name after the run, or under its name before it.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn state(&self, listed: &Recorded) -> io::Result<DocumentState> {
        let document = &listed.document;
        let now = self.state_at(&document.path(), listed)?;
        if document.moved.is_some() {
            // Where it had been, there may be another file.
            return match now {
                DocumentState::New => Ok(DocumentState::New),
                now => match self.state_at(&document.below, listed)? {
                    DocumentState::Old => Ok(DocumentState::Old),
                    // Only its name is another one.
                    DocumentState::New if document.old == document.new => Ok(DocumentState::Old),
                    DocumentState::New => Ok(DocumentState::Other),
                    _ => Ok(now),
                },
            };
        }
        match (&document.renamed, now) {
            (Some(_), DocumentState::Gone) => match self.state_at(&document.below, listed)? {
                // Its name is the old one.
                DocumentState::New => Ok(DocumentState::Other),
                state => Ok(state),
            },
            (Some(_), DocumentState::Old) => Ok(DocumentState::Other),
            (_, now) => Ok(now),
        }
    }

    /// Returns the state of a file at a path.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn state_at(&self, below: &Path, listed: &Recorded) -> io::Result<DocumentState> {
        let document = &listed.document;
        let at = match self.locate(document.root, below) {
            Ok(at) => at,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(DocumentState::Gone);
            }
            // A renamed file has the name that was, or will be, that of a directory.
            Err(error) if document.moved.is_some() && error.kind() == NotADirectory => {
                return Ok(DocumentState::Gone);
            }
            Err(error) => return Err(error),
        };
        match at.status() {
            Ok(found) if found.is_file => {}
            Ok(_) => return Ok(DocumentState::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(DocumentState::Gone);
            }
            Err(error) => return Err(error),
        }
        let hash = at.open().and_then(|(file, _)| digest::of_reader(file))?;
        Ok(match () {
            () if hash == document.new => DocumentState::New,
            () if hash == document.old => DocumentState::Old,
            () => DocumentState::Other,
        })
    }

    /// Returns true if the edits of a file, which has its new content, give its old content.
    ///
    /// # Errors
    ///
    /// Those of reading the file and the manifest.
    pub fn gives_old(&self, manifest: &Manifest, listed: &Recorded) -> io::Result<bool> {
        let document = &listed.document;
        if listed.n_edits() == 0 {
            return Ok(document.old == document.new);
        }
        let (new, _) = self.locate(document.root, &document.path())?.open()?;
        let mut hasher = Hasher::default();
        listed.changes(Positioned::new(manifest.file(), 0))?.undo(new, &mut hasher)?;
        Ok(hasher.finish() == document.old)
    }

    /// Returns the target of a symbolic link; `None` if there is no link.
    pub fn link(&self, root: usize, below: &Path) -> Option<PathBuf> {
        let at = self.locate(root, below).ok()?;
        at.directory().read_link(at.name()).ok()
    }

    /// Returns the files of the tree that a manifest of all files does not list.
    pub fn added(&self, manifest: &Manifest) -> Vec<Result<(usize, PathBuf), Failure>> {
        let files =
            manifest.files.iter().map(|listed| (listed.document.root, listed.document.path()));
        let links = manifest.links.iter().map(|(root, below, _)| (*root, below.clone()));
        let listed: HashSet<(usize, PathBuf)> = files.chain(links).collect();
        let entries = walk::entries(&self.roots).filter_map(|entry| match entry {
            Ok(entry) if entry.is_single || entry.kind == EntryKind::Directory => None,
            Ok(entry) => {
                let place = (entry.root, entry.below);
                (!listed.contains(&place)).then_some(Ok(place))
            }
            Err(failure) => Some(Err(failure)),
        });
        entries.collect()
    }
}
