//! A map for a tree that was fetched from a web archive: a reference to a capture of one of its
//! pages leads to the page.

use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap};

use crate::urls::mirror::Mirror;

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
