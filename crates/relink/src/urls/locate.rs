//! From the target of a reference to its file, by the layout of the tree.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rewrite::{FixedRoots, TargetLocation, TargetMap};
use urlcore::escape::encode_path_segment;

use crate::files::existing::Files;
use crate::files::media::Types;
use crate::files::walk::Entry;
use crate::os::memo::Memo;
use crate::os::paths;
use crate::os::paths::Root;
use crate::urls::directory_index::DirectoryIndex;
use crate::urls::layout::{self, Layout};
pub use crate::urls::located::{LetterCase, Located, LocatorOptions, Placement};
use crate::urls::origins::Origins;
use crate::urls::renames::files::FileRenames;
use crate::urls::twins::twins;
use crate::urls::url_mapping::UrlMapping;

/// The place in the tree of a directory that has a URL.
#[derive(Clone, Debug)]
struct DirectoryPlace {
    /// The number of its PATH.
    root: usize,
    /// Its path below the PATH, with a slash at its end; or empty.
    inner: Vec<u8>,
    /// If it contains its PATH: the path from it to the PATH, with a slash at its end.
    outer: Vec<u8>,
}

/// Finds files by URLs.
#[derive(Debug)]
pub struct Locator {
    layout: Layout,
    /// Names of the files that are shown for directories.
    indexes: Vec<String>,
    roots: FixedRoots,
    /// The places of `roots`, by their numbers.
    directories: Vec<DirectoryPlace>,
    /// The existing files.
    pub files: Files,
    /// For each PATH, its URL if references point to files.
    trees: Vec<String>,
    /// The numbers of the directories, by PATH and by their path below it.
    inner: DirectoryIndex,
    /// Files that have URLs of their own, by these.
    own: HashMap<String, (usize, Vec<u8>)>,
    /// The same files.
    apart: HashSet<(usize, Vec<u8>)>,
    /// True if no name in the tree has a capital letter.
    is_lowercase: bool,
    /// True if a server shows `about.html` for `about` and `about/`.
    has_clean_urls: bool,
    /// The URLs that were recorded for files.
    origins: Origins,
    /// True if URLs are also searched for under another scheme or host.
    has_twins: bool,
    /// The names of the files in the output.
    renames: Arc<FileRenames>,
    /// True if a server shows the files: a reference to an index file is one to its directory.
    has_server: bool,
    /// What was located, the directories of URLs, and the files at URLs of the output.
    located: Memo<Located>,
    places: Memo<Option<(usize, usize)>>,
    at_urls: Memo<Option<(usize, Arc<[u8]>)>>,
}

impl Locator {
    /// Reads the names of all files.
    pub fn new(
        roots: &[Root],
        places: &UrlMapping,
        types: &Types,
        options: LocatorOptions<'_>,
    ) -> Self {
        let layout = places.layout();
        let mut locator = Locator {
            layout,
            indexes: options.indexes(),
            roots: FixedRoots::default(),
            directories: Vec::new(),
            files: Files::read(roots, options.letter_case == LetterCase::Folded),
            trees: options.placement.trees(roots),
            inner: DirectoryIndex::new(roots.len()),
            own: HashMap::new(),
            apart: HashSet::new(),
            is_lowercase: false,
            has_clean_urls: options.has_clean_urls || layout != Layout::Plain,
            origins: Origins::default(),
            has_twins: options.has_twins && layout.has_hosts() && !places.has_base(),
            renames: Arc::default(),
            has_server: options.has_server,
            located: Memo::default(),
            places: Memo::default(),
            at_urls: Memo::default(),
        };
        let has_capital = |name: &[u8]| name.iter().any(u8::is_ascii_uppercase);
        locator.is_lowercase = locator.layout == Layout::Wget
            && !(0..roots.len())
                .any(|root| locator.files.sorted(root).into_iter().any(has_capital));
        for (path, url) in places.directories(roots) {
            let directories =
                roots.iter().enumerate().filter_map(|(idx, root)| place_of(idx, root, &path));
            for directory in directories {
                locator.roots.add(url.as_str(), places.other_names(&url, options.aliases));
                locator.inner.add(directory.root, &directory.inner, locator.directories.len());
                locator.directories.push(directory);
            }
        }
        for (path, url) in places.files(roots) {
            for (idx, root) in roots.iter().enumerate() {
                let Some(directory) = root.directory() else { continue };
                if let Ok(below) = path.strip_prefix(directory) {
                    let file = (idx, paths::bytes(below));
                    locator.own.entry(url.to_owned()).or_insert_with(|| file.clone());
                    locator.apart.insert(file);
                }
            }
        }
        if locator.layout != Layout::Plain {
            let is_known = |url: &str| locator.knows(url);
            locator.origins = Origins::read(roots, places, types, &locator.files, is_known);
        }
        locator
    }

    /// Returns the URL that was recorded for a file.
    pub fn origin_of(&self, root: usize, below: &[u8]) -> Option<&str> {
        self.origins.url(root, below)
    }

    /// Returns true if URLs were recorded for files.
    pub fn has_origins(&self) -> bool {
        self.origins.has_any()
    }

    /// Returns the names of the files that are shown for directories.
    pub fn indexes(&self) -> &[String] {
        &self.indexes
    }

    /// Finds no index files for directories, as on a disk.
    pub fn forget_indexes(&mut self) {
        self.indexes.clear();
        self.located = Memo::default();
    }

    /// Returns true if a server shows the files.
    pub fn has_server(&self) -> bool {
        self.has_server
    }

    /// Remembers no more than `n_places` results of each kind.
    #[cfg(test)]
    pub fn remembering(mut self, n_places: usize) -> Self {
        self.located = Memo::with_places(n_places);
        self.places = Memo::with_places(n_places);
        self.at_urls = Memo::with_places(n_places);
        self
    }

    /// Gives files other names in the output.
    pub fn rename(&mut self, renames: Arc<FileRenames>) {
        self.renames = renames;
        self.at_urls = Memo::default();
    }

    /// Ignores the URLs that were recorded for files.
    pub fn forget_origins(&mut self) {
        self.origins = Origins::default();
        self.located = Memo::default();
    }

    /// Returns the file that a target identifies. With `guesses`, also one that neither a server
    /// nor a browser would find, because another program changed its name.
    pub fn locate(&self, target: &str, guesses: bool) -> Located {
        let target = target.split('#').next().unwrap_or_default();
        let search = || self.search(target, guesses);
        self.located.get(guesses.into(), target, search, Located::clone)
    }

    /// Finds the file that a target without a fragment identifies.
    fn search(&self, target: &str, guesses: bool) -> Located {
        let own = self.own.get(target).or_else(|| self.origins.file(target));
        if let Some((root, path)) = own {
            let path = Arc::from(&**path);
            return Located::File { root: *root, path, keeps_query: false };
        }
        let Some((idx, rest)) = self.place(target) else { return Located::Outside };
        let directory = &self.directories[idx];
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        let url_path = path.strip_prefix('/').unwrap_or(path);
        let root = directory.root;
        let mut likeliest = None;
        // In a mirror, a page with a query is another page.
        let is_page = query.is_none() || self.layout == Layout::Plain;
        let clean =
            (self.has_clean_urls && is_page).then(|| layout::of_clean_url(url_path)).flatten();
        for name in self.layout.names(url_path, query, &self.indexes).into_iter().chain(clean) {
            if (name.is_guess && !guesses) || (name.is_lowered && !self.is_lowercase) {
                continue;
            }
            let Some(path) = self.below(idx, &name.path) else { continue };
            if self.files.has_file(root, &path) && !self.is_of_other_page(idx, url_path, &path) {
                let keeps_query = name.keeps_query && query.is_some();
                return Located::File { root, path: path.into(), keeps_query };
            }
            likeliest.get_or_insert(path);
        }
        let Some(likeliest) = likeliest else { return Located::Outside };
        match self.directory_at(idx, url_path).filter(|_| is_page) {
            Some((root, path)) => Located::Directory { root, path: path.into() },
            None => Located::Missing { root, path: likeliest.into() },
        }
    }

    /// Returns the file of a twin of a target that has none.
    pub fn of_twin(&self, target: &str, guesses: bool) -> Option<Located> {
        let twins = self.has_twins.then(|| twins(target)).into_iter().flatten();
        twins
            .map(|url| self.locate(&url, guesses))
            .find(|located| matches!(located, Located::File { .. }))
    }

    /// Returns true if a file with a name that the page of the directory `idx` at `path` may have
    /// was named for another page, whose URL was recorded. The answer of a redirect has the name of
    /// the URL that redirected.
    fn is_of_other_page(&self, idx: usize, path: &str, file: &[u8]) -> bool {
        let own = self.origins.url(self.directories[idx].root, file);
        let Some((own_idx, own)) = own.and_then(|own| self.roots.find(own)) else { return false };
        let (own, query) = match own.split_once('?') {
            Some((own, query)) => (own, Some(query)),
            None => (own, None),
        };
        let own = own.strip_prefix('/').unwrap_or(own);
        if idx == own_idx && page_of(own) == page_of(path) {
            // The answer to `blog/` is `blog/index.html`, that of a redirect from it too.
            let is_inside = || {
                let directory = self.below(idx, &layout::decoded(path));
                directory.is_none_or(|directory| file.starts_with(&directory))
            };
            return path.ends_with('/') && !own.ends_with('/') && !is_inside();
        }
        if self.layout == Layout::Httrack {
            // HTTrack has also written the names of the files themselves into its pages.
            return self.below(idx, &layout::decoded(path)).is_none_or(|path| path != file);
        }
        let mut names = self.layout.names(own, query, &self.indexes).into_iter();
        names.any(|name| self.below(own_idx, &name.path).is_some_and(|path| path == file))
    }

    /// Returns true if a URL is in the tree, whether or not a file exists there.
    pub fn knows(&self, url: &str) -> bool {
        self.place(url).is_some()
    }

    /// Returns the rest of a URL after the innermost directory of the tree that contains it.
    pub fn rest<'u>(&self, url: &'u str) -> Option<&'u str> {
        self.place(url).map(|(_, rest)| rest)
    }

    /// Returns the number of the innermost directory that contains a URL, and the rest of the URL.
    fn place<'u>(&self, url: &'u str) -> Option<(usize, &'u str)> {
        let find = || self.roots.find(url).map(|(idx, rest)| (idx, url.len() - rest.len()));
        let (idx, start) = self.places.get(0, url, find, |found| *found)?;
        Some((idx, &url[start..]))
    }

    /// Returns the directory that a target identifies, with a slash at its end.
    fn directory(&self, target: &str) -> Option<(usize, Vec<u8>)> {
        let (idx, rest) = self.place(target)?;
        let path = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
        self.directory_at(idx, path.strip_prefix('/').unwrap_or(path))
    }

    /// Returns the directory at `path` below the directory `idx`, with a slash at its end.
    fn directory_at(&self, idx: usize, path: &str) -> Option<(usize, Vec<u8>)> {
        let directory = &self.directories[idx];
        let mut name = layout::decoded(path);
        if !name.is_empty() && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let path = self.below(idx, &name)?;
        self.files.has_directory(directory.root, &path).then_some((directory.root, path))
    }

    /// Returns the URL of a file of the tree if references point to files.
    pub fn new_url(&self, entry: &Entry) -> String {
        self.page_url(entry.root, &paths::bytes(&entry.below))
    }

    /// Returns the URL of a file as a reference to it is written: of an index file, that of its
    /// directory, if a server shows the files.
    fn page_url(&self, root: usize, below: &[u8]) -> String {
        let mut url = self.file_url(root, below);
        if self.has_server && url.ends_with("/index.html") {
            url.truncate(url.len() - "index.html".len());
        }
        url
    }

    /// Returns the URL, if references point to files, of the innermost directory around an entry
    /// that has a URL of its own, such as that of its host. A relative base that leads out of it
    /// does so only on the disk.
    pub fn new_root(&self, entry: &Entry) -> String {
        let below = paths::bytes(&entry.below);
        let inner = self.inner.innermost(entry.root, &below);
        let len = inner.map_or(0, |(_, len)| len);
        self.file_url(entry.root, &below[..len])
    }

    fn file_url(&self, root: usize, below: &[u8]) -> String {
        let mut url = self.trees[root].clone();
        let renamed = paths::from_bytes(below)
            .map(|path| self.renames.new_path(root, &path).to_owned())
            .map(|path| paths::bytes(&path))
            .filter(|_| !self.renames.is_empty() && !below.ends_with(b"/"));
        let below = renamed.as_deref().unwrap_or(below);
        for (idx, name) in below.split(|byte| *byte == b'/').enumerate() {
            if idx > 0 {
                url.push('/');
            }
            encode_path_segment(name, &mut url);
        }
        url
    }
}

impl TargetMap for Locator {
    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        self.rest(url)
    }

    fn moved(&self, target: &str, is_directory: bool, new: &mut String) -> TargetLocation {
        let (document, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let query = document.find('?').map_or("", |mark| &document[mark..]);
        if is_directory && let Some((root, path)) = self.directory(document) {
            new.push_str(&self.file_url(root, &path));
            return TargetLocation::Inside;
        }
        let located = self.locate(document, true);
        let twin = match located {
            Located::File { .. } => None,
            _ => self.of_twin(document, true),
        };
        let found = if twin.is_some() { TargetLocation::Twin } else { TargetLocation::Inside };
        let (root, path, keeps_query, moved) = match twin.unwrap_or(located) {
            Located::File { root, path, keeps_query } => (root, path, keeps_query, found),
            Located::Directory { root, path } => (root, path, true, TargetLocation::Missing),
            Located::Missing { root, path } => (root, path, false, TargetLocation::Missing),
            Located::Outside => return TargetLocation::Outside,
        };
        new.push_str(&self.page_url(root, &path));
        if keeps_query {
            new.push_str(query);
        }
        new.push_str(fragment);
        moved
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        // No reference of the web leads to the directory of another host: at the root, `..` has no
        // effect.
        let is_crossing = self.layout.has_hosts() && self.is_other_host(new, from);
        let file = self.file_at(new).filter(|file| is_crossing || self.has_query(file, new, from));
        match file {
            // It has the name of before.
            Some((root, below)) if self.is_renamed(root, &below) => {
                let end = new.find(['?', '#']).unwrap_or(new.len());
                Some(self.page_url(root, &below) + &new[end..])
            }
            Some(_) => Some(new.to_owned()),
            None => is_crossing.then(|| new.to_owned()),
        }
    }

    fn trusts_paths(&self) -> bool {
        // HTTrack has written all of them.
        self.layout == Layout::Httrack
    }
}

impl Locator {
    /// Returns true if a file has another name in the output.
    fn is_renamed(&self, root: usize, below: &[u8]) -> bool {
        let path = paths::from_bytes(below).filter(|_| !self.renames.is_empty());
        path.is_some_and(|path| self.renames.new_path(root, &path) != path)
    }

    /// Returns the file of the tree at a URL, if references point to files. If files are renamed,
    /// it may have either name.
    pub fn file_at(&self, new: &str) -> Option<(usize, Arc<[u8]>)> {
        self.at_urls.get(0, new, || self.search_at(new), Option::clone)
    }

    fn search_at(&self, new: &str) -> Option<(usize, Arc<[u8]>)> {
        let path = new.split('#').next().unwrap_or_default();
        // The query is part of the name, escaped; HTTrack leaves it after the name.
        if path.contains('?') && self.layout.has_queries() {
            return None;
        }
        let path = path.split('?').next().unwrap_or_default();
        self.trees.iter().enumerate().find_map(|(root, tree)| {
            let new = layout::decoded(path.strip_prefix(&**tree)?);
            let new = if self.has_server && (new.is_empty() || new.ends_with(b"/")) {
                [&*new, b"index.html"].concat()
            } else {
                new
            };
            let old = paths::from_bytes(&new).and_then(|new| self.renames.old_path(root, &new));
            let below = old.map_or(new, paths::bytes);
            self.files.has_file(root, &below).then(|| (root, below.into()))
        })
    }

    /// Returns false if a URL is that of the document at `from`, or of a directory of a mirror,
    /// with another query than the page has: that is another page. No program writes such paths.
    fn has_query(&self, (root, path): &(usize, Arc<[u8]>), new: &str, from: &str) -> bool {
        let parts = |url: &str| {
            let url = url.split('#').next().unwrap_or_default();
            let (path, query) = url.split_once('?').unzip();
            (path.unwrap_or(url).to_owned(), query.map(str::to_owned))
        };
        let ((new, query), (from, _)) = (parts(new), parts(from));
        let own = || self.origin_of(*root, path).and_then(|own| parts(own).1);
        let is_directory = self.layout != Layout::Plain && new.ends_with('/');
        query.is_none() || (new != from && !is_directory) || query == own()
    }

    /// Returns true if a URL points into the directory of another host than that of the document at
    /// `from`.
    fn is_other_host(&self, new: &str, from: &str) -> bool {
        let host = |url: &str| {
            self.trees.iter().enumerate().find_map(|(root, tree)| {
                let below = url.strip_prefix(&**tree)?;
                let end = below.find('/')? + 1;
                self.inner.get(root, &layout::decoded(&below[..end]))
            })
        };
        matches!((host(new), host(from)), (Some(new), Some(from)) if new != from)
    }

    /// Returns the path below its PATH for a path below a directory, unless that has a URL of its
    /// own.
    fn below(&self, directory: usize, name: &[u8]) -> Option<Vec<u8>> {
        let DirectoryPlace { root, inner, outer } = &self.directories[directory];
        let path = [&**inner, name.strip_prefix(&**outer)?].concat();
        let innermost = self.inner.innermost(*root, &path);
        if innermost.is_some_and(|(_, len)| len > inner.len()) {
            return None;
        }
        let file = (*root, path);
        (!self.apart.contains(&file)).then_some(file.1)
    }
}

/// Returns the place of the directory `path` relative to a PATH, if one of them contains the other.
fn place_of(idx: usize, root: &Root, path: &Path) -> Option<DirectoryPlace> {
    let root_path = root.directory()?;
    let with_slash = |path: &Path| {
        let mut bytes = paths::bytes(path);
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes
    };
    if let Ok(inner) = path.strip_prefix(&root_path) {
        return Some(DirectoryPlace { root: idx, inner: with_slash(inner), outer: Vec::new() });
    }
    let outer = root_path.strip_prefix(path).ok()?;
    Some(DirectoryPlace { root: idx, inner: Vec::new(), outer: with_slash(outer) })
}

/// Returns a path of a URL without escapes, and without what leads to the same page of most sites.
fn page_of(path: &str) -> Vec<u8> {
    let path = layout::decoded(path);
    let page = path.strip_suffix(b"index.html").unwrap_or(&path);
    page.strip_suffix(b"/").unwrap_or(page).to_vec()
}
