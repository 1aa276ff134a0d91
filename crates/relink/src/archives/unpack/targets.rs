//! The targets of references: the files of an archive by the URLs of what they contain.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rewrite::{FileDigests, LoadedFiles, TargetLocation, TargetMap};
use urlcore::escape::encode_path_segment;

use super::hosts::Hosts;
use super::ids;
use super::keys::{id, key, plain_host};
use crate::archives::pack;
use crate::os::digest::{Short, short};
use crate::os::failure::Failure;
use crate::os::memo::Memo;
use crate::os::paths::{self, os_str};
use crate::os::text_store::{TextSpan, TextStore};
use crate::urls::twins::twins;

/// The URL of the directory that is written. Any URL would do, because only relative references
/// are written.
pub(crate) const TREE: &str = "file:///tree/";

/// The URLs that are made up for messages for which no base is known begin with this, as those of
/// `thismessage:/` do (RFC 2557, section 5): parts with relative locations are found by them. They
/// are never written; the domain is reserved (RFC 2606, section 2).
pub(crate) const UNKNOWN: &str = "http://unknown-base.invalid/";

/// The base of such a message, and the URL of a document without one: a reference to a fragment is
/// one to its own document, and one to its directory is not.
pub(crate) const UNKNOWN_DOCUMENT: &str = "http://unknown-base.invalid/document-without-a-url";

/// Returns the URL in the output of a file, given its path below the output.
pub(crate) fn url_of(path: &Path) -> String {
    let mut url = TREE.to_owned();
    for (idx, name) in path.iter().enumerate() {
        if idx > 0 {
            url.push('/');
        }
        encode_path_segment(&paths::bytes(Path::new(name)), &mut url);
    }
    url
}

/// The target map of one document.
#[derive(Debug)]
pub(crate) struct Targets {
    /// The files of the message that contains the document.
    pub(crate) own: Arc<Files>,
    /// The files of all archives that others may refer to; those of a web archive.
    pub(crate) shared: Arc<Files>,
    /// The [`scope`](super::parts::MessagePart::scope) of the document, if it is a part of a
    /// message.
    pub(crate) scope: Option<usize>,
    /// The URL of the document.
    pub(crate) own_url: String,
    /// True if a server shows the files: `index.html` for its directory.
    pub(crate) has_server: bool,
    /// True if URLs are also searched for under another scheme or host.
    pub(crate) has_twins: bool,
}

/// The place of the content of a part.
enum ContentPlace<'f> {
    File(Cow<'f, Path>),
    Url(&'f str),
}

impl Targets {
    /// Returns true for a target that only seems to have a URL, because that of the document is
    /// made up: the reference gets no other one, and stays as it is written.
    fn is_made_up(&self, target: &str) -> bool {
        let is_made_up =
            |url: &str| [UNKNOWN, pack::MADE_UP].iter().any(|one| url.starts_with(one));
        is_made_up(target) && is_made_up(&self.own_url)
    }

    /// Returns the file of a URL without a fragment.
    fn search(&self, url: &str) -> Option<FoundFile> {
        let key = LazyCell::new(|| key(url));
        // In mail, most links lead to hosts of which there is nothing.
        let host = plain_host(url, || &key);
        if host.is_some_and(|host| {
            !self.own.hosts.may_have(&host) && !self.shared.hosts.may_have(&host)
        }) {
            return None;
        }
        let id = short(key.as_bytes());
        let part = ids::of_reference(url).iter().find_map(|key| self.own(&short(key.as_bytes())));
        let found = match part.or_else(|| self.own(&id)) {
            Some(ContentPlace::Url(url)) => return Some((TargetLocation::Outside, url.into())),
            Some(ContentPlace::File(path)) => Some((path, id)),
            None => self.shared.get(&id).map(|path| (path, id)),
        };
        let location = if found.is_some() { TargetLocation::Inside } else { TargetLocation::Twin };
        let (path, id) = found.or_else(|| self.of_twin(url))?;
        let shown = self.shown(&path) + self.shared.fragment(&id).unwrap_or_default();
        Some((location, shown.into()))
    }

    /// Returns the place of a part of the message; that of the innermost message counts first.
    fn own(&self, id: &Short) -> Option<ContentPlace<'_>> {
        let place = |id: &Short| {
            let file = self.own.get(id).map(ContentPlace::File);
            file.or_else(|| self.own.url(id).map(ContentPlace::Url))
        };
        self.scope.and_then(|scope| place(&scoped(scope, id))).or_else(|| place(id))
    }

    /// Returns the URL in the output at which a file is shown.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let mut url = url_of(path);
        if self.has_server && path.ends_with("index.html") {
            url.truncate(url.len() - "index.html".len());
        }
        url
    }

    fn path(&self, id: &Short) -> Option<Cow<'_, Path>> {
        match self.own(id) {
            Some(ContentPlace::File(path)) => Some(path),
            Some(ContentPlace::Url(_)) => None,
            None => self.shared.get(id),
        }
    }

    /// Returns the file of a twin of a target, and its identifier.
    fn of_twin(&self, target: &str) -> Option<(Cow<'_, Path>, Short)> {
        let of_one = |url: String| {
            let id = id(&url);
            Some((self.path(&id)?, id))
        };
        twins(target).filter(|_| self.has_twins).find_map(of_one)
    }
}

impl LoadedFiles for Targets {
    fn contains(&self, url: &str) -> bool {
        let location = self.moved(url, false, &mut String::new());
        matches!(location, TargetLocation::Inside | TargetLocation::Twin)
    }

    fn digests(&self, _: &str) -> Option<Arc<FileDigests>> {
        None
    }
}

impl TargetMap for Targets {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        let (url, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let mut receive = |found: &Option<FoundFile>| {
            let (location, found) = found.as_ref()?;
            let is_file = *location != TargetLocation::Outside && !fragment.is_empty();
            let end = found.find('#').filter(|_| is_file).unwrap_or(found.len());
            new.push_str(&found[..end]);
            new.push_str(if is_file { fragment } else { "" });
            Some(*location)
        };
        let found = if self.own.is_empty() {
            let kind = u64::from(self.has_server) + 2 * u64::from(self.has_twins);
            self.shared.found.get(kind, url, || self.search(url), receive)
        } else {
            receive(&self.search(url))
        };
        let lost = || {
            if self.is_made_up(target) { TargetLocation::Missing } else { TargetLocation::Outside }
        };
        found.unwrap_or_else(lost)
    }
}

/// A file that was found, at its URL, with the fragment of a redirect to it, if there is one; or
/// what is not in a file, at a URL outside.
type FoundFile = (TargetLocation, Box<str>);

// The paths of files below the output: by number, and by the identifiers of the URLs of what the
// files contain.

/// Paths of files. Those of millions of files are in a temporary file: see [`TextStore`].
#[derive(Debug, Default)]
pub(crate) struct Paths {
    spans: Vec<TextSpan>,
    texts: TextStore,
}

impl Paths {
    /// Returns a number of empty paths.
    pub(crate) fn with_len(len: usize) -> Self {
        Paths { spans: vec![TextSpan::default(); len], texts: TextStore::default() }
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
fn scoped(scope: usize, id: &Short) -> Short {
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
    /// The hosts of all URLs.
    hosts: Hosts,
    /// What was found for the targets of documents that have no files of their own.
    found: Memo<Option<FoundFile>>,
}

impl Files {
    /// Returns the files with these paths, by their positions, the fragments of redirects, and the
    /// hosts of all URLs.
    pub(crate) fn new(
        by_id: HashMap<Short, u32>,
        fragments: HashMap<Short, String>,
        hosts: Hosts,
        paths: Paths,
    ) -> Self {
        Files { by_id, paths, fragments, hosts, ..Files::default() }
    }

    /// Returns the fragment, with `#`, to which a URL without one is redirected.
    pub(crate) fn fragment(&self, id: &Short) -> Option<&str> {
        self.fragments.get(id).map(String::as_str)
    }

    /// Adds a file by the [`key`] of its URL, also for the references of one message, if it is in
    /// one; an earlier file with that stays.
    pub(crate) fn add(&mut self, key: &str, scope: Option<usize>, path: &Path) {
        for id in self.ids(key, scope) {
            let Ok(idx) = u32::try_from(self.paths.len()) else { return };
            if *self.by_id.entry(id).or_insert(idx) == idx {
                self.paths.spans.push(TextSpan::default());
                self.paths.set(&[idx as usize], path);
            }
        }
    }

    /// Adds something that is not in a file; what is there with that key stays.
    pub(crate) fn add_url(&mut self, key: &str, scope: usize, url: &str) {
        for id in self.ids(key, Some(scope)) {
            self.urls.entry(id).or_insert_with(|| url.to_owned());
        }
    }

    /// Returns the identifiers of what has this key.
    fn ids(&mut self, key: &str, scope: Option<usize>) -> impl Iterator<Item = Short> + use<> {
        self.hosts.add(key);
        let id = short(key.as_bytes());
        scope.map(|scope| scoped(scope, &id)).into_iter().chain([id])
    }

    /// Returns the URL of something that is not in a file.
    pub(crate) fn url(&self, id: &Short) -> Option<&str> {
        self.urls.get(id).map(String::as_str)
    }

    /// Returns the path of the file of a URL, by its identifier.
    pub(crate) fn get(&self, id: &Short) -> Option<Cow<'_, Path>> {
        self.by_id.get(id).map(|idx| self.paths.get(*idx as usize))
    }

    /// Returns true if there is nothing.
    fn is_empty(&self) -> bool {
        self.by_id.is_empty() && self.urls.is_empty()
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
    fn targets_are_the_files_of_the_message_first() {
        let files = |url: &str, path: &str| -> Arc<Files> {
            let mut files = Files::default();
            files.add(&key(url), None, Path::new(path));
            Arc::new(files)
        };
        let targets = Targets {
            own: files("cid:a@b", "p_files/a b.png"),
            shared: files("http://h/", "q.html"),
            scope: None,
            own_url: UNKNOWN.to_owned(),
            has_server: false,
            has_twins: true,
        };
        let moved = |target: &str| {
            let mut new = String::new();
            (targets.moved(target, false, &mut new), new)
        };
        let inside = |url: &str| (TargetLocation::Inside, url.to_owned());
        assert_eq!(moved("cid:a%40b"), inside("file:///tree/p_files/a%20b.png"));
        assert_eq!(moved("http://h#x"), inside("file:///tree/q.html#x"));
        let twin = (TargetLocation::Twin, "file:///tree/q.html#x".to_owned());
        assert_eq!(moved("https://www.h/#x"), twin);
        assert_eq!(moved(&format!("{UNKNOWN}c.png")), (TargetLocation::Missing, String::new()));
        assert_eq!(moved("http://i/"), (TargetLocation::Outside, String::new()));
    }

    #[test]
    fn files_are_found_by_identifiers() {
        let mut files = Files::default();
        files.add("1", None, Path::new("a/\u{fc}.html"));
        files.add("1", Some(0), Path::new("b.html"));
        let found = |id: Short| files.get(&id).map(Cow::into_owned);
        assert_eq!(found(short(b"1")), Some("a/\u{fc}.html".into()));
        assert_eq!(found(scoped(0, &short(b"1"))), Some("b.html".into()));
        assert_eq!(found(short(b"2")), None);

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
