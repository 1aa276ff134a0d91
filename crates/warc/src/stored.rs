//! Records in memory, with their blocks.

use std::io::Read;

use crate::error::Error;
use crate::reader::{Extent, Reader};
use crate::record::RecordHeader;

/// A record in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its header section.
    pub header: RecordHeader,
    /// Its block.
    pub block: Vec<u8>,
    /// Its place in the file.
    pub extent: Extent,
}

/// The records of a file with their blocks; made by [`Reader::records`].
pub struct Records<R> {
    pub(crate) reader: Reader<R>,
    pub(crate) most: usize,
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<StoredRecord, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let most = self.most;
        let stored = self.reader.next_record()?.and_then(|mut record| {
            let block = record.read_block(most)?;
            let (header, extent) = record.finish()?;
            Ok(StoredRecord { header, block, extent })
        });
        Some(stored)
    }
}
