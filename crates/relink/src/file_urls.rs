//! File URLs that are not below any `--from` of a move to a web server: perhaps another name of
//! the tree.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rewrite::{Move, TargetLocation, TargetMap};

use crate::problem::scheme;
use crate::summary;

/// A move that collects such URLs.
#[derive(Debug)]
pub struct FileUrls {
    moves: Arc<dyn TargetMap>,
    /// The URLs, without fragments.
    urls: Mutex<BTreeSet<String>>,
}

impl FileUrls {
    /// Adds the collection to a move of these roots, if one of them moves from a disk to a server.
    pub fn of_move(pairs: &[(String, String)], to: &mut Move) -> Option<Arc<Self>> {
        let is_file = |url: &str| url.starts_with("file:");
        if !pairs.iter().any(|(from, to)| is_file(from) && !is_file(to)) {
            return None;
        }
        let moves = Arc::clone(&to.map);
        let collected = Arc::new(FileUrls { moves, urls: Mutex::default() });
        to.map = collected.clone();
        Some(collected)
    }

    /// Returns a hint about the URLs, if there are any.
    pub fn hint(&self) -> Option<String> {
        let urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
        let first = urls.first()?;
        let such_as = if urls.len() == 1 { "" } else { "such as " };
        Some(format!(
            "hint: references point to {} out of the tree, {such_as}{first}; use `--same-as URL` if that is another name of the tree",
            summary::n(urls.len(), "file URL")
        ))
    }
}

impl TargetMap for FileUrls {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let location = self.moves.moved(target, is_folder, new);
        if location == TargetLocation::Outside && scheme(target).eq_ignore_ascii_case("file") {
            let url = target.split('#').next().unwrap_or_default();
            let mut urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
            if !urls.contains(url) {
                urls.insert(url.to_owned());
            }
        }
        location
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.moves.for_place(new, from)
    }

    fn trusts_paths(&self) -> bool {
        self.moves.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.moves.target_of_path(new)
    }
}
