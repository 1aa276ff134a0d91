//! `relink absolutize`, `relink relativize` and `relink move`: rewrites references, verifies the
//! result, and writes it.
//!
//! `file.rs` processes one file, or one message of a container, in a worker thread; `container.rs`
//! puts the messages together again, in order.

mod container;
pub(super) mod details;
mod file;
mod listed;
mod output;
mod references;
mod renaming;
mod report;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rewrite::{Media, Report};

use self::container::Writer;
use self::details::Details;
use self::file::target;
use self::output::{is_left, output_dirs};
use self::report::{FullDisk, NotDone, end, how_to_go_on, not_complete, report_done};
use crate::commands::delete::Expected;
use crate::events::summary::{self, Summary};
use crate::events::{self, Event, Events};
use crate::files::container::SharedBytes;
use crate::files::properties::Properties;
use crate::files::sidecar;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;
use crate::os::interrupt::Interrupt;
use crate::os::paths::Root;
use crate::os::portable::Names;
use crate::os::undo_log::Changes;
use crate::os::{messages, parallel};
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Action, Convert, NotesMoves, Plan};
use crate::recovery::journal::building::Building;
use crate::recovery::journal::log::Log;
use crate::recovery::journal::{self, Journal};
use crate::recovery::move_log::MoveLog;
use crate::recovery::write::replaced::Replaced;
use crate::recovery::write::{MadeDirectories, Written};
use crate::tree::input::Item;
use crate::tree::input::Opened;
use crate::tree::units::Units;
use crate::tree::{Counter, Step, units};
use crate::urls::hints::Source;

/// The kind of item that a result is of.
#[derive(Default)]
enum ResultKind {
    /// A file, which is written.
    #[default]
    File,
    /// A piece of a container: its offset in the container, and its bytes as they are to be
    /// written.
    Piece(Arc<Opened>, u64, OutputBytes),
    /// The end of a container.
    End(Arc<Opened>),
    /// It was not started, because the run was interrupted.
    Nothing,
}

/// The output for an item.
#[derive(Default)]
struct OutputBytes {
    bytes: SharedBytes,
    /// The changes, if the run records them.
    changes: Changes,
}

impl OutputBytes {
    /// Returns the output of unchanged bytes.
    fn same(bytes: SharedBytes) -> Self {
        OutputBytes { bytes, changes: Changes::default() }
    }
}

/// A run in progress.
struct Run<'c> {
    config: &'c Convert,
    /// The directories of the output, by the number of the root; one file is root 0.
    out: Dirs,
    /// The journal, if documents are written over.
    journal: Option<Journal>,
    /// The output that is not complete, if it is a new directory.
    building: Option<Building>,
    /// The records for the manifest, if there is no journal.
    log: Option<Log>,
    /// Number of documents that an interrupted run has recorded, and that do not exist any more.
    n_gone: usize,
    /// The record of moves.
    moved: Option<MoveLog>,
    /// What the output contains, if other files in it are removed.
    expected: Option<Expected>,
}

/// The result of one file, or of one piece of a container.
#[derive(Default)]
struct UnitResult {
    /// What it adds to the progress of the run.
    step: Step,
    /// The number of the message, if the file is a container.
    message: Option<usize>,
    kind: ResultKind,
    messages: Vec<String>,
    /// The errors of the file, or of documents in it.
    failures: Vec<String>,
    /// True if the disk caused them.
    is_of_disk: bool,
    /// The file that was not processed because the disk is full, and the failure, if it was
    /// started.
    not_done: Option<(PathBuf, Option<Failure>)>,
    /// Bytes for standard output: a diff, or the file itself. The bytes of a piece are not here.
    output: Vec<u8>,
    report: Report,
    /// The details of the document, if the run lists them.
    details: Option<Box<Details>>,
    /// The source of the URL of the document, if that is a hint.
    hint: Option<Source>,
    n_bytes: u64,
    is_document: bool,
    is_changed: bool,
    /// Number of messages of a container that are reported as changed, but are not, because the
    /// container could not be written.
    n_unchanged: usize,
    /// True if it is a message of a mailbox whose separator does not follow an empty line.
    follows_text: bool,
    is_unsupported: bool,
    is_other: bool,
    /// True if it is a page that a browser shows as text, because of its name.
    is_shown_as_text: bool,
    /// True if the output contained the file already.
    is_current: bool,
    /// True if it was named on the command line, and is not a document.
    is_unread: bool,
}

impl UnitResult {
    /// Returns the result for a file that could not be written or read.
    fn not_written(path: &Path, failure: Failure) -> UnitResult {
        let mut done = UnitResult::default();
        done.fail(path, failure);
        done
    }

    /// Records what was done for the file of the output, if there is one.
    fn written(mut self, written: Option<Written>) -> UnitResult {
        self.is_current = written == Some(Written::Current);
        self
    }

    /// Records that the file at `path` failed.
    fn fail(&mut self, path: &Path, failure: Failure) {
        self.is_of_disk |= failure.is_of_disk();
        if failure.is_disk_full() {
            self.not_done = Some((path.to_owned(), Some(failure)))
        } else {
            self.failures.push(failure.to_string())
        }
    }
}

impl Plan {
    /// Converts the tree. Documents that fail are messages, and are counted in the sums; the
    /// others are converted.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(self, events: &mut dyn Events) -> Result<Summary, Error> {
        run(self.config, &self.line, &self.interrupt, events)
    }
}

fn run(
    mut config: Convert,
    line: &CommandLine,
    interrupt: &Interrupt,
    events: &mut dyn Events,
) -> Result<Summary, Error> {
    // Everything is checked before a journal is created.
    let moved = earlier_moves(&config)?;
    // From here on, there is one.
    let (journal, n_gone) = match config.output {
        Output::InPlace(_) => {
            begin(&mut config, line, events).map(|(journal, n)| (Some(journal), n))?
        }
        _ => {
            warn_about_interrupted(&config, events);
            (None, 0)
        }
    };
    // While the lock is held, no other run records anything; before, one may have.
    let moved = if journal.is_some() { earlier_moves(&config)? } else { moved };
    if let Some(finished) = moved.as_ref().map(MoveLog::finished).filter(|paths| !paths.is_empty())
    {
        let n = summary::n(finished.len(), "document");
        events.note(&format!("note: {n} skipped; already moved by an earlier run"));
        config.tree.finished.extend(finished);
    }
    let pending = renaming::begin(&config, journal.as_ref(), events)?;
    let mut building = output::begin(&mut config, line)?;
    // The names of the files are the old ones still.
    if !matches!(config.output, Output::Nowhere) && !pending.has_begun() {
        let mut note = |file: &Replaced| match (&journal, &mut building) {
            (Some(journal), _) => journal.log().note_replaced(file),
            (None, Some(building)) => building.note_replaced(file),
            (None, None) => Ok(()),
        };
        renaming::write_redirects(&config, &mut note)?;
        renaming::write_map(&config, &mut note)?;
    }
    let log = listed::begin(&config, journal.as_ref())?;
    let out = output_dirs(&config, building.as_ref())?;
    let expected = config.deletes.then(Expected::default);
    let run = Run { config: &config, out, journal, building, log, n_gone, moved, expected };
    let summary =
        if pending.has_begun() { Ok(Summary::default()) } else { all(&run, interrupt, events) };
    match summary {
        Ok(mut summary) => {
            // A document that was not written would keep its references under its new name.
            let is_written = !summary.is_of_disk && summary.full_disk.is_none();
            if !interrupt.is_set() && is_written && n_gone == 0 {
                renaming::finish(&run, &pending, &mut summary, events);
            }
            end(run, summary, interrupt, events)
        }
        // The reader of the diff has gone, and half of the tree is written.
        Err(Error::Stream(error)) if run.journal.as_ref().is_some_and(Journal::has_changes) => {
            let message = how_to_go_on(&config, "error: standard output was closed");
            Err(Error::Unfinished { error, message })
        }
        Err(Error::Stream(error)) => match run.building.as_ref().and_then(Building::unfinished) {
            Some(name) => {
                let message = not_complete(&config, name, "error: standard output was closed");
                Err(Error::Unfinished { error, message })
            }
            None => Err(Error::Stream(error)),
        },
        Err(error) => Err(error),
    }
}

/// Reads the record of what earlier runs have moved, if this run would move it again.
fn earlier_moves(config: &Convert) -> Result<Option<MoveLog>, Error> {
    let Some(NotesMoves { pairs, again }) = &config.notes_moves else { return Ok(None) };
    MoveLog::open(&config.tree.roots, pairs, *again).map(Some)
}

/// Creates the journal, or continues that of an interrupted run of the same command.
fn begin(
    config: &mut Convert,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<(Journal, usize), Error> {
    let (journal, earlier) =
        Journal::begin(&config.tree.roots, &config.tree.dirs, line, config.is_durable)?;
    if journal.has_changes() {
        let n = summary::n(earlier.finished.len(), "document");
        events.note(&format!("note: {n} skipped; already converted by the interrupted run"));
    }
    config.tree.finished.extend(earlier.finished);
    config.tree.changed.extend(earlier.changed);
    for path in &earlier.gone {
        events.error(&messages::of_path(
            path,
            "not found; it was removed since the interrupted run, or is behind a symbolic link now",
        ));
    }
    Ok((journal, earlier.gone.len()))
}

/// Warns about trees that are only read, and that an interrupted run has partly written over.
fn warn_about_interrupted(config: &Convert, events: &mut dyn Events) {
    let left = config.tree.roots.iter().filter_map(Root::path).filter_map(journal::left_at);
    left.for_each(|left| events.warning(&left));
}

/// Processes all documents, and reports them.
fn all(run: &Run<'_>, interrupt: &Interrupt, events: &mut dyn Events) -> Result<Summary, Error> {
    let started = Instant::now();
    let config = run.config;
    let pool = parallel::pool(config.tree.jobs)?;
    let is_flushed = config.is_durable && run.building.is_some();
    let mut made = MadeDirectories::new(&run.out, is_flushed);
    let mut summary = Summary::default();
    let mut counter = Counter::default();
    // Directories are created before anything is written into them: during the walk, in this
    // thread.
    let mut unmade: Option<PathBuf> = None;
    let disk = FullDisk::default();
    let mut not_done = NotDone::default();
    let is_in_place = matches!(config.output, Output::InPlace(_));
    let mut names = Names::default();
    let mut unportable = |entry: &Entry| {
        let has_name = config.tree.roots.len() > 1
            || (!entry.is_single && !entry.below.as_os_str().is_empty());
        let reason = (config.has_portable_names && has_name)
            .then(|| names.fault(&file::shown_path(config, entry)))
            .flatten()?;
        let text = format!("skipped for --portable-names; {reason}; rename it");
        Some(Failure::because(&entry.path, text))
    };
    let entries = walk::entries(&config.tree.roots).filter_map(|entry| match entry {
        // They are only counted.
        entry if disk.is_full() => Some(entry),
        // One message reports the directory; its contents cannot be written.
        Ok(entry) if unmade.as_ref().is_some_and(|directory| entry.path.starts_with(directory)) => {
            None
        }
        Ok(entry) if is_left(&entry) => None,
        Ok(entry) => {
            if let Some(failure) = unportable(&entry) {
                unmade = Some(entry.path);
                return Some(Err(failure));
            }
            if entry.kind != EntryKind::Directory {
                return Some(Ok(entry));
            }
            let shown = target(config, &entry)?;
            if config.file_renames().is_some_and(|renames| {
                !entry.below.as_os_str().is_empty()
                    && !renames.keeps_directory(entry.root, &entry.below)
            }) {
                return None;
            }
            let directory = config.tree.dirs.directory(entry.root, &entry.below);
            let properties = directory.and_then(|directory| Properties::of_directory(&directory));
            let make = |properties| {
                if let Some(expected) = &run.expected {
                    expected.add(entry.root, &entry.below);
                    expected.make_way(&run.out, entry.root, &entry.below, &shown, true)?;
                }
                made.make(entry.root, &entry.below, &shown, properties)?;
                if entry.below.as_os_str().is_empty() {
                    renaming::make_directories(run, entry.root, &shown, &mut made)
                } else {
                    Ok(())
                }
            };
            let result = properties.map_err(Failure::reading(&entry.path)).and_then(make);
            let failure = result.err()?;
            unmade = Some(entry.path);
            if failure.is_disk_full() {
                disk.meet(&failure);
                return None;
            }
            Some(Err(failure))
        }
        Err(failure) => Some(Err(failure)),
    });
    let mut units = Units::new(&config.tree, entries);
    if matches!(config.output, Output::InPlace(_)) {
        units = units.with_late(|media| is_late(config, media));
    }
    let failed: Mutex<HashSet<PathBuf>> = Mutex::default();
    // True if the run will be continued.
    let is_incomplete = AtomicBool::new(false);
    let has_failed =
        |path: &Path| failed.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
    let work = |item: Item| {
        if interrupt.is_set() {
            return UnitResult { kind: ResultKind::Nothing, ..UnitResult::default() };
        }
        let path = item.path().to_owned();
        if disk.is_full() && report::would_be_written(&item, is_in_place) {
            let not_done = Some((path, None));
            return UnitResult { kind: ResultKind::Nothing, not_done, ..UnitResult::default() };
        }
        let message = match &item {
            Item::Piece(_, number, _) => *number,
            _ => None,
        };
        let step = Step::new(&item);
        let done = UnitResult { step, message, ..file::item(run, item) };
        if let Some((_, Some(failure))) = &done.not_done {
            disk.meet(failure);
        }
        if done.is_of_disk {
            is_incomplete.store(true, Ordering::Relaxed);
        }
        if !done.failures.is_empty() {
            failed.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        }
        done
    };
    // A header section stays if the page whose base it declares stays.
    let with_page = |item: Item| match sidecar::page_of(item.path()) {
        _ if !units::is_header_section(&item) && is_incomplete.load(Ordering::Relaxed) => {
            let reason = "skipped; pages that may have its digest were not written";
            Item::Failed(Failure::because(item.path(), reason))
        }
        page if units::is_header_section(&item) && has_failed(&page) => {
            let reason = format!(
                "skipped; its page {} was skipped, and they must change together",
                page.display()
            );
            Item::Failed(Failure::because(item.path(), reason))
        }
        _ => item,
    };
    let mut writer = Writer::new(run);
    let mut take = |mut done: UnitResult| {
        writer.take(&mut done, &mut events::Output(events))?;
        if let Some((path, failure)) = done.not_done.take() {
            failure.iter().for_each(|failure| disk.meet(failure));
            not_done.add(path);
        }
        report_done(done, &mut summary, &mut counter, events)
    };
    let is_going = || !interrupt.is_set() && !disk.is_full();
    let first = std::iter::from_fn(|| is_going().then(|| units.next()).flatten());
    let result = parallel::for_each(&pool, first, Item::weight, work, &mut take).and_then(|()| {
        if disk.is_full() {
            return Ok(units.rest(is_in_place));
        }
        let mut n_rest = 0;
        for late in units.late() {
            let mut late = late.map(with_page);
            let next = std::iter::from_fn(|| is_going().then(|| late.next()).flatten());
            parallel::for_each(&pool, next, Item::weight, work, &mut take)?;
            n_rest += late.count();
        }
        Ok((n_rest, None))
    });
    let has_all = result.is_ok() && !interrupt.is_set() && !disk.is_full() && summary.n_failed == 0;
    if let Some(expected) = &run.expected {
        delete_others(run, expected, has_all, &mut summary, events);
    }
    for failure in made.finish() {
        summary.n_failed += 1;
        events.error(&failure.to_string());
    }
    let (n_rest, open) = result?;
    events.event(Event::OutputEnd)?;
    not_done.add_others(n_rest);
    open.into_iter().for_each(|path| not_done.add(path));
    if disk.is_full() {
        summary.n_failed += not_done.n();
        summary.full_disk = disk.message(&not_done);
    }
    summary.elapsed = started.elapsed();
    Ok(summary)
}

/// Returns true if documents of this type are written after all others, in place: pages have
/// digests of style sheets and scripts, and if the run is interrupted, the next one would not know
/// their old content. The header section of a file in a tree that moves is written after the file,
/// since the next run would take the base in it as that of a file that has not moved.
fn is_late(config: &Convert, media: Media) -> bool {
    let is_loaded = [Media::CSS, Media::SCRIPT].contains(&media);
    let is_move = matches!(config.action, Action::Move(_));
    (is_loaded && file::has_digests(config)) || (media == units::HEADER_SECTION && is_move)
}

/// Removes from the output what the input does not contain, if the output has everything else.
fn delete_others(
    run: &Run<'_>,
    expected: &Expected,
    has_all: bool,
    summary: &mut Summary,
    events: &mut dyn Events,
) {
    let Output::Below(outputs) = &run.config.output else { return };
    if !has_all {
        events.note("note: nothing was removed from OUT; the run is incomplete");
        return;
    }
    for (root, shown) in outputs.iter().enumerate().filter(|(root, _)| !run.out.is_single(*root)) {
        let (removed, failures) = expected.remove_others(&run.out, root, shown);
        summary.n_removed += removed.len();
        for path in removed.iter().filter(|_| run.config.tree.is_verbose) {
            events.note(&messages::of_path(path, "removed; PATH does not contain it"));
        }
        summary.n_failed += failures.len();
        failures.iter().for_each(|failure| events.error(&failure.to_string()));
    }
}

/// Returns the result for an item that failed.
fn failed(error: impl ToString) -> UnitResult {
    UnitResult { failures: vec![error.to_string()], ..UnitResult::default() }
}
