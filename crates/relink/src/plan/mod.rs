//! Plans: what a run does, built from values and checked before the first file is opened.

pub mod boxes;
pub mod destination;
pub mod exit;
pub mod move_plan;
pub mod options;
pub mod other_names;

mod builder;
mod error;
mod layout;
mod look;
pub(crate) mod naming;
mod pack;
mod relativize;
pub(crate) mod renaming;
mod shares;
mod site_root;
mod site_url;
pub(crate) mod tree;
mod unpack;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::RetrievalUrl;
use rewrite::{Move, Relative};

pub(crate) use self::builder::Conversion;
pub use self::builder::PlanBuilder;
pub use self::error::PlanError;
pub use self::look::{Bases, Check, Explain, Refs, Which};
pub(crate) use self::look::{Listed, MOVED_TO};
pub use self::options::{
    CheckOptions, ConvertOptions, MoveOptions, PackOptions, RelativizeOptions, TreeOptions,
    UnpackOptions,
};
pub use self::pack::Pack;
pub(crate) use self::renaming::Renaming;
pub use self::unpack::Unpack;
use crate::events::prepared::Prepares;
use crate::files::container;
use crate::files::diff::Diff;
use crate::files::walk::Entry;
use crate::os::command_line::CommandLine;
use crate::os::interrupt::Interrupt;
use crate::plan::destination::Output;
use crate::plan::other_names::OtherNames;
use crate::tree::Tree;
use crate::tree::input::Document;
use crate::tree::integrity::Loads;
use crate::tree::mentions::Mentions;
use crate::urls::fixes::Fixes;
use crate::urls::locate::{LetterCase, Locator, LocatorOptions};
use crate::urls::remembered::Remembered;
use crate::urls::renames::files::FileRenames;
use crate::urls::url_mapping::UrlMapping;

/// A conversion whose options are checked.
///
/// [`Plan::absolutize`], [`Plan::relativize`] and [`Plan::relocate`] begin one, the methods of
/// [`PlanBuilder`] set its output, and [`PlanBuilder::build`] checks everything. [`Plan::run`] runs
/// it.
pub struct Plan {
    pub(crate) config: Convert,
    pub(crate) line: CommandLine,
    pub(crate) interrupt: Interrupt,
}

impl Plan {
    /// Begins a plan that makes every reference absolute.
    pub fn absolutize(tree: TreeOptions) -> PlanBuilder {
        PlanBuilder::new(tree, Conversion::Absolutize)
    }

    /// Begins a plan that makes references into the tree relative.
    pub fn relativize(tree: TreeOptions, options: RelativizeOptions) -> PlanBuilder {
        PlanBuilder::new(tree, Conversion::Relativize(options))
    }

    /// Begins a plan that makes every reference correct for other root URLs.
    pub fn relocate(tree: TreeOptions, options: MoveOptions) -> PlanBuilder {
        PlanBuilder::new(tree, Conversion::Move(options))
    }

    /// Sets the switch that ends the run early.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Returns true if the run writes files.
    pub fn writes_files(&self) -> bool {
        !matches!(self.config.output, Output::Nowhere | Output::Stdout)
    }

    /// Returns true if the run has output: a diff, or a document that is not written to a file.
    pub fn has_output(&self) -> bool {
        self.config.shows_diff || self.config.output == Output::Stdout
    }
}

/// The conversion of references.
#[derive(Clone, Debug)]
pub enum Action {
    /// They are made absolute.
    Absolutize,
    /// They are made relative.
    Relativize(Relative),
    /// They are made relative, and point to the files themselves.
    ForFile(Relative, Arc<Locator>),
    /// They are made correct for the place to which the tree moves.
    Move(Move),
}

impl Action {
    /// Returns the same conversion with a map that remembers what it returned.
    fn remembering(self) -> Self {
        match self {
            Action::Absolutize => Action::Absolutize,
            Action::Relativize(relative) => {
                let map = Remembered::new(Arc::clone(&relative.map));
                Action::Relativize(relative.with_map(map))
            }
            Action::ForFile(relative, locator) => {
                let map = Remembered::new(Arc::clone(&relative.map));
                Action::ForFile(relative.with_map(map), locator)
            }
            Action::Move(to) => {
                let map = Remembered::new(Arc::clone(&to.map));
                Action::Move(to.with_map(map))
            }
        }
    }
}

/// The checked options of one kind of conversion.
struct Work {
    action: Action,
    renames: Option<Renaming>,
    other_names: Option<Arc<OtherNames>>,
    /// How the tree is read, if its documents decide that.
    note: Option<String>,
}

impl From<Action> for Work {
    fn from(action: Action) -> Self {
        Work { action, renames: None, other_names: None, note: None }
    }
}

/// The checked options of a conversion.
pub struct Convert {
    /// The tree.
    pub tree: Tree,
    /// The conversion.
    pub action: Action,
    /// The destination.
    pub output: Output,
    /// True if the changes are shown.
    pub shows_diff: bool,
    /// The form of the diff.
    pub diff: Diff,
    /// True if only files are written whose names Windows allows.
    pub has_portable_names: bool,
    /// True if each file is flushed to the disk before the run goes on.
    pub is_durable: bool,
    /// True if only files are written that differ from those in the output.
    pub is_update: bool,
    /// True if these are compared even if nothing seems to have changed.
    pub is_checksum: bool,
    /// True if the run creates the output under another name, and nobody else uses it.
    pub is_unfinished: bool,
    /// True if files in the output that the input does not contain are removed.
    pub deletes: bool,
    /// True if the run sends each reference, base and skipped document as an event.
    pub lists_details: bool,
    /// What is made of them before they are sent.
    pub(crate) prepares: Prepares,
    /// The record of the move, if a second run would move everything again.
    pub notes_moves: Option<NotesMoves>,
    /// The targets that may be in the tree under another name.
    pub other_names: Option<Arc<OtherNames>>,
    /// The path of the manifest, if one is written.
    pub manifest: Option<PathBuf>,
    /// True if a run in place keeps its manifest next to PATH.
    pub keeps_manifest: bool,
    /// The command in the manifest.
    pub command: String,
    /// The renames, if pages are renamed.
    pub renames: Option<Renaming>,
    /// The files that pages load, for digests of them.
    pub loads: Loads,
}

impl Convert {
    /// Returns true if anybody sees the bytes of the new documents: they are written, or a diff may
    /// contain them.
    pub fn shows_bytes(&self) -> bool {
        self.output != Output::Nowhere || self.shows_diff
    }

    /// Returns the new names of the files, if they are renamed.
    pub fn file_renames(&self) -> Option<&FileRenames> {
        self.renames.as_ref().filter(|renames| renames.renames_files).map(|renames| &*renames.files)
    }

    /// Returns true if a document names no file that is renamed, and stays where it is: none of its
    /// references changes. False if the run says more of a document than that. Without the
    /// document, that is true of one that need not be read.
    pub fn has_no_names(&self, entry: &Entry, document: Option<&Document>) -> bool {
        let is_told = self.lists_details || self.tree.is_verbose;
        let is_read =
            document.is_some() || matches!(self.output, Output::Nowhere | Output::InPlace(_));
        is_read
            && !is_told
            && self.renames.as_ref().is_some_and(|renames| renames.passes_over(entry, document))
            && !self.loads.is_unread(entry.root, &entry.below)
    }

    /// Returns the path below its PATH that a file has in the output.
    pub fn output_path<'p>(&'p self, root: usize, below: &'p Path) -> &'p Path {
        self.file_renames().map_or(below, |files| files.new_path(root, below))
    }
}

/// The record of a move.
pub struct NotesMoves {
    /// The old and new URL of each root.
    pub pairs: Vec<(String, String)>,
    /// True if documents that an earlier run has moved are moved again.
    pub again: bool,
}

/// Returns the aliases of the URL of a tree, as URLs of directories.
fn aliases(same_as: &[String], tree: &Tree) -> Result<Vec<String>, PlanError> {
    let has_hosts = tree.places.layout().has_hosts() && !tree.places.is_empty();
    if !same_as.is_empty() && !tree.places.has_base() && !has_hosts {
        return Err(PlanError::AliasWithoutBase);
    }
    let alias = |url: &String| {
        let alias = RetrievalUrl::from_directory(url);
        let alias = alias.map_err(|error| PlanError::Alias { url: url.clone(), error })?;
        if tree.places.has_alias(alias.as_str()) {
            Ok(alias.as_str().to_owned())
        } else {
            Err(PlanError::AliasOfNoHost { url: url.clone() })
        }
    };
    options::aliases(same_as).iter().map(alias).collect()
}

fn locator(tree: &Tree, options: LocatorOptions<'_>) -> Locator {
    let mut locator = Locator::new(&tree.roots, &tree.places, &tree.types, options);
    let reads_all = tree.may_have_members();
    let is_one = |name: &[u8]| reads_all || container::is_package(name);
    locator.files.add_members(is_one, |path, store| tree.members_of(path, store));
    locator
}

/// Returns the map that corrects the references of a tree. Without a URL, it is read as it lies on
/// the disk.
fn fixes(tree: &mut Tree, options: &MoveOptions) -> Result<Arc<Fixes>, PlanError> {
    if tree.places.is_empty() {
        tree.places = UrlMapping::of_disk(&tree.roots);
        tree.hints.is_off = true;
    }
    let aliases = aliases(&options.same_as, tree)?;
    let locator = locator(
        tree,
        LocatorOptions {
            indexes: &options.index,
            aliases: &aliases,
            letter_case: LetterCase::Folded,
            has_clean_urls: options.clean_urls,
            ..LocatorOptions::default()
        },
    );
    Ok(Arc::new(Fixes::new(locator, &tree.roots, &tree.places)))
}

/// Returns the search for what moves, or is renamed, in files that are not read.
fn mentions(
    action: &Action,
    renames: Option<&Renaming>,
    names: Option<&OtherNames>,
) -> Option<Mentions> {
    let is_move = matches!(action, Action::Move(_));
    let urls = names.filter(|_| is_move).into_iter().flat_map(OtherNames::roots);
    let renamed = renames.into_iter().flat_map(Renaming::old_paths);
    (is_move || renames.is_some()).then(|| Mentions::new(urls, renamed))
}
