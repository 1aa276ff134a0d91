//! The options of `relativize`, and their checks.

use std::sync::Arc;

use rewrite::{BaseElement, Missing, Relative, TargetMap};
use urlcore::Style;

use super::{Action, PlanError, aliases, locator};
use crate::paths::Root;
use crate::tree::Tree;
use crate::units;

/// How references are made relative.
#[derive(Clone, Debug, Default)]
pub struct RelativizeOptions {
    style: Style,
    is_for_files: bool,
    missing: Missing,
    base_element: BaseElement,
    same_as: Vec<String>,
    index: Vec<String>,
    has_clean_urls: bool,
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

    /// Adds a name of index files, besides `index.html`.
    #[must_use]
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index.push(name.into());
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
    tree: &Tree,
    options: &RelativizeOptions,
    has_output: bool,
) -> Result<Action, PlanError> {
    if !matches!(options.style, Style::Relative | Style::AbsolutePath | Style::Shortest) {
        return Err(PlanError::Style);
    }
    // The parts of messages may contain their URLs.
    if tree.places.is_empty() && !units::has_messages(tree) {
        // No document says which files exist for which URLs.
        if options.is_for_files || tree.hints.is_off {
            return Err(PlanError::NoUrl);
        }
        if !units::has_hints(tree) {
            return Err(PlanError::NoHint);
        }
    }
    tree.places.check_overlaps()?;
    let aliases = aliases(&options.same_as, tree)?;
    let RelativizeOptions { style, base_element, missing, .. } = *options;
    let relative =
        Relative::default().with_style(style).with_base_element(base_element).with_missing(missing);
    if !options.is_for_files {
        let map = Arc::new(tree.places.roots(&tree.roots, &aliases));
        return Ok(Action::Relativize(relative.with_map(map)));
    }
    if style != Style::Relative || base_element != BaseElement::Empty {
        return Err(PlanError::ForFilesWithStyle);
    }
    if tree.roots.contains(&Root::Stdin) {
        return Err(PlanError::ForFilesOfStdin);
    }
    let locator = Arc::new(locator(
        tree,
        &options.index,
        &aliases,
        options.has_clean_urls,
        false,
        has_output,
    ));
    let map: Arc<dyn TargetMap> = locator.clone();
    Ok(Action::ForFile(relative.with_map(map), locator))
}
