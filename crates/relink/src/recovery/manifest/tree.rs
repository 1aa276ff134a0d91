//! The tree to which a manifest is applied.

use std::collections::HashSet;
use std::io;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::{Path, PathBuf};

use super::Manifest;
use crate::files::walk::{self, EntryKind};
use crate::os::digest::{Hasher, Short};
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::paths::Root;
use crate::os::positioned::Positioned;
use crate::plan::exit::Error;
use crate::recovery::open_document::{DocumentState, FoundDocument, OpenDocument};
use crate::recovery::records::Recorded;
use crate::recovery::records::list::place_hash;

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
            let found = tree.find(listed).map(|found| found.state);
            matches!(found, Ok(DocumentState::New | DocumentState::Old))
        };
        let is_known = |listed: Result<Recorded, Failure>| listed.is_ok_and(|it| is_known(&it));
        if manifest.n_files().0 > 0 && !manifest.files().any(is_known) {
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
        let typed = self.roots.get(root).and_then(Root::path).unwrap_or(Path::new(""));
        let is_single = self.dirs.is_single(root);
        if is_single { typed.with_file_name(below) } else { typed.join(below) }
    }

    /// Returns the location of a file after the run.
    ///
    /// # Errors
    ///
    /// Those of opening its directory.
    pub fn locate(&self, root: usize, below: &Path) -> io::Result<Location> {
        self.dirs.locate(root, below, &self.shown(root, below))
    }

    /// Finds a file under its name after the run, or under its name before it. Its file is open if
    /// it has its new content.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn find(&self, listed: &Recorded) -> io::Result<FoundDocument> {
        let document = &listed.document;
        let found = self.find_at(&document.path(), listed)?;
        let before = || self.find_at(&document.below, listed).map(|found| found.state);
        let state = match (found.state, &document.moved, &document.renamed) {
            (DocumentState::New, Some(_), _) => DocumentState::New,
            // Where it had been, there may be another file.
            (now, Some(_), _) => match before()? {
                DocumentState::Old => DocumentState::Old,
                // Only its name is another one.
                DocumentState::New if document.old == document.new => DocumentState::Old,
                DocumentState::New => DocumentState::Other,
                _ => now,
            },
            (DocumentState::Gone, None, Some(_)) => match before()? {
                // Its name is the old one.
                DocumentState::New => DocumentState::Other,
                state => state,
            },
            (DocumentState::Old, None, Some(_)) => DocumentState::Other,
            (now, ..) => now,
        };
        Ok(FoundDocument { state, ..found })
    }

    /// Finds a file at a path.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn find_at(&self, below: &Path, listed: &Recorded) -> io::Result<FoundDocument> {
        let document = &listed.document;
        match self.locate(document.root, below) {
            Ok(at) => FoundDocument::read(&at, document),
            Err(error) if error.kind() == NotFound => {
                Ok(FoundDocument::without_file(DocumentState::Gone))
            }
            // A renamed file has the name that was, or will be, that of a directory.
            Err(error) if document.moved.is_some() && error.kind() == NotADirectory => {
                Ok(FoundDocument::without_file(DocumentState::Gone))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns true if the edits of a file, which has its new content, give its old content.
    ///
    /// # Errors
    ///
    /// Those of reading the file and the manifest.
    pub fn gives_old(
        &self,
        manifest: &Manifest,
        listed: &Recorded,
        new: &mut OpenDocument,
    ) -> io::Result<bool> {
        let document = &listed.document;
        if listed.n_edits() == 0 {
            return Ok(document.old == document.new);
        }
        let mut hasher = Hasher::default();
        new.undo(&listed.changes(Positioned::new(manifest.file(), 0))?, &mut hasher)?;
        Ok(hasher.finish() == document.old)
    }

    /// Returns the target of a symbolic link; `None` if there is no link.
    pub fn link(&self, root: usize, below: &Path) -> Option<PathBuf> {
        let at = self.locate(root, below).ok()?;
        at.directory().read_link(at.name()).ok()
    }

    /// Returns the files of the tree that a manifest of all files does not list.
    pub fn added(&self, manifest: &Manifest) -> Vec<Result<(usize, PathBuf), Failure>> {
        let mut failures = Vec::new();
        let mut listed: HashSet<Short> = HashSet::new();
        for file in manifest.files() {
            match file.map(|file| file.document) {
                Ok(document) => drop(listed.insert(place_hash(document.root, &document.path()))),
                Err(failure) => failures.push(Err(failure)),
            }
        }
        listed.extend(manifest.links.iter().map(|(root, below, _)| place_hash(*root, below)));
        let entries = walk::entries(&self.roots).filter_map(|entry| match entry {
            Ok(entry) if entry.is_single || entry.kind == EntryKind::Directory => None,
            Ok(entry) => {
                let is_listed = listed.contains(&place_hash(entry.root, &entry.below));
                (!is_listed).then_some(Ok((entry.root, entry.below)))
            }
            Err(failure) => Some(Err(failure)),
        });
        failures.into_iter().chain(entries).collect()
    }
}
