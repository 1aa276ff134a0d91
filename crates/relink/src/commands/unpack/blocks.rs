//! The blocks of the records of an archive that become files.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::sync::Arc;

use warc::{ErrorKind, Reader};

use crate::failure::Failure;
use crate::unpack::captures::{Place, Places};

/// The block of a capture.
pub(super) struct Item {
    /// The position of the capture.
    pub(super) page: usize,
    pub(super) block: Result<Arc<Vec<u8>>, Arc<BlockError>>,
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
    /// The captures by their records, without those that were given.
    wanted: BTreeMap<Place, Vec<usize>>,
    most: usize,
    /// The reason for what is not found.
    reason: Arc<BlockError>,
}

impl Blocks {
    /// Reads an archive that was opened. Blocks longer than `most`, in octets, are errors.
    pub(super) fn new(
        opened: Result<Box<dyn Read>, Failure>,
        wanted: BTreeMap<Place, Vec<usize>>,
        most: usize,
    ) -> Self {
        let (reader, reason) = match opened {
            Ok(file) => (Some(Reader::new(file)), BlockError::Changed),
            Err(failure) => (None, BlockError::Open(failure)),
        };
        Blocks { reader, places: Places::default(), wanted, most, reason: Arc::new(reason) }
    }

    /// Returns the next of the chosen records that is found.
    fn found(&mut self) -> Option<Vec<Item>> {
        let reader = self.reader.as_mut()?;
        while !self.wanted.is_empty() {
            match reader.next_record()? {
                Ok(mut record) => {
                    let place = self.places.next(record.header());
                    if let Some(pages) = self.wanted.remove(&place) {
                        let block = record.read_block(self.most).map(Arc::new);
                        let block = block.map_err(|error| BlockError::Record(error.kind));
                        return Some(items(pages, &block.map_err(Arc::new)));
                    }
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
        let (_, pages) = self.wanted.pop_first()?;
        Some(items(pages, &Err(Arc::clone(&self.reason))))
    }
}

fn items(pages: Vec<usize>, block: &Result<Arc<Vec<u8>>, Arc<BlockError>>) -> Vec<Item> {
    pages.into_iter().map(|page| Item { page, block: block.clone() }).collect()
}
