//! The paths of the files of web archives: `HOST/PATH`, with names that say what the files are.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference};

use super::captured_pages::{Page, Pages};
use super::extensions::extensions;
use super::record;
use super::targets::key;
use crate::os::digest::{self, Short, short};
use crate::os::failure::Failure;
use crate::os::messages::with_visible_direction;
use crate::os::paths::os_str;
use crate::os::text_store::{Span, TextStore};
use crate::urls::renames::naming::{self, Unnamed};

/// The number of digits of a digest that distinguish names.
const N_DIGITS: usize = 8;

/// The maximum length in bytes of the directories of a path below the host. Systems limit whole
/// paths, to 4,096 bytes or fewer, and the memory for names grows with the square of the depth.
const LONGEST: usize = 1_000;

/// The directory of records that are no captures of the site.
const CRAWLER: &str = "crawler-records";

/// Returns the paths of captures below the output, in their order. A path depends on the URL, and
/// on others only if they would have the same: so it stays when an archive grows.
pub(crate) fn paths(pages: &Pages) -> Paths {
    let mut paths = Paths::with_len(pages.len());
    let exact = |path: &Path| short(path.as_os_str().as_encoded_bytes());
    let conflicts = Conflicts::new(pages, exact);
    let file = |page: Page| {
        let path = path_of(&page.url);
        Unnamed {
            below: if conflicts.has(&path) { distinct(&path, &page.url) } else { path },
            extensions: page.media_type.as_deref().and_then(|name| extensions(name, &[])),
        }
    };
    let files: Vec<Unnamed> = pages.iter().map(file).collect();
    drop(conflicts);
    naming::for_each_path(&files, |positions, path| paths.set(positions, path));
    paths
}

/// Returns the positions of captures that conflict: two have one path, also if letter case does not
/// count, or one is a file where another one needs a directory.
pub(crate) fn conflicts(pages: &Pages) -> Vec<usize> {
    let folded = |path: &Path| short(path.to_string_lossy().to_lowercase().as_bytes());
    let conflicts = Conflicts::new(pages, folded);
    (0..pages.len()).filter(|idx| conflicts.has(&path_of(&pages.get(*idx).url))).collect()
}

/// The paths that several captures want, or that are files and directories, according to a hash of
/// paths.
struct Conflicts<H> {
    hash: H,
    directories: HashSet<Short>,
    repeated: HashSet<Short>,
}

impl<H: Fn(&Path) -> Short> Conflicts<H> {
    fn new(pages: &Pages, hash: H) -> Self {
        let mut directories = HashSet::new();
        let (mut files, mut repeated) = (HashSet::with_capacity(pages.len()), HashSet::new());
        for page in pages.iter() {
            let path = path_of(&page.url);
            // A directory that is known has directories that are.
            let mut around = path.ancestors().skip(1);
            while around.next().is_some_and(|path| directories.insert(hash(path))) {}
            let file = hash(&path);
            if !files.insert(file) {
                repeated.insert(file);
            }
        }
        Conflicts { hash, directories, repeated }
    }

    fn has(&self, path: &Path) -> bool {
        let hash = (self.hash)(path);
        self.directories.contains(&hash) || self.repeated.contains(&hash)
    }
}

/// Returns a path whose name has a digest of the URL before its extension.
fn distinct(path: &Path, url: &str) -> PathBuf {
    let digest = digest::of_bytes(key(url).as_bytes());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let digits = &digest[..N_DIGITS];
    let name = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem}-{digits}.{extension}"),
        _ => format!("{name}-{digits}"),
    };
    path.with_file_name(name)
}

/// Returns the path of a URL: its host and its path, each name without escapes, and a query as the
/// end of the last name.
fn path_of(url: &str) -> PathBuf {
    let key = key(url);
    let reference = Reference::split(&key, Dialect::Web);
    let authority = reference.authority().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let scheme = reference.scheme().unwrap_or_default();
    // A dot would hide it, and the list of the files of OUT has such a name.
    let host = if host.is_empty() { scheme } else { host.trim_start_matches('.') };
    let mut path = if record::is_record(url) {
        Path::new(CRAWLER).join(component(host.as_bytes()))
    } else {
        PathBuf::from(component(host.as_bytes()))
    };
    let whole = reference.path();
    let (folders, last) = whole.rsplit_once('/').unwrap_or(("", whole));
    if folders.len() <= LONGEST {
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            path.push(component(&percent_decode(folder)));
        }
    } else {
        path.push(&digest::of_bytes(folders.as_bytes())[..N_DIGITS]);
    }
    let mut name =
        if last.is_empty() { b"index.html".to_vec() } else { percent_decode(last).into_owned() };
    if let Some(query) = reference.query() {
        name.push(b'?');
        name.extend_from_slice(query.as_bytes());
    }
    path.push(component(&name));
    path
}

/// Returns some bytes as one name in a directory.
fn component(name: &[u8]) -> std::ffi::OsString {
    let name: Vec<u8> = name
        .iter()
        .map(|byte| if matches!(byte, b'/' | b'\\' | b'\0') { b'-' } else { *byte })
        .collect();
    let name = match str::from_utf8(&name) {
        Ok(text) => with_visible_direction(text).into_owned().into_bytes(),
        Err(_) => name,
    };
    let is_special = name.is_empty() || name.iter().all(|byte| *byte == b'.');
    match os_str(&name) {
        Some(name) if !is_special => name.to_owned(),
        _ => "-".into(),
    }
}

// The paths of files below the output: by number, and by the identifiers of the URLs of what the
// files contain.

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
            Cow::Borrowed(bytes) => path_by_number(bytes).into(),
            Cow::Owned(bytes) => path_by_number(&bytes).to_owned().into(),
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
fn path_by_number(bytes: &[u8]) -> &Path {
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
    fn captures_get_names_that_say_what_they_are() {
        let page = |(url, media_type): &(&str, &str)| Page {
            url: (*url).to_owned(),
            media_type: Some((*media_type).to_owned()),
            ..Page::default()
        };
        let pages = |pages: &[(&str, &str)]| {
            let mut all = Pages::default();
            pages.iter().for_each(|one| all.push(&page(one)));
            all
        };
        let captures = [
            ("http://h.example/", "text/html"),
            ("http://h.example/a", "text/html"),
            ("http://h.example/a/b.php?id=1&x=%2F", "text/html"),
            ("http://h.example:8080/A%20b/s.css?v=2", "text/css"),
            ("http://h.example/../../etc/passwd", "text/plain"),
            ("http://h.example/%2e%2e%2fx", "image/png"),
            ("https://h.example/logo.png", "image/png"),
            ("http://h.example/logo.png", "image/png"),
        ];
        let (found, conflicts) = (paths(&pages(&captures)), conflicts(&pages(&captures)));
        assert_eq!(conflicts, [1, 6, 7]);
        // A name per segment would take 1 GB.
        let deep = format!("http://h.example/{}", "a/".repeat(32_000));
        let deep = paths(&pages(&[(&deep, "text/html"), (&format!("{deep}b"), "text/html")]));
        let digest = &digest::of_bytes("/a".repeat(32_000).as_bytes())[..8];
        let expected = ["index.html", "b.html"].map(|name| format!("h.example/{digest}/{name}"));
        let deep: Vec<String> = deep.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(deep, expected);
        let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        let digests = [6, 7].map(|idx: usize| digest::of_bytes(captures[idx].0.as_bytes()));
        let logos = digests.map(|digest| format!("h.example/logo-{}.png", &digest[..8]));
        let a = digest::of_bytes(b"http://h.example/a");
        assert_eq!(
            found,
            [
                "h.example/index.html",
                &format!("h.example/a-{}.html", &a[..8]),
                "h.example/a/b-id-1-x.html",
                "h.example-8080/A b/s-v-2.css",
                "h.example/etc/passwd.txt",
                "h.example/..-x.png",
                &logos[0],
                &logos[1],
            ]
        );
    }

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
