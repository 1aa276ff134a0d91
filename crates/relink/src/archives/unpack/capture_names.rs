//! The paths of the files of web archives: `HOST/PATH`, with names that say what the files are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference};

use super::captured_pages::{Page, Pages};
use super::extensions::extensions;
use super::keys::key;
use super::record;
use super::targets::Paths;
use crate::os::digest::{self, Short, short};
use crate::os::messages::with_visible_direction;
use crate::os::paths::os_str;
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
    let digest = digest::of_bytes(key(url).as_bytes()).to_string();
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
        path.push(&digest::of_bytes(folders.as_bytes()).to_string()[..N_DIGITS]);
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
        let digest = &digest::of_bytes("/a".repeat(32_000).as_bytes()).to_string()[..8];
        let expected = ["index.html", "b.html"].map(|name| format!("h.example/{digest}/{name}"));
        let deep: Vec<String> = deep.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(deep, expected);
        let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        let digests =
            [6, 7].map(|idx: usize| digest::of_bytes(captures[idx].0.as_bytes()).to_string());
        let logos = digests.map(|digest| format!("h.example/logo-{}.png", &digest[..8]));
        let a = digest::of_bytes(b"http://h.example/a").to_string();
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
}
