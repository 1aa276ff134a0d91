//! The directory that references such as `/a.html` start from, in a tree on a disk of which no
//! option gives the URL.
//!
//! There such a reference leads to the root of the file system, where nobody keeps a site. What was
//! meant is decided by the files that exist: below the tree, or below a directory around it.
//!
//! Invariant: the answer is the same before, amid and after a run, because a file that is renamed
//! counts under both of its names.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr3_iter;
use rewrite::{Media, TargetMap, references};
use urlcore::{Dialect, Form, Reference, Resolver, clean};

use super::{PlanError, tree};
use crate::files::git;
use crate::files::walk::Entry;
use crate::os::paths::{self, Root};
use crate::tree::Tree;
use crate::tree::input::Document;
use crate::tree::spellings::{self, Spellings};
use crate::urls::layout;
use crate::urls::renames::{FromRoot, RenameOptions};

/// The page that a server shows for a directory.
const INDEX: &str = "index.html";

/// What the references from the root of a tree lead to.
#[derive(Debug, Default)]
struct RootEvidence {
    n_all: usize,
    /// Those with a file below the tree.
    n_below: usize,
    /// True if one has a file only below another directory.
    has_other: bool,
    /// One that may lead to a file that is renamed.
    renamed: Option<String>,
}

/// The answer for a tree.
#[derive(Debug)]
pub(super) enum SiteRoot {
    /// The tree is the root. The note says why.
    Tree(String),
    /// The tree is not the root, or no reference is from the root. None of them leads to a file
    /// that is renamed.
    Other,
}

impl SiteRoot {
    /// Returns the map of the targets of a tree in which `map` has those by their own URLs.
    pub(super) fn map(&self, tree: &Tree, map: Arc<dyn TargetMap>) -> Arc<dyn TargetMap> {
        let directory = tree.roots.first().and_then(Root::path).map(paths::directory_of);
        let url = directory.and_then(|path| tree.places.url_of(&path)).map(|(url, _)| url);
        let (SiteRoot::Tree(_), Some(url)) = (self, url) else { return map };
        let url = if url.ends_with('/') { url } else { url + "/" };
        let root =
            Resolver::new(&url, Dialect::Web).ok().and_then(|base| base.resolve("/").ok()?.url());
        match root {
            Some(root) => Arc::new(FromRoot::new(map, url, root)),
            None => map,
        }
    }

    /// Returns the note on how the tree is read.
    pub(super) fn note(&self) -> Option<&str> {
        match self {
            SiteRoot::Tree(note) => Some(note),
            SiteRoot::Other => None,
        }
    }
}

/// Finds out whether a tree is the root of its references, if one of them may lead to a file that
/// is renamed. `names` is the search for these in documents, if it is complete.
///
/// # Errors
///
/// [`PlanError::SiteRoot`] if that is unclear, and a reference may lead to a file that is renamed.
pub(super) fn find(
    tree: &Tree,
    options: &RenameOptions,
    names: Option<&mut NameSearch>,
) -> Result<SiteRoot, PlanError> {
    let [root] = &*tree.roots else { return Ok(SiteRoot::Other) };
    let (Some(real), Some(typed)) = (root.real().filter(|real| real.is_dir()), root.path()) else {
        return Ok(SiteRoot::Other);
    };
    let search = RootSearch { tree: real, others: around(real), renamed: paths_of(options) };
    let evidence = |paths: BTreeSet<String>| {
        let mut evidence = RootEvidence::default();
        paths.iter().for_each(|path| search.add(path, &mut evidence));
        evidence
    };
    // Most documents need to be walked only if it matters.
    if let Some(names) = names
        && evidence(names.paths_from_root(tree)).renamed.is_none()
    {
        return Ok(SiteRoot::Other);
    }
    let mut paths = BTreeSet::new();
    let find = |_: &Entry, document: &Document| of_document(tree, document);
    tree::of_each(tree, find, |_, found| paths.extend(found.unwrap_or_default()));
    let RootEvidence { n_all, n_below, has_other, renamed } = evidence(paths);
    if n_all == 0 {
        return Ok(SiteRoot::Other);
    }
    if !has_other && 2 * n_below >= n_all {
        return Ok(SiteRoot::Tree(format!(
            "note: {} is read as the root of references such as /a.html; it has files for {n_below} of {n_all} of them; use `--base URL` if it is elsewhere",
            typed.display()
        )));
    }
    match renamed {
        Some(path) => Err(PlanError::SiteRoot { tree: typed.to_owned(), path, n_below, n_all }),
        None => Ok(SiteRoot::Other),
    }
}

/// Returns the old and new paths of what is renamed, and those by which servers show pages: without
/// the extension, or the directory of an index page.
pub(super) fn paths_of(options: &RenameOptions) -> HashSet<PathBuf> {
    let mut names = HashSet::new();
    for path in options.pairs.iter().flat_map(|(old, new)| [old, new]) {
        names.insert(path.clone());
        if path.extension().is_some_and(|extension| extension == "html") {
            names.insert(path.with_extension(""));
        }
        let directory =
            path.parent().filter(|_| path.file_name().is_some_and(|name| name == INDEX));
        names.extend(directory.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned));
    }
    names
}

/// Returns the directories around a tree that may be the root of its references, the innermost
/// first: up to that of the working tree of git.
fn around(tree: &Path) -> Vec<PathBuf> {
    let top = git::top(tree);
    let is_below_top = |path: &&Path| top.is_some_and(|top| path.starts_with(top));
    tree.ancestors().skip(1).take_while(is_below_top).map(Path::to_owned).collect()
}

/// The search for the names of renamed files in the documents of a tree.
#[derive(Debug)]
pub(super) struct NameSearch {
    pub(super) spellings: Spellings,
    /// The files that must be read, if all were searched: no other document has one of the names.
    pub(super) files: Option<HashSet<PathBuf>>,
}

impl NameSearch {
    /// Searches the documents of a tree with one PATH. Returns the paths of the references from the
    /// root in those with one of the names, without queries and fragments, escaped.
    fn paths_from_root(&mut self, tree: &Tree) -> BTreeSet<String> {
        let (spellings, files) = (&self.spellings, self.files.insert(HashSet::new()));
        let mut paths = BTreeSet::new();
        let find = |_: &Entry, document: &Document| {
            let (media, bytes) = (document.media, &*document.bytes);
            let is_named = spellings.may_be_in(media, bytes);
            let has_path = is_named && spellings.may_be_in_from_root(media, bytes);
            (is_named, if has_path { of_document(tree, document) } else { HashSet::new() })
        };
        tree::of_each(tree, find, |below, found| {
            let (is_named, found) = found.unwrap_or((true, HashSet::new()));
            if is_named {
                files.insert(below);
            }
            paths.extend(found);
        });
        paths
    }
}

/// Returns the paths of the references from the root, without queries and fragments, escaped.
fn of_document(tree: &Tree, document: &Document) -> HashSet<String> {
    let mut found = HashSet::new();
    if !may_have_one(document.media, &document.bytes) {
        return found;
    }
    let directory = tree.roots.first().and_then(Root::path).map(paths::directory_of);
    let url = directory.and_then(|path| tree.places.url_of(&path)).map(|(url, _)| url);
    document.with_unit(None, |unit| {
        references(unit, &tree.options, |site| {
            let text = clean(site.text, site.dialect);
            // A base such as `/` makes others what they are.
            let is_from_root = match Reference::split(&text, site.dialect).form() {
                Form::AbsolutePath => true,
                Form::RelativePath => site.resolver.is_some_and(|resolver| {
                    url.as_deref().is_some_and(|url| !resolver.base().starts_with(url))
                }),
                _ => false,
            };
            if !site.kind.is_link() || !is_from_root {
                return;
            }
            // Of the target, since it has no `..`.
            let Some(target) = site.target() else { return };
            let path = Reference::split(&target, Dialect::Web).path();
            if target.starts_with("file:///") && !found.contains(path) {
                found.insert(path.to_owned());
            }
        })
    });
    found
}

/// Returns false if a page or style sheet has no reference from the root. It is quick.
fn may_have_one(media: Media, bytes: &[u8]) -> bool {
    let is_wide = bytes.iter().take(4).any(|byte| matches!(byte, 0 | 0xFE | 0xFF));
    if !matches!(media, Media::HTML | Media::CSS) || is_wide {
        return true;
    }
    memchr3_iter(b'/', b'\\', b'&', bytes).any(|at| spellings::begins_path(bytes, at))
}

/// The search for the files of references.
struct RootSearch<'s> {
    tree: &'s Path,
    others: Vec<PathBuf>,
    /// The paths below the tree by which references may lead to files that are renamed.
    renamed: HashSet<PathBuf>,
}

impl RootSearch<'_> {
    /// Adds the reference with this path.
    fn add(&self, path: &str, evidence: &mut RootEvidence) {
        let path = path.trim_start_matches('/');
        let name = match path.strip_suffix('/').unwrap_or(path) {
            "" => INDEX.into(),
            name => layout::decoded(name),
        };
        let Some(name) = paths::from_bytes(&name) else { return };
        let is_own_name = self.tree.file_name().is_some_and(|own| name.starts_with(own));
        let parent = self.tree.parent().filter(|_| self.others.is_empty() && is_own_name);
        let others = self.others.iter().map(PathBuf::as_path).chain(parent);
        let is_below = self.exists(self.tree, &name);
        let (mut is_other, mut is_renamed) = (false, self.is_renamed(self.tree, &name));
        for other in others {
            is_other |= self.exists(other, &name);
            is_renamed |= self.is_renamed(other, &name);
        }
        evidence.n_all += 1;
        evidence.n_below += usize::from(is_below);
        evidence.has_other |= is_other && !is_below;
        if is_renamed {
            evidence.renamed.get_or_insert_with(|| format!("/{path}"));
        }
    }

    /// Returns true if a file or directory has this path below `directory`, or the page that a
    /// server shows for it.
    fn exists(&self, directory: &Path, name: &Path) -> bool {
        let path = directory.join(name);
        let mut page = path.clone().into_os_string();
        page.push(".html");
        self.is_renamed(directory, name) || path.exists() || Path::new(&page).exists()
    }

    /// Returns true if a path leads to a file that is renamed, or into a directory that is.
    fn is_renamed(&self, directory: &Path, name: &Path) -> bool {
        let path = directory.join(name);
        let Ok(below) = path.strip_prefix(self.tree) else { return false };
        below.ancestors().any(|path| self.renamed.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_references_from_the_root_are_read() {
        for text in [
            "<a href=\"/a\">",
            "<a href='/a'>",
            "<a href=/a>",
            "<a href= /a>",
            "<p style='background:url(/a)'>",
            "<p style='background:url(&quot;/a&quot;)'>",
            "<img srcset='a, /b 2x'>",
            "<base href=\"/\">",
            "<a href=/>",
            "<base href= />",
            "<a href='&#32/a'>",
        ] {
            assert!(may_have_one(Media::HTML, text.as_bytes()), "{text}");
        }
        let other = "<p>a/b</p><br/><img src='../a/b.png' /><a href='http://h/'>";
        assert!(!may_have_one(Media::HTML, other.as_bytes()));
        assert!(may_have_one(Media::XML, b""));
    }
}
