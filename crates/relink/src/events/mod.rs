//! The events of a run, which the caller receives: messages, finished documents, progress, output.
//!
//! Nothing below the command line prints. Workers collect what they have to say; the thread that
//! started the run sends it, in path order.

pub mod detail;
pub(crate) mod keys;
pub mod lint;
pub(crate) mod prepared;
pub mod problem;
pub mod problem_kinds;
pub mod summary;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use rewrite::Counts;
use serde::{Deserialize, Serialize};

use self::detail::{BaseDetail, DocumentPlace, ReferenceDetail, SkippedDetail, UndoneDetail};
use self::prepared::Prepared;
use crate::events::summary::Summary;
use crate::os::messages;

/// The receiver of the events of a run. A closure `FnMut(Event<'_>) -> io::Result<()>` is one.
pub trait Events {
    /// Receives an event.
    ///
    /// # Errors
    ///
    /// An error of [`Event::Output`], [`Event::OutputEnd`], or of a detail that a plan lists
    /// ([`Event::Reference`] and so on) ends the run, and becomes its error.
    /// Errors of other events are ignored: what nobody reads is no reason to leave a tree
    /// half-converted. To end a run early, use [`Interrupt`](crate::Interrupt).
    fn event(&mut self, event: Event<'_>) -> io::Result<()>;
}

impl<F: FnMut(Event<'_>) -> io::Result<()>> Events for F {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        self(event)
    }
}

/// An event of a run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A message for people.
    Message(Message<'e>),
    /// A reference of a document; of a conversion, that whose [`Event::Document`] follows. A check
    /// sends those with problems.
    Reference(&'e DocumentPlace, &'e ReferenceDetail),
    /// The base of that document, or of a document in it.
    Base(&'e DocumentPlace, &'e BaseDetail),
    /// Something was skipped: that document, or something in it.
    Skipped(&'e DocumentPlace, &'e SkippedDetail),
    /// The details of that document, in place of the three above, as the command line writes them.
    #[doc(hidden)]
    Prepared(&'e Prepared),
    /// A document that `undo` has examined.
    Undone(&'e UndoneDetail),
    /// A document was converted, and written if the run writes it.
    Document(FinishedDocument<'e>),
    /// The work that is done so far; after each file, and after each message of a mailbox.
    Progress(Progress<'e>),
    /// Bytes of the output: of a diff, of a list, or of a document that is not written to a file.
    Output(&'e [u8]),
    /// The output is complete: a receiver that buffers it writes the rest.
    OutputEnd,
    /// The sums of a conversion, after its last document.
    Summary(&'e Summary),
}

/// A message for people: one line, `PATH:LINE:COLUMN: what happened; why; what to do`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<'e> {
    /// Its severity.
    pub severity: Severity,
    /// The line without its end. It contains names of files as they are, and so may contain
    /// characters that control a terminal; [`Display`](fmt::Display) escapes them.
    pub text: &'e str,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&messages::visible(self.text))
    }
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Severity {
    /// Something was not done.
    Error,
    /// Something was done, or left as it is, in a way that the caller may not expect.
    Warning,
    /// How the run reads its options, or what an earlier run has done.
    Note,
    /// An option that may be useful.
    Hint,
    /// A line of the report at the end of a run.
    Report,
}

/// A document that was converted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FinishedDocument<'e> {
    /// The path of its file, as given to the run.
    pub path: &'e Path,
    /// Its place, if the run lists details.
    pub place: Option<&'e DocumentPlace>,
    /// The word for it and its number, from 1, if the documents of its file are numbered, such as
    /// the messages of a mailbox.
    pub numbered: Option<(&'static str, usize)>,
    /// True if it was changed, or would be. For a message of a mailbox that cannot be written, a
    /// [`Severity::Error`] follows at the end of the mailbox.
    pub is_changed: bool,
    /// True if it, or a document in it, failed; messages of [`Severity::Error`] came before.
    pub is_failed: bool,
    /// Its references by outcome.
    pub counts: &'e Counts,
    /// Its length, in bytes.
    pub n_bytes: u64,
}

/// The work that is done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'e> {
    /// The path of the file that is finished, or of the mailbox that contains the message.
    pub path: &'e Path,
    /// Number of finished files, whether or not they are documents.
    pub n_files: usize,
    /// Number of files of the run, if it is known before the tree is read.
    pub n_total: Option<usize>,
    /// The part of the current mailbox that is finished, and its length, in bytes.
    pub part: Option<(u64, u64)>,
    /// Number of documents.
    pub n_documents: usize,
    /// Length of these documents, in bytes.
    pub n_bytes: u64,
}

impl dyn Events + '_ {
    /// Sends a message.
    pub(crate) fn message(&mut self, severity: Severity, text: &str) {
        // Documented: no message ends a run.
        drop(self.event(Event::Message(Message { severity, text })));
    }

    /// Sends a message about something that was not done.
    pub(crate) fn error(&mut self, text: &str) {
        self.message(Severity::Error, text);
    }

    /// Sends a message about something that the caller may not expect.
    pub(crate) fn warning(&mut self, text: &str) {
        self.message(Severity::Warning, text);
    }

    /// Sends a message about how the run reads its options.
    pub(crate) fn note(&mut self, text: &str) {
        self.message(Severity::Note, text);
    }

    /// Sends a message about an option.
    pub(crate) fn hint(&mut self, text: &str) {
        self.message(Severity::Hint, text);
    }

    /// Sends a line of the report.
    pub(crate) fn report(&mut self, text: &str) {
        self.message(Severity::Report, text);
    }
}

/// A writer that sends what is written as [`Event::Output`], and a flush as [`Event::OutputEnd`].
pub(crate) struct OutputWriter<'e>(pub(crate) &'e mut dyn Events);

impl Write for OutputWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() {
            self.0.event(Event::Output(bytes))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.event(Event::OutputEnd)
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Everything was done: 0.
    #[default]
    Done,
    /// A problem was found: 1.
    Found,
    /// A file failed, or the command line is wrong: 2. It wins over [`Status::Found`].
    Failed,
    /// A signal ended the run: 128 plus its number, as in shells.
    Interrupted(u8),
}

impl Status {
    /// Returns the number that a program ends with.
    ///
    /// ```
    /// use relink::Status;
    /// assert_eq!((Status::Failed.code(), Status::Interrupted(2).code()), (2, 130));
    /// ```
    pub const fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Found => 1,
            Status::Failed => 2,
            Status::Interrupted(signal) => 128_u8.saturating_add(signal),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_receives_messages_and_output() {
        let mut seen = Vec::new();
        let mut receive = |event: Event<'_>| {
            seen.push(match event {
                Event::Message(message) => format!("{:?} {message}", message.severity),
                Event::Output(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                event => format!("{event:?}"),
            });
            Err(io::Error::other("ignored for a message"))
        };
        let events: &mut dyn Events = &mut receive;
        events.warning("a\x1b");
        assert!(OutputWriter(events).write_all(b"bytes").is_err());
        assert!(OutputWriter(events).flush().is_err());
        assert_eq!(seen, ["Warning a%1B", "bytes", "OutputEnd"]);
    }

    #[test]
    fn the_worse_status_wins() {
        assert_eq!(Status::Found.max(Status::Failed), Status::Failed);
        assert_eq!(Status::Done.max(Status::Found), Status::Found);
    }
}
