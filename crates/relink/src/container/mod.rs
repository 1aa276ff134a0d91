//! Containers: files that contain messages one after another, or one message with additional data.
//!
//! Invariant: the concatenated pieces of a file are the file, byte for byte, whatever it contains.
//! At most one piece is in memory, and the bytes that had to be read to find its end. Nothing is
//! unquoted: `>From ` stays as it is written.

mod emlx;
mod heading;
pub mod length;
mod lines;
pub mod maildir;
mod mbox;
mod mmdf;
mod separator;
pub mod sniff;
mod window;

use std::io::{self, Read};
use std::ops::Range;

use lines::Lines;
use window::Window;

/// The number of octets that are read at once.
const CHUNK: usize = 1 << 20;

/// The format of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Messages that each begin with a line `From ` (RFC 4155): mboxo, mboxrd, mboxcl and mboxcl2.
    Mbox,
    /// Messages between lines of four octets 1.
    Mmdf,
    /// One message of Apple Mail, between its length and a property list.
    Emlx,
}

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
    /// A message that exceeds the limit.
    TooLarge,
}

impl Fault {
    /// Returns the description for messages.
    pub const fn words(self) -> &'static str {
        match self {
            Fault::WrongLength => "the length that it tells is wrong",
            Fault::UnclearLength => "the length that it tells is no number, or there are several",
            Fault::NoLength => "it does not begin with a length",
            Fault::NotClosed => "the line that ends it is missing",
            Fault::Stray => "text that is in no message",
            Fault::TooLarge => "a message that is too large",
        }
    }
}

/// A range of a container. The concatenated ranges are the file, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// All its bytes: the message, and what the container puts around it.
    pub bytes: Vec<u8>,
    /// Its offset in the file.
    pub at: u64,
    /// The number of lines of the file before it. LF, CRLF and a lone CR end a line.
    pub n_lines: u64,
    /// The span of the message in `bytes`; `None` for bytes without a message.
    pub message: Option<Range<usize>>,
    /// The span in `bytes` of the number that counts octets, if there is one and it is correct: in
    /// an mbox and MMDF the value of `Content-Length`, which counts the message from
    /// [`length::body_start`] on; in an emlx the first line without its line end, blanks included,
    /// which counts the whole message. [`length::rewritten`] updates it.
    pub length: Option<Range<usize>>,
    /// True if the line before the separator of the message is not empty: in an mbox such a
    /// separator counts if it has a full date, or the number of an archive of Usenet, and a header
    /// field follows.
    pub follows_text: bool,
    /// Its defect, if it has one.
    pub fault: Option<Fault>,
}

/// The end of a piece, and its contents; offsets are relative to its start.
#[derive(Default)]
struct Cut {
    end: usize,
    message: Option<Range<usize>>,
    length: Option<Range<usize>>,
    follows_text: bool,
    fault: Option<Fault>,
}

/// Finds the pieces of a container format.
enum Cutter {
    Mbox(mbox::Cutter),
    Mmdf(mmdf::Cutter),
    Emlx,
}

/// The pieces of a container, in the order of the file.
///
/// ```
/// # use relink::container::{Container, Pieces};
/// let file = b"From - Thu Aug 23 09:10:23 2018\nSubject: 1\n\nOne\n\nFrom - Thu Aug 23 09:10:24 2018\nSubject: 2\n\nTwo\n";
/// let mut messages = Vec::new();
/// for piece in Pieces::new(Container::Mbox, &file[..]) {
///     let piece = piece?;
///     messages.push(piece.bytes[piece.message.unwrap()].to_vec());
/// }
/// assert_eq!(messages, [b"Subject: 1\n\nOne\n", b"Subject: 2\n\nTwo\n"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// An item is an error if reading fails; it is the last one.
pub struct Pieces<R> {
    window: Window<R>,
    cutter: Cutter,
    at: u64,
    lines: Lines,
    is_done: bool,
}

impl<R: Read> Pieces<R> {
    /// Returns the pieces of the bytes of a reader. The reader need not be buffered.
    pub fn new(container: Container, reader: R) -> Self {
        Pieces::with_chunk(container, reader, CHUNK)
    }

    /// The same, with another number of octets that are read at once instead of 1 MiB. The pieces
    /// are the same, except that bytes without a message may be cut elsewhere.
    pub fn with_chunk(container: Container, reader: R, chunk: usize) -> Self {
        let cutter = match container {
            Container::Mbox => Cutter::Mbox(mbox::Cutter::new()),
            Container::Mmdf => Cutter::Mmdf(mmdf::Cutter::new()),
            Container::Emlx => Cutter::Emlx,
        };
        let window = Window::new(reader, chunk);
        Pieces { window, cutter, at: 0, lines: Lines::default(), is_done: false }
    }

    /// The same, with a limit of `most` octets for a message: in an mbox, a longer message is cut
    /// like bytes without a message; any other container ends with an error, whose text is
    /// `reason`.
    pub fn within(mut self, most: usize, reason: String) -> Self {
        self.window.limit(most, reason);
        self
    }

    fn read(&mut self) -> io::Result<Option<Piece>> {
        let window = &mut self.window;
        let cut = match &mut self.cutter {
            Cutter::Mbox(cutter) => cutter.cut(window)?,
            Cutter::Mmdf(cutter) => cutter.cut(window)?,
            Cutter::Emlx => emlx::cut(window)?,
        };
        let Some(Cut { end, message, length, follows_text, fault }) = cut else { return Ok(None) };
        let bytes = window.take(end)?;
        let (at, n_lines) = (self.at, self.lines.n_ended());
        self.at += bytes.len() as u64;
        self.lines.pass(&bytes);
        Ok(Some(Piece { bytes, at, n_lines, message, length, follows_text, fault }))
    }
}

impl<R: Read> Iterator for Pieces<R> {
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
