//! A run with `--update` that has nothing to do, since neither its input nor its output has changed
//! since the last one: it says what that one has said, and opens no file.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::output;
use crate::events::summary::{Summary, Written};
use crate::events::{Event, Events, Message, Severity};
use crate::files::own_files;
use crate::files::walk::{self, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::paths::Root;
use crate::plan::Convert;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal;
use crate::recovery::stamps::{Stamps, StampsPlace};

/// Returns the place of the stamps of a run, if all that it has to say and to write is in them and
/// in OUT: it shows no changes, lists no references, and reads and writes no other file.
pub(super) fn place(config: &Convert, line: &CommandLine) -> Option<StampsPlace> {
    let Output::Below(outputs) = &config.output else { return None };
    let out = output::directory(config)?;
    let is_alone = config.is_update
        && !config.lists_details
        && !config.shows_diff
        && !config.tree.is_verbose
        && config.manifest.is_none()
        && config.renames.is_none();
    // What is beside a file, or is not in a list, may matter too, and is not looked at.
    let is_whole = |root: &Root| root.files().is_none() && root.real().is_some_and(Path::is_dir);
    let is_settled = |root: &Root| root.path().is_some_and(|path| journal::left_at(path).is_none());
    let is_known = |root: &Root| is_whole(root) && is_settled(root);
    if !is_alone || own_files::has_journal(out) || !config.tree.roots.iter().all(is_known) {
        return None;
    }
    StampsPlace::of(&line.of_stamps(), &config.tree.roots, out, outputs)
}

/// Says what the last run has said.
///
/// # Errors
///
/// Those of the receiver.
pub(super) fn repeat(
    config: &Convert,
    earlier: Stamps,
    started: Instant,
    events: &mut dyn Events,
) -> Result<Summary, Error> {
    let Stamps { messages, n_before, mut summary, .. } = earlier;
    let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Link);
    let files = walk::entries(&config.tree.roots).flatten();
    summary.n_current = files.filter(|entry| is_file(entry.kind)).count();
    summary.written = Written::All;
    summary.elapsed = started.elapsed();
    let (before, after) = messages.split_at(n_before.min(messages.len()));
    let say = |messages: &[(Severity, String)], events: &mut dyn Events| {
        messages.iter().for_each(|(severity, text)| events.message(*severity, text));
    };
    say(before, events);
    events.event(Event::OutputEnd)?;
    drop(events.event(Event::Summary(&summary)));
    say(after, events);
    Ok(summary)
}

/// The messages of a run, which are passed on.
pub(super) struct Recorder<'e> {
    events: &'e mut dyn Events,
    messages: Vec<(Severity, String)>,
    n_before: usize,
}

impl<'e> Recorder<'e> {
    pub(super) fn new(events: &'e mut dyn Events) -> Self {
        Recorder { events, messages: Vec::new(), n_before: 0 }
    }

    /// Keeps the stamps of a complete run.
    pub(super) fn keep(self, place: StampsPlace, summary: &Summary) {
        let is_complete = summary.n_failed == 0
            && summary.interrupted.is_none()
            && !summary.is_of_disk
            && !summary.is_incomplete;
        if is_complete && let Err(failure) = place.keep(self.messages, self.n_before, summary) {
            self.events.warning(&failure.to_string());
        }
    }
}

impl Events for Recorder<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Message(Message { severity, text, .. }) => {
                self.messages.push((severity, text.to_owned()));
            }
            Event::Summary(_) => self.n_before = self.messages.len(),
            _ => {}
        }
        self.events.event(event)
    }
}
