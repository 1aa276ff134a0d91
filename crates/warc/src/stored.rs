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
    reader: Reader<R>,
    most: usize,
}

impl<R: Read> Reader<R> {
    /// Returns an iterator of the records with their blocks, each at most `most` bytes long.
    ///
    /// # Examples
    ///
    /// ```
    /// let file = b"WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\n\r\nWARC/1.0\r\nX\r\n\r\n";
    /// let records: Vec<_> = relink_warc::Reader::new(&file[..]).records(1 << 20).collect();
    /// assert_eq!(records[0].as_ref().unwrap().block, b"a");
    /// assert_eq!(records[1].as_ref().unwrap_err().offset, 36);
    /// ```
    pub fn records(self, most: usize) -> Records<R> {
        Records { reader: self, most }
    }
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
