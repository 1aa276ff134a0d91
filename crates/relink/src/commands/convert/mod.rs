//! `relink absolutize`, `relink relativize` and `relink move`: rewrites references, verifies the
//! result, and writes it.
//!
//! `file.rs` processes one file, or one message of a container, in a worker thread; `container.rs`
//! puts the messages together again, in order.

mod container;
mod file;
mod full_disk;
mod output;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rewrite::{Outcome, Report, SkipReason, SkipScope, Skipped};

use self::container::Writer;
use self::file::target;
use self::full_disk::{FullDisk, NotDone};
use self::output::{is_left, left_runs, output_dirs};
use crate::config::{Action, Convert, NotesMoves};
use crate::destination::Output;
use crate::dirs::Dirs;
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::globs::NOTHING_FITS;
use crate::hints::Source;
use crate::input::Item;
use crate::input::Opened;
use crate::interrupt::Interrupt;
use crate::journal::record::{self, CommandLine};
use crate::journal::undo_log::Changes;
use crate::journal::{self, Journal};
use crate::move_log::MoveLog;
use crate::paths::Root;
use crate::portable::Names;
use crate::summary::{self, Summary};
use crate::units::Units;
use crate::walk::{self, Entry, EntryKind};
use crate::write::MadeDirectories;
use crate::{messages, parallel, sidecar};

/// The hint that is printed if a move changes nothing.
const NOTHING_MOVES: &str = "hint: nothing had to change; --same-as tells of other URLs of the tree, such as those with https or with www";

/// The message of a run that a signal has ended.
const INTERRUPTED: &str = "interrupted; what was written is whole";

/// The kind of item that a result is of.
#[derive(Default)]
enum Of {
    /// A file, which is written.
    #[default]
    File,
    /// A piece of a container: its offset in the container, and its bytes as they are to be
    /// written.
    Piece(Arc<Opened>, u64, After),
    /// The end of a container.
    End(Arc<Opened>),
    /// It was not started, because the run was interrupted.
    Nothing,
}

/// The output for an item.
#[derive(Default)]
struct After {
    bytes: Vec<u8>,
    /// The changes, if the run has a journal.
    changes: Changes,
}

impl After {
    /// Returns the output of unchanged bytes.
    fn same(bytes: Vec<u8>) -> Self {
        After { bytes, changes: Changes::default() }
    }
}

/// A run in progress.
struct Run<'c> {
    config: &'c Convert,
    /// The directories of the output, by the number of the root; one file is root 0.
    out: Dirs,
    /// The journal, if documents are written over.
    journal: Option<Journal>,
    /// Number of documents that an interrupted run has recorded, and that do not exist any more.
    n_gone: usize,
    /// The record of moves.
    moved: Option<MoveLog>,
}

/// The result of one file, or of one piece of a container.
#[derive(Default)]
struct Done {
    of: Of,
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
    /// True if it was named on the command line, and is not a document.
    is_unread: bool,
}

impl Done {
    /// Returns the result for a file that could not be written or read.
    fn not_written(path: &Path, failure: Failure) -> Done {
        let mut done = Done::default();
        done.fail(path, failure);
        done
    }

    /// Records that the file at `path` failed.
    fn fail(&mut self, path: &Path, failure: Failure) {
        self.is_of_disk |= failure.is_of_disk();
        match failure.is_disk_full() {
            true => self.not_done = Some((path.to_owned(), Some(failure))),
            false => self.failures.push(failure.to_string()),
        }
    }
}

/// Runs the command, which is that of `line`.
///
/// # Errors
///
/// [`Error`] if it cannot begin, or if standard output fails.
pub fn run(mut config: Convert, line: &CommandLine) -> Result<Status, Error> {
    // Everything is checked before a journal is created.
    let moved = earlier_moves(&config)?;
    // A run that writes nothing has nothing to finish.
    let interrupt = match config.output {
        Output::Nowhere | Output::Stdout => Interrupt::default(),
        _ => Interrupt::hold().map_err(|error| {
            Error::Usage(format!("Ctrl-C cannot be held back: {}", messages::reason(&error)))
        })?,
    };
    // From here on, there is one.
    let (journal, n_gone) = match config.output {
        Output::InPlace(_) => begin(&mut config, line).map(|(journal, n)| (Some(journal), n))?,
        _ => {
            warn_about_interrupted(&config);
            (None, 0)
        }
    };
    // While the lock is held, no other run records anything; before, one may have.
    let moved = if journal.is_some() { earlier_moves(&config)? } else { moved };
    if let Some(finished) = moved.as_ref().map(MoveLog::finished).filter(|paths| !paths.is_empty())
    {
        if !config.tree.is_quiet {
            let n = summary::n(finished.len(), "document");
            messages::print(&format!("{n} moved by an earlier run; the others follow"));
        }
        config.tree.finished.extend(finished);
    }
    let out = output_dirs(&config)?;
    let run = Run { config: &config, out, journal, n_gone, moved };
    match all(&run, &interrupt) {
        Ok(summary) => end(run, &summary, &interrupt),
        // The reader of the diff has gone, and half of the tree is written.
        Err(Error::Stream(_)) if run.journal.as_ref().is_some_and(Journal::has_noted) => {
            messages::print(&how_to_go_on(&config, "standard output was closed"));
            Ok(Status::Failed)
        }
        Err(error) => Err(error),
    }
}

/// Reads the record of what earlier runs have moved, if this run would move it again.
fn earlier_moves(config: &Convert) -> Result<Option<MoveLog>, Error> {
    let Some(NotesMoves { pairs, again }) = &config.notes_moves else { return Ok(None) };
    MoveLog::open(&config.tree.roots, pairs, *again).map(Some)
}

/// Creates the journal, or continues that of an interrupted run of the same command.
fn begin(config: &mut Convert, line: &CommandLine) -> Result<(Journal, usize), Error> {
    let (journal, earlier) =
        Journal::begin(&config.tree.roots, &config.tree.dirs, line, config.is_durable)?;
    if journal.has_noted() && !config.tree.is_quiet {
        let n = summary::n(earlier.finished.len(), "document");
        messages::print(&format!("{n} done before the run was broken off; the others follow"));
    }
    config.tree.finished.extend(earlier.finished);
    config.tree.changed.extend(earlier.changed);
    for path in &earlier.gone {
        messages::print(&messages::of_path(
            path,
            "gone since the run was broken off, or behind a link",
        ));
    }
    Ok((journal, earlier.gone.len()))
}

/// Warns about trees that are only read, and that an interrupted run has partly written over.
fn warn_about_interrupted(config: &Convert) {
    if config.tree.is_quiet {
        return;
    }
    let left = config.tree.roots.iter().filter_map(Root::path).filter_map(journal::left_at);
    left.for_each(|left| messages::print(&left));
}

/// Processes all documents, and reports them.
fn all(run: &Run<'_>, interrupt: &Interrupt) -> Result<Summary, Error> {
    let config = run.config;
    let pool = parallel::pool(config.tree.jobs)?;
    let mut made = MadeDirectories::new(&run.out);
    let left = left_runs(config);
    let mut summary = Summary::default();
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
        let text = format!("it is left out for --portable-names: {reason}");
        Some(messages::of_path(&entry.path, &text))
    };
    let entries = walk::entries(&config.tree.roots).filter_map(|entry| match entry {
        // They are only counted.
        entry if disk.is_full() => Some(entry),
        // One message reports the directory; its contents cannot be written.
        Ok(entry) if unmade.as_ref().is_some_and(|directory| entry.path.starts_with(directory)) => {
            None
        }
        Ok(entry) if is_left(&entry, &left) => None,
        Ok(entry) => {
            if let Some(message) = unportable(&entry) {
                unmade = Some(entry.path);
                return Some(Err(message));
            }
            if entry.kind != EntryKind::Directory {
                return Some(Ok(entry));
            }
            let shown = target(config, &entry)?;
            let metadata = config.tree.dirs.directory(entry.root, &entry.below);
            let metadata = metadata.and_then(|directory| directory.metadata());
            let result = metadata
                .map_err(Failure::at(&entry.path))
                .and_then(|metadata| made.make(entry.root, &entry.below, &shown, metadata));
            let failure = result.err()?;
            unmade = Some(entry.path);
            if failure.is_disk_full() {
                disk.meet(&failure);
                return None;
            }
            Some(Err(failure.to_string()))
        }
        Err(message) => Some(Err(message)),
    });
    let mut units = Units::new(&config.tree, entries);
    if matches!((&config.action, &config.output), (Action::Move(_), Output::InPlace(_))) {
        units = units.with_late_headings();
    }
    let failed: Mutex<HashSet<PathBuf>> = Mutex::default();
    let has_failed =
        |path: &Path| failed.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
    let work = |item: Item| {
        if interrupt.is_set() {
            return Done { of: Of::Nothing, ..Done::default() };
        }
        let path = item.path().to_owned();
        if disk.is_full() && full_disk::would_be_written(&item, is_in_place) {
            let not_done = Some((path, None));
            return Done { of: Of::Nothing, not_done, ..Done::default() };
        }
        let done = file::item(run, item);
        if let Some((_, Some(failure))) = &done.not_done {
            disk.meet(failure);
        }
        if !done.failures.is_empty() {
            failed.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        }
        done
    };
    // A header section stays if the page whose base it declares stays.
    let with_page = |item: Item| match sidecar::page_of(item.path()) {
        page if has_failed(&page) => {
            let reason = format!("left as it is, as {} is", page.display());
            Item::Failed(messages::of_path(item.path(), &reason))
        }
        _ => item,
    };
    let mut stdout = io::stdout().lock();
    let mut writer = Writer::new(run);
    let mut take = |mut done: Done| {
        writer.take(&mut done, &mut stdout)?;
        if let Some((path, failure)) = done.not_done.take() {
            failure.iter().for_each(|failure| disk.meet(failure));
            not_done.add(path);
        }
        report_done(done, config, &mut summary, &mut stdout)
    };
    let is_going = || !interrupt.is_set() && !disk.is_full();
    let first = std::iter::from_fn(|| is_going().then(|| units.next()).flatten());
    let result = parallel::for_each(&pool, first, Item::weight, work, &mut take).and_then(|()| {
        if disk.is_full() {
            return Ok(units.rest(is_in_place));
        }
        let mut late = units.late().map(with_page);
        let next = std::iter::from_fn(|| is_going().then(|| late.next()).flatten());
        parallel::for_each(&pool, next, Item::weight, work, take)?;
        Ok((late.count(), None))
    });
    for failure in made.finish() {
        summary.n_failed += 1;
        messages::print(&failure.to_string());
    }
    let (n_rest, open) = result?;
    stdout.flush()?;
    not_done.add_others(n_rest);
    open.into_iter().for_each(|path| not_done.add(path));
    if disk.is_full() {
        summary.n_failed += not_done.n();
        summary.full_disk = disk.message(&not_done);
    }
    Ok(summary)
}

/// Prints the summary, and removes the journal if no document is left to process.
fn end(run: Run<'_>, summary: &Summary, interrupt: &Interrupt) -> Result<Status, Error> {
    let Run { config, journal, n_gone, moved, .. } = run;
    if !config.tree.is_quiet {
        let (verb, others) = match config.output {
            Output::Nowhere => ("would be changed", "not looked into"),
            Output::InPlace(_) => ("changed", "not touched"),
            _ => ("changed", "copied"),
        };
        summary.print(verb, others, config.tree.is_verbose);
        let n = |outcome| summary.counts.get(outcome);
        let is_move = matches!(config.action, Action::Move(_));
        if is_move && n(Outcome::Rewritten) == 0 && n(Outcome::Outside) > 0 {
            messages::print(NOTHING_MOVES);
        }
        if summary.n_documents == 0 && summary.n_failed == 0 && config.tree.globs.is_some() {
            messages::print(NOTHING_FITS);
        }
    }
    if summary.is_nowhere() {
        messages::print(
            "none of the documents has a URL; --base, --map or --layout tells where they belong",
        );
    }
    let signal = interrupt.signal();
    let full_disk = summary.full_disk.as_deref();
    match journal {
        Some(journal) if journal.has_noted() && (signal.is_some() || summary.is_of_disk) => {
            let why = match signal {
                Some(_) => INTERRUPTED,
                None => full_disk.unwrap_or("not all could be written"),
            };
            messages::print(&how_to_go_on(config, why));
        }
        Some(_) if full_disk.is_some() => full_disk.into_iter().for_each(messages::print),
        Some(journal) if n_gone > 0 => {
            messages::print(&format!(
                "not all is done; put back what is gone and `relink resume` again, or remove {} to let it go",
                journal.path().display()
            ));
            return Ok(Status::Failed);
        }
        Some(journal) if signal.is_some() => {
            messages::print("interrupted before anything was changed");
            drop(journal);
        }
        Some(journal) => close(config, journal, moved.as_ref(), summary.n_failed == 0)
            .map_err(|failure| Error::Usage(failure.to_string()))?,
        None if signal.is_some() => messages::print(INTERRUPTED),
        None => full_disk.into_iter().for_each(messages::print),
    }
    if let Some(signal) = signal {
        return Ok(Status::Interrupted(signal));
    }
    let status = summary.status(config.tree.is_strict);
    let is_found = config.fails_on_change && summary.n_changed > 0;
    Ok(if is_found { status.max(Status::Found) } else { status })
}

/// Returns the message of a run that leaves its journal.
fn how_to_go_on(config: &Convert, why: &str) -> String {
    let name = config.tree.roots.first().and_then(Root::path).unwrap_or(Path::new("."));
    let name = record::quoted(name.as_os_str());
    format!(
        "{why}; `relink resume {name}` goes on, `relink undo {name}` puts back what has changed"
    )
}

/// Records what has moved, and removes the journal.
fn close(
    config: &Convert,
    journal: Journal,
    moved: Option<&MoveLog>,
    is_all: bool,
) -> Result<(), Failure> {
    if let Some(moved) = moved {
        for path in moved.finish(&journal, is_all, config.is_durable)? {
            if !config.tree.is_quiet {
                messages::print(&format!("what has moved is noted in {}", path.display()));
            }
        }
    }
    journal.finish()
}

/// Returns the result for an item that failed.
fn failed(message: String) -> Done {
    Done { failures: vec![message], ..Done::default() }
}

fn report_done(
    done: Done,
    config: &Convert,
    summary: &mut Summary,
    stdout: &mut impl Write,
) -> Result<(), Error> {
    done.failures.iter().for_each(|failure| messages::print(failure));
    summary.n_failed += usize::from(!done.failures.is_empty());
    summary.is_of_disk |= done.is_of_disk;
    if !config.tree.is_quiet {
        done.messages.iter().for_each(|message| messages::print(message));
    }
    summary.counts.add(&done.report.counts);
    summary.hints.add(done.hint);
    summary.engines.add(&done.report.engines);
    summary.n_documents += usize::from(done.is_document);
    summary.n_changed += usize::from(done.is_changed);
    summary.n_changed -= done.n_unchanged;
    let is_nowhere = |left: &&Skipped| left.reason == SkipReason::NoUrl;
    let n_nowhere = done.report.skipped.iter().filter(is_nowhere).count();
    // A message has none if none of its parts has one.
    let is_part = done
        .report
        .skipped
        .iter()
        .find(is_nowhere)
        .is_some_and(|left| left.extent == SkipScope::Part);
    let is_without_url = n_nowhere > 0 && (!is_part || n_nowhere == done.report.n_parts);
    summary.n_without_url += usize::from(is_without_url);
    done.report.skipped.iter().for_each(|left| summary.add_skipped(left));
    summary.n_faults += done.report.faults.len();
    summary.n_broken_seals += done.report.n_broken_seals;
    summary.n_derived += done.report.n_derived;
    summary.n_missing += done.report.n_missing;
    summary.n_policies += usize::from(done.report.may_break_policy);
    summary.n_bad_bases += done.report.bad_bases.len();
    summary.n_follow_text += usize::from(done.follows_text);
    summary.n_ignored_xml_bases += usize::from(done.report.ignored_xml_base.is_some());
    summary.n_unsupported += usize::from(done.is_unsupported);
    summary.n_others += usize::from(done.is_other);
    summary.n_unread += usize::from(done.is_unread);
    summary.n_bytes += done.n_bytes;
    stdout.write_all(&done.output)?;
    Ok(())
}
