//! The paths of the files of web archives: `HOST/PATH`, with names that say what the files are.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference};

use super::captures::Page;
use super::extensions::extensions;
use super::targets::key;
use crate::digest::{self, Short, short};
use crate::files::os_str;
use crate::renames::naming::{self, Unnamed};

/// The number of digits of a digest that distinguish names.
const N_DIGITS: usize = 8;

/// The maximum length in octets of the directories of a path below the host. Systems limit whole
/// paths, to 4,096 octets or fewer, and the memory for names grows with the square of the depth.
const LONGEST: usize = 1_000;

/// Returns the paths of captures below the output, in their order. A path depends on the URL, and
/// on others only if they would have the same: so it stays when an archive grows.
///
/// Also returns the positions of captures that conflict: two have one path, also if letter case
/// does not count, or one is a file where another one needs a directory.
pub(crate) fn paths(pages: &[Page]) -> (Vec<Arc<Path>>, Vec<usize>) {
    let wanted: Vec<PathBuf> = pages.iter().map(|page| path_of(&page.url)).collect();
    let mut directories: HashSet<&Path> = HashSet::new();
    for path in &wanted {
        // A directory that is known has directories that are.
        path.ancestors().skip(1).take_while(|path| directories.insert(path)).for_each(drop);
    }
    let exact = |path: &Path| short(path.as_os_str().as_encoded_bytes());
    let folded = |path: &Path| short(path.to_string_lossy().to_lowercase().as_bytes());
    let conflicts = conflicts(&wanted, &directories, folded);
    let mut is_taken = vec![false; wanted.len()];
    let same = self::conflicts(&wanted, &directories, exact);
    same.into_iter().for_each(|idx| is_taken[idx] = true);
    let file = |((page, path), is_taken): ((&Page, PathBuf), bool)| Unnamed {
        below: if is_taken { distinct(&path, &page.url) } else { path },
        extensions: page.media_type.as_deref().and_then(|name| extensions(name, &[])),
    };
    let files: Vec<Unnamed> = pages.iter().zip(wanted).zip(is_taken).map(file).collect();
    (naming::new_paths(&files), conflicts)
}

/// Returns the positions of paths that others have too, or that are directories of others,
/// according to a hash of paths.
fn conflicts(
    paths: &[PathBuf],
    directories: &HashSet<&Path>,
    hash: impl Fn(&Path) -> Short,
) -> Vec<usize> {
    let directories: HashSet<Short> = directories.iter().map(|path| hash(path)).collect();
    let mut n_wanted: HashMap<Short, usize> = HashMap::with_capacity(paths.len());
    paths.iter().for_each(|path| *n_wanted.entry(hash(path)).or_default() += 1);
    let is_one = |path: &PathBuf| {
        let hash = hash(path);
        directories.contains(&hash) || n_wanted.get(&hash).is_some_and(|n| *n > 1)
    };
    (0..paths.len()).filter(|idx| is_one(&paths[*idx])).collect()
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
    let host = if host.is_empty() { scheme } else { host };
    let mut path = PathBuf::from(component(host.as_bytes()));
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

/// Returns some octets as one name in a directory.
fn component(name: &[u8]) -> std::ffi::OsString {
    let name: Vec<u8> = name
        .iter()
        .map(|byte| if matches!(byte, b'/' | b'\\' | b'\0') { b'-' } else { *byte })
        .collect();
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
        let page = |url: &str, media_type: &str| Page {
            url: url.into(),
            time: "".into(),
            media_type: Some(media_type.into()),
            charset: None,
            archive: 0,
            place: (0, 0),
            digest: None,
        };
        let pages = [
            page("http://h.example/", "text/html"),
            page("http://h.example/a", "text/html"),
            page("http://h.example/a/b.php?id=1&x=%2F", "text/html"),
            page("http://h.example:8080/A%20b/s.css?v=2", "text/css"),
            page("http://h.example/../../etc/passwd", "text/plain"),
            page("http://h.example/%2e%2e%2fx", "image/png"),
            page("https://h.example/logo.png", "image/png"),
            page("http://h.example/logo.png", "image/png"),
        ];
        let (found, conflicts) = paths(&pages);
        assert_eq!(conflicts, [1, 6, 7]);
        // A name per segment would take 1 GB.
        let deep = format!("http://h.example/{}", "a/".repeat(32_000));
        let (deep, _) = paths(&[page(&deep, "text/html"), page(&format!("{deep}b"), "text/html")]);
        let digest = &digest::of_bytes("/a".repeat(32_000).as_bytes())[..8];
        let expected = ["index.html", "b.html"].map(|name| format!("h.example/{digest}/{name}"));
        let deep: Vec<String> = deep.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(deep, expected);
        let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        let digests = [6, 7].map(|idx: usize| digest::of_bytes(pages[idx].url.as_bytes()));
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
}
