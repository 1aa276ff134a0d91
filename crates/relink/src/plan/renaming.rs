//! The renames of a run, with the files of its tree.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{FixedRoots, TargetMap};
use urlcore::Dialect;

use super::site_root::{self, NameSearch, SiteRoot};
use super::{PlanError, RelativizeOptions, naming};
use crate::files::markdown::MarkdownFiles;
use crate::files::walk::Entry;
use crate::os::paths::{self, Root};
use crate::tree::Tree;
use crate::tree::input::Document;
use crate::tree::spellings::Spellings;
use crate::urls::layout::Layout;
use crate::urls::renames::files::{FileRenames, UrlDirectories};
use crate::urls::renames::redirects::RedirectsFile;
use crate::urls::renames::{KnownUrls, RenameError, RenameOptions, RenamedUrls, Renames};
use crate::urls::url_mapping::UrlMapping;

/// The renames of a run.
pub struct Renaming {
    /// The new URLs.
    pub urls: Arc<Renames>,
    /// The place of the renamed URLs: that of a tree that moves too.
    pub then: Arc<dyn TargetMap>,
    /// The new names of the files.
    pub files: Arc<FileRenames>,
    /// The old paths of files that have their new names already.
    done: Vec<PathBuf>,
    /// The URLs of the files, if they have their new names already.
    pub known: Option<Arc<KnownUrls>>,
    /// True if the files are renamed too.
    pub renames_files: bool,
    /// The files of redirects that are written.
    pub redirects: Vec<RedirectsFile>,
    /// The list of the new names that is written.
    pub map: Option<PathBuf>,
    /// The search for the renamed files in documents, if most of them need no other.
    names: Option<NameSearch>,
}

impl Renaming {
    /// Checks renames, and finds the new names of the files of a tree. `then` maps the renamed
    /// URLs, those of `moves` among them.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the tree has no URL, or if the renames contradict each other.
    pub(super) fn new(
        tree: &Tree,
        options: &RenameOptions,
        urls: FixedRoots,
        (then, moves): (Arc<dyn TargetMap>, &[(String, String)]),
        index: &[String],
    ) -> Result<Self, PlanError> {
        if tree.places.is_empty() {
            return Err(PlanError::NoUrl);
        }
        let mut indexes = index.to_vec();
        indexes.push("index.html".to_owned());
        let mut renames = Renames::new(options, &tree.roots, &tree.places, urls, moves, indexes)?;
        let files = naming::files(tree).map_err(RenameError::Unreadable)?;
        let file_urls = || files.iter().flatten().filter_map(|file| file.url.as_deref());
        renames.set_files(file_urls());
        let redirects = options.redirects.iter().map(|text| RedirectsFile::parse(text));
        let redirects = redirects.collect::<Result<_, _>>()?;
        let mut renaming = Renaming {
            urls: Arc::new(renames),
            then,
            files: Arc::default(),
            done: Vec::new(),
            known: None,
            renames_files: options.rename_files,
            redirects,
            map: None,
            names: None,
        };
        if options.are_pairs_done {
            // What has its new name already is not renamed.
            renaming.known = Some(Arc::new(renaming.urls.known(file_urls())));
            renaming.done = options.pairs.iter().map(|(old, _)| old.clone()).collect();
        } else {
            let directories = UrlDirectories::new(&tree.roots, &tree.places);
            let layout = tree.places.layout();
            let files = FileRenames::new(&files, &directories, layout, &renaming.urls);
            renaming.files = Arc::new(files);
        }
        Ok(renaming)
    }

    /// Sets the search for the renamed files in documents.
    #[must_use]
    pub(super) fn with_names(mut self, names: Option<NameSearch>) -> Self {
        self.names = names;
        self
    }

    /// Returns true if a document that keeps its name has no reference to a renamed file. Without
    /// the document, that is true of what was searched before the run.
    pub(super) fn passes_over(&self, entry: &Entry, document: Option<&Document>) -> bool {
        let Some(names) = &self.names else { return false };
        // The file of a member is that of its container.
        let stays = |path: &Path| self.files.new_path(entry.root, path) == path;
        // A file that has its new name already has its old URL.
        let is_renamed = |url| self.known.is_some() && self.urls.is_renamed(url);
        let has_none = match document {
            Some(document) => {
                document.url().is_some_and(|url| !is_renamed(url))
                    && !names.spellings.may_be_in(document.media, &document.bytes)
            }
            None => {
                let is_searched = |files: &HashSet<PathBuf>| !files.contains(&entry.below);
                self.known.is_none() && names.files.as_ref().is_some_and(is_searched)
            }
        };
        entry.sidecar.is_none() && entry.below.ancestors().all(stays) && has_none
    }

    /// Gives the files of a tree names that say what they are.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the tree has no URL.
    pub(super) fn by_names(
        tree: &Tree,
        options: &RelativizeOptions,
        urls: &FixedRoots,
    ) -> Result<Self, PlanError> {
        let then = (Arc::new(urls.clone()) as Arc<dyn TargetMap>, &[][..]);
        let mut renaming = Renaming::new(tree, &options.renames, urls.clone(), then, &[])?;
        renaming.files =
            Arc::new(FileRenames::named(&naming::unnamed(tree)?, tree.places.layout()));
        renaming.renames_files = true;
        renaming.map = options.rename_map.clone();
        Ok(renaming)
    }

    /// Returns the old paths of the files that are renamed, and of the directories that go with
    /// them.
    pub(super) fn old_paths(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.old_paths().chain(self.done.iter().map(PathBuf::as_path));
        files.chain(self.files.lost_directories())
    }

    /// Returns the map from old to new URLs.
    pub(super) fn map(&self) -> Arc<dyn TargetMap> {
        let map = RenamedUrls::new(Arc::clone(&self.urls), Arc::clone(&self.then));
        Arc::new(map.with_known(self.known.clone()))
    }
}

/// Returns the search for renamed files in the documents of a tree without a URL; `None` if
/// references may name one of them in other ways than by its name, or without its extension.
fn name_search(tree: &Tree, options: &RenameOptions, index: &[String]) -> Option<NameSearch> {
    let is_plain = tree.places.layout() == Layout::Plain && tree.options.dialect == Dialect::Web;
    let has_lists = !options.renames.is_empty() || !options.rule.is_empty();
    if !is_plain || has_lists {
        return None;
    }
    let is_index = |name: &str| name == "index.html" || index.iter().any(|index| index == name);
    let paths = options.pairs.iter().flat_map(|(old, new)| [old, new]);
    let names = paths.map(|path| path.file_name()?.to_str().filter(|name| !is_index(name)));
    let spellings = Spellings::new(names.collect::<Option<Vec<&str>>>()?)?;
    Some(NameSearch { spellings, files: None })
}

/// Prepares a tree for the renames of single files. Without a URL, it is read as it lies on the
/// disk, and may be the root of its references; files that have their new names already are read
/// with their old URLs. Also returns the search for the renamed files, if there is one.
///
/// # Errors
///
/// [`PlanError::SiteRoot`] if a reference from the root may lead to a renamed file, and
/// [`PlanError::NoUrl`] if there are redirects between URLs that nothing gives.
pub(super) fn read_as_before(
    tree: &mut Tree,
    options: &RenameOptions,
    index: &[String],
) -> Result<(SiteRoot, Option<NameSearch>), PlanError> {
    if options.pairs.is_empty() {
        return Ok((SiteRoot::Other, None));
    }
    tree.markdown = Some(MarkdownFiles::new(&tree.roots));
    let is_on_disk = tree.places.is_empty();
    if is_on_disk && !options.redirects.is_empty() {
        return Err(PlanError::NoUrl);
    }
    if is_on_disk {
        tree.places = UrlMapping::of_disk(&tree.roots);
        tree.hints.is_off = true;
    }
    let Some(root) = tree.roots.first().and_then(Root::path).map(paths::directory_of) else {
        return Ok((SiteRoot::Other, None));
    };
    for (old, new) in options.pairs.iter().filter(|_| options.are_pairs_done) {
        if let Some((url, _)) = tree.places.url_of(&root.join(old)) {
            tree.places.add_renamed(&root.join(new), &url);
        }
    }
    if !is_on_disk {
        return Ok((SiteRoot::Other, None));
    }
    let mut names = name_search(tree, options, index);
    Ok((site_root::find(tree, options, names.as_mut())?, names))
}
