//! From the target of a reference to the file that it is, by the layout of the tree.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use rewrite::{FixedRoots, Media, TargetLocation, TargetMap};
use urlcore::escape::encode_path_segment;

use crate::dirs;
use crate::files::Files;
use crate::layout::{self, Layout, httrack_origin, without_scheme};
use crate::media::{FileType, Types};
use crate::paths;
use crate::paths::Root;
use crate::url_mapping::UrlMapping;
use crate::walk::Entry;

/// The URL of the tree where references point to files: any would do, for only relative ones are
/// written.
const TREE: &str = "file:///tree/";

/// How much of a page is searched for HTTrack's note.
const HEAD: u64 = 16 * 1024;

/// Where a folder that has a URL is in the tree.
#[derive(Clone, Debug)]
struct Home {
    /// The number of its PATH.
    root: usize,
    /// Its path below that, with a slash at its end, or nothing.
    inner: Vec<u8>,
    /// If it is around its PATH: the way from it to that, with a slash at its end.
    outer: Vec<u8>,
}

/// What a target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// This file of this PATH.
    File {
        /// Number of the PATH.
        root: usize,
        /// Path below it.
        path: Vec<u8>,
        /// True if the query is no part of the name.
        keeps_query: bool,
    },
    /// A folder that has no index file.
    Folder {
        /// Number of the PATH.
        root: usize,
        /// Path below it, with a slash at its end.
        path: Vec<u8>,
    },
    /// A file that is not there.
    Missing {
        /// Number of the PATH.
        root: usize,
        /// The path that it would have.
        path: Vec<u8>,
    },
    /// Something else.
    Outside,
}

/// Finds files by URLs.
#[derive(Debug)]
pub struct Locator {
    layout: Layout,
    /// Names of the files that are shown for folders.
    indexes: Vec<String>,
    roots: FixedRoots,
    /// By the numbers of `roots`.
    homes: Vec<Home>,
    /// Which files there are.
    pub files: Files,
    /// By PATH: its URL where references point to files.
    trees: Vec<String>,
    /// The numbers of the homes, by PATH and by their path below it.
    inner: HashMap<(usize, Vec<u8>), usize>,
    /// Files that have URLs of their own, by these.
    own: HashMap<String, (usize, Vec<u8>)>,
    /// The same files.
    apart: HashSet<(usize, Vec<u8>)>,
    /// What HTTrack noted: a URL without scheme, and the file that came from it.
    origins: HashMap<String, (usize, Vec<u8>)>,
}

impl Locator {
    /// Reads the names of all files. `same_as` are more URLs of the only PATH; `has_output` tells
    /// that PATHs are written to folders of one.
    pub fn new(
        roots: &[Root],
        places: &UrlMapping,
        types: &Types,
        indexes: Vec<String>,
        same_as: &[String],
        folds_case: bool,
        has_output: bool,
    ) -> Self {
        let mut locator = Locator {
            layout: places.layout(),
            indexes,
            roots: FixedRoots::default(),
            homes: Vec::new(),
            files: Files::read(roots, folds_case),
            trees: trees(roots, has_output),
            inner: HashMap::new(),
            own: HashMap::new(),
            apart: HashSet::new(),
            origins: HashMap::new(),
        };
        for (path, url) in places.folders(roots) {
            let homes = roots.iter().enumerate().filter_map(|(idx, root)| home(idx, root, &path));
            for home in homes {
                locator.roots.add(url.as_str(), places.other_names(&url, same_as));
                locator.inner.insert((home.root, home.inner.clone()), locator.homes.len());
                locator.homes.push(home);
            }
        }
        for (path, url) in places.files(roots) {
            for (idx, root) in roots.iter().enumerate() {
                let Root::Path { typed: root, .. } = root else { continue };
                if let Ok(below) = path.strip_prefix(paths::folder_of(root)) {
                    let file = (idx, paths::bytes(below));
                    locator.own.insert(url.to_owned(), file.clone());
                    locator.apart.insert(file);
                }
            }
        }
        if locator.layout == Layout::Httrack {
            locator.read_origins(roots, types);
        }
        locator
    }

    /// Reads what HTTrack noted in the pages.
    fn read_origins(&mut self, roots: &[Root], types: &Types) {
        for (idx, root) in roots.iter().enumerate() {
            let Root::Path { typed: path, .. } = root else { continue };
            for name in self.files.sorted(idx) {
                let Ok(below) = std::str::from_utf8(name) else { continue };
                let is_html = types.of_path(Path::new(below)) == FileType::Document(Media::Html);
                if !is_html || self.layout.is_bookkeeping(Path::new(below)) {
                    continue;
                }
                let mut head = Vec::new();
                let read = dirs::beside(&path.join(below))
                    .and_then(|at| at.open())
                    .and_then(|(file, _)| file.take(HEAD).read_to_end(&mut head));
                if let (Ok(_), Some(origin)) = (read, httrack_origin(&head)) {
                    self.origins.entry(origin.to_owned()).or_insert_with(|| (idx, name.to_vec()));
                }
            }
        }
    }

    /// The file that a target is. With `guesses` also one that neither a server nor a browser would
    /// find, as another program wrote its name in another way.
    pub fn locate(&self, target: &str, guesses: bool) -> Located {
        let target = target.split('#').next().unwrap_or_default();
        let own = self.own.get(target).or_else(|| self.origins.get(without_scheme(target)));
        if let Some((root, path)) = own {
            return Located::File { root: *root, path: path.clone(), keeps_query: false };
        }
        let Some((idx, rest)) = self.roots.find(target) else { return Located::Outside };
        let home = &self.homes[idx];
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        let path = path.strip_prefix('/').unwrap_or(path);
        let root = home.root;
        let mut likeliest = None;
        for name in self.layout.names(path, query, &self.indexes) {
            if name.is_guess && !guesses {
                continue;
            }
            let Some(path) = self.below(idx, &name.path) else { continue };
            if self.files.has_file(root, &path) {
                let keeps_query = name.keeps_query && query.is_some();
                return Located::File { root, path, keeps_query };
            }
            likeliest.get_or_insert(path);
        }
        let Some(likeliest) = likeliest else { return Located::Outside };
        match self.folder(target) {
            // What is asked of a folder of a mirror is another page.
            Some((root, path)) if query.is_none() || self.layout == Layout::Plain => {
                Located::Folder { root, path }
            }
            _ => Located::Missing { root, path: likeliest },
        }
    }

    /// Returns true if a URL is in the tree, whether anything is there or not.
    pub fn knows(&self, url: &str) -> bool {
        self.rest(url).is_some()
    }

    /// What follows the innermost folder of the tree that a URL is in, whether anything is there or
    /// not.
    pub fn rest<'u>(&self, url: &'u str) -> Option<&'u str> {
        self.roots.find(url).map(|(_, rest)| rest)
    }

    /// The folder that a target is, with a slash at its end.
    fn folder(&self, target: &str) -> Option<(usize, Vec<u8>)> {
        let (idx, rest) = self.roots.find(target)?;
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix('/').unwrap_or(path);
        let home = &self.homes[idx];
        let mut name = layout::decoded(path);
        if !name.is_empty() && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let path = self.below(idx, &name)?;
        self.files.has_folder(home.root, &path).then_some((home.root, path))
    }

    /// The URL of a file of the tree where references point to files.
    pub fn new_url(&self, entry: &Entry) -> String {
        self.file_url(entry.root, &paths::bytes(&entry.below))
    }

    /// The URL of the innermost folder around an entry that has a URL of its own, such as that of
    /// its host, where references point to files. A relative base that leads out of it does so only
    /// on the disk.
    pub fn new_root(&self, entry: &Entry) -> String {
        let below = paths::bytes(&entry.below);
        let mut end = below.len();
        while let Some(slash) = below[..end].iter().rposition(|byte| *byte == b'/') {
            let folder = &below[..=slash];
            if self.inner.contains_key(&(entry.root, folder.to_vec())) {
                return self.file_url(entry.root, folder);
            }
            end = slash;
        }
        self.trees[entry.root].clone()
    }

    fn file_url(&self, root: usize, below: &[u8]) -> String {
        let mut url = self.trees[root].clone();
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
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let (document, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let query = document.find('?').map_or("", |mark| &document[mark..]);
        if is_folder && let Some((root, path)) = self.folder(document) {
            new.push_str(&self.file_url(root, &path));
            return TargetLocation::Inside;
        }
        let (root, path, keeps_query, moved) = match self.locate(document, true) {
            Located::File { root, path, keeps_query } => {
                (root, path, keeps_query, TargetLocation::Inside)
            }
            Located::Folder { root, path } => (root, path, true, TargetLocation::Missing),
            Located::Missing { root, path } => (root, path, false, TargetLocation::Missing),
            Located::Outside => return TargetLocation::Outside,
        };
        new.push_str(&self.file_url(root, &path));
        if keeps_query {
            new.push_str(query);
        }
        new.push_str(fragment);
        moved
    }

    fn is_for_place(&self, new: &str, from: &str) -> bool {
        // No reference of the web leads to the folder of another host: at the top `..` leads
        // nowhere.
        let is_crossing = self.layout.has_hosts() && self.is_other_host(new, from);
        is_crossing || self.file_at(new).is_some()
    }

    fn trusts_paths(&self) -> bool {
        // HTTrack has written all of them.
        self.layout == Layout::Httrack
    }
}

impl Locator {
    /// The file of the tree at a URL where references point to files.
    pub fn file_at(&self, new: &str) -> Option<(usize, Vec<u8>)> {
        let path = new.split('#').next().unwrap_or_default();
        // In a mirror what is asked for is part of the name, escaped.
        if path.contains('?') && self.layout.has_hosts() {
            return None;
        }
        let path = path.split('?').next().unwrap_or_default();
        self.trees.iter().enumerate().find_map(|(root, tree)| {
            let below = layout::decoded(path.strip_prefix(&**tree)?);
            self.files.has_file(root, &below).then_some((root, below))
        })
    }

    /// Returns true if a URL leads to the folder of another host than that of the document at
    /// `from`.
    fn is_other_host(&self, new: &str, from: &str) -> bool {
        let host = |url: &str| {
            self.trees.iter().enumerate().find_map(|(root, tree)| {
                let below = url.strip_prefix(&**tree)?;
                let end = below.find('/')? + 1;
                let name = layout::decoded(&below[..end]);
                self.inner.get(&(root, name)).copied()
            })
        };
        matches!((host(new), host(from)), (Some(new), Some(from)) if new != from)
    }

    /// The path below its PATH of what has this path below a home, unless it has a URL of its own.
    fn below(&self, home: usize, name: &[u8]) -> Option<Vec<u8>> {
        let Home { root, inner, outer } = &self.homes[home];
        let path = [&**inner, name.strip_prefix(&**outer)?].concat();
        // The innermost home that it is in is this one.
        let mut end = path.len();
        while let Some(slash) = path[inner.len()..end].iter().rposition(|byte| *byte == b'/') {
            let folder = &path[..inner.len() + slash + 1];
            if folder.len() > inner.len() && self.inner.contains_key(&(*root, folder.to_vec())) {
                return None;
            }
            end = inner.len() + slash;
        }
        let file = (*root, path);
        (!self.apart.contains(&file)).then_some(file.1)
    }
}

/// Where the folder `path` is seen from a PATH, if one of them is in the other.
fn home(idx: usize, root: &Root, path: &Path) -> Option<Home> {
    let Root::Path { typed: root_path, .. } = root else { return None };
    let root_path = paths::folder_of(root_path);
    let with_slash = |path: &Path| {
        let mut bytes = paths::bytes(path);
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes
    };
    if let Ok(inner) = path.strip_prefix(&root_path) {
        return Some(Home { root: idx, inner: with_slash(inner), outer: Vec::new() });
    }
    let outer = root_path.strip_prefix(path).ok()?;
    Some(Home { root: idx, inner: Vec::new(), outer: with_slash(outer) })
}

/// Where each PATH is: in the output, where each of several is in a folder of its own and single
/// files are side by side, or where it is now.
fn trees(roots: &[Root], has_output: bool) -> Vec<String> {
    let tree = |root: &Root| {
        let mut url = TREE.to_owned();
        let Root::Path { typed: path, .. } = root else { return url };
        let names = match (roots.len(), has_output) {
            (1, _) => Vec::new(),
            (_, true) if path.is_dir() => root.name().as_os_str().as_encoded_bytes().to_vec(),
            (_, true) => Vec::new(),
            (_, false) => paths::bytes(paths::folder_of(path).strip_prefix("/").unwrap_or(path)),
        };
        for name in names.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            encode_path_segment(name, &mut url);
            url.push('/');
        }
        url
    };
    roots.iter().map(tree).collect()
}
