//! The targets of references: the files of an archive by the URLs of what they contain.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rewrite::{FileDigests, LoadedFiles, TargetLocation, TargetMap};
use urlcore::escape::{encode_path_segment, percent_decode};
use urlcore::{Dialect, Normalization, normalize};

use super::ids;
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

/// Returns a URL in the spelling in which URLs of resources are compared: without fragment,
/// normalized; that of a part without escapes (RFC 2392, section 2).
pub(crate) fn key(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    if is_in_that_spelling(url) { url.to_owned() } else { respelled(url) }
}

/// Returns a URL without a fragment in that spelling.
fn respelled(url: &str) -> String {
    if let Some((scheme, id)) = url.split_once(':')
        && ["cid", "mid"].iter().any(|name| scheme.eq_ignore_ascii_case(name))
    {
        let id = percent_decode(id);
        return format!("{}:{}", scheme.to_ascii_lowercase(), String::from_utf8_lossy(&id));
    }
    let url = normalize(url, Dialect::Web, Normalization::Scheme);
    // Hosts in the spelling in which browsers request them.
    let url = match rewrite::site(&url) {
        Some((site, rest)) if !url.starts_with(&*site) => format!("{site}{rest}"),
        _ => url,
    };
    // Escapes of characters that need none, and an empty query, make no other resource.
    let mut url = normalize(&url, Dialect::Rfc3986, Normalization::Syntax);
    if url.ends_with('?') {
        url.pop();
    }
    // Browsers and other programs disagree which of these are escaped.
    if url.bytes().any(|byte| ESCAPED.contains(&byte)) {
        let query = url.find('?').unwrap_or(url.len());
        let mut escaped = String::with_capacity(url.len() + 8);
        for (at, letter) in url.char_indices() {
            match u8::try_from(letter).ok().filter(|byte| ESCAPED.contains(byte)) {
                // In a path, a browser leaves an apostrophe as it is.
                Some(byte) if byte != b'\'' || at > query => {
                    escaped.push_str(&format!("%{byte:02X}"));
                }
                _ => escaped.push(letter),
            }
        }
        url = escaped;
    }
    url
}

/// Returns true for URLs that are their own [`key`] at first sight, which most are: nothing in them
/// has another spelling.
fn is_in_that_spelling(url: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~/".contains(&byte);
    let Some(rest) = url.strip_prefix("https://").or(url.strip_prefix("http://")) else {
        return false;
    };
    let Some((host, path)) = rest.split_once('/') else { return false };
    let (path, query) = path.split_once('?').unwrap_or((path, "-"));
    let is_host =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    // A number at the end is an address, and other characters are written with `--`.
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with(|char: char| char.is_ascii_lowercase())
        && host.bytes().all(is_host)
        && !host.contains("--")
        && path.bytes().all(|byte| is_plain(byte) || byte == b'.')
        && !path.starts_with('.')
        && !path.contains("/.")
        && !query.is_empty()
        && query.bytes().all(|byte| is_plain(byte) || b".=&".contains(&byte))
}

/// Characters that are escaped in the URLs that are compared.
const ESCAPED: &[u8] = b"'^`{|}";

/// Returns the identifier of a URL: the hash of its [`key`].
pub(crate) fn id(url: &str) -> Short {
    short(key(url).as_bytes())
}

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
        let id = id(url);
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
    /// What was found for the targets of documents that have no files of their own.
    found: Memo<Option<FoundFile>>,
}

impl Files {
    /// Returns the files with these paths, by their positions, and the fragments of redirects.
    pub(crate) fn new(
        by_id: HashMap<Short, u32>,
        fragments: HashMap<Short, String>,
        paths: Paths,
    ) -> Self {
        Files { by_id, paths, fragments, ..Files::default() }
    }

    /// Returns the fragment, with `#`, to which a URL without one is redirected.
    pub(crate) fn fragment(&self, id: &Short) -> Option<&str> {
        self.fragments.get(id).map(String::as_str)
    }

    /// Adds a file; an earlier one with the same identifier stays.
    pub(crate) fn add(&mut self, id: Short, path: &Path) {
        let Ok(idx) = u32::try_from(self.paths.len()) else { return };
        if *self.by_id.entry(id).or_insert(idx) == idx {
            self.paths.spans.push(TextSpan::default());
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
    fn urls_are_compared_in_one_spelling() {
        for (url, expected) in [
            ("http://H.example:80/a/../b?c#d", "http://h.example/b?c"),
            ("http://h.example/%7ea%2f?#", "http://h.example/~a%2F"),
            ("http://h/a|b'^?x={'y'}", "http://h/a%7Cb'%5E?x=%7B%27y%27%7D"),
            ("http://h/a%7cb'%5e?x=%7b%27y%27%7d", "http://h/a%7Cb'%5E?x=%7B%27y%27%7D"),
            ("http://b\u{fc}cher.example/", "http://xn--bcher-kva.example/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("CID:a%40b@c", "cid:a@b@c"),
            ("mid:a@b/c%20d", "mid:a@b/c d"),
        ] {
            assert_eq!(key(url), expected);
        }
    }

    #[test]
    fn what_seems_to_be_in_that_spelling_is() {
        let hosts =
            ["h", "www.h2.example", "a-b.c", "h.", ".h", "a..b", "-.h", "1.h", "h.1", "0x7f"];
        let paths =
            ["", "a", "a//b", "a/../b", ".a", "a.b/~c_d-", "a/.b", "a/..", "A", "%41", "a'"];
        let queries = ["", "?", "?a=b&c=/../d", "?a?b", "?A=%41", "?a'", "?.", "?a=~-_"];
        let mut n_seeming = 0;
        for scheme in ["http", "https", "HTTP", "ftp", "cid"] {
            for (host, path) in hosts.iter().flat_map(|host| paths.map(|path| (host, path))) {
                for query in queries {
                    let url = format!("{scheme}://{host}/{path}{query}");
                    if is_in_that_spelling(&url) {
                        n_seeming += 1;
                        assert_eq!(respelled(&url), url);
                    }
                }
            }
        }
        assert!(n_seeming > 100, "{n_seeming}");
    }

    #[test]
    fn targets_are_the_files_of_the_message_first() {
        let files = |url: &str, path: &str| -> Arc<Files> {
            let mut files = Files::default();
            files.add(id(url), Path::new(path));
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
