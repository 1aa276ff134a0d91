//! The target map of a tree on a disk that is the root of references such as `/a.html`.
//!
//! Such a reference leads to the root of the file system. Here it means the file below the tree
//! with the same path, and keeps its form.

use std::fmt;
use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap};

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
}
