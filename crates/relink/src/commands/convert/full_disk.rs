//! A full disk ends the run: one message gives the reason and the number of files that were not
//! processed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::events::summary;
use crate::files::media::FileType;
use crate::files::walk::EntryKind;
use crate::os::failure::Failure;
use crate::tree::input::Item;

/// The state of the disk that the workers share.
#[derive(Default)]
pub(super) struct FullDisk {
    is_full: AtomicBool,
    /// The first failure.
    reason: Mutex<Option<String>>,
}

/// The files that were not processed.
#[derive(Default)]
pub(super) struct NotDone {
    n: usize,
    /// The file that was counted last: a container comes in many pieces.
    last: Option<PathBuf>,
}

impl FullDisk {
    /// Returns true if no new files are to be started.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Records the first failure.
    pub(super) fn set_full(&self, failure: &Failure) {
        self.is_full.store(true, Ordering::Relaxed);
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert_with(|| failure.to_string());
    }

    /// Returns the final message, if the disk is full: the first failure, and the number of files.
    pub(super) fn message(&self, not_done: &NotDone) -> Option<String> {
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let verb = if not_done.n == 1 { "was" } else { "were" };
        Some(format!("{reason}; {} {verb} not processed", summary::n(not_done.n, "file")))
    }
}

impl NotDone {
    /// Counts a file, unless it is the last one again.
    pub(super) fn add(&mut self, path: PathBuf) {
        if self.last.as_ref() != Some(&path) {
            self.n += 1;
            self.last = Some(path);
        }
    }

    /// Counts files of which only the number is known.
    pub(super) fn add_others(&mut self, n: usize) {
        self.n += n;
    }

    /// Returns the number of files.
    pub(super) fn n(&self) -> usize {
        self.n
    }
}

/// Returns true if an item is, or is a piece of, a file that the run would write.
pub(super) fn would_be_written(item: &Item, is_in_place: bool) -> bool {
    match item {
        Item::Entry(_, FileType::Document(_)) => true,
        Item::Entry(entry, _) => {
            !is_in_place && matches!(entry.kind, EntryKind::File | EntryKind::Link)
        }
        Item::Stream(..) | Item::Piece(..) | Item::End(..) => true,
        Item::Failed(_) => false,
    }
}
