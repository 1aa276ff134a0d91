//! The paths of files below the output: by number, and by the identifiers of the URLs of what the
//! files contain.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::os::digest::{Short, short};
use crate::os::failure::Failure;
use crate::os::paths::os_str;
use crate::os::text_store::{Span, TextStore};

/// Paths of files. Those of millions of files are in a temporary file: see [`TextStore`].
#[derive(Debug, Default)]
pub(crate) struct Paths {
    spans: Vec<Span>,
    texts: TextStore,
}

impl Paths {
    /// Returns a number of empty paths.
    pub(crate) fn with_len(len: usize) -> Self {
        Paths { spans: vec![Span::default(); len], texts: TextStore::default() }
    }

    /// Returns the number of paths.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Sets the paths with these positions.
    pub(crate) fn set(&mut self, positions: &[usize], path: &Path) {
        let bytes = path.as_os_str().as_encoded_bytes();
        let span = self.texts.add(|texts| texts.extend_from_slice(bytes));
        positions.iter().for_each(|idx| self.spans[*idx] = span);
    }

    /// Sets a path to another one: both are one file.
    pub(crate) fn set_same(&mut self, idx: usize, original: usize) {
        self.spans[idx] = self.spans[original];
    }

    /// Returns true for each file if no earlier one is the same file.
    pub(crate) fn are_first(&self) -> Vec<bool> {
        let mut seen = HashSet::with_capacity(self.len());
        self.spans.iter().map(|span| seen.insert(*span)).collect()
    }

    /// Returns a path.
    pub(crate) fn get(&self, idx: usize) -> Cow<'_, Path> {
        match self.texts.get(self.spans[idx]) {
            Cow::Borrowed(bytes) => path_of(bytes).into(),
            Cow::Owned(bytes) => path_of(&bytes).to_owned().into(),
        }
    }

    /// Returns all paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Cow<'_, Path>> + Clone {
        (0..self.len()).map(|idx| self.get(idx))
    }

    /// Returns the error that made a path wrong: see [`TextStore::check`].
    ///
    /// # Errors
    ///
    /// [`Failure`] with the directory of the temporary file.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.texts.check()
    }
}

/// Returns the path with these bytes.
fn path_of(bytes: &[u8]) -> &Path {
    Path::new(os_str(bytes).unwrap_or_default())
}

/// Returns the identifier of a URL in a message that another one contains.
pub(crate) fn scoped(scope: usize, id: &Short) -> Short {
    short(&[&scope.to_le_bytes()[..], id].concat())
}

/// The files by the identifiers of the URLs of what they contain.
#[derive(Debug, Default)]
pub(crate) struct Files {
    by_id: HashMap<Short, u32>,
    paths: Paths,
    /// The fragments of those that are redirects, with `#`.
    fragments: HashMap<Short, String>,
    /// The URLs of what is not in a file.
    urls: HashMap<Short, String>,
}

impl Files {
    /// Returns the files with these paths, by their positions, and the fragments of redirects.
    pub(crate) fn new(
        by_id: HashMap<Short, u32>,
        fragments: HashMap<Short, String>,
        paths: Paths,
    ) -> Self {
        Files { by_id, paths, fragments, urls: HashMap::new() }
    }

    /// Returns the fragment, with `#`, to which a URL without one is redirected.
    pub(crate) fn fragment(&self, id: &Short) -> Option<&str> {
        self.fragments.get(id).map(String::as_str)
    }

    /// Adds a file; an earlier one with the same identifier stays.
    pub(crate) fn add(&mut self, id: Short, path: &Path) {
        let Ok(idx) = u32::try_from(self.paths.len()) else { return };
        if *self.by_id.entry(id).or_insert(idx) == idx {
            self.paths.spans.push(Span::default());
            self.paths.set(&[idx as usize], path);
        }
    }

    /// Adds something that is not in a file; what is there with the same identifier stays.
    pub(crate) fn add_url(&mut self, id: Short, url: &str) {
        self.urls.entry(id).or_insert_with(|| url.to_owned());
    }

    /// Returns the URL of something that is not in a file.
    pub(crate) fn url(&self, id: &Short) -> Option<&str> {
        self.urls.get(id).map(String::as_str)
    }

    /// Returns the path of the file of a URL, by its identifier.
    pub(crate) fn get(&self, id: &Short) -> Option<Cow<'_, Path>> {
        self.by_id.get(id).map(|idx| self.paths.get(*idx as usize))
    }

    /// Returns all paths.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_identifiers() {
        let (one, two) = (short(b"1"), short(b"2"));
        let mut files = Files::default();
        files.add(one, Path::new("a/\u{fc}.html"));
        files.add(one, Path::new("b.html"));
        assert_eq!(files.get(&one).as_deref(), Some(Path::new("a/\u{fc}.html")));
        assert_eq!(files.get(&two), None);

        let mut paths = Paths::with_len(3);
        paths.set(&[0, 2], Path::new("x"));
        paths.set(&[1], Path::new("y"));
        assert_eq!(paths.are_first(), [true, true, false]);
        paths.set_same(1, 0);
        assert_eq!(paths.are_first(), [true, false, false]);
        assert!(paths.iter().all(|path| *path == *Path::new("x")));
        paths.check().unwrap();
    }
}
