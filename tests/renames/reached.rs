//! What references reach before and after the renames, according to the judge.

use std::collections::BTreeSet;

use url::Url;

use super::lists::{Renames, directories};
use super::trees::{Files, escaped};
use crate::judge::{self, Moved, Verdict};

/// What the judge found in a tree.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) n_renamed: usize,
    pub(super) n_documents: usize,
    pub(super) n_references: usize,
    /// References in renamed documents, and references to renamed files.
    pub(super) n_affected: usize,
    pub(super) faults: Vec<String>,
}

impl Sums {
    pub(super) fn add(&mut self, other: Sums) {
        self.n_renamed += other.n_renamed;
        self.n_documents += other.n_documents;
        self.n_references += other.n_references;
        self.n_affected += other.n_affected;
        self.faults.extend(other.faults);
    }
}

/// The target of a reference.
#[derive(Debug, PartialEq, Eq)]
enum Reached {
    File(String),
    /// A path in the tree that no file has.
    Missing(String),
    /// It is out of the tree.
    Outside,
}

/// A tree at a URL.
struct Site<'s> {
    base: &'s Url,
    files: &'s Files,
    directories: BTreeSet<String>,
}

impl Site<'_> {
    /// Returns the file that a server shows for a URL.
    fn reached(&self, url: &Url) -> Reached {
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
        match is_directory && self.files.contains_key(&index) {
            true => Reached::File(index),
            false => Reached::Missing(path),
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

/// Compares a tree before and after renames. `may_be_corrected` is true if a reference without a
/// target counts as corrected already if it has one in the renamed tree.
pub(super) fn judge(
    before: &Files,
    after: &Files,
    renames: &Renames,
    base: &str,
    may_be_corrected: bool,
) -> Sums {
    let mut sums = Sums::default();
    let new_paths = renames.files(before);
    let expected: BTreeSet<&String> = new_paths.values().collect();
    let found: BTreeSet<&String> = after.keys().collect();
    let other: Vec<_> = expected.symmetric_difference(&found).collect();
    if !other.is_empty() {
        sums.faults.push(format!("names of files: {other:?}"));
    }
    let base = Url::parse(base).expect("a URL");
    let site = |files| Site { base: &base, files, directories: directories(Files::keys(files)) };
    let sites = [site(before), site(after)];
    for (old, new) in &new_paths {
        sums.n_renamed += usize::from(old != new);
        let Some(bytes) = after.get(new) else { continue };
        let was = &before[old];
        let urls = [old, new].map(|path| format!("{base}{}", escaped(path)));
        let verdict = match kind(old, was) {
            Kind::Html => judge::judge_moved_html(was, bytes, &urls[0], &urls[1]),
            Kind::Css => judge::judge_moved_css(was, bytes, &urls[0], &urls[1]),
            Kind::Xml => continue,
            Kind::Other => {
                if was != bytes {
                    sums.faults.push(format!("{old}: changed, and no document"));
                }
                continue;
            }
        };
        let Verdict { violations, moved, .. } = verdict;
        let moved = moved.unwrap_or_default();
        sums.n_documents += 1;
        sums.n_references += moved.len();
        sums.faults.extend(violations.iter().map(|fault| format!("{old}: {fault}")));
        for reference in &moved {
            let reached = sites[0].reached(&reference.targets[0]);
            let is_to_renamed = matches!(&reached, Reached::File(path) if new_paths[path] != *path);
            sums.n_affected += usize::from(old != new || is_to_renamed);
            let is_kept = reference.texts[0] == reference.texts[1];
            let may_stay = may_be_corrected && is_kept && matches!(reached, Reached::Missing(_));
            if may_stay || is_right(reference, &reached, &sites[1], renames) {
                continue;
            }
            let Moved { slot, texts, targets } = reference;
            sums.faults.push(format!(
                "{old}: {slot} {:?} -> {:?} led to {} ({reached:?}), leads to {} ({:?})",
                texts[0],
                texts[1],
                targets[0],
                targets[1],
                sites[1].reached(&targets[1])
            ));
        }
    }
    sums
}

/// Returns true if a reference reaches what it reached before.
fn is_right(reference: &Moved, reached: &Reached, after: &Site<'_>, renames: &Renames) -> bool {
    let [old, new] = &reference.targets;
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
    if let ("base[href]", Some(below)) =
        (&*reference.slot, old.as_str().strip_prefix(after.base.as_str()))
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

enum Kind {
    Html,
    Css,
    /// `tests/xml` judges it.
    Xml,
    Other,
}

fn kind(path: &str, bytes: &[u8]) -> Kind {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
        Some("html" | "htm") => Kind::Html,
        Some("css") => Kind::Css,
        Some("svg" | "xml" | "xhtml" | "xht" | "rss" | "atom") => Kind::Xml,
        None => {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_lowercase();
            if head.contains("<html") { Kind::Html } else { Kind::Other }
        }
        _ => Kind::Other,
    }
}
