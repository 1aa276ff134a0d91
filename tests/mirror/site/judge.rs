//! Compares where the references of a tree on the disk lead with where they led on the live site.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use url::Url;

use super::super::served::files;
use super::super::{file_url, path_of};
use super::pages::{Found, Site, marked};
use super::read::{Reference, References, references, refresh};

/// What became of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Right,
    /// It leads to the file of another resource, or another part of the right one.
    WrongFile,
    /// It leads to a URL that answers otherwise than the one before.
    WrongUrl,
    /// It leads to the live site although the mirror has the file.
    Live,
    /// It leads to a file that does not exist.
    Missing,
}

/// A reference that is not right.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) verdict: Verdict,
    /// The path of the document below the tree, and its number.
    pub(super) file: PathBuf,
    pub(super) own: usize,
    /// The name of the reference in the document.
    pub(super) name: String,
    pub(super) was: Reference,
    pub(super) is: Reference,
}

impl Fault {
    pub(super) fn line(&self) -> String {
        let target = |reference: &Reference| {
            reference.target.as_ref().map_or_else(|| "nothing".to_owned(), Url::to_string)
        };
        format!(
            "{:?}: {}: {} {:?} -> {:?}: {} -> {}",
            self.verdict,
            self.file.display(),
            self.was.slot,
            self.was.text,
            self.is.text,
            target(&self.was),
            target(&self.is)
        )
    }
}

/// The references of a tree.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) n_references: usize,
    /// References that the mirroring program removed.
    pub(super) n_lost: usize,
    pub(super) faults: Vec<Fault>,
}

impl Tally {
    pub(super) fn n_right(&self) -> usize {
        self.n_references - self.faults.len()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.faults.iter().map(Fault::line).collect()
    }

    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.faults.iter().filter(|fault| fault.verdict == verdict).count()
    }
}

/// The live references of each resource.
pub(super) struct Live<'s> {
    pub(super) site: &'s Site,
    pub(super) references: Vec<References>,
}

impl<'s> Live<'s> {
    pub(super) fn of(site: &'s Site) -> Self {
        let all = site.resources.iter();
        let references =
            all.map(|resource| references(resource.kind, &resource.body, &resource.url)).collect();
        Live { site, references }
    }

    /// Judges all references of the documents of a tree on the disk.
    pub(super) fn tally(&self, tree: &Path) -> Tally {
        self.tally_of(tree, &Copies::of(tree))
    }

    /// As [`Live::tally`], for a tree that a server of static files shows.
    pub(super) fn tally_hosted(&self, tree: &Path) -> Tally {
        self.tally_of(tree, &Copies { has_server: true, ..Copies::of(tree) })
    }

    fn tally_of(&self, tree: &Path, copies: &Copies) -> Tally {
        let mut tally = Tally::default();
        for (path, id) in &copies.ids {
            let bytes = fs::read(path).expect("a file");
            let now = references(self.site.resources[*id].kind, &bytes, &file_url(path));
            for (name, was) in &self.references[*id] {
                let Some(is) = now.get(name) else {
                    tally.n_lost += 1;
                    continue;
                };
                tally.n_references += 1;
                let verdict = self.verdict(was, is, copies);
                if verdict != Verdict::Right {
                    let file = path.strip_prefix(tree).expect("below").to_owned();
                    let (was, is) = (was.clone(), is.clone());
                    tally.faults.push(Fault {
                        verdict,
                        file,
                        own: *id,
                        name: name.clone(),
                        was,
                        is,
                    });
                }
            }
        }
        tally
    }

    /// Returns the file that a reference of a document in a tree leads to.
    pub(super) fn file_of(&self, tree: &Path, fault: &Fault) -> Option<PathBuf> {
        let path = tree.join(&fault.file);
        let kind = self.site.resources[fault.own].kind;
        let now = references(kind, &fs::read(&path).ok()?, &file_url(&path));
        path_of(now.get(&fault.name)?.target.as_ref()?)
    }

    /// Judges all references of the documents of a tree that was made absolute: each must answer as
    /// the reference of the live site did.
    pub(super) fn tally_absolute(&self, tree: &Path) -> Tally {
        let mut tally = Tally::default();
        for (path, id) in &Copies::of(tree).ids {
            let bytes = fs::read(path).expect("a file");
            let resource = &self.site.resources[*id];
            let now = references(resource.kind, &bytes, &resource.url);
            for (name, was) in &self.references[*id] {
                let Some(is) = now.get(name) else {
                    tally.n_lost += 1;
                    continue;
                };
                tally.n_references += 1;
                let is_right = match (&was.target, &is.target) {
                    (Some(from), Some(to)) => {
                        let answer = self.site.follow(from);
                        let is_alike = answer != Found::Foreign && self.site.follow(to) == answer;
                        from == to || (is_alike && is_same_part(from, to))
                    }
                    (from, to) => from == to,
                };
                if !is_right {
                    let file = path.strip_prefix(tree).expect("below").to_owned();
                    let (verdict, was, is) = (Verdict::WrongUrl, was.clone(), is.clone());
                    tally.faults.push(Fault {
                        verdict,
                        file,
                        own: *id,
                        name: name.clone(),
                        was,
                        is,
                    });
                }
            }
        }
        tally
    }

    fn verdict(&self, was: &Reference, is: &Reference, copies: &Copies) -> Verdict {
        let (Some(from), Some(to)) = (&was.target, &is.target) else {
            let is_same = was.target == is.target && was.text == is.text;
            return if is_same { Verdict::Right } else { Verdict::WrongUrl };
        };
        let answer = self.site.follow(from);
        let held = match answer {
            Found::Resource(id) => Some(id).filter(|id| copies.all.contains(id)),
            _ => None,
        };
        if let Some(path) = path_of(to) {
            let Some(found) = copies.shown(&path) else { return Verdict::Missing };
            let is_right = found == held && is_same_part(from, to);
            return if is_right { Verdict::Right } else { Verdict::WrongFile };
        }
        // A URL of the site is right if it answers alike; any other has to be the same.
        let is_alike = match answer {
            Found::Resource(_) => self.site.follow(to) == answer && is_same_part(from, to),
            _ => from == to,
        };
        match (is_alike, held) {
            (false, _) => Verdict::WrongUrl,
            (true, Some(_)) if !was.is_metadata => Verdict::Live,
            _ => Verdict::Right,
        }
    }
}

/// Returns true if the fragments are the same. An empty one is the whole document.
fn is_same_part(from: &Url, to: &Url) -> bool {
    let part = |url: &Url| url.fragment().filter(|part| !part.is_empty()).map(str::to_owned);
    part(from) == part(to)
}

/// The resources that the files of a tree are copies of.
pub(super) struct Copies {
    pub(super) ids: BTreeMap<PathBuf, usize>,
    all: BTreeSet<usize>,
    /// True if a server shows the index page of a directory.
    has_server: bool,
}

impl Copies {
    pub(super) fn of(tree: &Path) -> Copies {
        let mut ids = BTreeMap::new();
        for path in files(tree) {
            // HTTrack keeps its log and its cache next to the mirror, and wget the pages that it
            // converts: `page.html.orig`, and `style.cgiorig` for `style.cgi.css`.
            let is_cache = path.components().any(|name| name.as_os_str() == "hts-cache")
                || path.as_os_str().as_encoded_bytes().ends_with(b"orig");
            if let Some(id) = marked(&fs::read(&path).expect("a file")).filter(|_| !is_cache) {
                ids.insert(path, id);
            }
        }
        let all = ids.values().copied().collect();
        Copies { ids, all, has_server: false }
    }

    /// The resource that a browser shows for a path: `None` if nothing is there, `Some(None)` if
    /// something else is.
    fn shown(&self, path: &Path) -> Option<Option<usize>> {
        let mut path = path.to_owned();
        if self.has_server && path.is_dir() {
            path.push("index.html");
        }
        // The page that HTTrack writes for a redirect leads on.
        for _ in 0..3 {
            if let Some(id) = self.ids.get(&path) {
                return Some(Some(*id));
            }
            if !path.is_file() {
                return None;
            }
            match refresh(&fs::read(&path).ok()?, &file_url(&path)).as_ref().and_then(path_of) {
                Some(next) => path = next,
                None => break,
            }
        }
        Some(None)
    }
}
