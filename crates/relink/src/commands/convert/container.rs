//! Containers put together again: their pieces come in order, and are written where the container
//! goes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use layers::{Edit, Edits, Span};

use super::output::{kept, location, options};
use super::result::{OutputBytes, PiecePlace, ResultKind, UnitResult};
use super::run::Run;
use crate::files::container::{ContainerForm, ContentError, Edited, PlacedPiece, Rebuilt};
use crate::files::diff;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::undo_log::Changes;
use crate::plan::Convert;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal::log::EditSpool;
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
    /// A piece of another container: its new text, and the edits that made it.
    Memory(Vec<u8>, Vec<Edit>),
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
                self.put(place, output, done.is_changed, done, stdout)?;
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
        output: OutputBytes,
        is_changed: bool,
        done: &mut UnitResult,
        stdout: &mut impl Write,
    ) -> Result<(), Error> {
        let log = self.run.log();
        let Some(level) = self.open.last_mut() else { return Ok(()) };
        let result = (|| {
            if is_changed && matches!(level.to, To::Unchanged) {
                level.to = changed(self.config, &level.opened, place.at)?;
            }
            let at = place.at;
            let skipped = |reason: ContentError| {
                Failure::because(&level.opened.entry.path, format!("skipped; {reason}"))
            };
            let output = placed(&level.opened, &mut level.placed, &mut level.n_new, place, output);
            let OutputBytes { bytes, changes, .. } = output.map_err(skipped)?;
            match &mut level.to {
                To::Stdout => return Ok(Some(bytes)),
                To::File(stream) => {
                    if let Some(log) = log.filter(|_| !changes.is_empty()) {
                        log.spool(&mut self.spool, &changes, stream.len())?;
                    }
                    stream.write(&bytes)?;
                }
                To::Memory(text, edits) => {
                    text.try_reserve(bytes.len()).map_err(|error| skipped(error.into()))?;
                    text.extend_from_slice(&bytes);
                    edits.extend(edits_of(at, &bytes, &changes));
                }
                To::Nowhere | To::Unchanged | To::Failed => {}
            }
            Ok(None)
        })();
        match result {
            Ok(Some(bytes)) => stdout.write_all(&bytes)?,
            Ok(None) => {}
            Err(failure) => {
                done.fail(&level.opened.entry.path, failure);
                level.to = To::Failed;
            }
        }
        Ok(())
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
        let Outer { piece, text, .. } = outer;
        let rebuilt = match level.to {
            To::Memory(new, edits) => {
                let edits = Edits::new(edits, text.len()).unwrap_or_default();
                let span = 0..piece.bytes.len();
                let member = piece.member.as_deref();
                let (piece, old, new, edits) = (&*piece.bytes, &**text, &*new, &edits);
                let edited = Edited { piece, span, old, new, edits, member };
                Some(outer.opened.container.rebuild(&edited))
            }
            _ => None,
        };
        let output = match rebuilt.transpose() {
            Ok(output) => output,
            Err(reason) => {
                let path = &level.opened.entry.path;
                done.fail(path, Failure::because(path, format!("skipped; {reason}")));
                done.n_unchanged = level.n_changed;
                None
            }
        };
        let is_changed = output.is_some();
        if let Some(around) = self.open.last_mut().filter(|_| is_changed) {
            around.n_changed += level.n_changed;
        }
        let output = output.map(|Rebuilt { bytes, changes, n_derived, fact }| {
            done.report.n_derived += n_derived;
            OutputBytes { bytes: bytes.into(), changes, fact }
        });
        let output = output.unwrap_or_else(|| OutputBytes::same(piece.bytes.clone()));
        self.put(PiecePlace::of(piece), output, is_changed, done, stdout)
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
fn changed(config: &Convert, opened: &Opened, at: u64) -> Result<To, Failure> {
    if let Some(Outer { text, .. }) = &opened.outer {
        let start = usize::try_from(at).ok().and_then(|at| text.get(..at)).unwrap_or_default();
        return Ok(To::Memory(start.to_vec(), Vec::new()));
    }
    let old = config.tree.locate(&opened.entry)?;
    let mut stream = StreamedFile::over(&old, opened.properties.clone(), config.is_durable)?;
    stream.write_start(&old, at)?;
    Ok(To::File(Box::new(stream)))
}

/// Notes where a piece comes to lie, and returns its output: that of a tail follows from the pieces
/// before it.
fn placed(
    opened: &Opened,
    placed: &mut Vec<PlacedPiece>,
    n_new: &mut u64,
    PiecePlace { at, len, is_tail }: PiecePlace,
    output: OutputBytes,
) -> Result<OutputBytes, ContentError> {
    if is_tail && !placed.is_empty() {
        let Rebuilt { bytes, changes, .. } = opened.container.tail(&output.bytes, at, placed)?;
        return Ok(OutputBytes { bytes: bytes.into(), changes, fact: None });
    }
    let start = *n_new;
    *n_new += output.bytes.len() as u64;
    if let Some(fact) = output.fact {
        placed.push(PlacedPiece { old: at..at + len, new: start..*n_new, fact });
    }
    Ok(output)
}

/// Returns the edits of a container that changes in its piece at this offset are.
fn edits_of(at: u64, bytes: &[u8], changes: &Changes) -> Vec<Edit> {
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let (mut old_at, mut new_at) = (at, 0);
    let edits = changes.iter().map(|(new, old)| {
        let start = old_at + (new.start - new_at);
        (old_at, new_at) = (start + old.len() as u64, new.end);
        let text = &bytes[offset(new.start)..offset(new.end)];
        Edit { span: Span::new(offset(start), offset(old_at)), text: text.into(), id: 0 }
    });
    edits.collect()
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
