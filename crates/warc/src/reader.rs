//! The records of a file, one after another.

use std::io::{self, Read};

use memchr::memmem::Finder;

use crate::error::{Error, ErrorKind};
use crate::input::InputBuffer;
use crate::limits::MAX_HEADER;
use crate::record::{RecordHeader, read_arc, read_warc};
use crate::stream::{Compression, Stream, is_record, is_warc, n_line_ends};

/// The number of bytes by which a WARC record is recognized, and a usual length of the line of an
/// ARC record.
pub(crate) const SHORTEST: usize = 6;
const LINE: usize = 4 << 10;
/// The number of bytes of a block for which memory is taken before there is text for it.
const TRUSTED: usize = 1 << 20;
/// The end of the block of a WARC record (WARC 1.1, section 4).
const END: &[u8] = b"\r\n\r\n";
/// The length of the end in a file that was copied as text, so that each CRLF is CR CRLF.
const LONGEST_END: usize = 6;

/// Reads the records of a WARC or ARC file, one after another, in bounded memory.
///
/// The file is not compressed, or gzip with a member for each record (WARC 1.1, annex D) or in
/// other members, or zstd. Memory holds at most [`LOOK_BACK`](crate::LOOK_BACK) bytes of the file
/// and some header sections; for zstd also a window and a dictionary.
///
/// After a broken record, reading goes on at the next one: in gzip at the next member that begins
/// with a record, otherwise at the next line that begins as a record. If the file is not damaged in
/// more places than that, no other record is lost, unless it is more than
/// [`LOOK_BACK`](crate::LOOK_BACK) bytes before the place where the damage shows.
///
/// # Examples
///
/// ```
/// use relink_warc::{Reader, RecordType};
///
/// let file = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\n\
///     Content-Length: 3\r\n\r\n<p>\r\n\r\n";
/// let mut reader = Reader::new(&file[..]);
/// while let Some(record) = reader.next_record() {
///     let mut record = record?;
///     assert_eq!(record.header().record_type, RecordType::Resource);
///     assert_eq!(record.header().target_uri(), Some("http://h/"));
///     assert_eq!(record.read_block(1 << 20)?, b"<p>");
/// }
/// # Ok::<(), relink_warc::Error>(())
/// ```
pub struct Reader<R> {
    pub(crate) stream: Stream<R>,
    /// The open record: its offsets in the file and in the text, and what is left of its block.
    open: Option<OpenRecord>,
    /// The offset in the text of a broken record: the next record must be searched for.
    lost: Option<u64>,
    /// True if the gzip member of that record is damaged.
    is_damaged: bool,
    /// True if the last record was one of ARC; `None` before the first one.
    is_arc: Option<bool>,
    /// True once a record was broken.
    pub(crate) has_failed: bool,
    /// The first record that begins at this offset or after it, with its gzip member, is not read.
    pub(crate) end: Option<u64>,
    /// The offset of that record.
    pub(crate) next: Option<u64>,
    pub(crate) is_done: bool,
}

/// The state of a record that is being read.
#[derive(Clone, Copy, Default)]
struct OpenRecord {
    offset: u64,
    position: u64,
    n_left: u64,
    is_seekable: bool,
}

/// The place of a record in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The offset of the record in the file, in bytes; see [`RecordHeader::offset`].
    pub offset: u64,
    /// The length in bytes of the record with its end, compressed if the file is; `None` if it
    /// does not have gzip members of its own.
    pub length: Option<u64>,
}

impl<R: Read> Reader<R> {
    /// Creates a reader of a file. The file need not be buffered.
    pub fn new(file: R) -> Self {
        Reader::from_input(InputBuffer::new(file), None)
    }

    /// Creates a reader of an input, up to a record that begins at `end` or after it.
    pub(crate) fn from_input(input: InputBuffer<R>, end: Option<u64>) -> Self {
        Reader {
            stream: Stream::new(input),
            open: None,
            lost: None,
            is_damaged: false,
            is_arc: None,
            has_failed: false,
            end,
            next: None,
            is_done: false,
        }
    }

    /// Returns the compression of the file, by its first bytes.
    ///
    /// # Errors
    ///
    /// The error of the file.
    pub fn compression(&mut self) -> Result<Compression, Error> {
        self.stream.compression()
    }

    /// Returns the next record, whose block has not been read; `None` at the end of the file. What
    /// was not read of the record before it is passed over.
    ///
    /// # Errors
    ///
    /// [`Error`] for a broken record, also if it is the one before. Further calls return the
    /// records after it.
    pub fn next_record(&mut self) -> Option<Result<Record<'_, R>, Error>> {
        match self.next_header() {
            Ok(Some(header)) => Some(Ok(Record { header, reader: self })),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn next_header(&mut self) -> Result<Option<RecordHeader>, Error> {
        if self.is_done {
            return Ok(None);
        }
        if self.open.is_some() {
            self.close()?;
        }
        let read = self.read_header();
        match &read {
            Ok(Some(header)) if self.is_after_end(header) => {
                self.next = Some(header.offset);
                self.is_done = true;
                return Ok(None);
            }
            Ok(Some(_)) => {}
            Ok(None) => self.is_done = true,
            Err(error) => self.fail(error),
        }
        read
    }

    /// Notes that the next record must be searched for.
    fn fail(&mut self, error: &Error) {
        let position = self.stream.position();
        self.lost = Some(self.open.take().map_or(position, |open| open.position));
        self.has_failed = true;
        self.is_damaged = matches!(error.kind, ErrorKind::Gzip(_));
        self.is_done |= error.kind.is_last();
    }

    fn read_header(&mut self) -> Result<Option<RecordHeader>, Error> {
        self.stream.compression()?;
        if let Some(lost) = self.lost
            && !self.find(lost)?
        {
            return Ok(None);
        }
        self.lost = None;
        // Some programs write more line ends than the format demands.
        loop {
            if !self.stream.reach(1)? {
                return Ok(None);
            }
            let rest = self.stream.rest();
            let n_empty = n_line_ends(rest, rest.len());
            let is_all = n_empty == rest.len();
            self.stream.consume(n_empty);
            if !is_all {
                break;
            }
        }
        self.stream.mark();
        let position = self.stream.position();
        let (offset, is_start) = self.stream.place();
        // A frame may need the dictionary at the start of the file.
        let is_seekable = is_start && self.stream.compression()? != Compression::Zstd;
        let open = OpenRecord { offset, position, n_left: 0, is_seekable };
        self.open = Some(open);
        self.stream.reach_inside(SHORTEST)?;
        let rest = self.stream.rest();
        let is_arc = !is_warc(rest) && !b"WARC/".starts_with(rest);
        let section = self.section(is_arc)?;
        let is_cut_off = !is_arc && self.stream.rest().len() < MAX_HEADER;
        let missing = if is_cut_off { ErrorKind::Truncated } else { ErrorKind::Header };
        let section = section.ok_or(missing).and_then(|n_bytes| {
            let section = &self.stream.rest()[..n_bytes];
            let read = if is_arc {
                read_arc(section.strip_suffix(b"\n").unwrap_or(section))
            } else {
                read_warc(section)
            };
            read.map(|section| (n_bytes, section))
        });
        let (n_bytes, section) = section.map_err(|kind| {
            // The search for the next record begins inside of this one.
            self.stream.consume(1);
            Error::new(offset, kind)
        })?;
        self.stream.consume(n_bytes);
        self.is_arc = Some(is_arc);
        self.open = Some(OpenRecord { n_left: section.length, ..open });
        Ok(Some(RecordHeader {
            version: section.version,
            record_type: section.record_type,
            fields: section.fields,
            content_length: section.length,
            offset,
            position,
            is_seekable,
        }))
    }

    /// Returns the length of the header section that follows: up to the first empty line, or in ARC
    /// one line. Returns `None` if it is too long, or if the member ends before it does.
    fn section(&mut self, is_arc: bool) -> Result<Option<usize>, Error> {
        let mut searched = 0;
        loop {
            let rest = self.stream.rest();
            let rest = &rest[..rest.len().min(MAX_HEADER)];
            while let Some(found) = memchr::memchr(b'\n', &rest[searched..]) {
                let line_end = searched + found + 1;
                let after = match &rest[line_end..] {
                    _ if is_arc => return Ok(Some(line_end)),
                    [b'\n', ..] => return Ok(Some(line_end + 1)),
                    [b'\r', b'\n', ..] => return Ok(Some(line_end + 2)),
                    // Of a file that was copied as text.
                    [b'\r', b'\r', b'\n', ..] => return Ok(Some(line_end + 3)),
                    [] | [b'\r'] | [b'\r', b'\r'] => break,
                    _ => line_end,
                };
                searched = after;
            }
            if rest.len() == MAX_HEADER || !self.stream.more()? {
                return Ok(None);
            }
        }
    }

    /// Searches for the next record, after a broken one at this offset in the text. Returns false
    /// if there is none.
    fn find(&mut self, lost: u64) -> Result<bool, Error> {
        if std::mem::take(&mut self.is_damaged) {
            return self.stream.next_member();
        }
        if self.stream.position() > lost && self.stream.is_at_member() && self.is_at_record()? {
            return Ok(true);
        }
        let needle: &[u8] = if self.is_arc == Some(false) { b"\nWARC/" } else { b"\n" };
        let finder = Finder::new(needle);
        loop {
            let rest = self.stream.rest();
            if let Some(at) = finder.find(rest) {
                self.stream.consume(at + 1);
                if self.is_at_record()? {
                    return Ok(true);
                }
                continue;
            }
            let n_bytes = rest.len();
            self.stream.consume(n_bytes.saturating_sub(needle.len() - 1));
            self.stream.mark();
            if !self.stream.more()? {
                // A member begins like a line.
                let n_bytes = self.stream.rest().len();
                self.stream.consume(n_bytes);
                if !self.stream.open()? {
                    return Ok(false);
                }
                if self.is_at_record()? {
                    return Ok(true);
                }
            }
        }
    }

    /// Returns true if a record begins here.
    fn is_at_record(&mut self) -> Result<bool, Error> {
        let n_bytes = if self.is_arc == Some(false) { SHORTEST } else { LINE };
        self.stream.reach_inside(n_bytes)?;
        let rest = self.stream.rest();
        Ok(is_record(&rest[..rest.len().min(n_bytes)]))
    }

    /// Passes over the rest of the open record, to where the next one begins.
    pub(crate) fn close(&mut self) -> Result<Extent, Error> {
        let closed = self.close_open();
        match &closed {
            Ok(_) => self.open = None,
            Err(error) => self.fail_in_block(error),
        }
        closed
    }

    /// Notes that the open record is broken: its length may be wrong.
    pub(crate) fn fail_in_block(&mut self, error: &Error) {
        if let Some(open) = self.open {
            self.stream.go_back(open.offset + 1);
            let n_read = self.stream.position().saturating_sub(open.position + 1);
            self.stream.go_back_in_text(usize::try_from(n_read).unwrap_or(usize::MAX));
        }
        self.fail(error);
    }

    fn close_open(&mut self) -> Result<Extent, Error> {
        while let Some(n_left) = self.open.map(|open| open.n_left).filter(|n_left| *n_left > 0) {
            if self.stream.rest().is_empty() {
                self.more_of_block()?;
            }
            let n_bytes = usize::try_from(n_left).unwrap_or(usize::MAX);
            self.pass(self.stream.rest().len().min(n_bytes));
        }
        let OpenRecord { offset, is_seekable, .. } = self.open.unwrap_or_default();
        let end = self.block_end()?;
        let n_end = end.ok_or_else(|| Error::new(offset, ErrorKind::WrongLength))?;
        self.stream.consume(n_end);
        // The checksum of the member comes after its text.
        if self.stream.rest().is_empty() {
            self.stream.more()?;
        }
        let end = self.stream.end().filter(|_| is_seekable);
        Ok(Extent { offset, length: end.map(|end| end.saturating_sub(offset)) })
    }

    /// Returns the number of bytes between the block that was read and the next record; `None` if
    /// there is no record after the block.
    pub(crate) fn block_end(&mut self) -> Result<Option<usize>, Error> {
        let is_arc = self.is_arc();
        let n_bytes = LONGEST_END + if is_arc { LINE } else { SHORTEST };
        self.stream.reach_inside(n_bytes)?;
        let rest = self.stream.rest();
        let rest = &rest[..rest.len().min(n_bytes)];
        let n_empty = n_line_ends(rest, LONGEST_END);
        let is_next = |at: usize| rest.get(at..).is_some_and(is_record);
        Ok(match () {
            () if rest.starts_with(END) => Some(END.len()),
            () if n_empty == rest.len() || is_next(n_empty) => Some(n_empty),
            () if is_arc && n_empty > 0 => Some(1),
            // Four other bytes: they are damaged, and the record is not.
            () if is_next(END.len()) => Some(END.len()),
            () => None,
        })
    }

    /// Returns true if the last record was one of ARC.
    pub(crate) fn is_arc(&self) -> bool {
        self.is_arc == Some(true)
    }

    /// Takes bytes of the block that are in memory.
    fn pass(&mut self, n_bytes: usize) {
        self.stream.consume(n_bytes);
        if let Some(open) = &mut self.open {
            open.n_left = open.n_left.saturating_sub(n_bytes as u64);
        }
    }

    /// Reads more of the block of the open record, if there is nothing of it in memory.
    fn more_of_block(&mut self) -> Result<(), Error> {
        if self.stream.more()? {
            return Ok(());
        }
        // A record may have several members; the next one may also be another record.
        let offset = self.open.map_or(0, |open| open.offset);
        if !self.stream.open()? || self.is_at_record()? {
            return Err(Error::new(offset, ErrorKind::Truncated));
        }
        Ok(())
    }
}

/// A record whose header section was read, and whose block was not.
///
/// It is a [`Read`] of its block. An error of it has an [`Error`] inside. What is not read of the
/// block is passed over by [`Record::finish`], or when the next record is read.
pub struct Record<'r, R> {
    pub(crate) header: RecordHeader,
    pub(crate) reader: &'r mut Reader<R>,
}

impl<R: Read> Record<'_, R> {
    /// Returns the header section.
    pub fn header(&self) -> &RecordHeader {
        &self.header
    }

    /// Returns the first bytes of what was not read of the block, `n_bytes` at most. Memory grows
    /// by as many. If the file ends before, there are fewer.
    ///
    /// # Errors
    ///
    /// [`Error`] if the record is broken.
    pub fn peek(&mut self, n_bytes: usize) -> Result<&[u8], Error> {
        let n_bytes = n_bytes.min(self.n_left());
        if let Err(error) = self.reader.stream.reach_inside(n_bytes) {
            // The end of the file is noticed again by what reads the block.
            if !error.kind.is_cut_off() || self.reader.stream.rest().is_empty() {
                self.reader.fail_in_block(&error);
                return Err(error);
            }
        }
        let rest = self.reader.stream.rest();
        Ok(&rest[..rest.len().min(n_bytes)])
    }

    /// Returns the rest of the block.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`] if it is longer than `most`, in bytes, and another [`Error`] if the
    /// record is broken.
    pub fn read_block(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        match self.read_part(most) {
            (block, None) => Ok(block),
            (_, Some(error)) => Err(error),
        }
    }

    /// Returns the rest of the block, or what could be read of it before an error.
    pub(crate) fn read_part(&mut self, most: usize) -> (Vec<u8>, Option<Error>) {
        let (n_left, offset) = (self.n_left(), self.header.offset);
        let mut block = Vec::new();
        if n_left > most {
            return (block, Some(Error::new(offset, ErrorKind::TooLarge(most as u64))));
        }
        let no_memory = |error| Some(Error::new(offset, ErrorKind::Io(io::Error::from(error))));
        // The length may be wrong: more memory is taken when there is more text.
        if let Err(error) = block.try_reserve_exact(n_left.min(TRUSTED)) {
            return (block, no_memory(error));
        }
        while block.len() < n_left {
            if self.reader.stream.rest().is_empty()
                && let Err(error) = self.reader.more_of_block()
            {
                self.reader.fail_in_block(&error);
                return (block, Some(error));
            }
            let rest = self.reader.stream.rest();
            let part = &rest[..rest.len().min(n_left - block.len())];
            if let Err(error) = block.try_reserve(part.len()) {
                return (block, no_memory(error));
            }
            block.extend_from_slice(part);
            let n_bytes = part.len();
            self.reader.pass(n_bytes);
        }
        (block, None)
    }

    /// Passes over the rest of the record, and returns its header section and its place.
    ///
    /// # Errors
    ///
    /// [`Error`] if the record is broken: also if its length is wrong, or the checksum of its gzip
    /// member, which is only known at its end.
    pub fn finish(self) -> Result<(RecordHeader, Extent), Error> {
        self.reader.close().map(|extent| (self.header, extent))
    }

    pub(crate) fn n_left(&self) -> usize {
        let n_left = self.reader.open.map_or(0, |open| open.n_left);
        usize::try_from(n_left).unwrap_or(usize::MAX)
    }
}

impl<R: Read> Read for Record<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.n_left().min(out.len());
        if n_bytes == 0 {
            return Ok(0);
        }
        while self.reader.stream.rest().is_empty() {
            if let Err(error) = self.reader.more_of_block() {
                self.reader.fail_in_block(&error);
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        let rest = self.reader.stream.rest();
        let n_bytes = n_bytes.min(rest.len());
        out[..n_bytes].copy_from_slice(&rest[..n_bytes]);
        self.reader.pass(n_bytes);
        Ok(n_bytes)
    }
}
