//! The target maps of a tree whose pages are renamed, and of a tree on a disk that is the root of
//! references such as `/a.html`.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap, WindowsPaths};

use super::Renames;

/// The target map of a tree whose pages are renamed, and which then moves.
pub struct RenamedUrls {
    renames: Arc<Renames>,
    then: Arc<dyn TargetMap>,
    known: Option<Arc<KnownUrls>>,
}

/// The URLs of the files of a tree, if these have their new names already: so that references that
/// somebody has corrected can be distinguished from the others.
#[derive(Debug, Default)]
pub struct KnownUrls {
    /// The URLs before the renames.
    pub old: HashSet<String>,
    /// The URLs after the renames.
    pub new: HashSet<String>,
}

impl RenamedUrls {
    /// Creates the map; `then` maps the renamed URLs.
    pub fn new(renames: Arc<Renames>, then: Arc<dyn TargetMap>) -> Self {
        RenamedUrls { renames, then, known: None }
    }

    /// Adds the URLs of the files.
    #[must_use]
    pub fn with_known(mut self, known: Option<Arc<KnownUrls>>) -> Self {
        self.known = known;
        self
    }

    /// Returns true if no file had a URL in the tree before the renames.
    fn is_missing(&self, target: &str) -> bool {
        self.known.as_ref().is_some_and(|known| {
            let url = self.renames.key(target);
            let page = url.split('?').next().unwrap_or_default();
            !known.old.contains(page)
        })
    }
}

impl fmt::Debug for RenamedUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenamedUrls").field("then", &self.then).finish_non_exhaustive()
    }
}

impl TargetMap for RenamedUrls {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        // A base may also be the URL of a page, which is renamed as such.
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let is_directory = is_folder && path.ends_with('/');
        let on_share = self.windows().and_then(|windows| windows.on_share(target));
        let place = on_share.as_deref().unwrap_or(target);
        let Some(found) = self.renames.find(place, is_directory) else {
            return match self.then.moved(target, is_folder, new) {
                TargetLocation::Inside if self.is_missing(target) => TargetLocation::Missing,
                location => location,
            };
        };
        let fragment = target.find('#').map_or("", |at| &target[at..]);
        let renamed = format!("{}{fragment}", found.url);
        let location = self.then.moved(&renamed, is_folder, new);
        if new.is_empty() {
            new.push_str(&renamed);
        }
        // It is in the tree before.
        if location == TargetLocation::Outside { TargetLocation::Inside } else { location }
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        let is_new = self.known.as_ref().is_some_and(|known| {
            let url = self.renames.key(new);
            known.new.contains(url.split('?').next().unwrap_or_default())
        });
        is_new.then(|| new.to_owned()).or_else(|| self.then.for_place(new, from))
    }

    fn trusts_paths(&self) -> bool {
        self.then.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.then.target_of_path(new)
    }

    fn windows(&self) -> Option<&WindowsPaths> {
        self.then.windows()
    }
}

// The target map of a tree on a disk that is the root of references such as `/a.html`.
//
// Such a reference leads to the root of the file system. Here it means the file below the tree
// with the same path, and keeps its form.

/// A map in which URLs from the root are those of the same paths in the tree.
pub struct FromRoot {
    map: Arc<dyn TargetMap>,
    /// The URL of the tree, with its final slash.
    tree: String,
    /// The URL of the root of its file system, with its final slash.
    root: String,
}

impl FromRoot {
    /// Creates the map of a tree. `tree` and `root` are URLs that end with a slash; `map` has the
    /// targets in the tree.
    pub fn new(map: Arc<dyn TargetMap>, tree: String, root: String) -> Self {
        FromRoot { map, tree, root }
    }

    /// Returns the URL in the tree that a URL from the root means.
    fn inner(&self, url: &str) -> Option<String> {
        let rest = url.strip_prefix(&*self.root)?;
        (!url.starts_with(&*self.tree)).then(|| format!("{}{rest}", self.tree))
    }

    /// Returns the URL from the root that means one in the tree.
    fn outer(&self, url: &str) -> Option<String> {
        url.strip_prefix(&*self.tree).map(|rest| format!("{}{rest}", self.root))
    }
}

impl fmt::Debug for FromRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromRoot").field("map", &self.map).finish_non_exhaustive()
    }
}

impl TargetMap for FromRoot {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let Some(inner) = self.inner(target) else {
            return self.map.moved(target, is_folder, new);
        };
        let mut moved = String::new();
        let location = self.map.moved(&inner, is_folder, &mut moved);
        if let Some(outer) = self.outer(if moved.is_empty() { &inner } else { &moved }) {
            new.push_str(&outer);
        }
        location
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        match self.inner(new) {
            Some(inner) => self.outer(&self.map.for_place(&inner, from)?),
            None => self.map.for_place(new, from),
        }
    }

    fn trusts_paths(&self) -> bool {
        self.map.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.map.target_of_path(new)
    }

    fn windows(&self) -> Option<&WindowsPaths> {
        self.map.windows()
    }
}
