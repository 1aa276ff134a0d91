//! Digests of files in other files, and the files of a tree that its pages load. Browsers block a
//! file that is edited, since its digest is another one then. Those that are not computed again
//! become hints: of the output of `absolutize`, in imports of style sheets, in header fields, and
//! in the lists of service workers.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use memchr::memmem::{self, Finder};
use rewrite::{FileDigests, Media};

use crate::os::failure::Failure;
use crate::os::paths;
use crate::tree::Tree;
use crate::urls::locate::{Located, Locator, LocatorOptions};

/// The media type of `_headers`.
const HEADERS: &str = "text/x-headers";

/// The most names that are kept, and that a hint lists.
const MOST_KEPT: usize = 1000;
const MOST_SHOWN: usize = 3;

/// The beginnings of digests in tags, in style sheets and in header fields.
static ATTRIBUTE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" integrity="));
static FUNCTION: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"integrity("));
static PARAMETER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"integrity="));

/// What a script calls that caches files by the revisions in it (Workbox).
static PRECACHE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"precacheAndRoute("));

/// The files in which Angular and Blazor list the digests of all files of a site.
const LISTS: [&str; 2] = ["ngsw.json", "service-worker-assets.js"];

/// Names of files by which files with digests and edited files are compared.
#[derive(Debug, Default)]
pub struct DigestNames {
    /// Files of which others have a digest that is not computed again.
    digested: Mutex<BTreeSet<Vec<u8>>>,
    /// Style sheets and scripts that were edited.
    edited: Mutex<BTreeSet<Vec<u8>>>,
    /// Files that list digests or revisions of all files.
    lists: Mutex<BTreeSet<Vec<u8>>>,
    /// Files with header fields in which a policy has hashes of texts in pages.
    policies: Mutex<BTreeSet<Vec<u8>>>,
    has_edits: AtomicBool,
    has_edited_texts: AtomicBool,
}

impl DigestNames {
    /// Searches a document for digests of files that are not computed again; those in HTML and XML
    /// only if `keeps_all`.
    pub fn search(&self, media: Media, path: &Path, bytes: &[u8], keeps_all: bool) {
        match media {
            Media::HTML | Media::XML if keeps_all => self.search_tags(bytes),
            Media::CSS => self.search_css(bytes),
            Media::SCRIPT if PRECACHE.find(bytes).is_some() => self.lists(path),
            Media::Http(_) => {
                let end = memmem::find(bytes, b"\n\r\n").or_else(|| memmem::find(bytes, b"\n\n"));
                self.search_fields(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes));
            }
            _ if media.name() == HEADERS => {
                if keeps_all {
                    self.search_fields(bytes);
                }
                if rewrite::has_policy_hashes(bytes) {
                    add(&self.policies, name_of(path));
                }
            }
            _ => {}
        }
    }

    /// Records a file that may list the digests of all others.
    pub fn see(&self, path: &Path) {
        if LISTS.iter().any(|list| name_of(path) == list.as_bytes()) {
            self.lists(path);
        }
    }

    fn lists(&self, path: &Path) {
        add(&self.lists, name_of(path));
    }

    fn search_tags(&self, text: &[u8]) {
        for at in ATTRIBUTE.find_iter(text) {
            let start = memchr::memrchr(b'<', &text[..at]).unwrap_or(at);
            let end = memchr::memchr(b'>', &text[at..]).map_or(text.len(), |end| at + end);
            if let Some(name) = file_name(&text[start..end]) {
                add(&self.digested, name);
            }
        }
    }

    fn search_css(&self, css: &[u8]) {
        for at in FUNCTION.find_iter(css) {
            let start = memchr::memrchr(b';', &css[..at]).map_or(0, |start| start + 1);
            let import = memmem::find(&css[start..at], b"@import").map(|import| start + import + 7);
            let Some(import) = import else { continue };
            let url = css[import..at].trim_ascii_start();
            let url = url.strip_prefix(b"url(").unwrap_or(url).trim_ascii_start();
            let url = url.strip_prefix(b"\"").or_else(|| url.strip_prefix(b"'")).unwrap_or(url);
            let is_end = |byte: &u8| matches!(byte, b'"' | b'\'' | b')');
            let url = url.split(is_end).next().unwrap_or_default();
            add(&self.digested, last_name(url));
        }
    }

    fn search_fields(&self, fields: &[u8]) {
        for at in PARAMETER.find_iter(fields) {
            let line = memchr::memrchr(b'\n', &fields[..at]).unwrap_or(0);
            let before = &fields[line..at];
            let Some(start) = memchr::memrchr(b'<', before) else { continue };
            let url = before[start + 1..].split(|byte| *byte == b'>').next().unwrap_or_default();
            add(&self.digested, last_name(url));
        }
    }

    /// Records that a document is edited.
    pub fn edited(&self, media: Media, path: &Path) {
        self.has_edits.store(true, Ordering::Relaxed);
        if [Media::CSS, Media::SCRIPT].contains(&media) {
            add(&self.edited, name_of(path));
        }
    }

    /// Records that a text is edited of which a policy may have a hash.
    pub fn edited_text(&self) {
        self.has_edited_texts.store(true, Ordering::Relaxed);
    }

    /// Records that a page has a digest of an edited file that was wrong before.
    pub fn wrong(&self, url: &str) {
        let name = last_name(url.as_bytes());
        [&self.digested, &self.edited].into_iter().for_each(|names| add(names, name));
    }

    /// Returns the hints at the end of a run, if a file was edited of which another has a digest.
    pub fn hints(&self) -> Vec<String> {
        let (digested, edited) = (lock(&self.digested), lock(&self.edited));
        let blocked = names(digested.intersection(&edited)).map(|names| {
            format!(
                "hint: browsers may block {names}; pages have digests of them (integrity), and they were edited; write new digests, or remove the attribute"
            )
        });
        let has_edits = self.has_edits.load(Ordering::Relaxed);
        let lists = names(lock(&self.lists).iter()).filter(|_| has_edits).map(|names| {
            format!(
                "hint: service workers may refuse or keep old files; {names} lists digests of files that were edited; generate it again"
            )
        });
        let has_edited_texts = self.has_edited_texts.load(Ordering::Relaxed);
        let policies = names(lock(&self.policies).iter()).filter(|_| has_edited_texts);
        let policies = policies.map(|names| {
            format!(
                "hint: browsers may block edited styles or scripts; {names} has a Content-Security-Policy with hashes of them; write new hashes"
            )
        });
        [blocked, lists, policies].into_iter().flatten().collect()
    }
}

fn lock(names: &Mutex<BTreeSet<Vec<u8>>>) -> MutexGuard<'_, BTreeSet<Vec<u8>>> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the first names of some, if there is one.
fn names<'n>(mut names: impl Iterator<Item = &'n Vec<u8>>) -> Option<String> {
    let shown = names.by_ref().take(MOST_SHOWN);
    let shown: Vec<_> = shown.map(|name| String::from_utf8_lossy(name)).collect();
    let more = if names.next().is_some() { " and others" } else { "" };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

/// Returns the name of a file.
fn name_of(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

/// Returns the last name in the path of a URL.
fn last_name(url: &[u8]) -> &[u8] {
    let path = url.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

fn add(names: &Mutex<BTreeSet<Vec<u8>>>, name: &[u8]) {
    let mut names = lock(names);
    if !name.is_empty() && names.len() < MOST_KEPT {
        names.insert(name.to_owned());
    }
}

/// Returns the file name at the end of the URL that a tag loads.
fn file_name(tag: &[u8]) -> Option<&[u8]> {
    let value = [&b" href="[..], b" src=", b" xlink:href="].iter().find_map(|name| {
        let start = memmem::find(tag, name)? + name.len();
        Some(tag[start..].trim_ascii_start())
    })?;
    let (value, is_end): (_, fn(&u8) -> bool) = match value.first()? {
        b'"' => (&value[1..], |byte| *byte == b'"'),
        b'\'' => (&value[1..], |byte| *byte == b'\''),
        _ => (value, u8::is_ascii_whitespace),
    };
    value.split(is_end).next().map(last_name)
}

// The files of a tree that its pages load, by URL, and what is known of their digests.

/// A file: the number of its PATH, and its path below it.
pub type File = (usize, Vec<u8>);

/// What a run knows of the files that its pages load. Nothing is read before the first page has a
/// digest.
#[derive(Debug, Default)]
pub struct Loads {
    /// Aliases of the URL of the tree.
    aliases: Vec<String>,
    /// True if URLs are also searched for under another scheme or host.
    has_twins: bool,
    locator: OnceLock<Locator>,
    /// The digests of each file, if the run changes it.
    digests: Mutex<HashMap<File, Option<Arc<FileDigests>>>>,
    /// Files whose digests could not be computed.
    unread: Mutex<HashSet<File>>,
}

impl Loads {
    /// Returns the files of a tree whose URL has these aliases. With `has_twins`, URLs are also
    /// searched for under another scheme or host.
    pub fn new(aliases: Vec<String>, has_twins: bool) -> Self {
        Loads { aliases, has_twins, ..Loads::default() }
    }

    /// Returns the file of a tree at a URL.
    pub fn file(&self, tree: &Tree, url: &str) -> Option<File> {
        let locator = self.locator.get_or_init(|| {
            let Tree { roots, places, types, .. } = tree;
            let (aliases, has_twins) = (&*self.aliases, self.has_twins);
            let options = LocatorOptions { aliases, has_twins, ..LocatorOptions::default() };
            Locator::new(roots, places, types, options)
        });
        match locator.locate(url, true) {
            Located::File { root, path, .. } => Some((root, path.to_vec())),
            _ => match locator.of_twin(url, true)? {
                Located::File { root, path, .. } => Some((root, path.to_vec())),
                _ => None,
            },
        }
    }

    /// Returns the digests of a file, if the run changes it; `compute` computes them.
    ///
    /// # Errors
    ///
    /// The error of `compute`.
    pub fn digests(
        &self,
        file: File,
        compute: impl FnOnce(&File) -> Result<Option<FileDigests>, Failure>,
    ) -> Result<Option<Arc<FileDigests>>, Failure> {
        let lock = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return Ok(known.clone());
        }
        // Two threads may compute the same.
        match compute(&file) {
            Ok(digests) => Ok(lock().entry(file).or_insert(digests.map(Arc::new)).clone()),
            Err(failure) => {
                self.unread().insert(file);
                Err(failure)
            }
        }
    }

    /// Returns true if the digests of a file could not be computed. It stays then, as the page that
    /// has one of them.
    pub fn is_unread(&self, root: usize, below: &Path) -> bool {
        let unread = self.unread();
        !unread.is_empty() && unread.contains(&(root, paths::bytes(below)))
    }

    fn unread(&self) -> MutexGuard<'_, HashSet<File>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the hints for a file with digests, after some files were edited.
    fn hints(media: Media, path: &str, text: &str) -> Vec<String> {
        let integrity = DigestNames::default();
        integrity.search(media, Path::new(path), text.as_bytes(), true);
        integrity.see(Path::new(path));
        assert_eq!(integrity.hints(), [""; 0]);
        for name in ["x/c.css", "x/a.css", "y/b.js"] {
            let media = if name.ends_with("css") { Media::CSS } else { Media::SCRIPT };
            integrity.edited(media, Path::new(name));
        }
        integrity.hints()
    }

    #[test]
    fn only_edited_files_with_a_digest_are_named() {
        let page = "<link href=\"/css/a.css?v\" integrity=\"sha256-x\"><p title=' integrity='>\
                    <script integrity='sha384-y' src=b.js></script><a href=c.css>";
        let found = hints(Media::HTML, "p.html", page);
        assert!(found[0].starts_with("hint: browsers may block a.css, b.js; pages"), "{found:?}");
        let style = "@import 'd.css' integrity('x');@import url(\"../a.css?v\") layer(b) integrity(\"sha256-x\");a{b:c}";
        let found = hints(Media::CSS, "s.css", style);
        assert!(found[0].starts_with("hint: browsers may block a.css; pages"), "{found:?}");
        let headers = Media::from_name(HEADERS).unwrap();
        let fields = "/*\n  Link: <https://h/d.css>; integrity=x, </a.css>; rel=preload; integrity=\"sha256-x\"\n";
        let found = hints(headers, "_headers", fields);
        assert!(found[0].starts_with("hint: browsers may block a.css; pages"), "{found:?}");
        assert_eq!(
            hints(Media::CSS, "s.css", "@import 'a.css'; p{--integrity:integrity(x)}"),
            [""; 0]
        );
    }

    #[test]
    fn lists_of_digests_are_named() {
        for (media, path, text) in [
            (Media::XML, "ngsw.json", "{}"),
            (Media::SCRIPT, "sw.js", "precacheAndRoute([{url:'a.css',revision:'1'}])"),
        ] {
            let found = hints(media, path, text);
            assert!(found[0].contains(&format!("; {path} lists digests")), "{found:?}");
        }
    }
}
