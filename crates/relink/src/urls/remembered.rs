//! A target map that remembers what another one returned: a tree has few targets, and many
//! references to each.

use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap};

use crate::os::memo::Memo;

/// A map that returns what another one does, whose answers depend on nothing but its questions.
#[derive(Debug)]
pub struct Remembered {
    map: Arc<dyn TargetMap>,
    moved: Memo<(TargetLocation, Box<str>)>,
    rests: Memo<Option<usize>>,
}

impl Remembered {
    /// Creates the map that returns what `map` does.
    pub fn new(map: Arc<dyn TargetMap>) -> Arc<Self> {
        Arc::new(Remembered { map, moved: Memo::default(), rests: Memo::default() })
    }
}

impl TargetMap for Remembered {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let compute = || {
            let mut new = String::new();
            let location = self.map.moved(target, is_folder, &mut new);
            (location, new.into())
        };
        self.moved.get(is_folder.into(), target, compute, |(location, found)| {
            new.push_str(found);
            *location
        })
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.map.for_place(new, from)
    }

    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        let start = || self.map.rest(url).map(|rest| url.len() - rest.len());
        self.rests.get(0, url, start, |start| *start).map(|start| &url[start..])
    }

    fn trusts_paths(&self) -> bool {
        self.map.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.map.target_of_path(new)
    }
}
