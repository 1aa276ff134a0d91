//! What URLs reach in a tree that is served.

use std::collections::BTreeSet;

use url::Url;

use super::{Files, Renames, directories, escaped};

/// The target of a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    File(String),
    /// A path in the tree that no file has.
    Missing(String),
    /// It is out of the tree.
    Outside,
}

/// A tree at a URL.
pub(crate) struct Site<'s> {
    base: &'s Url,
    files: &'s Files,
    directories: BTreeSet<String>,
}

impl<'s> Site<'s> {
    pub(crate) fn new(base: &'s Url, files: &'s Files) -> Self {
        Site { base, files, directories: directories(files.keys()) }
    }

    /// Returns the file that a server shows for a URL.
    pub(crate) fn reached(&self, url: &Url) -> Reached {
        let origin = |url: &Url| {
            let port = url.port_or_known_default();
            (url.scheme().to_owned(), url.host_str().map(str::to_owned), port)
        };
        let whole = url.path();
        let root = self.base.path();
        let is_root = whole == root.trim_end_matches('/');
        let below = if is_root { Some("") } else { whole.strip_prefix(root) };
        let Some(below) = below.filter(|_| origin(url) == origin(self.base)) else {
            return Reached::Outside;
        };
        let Some(path) = decoded(below) else { return Reached::Missing(below.to_owned()) };
        if self.files.contains_key(&path) {
            return Reached::File(path);
        }
        let directory = path.strip_suffix('/').unwrap_or(&path);
        let index = match directory {
            "" => "index.html".to_owned(),
            directory => format!("{directory}/index.html"),
        };
        let is_directory = directory.is_empty() || self.directories.contains(directory);
        if is_directory && self.files.contains_key(&index) {
            Reached::File(index)
        } else {
            Reached::Missing(path)
        }
    }
}

fn decoded(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = path.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// Returns true if a reference, whose targets were and are these URLs, reaches what it reached
/// before. `is_base` is true if it is the base of a document.
pub(crate) fn is_right(
    [old, new]: [&Url; 2],
    is_base: bool,
    reached: &Reached,
    after: &Site<'_>,
    renames: &Renames,
) -> bool {
    if (old.query(), old.fragment()) != (new.query(), new.fragment()) {
        return false;
    }
    let leads_to = |expected: String| {
        let expected = Url::parse(&format!("{}{}", after.base, escaped(&expected)));
        let path =
            |url: &Url| decoded(url.path()).map(|path| path.trim_end_matches('/').to_owned());
        expected.is_ok_and(|url| path(&url) == path(new))
    };
    // A base is a directory, and not the page that a server shows for it.
    if is_base
        && let Some(below) = old.as_str().strip_prefix(after.base.as_str())
        && let Some(directory) = decoded(below.split(['?', '#']).next().unwrap_or_default())
        && (directory.is_empty() || directory.ends_with('/'))
    {
        return leads_to(renames.by_directory(directory.trim_end_matches('/')));
    }
    match reached {
        Reached::Outside => old == new,
        Reached::File(path) => after.reached(new) == Reached::File(renames.new_path(path)),
        // It has a row of its own, or moves with the directory that would contain it.
        Reached::Missing(path) => {
            let name = path.strip_suffix('/').unwrap_or(path);
            let index = format!("{name}/index.html");
            match renames.pages.get(index.trim_start_matches('/')) {
                // The row of a page that is not in the tree.
                Some(new) => leads_to(new.strip_suffix("index.html").unwrap_or(new).to_owned()),
                None => leads_to(renames.new_path(name)),
            }
        }
    }
}
