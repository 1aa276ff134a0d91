//! From the names in a list of renames to URLs: a name is a URL, a path from the root of the site,
//! or a path below PATH.

use std::path::{Path, PathBuf};

use basectx::RetrievalUrl;
use rewrite::FixedRoots;
use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference, Resolver};

use super::error::RenameError;
use super::error::RenamePlace;
use crate::os::paths::{self, Root};
use crate::os::store::EntryKind;
use crate::urls::url_mapping::UrlMapping;

/// The reason why a name without a URL is refused.
const NEEDS_URL: &str = "the URL of the tree is unknown; use `--base URL` to set it";

/// The tree whose pages are renamed.
pub struct RenamedTree<'t> {
    roots: &'t [Root],
    places: &'t UrlMapping,
    /// The URLs of its directories.
    urls: &'t FixedRoots,
    /// The URL of the first PATH, as that of a directory.
    base: Option<String>,
    /// The old and new URLs of directories that move after the renames.
    moves: &'t [(String, String)],
}

/// A name in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its URL, in the spelling in which URLs are compared; of a directory, without its final
    /// slash.
    pub url: String,
    /// True for a directory.
    pub is_directory: bool,
}

impl<'t> RenamedTree<'t> {
    /// Creates the names of a tree, whose directories move after the renames.
    pub fn new(
        roots: &'t [Root],
        places: &'t UrlMapping,
        urls: &'t FixedRoots,
        moves: &'t [(String, String)],
    ) -> Self {
        let base = roots.first().and_then(|root| match root {
            Root::Stdin => places.url_of_stdin().map(str::to_owned),
            Root::Path { typed, real, store, .. } => {
                let (url, _) = places.url_of(typed)?;
                if store.is_directory(real) {
                    Some(RetrievalUrl::from_directory(&url).ok()?.as_str().to_owned())
                } else {
                    Some(url)
                }
            }
        });
        RenamedTree { roots, places, urls, base, moves }
    }

    /// Returns the name of a page or directory that exists before the renames.
    ///
    /// # Errors
    ///
    /// [`RenameError::Name`] if it is neither a path nor a URL.
    pub fn old(&self, text: &str, place: &RenamePlace) -> Result<Name, RenameError> {
        let text_of_url = || {
            let is_below = !text.starts_with('/') && !text.contains(['?', '#']);
            let path = text.strip_prefix("./").unwrap_or(text);
            is_below.then(|| percent_decode(path).into_owned())
        };
        let found = self.of_file(text.as_bytes());
        let found = found.or_else(|| self.of_file(&text_of_url()?));
        if let Some((url, is_directory)) = found {
            return Ok(self.existing(&url, is_directory));
        }
        self.name(text, place)
    }

    /// Returns the name of a page or directory that exists after the renames. A list may also have
    /// the URL that it has after the move.
    ///
    /// # Errors
    ///
    /// As those of [`RenamedTree::old`].
    pub fn new_name(&self, text: &str, place: &RenamePlace) -> Result<Name, RenameError> {
        let name = self.name(text, place)?;
        if Reference::split(text, Dialect::Web).scheme().is_none() {
            return Ok(name);
        }
        let mut to = FixedRoots::default();
        for (_, new) in self.moves {
            to.add(new, []);
        }
        let old = to.find(&name.url).map(|(idx, rest)| {
            let from = &self.moves[idx].0;
            format!("{}{rest}", from.strip_suffix('/').unwrap_or(from))
        });
        // What is below both is read as every name is.
        let is_old = self.urls.find(&name.url).is_some();
        let url = old.filter(|_| !is_old).map(|url| self.urls.canonical(&url));
        Ok(Name { url: url.unwrap_or(name.url), ..name })
    }

    /// Returns the name of a page or directory, by its URL before the move.
    fn name(&self, text: &str, place: &RenamePlace) -> Result<Name, RenameError> {
        let wrong = |reason| {
            let (place, name) = (place.clone(), text.to_owned());
            RenameError::Name { place, name, reason }
        };
        if text.contains('#') {
            return Err(wrong("it has a fragment, and a page is renamed; write # as %23"));
        }
        let resolved = |base: &str, text: &str| {
            let resolver = Resolver::new(base, Dialect::Web).ok()?;
            resolver.resolve(text).ok()?.url()
        };
        let reference = Reference::split(text, Dialect::Web);
        let url = match reference.scheme() {
            Some(_) => RetrievalUrl::from_file(text).ok().map(|url| url.as_str().to_owned()),
            None => {
                let base = self.base.as_deref().or_else(|| self.places.url_of_stdin());
                match self.of_path(text) {
                    Some(url) => Some(url),
                    None => resolved(base.ok_or_else(|| wrong(NEEDS_URL))?, text),
                }
            }
        };
        let url = self.urls.canonical(&url.ok_or_else(|| wrong("it is not a URL"))?);
        match url.strip_suffix('/') {
            Some(directory) if !url.contains('?') => {
                Ok(Name { url: directory.to_owned(), is_directory: true })
            }
            _ => Ok(Name { url, is_directory: false }),
        }
    }

    /// Returns the names of a file or directory below the first PATH, before and after it is
    /// renamed. `is_done` is true if it has its new name already.
    ///
    /// # Errors
    ///
    /// [`RenameError::Name`] if the tree has no URL.
    pub fn pair(
        &self,
        old: &Path,
        new: &Path,
        is_done: bool,
        place: &RenamePlace,
    ) -> Result<(Name, Name), RenameError> {
        let (root, store) = (self.roots.first(), self.roots.first().and_then(Root::store));
        let root = root.and_then(Root::directory);
        let path = |below: &Path| root.as_ref().map(|root| root.join(below));
        let now = path(if is_done { new } else { old }).zip(store);
        let is_directory = now.is_some_and(|(path, store)| store.is_directory(&path));
        let name = |below: &Path| {
            let url = path(below).and_then(|path| self.places.url_by_path(&path));
            let (url, _) = url.ok_or_else(|| RenameError::Name {
                place: place.clone(),
                name: below.display().to_string(),
                reason: NEEDS_URL,
            })?;
            Ok(self.existing(&url, is_directory))
        };
        Ok((name(old)?, name(new)?))
    }

    /// Returns the name of a file or directory by its URL. That of a page that a server shows for
    /// its directory ends with a slash, which stays.
    fn existing(&self, url: &str, is_directory: bool) -> Name {
        let url = self.urls.canonical(url);
        match url.strip_suffix('/').filter(|_| is_directory) {
            Some(directory) => Name { url: directory.to_owned(), is_directory },
            None => Name { url, is_directory },
        }
    }

    /// Returns the URL of the file or directory of the tree that has exactly this name.
    fn of_file(&self, name: &[u8]) -> Option<(String, bool)> {
        let below = paths::from_bytes(name.strip_suffix(b"/").unwrap_or(name))?;
        self.roots.iter().find_map(|root| {
            let path = root.directory()?.join(&below);
            let is_directory = root.store()?.kind(&path).ok()? == EntryKind::Directory;
            let (url, _) = self.places.url_of(&path)?;
            Some((url, is_directory))
        })
    }

    /// Returns the URL of a path below PATH in a mirror, whose top directories are hosts.
    fn of_path(&self, text: &str) -> Option<String> {
        if !self.places.layout().has_hosts() || text.starts_with('/') {
            return None;
        }
        let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let is_directory = path.ends_with('/');
        let decoded = percent_decode(path.strip_suffix('/').unwrap_or(path));
        let below: PathBuf = paths::from_bytes(&decoded)?;
        let root: &Path = self.roots.first()?.path()?;
        let (mut url, _) = self.places.url_of(&root.join(below))?;
        if is_directory && !url.ends_with('/') {
            url.push('/');
        }
        url.push_str(query);
        Some(url)
    }
}
