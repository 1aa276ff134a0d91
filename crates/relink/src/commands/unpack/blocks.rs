//! The blocks of the records of an archive that become files.

use std::fmt;
use std::io::Read;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec::IntoIter;

use warc::{Available, ErrorKind, Reader};

use crate::archives::unpack::captures::{Place, Places};
use crate::files::container::Fault;
use crate::files::container::archive::fault;
use crate::os::failure::Failure;

/// The block of a capture.
pub(super) struct Item {
    /// The position of the capture.
    pub(super) page: usize,
    pub(super) block: Result<Arc<Block>, Arc<BlockError>>,
}

/// The block of a record.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Its defect, if the record is incomplete.
    pub(super) fault: Option<Fault>,
}

/// The reason why a block cannot be read.
#[derive(Debug)]
pub(super) enum BlockError {
    /// The archive cannot be opened.
    Open(Failure),
    /// The record, or the archive, cannot be read.
    Record(ErrorKind),
    /// The record is not in the archive any more.
    Changed,
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Open(failure) => failure.fmt(f),
            BlockError::Record(kind) => kind.fmt(f),
            BlockError::Changed => f.write_str("its archive changed during the run"),
        }
    }
}

/// Reads the blocks of chosen records of an archive. Each is given, also if the archive cannot be
/// read again.
pub(super) struct Blocks {
    reader: Option<Reader<Box<dyn Read>>>,
    places: Places,
    /// The records, in their order, and the positions of their captures; without those that were
    /// given.
    wanted: Peekable<IntoIter<(Place, usize)>>,
    most: usize,
    /// The reason for what is not found.
    reason: Arc<BlockError>,
}

impl Blocks {
    /// Reads an archive that was opened. Blocks longer than `most`, in bytes, are errors.
    pub(super) fn new(
        opened: Result<Box<dyn Read>, Failure>,
        mut wanted: Vec<(Place, usize)>,
        most: usize,
    ) -> Self {
        let (reader, reason) = match opened {
            Ok(file) => (Some(Reader::new(file)), BlockError::Changed),
            Err(failure) => (None, BlockError::Open(failure)),
        };
        wanted.sort_unstable();
        let (places, wanted) = (Places::default(), wanted.into_iter().peekable());
        Blocks { reader, places, wanted, most, reason: Arc::new(reason) }
    }

    /// Returns the next of the chosen records that is found, after those that are not.
    fn found(&mut self) -> Option<Vec<Item>> {
        let reader = self.reader.as_mut()?;
        while let Some((next, _)) = self.wanted.peek() {
            match reader.next_record()? {
                Ok(record) => {
                    let place = self.places.next(record.header());
                    if place < *next {
                        continue;
                    }
                    let missing = Err(Arc::clone(&self.reason));
                    let mut found = items(&mut self.wanted, |next| next < place, &missing);
                    if self.wanted.peek().is_some_and(|(next, _)| *next == place) {
                        let block = record.read_available(self.most).map(|read| {
                            let Available { header, block: bytes, defect, .. } = read;
                            let fault = fault(&header, defect.map(|error| error.kind).as_ref());
                            Arc::new(Block { bytes, fault })
                        });
                        let block = block.map_err(|error| Arc::new(BlockError::Record(error.kind)));
                        found.extend(items(&mut self.wanted, |next| next == place, &block));
                    }
                    return Some(found);
                }
                Err(error) if matches!(error.kind, ErrorKind::Io(_)) => {
                    self.reason = Arc::new(BlockError::Record(error.kind));
                }
                // It was reported when the archive was indexed.
                Err(_) => {}
            }
        }
        None
    }
}

impl Iterator for Blocks {
    type Item = Vec<Item>;

    fn next(&mut self) -> Option<Vec<Item>> {
        if let Some(items) = self.found() {
            return Some(items);
        }
        self.reader = None;
        let (_, page) = self.wanted.next()?;
        Some(vec![Item { page, block: Err(Arc::clone(&self.reason)) }])
    }
}

/// Takes the captures whose records have such a place, with a block.
fn items(
    wanted: &mut Peekable<IntoIter<(Place, usize)>>,
    is_one: impl Fn(Place) -> bool,
    block: &Result<Arc<Block>, Arc<BlockError>>,
) -> Vec<Item> {
    let next = || wanted.next_if(|(place, _)| is_one(*place));
    std::iter::from_fn(next).map(|(_, page)| Item { page, block: block.clone() }).collect()
}
