//! Mirrors: trees that a program fetched from hosts, and perhaps converted.
//!
//! A relative reference in a mirror either is as the site had it, a URL reference, or was written
//! by the mirroring program: the path of a file on the disk. [`reading`] decides which, for each
//! document and before any edit; [`disk`] gives the URL of a target that was read as a path.
//!
//! Invariant: `T = U(read(r))`, where `read` is one of the two readings and `U` the URL of a file.

pub mod appended;
pub mod detect;
pub mod disk;
pub mod originals;
pub mod reading;
pub mod style_sheets;

use std::path::PathBuf;

use rewrite::{Media, unarchived};

use self::appended::{Appended, page_of};
use self::originals::SameBytes;
use crate::files::existing::Files;
use crate::files::media::{self, FileType, Types};
use crate::os::paths::{self, Root};
use crate::urls::layout::{self, Layout};
use crate::urls::locate::{Located, Locator};
use crate::urls::origins::Place;
use crate::urls::twins::twins;
use crate::urls::url_mapping::UrlMapping;

/// The address of the Wayback Machine.
const ARCHIVE: &str = "https://web.archive.org";

/// The files of a mirror and their URLs.
#[derive(Debug)]
pub struct Mirror {
    /// The directory of each PATH, if it has one.
    directories: Vec<Option<PathBuf>>,
    urls: UrlMapping,
    locator: Locator,
    /// The files to whose names wget may have appended an extension.
    doubtful: Vec<Place>,
    /// The documents that have the same bytes.
    same_bytes: SameBytes,
}

/// The number of files with the bytes of a document whose URLs it may have.
const COMPARED: usize = 16;

impl Mirror {
    /// Creates the mirror of a run.
    pub fn new(roots: &[Root], urls: &UrlMapping, types: &Types, locator: Locator) -> Self {
        let directories: Vec<Option<PathBuf>> = roots.iter().map(Root::directory).collect();
        let same_bytes = SameBytes::read(roots.len(), &locator.files, types);
        let (urls, doubtful) = (urls.clone(), Vec::new());
        Mirror { directories, urls, locator, doubtful, same_bytes }
    }

    /// Sets what is known of the extensions that wget appended to names, in the URLs of the run
    /// too.
    pub fn set_appended(&mut self, appended: &Appended, urls: &mut UrlMapping) {
        let path = |(root, below): &Place| {
            Some(self.directories.get(*root)?.as_ref()?.join(paths::from_bytes(below)?))
        };
        for (place, is_appended) in &appended.proved {
            if let Some(path) = path(place) {
                urls.set_appended(&path, *is_appended);
            }
        }
        self.doubtful.clone_from(&appended.doubtful);
        self.urls = urls.clone();
    }

    /// Returns the files to whose names wget may have appended an extension, without anything that
    /// says so.
    pub fn doubtful(&self) -> &[Place] {
        &self.doubtful
    }

    /// Returns true if a file belongs to the mirror's own bookkeeping.
    fn is_bookkeeping(&self, below: &[u8]) -> bool {
        paths::from_bytes(below).is_none_or(|below| self.urls.layout().is_bookkeeping(&below))
    }

    /// Returns the URL that a file has if wget appended an extension to its name, or if it did not.
    fn url_if(&self, root: usize, below: &[u8], is_appended: bool) -> Option<String> {
        let path = self.directories.get(root)?.as_ref()?.join(paths::from_bytes(below)?);
        Some(self.urls.url_if(&paths::absolute(&path), Some(is_appended))?.0)
    }

    /// Returns the bytes of the copy that `wget -K` keeps of a document.
    pub fn copy_of(&self, root: usize, below: &[u8]) -> Option<Vec<u8>> {
        let (copy, _) = originals::copy_of(&self.locator.files, root, below)?;
        detect::read(&self.locator.files, root, &copy)
    }

    /// Returns the URL of a file or directory: the one that was recorded for it, or that of its
    /// path.
    pub fn url_of(&self, root: usize, below: &[u8]) -> Option<String> {
        if let Some(origin) = self.recorded_url(root, below) {
            return Some(origin.to_owned());
        }
        let directory = self.directories.get(root)?.as_ref()?;
        let name = below.strip_suffix(b"/").unwrap_or(below);
        let path = directory.join(paths::from_bytes(name)?);
        let (mut url, _) = self.urls.url_of(&path)?;
        if name.len() < below.len() && !url.ends_with('/') {
            url.push('/');
        }
        Some(url)
    }

    /// Returns the URL that the mirroring program recorded for a file.
    pub fn recorded_url(&self, root: usize, below: &[u8]) -> Option<&str> {
        self.locator.origin_of(root, below)
    }

    /// Returns true if a URL is that of a host of the mirror.
    pub fn has_host(&self, url: &str) -> bool {
        self.locator.knows(url)
    }

    /// Returns the file, or the directory without an index file, at a path on the disk.
    fn at_path(&self, root: usize, below: &[u8]) -> Option<Place> {
        let files = &self.locator.files;
        let is_directory = below.is_empty() || below.ends_with(b"/");
        if !is_directory && files.has_file(root, below) {
            return Some((root, below.to_vec()));
        }
        if !files.has_directory(root, below) {
            return None;
        }
        let mut directory = below.to_vec();
        if !is_directory {
            directory.push(b'/');
        }
        let index = |name: &String| [&*directory, name.as_bytes()].concat();
        let index =
            self.locator.indexes().iter().map(index).find(|path| files.has_file(root, path));
        Some((root, index.unwrap_or(directory)))
    }

    /// Returns the URL in the Wayback Machine that a URL is, if it is one. In a page of the
    /// archive, that of a reference that begins with a slash has the host of the page.
    pub fn capture(&self, url: &str) -> Option<String> {
        // Most are none.
        if !url.contains("/web/") {
            return None;
        }
        if unarchived(url).is_some() {
            return Some(url.to_owned());
        }
        let (_, rest) = rewrite::site(url).filter(|_| self.has_host(url))?;
        Some(format!("{ARCHIVE}{rest}")).filter(|url| unarchived(url).is_some())
    }

    /// Returns the URL in the mirror of the page of a capture, if the mirror has it.
    pub fn page_of(&self, capture: &str) -> Option<String> {
        let url = unarchived(capture)?;
        let mut urls = std::iter::once(url.clone()).chain(twins(&url));
        urls.find(|url| matches!(self.locator.locate(url, true), Located::File { .. }))
    }

    /// Returns true if a URL leads to another file than this one.
    fn has_file(&self, url: &str, (own_root, own_path): &Place) -> bool {
        matches!(
            self.locator.locate(url, true),
            Located::File { root, path, .. } if (root, &*path) != (*own_root, &**own_path)
        )
    }

    /// Returns the URLs of other files that had the bytes of a document before the run.
    fn with_same_bytes(&self, own: &Place) -> impl Iterator<Item = String> {
        let same = self.same_bytes.of(own).filter(move |place| *place != own).take(COMPARED);
        same.filter_map(|(root, below)| self.url_of(*root, below))
    }

    /// Returns the file, or the directory without an index file, of a URL.
    fn at_url(&self, url: &str) -> Option<Place> {
        match self.locator.locate(url, true) {
            Located::File { root, path, .. } | Located::Directory { root, path } => {
                Some((root, path.to_vec()))
            }
            Located::Missing { .. } | Located::Outside => None,
        }
    }

    /// Returns true if the URL of a file is another page than that of `url`, which leads to the
    /// file too.
    fn is_elsewhere(&self, (root, below): &Place, url: &str) -> bool {
        let Some(own) = self.url_of(*root, below) else { return false };
        // HTTrack writes the name of an index file where the site has the URL of the directory.
        if self.urls.layout() == Layout::Httrack && self.locator.origin_of(*root, below).is_some() {
            return own != url;
        }
        let (own, url) = (page_of(&own), page_of(url));
        let is_index = |index: &String| is_index(&own.0, &url.0, index.as_bytes());
        own.1 != url.1 || (own.0 != url.0 && !self.locator.indexes().iter().any(is_index))
    }

    /// Returns true if the program that wrote the paths left a query after them: HTTrack writes
    /// `item681a.html?id=1`.
    fn has_queries_in_paths(&self) -> bool {
        self.urls.layout() == Layout::Httrack
    }

    /// Returns the number of PATHs.
    fn n_roots(&self) -> usize {
        self.directories.len()
    }
}

/// Returns true if one of two pages is the index of the directory that is the other.
fn is_index(a: &[u8], b: &[u8], index: &[u8]) -> bool {
    let is_in = |directory: &[u8], page: &[u8]| {
        directory.ends_with(b"/") && page.strip_prefix(directory) == Some(index)
    };
    is_in(a, b) || is_in(b, a)
}

/// Returns true if wget added an extension to the names of the pages of a mirror that have a query
/// (`--adjust-extension`): some end with one, and no other file with a query is a page.
pub fn is_adjusted(roots: &[Root], files: &Files, layout: Layout) -> bool {
    if layout != Layout::Wget {
        return false;
    }
    let mut is_adjusted = false;
    for root in 0..roots.len() {
        for below in files.sorted(root) {
            let name = below.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            match layout::query_extension(name) {
                Some(true) => is_adjusted = true,
                // To these, it adds none.
                Some(false) if has_own_extension(name) => {}
                Some(false) if is_page(files, root, below) => return false,
                _ => {}
            }
        }
    }
    is_adjusted
}

/// Returns true if wget appends no extension to the name of a page: it has one.
fn has_own_extension(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(b".htm") || name.ends_with(b".html")
}

/// Returns true if the first bytes of a file are those of a page.
fn is_page(files: &Files, root: usize, below: &[u8]) -> bool {
    detect::head_of(files, root, below)
        .is_some_and(|head| media::sniff(&head) == FileType::Document(Media::HTML))
}
