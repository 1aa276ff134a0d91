//! `relink absolutize` and `relink relativize`: references rewritten, proved, and written.
//!
//! `file.rs` does one file or one message of a container in some thread; `container.rs` puts the messages together again, in order.

mod container;
mod file;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rewrite::{Extent, Left, Outcome, Report, Undone};

use self::container::Writer;
use self::file::target;
use crate::config::{Action, Convert};
use crate::destination::Output;
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::globs::NOTHING_FITS;
use crate::hints::Source;
use crate::summary::Summary;
use crate::units::{Item, Opened, Units};
use crate::walk::{self, EntryKind};
use crate::{messages, ordered, sidecar, write};

/// What is told if a move changes nothing.
const NOTHING_MOVES: &str = "hint: nothing had to change; --same-as tells of other URLs of the tree, such as those with https or with www";

/// What it became of.
#[derive(Default)]
enum Of {
    /// A file, which is written.
    #[default]
    File,
    /// A piece of a container: where it begins in that, and its bytes as they are to be written.
    Piece(Arc<Opened>, u64, Vec<u8>),
    /// The end of a container.
    End(Arc<Opened>),
}

/// What became of one file, or one piece of a container.
#[derive(Default)]
struct Done {
    of: Of,
    messages: Vec<String>,
    /// Why the file, or a document in it, could not be done.
    failures: Vec<String>,
    /// Bytes for standard output: a diff, or the file itself. A piece itself is not here.
    output: Vec<u8>,
    report: Report,
    /// What tells the URL of the document, if that is a hint.
    hint: Option<Source>,
    n_bytes: u64,
    is_document: bool,
    is_changed: bool,
    /// Messages of a container that are told to be changed, and are not, as that could not be written.
    n_unchanged: usize,
    is_unsupported: bool,
    is_other: bool,
    /// Whether it was named on the command line, and is no document.
    is_unread: bool,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error`] if it cannot begin, or if standard output fails.
pub fn run(config: &Convert) -> Result<Status, Error> {
    let pool = ordered::pool(config.tree.jobs)?;
    let mut folders = write::Folders::default();
    if let Output::Below(outputs) = &config.output {
        // OUT itself: no root makes it where it holds several.
        for parent in outputs.iter().filter_map(|output| output.parent()) {
            std::fs::create_dir_all(parent)
                .map_err(|error| Error::Usage(Failure::at(parent)(error).to_string()))?;
        }
    }
    let mut summary = Summary::default();
    // Folders are made before anything is written into them: while the walk goes on, in this thread.
    let mut unmade: Vec<PathBuf> = Vec::new();
    let entries = walk::entries(&config.tree.roots).filter_map(|entry| match entry {
        // One message tells of the folder; what is in it has no place.
        Ok(entry) if unmade.iter().any(|folder| entry.path.starts_with(folder)) => None,
        Ok(entry) if entry.kind == EntryKind::Folder => {
            let to = target(config, &entry)?;
            let failure = folders.make(&entry.path, &to).err()?;
            unmade.push(entry.path);
            Some(Err(failure.to_string()))
        }
        entry => Some(entry),
    });
    let mut units = Units::new(&config.tree, entries);
    if matches!((&config.action, &config.output), (Action::Move(_), Output::InPlace(_))) {
        units = units.with_late_headings();
    }
    let failed: Mutex<HashSet<PathBuf>> = Mutex::default();
    let has_failed =
        |path: &Path| failed.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
    let work = |item: Item| {
        let path = item.path().to_owned();
        let done = file::item(config, item);
        if !done.failures.is_empty() {
            failed.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        }
        done
    };
    // Headings stay where the page stays whose base they tell.
    let with_page = |item: Item| match sidecar::page_of(item.path()) {
        page if has_failed(&page) => {
            let reason = format!("left as it is, as {} is", page.display());
            Item::Failed(messages::of_path(item.path(), &reason))
        }
        _ => item,
    };
    let mut stdout = io::stdout().lock();
    let mut writer = Writer::new(config);
    let mut take = |mut done: Done| {
        writer.take(&mut done, &mut stdout)?;
        tell(done, config, &mut summary, &mut stdout)
    };
    let told =
        ordered::for_each(&pool, units.by_ref(), Item::weight, work, &mut take).and_then(|()| {
            ordered::for_each(&pool, units.late().map(with_page), Item::weight, work, take)
        });
    folders.finish();
    told?;
    stdout.flush()?;
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
    if let Some(journal) = config.journal.as_ref().filter(|_| summary.n_failed == 0) {
        journal.finish().map_err(|failure| Error::Usage(failure.to_string()))?;
        for path in journal.paths().filter(|_| !config.tree.is_quiet) {
            messages::print(&format!("what has moved is noted in {}", path.display()));
        }
    }
    let status = summary.status(config.tree.is_strict);
    let is_found = config.tells_changes && summary.n_changed > 0;
    Ok(if is_found { status.max(Status::Found) } else { status })
}

/// What became of what could not be done.
fn failed(message: String) -> Done {
    Done { failures: vec![message], ..Done::default() }
}

fn tell(
    done: Done,
    config: &Convert,
    summary: &mut Summary,
    stdout: &mut impl Write,
) -> Result<(), Error> {
    done.failures.iter().for_each(|failure| messages::print(failure));
    summary.n_failed += usize::from(!done.failures.is_empty());
    if !config.tree.is_quiet {
        done.messages.iter().for_each(|message| messages::print(message));
    }
    summary.counts.add(&done.report.counts);
    summary.hints.add(done.hint);
    summary.engines.add(&done.report.engines);
    summary.n_documents += usize::from(done.is_document);
    summary.n_changed += usize::from(done.is_changed);
    summary.n_changed -= done.n_unchanged;
    let is_nowhere = |left: &&Left| left.reason == Undone::NoUrl;
    let n_nowhere = done.report.left.iter().filter(is_nowhere).count();
    // A message has none if none of its parts has one.
    let is_part =
        done.report.left.iter().find(is_nowhere).is_some_and(|left| left.extent == Extent::Part);
    let is_without_url = n_nowhere > 0 && (!is_part || n_nowhere == done.report.n_parts);
    summary.n_without_url += usize::from(is_without_url);
    done.report.left.iter().for_each(|left| summary.add_left(left));
    summary.n_faults += done.report.faults.len();
    summary.n_broken_seals += done.report.n_broken_seals;
    summary.n_derived += done.report.n_derived;
    summary.n_missing += done.report.n_missing;
    summary.n_policies += usize::from(done.report.may_break_policy);
    summary.n_bad_bases += done.report.bad_bases.len();
    summary.n_unsupported += usize::from(done.is_unsupported);
    summary.n_others += usize::from(done.is_other);
    summary.n_unread += usize::from(done.is_unread);
    summary.n_bytes += done.n_bytes;
    stdout.write_all(&done.output)?;
    Ok(())
}
