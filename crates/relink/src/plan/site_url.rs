//! The URL of a tree that no option gives, for pages that are opened from a disk.
//!
//! It is the one to which the canonical links of the pages (RFC 6596) and the sitemap agree.
//! Without them any URL would do, if no reference needs it: each leads to a file of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rewrite::{FixedRoots, Missing, Site, references, spelled};
use urlcore::escape::encode_path_segment;
use urlcore::{Dialect, Form, Reference, clean};

use super::{PlanError, tree};
use crate::events::problem::scheme;
use crate::events::summary::n;
use crate::files::walk::Entry;
use crate::os::paths;
use crate::os::store::disk::disk;
use crate::tree::Tree;
use crate::tree::input::Document;
use crate::urls::layout::Layout;
use crate::urls::locate::{Located, Locator};
use crate::urls::url_mapping::UrlMapping;

/// The URL of a tree whose own is unknown. No reference has it (RFC 6761 6.4), and none is written
/// with it.
const STAND_IN: &str = "http://tree.invalid/";

/// What the documents of a tree say about its URL.
#[derive(Debug, Default)]
struct UrlEvidence {
    /// The URLs that the tree has if the canonical links of its pages are right, with the number of
    /// pages.
    urls: BTreeMap<String, usize>,
    /// The number of pages whose canonical links lead elsewhere.
    n_elsewhere: usize,
    /// The URLs in sitemaps.
    listed: BTreeSet<String>,
    /// A reference that needs the URL: its file, line and text.
    needs_url: Option<String>,
}

impl UrlEvidence {
    fn add(&mut self, other: UrlEvidence) {
        for (url, n) in other.urls {
            *self.urls.entry(url).or_default() += n;
        }
        self.n_elsewhere += other.n_elsewhere;
        self.listed.extend(other.listed);
        self.needs_url = self.needs_url.take().or(other.needs_url);
    }

    /// Returns the URL to which all of them agree, and the number of pages that give it.
    fn agreed(&self) -> Option<(&str, usize)> {
        let mut urls = self.urls.iter();
        let (Some((url, n)), None) = (urls.next(), urls.next()) else { return None };
        let mut roots = FixedRoots::default();
        roots.add(url, []);
        let is_below = |listed: &String| roots.find(listed).is_some();
        (*n >= self.n_elsewhere && self.listed.iter().all(is_below)).then_some((url, *n))
    }
}

/// Gives a tree that has none the URL that its documents declare, or one of which nothing is
/// written. Returns a note on it. `locator` makes the locator of a tree with a URL.
///
/// # Errors
///
/// [`PlanError::NeedsUrl`] if a reference needs the URL and they declare none.
pub(super) fn set(
    tree: &mut Tree,
    missing: Missing,
    locator: impl FnOnce(&Tree) -> Locator,
) -> Result<String, PlanError> {
    let [root] = &*tree.roots else { return Err(PlanError::NoUrl) };
    let Some(path) = root.path().filter(|path| path.is_dir()).map(Path::to_owned) else {
        return Err(PlanError::NoUrl);
    };
    let shown = path.display();
    let mapping = |url: &str| {
        let mapping =
            UrlMapping::new(&disk(), std::slice::from_ref(&path), Some(url), &[], Layout::Plain);
        mapping.map(|(places, _)| places).map_err(|_| PlanError::NoUrl)
    };
    tree.places = mapping(STAND_IN)?;
    let locator = locator(tree);
    let keeps_missing = missing != Missing::Absolute;
    let mut evidence = UrlEvidence::default();
    tree::of_each(
        tree,
        |entry, document| of_document(tree, &locator, keeps_missing, entry, document),
        |_, found| evidence.add(found.unwrap_or_default()),
    );
    if let Some((url, n_pages)) = evidence.agreed() {
        tree.places = mapping(url)?;
        let sitemap = if evidence.listed.is_empty() { "" } else { " and the sitemap" };
        return Ok(format!(
            "note: {shown} is read as {url}, the URL in {}{sitemap}; use `--base URL` if it has another one",
            n(n_pages, "canonical link")
        ));
    }
    match evidence.needs_url {
        Some(reference) => Err(PlanError::NeedsUrl { reference }),
        None => Ok(format!(
            "note: the URL of {shown} is unknown, and no relative reference needs it; use `--base URL` if absolute ones have it"
        )),
    }
}

fn of_document(
    tree: &Tree,
    locator: &Locator,
    keeps_missing: bool,
    entry: &Entry,
    document: &Document,
) -> UrlEvidence {
    let mut evidence = UrlEvidence::default();
    let paths = page_paths(&paths::bytes(&entry.below));
    let (mut target, mut canonical) = (String::new(), None);
    document.with_unit(None, |unit| {
        references(unit, &tree.options, |site| {
            let Some(target) = site.target_into(&mut target) else { return };
            let is_own = target.starts_with(STAND_IN);
            match site.slot_name() {
                "link[canonical]" if !is_own => {
                    canonical = canonical.take().or(Some(target.to_owned()));
                }
                "sitemap loc" if !is_own => drop(evidence.listed.insert(target.to_owned())),
                _ => {}
            }
            if evidence.needs_url.is_none() && needs_url(site, target, locator, keeps_missing) {
                let before = &unit.bytes[..site.frame.raw(site.span).start];
                let line = 1 + memchr::memchr_iter(b'\n', before).count();
                let (path, slot) = (entry.path.display(), site.slot_name());
                evidence.needs_url = Some(format!("{path}:{line}: {slot} {}", site.text));
            }
        });
    });
    if let Some(canonical) = canonical {
        match paths.iter().find_map(|path| before(&canonical, path)) {
            Some(url) => drop(evidence.urls.insert(url, 1)),
            None => evidence.n_elsewhere = 1,
        }
    }
    evidence
}

/// Returns true if a reference cannot be written without the URL of the tree: `//h/` has its
/// scheme.
fn needs_url(site: &Site<'_>, target: &str, locator: &Locator, keeps_missing: bool) -> bool {
    if site.slot.gives_base() || !site.kind.is_link() {
        return false;
    }
    if !target.starts_with(STAND_IN) {
        let text = clean(site.text, site.dialect);
        return Reference::split(&text, site.dialect).form() == Form::NetworkPath;
    }
    let is_file = || matches!(locator.locate(target, true), Located::File { .. });
    !site.may_be_relative() || leaves_tree(site) || !(keeps_missing || is_file())
}

/// Returns true if a relative reference leads out of the tree: at the root of the stand-in, `..`
/// has no effect.
fn leaves_tree(site: &Site<'_>) -> bool {
    let Some(base) = site.resolver.and_then(|resolver| resolver.base().strip_prefix(STAND_IN))
    else {
        return false;
    };
    let text = clean(site.text, site.dialect);
    let reference = Reference::split(&text, site.dialect);
    let mut depth = match reference.form() {
        Form::RelativePath => {
            base.split(['?', '#']).next().unwrap_or_default().matches('/').count()
        }
        _ => 0,
    };
    for segment in reference.path().trim_start_matches('/').split('/') {
        match (segment, depth.checked_sub(1)) {
            ("..", None) => return true,
            ("..", Some(outer)) => depth = outer,
            ("." | "", _) => {}
            _ => depth += 1,
        }
    }
    false
}

/// Returns the paths in the URLs by which a server may show a page, the shortest last.
fn page_paths(below: &[u8]) -> Vec<String> {
    let mut path = String::new();
    for (idx, name) in below.split(|byte| *byte == b'/').enumerate() {
        path.push_str(if idx > 0 { "/" } else { "" });
        encode_path_segment(name, &mut path);
    }
    let page = path.strip_suffix(".html").map(str::to_owned);
    let directory = path.strip_suffix("index.html").map(str::to_owned);
    let outer = directory.as_deref().and_then(|path| path.strip_suffix('/')).map(str::to_owned);
    let page = page.filter(|_| directory.is_none());
    let slash = page.as_ref().map(|page| format!("{page}/"));
    [Some(path), slash, page, directory, outer].into_iter().flatten().collect()
}

/// Returns what is before a path in the URL of a server, if that ends with a slash. A file URL is
/// that of the machine on which the page was made.
fn before(url: &str, path: &str) -> Option<String> {
    let url = url.split('#').next().unwrap_or_default();
    let url = spelled(url).strip_suffix(&*spelled(path))?.to_owned();
    let is_site = url.ends_with('/')
        && !url.contains('?')
        && matches!(scheme(&url), "http" | "https")
        && Reference::split(&url, Dialect::Web).authority().is_some();
    is_site.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_tree_by_that_of_a_page() {
        let url = |below: &str, canonical: &str| {
            page_paths(below.as_bytes()).iter().find_map(|path| before(canonical, path))
        };
        for (below, canonical, expected) in [
            ("index.html", "https://h.example/", Some("https://h.example/")),
            ("index.html", "https://h.example/d/", Some("https://h.example/d/")),
            ("a/index.html", "https://h.example/d/a/", Some("https://h.example/d/")),
            ("a/index.html", "https://h.example/a", Some("https://h.example/")),
            ("a/b c.html", "https://h.example/a/b%20c.html", Some("https://h.example/")),
            ("a/b.html", "https://h.example/a/b", Some("https://h.example/")),
            ("a/b.html", "https://h.example/a/b/", Some("https://h.example/")),
            ("a/b.html", "https://h.example/xa/b", None),
            ("a/b.html", "https://h.example/?p=a/b.html", None),
            ("a/b.html", "https://h.example/", None),
            ("a/b.html", "file:///usr/share/doc/a/b.html", None),
        ] {
            assert_eq!(url(below, canonical).as_deref(), expected, "{below} {canonical}");
        }
    }
}
