//! What renames mean: the new path of each file, and what a reference reaches before and after
//! them. The tests of trees and the law of `fuzz/laws/renames.rs` compare with it.

pub(crate) mod disk;
pub(crate) mod reached;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};

/// The files of a tree, by their paths with slashes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The new names of pages and of directories, by their old ones, without final slashes.
#[derive(Debug, Default)]
pub(crate) struct Renames {
    pub(crate) pages: BTreeMap<String, String>,
    pub(crate) directories: BTreeMap<String, String>,
}

impl Renames {
    /// Returns the new path of a file, or of what a reference names: by its own row, or by that of
    /// the longest directory around it.
    pub(crate) fn new_path(&self, old: &str) -> String {
        self.pages.get(old).cloned().unwrap_or_else(|| self.by_directory(old))
    }

    /// Returns the new path by the row of the longest directory.
    pub(crate) fn by_directory(&self, old: &str) -> String {
        let outer = old.rmatch_indices('/').map(|(at, _)| at);
        let mut ends = std::iter::once(old.len()).chain(outer);
        let found = ends.find(|end| self.directories.contains_key(&old[..*end]));
        found.map_or(old.to_owned(), |end| {
            format!("{}{}", self.directories[&old[..end]], &old[end..])
        })
    }

    /// Returns the new path of each file.
    pub(crate) fn files(&self, files: &Files) -> BTreeMap<String, String> {
        files.keys().map(|old| (old.clone(), self.new_path(old))).collect()
    }
}

impl Display for Renames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pages.iter().try_for_each(|(old, new)| writeln!(f, "  {old} -> {new}"))?;
        self.directories.iter().try_for_each(|(old, new)| writeln!(f, "  {old}/ -> {new}/"))
    }
}

/// Returns the directories around paths.
pub(crate) fn directories<'p>(paths: impl Iterator<Item = &'p String>) -> BTreeSet<String> {
    paths.flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned())).collect()
}

/// Returns a path with escapes: every byte that is not unreserved.
pub(crate) fn escaped(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
