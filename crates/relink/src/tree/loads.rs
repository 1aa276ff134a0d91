//! The files of a tree that its pages load, by URL, and what is known of their digests.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rewrite::FileDigests;

use crate::os::failure::Failure;
use crate::os::paths;
use crate::tree::Tree;
use crate::urls::locate::{Located, Locator};

/// A file: the number of its PATH, and its path below it.
pub type File = (usize, Vec<u8>);

/// What a run knows of the files that its pages load. Nothing is read before the first page has a
/// digest.
#[derive(Debug, Default)]
pub struct Loads {
    /// Aliases of the URL of the tree.
    aliases: Vec<String>,
    /// True if URLs are also searched for under another scheme or host.
    has_twins: bool,
    locator: OnceLock<Locator>,
    /// The digests of each file, if the run changes it.
    digests: Mutex<HashMap<File, Option<Arc<FileDigests>>>>,
    /// Files whose digests could not be computed.
    unread: Mutex<HashSet<File>>,
}

impl Loads {
    /// Returns the files of a tree whose URL has these aliases. With `has_twins`, URLs are also
    /// searched for under another scheme or host.
    pub fn new(aliases: Vec<String>, has_twins: bool) -> Self {
        Loads { aliases, has_twins, ..Loads::default() }
    }

    /// Returns the file of a tree at a URL.
    pub fn file(&self, tree: &Tree, url: &str) -> Option<File> {
        let locator = self.locator.get_or_init(|| {
            let Tree { roots, places, types, .. } = tree;
            let indexes = vec!["index.html".to_owned()];
            let mut locator =
                Locator::new(roots, places, types, indexes, &self.aliases, false, false);
            if self.has_twins {
                locator.find_twins();
            }
            locator
        });
        match locator.locate(url, true) {
            Located::File { root, path, .. } => Some((root, path)),
            _ => match locator.of_twin(url, true)? {
                Located::File { root, path, .. } => Some((root, path)),
                _ => None,
            },
        }
    }

    /// Returns the digests of a file, if the run changes it; `compute` computes them.
    ///
    /// # Errors
    ///
    /// The error of `compute`.
    pub fn digests(
        &self,
        file: File,
        compute: impl FnOnce(&File) -> Result<Option<FileDigests>, Failure>,
    ) -> Result<Option<Arc<FileDigests>>, Failure> {
        let lock = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return Ok(known.clone());
        }
        // Two threads may compute the same.
        match compute(&file) {
            Ok(digests) => Ok(lock().entry(file).or_insert(digests.map(Arc::new)).clone()),
            Err(failure) => {
                self.unread().insert(file);
                Err(failure)
            }
        }
    }

    /// Returns true if the digests of a file could not be computed. It stays then, as the page that
    /// has one of them.
    pub fn is_unread(&self, root: usize, below: &Path) -> bool {
        let unread = self.unread();
        !unread.is_empty() && unread.contains(&(root, paths::bytes(below)))
    }

    fn unread(&self) -> MutexGuard<'_, HashSet<File>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
