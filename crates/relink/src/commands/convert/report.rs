//! The reports of a conversion: each result, the sums, and what to do about a run that is not
//! complete.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use rewrite::{Integrity, Outcome, SkipReason, SkipScope, Skipped};

use super::details::Details;
use super::result::UnitResult;
use super::run::Run;
use super::{listed, output};
use crate::events::summary::{self, Summary, Written};
use crate::events::{Event, Events, FinishedDocument};
use crate::os::command_line;
use crate::os::failure::Failure;
use crate::os::interrupt::Interrupt;
use crate::os::messages;
use crate::os::paths;
use crate::os::paths::Root;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Action, Convert};
use crate::recovery::journal::Journal;
use crate::recovery::journal::building::Building;
use crate::recovery::journal::log::Log;
use crate::recovery::move_log::MoveLog;
use crate::tree::Counter;
use crate::tree::mentions::Mentions;

/// The hint that is printed if a move changes nothing.
const NOTHING_MOVES: &str = "hint: no reference was rewritten; those outside of --from stay; use `--same-as URL` for other URLs of the tree, such as those with https or www";

/// The message of a run in which no document has a URL.
const NO_URL_KNOWN: &str = "error: no document has a known URL; relative references depend on it; use `--base`, `--map` or `--layout` to set the URLs";

/// The message of a run that a signal has ended.
const INTERRUPTED: &str = "note: interrupted; all written files are complete";

/// The message of a run that shows a diff to a program that does not read on.
const CLOSED: &str = "error: standard output was closed";

/// Adds a result to the sums, and sends it to the receiver.
pub(super) fn report_done(
    done: UnitResult,
    summary: &mut Summary,
    counter: &mut Counter,
    events: &mut dyn Events,
) -> Result<(), Error> {
    done.failures.iter().for_each(|failure| events.error(failure));
    summary.n_failed += usize::from(!done.failures.is_empty());
    summary.is_of_disk |= done.is_of_disk;
    done.messages.iter().for_each(|message| events.warning(message));
    summary.counts.add(&done.report.counts);
    summary.hints.add(done.hint);
    summary.engines.add(&done.report.engines);
    summary.n_documents += usize::from(done.is_document && !done.is_further);
    summary.n_changed += usize::from(done.is_changed);
    summary.n_changed -= done.n_unchanged;
    summary.n_without_names += usize::from(done.has_no_names);
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
    summary.n_conditions += done.report.n_conditions;
    summary.n_not_from_disk += done.report.n_not_from_disk;
    summary.n_renewed_policies += done.report.n_renewed_policies;
    summary.n_missing += done.report.n_missing;
    summary.n_twins += done.report.n_twins;
    summary.n_policies += usize::from(done.report.may_break_policy);
    summary.n_policy_hashes += usize::from(done.report.may_break_hashes);
    summary.n_bad_bases += done.report.bad_bases.len();
    summary.n_follow_text += usize::from(done.follows_text);
    summary.n_ignored_xml_bases += usize::from(done.report.ignored_xml_base.is_some());
    summary.n_unsupported += usize::from(done.is_unsupported);
    summary.n_others += usize::from(done.is_other);
    summary.n_shown_as_text += usize::from(done.is_shown_as_text);
    summary.n_current += usize::from(done.is_current);
    summary.n_foreign += usize::from(done.is_foreign);
    summary.n_unread += usize::from(done.is_unread);
    summary.n_bytes += done.n_bytes;
    if !done.output.is_empty() {
        events.event(Event::Output(&done.output))?;
    }
    let details = done.details.as_deref().filter(|_| done.is_document);
    if let Some(details) = details {
        details.send(events)?;
    }
    if done.is_document {
        drop(events.event(Event::Document(FinishedDocument {
            path: &done.step.path,
            place: details.map(Details::place),
            numbered: done.numbered,
            is_changed: done.is_changed,
            is_failed: !done.failures.is_empty(),
            counts: &done.report.counts,
            n_bytes: done.n_bytes,
        })));
    }
    counter.add(&done.step, done.is_document.then_some(done.n_bytes), events);
    Ok(())
}

/// Reports the summary, and removes the journal if no document is left to process.
pub(super) fn end(
    run: Run<'_>,
    mut summary: Summary,
    interrupt: &Interrupt,
    events: &mut dyn Events,
) -> Result<Summary, Error> {
    let Run { config, journal, building, log, n_gone, moved, .. } = run;
    summary.written = match config.output {
        Output::Nowhere => Written::Nothing,
        Output::InPlace(_) => Written::Changed,
        _ => Written::All,
    };
    let unseen = unseen(config, &summary);
    summary.n_unseen += unseen.len();
    summary.is_for_disk = config.tree.options.integrity == Integrity::Remove;
    let signal = interrupt.signal();
    summary.interrupted = signal;
    let is_revertible =
        |log: &Log| config.keeps_manifest && config.manifest.is_none() && log.has_changes();
    summary.has_undo =
        signal.is_none() && journal.as_ref().map(Journal::log).is_some_and(is_revertible);
    drop(events.event(Event::Summary(&summary)));
    unseen.iter().for_each(|hint| events.hint(hint));
    if summary.n_shown_as_text > 0 {
        events.hint(&format!(
            "hint: a browser shows {} as text, because of the names; use `--rename` to give files names that say what they are",
            summary::n(summary.n_shown_as_text, "page")
        ));
    }
    if summary.is_nowhere() {
        events.error(NO_URL_KNOWN);
    }
    let full_disk = summary.full_disk.as_deref();
    if let Some(building) = building {
        let why = signal.map(|_| "note: interrupted").or(full_disk);
        finish(config, building, log.as_ref(), why, events)?;
        return Ok(summary);
    }
    match journal {
        Some(journal) if journal.has_changes() && (signal.is_some() || summary.is_of_disk) => {
            let why = match signal {
                Some(_) => INTERRUPTED,
                None => full_disk.unwrap_or("error: some files could not be written"),
            };
            events.error(&how_to_go_on(config, why));
        }
        Some(_) if full_disk.is_some() => full_disk.into_iter().for_each(|text| events.error(text)),
        Some(journal) if n_gone > 0 => {
            events.error(&format!(
                "error: the run is incomplete; files that it had converted are missing; restore them and use `relink resume` to continue, or remove {} to give them up",
                journal.path().display()
            ));
            summary.is_incomplete = true;
        }
        Some(journal) if signal.is_some() => {
            events.error("note: interrupted; no file was changed");
            drop(journal);
        }
        Some(journal) => close(config, journal, moved.as_ref(), summary.n_failed == 0, events)?,
        None if signal.is_some() => events.error(INTERRUPTED),
        None => match (full_disk, &log) {
            (Some(text), _) => events.error(text),
            (None, Some(log)) => drop(listed::write(config, None, log, events)?),
            (None, None) => {}
        },
    }
    Ok(summary)
}

/// Returns the hints at what may be meant, and was not read or changed. They count with `--strict`.
fn unseen(config: &Convert, summary: &Summary) -> Vec<String> {
    let tree = &config.tree;
    let n = |outcome| summary.counts.get(outcome);
    let is_move = matches!(config.action, Action::Move(_));
    let moves_nothing = is_move && config.renames.is_none() && n(Outcome::Rewritten) == 0;
    let mut hints = config.other_names.as_ref().map_or(Vec::new(), |names| names.hints());
    if hints.is_empty() && moves_nothing && n(Outcome::Outside) > 0 {
        hints.push(NOTHING_MOVES.to_owned());
    }
    if summary.n_failed == 0 {
        let patterns = tree.globs.words().filter(|_| summary.n_documents == 0);
        hints.extend(tree.not_read.hints(patterns.as_deref(), is_move));
    }
    if summary.n_foreign > 0 {
        hints.push(format!(
            "hint: {} that git ignores, or of dependencies, could not be read; references there stay",
            summary::n(summary.n_foreign, "document")
        ));
    }
    hints.extend(tree.mentions.iter().flat_map(Mentions::hints));
    hints.extend(tree.leftovers.hint());
    hints.extend(tree.integrity.hints());
    // References to files of a disk are not written as URLs.
    let has_urls = !matches!(config.action, Action::ForFile(..));
    let mirror = tree.mirror.as_ref().filter(|_| has_urls);
    let doubtful = mirror.map_or(&[][..], |mirror| mirror.doubtful());
    if let Some((root, below)) = doubtful.first()
        && let Some(root) = tree.roots[*root].path()
    {
        let first = root.join(paths::from_bytes(below).unwrap_or_default());
        let text = format!(
            "wget may have appended the extension to the names of {}, such as this one, and nothing in the mirror says so; their URLs are written with it; use `--map FILE=URL` for each file with another URL",
            summary::n(doubtful.len(), "file")
        );
        hints.push(format!("hint: {}", messages::of_path(&first, &text)));
    }
    hints
}

/// Completes a new output, unless there is a reason why it is not complete.
fn finish(
    config: &Convert,
    mut building: Building,
    log: Option<&Log>,
    why_not: Option<&str>,
    events: &mut dyn Events,
) -> Result<(), Failure> {
    if let Some(why) = why_not {
        events.error(&match building.unfinished() {
            Some(name) => not_complete(config, name, why),
            None => format!("{why}; no file was written"),
        });
        return Ok(());
    }
    building.complete()?;
    // Before the journal is removed: until then, the run can be continued to its end.
    if let Some(log) = log {
        listed::write(config, None, log, events)?;
    }
    building.finish()
}

/// Returns the error of a run whose standard output was closed, which can be continued if it has
/// written files.
pub(super) fn closed(run: &Run<'_>, error: io::Error) -> Error {
    let unfinished = || run.building.as_ref().and_then(Building::unfinished);
    let message = if run.journal.as_ref().is_some_and(Journal::has_changes) {
        how_to_go_on(run.config, CLOSED)
    } else if let Some(name) = unfinished() {
        not_complete(run.config, name, CLOSED)
    } else {
        return Error::Stream(error);
    };
    Error::Unfinished { error, message }
}

/// Returns the message of a run that leaves a new output that is not complete.
fn not_complete(config: &Convert, name: &OsStr, why: &str) -> String {
    let out = output::directory(config).unwrap_or(Path::new("."));
    let (name, out) = (name.display(), command_line::quoted(out.as_os_str()));
    format!(
        "{why}; the output is incomplete, in {name}; use `relink resume {out}` to complete it, or `relink undo {out}` to remove it"
    )
}

/// Returns the message of a run that leaves its journal.
fn how_to_go_on(config: &Convert, why: &str) -> String {
    let name = first_path(config);
    format!("{why}; use `relink resume {name}` to continue, or `relink undo {name}` to revert")
}

/// Returns the first PATH of a run, as it may be typed in a shell.
fn first_path(config: &Convert) -> String {
    let name = config.tree.roots.first().and_then(Root::path).unwrap_or(Path::new("."));
    command_line::quoted(name.as_os_str())
}

/// Records what has moved, and removes the journal.
fn close(
    config: &Convert,
    journal: Journal,
    moved: Option<&MoveLog>,
    is_all: bool,
    events: &mut dyn Events,
) -> Result<(), Failure> {
    if let Some(moved) = moved {
        for path in moved.finish(&journal, is_all, config.is_durable)? {
            events.note(&format!(
                "note: the move is recorded in {}; use `--again` to move the documents once more",
                path.display()
            ));
        }
    }
    // Before the journal is removed: until then, the run can be continued to its end.
    match listed::write(config, Some(&journal), journal.log(), events) {
        // All documents are written.
        Err(failure) if config.manifest.is_none() => {
            events.warning(&format!("{failure}; the run is complete, but keeps no manifest"));
        }
        Ok(true) => events
            .hint(&format!("hint: use `relink undo {}` to revert the run", first_path(config))),
        written => drop(written?),
    }
    journal.finish()
}
