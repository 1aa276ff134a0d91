//! The files that a page loads, as they will be in the output: their digests, for `integrity`.
//!
//! A file is converted twice: once when the first page names a digest of it, and once when it is
//! written. In place, style sheets and scripts are therefore written after everything else.

use std::cell::OnceCell;
use std::fmt;
use std::iter;
use std::sync::Arc;

use rewrite::{FileDigests, LoadedFiles};

use super::references::{self, NewUrls};
use crate::files::walk::{Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::paths;
use crate::plan::Convert;
use crate::tree::input::{self, Document, Input};
use crate::tree::integrity::File;
use crate::tree::units::Units;

/// The files that a document of a run loads.
pub(super) struct Loads<'r> {
    config: &'r Convert,
    document: &'r Document,
    /// The error of the first file that could not be read.
    failure: OnceCell<Failure>,
}

impl fmt::Debug for Loads<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loads").field("url", &self.document.url()).finish_non_exhaustive()
    }
}

impl LoadedFiles for Loads<'_> {
    fn contains(&self, url: &str) -> bool {
        self.file(url).is_some()
    }

    fn digests(&self, url: &str) -> Option<Arc<FileDigests>> {
        let file = self.file(url)?;
        match self.config.loads.digests(file, |file| self.converted(file)) {
            Ok(digests) => digests,
            Err(failure) => {
                self.failure.get_or_init(|| failure);
                None
            }
        }
    }
}

impl<'r> Loads<'r> {
    pub(super) fn new(config: &'r Convert, document: &'r Document) -> Self {
        Loads { config, document, failure: OnceCell::new() }
    }

    /// Returns the error of a file of which the document has a digest.
    pub(super) fn failure(self) -> Option<Failure> {
        self.failure.into_inner()
    }

    fn file(&self, url: &str) -> Option<File> {
        self.config.loads.file(&self.config.tree, &self.document.web_url(url))
    }

    /// Returns the digests of a file, if the run changes it.
    fn converted(&self, (root, below): &File) -> Result<Option<FileDigests>, Failure> {
        let tree = &self.config.tree;
        let (Some(below), Some(path)) = (paths::from_bytes(below), tree.roots[*root].path()) else {
            return Ok(None);
        };
        let path = path.join(&below);
        let (kind, is_single, sidecar) = (EntryKind::File, false, None);
        let entry = Entry { root: *root, path, below, kind, is_single, sidecar };
        let Some(item) = Units::new(tree, iter::empty()).item(entry)? else { return Ok(None) };
        let (entry, Input::Document(document)) = input::read(tree, item)? else { return Ok(None) };
        let new_place = references::new_place(self.config, &entry, &document);
        let new_place = new_place.as_ref().map(NewUrls::place);
        let rewritten = references::rewritten(&document, &entry, self.config, new_place, None);
        Ok(rewritten.output().map(|output| FileDigests::new(document.unit(), output)))
    }
}
