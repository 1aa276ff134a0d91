//! Copies of documents of a mirror: those that have the same bytes, of which one may be what a
//! redirect from the URL of the other led to, and those that `wget -K` keeps of the documents that
//! it converts: `page.html.orig` has each reference of `page.html` as the site had it.
//!
//! A reference of the copy counts only if it leads to the file that the converted one is the path
//! of: the document may have been changed since.

use std::collections::{BTreeMap, HashMap};

use rewrite::{Options, SlotId, Unit, references};
use urlcore::{Dialect, Resolver};

use super::disk::{DiskPlace, Urls};
use super::reading::relative_path;
use super::{Mirror, detect};
use crate::files::existing::Files;
use crate::files::media::{FileType, Types};
use crate::os::digest::{self, ContentHash};
use crate::os::paths;
use crate::urls::origins::Place;

/// The end of the name of a copy.
const END: &[u8] = b".orig";

/// A path in a document, and the reference in its copy.
pub struct Pair<'p> {
    /// The path as written, without a fragment.
    pub text: &'p str,
    /// The place that it leads to, as a URL.
    pub target: &'p str,
    /// The URL that the reference in the copy leads to, without a fragment.
    pub url: &'p str,
}

/// Returns the path of the copy of a file, and true if wget appended an extension to the name of
/// the file: the name of the copy is without it.
pub fn copy_of(files: &Files, root: usize, below: &[u8]) -> Option<(Vec<u8>, bool)> {
    let copy = [below, END].concat();
    if files.has_file(root, &copy) {
        return Some((copy, false));
    }
    // wget writes `orig` over the last four letters: of `.css`, over the dot too.
    let (stem, end) = match below.strip_suffix(b".html") {
        Some(stem) => (stem, END),
        None => (below.strip_suffix(b".css")?, &END[1..]),
    };
    let copy = [stem, end].concat();
    // It may be that of the file without the extension.
    let is_free = !files.has_file(root, stem);
    (is_free && files.has_file(root, &copy)).then_some((copy, true))
}

/// Passes on the paths of a document that are those of files, with what the copy of the document
/// has for them. `disk` is the document at its place, and `copy` the copy at the URL of the
/// document.
///
/// Passes on nothing if the references of the two are not in the same slots.
pub fn pairs(
    disk: Unit<'_>,
    copy: Unit<'_>,
    options: &Options,
    mirror: &Mirror,
    place: &DiskPlace,
    mut found: impl FnMut(Pair<'_>),
) {
    let mut originals: Vec<(SlotId, Option<String>)> = Vec::new();
    references(copy, options, |site| {
        if !site.slot.gives_base() {
            originals.push((site.slot, site.target().filter(|_| site.kind.is_link())));
        }
    });
    let mut paths: Vec<(SlotId, Option<(String, String)>)> = Vec::new();
    references(disk, options, |site| {
        if !site.slot.gives_base() {
            let resolver = site.resolver.filter(|resolver| place.has(resolver.base()));
            let path = relative_path(site).zip(resolver);
            let path = path
                .and_then(|(text, resolver)| Some((resolver.resolve(&text).ok()?.url()?, text)));
            paths.push((site.slot, path));
        }
    });
    let has_same_slots = originals.len() == paths.len()
        && originals.iter().zip(&paths).all(|((a, _), (b, _))| a == b);
    if !has_same_slots {
        return;
    }
    for ((_, url), (_, path)) in originals.iter().zip(&paths) {
        let (Some(url), Some((target, text))) = (url, path) else { continue };
        let url = url.split('#').next().unwrap_or_default();
        if let Some(file) = place.file(target)
            && mirror.at_url(url).as_ref() == Some(&file)
        {
            found(Pair { text, target, url });
        }
    }
}

/// Returns the URLs that the copy of a document has for paths, and true if one of them differs from
/// that of the path as a URL reference.
pub fn urls(
    disk: Unit<'_>,
    copy: Unit<'_>,
    options: &Options,
    mirror: &Mirror,
    place: &DiskPlace,
) -> (Urls, bool) {
    let (mut urls, mut has_other) = (Urls::new(), false);
    let Ok(web) = Resolver::new(place.web().as_str(), Dialect::Web) else { return (urls, false) };
    pairs(disk, copy, options, mirror, place, |Pair { text, target, url }| {
        let as_url = web.resolve(text).ok().and_then(|url| url.url());
        has_other |= as_url.as_deref() != Some(url);
        urls.entry(target.to_owned()).or_insert_with(|| url.to_owned());
    });
    (urls, has_other)
}

// The documents of a mirror that have the same bytes: one of them may be what a redirect from the
// URL of the other led to.
//
// They are read before the run, which may change one of them before it reads the other.

/// Groups of such documents.
#[derive(Debug, Default)]
pub struct SameBytes {
    groups: Vec<Vec<Place>>,
    /// The number of the group of a document.
    numbers: HashMap<Place, usize>,
}

impl SameBytes {
    /// Compares the documents in the directories of a run that have the same length.
    pub fn read(n_roots: usize, files: &Files, types: &Types) -> Self {
        let mut by_length: BTreeMap<u64, Vec<Place>> = BTreeMap::new();
        for root in 0..n_roots {
            for below in files.sorted(root) {
                let Some(path) = paths::from_bytes(below) else { continue };
                let is_document =
                    matches!(types.of_path(&path), FileType::Document(_) | FileType::Unknown);
                if let Some(length) = is_document.then(|| files.length(root, below)).flatten() {
                    by_length.entry(length).or_default().push((root, below.to_vec()));
                }
            }
        }
        let mut by_bytes: BTreeMap<ContentHash, Vec<Place>> = BTreeMap::new();
        for place in by_length.into_values().filter(|places| places.len() > 1).flatten() {
            if let Some(bytes) = detect::read(files, place.0, &place.1) {
                by_bytes.entry(digest::of_bytes(&bytes)).or_default().push(place);
            }
        }
        let mut same = SameBytes::default();
        for mut group in by_bytes.into_values().filter(|group| group.len() > 1) {
            group.sort_unstable();
            let number = same.groups.len();
            same.numbers.extend(group.iter().map(|place| (place.clone(), number)));
            same.groups.push(group);
        }
        same
    }

    /// Returns all documents with the bytes of one, in path order.
    pub fn of(&self, place: &Place) -> impl Iterator<Item = &Place> {
        self.numbers.get(place).into_iter().flat_map(|number| &self.groups[*number])
    }
}
