//! The files of a mirror to whose names wget appended an extension (`--adjust-extension`), as far
//! as the mirror proves it: `about.html` may be the file of `/about` or that of `/about.html`.
//!
//! It is proved by the copies that `wget -K` keeps, by their names and by the references in them;
//! otherwise by references that wget has not converted: metadata of pages, sitemaps and feeds, and
//! in a mirror that was not converted all. A file that both URLs lead to is not proved.
//!
//! Invariant: the answer is the same amid and after a conversion as before. What counts in a
//! converted mirror is absolute, and stays; copies are never edited.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use basectx::Context;
use rayon::prelude::*;
use rewrite::{Media, Options, Unit, references};
use urlcore::clean;

use super::disk::DiskPlace;
use super::reading::relative_path;
use super::style_sheets::by_type;
use super::{Mirror, detect, originals, page_of};
use crate::files;
use crate::layout::{self, Layout};
use crate::media::Types;
use crate::origins::Place;
use crate::parallel;
use crate::paths::Root;

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
type Page = (Vec<u8>, Option<Vec<u8>>);

/// A file, and true if a reference to it shows that the extension was appended.
type Vote = (Place, bool);

/// What one document says.
#[derive(Default)]
struct Said {
    /// True if one of its references can only be a path.
    is_converted: bool,
    /// By the references in its copy.
    by_copy: Vec<Vote>,
    /// By references that mirroring programs do not convert.
    by_metadata: Vec<Vote>,
    /// By other references.
    by_link: Vec<Vote>,
    /// The files that paths lead to.
    by_path: Vec<Place>,
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
    if mirror.urls.layout() != Layout::Wget {
        return appended;
    }
    let (candidates, copies) = candidates(roots, mirror);
    let places: HashSet<Place> = candidates.values().map(|(place, _)| place.clone()).collect();
    let Ok(pool) = parallel::pool(jobs) else { return appended };
    if candidates.is_empty() {
        return appended;
    }
    let (mut documents, _) = by_type(roots, mirror, types);
    documents.retain(|((_, below), _)| !mirror.is_bookkeeping(below));
    let search = Search { roots, mirror, options, candidates };
    let said = |(place, media): &(Place, Media)| search.said(place, *media);
    let said: Vec<Said> = pool.install(|| documents.par_iter().map(said).collect());
    let is_converted = !copies.is_empty() || said.iter().any(|said| said.is_converted);
    // The strongest proof first.
    appended.add(said.iter().flat_map(|said| &said.by_copy));
    appended.add(&copies);
    appended.add(said.iter().flat_map(|said| {
        let links = if is_converted { &[][..] } else { &said.by_link };
        said.by_metadata.iter().chain(links)
    }));
    let is_adjusted = mirror.urls.is_adjusted();
    let is_program = |below: &&[u8]| layout::program(below).is_some();
    let has_program = |root| mirror.locator.files.sorted(root).iter().any(is_program);
    let has_any = is_adjusted
        || appended.proved.values().any(|is_appended| *is_appended)
        || (0..roots.len()).any(has_program);
    if is_converted && has_any {
        let led: BTreeSet<Place> = said.into_iter().flat_map(|said| said.by_path).collect();
        let is_open = |(root, below): &Place| {
            let name = below.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            // wget appends `.css` to programs.
            let is_known = layout::program(name).is_some()
                || (name.ends_with(b".css") && layout::query_mark(name).is_none())
                || (is_adjusted && layout::query_mark(name).is_some());
            let place = (*root, below.clone());
            !is_known && places.contains(&place) && !appended.proved.contains_key(&place)
        };
        appended.doubtful = led.into_iter().filter(is_open).collect();
    }
    appended
}

impl Appended {
    /// Adds what is proved, of files of which nothing is proved yet.
    fn add<'v>(&mut self, said: impl IntoIterator<Item = &'v Vote>) {
        let mut votes: BTreeMap<&Place, [bool; 2]> = BTreeMap::new();
        for (place, is_appended) in said {
            votes.entry(place).or_default()[usize::from(*is_appended)] = true;
        }
        for (place, [is_with, is_without]) in votes {
            if is_with != is_without && !self.proved.contains_key(place) {
                self.proved.insert(place.clone(), is_without);
            }
        }
    }
}

/// Returns the files of which it is not known if an extension was appended, by the two pages that
/// they may be; and what the names of copies say.
fn candidates(roots: &[Root], mirror: &Mirror) -> (HashMap<Page, Vote>, Vec<Vote>) {
    let (mut candidates, mut copies) = (HashMap::new(), Vec::new());
    let files = &mirror.locator.files;
    for root in 0..roots.len() {
        for below in files.sorted(root) {
            let is_extended = [b".html".as_slice(), b".css"].iter().any(|end| below.ends_with(end));
            if !is_extended || mirror.recorded_url(root, below).is_some() {
                continue;
            }
            let place = (root, below.to_vec());
            let by_copy = originals::copy_of(files, root, below).map(|(_, appended)| appended);
            copies.extend(by_copy.map(|is_appended| (place.clone(), is_appended)));
            let is_index = below.ends_with(b"/index.html") || below == b"index.html";
            if is_index && by_copy != Some(true) {
                continue;
            }
            let pages = [false, true].map(|is_appended| {
                let url = mirror.url_if(root, below, is_appended)?;
                Some((page_of(&url), (place.clone(), is_appended)))
            });
            // An option may give the URL of the file.
            if pages[0].as_ref().map(|(page, _)| page) != pages[1].as_ref().map(|(page, _)| page) {
                candidates.extend(pages.into_iter().flatten());
            }
        }
    }
    (candidates, copies)
}

/// The search for references to the candidates.
struct Search<'s> {
    roots: &'s [Root],
    mirror: &'s Arc<Mirror>,
    options: &'s Options,
    candidates: HashMap<Page, Vote>,
}

impl Search<'_> {
    /// Returns what a document says.
    fn said(&self, (root, below): &Place, media: Media) -> Said {
        let mut said = Said::default();
        let files = &self.mirror.locator.files;
        let copy = originals::copy_of(files, *root, below);
        let own = match copy {
            Some((_, is_appended)) => self.mirror.url_if(*root, below, is_appended),
            None => self.mirror.url_of(*root, below),
        };
        let directory = self.roots.get(*root).and_then(Root::path);
        let path = directory.zip(files::path(below));
        let bytes = path.and_then(|(path, below)| detect::read(&path.join(below)));
        let (Some(directory), Some(bytes), Some(own)) = (directory, bytes, own) else {
            return said;
        };
        let place = DiskPlace::new(Arc::clone(self.mirror), *root, below, &own);
        let on_disk = Context::retrieval(place.url(), LAYOUT);
        let disk = Unit::new(&bytes, media, &on_disk).with_own_url(place.url());
        let on_web = Context::retrieval(&own, LAYOUT);
        let web = Unit::new(&bytes, media, &on_web).with_own_url(&*own);
        self.add_references(disk, web, &place, &mut said);
        if let Some(bytes) = copy.and_then(|(copy, _)| originals::read(directory, &copy)) {
            let copy = Unit::new(&bytes, media, &on_web).with_own_url(&*own);
            originals::pairs(disk, copy, self.options, self.mirror, &place, |pair| {
                said.by_copy.extend(self.vote(pair.url));
            });
        }
        said
    }

    fn add_references(&self, disk: Unit<'_>, web: Unit<'_>, place: &DiskPlace, said: &mut Said) {
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
                said.is_converted |= self.mirror.at_url(url).is_none();
                said.by_path.push(file);
            }
            // It leads to the document itself, whatever the URL of that is.
            if clean(site.text, site.dialect).trim_start().starts_with(['#', '?'])
                || site.text.is_empty()
            {
                return;
            }
            // wget makes paths of canonical links.
            let is_kept = site.is_always_absolute() && relative_path(site).is_none();
            let vote = self.vote(url);
            let vote = vote.filter(|(file, _)| self.mirror.at_url(url).as_ref() == Some(file));
            if is_kept { &mut said.by_metadata } else { &mut said.by_link }.extend(vote);
        });
    }

    /// Returns the candidate that is the page at a URL.
    fn vote(&self, url: &str) -> Option<Vote> {
        self.candidates.get(&page_of(url)).cloned()
    }
}
