//! A target map that remembers what another one returned: a tree has few targets, and many
//! references to each.

use std::sync::Arc;

use rewrite::{TargetLocation, TargetMap, WindowsPaths};

use crate::os::memo::Memo;

/// A map that returns what another one does, whose answers depend on nothing but its questions. The
/// fragment of a reference belongs to its new URL as it did to the old one.
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
        // A map may drop that of a base.
        let (url, fragment) = if is_folder { (target, "") } else { without_fragment(target) };
        let compute = || {
            let mut new = String::new();
            let location = self.map.moved(url, is_folder, &mut new);
            (location, new.into())
        };
        self.moved.get(is_folder.into(), url, compute, |(location, found)| {
            if !found.is_empty() {
                new.push_str(found);
                new.push_str(fragment);
            }
            *location
        })
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.map.for_place(new, from)
    }

    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        let (document, _) = without_fragment(url);
        let start = || self.map.rest(document).map(|rest| document.len() - rest.len());
        self.rests.get(0, document, start, |start| *start).map(|start| &url[start..])
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

/// Splits a URL before its `#`.
fn without_fragment(url: &str) -> (&str, &str) {
    url.split_at(memchr::memchr(b'#', url.as_bytes()).unwrap_or(url.len()))
}
