//! How the targets of references are located in a tree, and the result of that.

use std::sync::Arc;

use urlcore::escape::encode_path_segment;

use crate::os::paths;
use crate::os::paths::Root;

/// The URL of the tree if references point to files. Any URL would do, because only relative
/// references are written.
const TREE: &str = "file:///tree/";

/// The result of locating a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// This file of this PATH.
    File {
        /// Number of the PATH.
        root: usize,
        /// Path below it.
        path: Arc<[u8]>,
        /// True if the query is not part of the name.
        keeps_query: bool,
    },
    /// A directory without an index file.
    Directory {
        /// Number of the PATH.
        root: usize,
        /// Path below it, with a slash at its end.
        path: Arc<[u8]>,
    },
    /// A file that does not exist.
    Missing {
        /// Number of the PATH.
        root: usize,
        /// The path that it would have.
        path: Arc<[u8]>,
    },
    /// Something else.
    Outside,
}

/// How files are found by URLs, and where they are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocatorOptions<'o> {
    /// Names of the files that are shown for directories, besides `index.html`.
    pub indexes: &'o [String],
    /// Aliases of the URL of the only PATH.
    pub aliases: &'o [String],
    /// How names in other letter case are found.
    pub letter_case: LetterCase,
    /// Where the PATHs are written.
    pub placement: Placement,
    /// True if `about.html` is found for `about` and `about/`. In a mirror, it always is.
    pub has_clean_urls: bool,
    /// True if a URL without a file is also found under another scheme or host, in a mirror of
    /// hosts.
    pub has_twins: bool,
    /// True if a server shows the files: references lead to directories, not to their index files.
    pub has_server: bool,
}

/// How names in other letter case are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LetterCase {
    /// Not at all.
    #[default]
    Exact,
    /// As what may have been meant.
    Folded,
}

/// Where the PATHs of a run are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Each stays where it is.
    #[default]
    InPlace,
    /// Each of several has a directory of its own in the output, and single files are side by side.
    Together,
}

impl LocatorOptions<'_> {
    /// Returns the names of all index files.
    pub fn indexes(&self) -> Vec<String> {
        const INDEX: &str = "index.html";
        let own = (!self.indexes.iter().any(|name| name == INDEX)).then(|| INDEX.to_owned());
        self.indexes.iter().cloned().chain(own).collect()
    }
}

impl Placement {
    /// Returns the URL of each PATH in its place.
    pub fn trees(self, roots: &[Root]) -> Vec<String> {
        let tree = |root: &Root| {
            let mut url = TREE.to_owned();
            let Root::Path { typed: path, store, .. } = root else { return url };
            let names = match (roots.len(), self) {
                (1, _) => Vec::new(),
                (_, Placement::Together) if store.is_directory(path) => {
                    root.name().as_os_str().as_encoded_bytes().to_vec()
                }
                (_, Placement::Together) => Vec::new(),
                (_, Placement::InPlace) => {
                    let directory = root.directory().unwrap_or_default();
                    paths::bytes(directory.strip_prefix("/").unwrap_or(path))
                }
            };
            for name in names.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
                encode_path_segment(name, &mut url);
                url.push('/');
            }
            url
        };
        roots.iter().map(tree).collect()
    }
}
