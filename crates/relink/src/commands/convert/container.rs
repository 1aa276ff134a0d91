//! Containers put together again: their pieces come in order, and are written where the container
//! goes.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::new_text::{self, NewText, RebuiltPiece};
use super::output::{kept, location, options};
use super::result::{OutputBytes, PiecePlace, ResultKind, UnitResult};
use super::run::Run;
use crate::files::container::rebuilding::{EditedSpan, edited_spans};
use crate::files::container::{ContainerForm, PlacedPiece, Rebuilt};
use crate::files::diff;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::plan::Convert;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal::log::{EditSpool, Log};
use crate::recovery::write::{FileWrite, StreamedFile};
use crate::tree::containers::{Opened, Outer};

/// The destination of the pieces of a container.
enum To {
    Nowhere,
    /// It could not be written.
    Failed,
    /// The place of the container; so far nothing has changed.
    Unchanged,
    Stdout,
    File(Box<StreamedFile>),
    /// A piece of another container: its new text.
    Inner(Box<NewText>),
}

impl To {
    /// Writes bytes.
    fn write(&mut self, bytes: &[u8], stdout: &mut impl Write) -> Result<(), PutError> {
        match self {
            To::Stdout => stdout.write_all(bytes).map_err(|error| PutError::Stdout(error.into())),
            To::File(stream) => Ok(stream.write(bytes)?),
            To::Inner(new) => Ok(new.add(bytes)?),
            To::Nowhere | To::Unchanged | To::Failed => Ok(()),
        }
    }
}

/// A piece, as it is to be written.
enum NewPiece {
    /// In memory, unless it is a piece of the file without a change.
    Bytes(OutputBytes),
    /// One with another container in it.
    Rebuilt(Box<RebuiltPiece>),
}

/// The error of writing a piece.
enum PutError {
    /// Of the container.
    Failed(Failure),
    /// Of the container, without its path.
    Io(io::Error),
    Stdout(Error),
}

impl From<Failure> for PutError {
    fn from(failure: Failure) -> Self {
        PutError::Failed(failure)
    }
}

impl From<io::Error> for PutError {
    fn from(error: io::Error) -> Self {
        PutError::Io(error)
    }
}

/// A container whose pieces come.
struct Level {
    opened: Arc<Opened>,
    to: To,
    /// The number of documents that are changed in it.
    n_changed: usize,
    /// True if a diff of it has been shown.
    has_diff: bool,
    /// The length of what it has become so far.
    n_new: u64,
    /// Its edited pieces that its tail says something about.
    placed: Vec<PlacedPiece>,
}

/// The writer of containers.
pub(super) struct ContainerWriter<'c> {
    run: &'c Run<'c>,
    config: &'c Convert,
    /// The recorded edits of the outermost container.
    spool: EditSpool,
    /// True if pieces are missing because the run was interrupted: later pieces are not written.
    is_stopped: bool,
    /// The open containers, each in the one before it.
    open: Vec<Level>,
}

impl<'c> ContainerWriter<'c> {
    pub(super) fn new(run: &'c Run<'c>) -> Self {
        let (config, spool) = (run.config, EditSpool::default());
        ContainerWriter { run, config, spool, is_stopped: false, open: Vec::new() }
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
                let Some(level) = self.open.last_mut() else { return Ok(()) };
                match done.is_changed && is_package && level.n_changed > 0 {
                    true => done.n_unchanged = 1,
                    false => level.n_changed += usize::from(done.is_changed),
                }
                if !done.output.is_empty() {
                    // Documents with a number are stretches of one file.
                    if level.has_diff && done.numbered.is_some() {
                        done.output = diff::without_names(&done.output).to_vec();
                    }
                    level.has_diff = true;
                }
                self.put(place, NewPiece::Bytes(output), done.is_changed, done, stdout)?;
            }
            ResultKind::End(opened) => {
                self.begin(&opened, done);
                let Some(mut level) = self.open.pop() else { return Ok(()) };
                if !done.failures.is_empty() {
                    level.to = To::Failed;
                }
                if matches!(level.to, To::Failed) {
                    done.n_unchanged = level.n_changed;
                }
                match &opened.outer {
                    Some(outer) => self.end_inner(outer, level, done, stdout)?,
                    None => self.end(level, done),
                }
            }
        }
        Ok(())
    }

    /// Writes a piece of the innermost container.
    fn put(
        &mut self,
        place: PiecePlace,
        piece: NewPiece,
        is_changed: bool,
        done: &mut UnitResult,
        stdout: &mut impl Write,
    ) -> Result<(), Error> {
        let result = self.write(place, piece, is_changed, stdout);
        let Some(level) = self.open.last_mut() else { return Ok(()) };
        let path = &level.opened.entry.path;
        let failure = match result {
            Ok(()) => return Ok(()),
            Err(PutError::Stdout(error)) => return Err(error),
            Err(PutError::Failed(failure)) => failure,
            Err(PutError::Io(error)) => new_text::failure(path, error),
        };
        done.fail(path, failure);
        level.to = To::Failed;
        Ok(())
    }

    fn write(
        &mut self,
        place: PiecePlace,
        piece: NewPiece,
        is_changed: bool,
        stdout: &mut impl Write,
    ) -> Result<(), PutError> {
        let log = self.run.log();
        let Some(Level { opened, to, n_new, placed, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        if is_changed && matches!(to, To::Unchanged) {
            *to = changed(self.config, opened, place.at)?;
        }
        let PiecePlace { at, len, .. } = place;
        let mut piece = match piece {
            NewPiece::Bytes(output) if place.is_tail && !placed.is_empty() => {
                let tail = opened.container.tail(&output.bytes, at, placed);
                let Rebuilt { bytes, changes, .. } = tail.map_err(io::Error::from)?;
                NewPiece::Bytes(OutputBytes { bytes: bytes.into(), changes, fact: None })
            }
            piece => piece,
        };
        let (n_bytes, fact) = match &piece {
            NewPiece::Bytes(_) if place.is_in_file => (len, None),
            NewPiece::Bytes(output) => (output.bytes.len() as u64, output.fact),
            NewPiece::Rebuilt(rebuilt) => (rebuilt.new.len(), rebuilt.sums.fact),
        };
        let start = *n_new;
        *n_new += n_bytes;
        if let Some(fact) = fact {
            placed.push(PlacedPiece { old: at..at + len, new: start..*n_new, fact });
        }
        note_changes(opened, to, (log, &mut self.spool), at, &mut piece)?;
        match piece {
            _ if matches!(to, To::Nowhere | To::Unchanged | To::Failed) => Ok(()),
            NewPiece::Bytes(_) if place.is_in_file => {
                let file = &mut new_text::range(opened, at..at + len)?;
                new_text::each_part(file, |part| to.write(part, stdout))
            }
            NewPiece::Bytes(output) => to.write(&output.bytes, stdout),
            NewPiece::Rebuilt(mut rebuilt) => rebuilt.new.each_part(|part| to.write(part, stdout)),
        }
    }

    /// Ends the outermost container.
    fn end(&mut self, level: Level, done: &mut UnitResult) {
        let Level { opened, to, n_changed, .. } = level;
        let spool = std::mem::take(&mut self.spool);
        let To::File(mut stream) = to else { return };
        let noted = self.note(&opened, &mut stream, spool);
        let finished = noted.and_then(|()| match &self.config.output {
            Output::InPlace(replacing) => stream.replace(None, replacing, None).map(|()| None),
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

    /// Ends a container in another one: the piece that it is gets its new text.
    fn end_inner(
        &mut self,
        outer: &Outer,
        level: Level,
        done: &mut UnitResult,
        stdout: &mut impl Write,
    ) -> Result<(), Error> {
        let Level { opened, to, n_changed, .. } = level;
        let rebuilt = match to {
            To::Inner(new) => Some(new.piece(&opened, outer, self.config.shows_bytes())),
            _ => None,
        };
        let rebuilt = rebuilt.transpose().unwrap_or_else(|error| {
            let path = &opened.entry.path;
            done.fail(path, new_text::failure(path, error));
            done.n_unchanged = n_changed;
            None
        });
        let place = PiecePlace::of(&outer.piece);
        let Some(rebuilt) = rebuilt else {
            let same = OutputBytes::same(outer.piece.bytes.clone());
            return self.put(place, NewPiece::Bytes(same), false, done, stdout);
        };
        if let Some(around) = self.open.last_mut() {
            around.n_changed += n_changed;
        }
        done.report.n_derived += rebuilt.sums.n_derived;
        self.put(place, NewPiece::Rebuilt(Box::new(rebuilt)), true, done, stdout)
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

    /// Begins the output of a container with its first piece, and of those around it.
    fn begin(&mut self, opened: &Arc<Opened>, done: &mut UnitResult) {
        let chain: Vec<&Arc<Opened>> = opened.chain().collect();
        let n_new = chain.len().saturating_sub(self.open.len());
        for opened in chain[..n_new].iter().rev() {
            let to = self.destination(opened).unwrap_or_else(|failure| {
                done.fail(&opened.entry.path, failure);
                To::Failed
            });
            self.open.push(Level {
                opened: Arc::clone(opened),
                to,
                n_changed: 0,
                has_diff: false,
                n_new: 0,
                placed: Vec::new(),
            });
        }
    }

    /// Returns where the pieces of a container go at first.
    fn destination(&self, opened: &Opened) -> Result<To, Failure> {
        if opened.outer.is_some() || matches!(self.config.output, Output::InPlace(_)) {
            return Ok(To::Unchanged);
        }
        Ok(match location(self.run, &opened.entry)? {
            Some(to) => {
                let properties = opened.properties.clone();
                To::File(Box::new(StreamedFile::new(&to, properties, options(self.config))?))
            }
            None if self.config.output == Output::Stdout && !self.config.shows_diff => To::Stdout,
            None => To::Nowhere,
        })
    }
}

/// Returns where the pieces of a container go from the first on that changes, at this offset; what
/// was before it is there.
fn changed(config: &Convert, opened: &Opened, at: u64) -> Result<To, PutError> {
    if opened.outer.is_some() {
        return Ok(To::Inner(Box::new(NewText::starting(opened, at)?)));
    }
    let old = config.tree.locate(&opened.entry)?;
    let mut stream = StreamedFile::over(&old, opened.properties.clone(), config.is_durable)?;
    stream.write_start(&old, at)?;
    Ok(To::File(Box::new(stream)))
}

/// Notes what a piece at this offset changes, before it is written: in the records of the run, or
/// for the container around it.
fn note_changes(
    opened: &Opened,
    to: &mut To,
    (log, spool): (Option<&Log>, &mut EditSpool),
    at: u64,
    piece: &mut NewPiece,
) -> Result<(), PutError> {
    match (to, piece) {
        (To::File(stream), NewPiece::Bytes(output)) => match log {
            Some(log) if !output.changes.is_empty() => {
                Ok(log.spool(spool, &output.changes, stream.len())?)
            }
            _ => Ok(()),
        },
        (To::File(stream), NewPiece::Rebuilt(rebuilt)) => {
            let Some(log) = log else { return Ok(()) };
            rebuilt.new.each_span(|(old, new)| {
                let old = at + old.start..at + old.end;
                new_text::each_change(opened, (old, new), |changes| {
                    Ok(log.spool(spool, changes, stream.len())?)
                })
            })
        }
        (To::Inner(text), NewPiece::Bytes(output)) => {
            let start = text.len();
            let mut spans = edited_spans(&output.changes, at).into_iter();
            let add =
                |(old, new): EditedSpan| text.add_span((old, start + new.start..start + new.end));
            Ok(spans.try_for_each(add)?)
        }
        (To::Inner(text), NewPiece::Rebuilt(rebuilt)) => {
            let start = text.len();
            rebuilt.new.each_span(|(old, new)| {
                let old = at + old.start..at + old.end;
                Ok(text.add_span((old, start + new.start..start + new.end))?)
            })
        }
        _ => Ok(()),
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
