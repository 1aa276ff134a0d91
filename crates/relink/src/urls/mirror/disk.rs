//! The place of a document on the disk as a URL, and the URLs of the targets that are found from
//! there.
//!
//! A reference that is read as a path is resolved against [`DiskPlace::url`], a URL whose path is
//! the path of the file. Its scheme is that of the mirror, so that all rules of resolution are the
//! same, and its host is one that never exists (RFC 2606, section 2).

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use basectx::BaseUrl;
use rewrite::{TargetLocation, TargetMap, WindowsPaths};
use urlcore::escape::encode_path_segment;
use urlcore::{BaseIs, Dialect, Relativizer, Resolver, Style};

use super::Mirror;
use crate::os::temp_names;
use crate::urls::layout;
use crate::urls::origins::Place;

/// The host of all places on the disk: another one in each run, so that no document names it.
static HOST: LazyLock<String> =
    LazyLock::new(|| format!("{}.invalid", temp_names::run_id()).to_ascii_lowercase());

/// The reading of references that both readings find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// They are URL references.
    Url,
    /// They are paths on the disk.
    Disk,
}

impl Preference {
    /// Returns the name in reports: `url`, `disk`.
    pub const fn name(self) -> &'static str {
        match self {
            Preference::Url => "url",
            Preference::Disk => "disk",
        }
    }
}

/// The URLs that the copy of a document has for files, by the places of the files as URLs.
pub type Urls = HashMap<String, String>;

/// The place of a document on the disk, and its URL on the web.
#[derive(Clone, Debug)]
pub struct DiskPlace {
    mirror: Arc<Mirror>,
    /// The scheme, host and slash of all places on the disk.
    prefix: String,
    /// The place of the document.
    url: BaseUrl,
    /// The URL of the document on the web.
    web: BaseUrl,
    /// The reading of references that both readings find.
    preference: Preference,
    /// The URLs that a copy of the document has for paths.
    originals: Arc<Urls>,
}

impl DiskPlace {
    /// Creates the place of a document at `below` its PATH, whose URL is `web`.
    pub fn new(mirror: Arc<Mirror>, root: usize, below: &[u8], web: &BaseUrl) -> Option<Self> {
        let scheme = web.as_str().split(':').next().unwrap_or("http");
        let prefix = format!("{scheme}://{}/", *HOST);
        let mut url = format!("{prefix}{root}");
        for name in below.split(|byte| *byte == b'/') {
            url.push('/');
            encode_path_segment(name, &mut url);
        }
        let (url, web, preference) = (url.parse().ok()?, web.clone(), Preference::Disk);
        Some(DiskPlace { mirror, prefix, url, web, preference, originals: Arc::default() })
    }

    /// Sets the reading of references that both readings find.
    #[must_use]
    pub fn preferring(mut self, preference: Preference) -> Self {
        self.preference = preference;
        self
    }

    /// Sets the URLs that a copy of the document has for paths.
    #[must_use]
    pub fn with_originals(mut self, originals: Urls) -> Self {
        self.originals = Arc::new(originals);
        self
    }

    /// Returns the place of the document as a URL.
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// Returns the URL of the document on the web.
    pub fn web(&self) -> &BaseUrl {
        &self.web
    }

    /// Returns the reading of references that both readings find.
    pub fn preference(&self) -> Preference {
        self.preference
    }

    /// Returns true if a URL is on the disk.
    pub(super) fn has(&self, url: &str) -> bool {
        url.starts_with(&*self.prefix)
    }

    /// Returns the file or directory on the disk that a target is the path of. A path has no query.
    pub(super) fn file(&self, target: &str) -> Option<Place> {
        let rest = target.strip_prefix(&*self.prefix)?.split('#').next().unwrap_or_default();
        let (root, path) = rest.split_once('/')?;
        let root = root.parse().ok().filter(|root| *root < self.mirror.n_roots())?;
        (!path.contains('?')).then(|| self.mirror.at_path(root, &layout::decoded(path))).flatten()
    }

    /// Returns the URL on the web of a target that was resolved against the place of the document;
    /// `None` if it is not on the disk.
    pub fn web_url(&self, target: &str) -> Option<String> {
        let rest = target.strip_prefix(&*self.prefix)?;
        let (path, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        if let Some(url) = self.originals.get(path) {
            return Some(format!("{url}{fragment}"));
        }
        let by_url = || self.by_url(target, rest);
        if self.preference == Preference::Url
            && let Some(url) = by_url()
            && self.mirror.at_url(&url).is_some()
        {
            return Some(url);
        }
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        let found = self.file(path);
        match found.and_then(|found| self.url_with(&found, query, fragment)) {
            Some(url) => Some(url),
            None => self.by_path(path, query, fragment).or_else(by_url),
        }
    }

    /// Returns the URL of a file with the query and the fragment of a path to it, if that has them.
    ///
    /// A URL that HTTrack recorded has the query of the file. If the path has another query, it is
    /// that of a URL that redirected to the file, unless the file is the document itself.
    fn url_with(&self, found: &Place, query: &str, fragment: &str) -> Option<String> {
        let (root, below) = found;
        let mut url = self.mirror.url_of(*root, below)?;
        let has_own_query = || {
            self.mirror.has_queries_in_paths()
                && self.mirror.locator.origin_of(*root, below).is_some()
                && self.file(self.url.as_str()).as_ref() != Some(found)
        };
        if !query.is_empty() && !has_own_query() {
            url.truncate(url.find('?').unwrap_or(url.len()));
            url.push_str(query);
        }
        url.push_str(fragment);
        Some(url)
    }

    /// Returns the URL of a path without a file in the directory of another host.
    fn by_path(&self, path: &str, query: &str, fragment: &str) -> Option<String> {
        if self.preference == Preference::Url {
            return None;
        }
        let (root, below) = path.strip_prefix(&*self.prefix)?.split_once('/')?;
        let url = self.mirror.url_of(root.parse().ok()?, &layout::decoded(below))?;
        let origin = |url| rewrite::site(url).map(|(origin, _)| origin);
        (origin(&url) != origin(self.web.as_str())).then(|| url + query + fragment)
    }

    /// Returns the URL of a target on the disk if its reference is read as a URL reference.
    fn by_url(&self, target: &str, rest: &str) -> Option<String> {
        let web = Resolver::new(self.web.as_str(), Dialect::Web).ok()?;
        let is_in_path = rest.split_once('/').is_some_and(|(root, _)| {
            root.parse::<usize>().is_ok_and(|root| root < self.mirror.n_roots())
        });
        if !is_in_path {
            // From the root of the host, or above all PATHs.
            return web.resolve(&format!("/{rest}")).ok()?.url();
        }
        let disk = Resolver::new(self.url.as_str(), Dialect::Web).ok()?;
        let mut relativizer = Relativizer::default();
        let relative = relativizer.relativize(&disk, target, Style::Relative, BaseIs::Document);
        web.resolve(relative.ok()?.text).ok()?.url()
    }
}

/// The URLs of targets that were resolved against a place on the disk, and then their locations by
/// another map, if there is one.
#[derive(Debug)]
pub struct DiskMap {
    place: DiskPlace,
    then: Option<Arc<dyn TargetMap>>,
}

impl DiskMap {
    /// Creates the map of the targets of a document.
    pub fn new(place: DiskPlace, then: Option<Arc<dyn TargetMap>>) -> Self {
        DiskMap { place, then }
    }
}

impl TargetMap for DiskMap {
    fn moved(&self, target: &str, is_directory: bool, new: &mut String) -> TargetLocation {
        let web = self.place.web_url(target);
        let target = web.as_deref().unwrap_or(target);
        match &self.then {
            None => {
                new.push_str(target);
                TargetLocation::Inside
            }
            Some(map) => {
                let location = map.moved(target, is_directory, new);
                if new.is_empty() {
                    new.push_str(target);
                }
                location
            }
        }
    }

    fn windows(&self) -> Option<&WindowsPaths> {
        self.then.as_ref()?.windows()
    }
}

/// A map for a document whose relative references were written for the disk: each that leads to a
/// file stays.
#[derive(Debug)]
pub struct TrustedPaths {
    /// The place of the document on the disk.
    pub place: DiskPlace,
    /// The map of the tree.
    pub map: Arc<dyn TargetMap>,
}

impl TargetMap for TrustedPaths {
    fn moved(&self, target: &str, is_directory: bool, new: &mut String) -> TargetLocation {
        self.map.moved(target, is_directory, new)
    }

    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.map.for_place(new, from)
    }

    fn trusts_paths(&self) -> bool {
        true
    }

    fn target_of_path(&self, new: &str) -> Option<String> {
        let mirror = &self.place.mirror;
        let (path, fragment) = new.split_at(new.find('#').unwrap_or(new.len()));
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        if !query.is_empty() && !mirror.has_queries_in_paths() {
            return None;
        }
        let (root, below) = mirror.locator.file_at(path)?;
        self.place.url_with(&(root, below.to_vec()), query, fragment)
    }
}
