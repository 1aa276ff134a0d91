//! `relink absolutize`, `relink relativize` and `relink move`: rewrites references, verifies the
//! result, and writes it.
//!
//! An update that has nothing to do ends before that (`unchanged`).
//! `start` creates the journal and the output. Then `walk` goes through the input, and makes the
//! directories of the output (`make`); threads `work` on the files, each by `file`, and the results
//! are taken in path order (`take`), where `container` puts messages together again. At the end,
//! files get their new names (`renaming`), the manifest is written (`listed`), and `report` says
//! what was done.

mod container;
pub(super) mod details;
mod file;
mod full_disk;
mod listed;
mod loads;
mod make;
mod new_text;
mod output;
pub(in crate::commands) mod references;
mod renaming;
mod report;
mod result;
mod run;
mod shown;
mod start;
mod take;
mod unchanged;
mod walk;
mod work;

use std::iter;
use std::path::PathBuf;
use std::time::Instant;

use rayon::ThreadPool;

use self::full_disk::FullDisk;
use self::make::Directories;
use self::run::Run;
use self::take::Taken;
use self::unchanged::Recorder;
use self::walk::Walk;
use self::work::{Work, is_late};
use crate::events::summary::Summary;
use crate::events::{Event, Events};
use crate::os::command_line::CommandLine;
use crate::os::interrupt::Interrupt;
use crate::os::parallel;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Convert, Plan};
use crate::tree::input::Item;
use crate::tree::units::Units;

impl Plan {
    /// Converts the tree. Documents that fail are messages, and are counted in the sums; the
    /// others are converted.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(self, events: &mut dyn Events) -> Result<Summary, Error> {
        let (config, started) = (&self.config, Instant::now());
        let Some(place) = unchanged::place(config, &self.line) else {
            return run(self.config, &self.line, &self.interrupt, events);
        };
        if !config.is_checksum
            && let Some(earlier) = place.earlier()
        {
            return unchanged::repeat(config, earlier, started, events);
        }
        place.remove()?;
        let mut recorder = Recorder::new(events);
        let summary = run(self.config, &self.line, &self.interrupt, &mut recorder)?;
        recorder.keep(place, &summary);
        Ok(summary)
    }
}

fn run(
    mut config: Convert,
    line: &CommandLine,
    interrupt: &Interrupt,
    events: &mut dyn Events,
) -> Result<Summary, Error> {
    let (run, pending) = start::begin(&mut config, line, events)?;
    let summary =
        if pending.has_begun() { Ok(Summary::default()) } else { all(&run, interrupt, events) };
    match summary {
        Ok(mut summary) => {
            // A document that was not written would keep its references under its new name.
            let is_written = !summary.is_of_disk && summary.full_disk.is_none();
            if !interrupt.is_set() && is_written && run.n_gone == 0 {
                renaming::finish(&run, &pending, &mut summary, events);
            }
            report::end(run, summary, interrupt, events)
        }
        Err(Error::Stream(error)) => Err(report::closed(&run, error)),
        Err(error) => Err(error),
    }
}

/// Processes all documents, and reports them.
fn all(run: &Run<'_>, interrupt: &Interrupt, events: &mut dyn Events) -> Result<Summary, Error> {
    let started = Instant::now();
    let pool = parallel::pool(run.config.tree.jobs)?;
    let disk = FullDisk::default();
    let mut directories = Directories::new(run);
    let work = Work::new(run, interrupt, &disk);
    let mut taken = Taken::new(run, &disk);
    let walk = Walk::new(run, &mut directories, &disk);
    let rest = process(walk, &pool, &work, &mut taken, events);
    let has_all = rest.is_ok() && work.goes_on() && taken.summary.n_failed == 0;
    output::remove_others(run, has_all, &mut taken.summary, events);
    for failure in directories.finish() {
        taken.summary.n_failed += 1;
        events.error(&failure.to_string());
    }
    let (n_rest, open) = rest?;
    events.event(Event::OutputEnd)?;
    let mut summary = taken.finish(n_rest, open);
    summary.elapsed = started.elapsed();
    Ok(summary)
}

/// Processes the files of a walk, and then those that were deferred. Returns the number of files
/// that were not started, and the open container.
fn process(
    walk: Walk<'_, '_>,
    pool: &ThreadPool,
    work: &Work<'_>,
    taken: &mut Taken<'_>,
    events: &mut dyn Events,
) -> Result<(usize, Option<PathBuf>), Error> {
    let config = work.run.config;
    let units = Units::new(&config.tree, walk).rebuilding();
    let mut units = units.with_late(|media| is_late(config, media));
    let process = |item| work.process(item);
    let mut take = |done| taken.take(done, events);
    let first = iter::from_fn(|| work.goes_on().then(|| units.next()).flatten());
    parallel::for_each(pool, first, Item::weight, process, &mut take)?;
    if work.disk.is_full() {
        return Ok(units.rest(matches!(config.output, Output::InPlace(_))));
    }
    let mut n_rest = 0;
    for late in units.late() {
        let mut late = late.map(|item| work.check_late(item));
        let next = iter::from_fn(|| work.goes_on().then(|| late.next()).flatten());
        parallel::for_each(pool, next, Item::weight, process, &mut take)?;
        n_rest += late.count();
    }
    Ok((n_rest, None))
}
