//! The files of a mirror to whose names wget appended an extension (`--adjust-extension`), as far
//! as the mirror proves it: `about.html` may be the file of `/about` or that of `/about.html`.
//!
//! It is proved by the copies that `wget -K` keeps, by their names and by the references in them;
//! otherwise by references that wget has not converted: metadata of pages, sitemaps and feeds, and
//! in a mirror that was not converted all. A file that both URLs lead to is not proved.
//!
//! Invariant: the answer is the same amid and after a conversion as before. What counts in a
//! converted mirror is absolute, and stays; copies are never edited.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use basectx::{BaseUrl, Context};
use rewrite::{Media, Options, Unit, references};
use urlcore::clean;
use urlcore::escape::percent_decode;

use super::disk::DiskPlace;
use super::reading::relative_path;
use super::style_sheets::by_type;
use super::{Mirror, detect, originals};
use crate::files::media::Types;
use crate::os::parallel;
use crate::os::paths::Root;
use crate::urls::layout::{self, Layout, without_scheme};
use crate::urls::origins::Place;

/// The option that gives the place of a document of a mirror.
const LAYOUT: &str = "--layout";

/// What the files of a mirror say about the extensions of their names.
#[derive(Debug, Default)]
pub struct Appended {
    /// The files of which it is proved: true if the extension was appended.
    pub proved: BTreeMap<Place, bool>,
    /// The files to which paths lead, and of which nothing is known although wget appended
    /// extensions to other names. Sorted.
    pub doubtful: Vec<Place>,
}

/// The URL of a page: its host and path, and its query, without escapes.
pub(super) type PageUrl = (Vec<u8>, Option<Vec<u8>>);

/// The kinds of references to a file, the strongest proof first.
#[derive(Clone, Copy)]
enum ProofKind {
    /// In the copy of a document.
    InCopy,
    /// The name of the copy of the file.
    OfCopy,
    /// One that mirroring programs do not convert.
    Metadata,
    /// Any other.
    Link,
}

/// The bit of a file that a path leads to.
const BY_PATH: u16 = 1 << 8;

/// Returns the bit of a file that a reference leads to, by its URL without the extension or by the
/// other one.
fn bit(proof: ProofKind, is_appended: bool) -> u16 {
    1 << (2 * proof as u16 + u16::from(is_appended))
}

/// Finds out which extensions were appended.
pub fn find(
    roots: &[Root],
    mirror: &Arc<Mirror>,
    types: &Types,
    options: &Options,
    jobs: Option<u16>,
) -> Appended {
    let mut appended = Appended::default();
    let search = ExtensionSearch::new(roots, mirror, options);
    if search.places.is_empty() {
        return appended;
    }
    let (mut documents, _) = by_type(roots, mirror, types);
    documents.retain(|((_, below), _)| !mirror.is_bookkeeping(below));
    let read = |(place, media): &(Place, Media)| search.read(place, *media);
    parallel::map(jobs, &documents, read);
    let is_converted = search.is_converted.load(Ordering::Relaxed);
    let proofs = if is_converted {
        &[ProofKind::InCopy, ProofKind::OfCopy, ProofKind::Metadata][..]
    } else {
        &[ProofKind::Metadata, ProofKind::Link]
    };
    let seen: Vec<u16> = search.seen.iter().map(|seen| seen.load(Ordering::Relaxed)).collect();
    for (place, seen) in search.places.iter().zip(&seen) {
        if let Some(is_appended) = answer(*seen, proofs) {
            appended.proved.insert(place.clone(), is_appended);
        }
    }
    let is_adjusted = mirror.urls.is_adjusted();
    let is_program = |below: &&[u8]| layout::program(below).is_some();
    let has_program = |root| mirror.locator.files.sorted(root).iter().any(is_program);
    let has_any = is_adjusted
        || appended.proved.values().any(|is_appended| *is_appended)
        || (0..roots.len()).any(has_program);
    if is_converted && has_any {
        let is_open = |place: &Place| {
            let name = place.1.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            // wget appends `.css` to programs.
            let is_known = layout::program(name).is_some()
                || (name.ends_with(b".css") && layout::query_mark(name).is_none())
                || (is_adjusted && layout::query_mark(name).is_some());
            !is_known && !appended.proved.contains_key(place)
        };
        let led = search.places.iter().zip(&seen).filter(|(_, seen)| *seen & BY_PATH > 0);
        let open = led.map(|(place, _)| place).filter(|place| is_open(place)).cloned().collect();
        appended.doubtful = open;
    }
    appended
}

/// Returns true if the extension of a file was appended, by the first proofs that agree with each
/// other.
fn answer(seen: u16, proofs: &[ProofKind]) -> Option<bool> {
    proofs.iter().find_map(|proof| {
        let [is_with, is_without] = [false, true].map(|it| seen & bit(*proof, it) > 0);
        (is_with != is_without).then_some(is_without)
    })
}

/// The search for references to the files of which it is not known if an extension was appended.
struct ExtensionSearch<'s> {
    mirror: &'s Arc<Mirror>,
    options: &'s Options,
    /// The files, sorted.
    places: Vec<Place>,
    /// The bits of the files.
    seen: Vec<AtomicU16>,
    /// The two pages that each file may be: its number, and true for the one without the extension.
    pages: HashMap<PageUrl, (usize, bool)>,
    /// True if a reference of a document can only be a path, or if there are copies.
    is_converted: AtomicBool,
}

impl<'s> ExtensionSearch<'s> {
    fn new(roots: &'s [Root], mirror: &'s Arc<Mirror>, options: &'s Options) -> Self {
        let (places, pages) = (Vec::new(), HashMap::new());
        let (seen, is_converted) = (Vec::new(), AtomicBool::new(false));
        let mut search = ExtensionSearch { mirror, options, places, seen, pages, is_converted };
        let n_roots = if mirror.urls.layout() == Layout::Wget { roots.len() } else { 0 };
        for root in 0..n_roots {
            for below in mirror.locator.files.sorted(root) {
                search.add(root, below);
            }
        }
        search
    }

    /// Adds a file if its name may have been extended.
    fn add(&mut self, root: usize, below: &[u8]) {
        let is_extended = [b".html".as_slice(), b".css"].iter().any(|end| below.ends_with(end));
        if !is_extended || self.mirror.recorded_url(root, below).is_some() {
            return;
        }
        let copy = originals::copy_of(&self.mirror.locator.files, root, below);
        let by_copy = copy.map(|(_, is_appended)| is_appended);
        let is_index = below.ends_with(b"/index.html") || below == b"index.html";
        if is_index && by_copy != Some(true) {
            return;
        }
        let page = |is_appended| Some(page_of(&self.mirror.url_if(root, below, is_appended)?));
        let (Some(with), Some(without)) = (page(false), page(true)) else { return };
        // An option may give the URL of the file.
        if with == without {
            return;
        }
        let number = self.places.len();
        self.pages.insert(with, (number, false));
        self.pages.insert(without, (number, true));
        let seen = by_copy.map_or(0, |is_appended| bit(ProofKind::OfCopy, is_appended));
        *self.is_converted.get_mut() |= by_copy.is_some();
        self.seen.push(AtomicU16::new(seen));
        self.places.push((root, below.to_vec()));
    }

    /// Reads the references of a document, and of its copy.
    fn read(&self, (root, below): &Place, media: Media) {
        let copy = originals::copy_of(&self.mirror.locator.files, *root, below);
        let own = match copy {
            Some((_, is_appended)) => self.mirror.url_if(*root, below, is_appended),
            None => self.mirror.url_of(*root, below),
        };
        let files = &self.mirror.locator.files;
        let own: Option<BaseUrl> = own.and_then(|own| own.parse().ok());
        let place = own.and_then(|own| DiskPlace::new(Arc::clone(self.mirror), *root, below, &own));
        let (Some(bytes), Some(place)) = (detect::read(files, *root, below), place) else { return };
        let on_disk = Context::retrieval(place.url().clone(), LAYOUT);
        let disk = Unit::new(&bytes, media, &on_disk);
        let on_web = Context::retrieval(place.web().clone(), LAYOUT);
        let web = Unit::new(&bytes, media, &on_web);
        self.add_references(disk, web, &place);
        if let Some(bytes) = copy.and_then(|(copy, _)| detect::read(files, *root, &copy)) {
            let copy = Unit::new(&bytes, media, &on_web);
            originals::pairs(disk, copy, self.options, self.mirror, &place, |pair| {
                self.see(pair.url, ProofKind::InCopy);
            });
        }
    }

    fn add_references(&self, disk: Unit<'_>, web: Unit<'_>, place: &DiskPlace) {
        let mut paths: Vec<(usize, Place)> = Vec::new();
        references(disk, self.options, |site| {
            let resolver = site.resolver.filter(|resolver| place.has(resolver.base()));
            let path = resolver.zip(relative_path(site));
            let target = path.and_then(|(resolver, path)| resolver.resolve(&path).ok()?.url());
            let file = target.and_then(|target| place.file(&target));
            paths.extend(file.map(|file| (site.id, file)));
        });
        let mut paths = paths.into_iter().peekable();
        references(web, self.options, |site| {
            let path = paths.next_if(|(id, _)| *id == site.id).map(|(_, file)| file);
            let Some(url) = site.target().filter(|_| site.kind.is_link()) else { return };
            let url = url.split('#').next().unwrap_or_default();
            if let Some(file) = path {
                // The site has no such page, or has it under another name.
                let is_path = || match self.mirror.at_url(url) {
                    None => true,
                    Some(found) => found == file && self.mirror.is_elsewhere(&file, url),
                };
                if !self.is_converted.load(Ordering::Relaxed) && is_path() {
                    self.is_converted.store(true, Ordering::Relaxed);
                }
                if let Ok(number) = self.places.binary_search(&file) {
                    self.seen[number].fetch_or(BY_PATH, Ordering::Relaxed);
                }
            }
            // It leads to the document itself, whatever the URL of that is.
            let text = clean(site.text, site.dialect);
            if text.is_empty() || text.starts_with(['#', '?']) {
                return;
            }
            // wget makes paths of canonical links.
            let is_kept = site.is_always_absolute() && relative_path(site).is_none();
            self.see(url, if is_kept { ProofKind::Metadata } else { ProofKind::Link });
        });
    }

    /// Notes that a reference leads to a URL.
    fn see(&self, url: &str, proof: ProofKind) {
        let Some((number, is_appended)) = self.pages.get(&page_of(url)) else { return };
        if self.mirror.at_url(url).as_ref() == Some(&self.places[*number]) {
            self.seen[*number].fetch_or(bit(proof, *is_appended), Ordering::Relaxed);
        }
    }
}

/// Returns the host and path of a URL, and its query, without escapes.
pub(super) fn page_of(url: &str) -> PageUrl {
    let decoded = |text| percent_decode(text).into_owned();
    match without_scheme(url).split_once('?') {
        Some((path, query)) => (decoded(path), Some(decoded(query))),
        None => (decoded(without_scheme(url)), None),
    }
}
