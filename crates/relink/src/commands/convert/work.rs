//! The work of the threads: one item after another, until the run ends.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rewrite::Media;

use super::file;
use super::full_disk::{self, FullDisk};
use super::result::{ResultKind, UnitResult};
use super::run::Run;
use crate::files::sidecar;
use crate::os::failure::Failure;
use crate::os::interrupt::Interrupt;
use crate::plan::destination::Output;
use crate::plan::{Action, Convert};
use crate::tree::ProgressStep;
use crate::tree::input::Item;
use crate::tree::units;

/// What the threads share.
pub(super) struct Work<'r> {
    pub(super) run: &'r Run<'r>,
    interrupt: &'r Interrupt,
    pub(super) disk: &'r FullDisk,
    /// The paths of the files that failed.
    failed: Mutex<HashSet<PathBuf>>,
    /// True if the run will be continued.
    is_incomplete: AtomicBool,
}

impl<'r> Work<'r> {
    pub(super) fn new(run: &'r Run<'r>, interrupt: &'r Interrupt, disk: &'r FullDisk) -> Self {
        let (failed, is_incomplete) = (Mutex::default(), AtomicBool::default());
        Work { run, interrupt, disk, failed, is_incomplete }
    }

    /// Returns true if items are to be started.
    pub(super) fn goes_on(&self) -> bool {
        !self.interrupt.is_set() && !self.disk.is_full()
    }

    /// Processes an item, unless the run ends.
    pub(super) fn process(&self, item: Item) -> UnitResult {
        if self.interrupt.is_set() {
            return UnitResult { kind: ResultKind::Nothing, ..UnitResult::default() };
        }
        let path = item.path().to_owned();
        let is_in_place = matches!(self.run.config.output, Output::InPlace(_));
        if self.disk.is_full() && full_disk::would_be_written(&item, is_in_place) {
            let not_done = Some((path, None));
            return UnitResult { kind: ResultKind::Nothing, not_done, ..UnitResult::default() };
        }
        let numbered = match &item {
            Item::Piece(opened, number, _) => {
                number.map(|number| (opened.container.spec().noun, number))
            }
            _ => None,
        };
        let step = ProgressStep::new(&item);
        let done = UnitResult { step, numbered, ..file::item(self.run, item) };
        if let Some((_, Some(failure))) = &done.not_done {
            self.disk.set_full(failure);
        }
        if done.is_of_disk {
            self.is_incomplete.store(true, Ordering::Relaxed);
        }
        if !done.failures.is_empty() {
            self.failed().insert(path);
        }
        done
    }

    /// Returns a deferred item, or the reason why it is not written: a header section stays if the
    /// page whose base it declares stays.
    pub(super) fn check_late(&self, item: Item) -> Item {
        let is_header_section = units::is_header_section(&item);
        let reason = if !is_header_section && self.is_incomplete.load(Ordering::Relaxed) {
            "skipped; pages that may have its digest were not written".to_owned()
        } else if is_header_section && self.has_failed(&sidecar::page_of(item.path())) {
            format!(
                "skipped; its page {} was skipped, and they must change together",
                sidecar::page_of(item.path()).display()
            )
        } else {
            return item;
        };
        Item::Failed(Failure::because(item.path(), reason))
    }

    fn has_failed(&self, path: &Path) -> bool {
        self.failed().contains(path)
    }

    fn failed(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if documents of this type are written after all others, in place: pages have
/// digests of style sheets and scripts, and if the run is interrupted, the next one would not know
/// their old content. The header section of a file in a tree that moves is written after the file,
/// since the next run would take the base in it as that of a file that has not moved.
pub(super) fn is_late(config: &Convert, media: Media) -> bool {
    let is_loaded = [Media::CSS, Media::SCRIPT].contains(&media);
    let is_move = matches!(config.action, Action::Move(_));
    let is_late =
        (is_loaded && file::has_digests(config)) || (media == units::HEADER_SECTION && is_move);
    is_late && matches!(config.output, Output::InPlace(_))
}
