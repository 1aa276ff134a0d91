//! The pieces of a container: the ranges of a file that its cutter finds.
//!
//! Invariant: the concatenated pieces are the file, however it is read. Nothing is decoded or
//! unquoted here: `>From ` stays as it is written.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::lines::LineCount;
use super::window::{SharedBytes, Window};
use super::{Container, FileType, PieceFact};

/// The number of bytes that are read at once.
pub(super) const CHUNK: usize = 1 << 20;

/// A defect of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A number gives the end of the message, and the message does not end there.
    WrongLength,
    /// A length that is not a number, or several lengths.
    UnclearLength,
    /// A required length is missing.
    NoLength,
    /// The line that ends the message is missing.
    NotClosed,
    /// Text outside of messages.
    Stray,
    /// A document that exceeds the limit.
    TooLarge,
    /// The body of the HTTP response ends too early.
    CutOff,
    /// The program that saved the record truncated it.
    Truncated,
    /// The length of the record is wrong.
    RecordLength,
    /// The file ends inside of the record.
    RecordEnd,
    /// A file of a type that is not read; the name of the type.
    Unsupported(&'static str),
}

impl Fault {
    /// Returns the description for messages.
    pub const fn words(self) -> &'static str {
        match self {
            Fault::WrongLength => "the declared length of this message is wrong",
            Fault::UnclearLength => {
                "the declared length of this message is not a number, or there are several"
            }
            Fault::NoLength => "the file does not begin with the length of its message",
            Fault::NotClosed => "the line that ends this message is missing",
            Fault::Stray => "text outside of messages",
            Fault::TooLarge => "this message is too large",
            Fault::CutOff => "the body ends too early",
            Fault::Truncated => "the record was truncated when it was saved",
            Fault::RecordLength => "the declared length of this record is wrong",
            Fault::RecordEnd => "the end of this record is missing",
            Fault::Unsupported(kind) => kind,
        }
    }
}

/// The record of a web archive that contains a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordPlace {
    /// Its `WARC-Record-ID`; ARC has none.
    pub id: Option<String>,
    /// Its offset in the file, in bytes; that of its gzip member if the file is compressed.
    pub offset: u64,
    /// Its `WARC-Date`: the time of the capture.
    pub date: Option<String>,
    /// Its `WARC-Target-URI`: the URL of the document.
    pub url: Option<String>,
}

/// A record, as the thread that reads passes it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRecord {
    /// Its place.
    pub place: RecordPlace,
    /// The media type of its block; `None` if the block is an HTTP response.
    pub(super) media_type: Option<String>,
    /// The media type of the container in it, if it is one.
    pub inner: Option<&'static str>,
    /// Its block describes another record, in JSON.
    pub is_description: bool,
}

/// A range of a container. The concatenated ranges are the file, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// All its bytes: the document, and what the container puts around it.
    pub bytes: SharedBytes,
    /// Its offset in the file.
    pub at: u64,
    /// The number of lines of the file before it. LF, CRLF and a lone CR end a line.
    pub n_lines: u64,
    /// The span in `bytes` of the document or container, encoded or not; `None` for bytes without
    /// one.
    pub unit: Option<Range<usize>>,
    /// The span in `bytes` of the number that counts bytes, if there is one and it is correct: in
    /// an mbox and MMDF the value of `Content-Length`, which counts the message from
    /// [`body_start`](super::length::body_start) on; in an emlx the first line without its line
    /// end, blanks included, which counts the whole message.
    /// [`rewritten`](super::length::rewritten) updates it.
    pub length: Option<Range<usize>>,
    /// True if the line before the separator of the message is not empty: in an mbox such a
    /// separator counts if it has a full date, or the number of an archive of Usenet, and a header
    /// field follows.
    pub follows_text: bool,
    /// Its defect, if it has one.
    pub fault: Option<Fault>,
    /// The record that contains the document, in a container of records. `bytes` is its block,
    /// `at` its offset.
    pub record: Option<Box<FoundRecord>>,
    /// Its range in the file if it is a container that is read from there: then it has no bytes.
    pub stream: Option<Range<u64>>,
    /// The reason why a record cannot be read, if it cannot.
    pub broken: Option<Broken>,
    /// The member that it is, in a container of members, if something is to be said about it.
    pub member: Option<Arc<PieceMember>>,
    /// True for the last piece, if it says something about the others
    /// ([`Container::tail`](super::Container::tail)).
    pub is_tail: bool,
}

/// A named member of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceMember {
    /// Its name, a path with slashes.
    pub name: String,
    /// Its type.
    pub file_type: FileType,
    /// What the container says about it.
    pub fact: PieceFact,
    /// True if a signature in the container covers it.
    pub is_signed: bool,
    /// The base of its hyperlinks, if it is not that of other references.
    pub hyperlink_base: Option<Arc<str>>,
    /// True if it counts as a document: of a package, only the first one does.
    pub is_counted: bool,
}

/// The reason why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The words for it.
    pub reason: String,
}

/// The pieces of a container that is only read.
pub type PieceReader = Box<dyn Iterator<Item = io::Result<Piece>>>;

impl Piece {
    /// Returns the piece of a record of a file that begins at an offset in another one.
    pub(super) fn moved(mut self, start: u64) -> Self {
        self.at += start;
        if let Some(record) = &mut self.record {
            record.place.offset += start;
        }
        self
    }

    /// Returns the piece for the block of a record at this offset.
    pub(super) fn of_record(at: u64, block: Vec<u8>, record: Option<Box<FoundRecord>>) -> Self {
        Piece { unit: Some(0..block.len()), record, ..Piece::without_document(at, block) }
    }

    /// Returns the piece for bytes at this offset.
    pub(super) fn without_document(at: u64, bytes: Vec<u8>) -> Self {
        Piece {
            bytes: bytes.into(),
            at,
            n_lines: 0,
            unit: None,
            length: None,
            follows_text: false,
            fault: None,
            record: None,
            stream: None,
            broken: None,
            member: None,
            is_tail: false,
        }
    }
}

/// The end of a piece, and its contents; offsets are relative to its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The end of the piece.
    pub end: usize,
    /// See [`Piece::unit`].
    pub unit: Option<Range<usize>>,
    /// See [`Piece::length`].
    pub length: Option<Range<usize>>,
    /// See [`Piece::follows_text`].
    pub follows_text: bool,
    /// See [`Piece::fault`].
    pub fault: Option<Fault>,
}

/// Finds the pieces of one file.
pub trait Cutter {
    /// Returns the end of the piece with which the window begins, and its contents; `None` at the
    /// end of the file. Reads no more than is necessary to find it.
    ///
    /// A document that is longer than [`Window::most`] is not read to its end, since it would be in
    /// memory: the piece ends early, without a unit and with [`Fault::TooLarge`], and so do the
    /// pieces after it, without a fault, up to the start of the next document. Text without a
    /// document is cut into pieces too.
    ///
    /// # Errors
    ///
    /// Those of the window.
    fn cut(&mut self, window: &mut Window<'_>) -> io::Result<Option<Cut>>;
}

/// Finds the only piece of a file that is one document, encoded or not. A file that exceeds the
/// limit is cut into several pieces without a document.
#[derive(Debug, Default)]
pub struct OnePiece {
    is_too_large: bool,
}

impl Cutter for OnePiece {
    fn cut(&mut self, window: &mut Window<'_>) -> io::Result<Option<Cut>> {
        while !self.is_too_large && window.rest().len() <= window.most() && window.more()? {}
        if !window.reach(1)? {
            return Ok(None);
        }
        let end = window.rest().len();
        if self.is_too_large {
            return Ok(Some(Cut { end, ..Cut::default() }));
        }
        if end > window.most() {
            self.is_too_large = true;
            return Ok(Some(Cut { end, fault: Some(Fault::TooLarge), ..Cut::default() }));
        }
        Ok(Some(Cut { end, unit: Some(0..end), ..Cut::default() }))
    }
}

/// The pieces of a container, in the order of the file.
///
/// ```
/// # use relink::container::{Mbox, Pieces};
/// let file = b"From - Thu Aug 23 09:10:23 2018\nSubject: 1\n\nOne\n\nFrom - Thu Aug 23 09:10:24 2018\nSubject: 2\n\nTwo\n";
/// let mut messages = Vec::new();
/// for piece in Pieces::new(&Mbox, &file[..]) {
///     let piece = piece?;
///     messages.push(piece.bytes[piece.unit.unwrap()].to_vec());
/// }
/// assert_eq!(messages, [b"Subject: 1\n\nOne\n", b"Subject: 2\n\nTwo\n"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// An item is an error if reading fails; it is the last one.
pub struct Pieces<'r> {
    window: Window<'r>,
    cutter: Box<dyn Cutter>,
    at: u64,
    lines: LineCount,
    is_done: bool,
}

impl<'r> Pieces<'r> {
    /// Returns the pieces of the bytes of a reader. The reader need not be buffered.
    pub fn new(container: &dyn Container, reader: impl Read + 'r) -> Self {
        Pieces::with_chunk(container, reader, CHUNK)
    }

    /// The same, with another number of bytes that are read at once instead of 1 MiB. The pieces
    /// are the same, except that bytes without a document may be cut elsewhere.
    pub fn with_chunk(container: &dyn Container, reader: impl Read + 'r, chunk: usize) -> Self {
        Pieces::by(container.cutter(), reader, chunk)
    }

    pub(super) fn by(cutter: Box<dyn Cutter>, reader: impl Read + 'r, chunk: usize) -> Self {
        let window = Window::new(reader, chunk);
        Pieces { window, cutter, at: 0, lines: LineCount::default(), is_done: false }
    }

    /// The same, with a limit of `most` bytes for a document: in an mbox, and in a container of
    /// one encoded document, a longer one is cut like bytes without a document; any other container
    /// ends with an error, whose text is `reason`.
    pub fn within(mut self, most: usize, reason: String) -> Self {
        self.window.limit(most, reason);
        self
    }

    fn read(&mut self) -> io::Result<Option<Piece>> {
        let cut = self.cutter.cut(&mut self.window)?;
        let Some(Cut { end, unit, length, follows_text, fault }) = cut else { return Ok(None) };
        let bytes = self.window.take(end)?;
        let (at, n_lines) = (self.at, self.lines.n_ended());
        self.at += bytes.len() as u64;
        self.lines.pass(&bytes);
        Ok(Some(Piece {
            bytes,
            at,
            n_lines,
            unit,
            length,
            follows_text,
            fault,
            record: None,
            stream: None,
            broken: None,
            member: None,
            is_tail: false,
        }))
    }
}

impl Iterator for Pieces<'_> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let item = self.read().transpose();
        self.is_done = !matches!(item, Some(Ok(_)));
        item
    }
}
