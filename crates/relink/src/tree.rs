//! The tree of a run: which files, where they belong, and how they are read.

use std::collections::HashSet;
use std::path::PathBuf;

use rewrite::Options;

use crate::dirs::{Dirs, Location};
use crate::failure::Failure;
use crate::globs::Globs;
use crate::hints::Hints;
use crate::media::Types;
use crate::paths::Root;
use crate::url_mapping::UrlMapping;
use crate::walk::Entry;

/// Which files, where they belong, and how they are read.
pub struct Tree {
    /// Folders and files to walk.
    pub roots: Vec<Root>,
    /// The directories that the roots are, or are in.
    pub dirs: Dirs,
    /// Their URLs.
    pub places: UrlMapping,
    /// Where documents were from, if nothing tells their URLs.
    pub hints: Hints,
    /// Their media types.
    pub types: Types,
    /// Which documents are handled.
    pub globs: Globs,
    /// What is asked of each document.
    pub options: Options,
    /// Documents that an earlier run has done, and that stay.
    pub finished: HashSet<PathBuf>,
    /// Documents that an earlier run was to do, and that were changed since: they stay too.
    pub changed: HashSet<PathBuf>,
    /// Number of threads, if told.
    pub jobs: Option<u16>,
    /// True if a reference that could not be handled makes the exit status 1.
    pub is_strict: bool,
    /// True if only errors are told.
    pub is_quiet: bool,
    /// True if each reference that could not be handled is told.
    pub is_verbose: bool,
}

impl Tree {
    /// Returns the location of a file of the tree.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the entry.
    pub fn locate(&self, entry: &Entry) -> Result<Location, Failure> {
        let location = self.dirs.locate(entry.root, &entry.below, &entry.path);
        location.map_err(Failure::at(&entry.path))
    }
}
