//! The two readings of relative references in a mirror: as the site had them, or as paths on the
//! disk that the mirroring program wrote.
//!
//! The reading is decided once for each document, before any edit, from the files that exist.

use rewrite::{Options, Site, Unit, references};
use urlcore::{Dialect, Form, Reference, Resolver, clean};

use super::Mirror;
use super::disk::{DiskPlace, Preference};
use crate::urls::origins::Place;

/// The numbers of references of a document that only one of the readings finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Only as URL references.
    pub n_url: usize,
    /// Only as paths on the disk.
    pub n_disk: usize,
}

impl Evidence {
    /// Returns the reading of the references that both readings find: that of most of the others.
    /// Returns `None` if all references can be read as URL references.
    pub fn preference(self) -> Option<Preference> {
        match self {
            Evidence { n_disk: 0, .. } => None,
            Evidence { n_url, n_disk } if n_url > n_disk => Some(Preference::Url),
            _ => Some(Preference::Disk),
        }
    }

    /// Returns the note on a document of which some references can only be URL references, and
    /// others only paths.
    pub fn contradiction(self) -> Option<String> {
        let Evidence { n_url, n_disk } = self;
        let others = match self.preference()? {
            _ if n_url == 0 => return None,
            Preference::Url => "URL references",
            Preference::Disk => "paths on the disk",
        };
        Some(format!(
            "its references contradict each other; {n_disk} can only be paths on the disk, and {n_url} only URL references; the others are read as {others}"
        ))
    }
}

/// Counts the references of a document that only one of the readings finds. `disk` is the document
/// at its place on the disk, `place`, and `web` the document at its URL.
pub fn evidence(
    disk: Unit<'_>,
    web: Unit<'_>,
    options: &Options,
    mirror: &Mirror,
    place: &DiskPlace,
) -> Evidence {
    // The references that may be paths, by their numbers, with the files that they lead to.
    let mut paths: Vec<(usize, Option<Place>)> = Vec::new();
    references(disk, options, |site| {
        if let Some(text) = relative_path(site)
            && let Some(resolver) = site.resolver
            && place.has(resolver.base())
        {
            let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
            let may_be_path = query.is_empty() || mirror.has_queries_in_paths();
            let target = || resolver.resolve(path).ok()?.url();
            let file = may_be_path.then(target).flatten().and_then(|target| place.file(&target));
            paths.push((site.id, file));
        }
    });
    let mut evidence = Evidence::default();
    if paths.is_empty() {
        return evidence;
    }
    let mut paths = paths.into_iter().peekable();
    references(web, options, |site| {
        let Some((_, file)) = paths.next_if(|(id, _)| *id == site.id) else { return };
        let url = site.resolver.and_then(|web| web.resolve(site.text).ok()?.url());
        let url = url.as_deref().and_then(|url| url.split('#').next()).unwrap_or_default();
        match (file, mirror.at_url(url)) {
            (Some(_), None) => evidence.n_disk += 1,
            (None, Some(_)) => evidence.n_url += 1,
            // The site has this file at another URL.
            (Some(file), Some(found)) if file == found && mirror.is_elsewhere(&file, url) => {
                evidence.n_disk += 1;
            }
            // Both find one, or neither does.
            _ => {}
        }
    });
    evidence
}

/// A function that finds another URL of a document at `file`, from which its relative references
/// lead to files.
pub type Find = fn(Unit<'_>, &Options, &Mirror, &Place) -> Option<String>;

/// Returns the URL without its final slash if the file of a document, `index.html` in a directory,
/// is that of the page of that name: more of its relative paths lead to files from there than from
/// the URL with the slash.
pub fn without_slash(
    web: Unit<'_>,
    options: &Options,
    mirror: &Mirror,
    file: &Place,
) -> Option<String> {
    let page = web.own_url?.strip_suffix('/').filter(|url| !url.contains(['?', '#']))?;
    let resolver = Resolver::new(page, Dialect::Web).ok()?;
    rewrite::site(page).filter(|(_, rest)| !rest.is_empty())?;
    let (mut n_own, mut n_page) = (0, 0);
    references(web, options, |site| {
        let Some(text) = relative_path(site).filter(|_| site.is_base_own) else { return };
        let leads = |resolver: &Resolver<'_>| {
            let url = resolver.resolve(&text).ok().and_then(|url| url.url());
            url.is_some_and(|url| mirror.has_file(&url, file))
        };
        n_own += usize::from(site.resolver.is_some_and(leads));
        n_page += usize::from(leads(&resolver));
    });
    (n_page > n_own).then(|| page.to_owned())
}

/// Returns the URL of the page to which a redirect from the URL of a document led: all of its
/// relative paths lead to files from there, and none from its own URL. Mirroring programs record
/// redirects rarely, and name the file by the first URL. The page is that of the directory, or one
/// with the same bytes.
///
/// `file` is the document itself, which does not count: it is found at either URL.
pub fn redirected(
    web: Unit<'_>,
    options: &Options,
    mirror: &Mirror,
    file: &Place,
) -> Option<String> {
    let own = web.own_url.filter(|url| !url.contains(['?', '#']))?;
    let leads = |text: &str, resolver: &Resolver<'_>| {
        let url = resolver.resolve(text).ok().and_then(|url| url.url());
        url.is_some_and(|url| mirror.has_file(&url, file))
    };
    let (mut paths, mut n_own) = (Vec::new(), 0);
    references(web, options, |site| {
        let Some(text) = relative_path(site).filter(|_| site.is_base_own) else { return };
        n_own += usize::from(site.resolver.is_some_and(|resolver| leads(&text, resolver)));
        paths.push(text);
    });
    if paths.is_empty() || n_own > 0 {
        return None;
    }
    let directory = (!own.ends_with('/')).then(|| format!("{own}/"));
    directory.into_iter().chain(mirror.with_same_bytes(file)).find(|url| {
        let resolver = Resolver::new(url, Dialect::Web);
        resolver.is_ok_and(|resolver| paths.iter().all(|text| leads(text, &resolver)))
    })
}

/// Returns a reference without its fragment if it is a relative path: only such a reference may be
/// a path on the disk.
pub(super) fn relative_path(site: &Site<'_>) -> Option<String> {
    if !site.kind.is_link() || site.has_entity() || site.slot.gives_base() {
        return None;
    }
    let text = clean(site.text, site.dialect);
    let reference = Reference::split(&text, site.dialect);
    let is_path = reference.form() == Form::RelativePath && !reference.path().is_empty();
    is_path.then(|| text.split('#').next().unwrap_or_default().to_owned())
}
