//! Records in memory: with their blocks, or, if they are not complete, with what there is of them.

use std::io::Read;

use memchr::memmem;

use crate::error::{Error, ErrorKind};
use crate::http::HttpResponse;
use crate::reader::{Extent, Reader, Record, SHORTEST};
use crate::record::RecordHeader;
use crate::stream::{is_record, n_line_ends};

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

// Records that are not complete: what there is of their blocks.
//
// The end of a block whose length is wrong is found by the record after it, and confirmed by the
// `Content-Length` of the HTTP response, if it has one.

/// The end of a block, and the start of the record after it.
const BOUNDARY: &[u8] = b"\r\n\r\nWARC/";
/// The end of a block.
const END: &[u8] = b"\r\n\r\n";
/// The number of bytes after a block in which its end is searched for. Some programs count
/// characters instead of bytes.
const AFTER: usize = 1 << 20;
/// The number of bytes in which it is searched for first.
const FIRST_AFTER: usize = 4 << 10;
/// The number of bytes of line ends between records that are usual at most.
const MOST_LINE_ENDS: usize = 8;

/// A record with as much of its block as there is.
#[derive(Debug)]
#[non_exhaustive]
pub struct Available {
    /// Its header section.
    pub header: RecordHeader,
    /// Its block.
    pub block: Vec<u8>,
    /// The reason why the block may not be all of it, if there is one.
    pub defect: Option<Error>,
}

impl<R: Read> Record<'_, R> {
    /// Returns the record with its block. If the file ends inside of the record, the block is what
    /// there is of it; if its length is wrong, and the record is not one of ARC, the block ends
    /// where the next record begins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`] if the block is longer than `most`, in bytes, and another [`Error`]
    /// if the record is broken in another way.
    ///
    /// # Examples
    ///
    /// ```
    /// let file = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 9\r\n\r\n<p>";
    /// let mut reader = relink_warc::Reader::new(&file[..]);
    /// let record = reader.next_record().unwrap()?.read_available(1 << 20)?;
    /// assert_eq!(record.block, b"<p>");
    /// assert!(record.defect.is_some());
    /// # Ok::<(), relink_warc::Error>(())
    /// ```
    pub fn read_available(mut self, most: usize) -> Result<Available, Error> {
        let (mut block, error) = self.read_part(most);
        let defect = match error {
            None => self.end_block(&mut block)?,
            Some(error) if error.kind.is_cut_off() => {
                let is_ended = matches!(error.kind, ErrorKind::Truncated);
                let end = confirmed(&block).or_else(|| boundary(&block));
                let end = end.unwrap_or_else(|| without_end(&block, is_ended));
                // The record ends before its length says so.
                let is_long = is_ended && end < block.len();
                block.truncate(end);
                let kind = if is_long { ErrorKind::WrongLength } else { error.kind };
                Some(Error { kind, ..error })
            }
            Some(error) => return Err(error),
        };
        Ok(Available { header: self.header, block, defect })
    }

    /// Returns the first bytes of what was not read of the block, `n_bytes` at most, as
    /// [`Record::peek`] does; if the length that a record of WARC declares is wrong, up to the next
    /// record.
    ///
    /// # Errors
    ///
    /// [`Error`] if the record is broken.
    pub fn peek_available(&mut self, n_bytes: usize) -> Result<&[u8], Error> {
        let n_left = self.n_left();
        // What follows the right end belongs to another record.
        if n_left >= n_bytes || self.reader.is_arc() || self.has_next_after(n_left)? {
            return self.peek(n_bytes);
        }
        let is_ended = match self.reader.stream.reach_inside(n_bytes + BOUNDARY.len() + 1) {
            Ok(has_more) => !has_more,
            // The end of the file is noticed again by what reads the block.
            Err(error) if error.kind.is_cut_off() => false,
            Err(error) => {
                self.reader.fail_in_block(&error);
                return Err(error);
            }
        };
        let rest = self.reader.stream.rest();
        let end = boundary(rest).unwrap_or_else(|| without_end(rest, is_ended));
        Ok(&rest[..end.min(n_bytes)])
    }

    /// Returns true if a record begins after this number of bytes and line ends, or nothing.
    fn has_next_after(&mut self, n_bytes: usize) -> Result<bool, Error> {
        match self.reader.stream.reach_inside(n_bytes + MOST_LINE_ENDS + SHORTEST) {
            // The end of the file is noticed again by what reads the block.
            Err(error) if !error.kind.is_cut_off() => {
                self.reader.fail_in_block(&error);
                return Err(error);
            }
            _ => {}
        }
        let rest = self.reader.stream.rest().get(n_bytes..).unwrap_or_default();
        let rest = &rest[n_line_ends(rest, MOST_LINE_ENDS)..];
        Ok(rest.is_empty() || is_record(rest))
    }

    /// Ends a block that has the length that the record declares. Returns the error that was
    /// noticed, if the block is usable.
    fn end_block(&mut self, block: &mut Vec<u8>) -> Result<Option<Error>, Error> {
        let offset = self.header.offset;
        let Ok(found) = self.reader.block_end() else {
            // Only the end of its gzip member may be missing.
            return match self.reader.close() {
                Err(error) if error.kind.is_cut_off() => Ok(Some(error)),
                closed => closed.map(|_| None),
            };
        };
        // An empty line that ends the header section of a response may be taken for the end of the
        // record.
        let is_header = |block: &[u8]| HttpResponse::read(block).is_ok_and(|r| !r.has_header_end());
        let is_cut =
            found == Some(END.len()) && is_header(block) && !self.has_next_after(END.len())?;
        if (found.is_some() && !is_cut) || self.reader.is_arc() {
            self.reader.close()?;
            let end = found.filter(|_| !self.reader.is_arc()).and_then(|n| counted_end(block, n));
            let Some(end) = end else { return Ok(None) };
            block.truncate(end);
            return Ok(Some(Error::new(offset, ErrorKind::WrongLength)));
        }
        let (n_declared, mut n_after) = (block.len(), FIRST_AFTER);
        let end = loop {
            let Ok(has_more) = self.reader.stream.reach_inside(n_after) else { break n_declared };
            let after = self.reader.stream.rest();
            block.truncate(n_declared);
            block.extend_from_slice(&after[..after.len().min(n_after)]);
            let near = &block[..block.len().min(n_declared + BOUNDARY.len())];
            let end = confirmed(block).or_else(|| boundary(near)).or_else(|| boundary(block));
            match end {
                Some(end) => break end,
                None if !has_more => break without_end(block, true),
                None if n_after == AFTER => break n_declared,
                None => n_after = AFTER.min(4 * n_after),
            }
        };
        block.truncate(end);
        self.reader.stream.go_back_in_text(n_declared.saturating_sub(end));
        let error = Error::new(offset, ErrorKind::WrongLength);
        // The reader searches for the next record, unless it is there now.
        match self.reader.close() {
            Err(error) if error.kind.is_incomplete() => Ok(Some(error)),
            Ok(_) if is_cut => {
                self.reader.fail_in_block(&error);
                Ok(Some(error))
            }
            closed => closed.map(|_| Some(error)),
        }
    }
}

/// Returns the end of a block whose length counts bytes of the end of the record too, so that only
/// `n_found` of them follow it. Some programs write fewer: the length of the response decides, or
/// that all of them are in the block.
fn counted_end(block: &[u8], n_found: usize) -> Option<usize> {
    let counted = &END[..END.len().checked_sub(n_found).filter(|n| *n > 0)?];
    let end = block.strip_suffix(counted)?.len();
    let response = HttpResponse::read(&block[..end]).ok()?;
    let len = response.body().len() as u64;
    let is_counted = match response.content_length() {
        Some(declared) => declared == len,
        None => n_found == 0 && len > 0,
    };
    is_counted.then_some(end)
}

/// Returns the end of the response that a text begins with, by its `Content-Length`, if a record or
/// nothing follows there.
fn confirmed(text: &[u8]) -> Option<usize> {
    let response = HttpResponse::read(text).ok()?;
    let start = text.len() - response.body().len();
    let end = start.checked_add(usize::try_from(response.content_length()?).ok()?)?;
    let rest = text.get(end..)?;
    (is_boundary(rest) || rest == END || rest.is_empty()).then_some(end)
}

/// Returns the offset of the first boundary in a text.
fn boundary(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, BOUNDARY).find(|at| is_boundary(&text[*at..]))
}

/// Returns true if a text begins with the end of a record and the start of another one.
fn is_boundary(text: &[u8]) -> bool {
    text.starts_with(BOUNDARY) && text.get(BOUNDARY.len()).is_none_or(u8::is_ascii_digit)
}

/// Returns the length of a block without the end of the record, if it is there.
fn without_end(block: &[u8], is_ended: bool) -> usize {
    let end = block.strip_suffix(END).filter(|_| is_ended);
    end.unwrap_or(block).len()
}
