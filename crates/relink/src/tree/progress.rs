//! Counts the finished items of a run, for [`Event::Progress`].

use std::path::{Path, PathBuf};

use crate::events::{Event, Events, Progress};
use crate::files::properties::Properties;
use crate::tree::input::Item;

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
