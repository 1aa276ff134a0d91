//! The configuration of `refs`, `bases` and `check`.

use basectx::RetrievalUrl;

use super::{Tree, locator, same_as, tree, usage};
use crate::boxes::Boxes;
use crate::cli::{BasesArgs, CheckArgs, Format, RefsArgs};
use crate::exit::Error;
use crate::locate::Locator;
use crate::messages;
use crate::paths::Root;
use crate::url_mapping::UrlMapping;

/// A run of `refs`.
pub struct Refs {
    /// The tree.
    pub tree: Tree,
    /// The output format.
    pub format: Format,
}

/// A run of `bases`.
pub struct Bases {
    /// The tree.
    pub tree: Tree,
    /// The output format.
    pub format: Format,
    /// The characters of boxes.
    pub boxes: Boxes,
}

/// A run of `check`.
pub struct Check {
    /// The tree.
    pub tree: Tree,
    /// Finds the files that references point to.
    pub locator: Locator,
    /// True if fragments are checked.
    pub checks_fragments: bool,
    /// The old places of the tree, if given.
    pub stale: Option<rewrite::FixedRoots>,
    /// True if the URLs out of the tree are listed instead of problems.
    pub lists_external: bool,
    /// True if the URL of the tree is not given.
    pub is_on_disk: bool,
    /// The output format.
    pub format: Format,
}

impl Check {
    /// Returns true if messages are read: only for checks that need no files.
    pub fn reads_messages(&self) -> bool {
        self.stale.is_some() || self.lists_external
    }
}

/// Checks the arguments of `refs`.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments.
pub fn refs(args: RefsArgs) -> Result<Refs, Error> {
    Ok(Refs { tree: tree(args.tree)?, format: args.format })
}

/// Checks the arguments of `bases`.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments.
pub fn bases(args: BasesArgs) -> Result<Bases, Error> {
    Ok(Bases { tree: tree(args.tree)?, format: args.format, boxes: Boxes::of_locale() })
}

/// Checks the arguments of `check`. A tree without a URL is checked as it lies on the disk.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments.
pub fn check(args: CheckArgs) -> Result<Check, Error> {
    let mut tree = tree(args.tree)?;
    if tree.roots.contains(&Root::Stdin) {
        return Err(usage(
            "check needs to know which files there are: it cannot read standard input",
        ));
    }
    if !args.member.same_as.is_empty() && !tree.places.has_base() {
        same_as(&args.member, &tree)?;
    }
    let is_on_disk = tree.places.is_empty();
    if is_on_disk {
        tree.places = UrlMapping::of_disk(&tree.roots);
        tree.hints.is_off = true;
    }
    tree.places.check_overlaps().map_err(usage)?;
    let same_as = same_as(&args.member, &tree)?;
    let locator = locator(&tree, &args.member, &same_as, true, false);
    Ok(Check {
        stale: stale(&args.stale, &tree, &locator)?,
        tree,
        locator,
        checks_fragments: args.fragments,
        lists_external: args.list_external,
        is_on_disk,
        format: args.format,
    })
}

/// Returns the directories of `--stale`.
fn stale(
    urls: &[String],
    tree: &Tree,
    locator: &Locator,
) -> Result<Option<rewrite::FixedRoots>, Error> {
    let mut roots = rewrite::FixedRoots::default();
    for url in urls {
        let directory = RetrievalUrl::from_directory(url)
            .map_err(|error| usage(format!("--stale {url}: {error}")))?;
        let directory_url = directory.as_str();
        if locator.rest(directory_url).is_some_and(|rest| matches!(rest, "" | "/")) {
            return Err(usage(format!("--stale {url}: this is where the tree is")));
        }
        if directory.is_slash_added() && !tree.is_quiet {
            messages::print(&format!("--stale {url} is taken as the folder {directory_url}"));
        }
        roots.add(directory_url, []);
    }
    Ok((!urls.is_empty()).then_some(roots))
}
