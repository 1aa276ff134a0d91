//! The text of the file: its bytes, or what they are decompressed to, with the places where gzip
//! members and zstd frames begin.

use std::collections::VecDeque;
use std::io::Read;

use crate::arc;
use crate::error::{Error, ErrorKind};
use crate::gzip::{self, CUT, DAMAGED, Header, TRAILER, WRONG_SUM};
use crate::gzip::{Checksum, Inflater};
use crate::input::InputBuffer;
use crate::limits::{CHUNK, MAX_HEADER, MAX_MEMBER_HEADER, PART};
use crate::zstd::{self, Frames};

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// None.
    Plain,
    /// gzip, mostly with a member for each record.
    Gzip,
    /// zstd.
    Zstd,
}

impl Compression {
    /// Returns the compression of a file that begins with these bytes.
    fn of_content(head: &[u8]) -> Compression {
        match () {
            () if head.starts_with(gzip::MAGIC) => Compression::Gzip,
            () if head.starts_with(zstd::MAGIC) || head.starts_with(zstd::DICTIONARY_MAGIC) => {
                Compression::Zstd
            }
            () if !is_record(head) && has_record_member(head) => Compression::Gzip,
            () => Compression::Plain,
        }
    }
}

/// Returns true if a gzip member with a record begins somewhere: the first one may be damaged.
fn has_record_member(bytes: &[u8]) -> bool {
    let mut inflater = Inflater::raw();
    let mut starts = memchr::memmem::find_iter(bytes, gzip::MAGIC).take(MAX_STARTS);
    starts.any(|at| is_record_member(&bytes[at..], &mut inflater))
}

/// The number of bytes of a member that are decompressed to see whether a record begins there.
const PROBE: usize = 4 << 10;
/// The number of bytes of text by which the start of a WARC record is recognized.
const START: usize = 6;

/// Returns true if a text begins as a WARC record does.
pub(crate) fn is_warc(text: &[u8]) -> bool {
    text.len() >= START && text.starts_with(b"WARC/") && text[5].is_ascii_digit()
}

/// The number of places where the start of a member is searched for in a file that does not begin
/// as an archive.
const MAX_STARTS: usize = 1_000;

/// The number of bytes of zero after a member that are passed over at once.
const TAPE_BLOCK: usize = 512;

/// The number of bytes of text that are kept when they were consumed: the length of a record may
/// be too large by some.
const KEPT: usize = 64;

enum StreamDecoder {
    /// The first bytes have not been read.
    Unknown,
    Plain,
    Gzip(Box<GzipState>),
    Zstd(Box<Frames>),
}

/// The state of the gzip decoder.
struct GzipState {
    inflater: Inflater,
    /// The checksum of the text of the open member.
    checksum: Checksum,
    /// True if all of its text was read.
    is_ended: bool,
}

/// The text of a file.
pub(crate) struct Stream<R> {
    input: InputBuffer<R>,
    decoder: StreamDecoder,
    /// True if a member or a frame is open.
    is_open: bool,
    /// The offset of the last member or frame.
    member: u64,
    /// Decompressed bytes, up to `end`; those before `at` were consumed. Not used if the file is
    /// not compressed.
    text: Vec<u8>,
    at: usize,
    end: usize,
    /// The offset in the text of the first byte of `text`.
    base: u64,
    /// The members that begin in the text in memory or before it: offset in the text, in the file.
    starts: VecDeque<(u64, u64)>,
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(input: InputBuffer<R>) -> Self {
        Stream {
            input,
            decoder: StreamDecoder::Unknown,
            is_open: false,
            member: 0,
            text: Vec::new(),
            at: 0,
            end: 0,
            base: 0,
            starts: VecDeque::new(),
        }
    }

    /// Returns the compression, once it is known.
    pub(crate) fn compression(&mut self) -> Result<Compression, Error> {
        Ok(match self.decoder {
            StreamDecoder::Plain => Compression::Plain,
            StreamDecoder::Gzip(_) => Compression::Gzip,
            StreamDecoder::Zstd(_) => Compression::Zstd,
            StreamDecoder::Unknown => {
                self.input.reach(CHUNK).map_err(|error| Error::new(0, ErrorKind::Io(error)))?;
                let head = self.input.rest();
                let compression = Compression::of_content(&head[..head.len().min(CHUNK)]);
                self.decoder = match compression {
                    Compression::Plain => StreamDecoder::Plain,
                    Compression::Gzip => {
                        let (inflater, checksum) = (Inflater::raw(), Checksum::default());
                        let members = GzipState { inflater, checksum, is_ended: false };
                        StreamDecoder::Gzip(Box::new(members))
                    }
                    Compression::Zstd => StreamDecoder::Zstd(Box::new(Frames::new())),
                };
                compression
            }
        })
    }

    fn is_plain(&self) -> bool {
        matches!(self.decoder, StreamDecoder::Plain)
    }

    /// Returns the text in memory that was not consumed.
    pub(crate) fn rest(&self) -> &[u8] {
        match self.decoder {
            StreamDecoder::Plain => self.input.rest(),
            _ => &self.text[self.at..self.end],
        }
    }

    /// Passes over text in memory.
    pub(crate) fn consume(&mut self, n_bytes: usize) {
        match self.decoder {
            StreamDecoder::Plain => self.input.consume(n_bytes),
            _ => self.at = self.end.min(self.at + n_bytes),
        }
    }

    /// Returns the offset in the text.
    pub(crate) fn position(&self) -> u64 {
        match self.decoder {
            StreamDecoder::Plain => self.input.offset(),
            _ => self.base + self.at as u64,
        }
    }

    /// Returns the offset in the file of the next byte of the text, or of the member that contains
    /// it, and whether a member begins with it.
    pub(crate) fn place(&mut self) -> (u64, bool) {
        if self.is_plain() {
            return (self.input.offset(), true);
        }
        self.forget_starts();
        let position = self.position();
        let start = self.starts.front().copied().unwrap_or((position, self.input.offset()));
        (start.1, start.0 == position)
    }

    /// Forgets members whose text was consumed, so that there are no more than bytes in memory.
    fn forget_starts(&mut self) {
        let position = self.position();
        while self.starts.get(1).is_some_and(|next| next.0 <= position) {
            self.starts.pop_front();
        }
    }

    /// Returns true if a member begins with the next byte of the text.
    pub(crate) fn is_at_member(&mut self) -> bool {
        !self.is_plain() && self.place().1
    }

    /// Returns the offset in the file of the end of what was consumed, if a member ends there.
    pub(crate) fn end(&mut self) -> Option<u64> {
        if self.rest().is_empty() && !self.is_open {
            Some(self.input.offset())
        } else {
            Some(self.place()).filter(|place| place.1).map(|place| place.0)
        }
    }

    /// Keeps the bytes of the file from here on, so that [`Stream::go_back`] finds them.
    pub(crate) fn mark(&mut self) {
        if self.is_plain() {
            self.input.mark();
        }
    }

    /// Goes back to an offset in a file that is not compressed, as far as possible.
    pub(crate) fn go_back(&mut self, offset: u64) {
        if self.is_plain() {
            self.input.go_back(offset);
        }
    }

    /// Goes back by a number of bytes of decompressed text, [`KEPT`] at most.
    pub(crate) fn go_back_in_text(&mut self, n_bytes: usize) {
        self.at -= n_bytes.min(self.at).min(KEPT);
    }

    /// Reads until this number of bytes of text is in memory, from the open member only. Returns
    /// false if there is less.
    pub(crate) fn reach_inside(&mut self, n_bytes: usize) -> Result<bool, Error> {
        while self.rest().len() < n_bytes {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same, from all members.
    pub(crate) fn reach(&mut self, n_bytes: usize) -> Result<bool, Error> {
        while self.rest().len() < n_bytes {
            if !self.more()? && !self.open()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads more text of the open member, or of a file that is not compressed. Returns false if
    /// there is none.
    pub(crate) fn more(&mut self) -> Result<bool, Error> {
        if let StreamDecoder::Unknown = self.decoder {
            self.compression()?;
        }
        let offset = self.input.offset();
        let io = |error| Error::new(offset, ErrorKind::Io(error));
        if self.is_plain() {
            return self.input.more().map_err(io);
        }
        self.forget();
        while self.is_open {
            let n_before = self.end;
            match self.decoder {
                StreamDecoder::Zstd(_) => self.frame_part()?,
                _ => self.member_part()?,
            }
            if self.end > n_before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Forgets text that was consumed, but the last bytes. Each byte is moved a bounded number of
    /// times.
    fn forget(&mut self) {
        let n_forgotten = self.at.saturating_sub(KEPT);
        if n_forgotten >= self.end - n_forgotten {
            self.text.copy_within(n_forgotten..self.end, 0);
            self.base += n_forgotten as u64;
            self.end -= n_forgotten;
            self.at -= n_forgotten;
        }
    }

    /// Opens the next member or frame. Returns false at the end of the file, and if the file is not
    /// compressed.
    pub(crate) fn open(&mut self) -> Result<bool, Error> {
        while !self.is_plain() && !self.is_open {
            if !self.open_next()? {
                return Ok(false);
            }
        }
        Ok(self.is_open)
    }

    /// Opens the next member or frame, or passes over a frame without text. Returns false at the
    /// end of the file.
    fn open_next(&mut self) -> Result<bool, Error> {
        let offset = self.input.offset();
        self.member = offset;
        let io = |error| Error::new(offset, ErrorKind::Io(error));
        if !self.input.reach(1).map_err(io)? {
            return Ok(false);
        }
        self.input.mark();
        let position = self.base + self.end as u64;
        match &mut self.decoder {
            StreamDecoder::Zstd(frames) => {
                let opened = frames.open(&mut self.input);
                let is_frame = opened
                    .map_err(|reason| Error::new(offset, ErrorKind::Zstd(reason.to_string())))?;
                if !is_frame {
                    return Ok(true);
                }
            }
            StreamDecoder::Gzip(members) => {
                let n_header = loop {
                    let rest = self.input.rest();
                    let n_bytes = rest.len();
                    let reason = match gzip::header(rest) {
                        Header::Complete(n_header) if n_header <= MAX_MEMBER_HEADER => {
                            break n_header;
                        }
                        Header::Complete(_) => DAMAGED,
                        Header::Incomplete if n_bytes > MAX_MEMBER_HEADER => DAMAGED,
                        Header::Incomplete => {
                            if self.input.more().map_err(io)? {
                                continue;
                            }
                            CUT
                        }
                        Header::Invalid(reason) => {
                            // Bytes of zero fill up the last block of a tape.
                            self.input.reach(TAPE_BLOCK).map_err(io)?;
                            let rest = self.input.rest();
                            let block = &rest[..rest.len().min(TAPE_BLOCK)];
                            if block.iter().all(|byte| *byte == 0) {
                                let n_zeros = block.len();
                                self.input.consume(n_zeros);
                                return Ok(true);
                            }
                            reason
                        }
                    };
                    return Err(Error::new(offset, ErrorKind::Gzip(reason)));
                };
                self.input.consume(n_header);
                members.inflater.reset();
                members.checksum = Checksum::default();
                members.is_ended = false;
            }
            StreamDecoder::Plain | StreamDecoder::Unknown => return Ok(false),
        }
        self.forget_starts();
        if self.starts.back().is_some_and(|last| last.0 == position) {
            self.starts.pop_back();
        }
        self.starts.push_back((position, offset));
        self.is_open = true;
        Ok(true)
    }

    fn frame_part(&mut self) -> Result<(), Error> {
        let StreamDecoder::Zstd(frames) = &mut self.decoder else { return Ok(()) };
        self.text.truncate(self.end);
        let is_end = frames
            .step(&mut self.input, &mut self.text)
            .map_err(|reason| Error::new(self.member, ErrorKind::Zstd(reason.to_string())))?;
        self.end = self.text.len();
        self.is_open = !is_end;
        Ok(())
    }

    fn member_part(&mut self) -> Result<(), Error> {
        let StreamDecoder::Gzip(members) = &mut self.decoder else { return Ok(()) };
        let member = self.member;
        let io = |error| Error::new(member, ErrorKind::Io(error));
        let failed = |reason| Error::new(member, ErrorKind::Gzip(reason));
        if !members.is_ended {
            if !self.input.reach(1).map_err(io)? {
                return Err(failed(CUT));
            }
            let n_before = self.end;
            if self.text.len() < n_before + PART {
                self.text.resize(n_before + PART, 0);
            }
            let room = &mut self.text[n_before..n_before + PART];
            let step =
                members.inflater.step(self.input.rest(), room).map_err(|_| failed(DAMAGED))?;
            members.checksum.add(&room[..step.n_written]);
            self.input.consume(step.n_read);
            self.end = n_before + step.n_written;
            members.is_ended = step.is_end;
            let has_progress = step.n_read + step.n_written > 0;
            if !step.is_end && !has_progress && !self.input.more().map_err(io)? {
                return Err(failed(CUT));
            }
            // What there is of a member that is cut off can be read.
            if !step.is_end || step.n_written > 0 {
                return Ok(());
            }
        }
        if !self.input.reach(TRAILER).map_err(io)? {
            return Err(failed(CUT));
        }
        if !members.checksum.is_in(self.input.rest()) {
            return Err(failed(WRONG_SUM));
        }
        self.input.consume(TRAILER);
        self.is_open = false;
        Ok(())
    }

    /// Finds the next member with which a record begins, after one that is damaged. Returns false
    /// if there is none.
    pub(crate) fn next_member(&mut self) -> Result<bool, Error> {
        let StreamDecoder::Gzip(_) = self.decoder else { return Ok(false) };
        self.base += self.end as u64;
        (self.at, self.end, self.is_open) = (0, 0, false);
        self.starts.clear();
        self.input.go_back(self.member + 1);
        let mut inflater = Inflater::raw();
        loop {
            let offset = self.input.offset();
            let io = |error| Error::new(offset, ErrorKind::Io(error));
            let rest = self.input.rest();
            match memchr::memmem::find(rest, gzip::MAGIC) {
                Some(at) => {
                    self.input.consume(at);
                    // The member is opened later; here it is only looked at.
                    self.input.mark();
                    self.input.reach(PROBE).map_err(io)?;
                    if is_record_member(self.input.rest(), &mut inflater) {
                        return Ok(true);
                    }
                    self.input.consume(1);
                }
                None => {
                    let n_bytes = rest.len();
                    self.input.consume(n_bytes.saturating_sub(gzip::MAGIC.len() - 1));
                    self.input.mark();
                    if !self.input.more().map_err(io)? {
                        self.input.consume(n_bytes);
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// Returns true if bytes begin with a gzip member whose text begins as a record does.
fn is_record_member(bytes: &[u8], inflater: &mut Inflater) -> bool {
    let bytes = &bytes[..bytes.len().min(PROBE)];
    let Header::Complete(n_header) = gzip::header(bytes) else { return false };
    let data = bytes.get(n_header..).unwrap_or_default();
    let mut text = [0; 512];
    inflater.reset();
    let step = inflater.step(data, &mut text);
    let n_text = step.map_or(0, |step| step.n_written);
    is_record(&text[..n_text])
}

/// Returns true if a text begins as a record of WARC or ARC does.
pub(crate) fn is_record(text: &[u8]) -> bool {
    is_warc(text) || arc::is_start(&text[..text.len().min(MAX_HEADER)])
}

/// Returns the number of bytes of line ends with which a text begins, `most` at most.
pub(crate) fn n_line_ends(text: &[u8], most: usize) -> usize {
    text.iter().take(most).take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory does not grow with the number of members.
    #[test]
    fn members_that_were_read_are_forgotten() {
        // A member with the text `x`.
        let member = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\xAB\0\0\x83\x16\xDC\x8C\x01\0\0\0";
        let file = member.repeat(1_000);
        let mut stream = Stream::new(InputBuffer::new(&file[..]));
        let mut n_bytes = 0;
        while stream.reach(1).unwrap() {
            assert!(stream.starts.len() <= 2, "{} members", stream.starts.len());
            stream.consume(1);
            n_bytes += 1;
        }
        assert_eq!(n_bytes, 1_000);
    }
}
