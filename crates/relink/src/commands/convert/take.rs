//! The results of a run, taken in path order: containers are put together again, and each file is
//! reported.

use std::path::PathBuf;

use super::container::ContainerWriter;
use super::full_disk::{FullDisk, NotDone};
use super::report::report_done;
use super::result::UnitResult;
use super::run::Run;
use crate::events::summary::Summary;
use crate::events::{self, Events};
use crate::plan::exit::Error;
use crate::tree::Counter;

/// The results that were taken.
pub(super) struct Taken<'r> {
    pub(super) summary: Summary,
    counter: Counter,
    writer: ContainerWriter<'r>,
    disk: &'r FullDisk,
    not_done: NotDone,
}

impl<'r> Taken<'r> {
    pub(super) fn new(run: &'r Run<'r>, disk: &'r FullDisk) -> Self {
        let (summary, counter) = (Summary::default(), Counter::default());
        Taken {
            summary,
            counter,
            writer: ContainerWriter::new(run),
            disk,
            not_done: NotDone::default(),
        }
    }

    /// Takes a result.
    ///
    /// # Errors
    ///
    /// Those of standard output.
    pub(super) fn take(
        &mut self,
        mut done: UnitResult,
        events: &mut dyn Events,
    ) -> Result<(), Error> {
        self.writer.take(&mut done, &mut events::OutputWriter(events))?;
        if let Some((path, failure)) = done.not_done.take() {
            failure.iter().for_each(|failure| self.disk.set_full(failure));
            self.not_done.add(path);
        }
        report_done(done, &mut self.summary, &mut self.counter, events)
    }

    /// Returns the sums. If the disk is full, files that were not started count as failed: `n_rest`
    /// of them, and the open container.
    pub(super) fn finish(mut self, n_rest: usize, open: Option<PathBuf>) -> Summary {
        self.not_done.add_others(n_rest);
        open.into_iter().for_each(|path| self.not_done.add(path));
        if self.disk.is_full() {
            self.summary.n_failed += self.not_done.n();
            self.summary.full_disk = self.disk.message(&self.not_done);
        }
        self.summary
    }
}
