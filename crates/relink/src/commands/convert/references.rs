//! The references of one document, rewritten by the action of a run.

use std::sync::Arc;

use basectx::BaseUrl;
use rewrite::{
    LoadedFiles, Move, MoveStyle, NewPlace, Options, PrefixMap, Relative, Rewritten, TargetMap,
    Unit,
};
use urlcore::{Dialect, origin_prefix};

use crate::files::sidecar;
use crate::files::walk::Entry;
use crate::plan::{Action, Convert};
use crate::tree::input::Document;
use crate::urls::mirror::disk::{DiskMap, DiskPlace, Preference, TrustedPaths};

/// The URLs of a document and of its tree in the output.
pub(super) struct NewUrls {
    url: BaseUrl,
    root: String,
}

impl NewUrls {
    fn new(url: &str, root: String) -> Option<Self> {
        Some(NewUrls { url: url.parse().ok()?, root })
    }

    /// Returns the place of the document.
    pub(super) fn place(&self) -> NewPlace<'_> {
        NewPlace { url: &self.url, root: &self.root }
    }
}

/// Returns the place of a document in the output, if it differs.
pub(super) fn new_place(config: &Convert, entry: &Entry, document: &Document) -> Option<NewUrls> {
    match &config.action {
        Action::ForFile(_, locator) if document.has_file_url() => {
            let subject = Entry {
                path: sidecar::subject(&entry.path, document.media),
                below: sidecar::subject(&entry.below, document.media),
                ..entry.clone()
            };
            NewUrls::new(&locator.new_url(&subject), locator.new_root(&subject))
        }
        Action::Move(to) => NewUrls::new(&to.map.url(document.url()?), String::new()),
        Action::Relativize(relative) if config.renames.is_some() => {
            let url = relative.map.url(document.url()?);
            let root = origin_prefix(&url, Dialect::Web).map(|(site, _)| format!("{site}/"));
            NewUrls::new(&url, root.unwrap_or_default())
        }
        _ => None,
    }
}

/// Rewrites the references of a document. `new_place` is its place in the output, if it differs;
/// `loads` has the files that it loads, if digests of them follow.
pub(super) fn rewritten(
    document: &Document,
    entry: &Entry,
    config: &Convert,
    new_place: Option<NewPlace<'_>>,
    loads: Option<&dyn LoadedFiles>,
) -> Rewritten {
    let Convert { tree, action, .. } = config;
    let is_error_page = tree.error_pages.contains(entry.root, &entry.below);
    let facts = DocumentFacts { options: &tree.options, is_error_page, loads };
    let rewritten = by(document, action, new_place, facts);
    if rewritten.output().is_some() {
        tree.integrity.edited(document.media, &entry.below);
    }
    if rewritten.report.edits_hashed_texts {
        tree.integrity.edited_text();
    }
    rewritten.report.wrong_digests.iter().for_each(|url| tree.integrity.wrong(url));
    rewritten
}

/// Rewrites the references of a document as an action does if no file has another name in the
/// output.
pub(in crate::commands) fn explained(
    document: &Document,
    action: &Action,
    options: &Options,
) -> Rewritten {
    let url = match action {
        Action::Move(to) => document.url().map(|url| to.map.url(url)),
        _ => None,
    };
    let new_urls = url.and_then(|url| NewUrls::new(&url, String::new()));
    let facts = DocumentFacts { options, is_error_page: false, loads: None };
    by(document, action, new_urls.as_ref().map(NewUrls::place), facts)
}

/// What a run knows of a document.
#[derive(Clone, Copy)]
struct DocumentFacts<'f> {
    options: &'f Options,
    is_error_page: bool,
    loads: Option<&'f dyn LoadedFiles>,
}

fn by(
    document: &Document,
    action: &Action,
    new_place: Option<NewPlace<'_>>,
    facts: DocumentFacts<'_>,
) -> Rewritten {
    match document.disk() {
        Some(disk) => read_from_disk(document, disk, action, new_place, facts),
        None => as_url_references(document, action, new_place, facts),
    }
}

/// Rewrites a document whose relative references are URL references.
fn as_url_references(
    document: &Document,
    action: &Action,
    new_place: Option<NewPlace<'_>>,
    facts: DocumentFacts<'_>,
) -> Rewritten {
    let DocumentFacts { options, is_error_page, loads } = facts;
    let converted = |unit: Unit<'_>| match action {
        Action::Absolutize => rewrite::absolutize(unit, options),
        Action::Move(to) => rewrite::relocate(unit, options, to),
        Action::ForFile(relative, _) if !document.has_file_url() => {
            let Relative { map, missing, .. } = Relative::default();
            let relative = relative.clone().with_map(map).with_missing(missing);
            rewrite::relativize(unit, options, &relative)
        }
        Action::Relativize(relative) | Action::ForFile(relative, _) => {
            rewrite::relativize(unit, options, relative)
        }
    };
    document.with_unit(new_place, |unit| {
        converted(unit.with_error_page(is_error_page).with_loaded_files(loads))
    })
}

/// Rewrites a document of a mirror with relative references that are paths on the disk.
fn read_from_disk(
    document: &Document,
    disk: &DiskPlace,
    action: &Action,
    new_place: Option<NewPlace<'_>>,
    facts: DocumentFacts<'_>,
) -> Rewritten {
    let DocumentFacts { options, loads, .. } = facts;
    let map = |then| Arc::new(DiskMap::new(disk.clone(), then));
    match action {
        Action::Absolutize => {
            document.with_unit(None, |unit| rewrite::absolutize_by(unit, options, &*map(None)))
        }
        Action::Move(to) => {
            let to = to.clone().with_map(map(Some(Arc::clone(&to.map))));
            document.with_unit(new_place, |unit| {
                rewrite::relocate(unit.with_loaded_files(loads), options, &to)
            })
        }
        // The document stays at its URL, but from its place on the disk that is a move.
        Action::Relativize(relative) => {
            let (map, style) = (map(Some(Arc::clone(&relative.map))), relative.style);
            let style = MoveStyle::Written(style);
            let to =
                Move::by(PrefixMap::default()).with_map(map).with_style(style).with_is_once(true);
            let new_place = Some(NewPlace { url: disk.web(), root: disk.web().as_str() });
            document.with_unit(new_place, |unit| {
                rewrite::relocate(unit.with_loaded_files(loads), options, &to)
            })
        }
        // The output is for the disk too.
        Action::ForFile(relative, _) => {
            let map: Arc<dyn TargetMap> = match disk.preference() {
                Preference::Disk => {
                    let map = Arc::clone(&relative.map);
                    Arc::new(TrustedPaths { place: disk.clone(), map })
                }
                Preference::Url => Arc::clone(&relative.map),
            };
            let relative = relative.clone().with_map(map);
            document.with_web_unit(new_place, |unit| {
                rewrite::relativize(unit.with_loaded_files(loads), options, &relative)
            })
        }
    }
}
