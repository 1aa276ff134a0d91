//! The records of one web archive, read by several threads, each in a range of the file.
//!
//! Invariant: the records are those that one reader of the file finds, in their order. A thread
//! that works ahead guesses where the first record of its range begins; if the reader of the range
//! before ends elsewhere, the range is read again from there. From the first broken record on, and
//! where a record has no gzip member of its own, one reader reads the rest.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SendError, SyncSender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::vec;

use rewrite::Limits;
use warc::{Compression, Reader};

use super::super::Source;
use super::super::pieces::{Piece, PieceReader};
use super::records::ArchiveRecords;
use crate::os::parallel;
use crate::os::store::OpenFile;

/// The number of bytes of a range.
const RANGE: u64 = 4 << 20;
/// The number of bytes of blocks that are passed on at once.
const BATCH: usize = 256 << 10;
/// The number of batches of a thread that wait.
const WAITING: usize = 8;
/// A thread reads no longer block before the records before it were taken.
const LONG: u64 = 1 << 20;
/// The maximum number of threads that read one file.
const MOST_THREADS: usize = 8;

/// Returns the records of a web archive: of a long one with gzip members, by several threads.
///
/// To decompress takes a third of the time. On two or three cores, where other threads work on what
/// one has read, more of them take turns with those: a fourth more time.
pub(in super::super) fn records(
    source: Source,
    limits: &Limits,
    jobs: Option<u16>,
) -> io::Result<PieceReader> {
    let n_threads = (parallel::n_threads(jobs) / 2).min(MOST_THREADS);
    Ok(match source {
        Source::File(file) if n_threads > 1 && file.length() >= 2 * RANGE && is_gzip(&*file)? => {
            Box::new(ArchiveRanges::new(file, limits, n_threads, RANGE))
        }
        source => Box::new(ArchiveRecords::new(Reader::new(source), limits)),
    })
}

fn is_gzip(file: &dyn OpenFile) -> io::Result<bool> {
    Ok(matches!(Reader::new(file.again()?).compression(), Ok(Compression::Gzip)))
}

/// What a thread has read of its range, in this order: a start, pieces, and an end.
enum Part {
    /// The offset of the first record in the range.
    Start(Option<u64>),
    Pieces(Vec<Piece>),
    /// The end of the range, with the offset of the first record after it.
    End(Option<u64>),
    /// All records before the one at this offset were passed on, and the others were not read.
    Stopped(u64),
}

/// A range that is being read.
struct Ahead {
    end: u64,
    parts: Receiver<Part>,
    turn: Arc<Turn>,
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.turn.is_dropped.store(true, Ordering::Relaxed);
        self.turn.begin();
    }
}

/// What a thread knows of the records before its range.
#[derive(Default)]
struct Turn {
    /// True once they were taken.
    is_first: Mutex<bool>,
    begins: Condvar,
    /// True if nobody wants what it reads.
    is_dropped: AtomicBool,
}

impl Turn {
    fn begin(&self) {
        *self.is_first.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.begins.notify_all();
    }

    fn wait(&self) {
        let is_first = self.is_first.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.begins.wait_while(is_first, |is_first| !*is_first));
    }
}

/// The records of a file that have a document, and those that cannot be read.
struct ArchiveRanges {
    file: Box<dyn OpenFile>,
    limits: Limits,
    n_threads: usize,
    /// The number of bytes of a range.
    range: u64,
    /// The offset of the first record of the range that is read next.
    at: u64,
    /// The end of the last range that is being read.
    end: u64,
    ahead: VecDeque<Ahead>,
    ready: vec::IntoIter<Piece>,
    /// The reader of the rest of the file, if one reads it.
    rest: Option<ArchiveRecords<Box<dyn OpenFile>>>,
    is_done: bool,
}

impl ArchiveRanges {
    fn new(file: Box<dyn OpenFile>, limits: &Limits, n_threads: usize, range: u64) -> Self {
        let (at, end, is_done) = (0, 0, false);
        let (limits, ahead) = (*limits, VecDeque::new());
        let (ready, rest) = (Vec::new().into_iter(), None);
        ArchiveRanges { file, limits, n_threads, range, at, end, ahead, ready, rest, is_done }
    }

    /// Takes the next part of the first range.
    fn advance(&mut self) -> io::Result<()> {
        self.start_threads()?;
        let Some(first) = self.ahead.front() else {
            self.is_done = self.rest.is_none();
            return Ok(());
        };
        first.turn.begin();
        let end = first.end;
        let failed = |_| io::Error::other("a thread that reads it has failed");
        match first.parts.recv().map_err(failed)? {
            Part::Start(start) if start == Some(self.at) => {}
            Part::Start(_) => {
                self.ahead.pop_front();
                match self.thread(self.at..end, true)? {
                    Some(ahead) => self.ahead.push_front(ahead),
                    None => self.read_alone(self.at)?,
                }
            }
            Part::Pieces(pieces) => self.ready = pieces.into_iter(),
            Part::End(Some(next)) => {
                self.at = next;
                while self.ahead.front().is_some_and(|ahead| ahead.end <= next) {
                    self.ahead.pop_front();
                }
            }
            Part::End(None) => self.is_done = true,
            Part::Stopped(at) => self.read_alone(at)?,
        }
        Ok(())
    }

    /// Starts threads for the next ranges.
    fn start_threads(&mut self) -> io::Result<()> {
        self.end = self.end.max(self.at / self.range * self.range);
        while self.ahead.len() < self.n_threads && self.end < self.file.length() {
            let is_first = self.ahead.is_empty();
            let start = if is_first { self.at } else { self.end };
            let end = self.end + self.range;
            match self.thread(start..end, is_first)? {
                Some(ahead) => self.ahead.push_back(ahead),
                None if is_first => return self.read_alone(self.at),
                // Those that there are go on.
                None => self.n_threads = self.ahead.len(),
            }
            self.end = self.ahead.back().map_or(end, |last| last.end);
        }
        Ok(())
    }

    /// Starts a thread that reads a range, which begins with a record or somewhere; `None` if it
    /// cannot be started.
    fn thread(&self, range: Range<u64>, is_at_record: bool) -> io::Result<Option<Ahead>> {
        let (mut file, limits, end) = (self.file.again()?, self.limits, range.end);
        file.seek(SeekFrom::Start(range.start))?;
        let (sender, parts) = mpsc::sync_channel(WAITING);
        let turn = Arc::new(Turn::default());
        let range = ReadRange { range, limits, sender, turn: Arc::clone(&turn) };
        let started = parallel::start(move || range.read(file, is_at_record));
        Ok(started.ok().map(|()| Ahead { end, parts, turn }))
    }

    /// Reads the file in this thread, from a record on.
    fn read_alone(&mut self, at: u64) -> io::Result<()> {
        let mut file = self.file.again()?;
        file.seek(SeekFrom::Start(at))?;
        let reader = Reader::at_record(file, at..u64::MAX);
        self.rest = Some(ArchiveRecords::new(reader, &self.limits));
        self.ahead.clear();
        self.end = self.file.length();
        Ok(())
    }
}

impl Iterator for ArchiveRanges {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(piece) = self.ready.next() {
                return Some(Ok(piece));
            }
            if let Some(rest) = &mut self.rest {
                return rest.next();
            }
            if self.is_done {
                return None;
            }
            if let Err(error) = self.advance() {
                self.is_done = true;
                return Some(Err(error));
            }
        }
    }
}

/// The work of a thread.
struct ReadRange {
    range: Range<u64>,
    limits: Limits,
    sender: SyncSender<Part>,
    turn: Arc<Turn>,
}

impl ReadRange {
    /// Reads the records of the range, and sends them until nobody receives them.
    fn read(self, file: Box<dyn OpenFile>, is_at_record: bool) {
        let file = WhileWanted { file, turn: Arc::clone(&self.turn) };
        let (start, range) = (self.range.start, self.range.clone());
        let reader = match is_at_record {
            true => Reader::at_record(file, range),
            // What is wrong with the file, the reader of the range before finds too.
            false => match Reader::of_range(file, range) {
                Ok(reader) => reader,
                Err(_) => return drop(self.sender.send(Part::Start(None))),
            },
        };
        let start = is_at_record.then_some(start);
        // Whoever receives is gone.
        drop(self.send_records(ArchiveRecords::new(reader, &self.limits), start));
    }

    /// Sends the records of a reader. The offset of the first one may be known.
    ///
    /// A record is only sent when the next one is found: until then it may turn out to be broken.
    fn send_records(
        &self,
        mut records: ArchiveRecords<WhileWanted>,
        start: Option<u64>,
    ) -> Result<(), SendError<Part>> {
        if start.is_some() {
            self.sender.send(Part::Start(start))?;
        }
        let (mut at, mut batch, mut n_bytes) = (start, Vec::new(), 0);
        let mut last: Option<Piece> = None;
        loop {
            let record = match records.reader.next_record() {
                Some(Ok(record)) if record.header().is_seekable => record,
                None => break,
                Some(_) => return self.send_stop(batch, at),
            };
            let (offset, length) = (record.header().offset, record.header().content_length);
            if at.replace(offset).is_none() {
                self.sender.send(Part::Start(at))?;
            }
            if let Some(piece) = last.take() {
                n_bytes += size_of::<Piece>() + piece.bytes.len();
                batch.push(piece);
            }
            if n_bytes >= BATCH || length >= LONG {
                self.sender.send(Part::Pieces(mem::take(&mut batch)))?;
                n_bytes = 0;
            }
            if length >= LONG {
                self.turn.wait();
            }
            last = match records.options.piece(record) {
                Some(Ok(piece)) => Some(piece),
                Some(Err(_)) => return self.send_stop(batch, at),
                None => None,
            };
            if records.reader.has_failed() {
                return self.send_stop(batch, at);
            }
        }
        batch.extend(last);
        if at.is_none() {
            self.sender.send(Part::Start(None))?;
        }
        self.sender.send(Part::Pieces(batch))?;
        self.sender.send(Part::End(records.reader.next_range()))
    }

    /// Sends that another reader goes on with the record that begins at an offset.
    fn send_stop(&self, batch: Vec<Piece>, at: Option<u64>) -> Result<(), SendError<Part>> {
        let Some(at) = at else { return self.sender.send(Part::Start(None)) };
        self.sender.send(Part::Pieces(batch))?;
        self.sender.send(Part::Stopped(at))
    }
}

/// A file that ends with an error once nobody wants its records.
struct WhileWanted {
    file: Box<dyn OpenFile>,
    turn: Arc<Turn>,
}

impl Read for WhileWanted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.turn.is_dropped.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => self.file.read(out),
        }
    }
}

#[cfg(test)]
#[path = "ranges/tests.rs"]
mod tests;
