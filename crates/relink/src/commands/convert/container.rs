//! Containers put together again: their pieces come in order, and are written where the container
//! goes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::output::{kept, location, options};
use super::result::{OutputBytes, PiecePlace, ResultKind, UnitResult};
use super::run::Run;
use crate::files::container::{ContainerForm, ContentError, PlacedPiece, Rebuilt};
use crate::files::diff;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::plan::Convert;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal::log::{EditSpool, Log};
use crate::recovery::write::{FileWrite, StreamedFile};
use crate::tree::input::Opened;

/// The destination of the pieces of the open container.
enum To {
    Nowhere,
    /// It could not be written.
    Failed,
    /// The place of the container; so far nothing has changed.
    Unchanged,
    Stdout,
    File(Box<StreamedFile>),
}

/// The writer of containers.
pub(super) struct ContainerWriter<'c> {
    run: &'c Run<'c>,
    config: &'c Convert,
    /// The recorded edits of the open container.
    spool: EditSpool,
    /// True if pieces are missing because the run was interrupted: later pieces are not written.
    is_stopped: bool,
    /// The destination of the pieces of the open container.
    to: Option<To>,
    /// The number of its documents that are changed.
    n_changed: usize,
    /// True if a diff of it has been shown.
    has_diff: bool,
    /// The length of what it has become so far.
    n_new: u64,
    /// Its edited pieces that its tail says something about.
    placed: Vec<PlacedPiece>,
}

impl<'c> ContainerWriter<'c> {
    pub(super) fn new(run: &'c Run<'c>) -> Self {
        let (config, spool) = (run.config, EditSpool::default());
        ContainerWriter {
            run,
            config,
            spool,
            is_stopped: false,
            to: None,
            n_changed: 0,
            has_diff: false,
            n_new: 0,
            placed: Vec::new(),
        }
    }

    /// Takes a piece, or the end of a container. A failure is reported in `done`, once.
    pub(super) fn take(
        &mut self,
        done: &mut UnitResult,
        stdout: &mut impl Write,
    ) -> Result<(), Error> {
        match std::mem::take(&mut done.kind) {
            ResultKind::File => {}
            ResultKind::Piece(..) | ResultKind::End(_) if self.is_stopped => {}
            ResultKind::Nothing => self.is_stopped = true,
            ResultKind::Piece(opened, place, output) => {
                self.begin(&opened, done);
                let is_package = matches!(opened.container.spec().form, ContainerForm::Package(_));
                match done.is_changed && is_package && self.n_changed > 0 {
                    true => done.n_unchanged = 1,
                    false => self.n_changed += usize::from(done.is_changed),
                }
                if done.is_changed && matches!(self.to, Some(To::Unchanged)) {
                    self.change(&opened, place.at, done);
                }
                let OutputBytes { bytes, changes, .. } = match self.placed(&opened, place, output) {
                    Ok(output) => output,
                    Err(reason) => {
                        let failure = format!("skipped; {reason}");
                        self.fail(&opened, done, Failure::because(&opened.entry.path, failure));
                        return Ok(());
                    }
                };
                if !done.output.is_empty() {
                    // Documents with a number are stretches of one file.
                    if self.has_diff && done.numbered.is_some() {
                        done.output = diff::without_names(&done.output).to_vec();
                    }
                    self.has_diff = true;
                }
                match &mut self.to {
                    Some(To::Stdout) => stdout.write_all(&bytes)?,
                    Some(To::File(stream)) => {
                        let log = self.run.log().filter(|_| !changes.is_empty());
                        let spool = |log: &Log| log.spool(&mut self.spool, &changes, stream.len());
                        let spooled = log.map_or(Ok(()), spool);
                        if let Err(failure) = spooled.and_then(|()| stream.write(&bytes)) {
                            self.fail(&opened, done, failure);
                        }
                    }
                    Some(To::Nowhere | To::Unchanged | To::Failed) | None => {}
                }
            }
            ResultKind::End(opened) => {
                self.begin(&opened, done);
                let to = self.to.take();
                let n_changed = std::mem::take(&mut self.n_changed);
                let spool = std::mem::take(&mut self.spool);
                self.has_diff = false;
                self.n_new = 0;
                self.placed.clear();
                let is_read = done.failures.is_empty();
                if !is_read || matches!(to, Some(To::Failed)) {
                    done.n_unchanged = n_changed;
                }
                let Some(To::File(mut stream)) = to.filter(|_| is_read) else { return Ok(()) };
                let noted = self.note(&opened, &mut stream, spool);
                let finished = noted.and_then(|()| match &self.config.output {
                    Output::InPlace(replacing) => {
                        stream.replace(None, replacing, None).map(|()| None)
                    }
                    _ => stream.finish().map(Some),
                });
                match finished {
                    Err(failure) => {
                        done.fail(&opened.entry.path, failure);
                        done.n_unchanged = n_changed;
                    }
                    Ok(written) => {
                        self.run.set_written(&opened.entry);
                        done.is_current = written == Some(FileWrite::Current);
                        if n_changed > 0 {
                            done.messages.extend(stale_index(self.config, &opened));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes where a piece comes to lie, and returns its output: that of a tail follows from the
    /// pieces before it.
    fn placed(
        &mut self,
        opened: &Opened,
        PiecePlace { at, len, is_tail }: PiecePlace,
        output: OutputBytes,
    ) -> Result<OutputBytes, ContentError> {
        if is_tail && !self.placed.is_empty() {
            let Rebuilt { bytes, changes, .. } =
                opened.container.tail(&output.bytes, at, &self.placed)?;
            return Ok(OutputBytes { bytes: bytes.into(), changes, fact: None });
        }
        let start = self.n_new;
        self.n_new += output.bytes.len() as u64;
        if let Some(fact) = output.fact {
            let (old, new) = (at..at + len, start..self.n_new);
            self.placed.push(PlacedPiece { old, new, fact });
        }
        Ok(output)
    }

    /// Records what a container becomes.
    fn note(
        &self,
        opened: &Opened,
        stream: &mut StreamedFile,
        spool: EditSpool,
    ) -> Result<(), Failure> {
        let kept = kept(self.config, &self.config.tree.locate(&opened.entry)?);
        self.run.note_container(opened, stream, spool, kept)
    }

    /// Begins the output of a container with its first piece.
    fn begin(&mut self, opened: &Arc<Opened>, done: &mut UnitResult) {
        if self.to.is_some() {
            return;
        }
        let entry = &opened.entry;
        let stream = match (&self.config.output, location(self.run, entry)) {
            (Output::InPlace(_), _) => {
                self.to = Some(To::Unchanged);
                return;
            }
            (_, Err(failure)) => Err(failure),
            (_, Ok(Some(to))) => {
                StreamedFile::new(&to, opened.properties.clone(), options(self.config))
            }
            (Output::Stdout, Ok(None)) if !self.config.shows_diff => {
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
            Err(failure) => self.fail(opened, done, failure),
        }
    }

    /// Begins the replacement of a container, with the pieces before the first that changes.
    fn change(&mut self, opened: &Opened, at: u64, done: &mut UnitResult) {
        let begin = || {
            let old = self.config.tree.locate(&opened.entry)?;
            let mut stream =
                StreamedFile::over(&old, opened.properties.clone(), self.config.is_durable)?;
            stream.write_start(&old, at)?;
            Ok(stream)
        };
        match begin() {
            Ok(stream) => self.to = Some(To::File(Box::new(stream))),
            Err(failure) => self.fail(opened, done, failure),
        }
    }

    /// Records that the container cannot be written.
    fn fail(&mut self, opened: &Opened, done: &mut UnitResult, failure: Failure) {
        done.fail(&opened.entry.path, failure);
        self.to = Some(To::Failed);
    }
}

/// Returns the message for an index next to a container that does not match it any more.
fn stale_index(config: &Convert, opened: &Opened) -> Option<String> {
    let Output::InPlace(_) = config.output else { return None };
    let (suffix, message) = opened.container.spec().index?;
    let mut index = opened.entry.path.clone().into_os_string();
    index.push(suffix);
    let index = Path::new(&index);
    index.is_file().then(|| messages::of_path(index, message))
}
