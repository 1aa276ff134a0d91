//! Style sheets and scripts whose names do not say so: those that a program on the server made,
//! such as `style.cgi?theme=dark`. The documents that load a file give its type.
//!
//! Invariant: the answer is the same before and after a conversion, since references lead to the
//! same files.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::{BaseUrl, Context};
use rewrite::{Fetch, Media, Options, Site, Unit, references};
use urlcore::{Dialect, Resolver};

use super::disk::DiskPlace;
use super::{Mirror, detect};
use crate::files::media::{self, FileType, Types};
use crate::os::parallel;
use crate::os::paths;
use crate::os::paths::Root;
use crate::urls::origins::Place;

/// Style sheets, by their PATH and the path below it.
pub type StyleSheets = HashSet<Place>;

/// The option that gives the place of a document of a mirror.
const LAYOUT: &str = "--layout";

/// Looks for the style sheets of a mirror whose names do not give their type.
pub fn find(
    roots: &[Root],
    mirror: &Arc<Mirror>,
    types: &Types,
    options: &Options,
    jobs: Option<u16>,
) -> StyleSheets {
    if !mirror.urls.layout().has_queries() {
        return StyleSheets::new();
    }
    loaded(roots, mirror, types, options, jobs, |site| site.fetch() == Fetch::StyleSheet)
}

/// Looks for the scripts of a mirror whose names do not give their type.
pub fn find_scripts(
    roots: &[Root],
    mirror: &Arc<Mirror>,
    types: &Types,
    options: &Options,
    jobs: Option<u16>,
) -> StyleSheets {
    loaded(roots, mirror, types, options, jobs, |site| site.slot_name() == "script[src]")
}

/// Looks for the texts that a document loads by a reference of one kind.
fn loaded(
    roots: &[Root],
    mirror: &Arc<Mirror>,
    types: &Types,
    options: &Options,
    jobs: Option<u16>,
    is_load: fn(&Site<'_>) -> bool,
) -> StyleSheets {
    let mut found = StyleSheets::new();
    let (documents, candidates) = by_type(roots, mirror, types);
    let search = StyleSheetSearch { mirror, options, candidates, is_load };
    let mut unread = documents;
    // A style sheet that is found may load others.
    while !search.candidates.is_empty() && !unread.is_empty() {
        let loads = |(place, media): &(Place, Media)| search.loaded_by(place, *media);
        let loaded = parallel::map(jobs, &unread, loads);
        let new = loaded.into_iter().flatten().filter(|place| found.insert(place.clone()));
        unread = new.map(|place| (place, Media::CSS)).collect();
    }
    found
}

/// Returns the documents of a mirror, and the texts that may be style sheets.
pub(super) fn by_type(
    roots: &[Root],
    mirror: &Mirror,
    types: &Types,
) -> (Vec<(Place, Media)>, HashSet<Place>) {
    let (mut documents, mut candidates) = (Vec::new(), HashSet::new());
    let files = &mirror.locator.files;
    for root in 0..roots.len() {
        for below in files.sorted(root) {
            let Some(name) = paths::from_bytes(below) else { continue };
            let is_made = !types.is_given(&name) && media::may_be_made_by_program(&name);
            let named = match types.of_path(&name) {
                FileType::Document(media) if !is_made || media != Media::HTML => Some(media),
                FileType::Document(_) | FileType::Unknown => None,
                _ => continue,
            };
            let place = || (root, below.to_vec());
            if let Some(media) = named {
                documents.push((place(), media));
                continue;
            }
            let Some(head) = detect::head_of(files, root, below) else { continue };
            match media::sniff(&head) {
                FileType::Document(media) => documents.push((place(), media)),
                FileType::Other if is_text(&head) => {
                    candidates.insert(place());
                }
                _ => {}
            }
        }
    }
    (documents, candidates)
}

/// Returns true if the first bytes of a file are those of a text.
fn is_text(head: &[u8]) -> bool {
    !head.is_empty() && head.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | 0x1B | b' '..))
}

/// The search for references that load one of the candidates as a style sheet.
struct StyleSheetSearch<'s> {
    mirror: &'s Arc<Mirror>,
    options: &'s Options,
    candidates: HashSet<Place>,
    is_load: fn(&Site<'_>) -> bool,
}

impl StyleSheetSearch<'_> {
    /// Returns the candidates that a document loads as style sheets, in either reading of its
    /// references.
    fn loaded_by(&self, (root, below): &Place, media: Media) -> Vec<Place> {
        let mut loaded = Vec::new();
        let bytes = detect::read(&self.mirror.locator.files, *root, below);
        let url: Option<BaseUrl> =
            self.mirror.url_of(*root, below).and_then(|url| url.parse().ok());
        let place = url.and_then(|url| DiskPlace::new(Arc::clone(self.mirror), *root, below, &url));
        let (Some(bytes), Some(place)) = (bytes, place) else { return loaded };
        let Ok(disk) = Resolver::new(place.url().as_str(), Dialect::Web) else { return loaded };
        let context = Context::retrieval(place.web().clone(), LAYOUT);
        let unit = Unit::new(&bytes, media, &context);
        references(unit, self.options, |site| {
            if !(self.is_load)(site) {
                return;
            }
            let by_url = site.target().and_then(|url| {
                let page = self.mirror.capture(&url).and_then(|url| self.mirror.page_of(&url));
                self.mirror.at_url(&page.unwrap_or(url))
            });
            let target = || disk.resolve(site.text).ok()?.url();
            let by_path = || target().and_then(|target| place.file(&target));
            let by_path = site.is_base_own.then(by_path).flatten();
            let files = [by_url, by_path].into_iter().flatten();
            loaded.extend(files.filter(|file| self.candidates.contains(file)));
        });
        loaded
    }
}
