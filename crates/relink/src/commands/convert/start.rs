//! The start of a run: everything is checked, then its journal and its output are created.

use super::renaming::Pending;
use super::run::Run;
use super::{listed, output, renaming};
use crate::commands::delete::Expected;
use crate::events::{Events, summary};
use crate::os::command_line::CommandLine;
use crate::os::messages;
use crate::os::paths::Root;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Convert, NotesMoves};
use crate::recovery::journal::{self, Journal};
use crate::recovery::move_log::MoveLog;
use crate::recovery::write::replaced::Replaced;

/// Starts a run. Returns the files that it renames in place, too.
///
/// # Errors
///
/// [`Error`] if it cannot begin.
pub(super) fn begin<'c>(
    config: &'c mut Convert,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<(Run<'c>, Pending), Error> {
    // Everything is checked before a journal is created.
    let moved = earlier_moves(config)?;
    // From here on, there is one.
    let (journal, n_gone) = match config.output {
        Output::InPlace(_) => {
            begin_journal(config, line, events).map(|(journal, n)| (Some(journal), n))?
        }
        _ => {
            warn_about_interrupted(config, events);
            (None, 0)
        }
    };
    // While the lock is held, no other run records anything; before, one may have.
    let moved = if journal.is_some() { earlier_moves(config)? } else { moved };
    if let Some(finished) = moved.as_ref().map(MoveLog::finished).filter(|paths| !paths.is_empty())
    {
        let n = summary::n(finished.len(), "document");
        events.note(&format!("note: {n} skipped; already moved by an earlier run"));
        config.tree.finished.extend(finished);
    }
    let pending = renaming::begin(config, journal.as_ref(), events)?;
    let mut building = output::begin(config, line)?;
    // The names of the files are the old ones still.
    if !matches!(config.output, Output::Nowhere) && !pending.has_begun() {
        let mut note = |file: &Replaced| match (&journal, &mut building) {
            (Some(journal), _) => journal.log().note_replaced(file),
            (None, Some(building)) => building.note_replaced(file),
            (None, None) => Ok(()),
        };
        renaming::write_redirects(config, &mut note)?;
        renaming::write_map(config, &mut note)?;
    }
    let log = listed::begin(config, journal.as_ref())?;
    let out = output::output_dirs(config, building.as_ref())?;
    let expected = config.deletes.then(Expected::default);
    let run = Run { config, out, journal, building, log, n_gone, moved, expected };
    Ok((run, pending))
}

/// Reads the record of what earlier runs have moved, if this run would move it again.
fn earlier_moves(config: &Convert) -> Result<Option<MoveLog>, Error> {
    let Some(NotesMoves { pairs, again }) = &config.notes_moves else { return Ok(None) };
    MoveLog::open(&config.tree.roots, pairs, *again).map(Some)
}

/// Creates the journal, or continues that of an interrupted run of the same command.
fn begin_journal(
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
