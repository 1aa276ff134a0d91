//! Targets outside of the tree that may be in it under another name: of the other scheme, with or
//! without `www.`, or, of a tree that moves from a disk, any file URL.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use rewrite::{FixedRoots, TargetLocation, TargetMap};

use crate::problem::scheme;
use crate::summary;
use crate::twins::{self, twins};

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
    found: Mutex<Found>,
}

/// The targets that were found, without their fragments.
#[derive(Debug, Default)]
struct Found {
    file_urls: BTreeSet<String>,
    /// Hashes of URLs, by the other name of the tree that they need.
    others: BTreeMap<String, HashSet<u64>>,
}

impl OtherNames {
    /// Creates a map that collects targets outside of `roots`, which are the trees in `map`. With
    /// `is_from_disk`, the trees move from a disk to a server.
    pub fn new(map: Arc<dyn TargetMap>, roots: FixedRoots, is_from_disk: bool) -> Arc<Self> {
        let hosts = roots.names().filter_map(twins::host_of).collect();
        Arc::new(OtherNames { map, roots, hosts, is_from_disk, found: Mutex::default() })
    }

    /// Returns the names of the trees, without their final slashes.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.roots.names()
    }

    /// Returns the number of targets that were found.
    pub fn n_found(&self) -> usize {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.file_urls.len() + found.others.values().map(HashSet::len).sum::<usize>()
    }

    /// Returns a hint for each name.
    pub fn hints(&self) -> Vec<String> {
        let Found { file_urls, others } =
            &*self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let files = file_urls.first().map(|first| {
            let such_as = if file_urls.len() == 1 { "" } else { "such as " };
            format!(
                "hint: references point to {} out of the tree, {such_as}{first}; use `--same-as URL` if that is another name of the tree",
                summary::n(file_urls.len(), "file URL")
            )
        });
        let others = others.iter().map(|(name, urls)| {
            format!(
                "hint: references point to {} below {name}, which is not in the tree; use `--same-as {name}` if it is another name of the tree",
                summary::n(urls.len(), "URL")
            )
        });
        files.into_iter().chain(others).collect()
    }

    /// Notes a target outside of the tree, if it may be in it.
    fn note(&self, target: &str) {
        let url = target.split('#').next().unwrap_or_default();
        if self.is_from_disk && scheme(url).eq_ignore_ascii_case("file") {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if !found.file_urls.contains(url) {
                found.file_urls.insert(url.to_owned());
            }
            return;
        }
        // Most targets are at other hosts.
        if !twins::host_of(url).is_some_and(|host| self.hosts.contains(&host)) {
            return;
        }
        let rest = twins(url).find_map(|twin| Some(self.roots.find(&twin)?.1.len()));
        let Some(len) = rest else { return };
        let name = format!("{}/", &url[..url.len().saturating_sub(len)]);
        let mut hasher = DefaultHasher::new();
        url.hash(&mut hasher);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.others.entry(name).or_default().insert(hasher.finish());
    }
}

impl TargetMap for OtherNames {
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation {
        let location = self.map.moved(target, is_folder, new);
        if location == TargetLocation::Outside {
            self.note(target);
        }
        location
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.map.for_place(new, from)
    }

    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        self.map.rest(url)
    }

    fn trusts_paths(&self) -> bool {
        self.map.trusts_paths()
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        self.map.target_of_path(new)
    }
}
