//! Containers put together again: their pieces come in order, and go where the container goes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::file::target;
use super::{Done, Of};
use crate::config::Convert;
use crate::destination::Output;
use crate::diff;
use crate::exit::Error;
use crate::failure::Failure;
use crate::messages;
use crate::units::Opened;
use crate::write::Stream;

/// Where the pieces of the container that is open go.
enum To {
    /// Nowhere, or it has failed.
    Nowhere,
    Stdout,
    File(Box<Stream>),
}

/// What writes containers.
pub(super) struct Writer<'c> {
    config: &'c Convert,
    /// Where the pieces of the container that is open go.
    to: Option<To>,
    is_changed: bool,
    /// Whether a diff of it has been shown.
    has_diff: bool,
}

impl<'c> Writer<'c> {
    pub(super) fn new(config: &'c Convert) -> Self {
        Writer { config, to: None, is_changed: false, has_diff: false }
    }

    /// Takes a piece, or the end of a container. What fails is told in `done`, and once.
    pub(super) fn take(&mut self, done: &mut Done, stdout: &mut impl Write) -> Result<(), Error> {
        match std::mem::take(&mut done.of) {
            Of::File => {}
            Of::Piece(opened, bytes) => {
                self.begin(&opened, done);
                self.is_changed |= done.is_changed;
                if !done.output.is_empty() {
                    if self.has_diff {
                        done.output = diff::without_names(&done.output).to_vec();
                    }
                    self.has_diff = true;
                }
                match &mut self.to {
                    Some(To::Stdout) => stdout.write_all(&bytes)?,
                    Some(To::File(stream)) => {
                        if let Err(failure) = stream.write(&bytes) {
                            self.fail(done, &failure);
                        }
                    }
                    Some(To::Nowhere) | None => {}
                }
            }
            Of::End(opened) => {
                self.begin(&opened, done);
                let to = self.to.take();
                let (is_changed, is_read) = (self.is_changed, done.failures.is_empty());
                (self.is_changed, self.has_diff) = (false, false);
                let Some(To::File(stream)) = to.filter(|_| is_read) else { return Ok(()) };
                let finished = match &self.config.output {
                    Output::InPlace(_) if !is_changed => Ok(()),
                    Output::InPlace(backup) => stream.replace(backup.as_deref()),
                    _ => stream.finish(),
                };
                match finished {
                    Err(failure) => done.failures.push(failure.to_string()),
                    Ok(()) if is_changed => done.messages.extend(stale_index(self.config, &opened)),
                    Ok(()) => {}
                }
            }
        }
        Ok(())
    }

    /// Begins the output of a container with its first piece.
    fn begin(&mut self, opened: &Arc<Opened>, done: &mut Done) {
        if self.to.is_some() {
            return;
        }
        let entry = &opened.entry;
        let metadata = opened.metadata.clone();
        let stream = match (&self.config.output, target(self.config, entry)) {
            (Output::InPlace(_), _) => Stream::over(&entry.path, metadata),
            (_, Some(to)) => Stream::new(&to, metadata),
            (Output::Stdout, None) if !self.config.shows_diff => {
                self.to = Some(To::Stdout);
                return;
            }
            _ => {
                self.to = Some(To::Nowhere);
                return;
            }
        };
        match stream {
            Ok(stream) => self.to = Some(To::File(Box::new(stream))),
            Err(failure) => self.fail(done, &failure),
        }
    }

    /// The container cannot be written.
    fn fail(&mut self, done: &mut Done, failure: &Failure) {
        done.failures.push(failure.to_string());
        self.to = Some(To::Nowhere);
    }
}

/// What is told where an index beside a mailbox does not fit any more.
fn stale_index(config: &Convert, opened: &Opened) -> Option<String> {
    let Output::InPlace(_) = config.output else { return None };
    let mut index = opened.entry.path.clone().into_os_string();
    index.push(".msf");
    let index = Path::new(&index);
    index.is_file().then(|| {
        messages::of_path(
            index,
            "the index no longer fits its mailbox; remove it, and Thunderbird makes it anew",
        )
    })
}
