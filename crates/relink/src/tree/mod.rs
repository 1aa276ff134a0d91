//! The tree of a run: its files, their URLs, and how they are read.

pub mod error_pages;
pub mod input;
pub mod integrity;
pub mod mentions;
pub mod not_read;
pub mod units;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Media, Options};

use crate::events::problem::Leftovers;
use crate::events::{Event, Events, Progress};
use crate::files::globs::Globs;
use crate::files::ignored::Ignored;
use crate::files::markdown::MarkdownFiles;
use crate::files::media::{FileType, Types};
use crate::files::properties::Properties;
use crate::files::walk::{self, Entry};
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::paths::Root;
use crate::tree::error_pages::ErrorPages;
use crate::tree::input::Item;
use crate::tree::integrity::Integrity;
use crate::tree::mentions::Mentions;
use crate::tree::not_read::NotRead;
use crate::urls::hints::Hints;
use crate::urls::mirror::Mirror;
use crate::urls::mirror::style_sheets::StyleSheets;
use crate::urls::url_mapping::UrlMapping;

/// The files of a run, their URLs, and how they are read.
pub struct Tree {
    /// The directories and files to walk.
    pub roots: Vec<Root>,
    /// The directories of the roots: a root itself, or the directory that contains it.
    pub dirs: Dirs,
    /// The URLs of the files.
    pub places: UrlMapping,
    /// The files of the tree, if it is a mirror.
    pub mirror: Option<Arc<Mirror>>,
    /// The style sheets of a mirror whose names do not give their type.
    pub style_sheets: StyleSheets,
    /// The source of URLs that nothing else gives: provenance metadata.
    pub hints: Hints,
    /// The media types of the files.
    pub types: Types,
    /// The documents that are processed.
    pub globs: Globs,
    /// True if files of version-control systems are documents too.
    pub has_version_control: bool,
    /// Documents that ignore files exclude.
    pub ignored: Ignored,
    /// The options for each document.
    pub options: Options,
    /// Files that are not read.
    pub not_read: NotRead,
    /// URLs of HTTrack that lead nowhere.
    pub leftovers: Leftovers,
    /// The Markdown files that are read without `--also`, in a run that reads some.
    pub markdown: Option<MarkdownFiles>,
    /// What moves, in files that are not read.
    pub mentions: Option<Mentions>,
    /// Digests of files in pages.
    pub integrity: Integrity,
    /// Pages that a server sends for other URLs too.
    pub error_pages: ErrorPages,
    /// Documents that an earlier run has finished, and that stay.
    pub finished: HashSet<PathBuf>,
    /// Documents that an earlier run had recorded, and that were changed since: they stay too.
    pub changed: HashSet<PathBuf>,
    /// Number of threads, if given.
    pub jobs: Option<u16>,
    /// True if each reference that could not be handled is reported.
    pub is_verbose: bool,
}

impl Tree {
    /// Returns true if an entry may be a document by its path: one that the patterns select, and
    /// that is not inside the data of a version-control system.
    pub fn allows(&self, entry: &Entry) -> bool {
        self.globs.allow(&entry.below)
            && !self.ignored.contains(entry)
            && (self.has_version_control || !walk::is_version_control(&entry.below))
    }

    /// Returns the type of a file by its name, and by its place if it is Markdown.
    pub fn type_by_name(&self, entry: &Entry) -> FileType {
        let file_type = self.types.of_path(&entry.path);
        let is_read = || {
            self.markdown.as_ref().is_some_and(|files| {
                self.types.asks_for(Some(&entry.path)) == Some("markdown")
                    && files.has(entry, &self.roots, &self.types, |entry| self.allows(entry))
            })
        };
        match file_type {
            FileType::Other if is_read() => FileType::Document(Media::MARKDOWN),
            file_type => file_type,
        }
    }

    /// Returns the location of a file of the tree.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the entry.
    pub fn locate(&self, entry: &Entry) -> Result<Location, Failure> {
        let location = self.dirs.locate(entry.root, &entry.below, &entry.path);
        location.map_err(Failure::reading(&entry.path))
    }
}

/// What an item of work adds to the progress of a run.
#[derive(Default)]
pub(crate) struct Step {
    pub(crate) path: PathBuf,
    /// If the item is a piece of a container, the offset of its end, and the length of the
    /// container.
    part: Option<(u64, u64)>,
}

impl Step {
    pub(crate) fn new(item: &Item) -> Self {
        let part = match item {
            Item::Piece(opened, _, piece) => {
                let length = opened.properties.as_ref().map_or(0, Properties::len);
                Some((piece.at + piece.bytes.len() as u64, length))
            }
            _ => None,
        };
        Step { path: item.path().to_owned(), part }
    }
}

/// The sums of the finished items.
#[derive(Default)]
pub(crate) struct Counter {
    /// Number of files of the run, if it is known.
    n_total: Option<usize>,
    n_files: usize,
    n_documents: usize,
    n_bytes: u64,
}

impl Counter {
    /// Creates the counter of a run over `n_total` files.
    pub(crate) fn with_total(n_total: usize) -> Self {
        Counter { n_total: Some(n_total), ..Counter::default() }
    }

    /// Adds a finished item, and sends the sums. `document` is the number of bytes of its
    /// document, if it has one.
    pub(crate) fn add(&mut self, step: &Step, document: Option<u64>, events: &mut dyn Events) {
        self.n_files += usize::from(step.part.is_none());
        self.n_documents += usize::from(document.is_some());
        self.n_bytes += document.unwrap_or(0);
        self.send(&step.path, step.part, events);
    }

    /// Adds a finished file, and sends the sums.
    pub(crate) fn add_file(&mut self, path: &Path, events: &mut dyn Events) {
        self.n_files += 1;
        self.n_documents += 1;
        self.send(path, None, events);
    }

    fn send(&self, path: &Path, part: Option<(u64, u64)>, events: &mut dyn Events) {
        let Counter { n_total, n_files, n_documents, n_bytes } = *self;
        let progress = Progress { path, n_files, n_total, part, n_documents, n_bytes };
        // Documented: only errors of output end a run.
        drop(events.event(Event::Progress(progress)));
    }
}
