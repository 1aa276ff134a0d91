//! Ranges of a gzip file: several readers share it, and each record is read by one of them.

use std::io::{self, Read};
use std::ops::Range;

use crate::gzip;
use crate::input::InputBuffer;
use crate::limits::{MAX_HEADER, MAX_MEMBER_HEADER};
use crate::reader::Reader;
use crate::record::RecordHeader;
use crate::stream::Compression;

/// The number of bytes of a member that contain the header section of its record. Data that cannot
/// be compressed become longer by five bytes in 16 KiB.
const WITH_HEADER: usize = MAX_MEMBER_HEADER + MAX_HEADER + (1 << 10);

impl<R: Read> Reader<R> {
    /// Creates a reader of the records that begin in a range of a file, with their gzip members.
    /// The next byte of `file` is at the start of the range, and all bytes after it follow: the
    /// last record may end after the range. Offsets are those in the file.
    ///
    /// The range begins with the first member in it that contains a readable header section of a
    /// record, and ends before the first one after it. So the readers of adjacent ranges read each
    /// record once, and one of them reports each broken one. Only the range that begins at 0 has
    /// the records of a file with no such members after it: of one that is not gzip, which the
    /// caller recognizes by its first bytes, [`Reader::compression`].
    ///
    /// A member that contains a gzip archive, not compressed again, may have such members inside
    /// it. If a range begins in it, their records are read too.
    ///
    /// # Errors
    ///
    /// The error of the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # fn records(range: std::ops::Range<u64>, file: &[u8]) -> std::io::Result<usize> {
    /// use std::io::{Cursor, Seek, SeekFrom};
    ///
    /// let mut file = Cursor::new(file);
    /// file.seek(SeekFrom::Start(range.start))?;
    /// let mut reader = relink_warc::Reader::of_range(file, range)?;
    /// let mut n_records = 0;
    /// while let Some(record) = reader.next_record() {
    ///     n_records += usize::from(record.is_ok());
    /// }
    /// # Ok(n_records) }
    /// # assert_eq!(records(0..9, b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n").unwrap(), 1);
    /// ```
    pub fn of_range(file: R, range: Range<u64>) -> io::Result<Self> {
        let mut input = InputBuffer::starting_at(file, range.start);
        let is_done = range.start > 0 && !pass_to_record(&mut input, range.end)?;
        let mut reader = Reader::from_input(input, Some(range.end));
        reader.is_done = is_done;
        Ok(reader)
    }

    /// The same, for a range that begins with a record of its own gzip member, which is not
    /// searched for: one that another reader has read, or where it has ended
    /// ([`Reader::next_range`]).
    pub fn at_record(file: R, range: Range<u64>) -> Self {
        Reader::from_input(InputBuffer::starting_at(file, range.start), Some(range.end))
    }

    /// Returns true once a record was broken. Until then, a reader that begins at the record that
    /// this one has read last ([`Reader::at_record`]) reads the same from there on.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Returns the offset of the first record after the range, once all in the range are read;
    /// `None` at the end of the file.
    pub fn next_range(&self) -> Option<u64> {
        self.next
    }

    /// Returns true if another reader, of the range after this one, begins with this record.
    pub(crate) fn is_after_end(&mut self, header: &RecordHeader) -> bool {
        let is_after = self.end.is_some_and(|end| header.offset >= end && header.is_seekable);
        is_after && matches!(self.stream.compression(), Ok(Compression::Gzip))
    }
}

/// Passes over bytes up to a gzip member with a record. Returns false if none begins before an
/// offset.
fn pass_to_record<R: Read>(input: &mut InputBuffer<R>, end: u64) -> io::Result<bool> {
    while input.offset() < end {
        if let Some(at) = memchr::memmem::find(input.rest(), gzip::MAGIC) {
            input.consume(at);
            input.mark();
            input.reach(WITH_HEADER)?;
            let start = &input.rest()[..input.rest().len().min(WITH_HEADER)];
            let mut reader = Reader::new(start);
            if reader
                .next_record()
                .is_some_and(|record| record.is_ok_and(|record| record.header().offset == 0))
            {
                return Ok(input.offset() < end);
            }
            input.consume(1);
            continue;
        }
        let n_bytes = input.rest().len();
        input.consume(n_bytes.saturating_sub(gzip::MAGIC.len() - 1));
        input.mark();
        if !input.more()? {
            break;
        }
    }
    Ok(false)
}
