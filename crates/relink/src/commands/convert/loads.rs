//! The files that a page loads, as they will be in the output: their digests, for `integrity`.
//!
//! A file is converted twice: once when the first page names a digest of it, and once when it is
//! written. In place, style sheets and scripts are therefore written after everything else.

use std::fmt;
use std::iter;
use std::sync::Arc;

use rewrite::{FileDigests, LoadedFiles};

use super::references::{self, NewUrls};
use crate::files;
use crate::input::{self, Document, Input};
use crate::loads::File;
use crate::plan::Convert;
use crate::units::Units;
use crate::walk::{Entry, EntryKind};

/// The files that a document of a run loads.
pub(super) struct Loads<'r> {
    pub(super) config: &'r Convert,
    pub(super) document: &'r Document,
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
        self.config.loads.digests(file, |file| self.converted(file))
    }
}

impl Loads<'_> {
    fn file(&self, url: &str) -> Option<File> {
        self.config.loads.file(&self.config.tree, &self.document.web_url(url))
    }

    /// Returns the digests of a file, if the run changes it.
    fn converted(&self, (root, below): &File) -> Option<FileDigests> {
        let tree = &self.config.tree;
        let below = files::path(below)?;
        let path = tree.roots[*root].path()?.join(&below);
        let (kind, is_single, sidecar) = (EntryKind::File, false, None);
        let entry = Entry { root: *root, path, below, kind, is_single, sidecar };
        let item = Units::new(tree, iter::empty()).item(entry).ok()??;
        let (entry, Input::Document(document)) = input::read(tree, item).ok()? else { return None };
        let new_place = references::new_place(self.config, &entry, &document);
        let new_place = new_place.as_ref().map(NewUrls::place);
        let rewritten = references::rewritten(&document, &entry, self.config, new_place, None);
        Some(FileDigests::new(document.unit(), &rewritten.output?))
    }
}
