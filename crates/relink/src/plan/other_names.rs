//! Targets outside of the tree that may be in it under another name: of the other scheme, with or
//! without `www.`; of a tree that moves from a disk, any file URL; and of a tree without a URL,
//! those with the paths of renamed files.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rewrite::{FixedRoots, TargetLocation, TargetMap};

use crate::events::problem::scheme;
use crate::events::summary;
use crate::os::paths;
use crate::urls::layout;
use crate::urls::twins::{self, twins};

/// A map that collects such targets.
#[derive(Debug)]
pub struct OtherNames {
    map: Arc<dyn TargetMap>,
    /// The trees by their names.
    roots: FixedRoots,
    /// The hosts of the trees, as [`twins::host_of`] returns them.
    hosts: HashSet<String>,
    /// True if file URLs are collected.
    is_from_disk: bool,
    /// The paths by which references may lead to renamed files, if the tree has no URL.
    renamed: HashSet<PathBuf>,
    found: Mutex<OtherTargets>,
}

/// The number of segments of a path that are looked at; of a longer one, the last.
const SEGMENTS: usize = 16;

/// The number of URLs that are listed of which one may be that of the tree.
const LISTED: usize = 3;

/// The targets that were found, without their fragments.
#[derive(Debug, Default)]
struct OtherTargets {
    file_urls: BTreeSet<String>,
    /// Hashes of URLs and paths, by the letter of their drive.
    drives: BTreeMap<char, HashSet<u64>>,
    /// Hashes of URLs, by the other name of the tree that they need.
    others: BTreeMap<String, HashSet<u64>>,
    /// Hashes of URLs that may be those of renamed files, by the URL that the tree then has.
    renamed: BTreeMap<String, HashSet<u64>>,
}

impl OtherNames {
    /// Creates a map that collects targets outside of `roots`, which are the trees in `map`. With
    /// `is_from_disk`, the trees move from a disk to a server.
    pub fn new(map: Arc<dyn TargetMap>, roots: FixedRoots, is_from_disk: bool) -> Arc<Self> {
        let host = |name: &str| twins::host_of(&name.replacen("file://", "http://", 1));
        let hosts = roots.names().filter_map(host).collect();
        let (renamed, found) = (HashSet::new(), Mutex::default());
        Arc::new(OtherNames { map, roots, hosts, is_from_disk, renamed, found })
    }

    /// Creates a map of a tree without a URL. It collects the URLs of servers whose paths are among
    /// those of renamed files.
    pub fn of_renamed(map: Arc<dyn TargetMap>, renamed: HashSet<PathBuf>) -> Arc<Self> {
        let (roots, hosts, found) = (FixedRoots::default(), HashSet::new(), Mutex::default());
        Arc::new(OtherNames { map, roots, hosts, is_from_disk: false, renamed, found })
    }

    /// Returns the names of the trees, without their final slashes.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.roots.names()
    }

    /// Returns a hint for each name.
    pub fn hints(&self) -> Vec<String> {
        let OtherTargets { file_urls, drives, others, renamed } =
            &*self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let files = file_urls.first().map(|first| {
            let such_as = if file_urls.len() == 1 { "" } else { "such as " };
            format!(
                "hint: references point to {} out of the tree, {such_as}{first}; use `--same-as URL` if that is another name of the tree",
                summary::n(file_urls.len(), "file URL")
            )
        });
        let drives = drives.iter().map(|(letter, targets)| {
            format!(
                "hint: references point to {} on the drive {letter}:; use `--drive {letter}:=SHARE` if it is a name of a share",
                summary::n(targets.len(), "place")
            )
        });
        let others = others.iter().map(|(name, urls)| {
            format!(
                "hint: references point to {} below {name}, which is not in the tree; use `--same-as {name}` if it is another name of the tree",
                summary::n(urls.len(), "URL")
            )
        });
        let mut renamed: Vec<(&String, usize)> =
            renamed.iter().map(|(base, urls)| (base, urls.len())).collect();
        renamed.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let renamed = renamed.iter().take(LISTED).map(|(base, n)| {
            format!(
                "hint: references point to {} below {base} with the paths of renamed files; use `--base {base}` if that is the URL of the tree",
                summary::n(*n, "URL")
            )
        });
        files.into_iter().chain(drives).chain(others).chain(renamed).collect()
    }

    /// Notes a target outside of the tree, if it may be in it.
    fn note(&self, target: &str) {
        let url = target.split('#').next().unwrap_or_default();
        if let Some(letter) = self.map.windows().and_then(|windows| windows.unknown_drive(url)) {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.drives.entry(letter).or_default().insert(hash(url));
            return;
        }
        if self.is_from_disk && scheme(url).eq_ignore_ascii_case("file") {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if !found.file_urls.contains(url) {
                found.file_urls.insert(url.to_owned());
            }
            return;
        }
        if let Some(base) = self.base_of_renamed(url) {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.renamed.entry(base.to_owned()).or_default().insert(hash(url));
            return;
        }
        // Most targets are at other hosts.
        if !twins::host_of(url).is_some_and(|host| self.hosts.contains(&host)) {
            return;
        }
        // A browser reads `\\host\share` as the URL of a server where the document has one.
        let share = url.split_once("://").map(|(_, path)| format!("file://{path}"));
        let rest = twins(url).chain(share).find_map(|twin| Some(self.roots.find(&twin)?.1.len()));
        let Some(len) = rest else { return };
        let name = format!("{}/", &url[..url.len().saturating_sub(len)]);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.others.entry(name).or_default().insert(hash(url));
    }

    /// Returns the URL that the tree has if a URL is that of a renamed file: what is before the
    /// path of the file. A name without a directory is found at the root of a host only.
    fn base_of_renamed<'u>(&self, url: &'u str) -> Option<&'u str> {
        if self.renamed.is_empty() || !matches!(scheme(url), "http" | "https") {
            return None;
        }
        let end = url.find('?').unwrap_or(url.len());
        let path = url.find("://")? + "://".len();
        let path = path + url[path..end].find('/')? + 1;
        let name = url[..end].strip_suffix('/').filter(|name| name.len() >= path);
        let end = name.map_or(end, str::len);
        let is_renamed = |start: usize, least: usize| {
            let name = paths::from_bytes(&layout::decoded(&url[start..end]));
            name.is_some_and(|name| {
                let is_one = |name: &&Path| name.components().count() >= least;
                name.ancestors().take_while(is_one).any(|name| self.renamed.contains(name))
            })
        };
        let inner = url[path..end].rmatch_indices('/').map(|(at, _)| path + at + 1);
        let inner = inner.take(SEGMENTS).filter(|start| is_renamed(*start, 2)).last();
        let start = if is_renamed(path, 1) { Some(path) } else { inner };
        start.map(|start| &url[..start])
    }
}

fn hash(url: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    hasher.finish()
}

impl TargetMap for OtherNames {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let location = self.map.moved(target, is_folder, new);
        if location == TargetLocation::Outside {
            self.note(target);
        }
        location
    }

    fn inner(&self) -> Option<&dyn TargetMap> {
        Some(&*self.map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_tree_of_which_a_file_was_renamed() {
        let renamed = ["a.html", "docs/b", "docs/b.html"].map(PathBuf::from);
        let names = OtherNames::of_renamed(Arc::new(FixedRoots::default()), renamed.into());
        for (url, base) in [
            ("https://h.example/a.html", Some("https://h.example/")),
            ("https://h.example/x/a.html", None),
            ("https://h.example/docs/b/?q=/c", Some("https://h.example/")),
            ("http://h.example/s/docs/b.html", Some("http://h.example/s/")),
            ("http://h.example/s/docs/b/inner", Some("http://h.example/s/")),
            ("http://h.example/docs/c", None),
            ("http://h.example/b", None),
            ("http://h.example/", None),
            ("http://h.example", None),
            ("ftp://h.example/a.html", None),
            ("http:a.html", None),
        ] {
            assert_eq!(names.base_of_renamed(url), base, "{url}");
        }
    }
}
