//! The pages that list the pages of web archives by their hosts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use rewrite::Media;

use crate::archives::unpack::captured_pages::{CaptureTime, Page, Pages, RecordSource};
use crate::archives::unpack::keys::{id, key};
use crate::archives::unpack::pages::{IN_PART, ListPart, SiteHead, SitePage, names};
use crate::archives::unpack::targets::Paths;
use crate::events::summary::n;
use crate::os::digest::{Hasher, Short};
use crate::os::failure::Failure;

/// The list of all captures that are pages of HTML.
#[derive(Default)]
pub(super) struct SiteList {
    /// Their positions, by host and URL.
    rows: Vec<usize>,
    parts: Vec<ListPart>,
    /// The titles that WACZ files give pages, by the identifiers of their URLs.
    titles: HashMap<Short, String>,
    /// The page that was captured first.
    first: Option<usize>,
    /// The token of the list, which follows from all of its rows.
    token: String,
    /// The numbers of the files of each host, by kind.
    files: HashMap<OsString, [usize; KINDS.len()]>,
}

/// What a list says besides the URLs and paths of the pages.
pub(super) struct FoundInPages<'f> {
    /// The titles that pages have themselves.
    pub(super) titles: &'f HashMap<usize, String>,
    /// The times of other captures of the same URLs.
    pub(super) others: &'f HashMap<u32, Vec<CaptureTime>>,
    /// The URLs that pages load and that no archive has.
    pub(super) missing: &'f BTreeSet<String>,
    /// The archives, as the arguments of a command, escaped.
    pub(super) archives: &'f str,
}

/// The kinds of files, by the start of their media type; the last one has all others.
const KINDS: [(&str, &[&str]); 6] = [
    ("page", &["text/html", "application/xhtml+xml"]),
    ("style sheet", &["text/css"]),
    ("script", &["text/javascript", "application/javascript", "application/x-javascript"]),
    ("picture", &["image/"]),
    ("font", &["font/", "application/font", "application/x-font", "application/vnd.ms-fontobject"]),
    ("other file", &[""]),
];

/// Returns the kind of a file, a position in [`KINDS`].
fn kind(media_type: Option<&str>) -> usize {
    let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
    let is_one = |(_, starts): &(&str, &[&str])| starts.iter().any(|of| media_type.starts_with(of));
    KINDS.iter().position(is_one).unwrap_or(KINDS.len() - 1)
}

/// Returns the numbers of files in words.
fn words(files: &[usize; KINDS.len()]) -> String {
    let all = files.iter().zip(KINDS).filter(|(count, _)| **count > 0);
    all.map(|(count, (noun, _))| n(*count, noun)).collect::<Vec<_>>().join(", ")
}

impl SiteList {
    /// Returns the list of captures, given their paths, and the titles that are known. `is_free`
    /// returns false for a name that a host or another file of the output has.
    pub(super) fn new(
        pages: &Pages,
        paths: &Paths,
        titles: HashMap<Short, String>,
        is_free: impl Fn(&Path) -> bool,
    ) -> Self {
        let mut hosts: BTreeMap<OsString, Vec<usize>> = BTreeMap::new();
        let is_page = |page: &Page| {
            page.media_type.as_deref().and_then(Media::from_name) == Some(Media::HTML)
        };
        let mut files: HashMap<OsString, [usize; KINDS.len()]> = HashMap::new();
        for (idx, page) in pages.iter().enumerate() {
            let path = paths.get(idx);
            let of_host = match files.get_mut(host(&path)) {
                Some(of_host) => of_host,
                None => files.entry(host(&path).to_owned()).or_default(),
            };
            of_host[kind(page.media_type.as_deref())] += 1;
            if !is_page(&page) {
                continue;
            }
            match hosts.get_mut(host(&path)) {
                Some(of_host) => of_host.push(idx),
                None => drop(hosts.insert(host(&path).to_owned(), vec![idx])),
            }
        }
        let mut rows = Vec::with_capacity(hosts.values().map(Vec::len).sum());
        for mut of_host in hosts.into_values() {
            of_host.sort_by_cached_key(|idx| key(&pages.get(*idx).url));
            rows.extend(of_host);
        }
        let names = names(rows.len().div_ceil(IN_PART), is_free);
        let url = |idx: Option<&usize>| idx.map_or(String::new(), |idx| pages.get(*idx).url);
        let parts = (0..).zip(names).map(|(idx, path)| {
            let rows = part(&rows, idx);
            ListPart { path, ends: [url(rows.first()), url(rows.last())] }
        });
        let parts = parts.collect();
        let place = |idx: &usize| {
            let RecordSource { archive, place, .. } = pages.source(*idx);
            (*archive, *place)
        };
        let first = rows.iter().copied().min_by_key(place);
        let mut token = Hasher::default();
        for idx in &rows {
            let Page { url, time, source, .. } = pages.get(*idx);
            // A hash takes all.
            drop(writeln!(token, "{url} {time} {:?}", source.place));
        }
        SiteList { parts, rows, titles, first, token: token.finish().to_string(), files }
    }

    /// Returns the paths of its parts, by position.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        self.parts.iter().map(|part| &*part.path)
    }

    /// Writes a part, given what the pages have themselves.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(super) fn write(
        &self,
        idx: usize,
        (pages, paths): (&Pages, &Paths),
        found: &FoundInPages<'_>,
        write: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let title = |idx: usize, url: &str| -> Option<&str> {
            let given = || self.titles.get(&id(url));
            let given = if self.titles.is_empty() { None } else { given() };
            given.or(found.titles.get(&idx)).map(String::as_str)
        };
        let first = self.first.map(|first| {
            let Page { url, .. } = pages.get(first);
            (title(first, &url).map_or(url.clone(), str::to_owned), paths.get(first))
        });
        let first = first.as_ref().map(|(title, path)| (title.as_str(), &**path));
        let FoundInPages { archives, missing, .. } = *found;
        let (n_pages, token) = (self.rows.len(), &*self.token);
        let head = SiteHead { n_pages, token, first, archives, missing };
        let mut page = SitePage::new(&self.parts, idx, &head, write);
        let mut last = None;
        for idx in part(&self.rows, idx) {
            let path = paths.get(*idx);
            let host = host(&path);
            if last.as_deref() != Some(host) {
                let files = self.files.get(host).map(words).unwrap_or_default();
                page.host(&host.to_string_lossy(), &files);
                last = Some(host.to_owned());
            }
            let Page { url, time, .. } = pages.get(*idx);
            let others = u32::try_from(*idx).ok().and_then(|idx| found.others.get(&idx));
            let times = (&*time, others.map_or(&[][..], Vec::as_slice));
            page.row((&url, title(*idx, &url)), times, &path)?;
        }
        page.finish()
    }
}

/// Returns the rows of a part.
fn part(rows: &[usize], idx: usize) -> &[usize] {
    let end = rows.len().min((idx + 1) * IN_PART);
    &rows[(idx * IN_PART).min(end)..end]
}

/// Returns the directory of a host.
fn host(path: &Path) -> &std::ffi::OsStr {
    path.iter().next().unwrap_or_default()
}
