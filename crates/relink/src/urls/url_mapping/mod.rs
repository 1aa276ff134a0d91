//! From the path of a file to the URL that it was, or would be, retrieved from: `--base` and
//! `--map`.

pub mod error;
mod option;
pub mod page;

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use basectx::RetrievalUrl;
use rewrite::FixedRoots;

pub use self::error::{MappingError, PlaceError};
pub use self::option::MapOption;
use crate::os::messages;
use crate::os::paths;
use crate::os::paths::{Root, absolute, below};
use crate::os::store::{EntryKind, SharedStore};
use crate::urls::layout::{self, Adjusted, Layout, httrack, without_scheme};
use crate::urls::twins::without_www;

/// A directory or file whose URL is given.
#[derive(Clone, Debug)]
struct MappedPlace {
    /// Absolute, without `.` and `..`.
    path: PathBuf,
    url: RetrievalUrl,
    /// The option that gave it.
    option: &'static str,
}

impl MappedPlace {
    /// Returns the place in the form of `--map`.
    fn as_option(&self) -> String {
        format!("{}={}", self.path.display(), self.url.as_str())
    }
}

/// All places whose URL is given.
#[derive(Clone, Debug, Default)]
pub struct UrlMapping {
    /// What the paths are read from; none without paths.
    store: Option<SharedStore>,
    places: Vec<MappedPlace>,
    /// The indices of the places, by path.
    numbers: HashMap<PathBuf, usize>,
    /// The URLs of files before they were renamed, by path.
    renamed: HashMap<PathBuf, String>,
    /// The URL of standard input.
    stdin: Option<String>,
    layout: Layout,
    has_base: bool,
    /// True if the list of HTTrack gives the URLs, in which several files may have the same one.
    is_listed: bool,
    /// True if wget added an extension to the names of pages with a query.
    is_adjusted: bool,
    /// The files of which it is known: true if wget added an extension to the name.
    appended: HashMap<PathBuf, bool>,
    /// True if the URLs are assumptions, and provenance metadata in a document takes precedence.
    is_guess: bool,
}

impl UrlMapping {
    /// Creates the mapping of a run: `base` is the URL of the only path, `maps` are those of other
    /// paths. Also returns messages for the user.
    ///
    /// # Errors
    ///
    /// [`MappingError`] for an invalid URL or path.
    pub fn new(
        store: &SharedStore,
        paths: &[PathBuf],
        base: Option<&str>,
        maps: &[MapOption],
        layout: Layout,
    ) -> Result<(Self, Vec<String>), MappingError> {
        let mut places = UrlMapping { has_base: base.is_some(), ..UrlMapping::of(store, layout) };
        let mut notes = Vec::new();
        if let Some(base) = base {
            let bad_base = |reason| MappingError::Base { url: base.to_owned(), reason };
            match paths {
                [path] if path.as_os_str() == "-" => {
                    let url = page::url_of_file(base).map_err(bad_base)?;
                    places.stdin = Some(url.as_str().to_owned());
                }
                [path] => {
                    let note = places.add(path, base, "--base").map_err(bad_base)?;
                    notes.extend(note);
                }
                _ => return Err(MappingError::BaseOfSeveral),
            }
        }
        for map in maps {
            let text = || map.text.clone();
            let (path, url) =
                map.place.as_ref().ok_or_else(|| MappingError::MapSyntax { map: text() })?;
            if !paths.iter().any(|root| is_related(&absolute(root), &absolute(path))) {
                return Err(MappingError::MapOutside { map: text(), path: path.clone() });
            }
            let note = places.add(path, url, "--map");
            let note = note.map_err(|reason| MappingError::Map { map: text(), reason })?;
            notes.extend(note);
        }
        Ok((places, notes))
    }

    /// Returns the places of a mirror whose top directories are hosts; of one by HTTrack without
    /// such directories, the places of the files that its list gives a URL.
    ///
    /// # Errors
    ///
    /// [`MappingError`] if a path is not such a mirror.
    pub fn of_hosts(
        store: &SharedStore,
        paths: &[PathBuf],
        layout: Layout,
        scheme: &str,
    ) -> Result<Self, MappingError> {
        let mut places = UrlMapping::of(store, layout);
        for path in paths {
            let n_before = places.places.len();
            let shown = || path.clone();
            let names = store.names(path);
            let names = names.map_err(|error| MappingError::ListHosts { path: shown(), error })?;
            let directories = names.into_iter().filter(|(_, kind)| *kind == EntryKind::Directory);
            let mut directories: Vec<PathBuf> =
                directories.map(|(name, _)| path.join(name)).collect();
            directories.sort_unstable();
            for directory in directories {
                let name = directory.file_name().unwrap_or_default().as_encoded_bytes();
                let url = layout.host_url(name, scheme);
                let Some(Ok(url)) = url.as_deref().map(RetrievalUrl::from_directory) else {
                    continue;
                };
                let place = MappedPlace { path: absolute(&directory), url, option: "--layout" };
                let pushed = places.push(place);
                pushed.map_err(|reason| MappingError::Host { path: shown(), reason })?;
            }
            if places.places.len() == n_before && layout == Layout::Httrack {
                places.add_listed(store, path);
            }
            if places.places.len() == n_before {
                let name = Root::in_store(store, path.clone()).name();
                let is_host =
                    layout.host_url(name.as_os_str().as_encoded_bytes(), scheme).is_some();
                return Err(if is_host {
                    MappingError::OneHost { path: shown() }
                } else {
                    MappingError::NoHost { path: shown() }
                });
            }
        }
        Ok(places)
    }

    /// Adds the files of a mirror by HTTrack without directories of hosts (`-N1`): its list alone
    /// gives their URLs.
    fn add_listed(&mut self, store: &SharedStore, mirror: &Path) {
        let path = |below: &[u8]| paths::from_bytes(below).map(|below| mirror.join(below));
        let is_file = |below: &[u8]| path(below).is_some_and(|path| store.is_file(&path));
        let listed = httrack::listed(store.open(&mirror.join(httrack::LIST)).ok(), is_file);
        for (below, url) in BTreeMap::from_iter(listed) {
            let url = if url.contains("://") { url } else { format!("http://{url}") };
            let url = RetrievalUrl::from_file(&url);
            if let (Some(path), Ok(url)) = (path(&below), url) {
                let place = MappedPlace { path: absolute(&path), url, option: httrack::LIST };
                self.is_listed |= self.push(place).is_ok();
            }
        }
    }

    /// Adds the places of another mapping, except those of paths that have a URL in this one.
    pub fn complete(&mut self, others: UrlMapping) {
        for place in others.places {
            if !self.numbers.contains_key(&place.path) {
                self.numbers.insert(place.path.clone(), self.places.len());
                self.places.push(place);
            }
        }
    }

    /// Returns the places of trees as they lie on the disk.
    pub fn of_disk(roots: &[Root]) -> Self {
        let place = |root: &Root| {
            let Root::Path { typed: path, store, .. } = root else { return None };
            let path = absolute(path);
            let disk = RetrievalUrl::from_directory("file:///").ok()?;
            let names = path.components().filter_map(|component| match component {
                Component::Normal(name) => Some(name.as_encoded_bytes()),
                Component::Prefix(prefix) => Some(prefix.as_os_str().as_encoded_bytes()),
                _ => None,
            });
            let url = disk.join(names);
            let url = if store.is_directory(&path) {
                RetrievalUrl::from_directory(&url)
            } else {
                RetrievalUrl::from_file(&url)
            };
            Some(MappedPlace { path, url: url.ok()?, option: "PATH" })
        };
        let store = roots.iter().find_map(Root::store).cloned();
        let mut places = UrlMapping { store, ..UrlMapping::default() };
        // A root that is given twice is still in one place.
        roots.iter().filter_map(place).for_each(|place| drop(places.push(place)));
        places
    }

    /// Checks that the place of each URL is unambiguous: two paths must not have one URL.
    ///
    /// # Errors
    ///
    /// [`MappingError::Overlap`] with both paths.
    pub fn check_overlaps(&self) -> Result<(), MappingError> {
        let two = |a: &MappedPlace, b: &MappedPlace| {
            let (first, second, url) = (a.as_option(), b.as_option(), b.url.as_str().to_owned());
            Err(MappingError::Overlap { first, second, url })
        };
        if self.is_listed {
            return Ok(());
        }
        let mut roots = FixedRoots::default();
        // The outer ones first, so that the inner ones find them.
        let mut places: Vec<&MappedPlace> = self.places.iter().collect();
        places.sort_by_key(|place| place.url.as_str().len());
        for place in &places {
            if let Some((outer, rest)) = roots.find(place.url.as_str()) {
                let rest = rest.split('?').next().unwrap_or_default().trim_matches('/');
                let names = layout::decoded(rest);
                let taken = std::str::from_utf8(&names).map(|rest| places[outer].path.join(rest));
                if rest.is_empty() || taken.is_ok_and(|path| path != place.path && self.has(&path))
                {
                    return two(places[outer], place);
                }
            }
            roots.add(place.url.as_str(), []);
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        url: &str,
        option: &'static str,
    ) -> Result<Option<String>, PlaceError> {
        // A path that does not exist is reported when it is walked.
        let (url, note) = if self.is_directory(path) {
            page::url_of_directory(url)?
        } else {
            (page::url_of_file(url)?, None)
        };
        let note = note.map(|note| messages::of_path(path, &note));
        self.push(MappedPlace { path: absolute(path), url, option })?;
        Ok(note)
    }

    fn push(&mut self, place: MappedPlace) -> Result<(), PlaceError> {
        if let Some(other) = self.numbers.insert(place.path.clone(), self.places.len()) {
            let first = self.places[other].as_option();
            return Err(PlaceError::TwoUrls { first, second: place.as_option() });
        }
        self.places.push(place);
        Ok(())
    }

    /// Returns the URL of a file, and the option that gives it: that of the longest path that
    /// contains the file.
    pub fn url_of(&self, path: &Path) -> Option<(String, &'static str)> {
        let path = absolute(path);
        match self.renamed.get(&path) {
            Some(url) => Some((url.clone(), "--from-git")),
            None => self.url_if(&path, self.appended.get(&path).copied()),
        }
    }

    /// As [`UrlMapping::url_of`], for the name that a file has now.
    pub fn url_by_path(&self, path: &Path) -> Option<(String, &'static str)> {
        let path = absolute(path);
        let own = self.appended.get(&path).copied();
        self.url_if(&path, own)
    }

    /// As [`UrlMapping::url_by_path`], for an absolute path, if it is known that wget added an
    /// extension to its name, or that it did not.
    pub fn url_if(&self, path: &Path, is_appended: Option<bool>) -> Option<(String, &'static str)> {
        let place = match &self.places[..] {
            // There is nothing to choose from.
            [only] => only,
            _ => &self.places[*path.ancestors().find_map(|around| self.numbers.get(around))?],
        };
        let names: Vec<&[u8]> = below(path, &place.path)?
            .components()
            .map(|name| name.as_os_str().as_encoded_bytes())
            .collect();
        let programs = !self.is_beside_program(path, &names);
        let adjusted = Adjusted { queries: self.is_adjusted, programs, own: is_appended };
        Some((self.layout.url(&place.url, &names, adjusted), place.option))
    }

    /// Sets the URL that a file had before it was renamed.
    pub fn add_renamed(&mut self, path: &Path, url: &str) {
        let path = absolute(path);
        if let Ok(url) = RetrievalUrl::from_file(url) {
            self.renamed.insert(path, url.as_str().to_owned());
        }
    }

    /// Removes the extension that wget added to the names of pages with a query from their URLs.
    pub fn adjust(&mut self) {
        self.is_adjusted = true;
    }

    /// Sets that wget added an extension to the name of a file, or that it did not.
    pub fn set_appended(&mut self, path: &Path, is_appended: bool) {
        self.appended.insert(absolute(path), is_appended);
    }

    /// Returns true if wget added an extension to the names of pages with a query.
    pub fn is_adjusted(&self) -> bool {
        self.is_adjusted
    }

    /// Marks the URLs as assumptions.
    pub fn guess(&mut self) {
        self.is_guess = true;
    }

    /// Returns true if the URLs are only assumptions.
    pub fn is_guess(&self) -> bool {
        self.is_guess
    }

    /// Returns true if `--base` gives the URL of the only PATH.
    pub fn has_base(&self) -> bool {
        self.has_base
    }

    /// Returns the layout of the tree.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the directories that have URLs. For a PATH that is a single file, it is the
    /// directory that contains it.
    pub fn directories(&self, roots: &[Root]) -> Vec<(PathBuf, RetrievalUrl)> {
        let directory = |place: &MappedPlace| match self.is_directory(&place.path) {
            true => Some((place.path.clone(), place.url.clone())),
            false if is_root(&place.path, roots) => {
                let directory = place.path.parent().unwrap_or(&place.path);
                Some((directory.to_owned(), place.url.directory()?))
            }
            false => None,
        };
        self.places.iter().filter_map(directory).collect()
    }

    /// Returns the files that have URLs of their own.
    pub fn files(&self, roots: &[Root]) -> Vec<(&Path, &str)> {
        let is_file =
            |place: &&MappedPlace| !self.is_directory(&place.path) && !is_root(&place.path, roots);
        self.places.iter().filter(is_file).map(|place| (&*place.path, place.url.as_str())).collect()
    }

    /// Returns the aliases of the URL of a directory.
    pub fn other_names(&self, url: &RetrievalUrl, same_as: &[String]) -> Vec<String> {
        if !self.layout.has_hosts() {
            return same_as.to_vec();
        }
        let mut names = other_schemes(url.as_str());
        for alias in same_as.iter().filter(|alias| self.is_alias(alias, url)) {
            names.extend(std::iter::once(alias.clone()).chain(other_schemes(alias)));
        }
        names
    }

    /// Returns true if an alias may be declared: `--base` gives the URL of the tree, or the alias
    /// is that of a host of a mirror.
    pub fn has_alias(&self, alias: &str) -> bool {
        self.has_base || self.places.iter().any(|place| self.is_alias(alias, &place.url))
    }

    /// Returns true if a URL is an alias of that of a directory: in a mirror of several hosts, of
    /// the same host with or without `www.`.
    fn is_alias(&self, alias: &str, url: &RetrievalUrl) -> bool {
        let host = |url: &str| {
            let (origin, _) = rewrite::site(url)?;
            Some(without_www(without_scheme(&origin)).to_owned())
        };
        let is_only = self.places.len() == 1;
        self.has_base || (self.layout.has_hosts() && (is_only || host(alias) == host(url.as_str())))
    }

    /// Returns the URLs of the directories that have one. With a single file, all of its site is in
    /// the tree.
    pub fn roots(&self, paths: &[Root], same_as: &[String]) -> FixedRoots {
        let mut roots = FixedRoots::default();
        for place in &self.places {
            let is_file = !self.is_directory(&place.path) && !is_root(&place.path, paths);
            let url = if is_file { place.url.as_str().to_owned() } else { place.url.root() };
            roots.add(&url, self.other_names(&place.url, same_as));
        }
        if let Some(url) = &self.stdin {
            let root = RetrievalUrl::from_file(url).map_or_else(|_| url.clone(), |url| url.root());
            roots.add(&root, same_as.to_vec());
        }
        roots
    }

    /// Returns the URL of standard input.
    pub fn url_of_stdin(&self) -> Option<&str> {
        self.stdin.as_deref()
    }

    /// Returns a mapping without places.
    fn of(store: &SharedStore, layout: Layout) -> Self {
        UrlMapping { store: Some(store.clone()), layout, ..UrlMapping::default() }
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.store.as_ref().is_some_and(|store| store.is_directory(path))
    }

    fn has(&self, path: &Path) -> bool {
        self.store.as_ref().is_some_and(|store| store.target(path).is_ok())
    }

    /// Returns true if a page that has the name of the output of a program is next to that output
    /// itself: then the name is its own.
    fn is_beside_program(&self, path: &Path, names: &[&[u8]]) -> bool {
        let program = names.last().and_then(|name| layout::program(name));
        let beside = program.and_then(paths::os_str).map(|name| path.with_file_name(name));
        beside.zip(self.store.as_ref()).is_some_and(|(path, store)| store.is_file(&path))
    }

    /// Returns true if no URL is given.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.stdin.is_none()
    }
}

fn is_related(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn is_root(path: &Path, roots: &[Root]) -> bool {
    roots.iter().any(|root| root.path().is_some_and(|root| absolute(root) == path))
}

/// Returns the URLs of the same directory with other schemes: the directories of a mirror do not
/// distinguish schemes.
pub fn other_schemes(url: &str) -> Vec<String> {
    let rest = without_scheme(url);
    let schemes = ["http", "https", "ftp"].into_iter().map(|scheme| format!("{scheme}://{rest}"));
    schemes.filter(|other| other != url).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::store::memory::Memory;

    #[test]
    fn the_longest_path_wins() {
        let root = PathBuf::from("/tree");
        let store = SharedStore::new(Memory::from_iter([("/tree/index.html", "")]));
        let maps = [MapOption::new(root.join("a/b"), "http://sub/s".to_owned())];
        let (places, notes) = UrlMapping::new(
            &store,
            std::slice::from_ref(&root),
            Some("http://h"),
            &maps,
            Layout::Plain,
        )
        .unwrap();
        assert_eq!(notes.len(), 1);
        let url = |path: &str| places.url_of(&root.join(path)).map(|(url, _)| url);
        assert_eq!(url("a/c d.html").as_deref(), Some("http://h/a/c%20d.html"));
        assert_eq!(url("x/../a/b").as_deref(), Some("http://sub/s"));
        assert_eq!(url("a/bc").as_deref(), Some("http://h/a/bc"));
        assert_eq!(places.url_of(Path::new("/")), None);
    }
}
