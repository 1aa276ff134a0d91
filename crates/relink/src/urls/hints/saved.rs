//! The resources that a browser saved with a page: the directory `Page_files` next to `Page.html`,
//! and everything next to a page that is in such a directory.
//!
//! The name of the directory is that of the page, then `_files`, `-Dateien`, `.files`, `_fichiers`
//! or another word in the language of the browser: a mark and letters. Directories are read once,
//! as long as their documents come one after another.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::os::paths;
use crate::os::store::{EntryKind, Store};

/// Directories that have been read.
#[derive(Debug, Default)]
pub(super) struct Saved {
    directories: Mutex<HashMap<PathBuf, Arc<DirectoryNames>>>,
}

/// The number of directories that are cached.
const KEPT: usize = 64;

/// The names in a directory.
#[derive(Debug, Default)]
struct DirectoryNames {
    /// The names of its directories, sorted.
    directories: Vec<Vec<u8>>,
    /// The names of its other files, sorted.
    files: Vec<Vec<u8>>,
    all: OnceLock<Arc<HashSet<Vec<u8>>>>,
}

impl Saved {
    /// Returns the names of the resources that were saved with a page, in the directory that
    /// contains it; `None` if there are none. If a browser recorded that it saved the page itself,
    /// the page may be in the directory of another page.
    pub(super) fn beside(
        &self,
        store: &dyn Store,
        page: &Path,
        is_saved: bool,
    ) -> Option<Arc<HashSet<Vec<u8>>>> {
        let page = paths::absolute(page);
        let directory = self.directory(store, page.parent()?);
        if is_saved && self.is_of_page(store, page.parent()?) {
            return Some(directory.all());
        }
        let stem = page.file_stem()?.as_encoded_bytes();
        let names: HashSet<Vec<u8>> = MARKS
            .iter()
            .flat_map(|mark| starting(&directory.directories, [stem, &[*mark]].concat()))
            .filter(|name| stem_of(name) == Some(stem))
            .cloned()
            .collect();
        (!names.is_empty()).then(|| Arc::new(names))
    }

    /// Returns true if a directory contains the resources of a page next to it.
    fn is_of_page(&self, store: &dyn Store, directory: &Path) -> bool {
        let name = directory.file_name().map(OsStr::as_encoded_bytes);
        let Some((around, stem)) = directory.parent().zip(name.and_then(stem_of)) else {
            return false;
        };
        let is_page = |name: &Vec<u8>| {
            let extension = &name[stem.len() + 1..];
            PAGES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension))
        };
        starting(&self.directory(store, around).files, [stem, b"."].concat()).any(is_page)
    }

    fn directory(&self, store: &dyn Store, path: &Path) -> Arc<DirectoryNames> {
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(directory) = directories.get(path) {
            return Arc::clone(directory);
        }
        if directories.len() >= KEPT {
            directories.clear();
        }
        let directory = Arc::new(DirectoryNames::read(store, path));
        directories.insert(path.to_owned(), Arc::clone(&directory));
        directory
    }
}

impl DirectoryNames {
    /// A directory that cannot be read counts as missing.
    fn read(store: &dyn Store, path: &Path) -> Self {
        let mut directory = DirectoryNames::default();
        for (name, kind) in store.names(path).into_iter().flatten() {
            let of_kind = match kind {
                EntryKind::Directory => &mut directory.directories,
                _ => &mut directory.files,
            };
            of_kind.push(name.into_encoded_bytes());
        }
        directory.directories.sort_unstable();
        directory.files.sort_unstable();
        directory
    }

    fn all(&self) -> Arc<HashSet<Vec<u8>>> {
        let all = || Arc::new(self.directories.iter().chain(&self.files).cloned().collect());
        Arc::clone(self.all.get_or_init(all))
    }
}

/// The characters between the name of a page and the word for its files.
const MARKS: &[u8] = b"_-.";

/// The extensions of saved pages.
const PAGES: [&str; 4] = ["html", "htm", "xhtml", "xht"];

/// Returns the name, without its extension, of the page whose files a directory of this name would
/// contain.
fn stem_of(directory: &[u8]) -> Option<&[u8]> {
    let mark = directory.iter().rposition(|byte| MARKS.contains(byte))?;
    let word = &directory[mark + 1..];
    let is_word = word.iter().all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    (mark > 0 && !word.is_empty() && is_word).then_some(&directory[..mark])
}

/// Returns the names that begin with `start`, in a sorted list.
fn starting(names: &[Vec<u8>], start: Vec<u8>) -> impl Iterator<Item = &Vec<u8>> {
    let first = names.partition_point(|name| *name < start);
    names[first..].iter().take_while(move |name| name.starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_named_after_their_pages() {
        let stem = |name: &str| {
            stem_of(name.as_bytes()).map(|stem| String::from_utf8_lossy(stem).into_owned())
        };
        for (directory, page) in [
            ("Page_files", Some("Page")),
            ("Page-Dateien", Some("Page")),
            ("Page.files", Some("Page")),
            ("a-b_\u{444}\u{430}\u{439}\u{43B}\u{44B}", Some("a-b")),
            ("docs", None),
            ("docs-v2", None),
            ("_files", None),
            ("docs_", None),
        ] {
            assert_eq!(stem(directory).as_deref(), page, "{directory}");
        }
    }
}
