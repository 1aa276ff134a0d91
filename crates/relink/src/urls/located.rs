//! How the targets of references are located in a tree, and the result of that.

/// The result of locating a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// This file of this PATH.
    File {
        /// Number of the PATH.
        root: usize,
        /// Path below it.
        path: Vec<u8>,
        /// True if the query is not part of the name.
        keeps_query: bool,
    },
    /// A directory without an index file.
    Directory {
        /// Number of the PATH.
        root: usize,
        /// Path below it, with a slash at its end.
        path: Vec<u8>,
    },
    /// A file that does not exist.
    Missing {
        /// Number of the PATH.
        root: usize,
        /// The path that it would have.
        path: Vec<u8>,
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
