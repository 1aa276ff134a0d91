//! The URLs that mirroring programs recorded for files: HTTrack's comment in a page and its list
//! of files, and the extended attribute that `wget --xattr` sets.
//!
//! Invariant: a URL that a page records counts only if its host is that of the directory that
//! contains the file: anything else is a claim of the page. One in an attribute, which no page can
//! set, may be of any host of the mirror: wget stores the answer of a redirect to another host
//! below the first one.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use rewrite::Media;
use urlcore::escape::ascii_web;
use urlcore::{Dialect, Resolver};

use crate::files::existing::Files;
use crate::files::media::{FileType, Types};
use crate::os::paths::Root;
use crate::os::store::OpenFile;
use crate::urls::layout::{Layout, httrack, httrack_origin, without_scheme};
use crate::urls::url_mapping::UrlMapping;

/// The number of bytes of a page that are searched for HTTrack's comment.
const HEAD: u64 = 16 * 1024;

/// A file or directory: the number of its PATH, and its path below it. That of a directory ends
/// with a slash.
pub type Place = (usize, Vec<u8>);

/// The recorded URLs of files.
#[derive(Debug, Default)]
pub struct Origins {
    /// The files, by their URLs without scheme and fragment.
    files: HashMap<String, Place>,
    /// The URLs, by file.
    urls: HashMap<Place, String>,
}

impl Origins {
    /// Reads what was recorded for the files of all PATHs. `is_known` returns true for the URLs of
    /// the hosts of the mirror.
    pub fn read(
        roots: &[Root],
        urls: &UrlMapping,
        types: &Types,
        files: &Files,
        is_known: impl Fn(&str) -> bool,
    ) -> Self {
        let mut origins = Origins::default();
        let layout = urls.layout();
        for (root, path) in roots.iter().enumerate() {
            let Root::Path { typed: path, .. } = path else { continue };
            let listed = match layout {
                Layout::Httrack => {
                    httrack::listed(files.open(root, httrack::LIST.as_bytes()), |below| {
                        files.has_file(root, below)
                    })
                }
                _ => HashMap::new(),
            };
            for name in files.sorted(root) {
                let Ok(below) = std::str::from_utf8(name) else { continue };
                if layout.is_bookkeeping(Path::new(below)) {
                    continue;
                }
                let path = path.join(below);
                let Some((given, _)) = urls.url_of(&path) else { continue };
                let is_page = types.of_path(&path) == FileType::Document(Media::HTML);
                let of_list = listed.get(name).and_then(|url| trusted(url, &given));
                let url = of_list.or_else(|| {
                    recorded(files.open(root, name)?, layout, is_page, &given, &is_known)
                });
                let Some(url) = url else { continue };
                let place = (root, name.to_vec());
                // The first of several files with one URL counts.
                origins.files.entry(without_scheme(&url).to_owned()).or_insert(place.clone());
                origins.urls.insert(place, url);
            }
        }
        origins
    }

    /// Returns true if there are any.
    pub fn has_any(&self) -> bool {
        !self.urls.is_empty()
    }

    /// Returns the file that a URL was recorded for.
    pub fn file(&self, url: &str) -> Option<&Place> {
        if self.files.is_empty() {
            return None;
        }
        let url = without_scheme(url.split('#').next().unwrap_or_default());
        // An empty query is the same page.
        let with_mark = || self.files.get(&format!("{url}?")).filter(|_| !url.contains('?'));
        self.files.get(url).or_else(with_mark)
    }

    /// Returns the URL that was recorded for a file.
    pub fn url(&self, root: usize, below: &[u8]) -> Option<&str> {
        if self.urls.is_empty() {
            return None;
        }
        self.urls.get(&(root, below.to_vec())).map(String::as_str)
    }
}

/// Returns the URL that was recorded for a file, if its host is that of `given`, the URL of its
/// path; one in its attribute also if `is_known`.
fn recorded(
    file: Box<dyn OpenFile>,
    layout: Layout,
    is_page: bool,
    given: &str,
    is_known: &impl Fn(&str) -> bool,
) -> Option<String> {
    if let Some(url) = file.origin() {
        return of_attribute(&url, given, is_known);
    }
    if layout != Layout::Httrack || !is_page {
        return None;
    }
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).ok()?;
    trusted(httrack_origin(&head)?.split('#').next().unwrap_or_default(), given)
}

/// Returns the URL in the attribute of a file, parsed, if its host is that of `given`, the URL of
/// the file's path, or if `is_known`.
pub fn of_attribute(url: &str, given: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let url = url.split('#').next().unwrap_or_default();
    trusted(url, given).or_else(|| trusted(url, url).filter(|url| is_known(url)))
}

/// Returns the layout of the mirror whose program recorded a URL for a file, and the reason, if its
/// host is that of `given`, the URL of its path.
pub fn noted(
    open: impl Fn() -> Option<Box<dyn OpenFile>>,
    is_page: bool,
    given: &str,
) -> Option<(Layout, &'static str)> {
    if recorded(open()?, Layout::Wget, is_page, given, &|_| false).is_some() {
        return Some((Layout::Wget, "the URLs of its files are recorded in their attributes"));
    }
    let is_httrack = recorded(open()?, Layout::Httrack, is_page, given, &|_| false).is_some();
    is_httrack.then_some((Layout::Httrack, "HTTrack has recorded the URLs of its pages"))
}

/// Returns a recorded URL, parsed, if its host is that of `given`. A URL without a scheme gets that
/// of `given`.
pub fn trusted(url: &str, given: &str) -> Option<String> {
    let url = if url.contains("://") {
        url.to_owned()
    } else {
        format!("{}://{url}", given.split(':').next()?)
    };
    let url = Resolver::new(given, Dialect::Web).ok()?.resolve(&url).ok()?.url()?;
    let url = ascii_web(&url);
    let (mut parsed, rest) = rewrite::site(&url)?;
    parsed.push_str(if rest.starts_with('/') { "" } else { "/" });
    parsed.push_str(rest);
    let url = parsed;
    let host = |url: &str| {
        let (origin, _) = rewrite::site(url)?;
        Some(without_scheme(&origin).to_owned())
    };
    let scheme = |url: &str| url.split(':').next().map(str::to_owned);
    let is_web =
        |scheme: Option<String>| scheme.is_some_and(|scheme| matches!(&*scheme, "http" | "https"));
    // `http` and `https` are the same directory of a mirror.
    let has_scheme =
        scheme(&url) == scheme(given) || (is_web(scheme(&url)) && is_web(scheme(given)));
    (has_scheme && host(&url)? == host(given)?).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::trusted;

    #[test]
    fn a_recorded_url_counts_for_its_host_only() {
        let given = "http://h.example/item1a2b.html";
        let url = |url| trusted(url, given);
        assert_eq!(
            url("h.example/item.php?id=1").as_deref(),
            Some("http://h.example/item.php?id=1")
        );
        assert_eq!(
            url("HTTP://H.example:80/b/../a b/").as_deref(),
            Some("http://h.example/a%20b/")
        );
        assert_eq!(url("https://h.example/a").as_deref(), Some("https://h.example/a"));
        for other in [
            "ftp://h.example/",
            "http://i.example/",
            "http://www.h.example/",
            "i.example/h.example/",
            "",
        ] {
            assert_eq!(url(other), None, "{other}");
        }
    }
}
