//! Plans that only read: `refs`, `bases` and `check`.

use std::fmt;
use std::sync::Arc;

use basectx::RetrievalUrl;
use rewrite::{FixedRoots, Move, PrefixMap, Relative};

use super::options::excludes;
use super::{Action, CheckOptions, PlanError, TreeOptions, aliases, locator};
use crate::events::Events;
use crate::files::markdown::MarkdownFiles;
use crate::os::command_line::options_of;
use crate::os::format::{CheckFormat, Format};
use crate::os::paths::Root;
use crate::plan::boxes::Boxes;
use crate::tree::Tree;
use crate::urls::locate::{LetterCase, Locator, LocatorOptions};
use crate::urls::stale_text::StaleText;
use crate::urls::url_mapping::UrlMapping;

/// A list of every reference in a tree.
pub struct Refs {
    pub(crate) tree: Tree,
    pub(crate) format: Format,
    pub(crate) lists_details: bool,
}

impl Refs {
    /// Checks the options of a list.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        mut tree: TreeOptions,
        format: Format,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        excludes::check(&options_of(&tree))?;
        tree.choose_layout(events);
        Ok(Refs { tree: tree.check(events)?, format, lists_details: false })
    }

    /// Sends each reference as an event of its own too:
    /// [`Event::Reference`](crate::Event::Reference).
    #[must_use]
    pub fn list_details(mut self) -> Self {
        self.lists_details = true;
        self
    }
}

/// A list of the base URL of each document in a tree, with its reasons.
pub struct Bases {
    pub(crate) tree: Tree,
    pub(crate) format: Format,
    /// The characters of boxes.
    pub(crate) boxes: Boxes,
}

impl Bases {
    /// Checks the options of a list. The characters of boxes are those of the locale.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        mut tree: TreeOptions,
        format: Format,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        excludes::check(&options_of(&tree))?;
        tree.choose_layout(events);
        Ok(Bases { tree: tree.check(events)?, format, boxes: Boxes::of_locale() })
    }

    /// Sets the number of columns into which boxes of characters fit, if they must.
    #[must_use]
    pub fn width(mut self, n_columns: Option<usize>) -> Self {
        self.boxes = self.boxes.within(n_columns);
        self
    }
}

/// The URLs that a check lists instead of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Those out of the tree.
    External,
    /// Those in the tree that have no file.
    Missing,
}

/// The references that are explained.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Which {
    /// Those that begin on this line, counted from 1.
    Line(usize),
    /// The one at this line and column, counted from 1 in bytes.
    Place(usize, usize),
    /// Those with this text, decoded or as written.
    Text(String),
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Line(line) => write!(f, "begins on line {line}"),
            Which::Place(line, column) => write!(f, "is at {line}:{column}"),
            Which::Text(text) => write!(f, "is '{text}'"),
        }
    }
}

/// The URL to which an explanation moves the tree, since none is given.
pub(crate) const MOVED_TO: &str = "https://new.example/";

/// An explanation of references: how they are decoded, resolved and written.
pub struct Explain {
    pub(crate) tree: Tree,
    /// Finds the files that references point to.
    pub(crate) locator: Locator,
    /// True if the URL of the tree is not given.
    pub(crate) is_on_disk: bool,
    /// What each command does, by its name.
    pub(crate) actions: [(&'static str, Action); 3],
    pub(crate) which: Which,
    /// True if the target by each dialect is shown.
    pub(crate) has_all_dialects: bool,
    pub(crate) format: Format,
    /// The characters of boxes.
    pub(crate) boxes: Boxes,
}

impl Explain {
    /// Checks the options of an explanation, and reads the names of the files around the
    /// references. A tree without a URL is explained as it lies on the disk.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        mut tree: TreeOptions,
        which: Which,
        has_all_dialects: bool,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        excludes::check(&options_of(&tree))?;
        tree.choose_layout(events);
        let mut tree = tree.check(events)?;
        let is_on_disk = tree.places.is_empty();
        let urls = tree.places.roots(&tree.roots, &[]);
        if is_on_disk {
            tree.places = UrlMapping::of_disk(&tree.roots);
            // What a document says of its URL comes first.
            tree.places.guess();
        }
        let mut moves = PrefixMap::default();
        for (path, url) in tree.places.directories(&tree.roots) {
            let name = path.file_name().filter(|_| tree.places.layout().has_hosts());
            let host = name.map(|name| format!("{}/", name.to_string_lossy())).unwrap_or_default();
            // A directory in another one moves with it.
            drop(moves.add(url.as_str(), &format!("{MOVED_TO}{host}"), []));
        }
        let relative = Relative::default().with_map(Arc::new(urls));
        Ok(Explain {
            locator: locator(&tree, LocatorOptions::default()),
            is_on_disk,
            actions: [
                ("absolutize", Action::Absolutize),
                ("relativize", Action::Relativize(relative)),
                ("move", Action::Move(Move::by(moves))),
            ],
            tree,
            which,
            has_all_dialects,
            format: Format::Text,
            boxes: Boxes::of_locale(),
        })
    }

    /// Sets the format.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// Sets the number of columns into which boxes of characters fit, if they must.
    #[must_use]
    pub fn width(mut self, n_columns: Option<usize>) -> Self {
        self.boxes = self.boxes.within(n_columns);
        self
    }
}

/// A search for broken references in a tree.
pub struct Check {
    pub(crate) tree: Tree,
    /// Finds the files that references point to.
    pub(crate) locator: Locator,
    /// True if fragments are checked.
    pub(crate) checks_fragments: bool,
    /// True if what specifications warn of is reported.
    pub(crate) has_lints: bool,
    /// The old places of the tree, if given.
    pub(crate) stale: Option<FixedRoots>,
    /// Finds the old places in text.
    pub(crate) stale_text: Option<StaleText>,
    /// The URLs that are listed instead of problems.
    pub(crate) listed: Option<Listed>,
    /// True if the URL of the tree is not given.
    pub(crate) is_on_disk: bool,
    pub(crate) format: CheckFormat,
    /// The number of targets that are listed, if problems are grouped by target.
    pub(crate) top: Option<usize>,
    /// True if each problem, base and skipped document is sent as an event.
    pub(crate) lists_details: bool,
}

impl Check {
    /// Checks the options, and reads the names of the files of the tree. A tree without a URL is
    /// checked as it lies on the disk.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        mut tree: TreeOptions,
        options: &CheckOptions,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        let mut values = options_of(options);
        values.extend(options_of(&tree));
        excludes::check(&values)?;
        tree.report_layout(events);
        let listed = match (options.list_external, options.missing_urls) {
            (true, _) => Some(Listed::External),
            (false, true) => Some(Listed::Missing),
            (false, false) => None,
        };
        let mut tree = tree.check(events)?;
        if tree.roots.contains(&Root::Stdin) {
            return Err(PlanError::CheckOfStdin);
        }
        if tree.places.is_empty() {
            aliases(&options.member.same_as, &tree)?;
        }
        tree.markdown = Some(MarkdownFiles::new(&tree.roots));
        let is_on_disk = tree.places.is_empty();
        if is_on_disk {
            tree.places = UrlMapping::of_disk(&tree.roots);
            tree.hints.is_off = true;
        }
        tree.places.check_overlaps()?;
        let aliases = aliases(&options.member.same_as, &tree)?;
        let letter_case = LetterCase::Folded;
        let found = LocatorOptions { letter_case, ..options.member.locator(&aliases) };
        let locator = locator(&tree, found);
        Ok(Check {
            stale: stale(&options.stale, &locator, events)?,
            stale_text: stale_text(&options.stale),
            tree,
            locator,
            checks_fragments: options.fragments,
            has_lints: options.lint,
            listed,
            is_on_disk,
            format: options.format,
            top: options.top,
            lists_details: options.lists_details,
        })
    }
}

/// Returns the search for the old directories of a tree in text.
fn stale_text(urls: &[String]) -> Option<StaleText> {
    let directories: Vec<_> =
        urls.iter().filter_map(|url| RetrievalUrl::from_directory(url).ok()).collect();
    (!urls.is_empty()).then(|| StaleText::new(directories.iter().map(RetrievalUrl::as_str)))
}

/// Returns the old directories of a tree.
fn stale(
    urls: &[String],
    locator: &Locator,
    events: &mut dyn Events,
) -> Result<Option<FixedRoots>, PlanError> {
    let mut roots = FixedRoots::default();
    for url in urls {
        let directory = RetrievalUrl::from_directory(url);
        let directory = directory.map_err(|error| PlanError::Stale { url: url.clone(), error })?;
        let directory_url = directory.as_str();
        if locator.rest(directory_url).is_some_and(|rest| matches!(rest, "" | "/")) {
            return Err(PlanError::StaleIsCurrent(url.clone()));
        }
        if directory.is_slash_added() {
            events.note(&format!("note: --stale {url} is read as the directory {directory_url}"));
        }
        roots.add(directory_url, []);
    }
    Ok((!urls.is_empty()).then_some(roots))
}
