//! Target maps that lead to a file of the tree instead: of `check --fix`, where a target without a
//! file leads to the one file that must have been meant, and of a tree that was fetched from a web
//! archive.
//!
//! The law of `--fix` differs from that of every other map: the old target has no file, and exactly
//! one candidate has. The candidates are the file whose name differs in letter case only, the one
//! whose name has the escapes or the query literally, and the page of a clean URL.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap};

use crate::os::paths::{self, Root};
use crate::urls::layout;
use crate::urls::locate::{Located, Locator};
use crate::urls::mirror::Mirror;
use crate::urls::url_mapping::UrlMapping;

/// Corrects targets.
pub struct Fixes {
    locator: Locator,
    roots: Vec<Root>,
    places: UrlMapping,
}

/// A file: the number of its PATH, and its path below it.
type Place = (usize, Vec<u8>);

impl Fixes {
    /// Creates the map of a tree.
    pub fn new(locator: Locator, roots: &[Root], places: &UrlMapping) -> Self {
        Fixes { locator, roots: roots.to_vec(), places: places.clone() }
    }

    /// Returns the file that a target without a file must have meant, and true if the query of the
    /// target stays.
    fn candidate(&self, target: &str, root: usize, missing: &[u8]) -> Option<(Place, bool)> {
        let mut found: BTreeSet<(Place, bool)> = BTreeSet::new();
        let files = &self.locator.files;
        let others = files.all_in_other_case(root, missing);
        found.extend(others.into_iter().map(|path| ((root, path.to_vec()), true)));
        if let Located::File { root, path, keeps_query } = self.locator.locate(target, true) {
            found.insert(((root, path.to_vec()), keeps_query));
        }
        let text = String::from_utf8_lossy(missing);
        let clean = layout::of_clean_url(&text).map(|name| name.path);
        found.extend(
            clean.filter(|path| files.has_file(root, path)).map(|path| ((root, path), true)),
        );
        match (found.pop_first(), found.is_empty()) {
            (Some(one), true) => Some(one),
            _ => None,
        }
    }

    /// Returns the URL of a file.
    fn url_of(&self, (root, below): &Place) -> Option<String> {
        let directory = self.roots.get(*root)?.directory()?;
        let path = directory.join(paths::from_bytes(below)?);
        self.places.url_of(&path).map(|(url, _)| url)
    }
}

impl fmt::Debug for Fixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixes").finish_non_exhaustive()
    }
}

impl TargetMap for Fixes {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        let (document, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let location = match self.locator.locate(document, false) {
            Located::Outside => TargetLocation::Outside,
            Located::File { .. } | Located::Directory { .. } => TargetLocation::Inside,
            Located::Missing { root, path } => {
                let candidate = self.candidate(document, root, &path);
                let url = candidate.and_then(|(place, keeps)| Some((self.url_of(&place)?, keeps)));
                if let Some((url, keeps_query)) = url {
                    let query = document.find('?').map_or("", |at| &document[at..]);
                    new.push_str(&url);
                    new.push_str(if keeps_query { query } else { "" });
                    new.push_str(fragment);
                    return TargetLocation::Inside;
                }
                TargetLocation::Missing
            }
        };
        new.push_str(target);
        location
    }
}

// A map for a tree that was fetched from a web archive: a reference to a capture of one of its
// pages leads to the page.

/// The map of a tree, in which captures of its pages are these pages. Captures of what the tree
/// does not have stay.
#[derive(Debug)]
pub struct Unarchived {
    map: Arc<dyn TargetMap>,
    mirror: Arc<Mirror>,
}

impl Unarchived {
    /// Creates the map; `map` is that of the tree.
    pub fn new(map: Arc<dyn TargetMap>, mirror: Arc<Mirror>) -> Self {
        Unarchived { map, mirror }
    }
}

impl TargetMap for Unarchived {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let Some(capture) = self.mirror.capture(target) else {
            return self.map.moved(target, is_folder, new);
        };
        match self.mirror.page_of(&capture) {
            Some(page) => self.map.moved(&page, is_folder, new),
            None => {
                new.push_str(&capture);
                TargetLocation::Outside
            }
        }
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.map.for_place(new, from)
    }

    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        self.map.rest(url)
    }

    fn trusts_paths(&self) -> bool {
        self.map.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.map.target_of_path(new)
    }
}
