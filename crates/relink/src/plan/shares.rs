//! The names of a tree that moves from or to a share: they decide how references are read, and a
//! server may refuse some.

use std::sync::Arc;

use rewrite::{Move, TreeNames};
use urlcore::escape::percent_decode;

use crate::events::{Events, summary};
use crate::os::{paths, portable};
use crate::plan::locator;
use crate::tree::Tree;
use crate::urls::locate::{Located, Locator, LocatorOptions};

impl TreeNames for Locator {
    fn contains(&self, url: &str, or_directory: bool) -> bool {
        match self.locate(url, false) {
            Located::File { .. } => true,
            Located::Directory { .. } => or_directory,
            _ => false,
        }
    }
}

/// Reads the names of a tree if a root of its move is on a share, and reports those that SharePoint
/// refuses if it moves to a web server.
pub(super) fn look(tree: &Tree, to: &Move, events: &mut dyn Events) {
    let Some(windows) = to.map.windows() else { return };
    let names = locator(tree, LocatorOptions::default());
    let mut refused = Vec::new();
    for (idx, root) in tree.roots.iter().enumerate() {
        let Some(directory) = root.directory() else { continue };
        for below in names.files.sorted(idx) {
            let path = paths::from_bytes(below).map(|below| directory.join(below));
            let Some((url, _)) = path.as_ref().and_then(|path| tree.places.url_of(path)) else {
                continue;
            };
            if is_refused(&url, &to.map.url(&url)) {
                refused.extend(path);
            }
        }
    }
    if let Some(first) = refused.first() {
        events.hint(&format!(
            "hint: SharePoint refuses the names of {}, such as {}; rename them on the share first",
            summary::n(refused.len(), "file"),
            first.display()
        ));
    }
    windows.set_names(Arc::new(names));
}

/// Returns true if a file moves from a share to a web server, and SharePoint refuses its path.
fn is_refused(old: &str, new: &str) -> bool {
    let is_web = new.starts_with("http://") || new.starts_with("https://");
    let path = new.split("://").nth(1).and_then(|rest| rest.split_once('/'));
    let decoded = |path: &str| String::from_utf8_lossy(&percent_decode(path)).into_owned();
    let is_refused = |(_, path)| portable::is_refused_by_sharepoint(&decoded(path));
    is_web && old.starts_with("file:") && path.is_some_and(is_refused)
}
