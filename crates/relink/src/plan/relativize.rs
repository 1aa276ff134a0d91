//! The options of `relativize`, and their checks.

use std::sync::Arc;

use rewrite::{BaseElement, Missing, Relative, TargetMap};
use urlcore::Style;

use super::{Action, PlanError, Renaming, Work, aliases, locator, site_url};
use crate::os::paths::Root;
use crate::plan::other_names::OtherNames;
use crate::tree::Tree;
use crate::tree::units;
use crate::urls::layout::Layout;
use crate::urls::renames::RenameOptions;
use crate::urls::unarchived::Unarchived;

/// How references are made relative.
#[derive(Clone, Debug, Default)]
pub struct RelativizeOptions {
    style: Style,
    is_for_files: bool,
    is_for_server: bool,
    pub(super) missing: Missing,
    base_element: BaseElement,
    same_as: Vec<String>,
    pub(super) index: Vec<String>,
    pub(super) has_clean_urls: bool,
    has_no_twins: bool,
    pub(super) renames: RenameOptions,
    names_files: bool,
}

impl RelativizeOptions {
    /// Creates the options of a run that writes paths relative to each document.
    pub fn new() -> Self {
        RelativizeOptions::default()
    }

    /// Sets the form of references into the tree: [`Style::Relative`], [`Style::AbsolutePath`] or
    /// [`Style::Shortest`].
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Writes references for a tree that is opened without a server: they point to the files
    /// themselves.
    #[must_use]
    pub fn for_files(mut self) -> Self {
        self.is_for_files = true;
        self
    }

    /// Writes references for a tree that a server of static files shows: they point to the files,
    /// and those to index files to their directories.
    #[must_use]
    pub fn for_static_host(mut self) -> Self {
        (self.is_for_files, self.is_for_server) = (true, true);
        self
    }

    /// Gives the files names that say what they are, in a tree for files or for a static host.
    #[must_use]
    pub fn name_files(mut self) -> Self {
        self.names_files = true;
        self
    }

    /// Sets the form of references to missing files, in a tree for files.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Sets the treatment of `<base href>`.
    #[must_use]
    pub fn base_element(mut self, base_element: BaseElement) -> Self {
        self.base_element = base_element;
        self
    }

    /// Adds an alias of the URL of the tree, such as the same one with `https`.
    #[must_use]
    pub fn same_as(mut self, url: impl Into<String>) -> Self {
        self.same_as.push(url.into());
        self
    }

    /// Leaves references to URLs that a mirror has only under another scheme or host, in a tree for
    /// files. By default, they lead to those files.
    #[must_use]
    pub fn no_twins(mut self) -> Self {
        self.has_no_twins = true;
        self
    }

    /// Returns true if URLs are also searched for under another scheme or host.
    pub(super) fn has_twins(&self) -> bool {
        self.is_for_files && !self.has_no_twins
    }

    pub(super) fn aliases(&self) -> &[String] {
        &self.same_as
    }

    /// Adds a name of index files, besides `index.html`.
    #[must_use]
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index.push(name.into());
        self
    }

    /// Renames pages and directories of the tree.
    #[must_use]
    pub fn renames(mut self, renames: RenameOptions) -> Self {
        self.renames = renames;
        self
    }

    /// Finds `about.html` for `about` and `about/`, in a tree for files. In a mirror, this is the
    /// default.
    #[must_use]
    pub fn clean_urls(mut self) -> Self {
        self.has_clean_urls = true;
        self
    }
}

/// Checks the options of `relativize`.
pub(super) fn relativize(
    tree: &mut Tree,
    options: &RelativizeOptions,
    has_output: bool,
) -> Result<Work, PlanError> {
    if !matches!(options.style, Style::Relative | Style::AbsolutePath | Style::Shortest) {
        return Err(PlanError::Style);
    }
    let mut note = None;
    // The parts of messages may contain their URLs.
    if tree.places.is_empty() && !units::has_messages(tree) {
        if options.is_for_files {
            let of_tree = |tree: &Tree| {
                locator(tree, &options.index, &[], options.has_clean_urls, false, false)
            };
            note = Some(site_url::set(tree, options.missing, of_tree)?);
        } else if tree.hints.is_off {
            return Err(PlanError::NoUrl);
        }
        if !options.is_for_files && !units::has_hints(tree) {
            return Err(PlanError::NoHint);
        }
    }
    tree.places.check_overlaps()?;
    let aliases = aliases(&options.same_as, tree)?;
    let RelativizeOptions { style, base_element, missing, .. } = *options;
    let relative =
        Relative::default().with_style(style).with_base_element(base_element).with_missing(missing);
    let urls = tree.places.roots(&tree.roots, &aliases);
    let renaming = match options.renames.is_empty() {
        true if options.names_files && !options.is_for_files => {
            return Err(PlanError::NamesWithoutFiles);
        }
        true if options.names_files => Some(Renaming::by_names(tree, &options.renames, &urls)?),
        true => None,
        false => {
            let then = (Arc::new(urls.clone()) as Arc<dyn TargetMap>, &[][..]);
            Some(Renaming::new(tree, &options.renames, urls.clone(), then, &options.index)?)
        }
    };
    // The layout of a mirror finds the names itself.
    let is_plain = tree.places.layout() == Layout::Plain && !tree.places.is_empty();
    let collected = |map| is_plain.then(|| OtherNames::new(map, urls.clone(), false));
    // Captures of the pages of the tree are these pages.
    let unarchived = |map| match &tree.mirror {
        Some(mirror) if tree.places.layout() == Layout::Wayback => {
            Arc::new(Unarchived::new(map, Arc::clone(mirror))) as Arc<dyn TargetMap>
        }
        _ => map,
    };
    if !options.is_for_files {
        let mut map = unarchived(Arc::new(urls.clone()));
        if let Some(renaming) = &renaming {
            map = renaming.map();
        }
        let other_names = collected(Arc::clone(&map));
        if let Some(names) = &other_names {
            map = names.clone();
        }
        let action = Action::Relativize(relative.with_map(map));
        return Ok(Work { action, renames: renaming, other_names, note });
    }
    if style != Style::Relative || base_element != BaseElement::Empty {
        return Err(PlanError::ForFilesWithStyle);
    }
    if tree.roots.contains(&Root::Stdin) {
        return Err(PlanError::ForFilesOfStdin);
    }
    let mut locator =
        locator(tree, &options.index, &aliases, options.has_clean_urls, false, has_output);
    if options.has_twins() {
        locator.find_twins();
    }
    if options.is_for_server {
        locator.set_server();
    }
    if let Some(renaming) = &renaming {
        locator.rename(Arc::clone(&renaming.files));
    }
    let locator = Arc::new(locator);
    let other_names = collected(locator.clone());
    let map = match &other_names {
        Some(names) => Arc::clone(names) as Arc<dyn TargetMap>,
        None => unarchived(locator.clone()),
    };
    let action = Action::ForFile(relative.with_map(map), locator);
    Ok(Work { action, renames: renaming, other_names, note })
}
