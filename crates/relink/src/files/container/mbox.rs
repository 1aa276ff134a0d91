//! The pieces of an mbox (RFC 4155 and its variants: mboxo, mboxrd, mboxcl, mboxcl2).
//!
//! Invariant: a piece that contains a message begins with its separator line, and the next one
//! begins where it ends. A message is delimited as follows:
//!
//! * It begins after its separator line (the module `separator` has the rules for it).
//! * It ends before the next separator that comes after an empty line. That empty line belongs to
//!   the mailbox, as the last one of the file does, unless it is the one that ends the header
//!   section.
//! * It also ends before a separator that comes after the delimiter that closes its multipart, and
//!   before one of certain form that comes after any other line, a line of blanks included, in the
//!   body or in the header section. That line belongs to the message. The lines `From ` right after
//!   a separator belong to the header section.
//! * If its header section has one `Content-Length`, and after that many bytes of the body comes a
//!   separator or the end of the file, with at most two line ends between them, it ends there
//!   instead (mboxcl, mboxcl2), whatever the body contains. Otherwise the number is incorrect, and
//!   the separators count.
//!
//! A number of bytes never makes the cutter read more than [`LOOK_AHEAD`] of the file beyond the
//! separator that would end the message without it.

use std::cell::OnceCell;
use std::io;

use basectx::message::Message;
use memchr::memmem::Finder;
use rewrite::{Media, MessageFraming};

use super::header_section::{self, FieldCount, MessageHeader};
use super::length;
use super::lines::{after_line_end, before_line_end, is_after_line_end, line_end, line_start};
use super::separator::{self, Before, LOOK};
use super::window::Window;
use super::{Container, ContainerForm, ContainerSpec, Cut, Fault, sniff};

/// The maximum distance after the first separator to which a `Content-Length` may point.
const LOOK_AHEAD: usize = 64 << 20;
/// Bytes outside of messages are cut if there are more of them.
const STRAY: usize = 1 << 20;
/// The number of bytes that stay before a cut, so that an empty line before a separator is still
/// seen: two line ends.
const BEFORE: usize = 4;

/// Messages that each begin with a line `From ` (RFC 4155): mboxo, mboxrd, mboxcl and mboxcl2.
#[derive(Clone, Copy, Debug)]
pub struct Mbox;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/mbox"],
    extensions: &["mbox", "mbx"],
    is_content: Some(sniff::is_mbox),
    unsupported: Some(sniff::unsupported_mailbox),
    index: Some(MAILBOX_INDEX),
    is_content_with_index: Some(sniff::is_mbox_with_index),
    doubt: "has no empty line before its separator; it is read as a message because a header field follows",
    ..ContainerSpec::new("message", ContainerForm::Many, MAILBOX_MEDIA)
};

/// The media type of the messages of a mailbox.
pub(super) const MAILBOX_MEDIA: Option<Media> = Some(Media::Message(MessageFraming::Mailbox));

/// The index that Thunderbird keeps for a mailbox.
pub(super) const MAILBOX_INDEX: (&str, &str) = (
    ".msf",
    "outdated; its mailbox was changed; remove this index, and Thunderbird creates it again",
);

impl Container for Mbox {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn cutter(&self) -> Box<dyn super::Cutter> {
        Box::new(MboxCutter::new())
    }
}

/// The place of the cutter in the file.
enum State {
    /// At its start.
    Begin,
    /// In the text before the first separator. `is_first` is true if nothing of it has been cut.
    Stray { is_first: bool },
    /// At a separator. `follows_text` is true if the line before it is not empty.
    Message { follows_text: bool },
}

/// A separator that ends a message or the text before the first message.
#[derive(Clone, Copy)]
struct Next {
    /// Its offset in the window.
    at: usize,
    /// True if the line before it is not empty.
    follows_text: bool,
}

/// Finds the pieces.
struct MboxCutter {
    state: State,
    /// A line end and the start of a separator.
    needle: Finder<'static>,
    /// The style of the first separator, if it is one whose separators are recognized by it.
    style: Option<SeparatorStyle>,
}

/// A style of separators that need less evidence in a file that begins with one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SeparatorStyle {
    /// `From ` or `From - `, without a date.
    Bare,
    /// A number, in an archive of Usenet.
    Numbered,
}

impl SeparatorStyle {
    /// Returns the style of the separator that begins a file.
    fn of(text: &[u8]) -> Option<SeparatorStyle> {
        [SeparatorStyle::Bare, SeparatorStyle::Numbered]
            .into_iter()
            .find(|style| style.length(text, Before::Nothing).is_some())
    }

    /// Returns the length of the separator of this style that the text begins with.
    fn length(self, text: &[u8], before: Before) -> Option<usize> {
        match self {
            SeparatorStyle::Bare => separator::bare_length(text),
            SeparatorStyle::Numbered => separator::numbered_length(text, before),
        }
    }
}

/// The header section of the message that is being cut: its start, and the delimiter that closes
/// its multipart, once a line needs to be compared with it.
struct Section {
    /// A separator at this offset belongs to the header section.
    line: usize,
    /// The offset of the first field.
    start: usize,
    closing: OnceCell<Option<Vec<u8>>>,
}

impl Section {
    fn new(line: usize, start: usize) -> Self {
        Section { line, start, closing: OnceCell::new() }
    }

    /// Returns true if a line is the delimiter that closes the multipart of the message.
    fn is_closed_by(&self, line: &[u8], bytes: &[u8]) -> bool {
        if !line.starts_with(b"--") || !line.trim_ascii_end().ends_with(b"--") {
            return false;
        }
        let closing = self.closing.get_or_init(|| closing_delimiter(&bytes[self.start..]));
        closing.as_deref() == Some(line.trim_ascii_end())
    }
}

/// Returns the line that closes the multipart of a message (RFC 2046 5.1.1).
fn closing_delimiter(message: &[u8]) -> Option<Vec<u8>> {
    let header = &message[..length::body_start(message)];
    let read = Message::read(header);
    let content_type = &read.entities.first()?.content_type;
    let boundary = content_type.boundary.as_deref().filter(|_| content_type.is_multipart())?;
    (!boundary.is_empty()).then(|| [b"--", boundary.as_bytes(), b"--"].concat())
}

impl MboxCutter {
    fn new() -> Self {
        let needle = Finder::new(b"\nFrom ");
        MboxCutter { state: State::Begin, needle, style: None }
    }

    /// Returns the length of the separator that the text begins with, if there is one.
    fn separator(&self, text: &[u8], before: Before) -> Option<usize> {
        let of_style = || self.style.and_then(|style| style.length(text, before));
        separator::length(text, before).or_else(of_style)
    }

    /// Examines the start of the file.
    fn begin(&mut self, window: &mut Window<'_>) -> io::Result<Cut> {
        window.reach(LOOK)?;
        let head = &window.rest()[..window.rest().len().min(LOOK)];
        // The line ends of the old Macintosh.
        if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() {
            self.needle = Finder::new(b"\rFrom ");
        }
        let n_marks = if head.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let is_empty = |byte: &&u8| matches!(byte, b'\n' | b'\r');
        let n_before = n_marks + head[n_marks..].iter().take_while(is_empty).count();
        window.reach(n_before + LOOK)?;
        let text = &window.rest()[n_before..];
        self.style = SeparatorStyle::of(text);
        if separator::length(text, Before::Nothing).is_none() {
            self.state = State::Stray { is_first: true };
            return self.stray(window, true);
        }
        self.state = State::Message { follows_text: false };
        if n_before > 0 {
            return Ok(Cut { end: n_before, ..Cut::default() });
        }
        self.message(window)
    }

    /// Cuts the text before the first separator.
    fn stray(&mut self, window: &mut Window<'_>, is_first: bool) -> io::Result<Cut> {
        let end = if let Some(next) = self.find(window, &mut 0, None, STRAY)? {
            self.state = State::Message { follows_text: next.follows_text };
            next.at
        } else if window.rest().len() > STRAY {
            self.state = State::Stray { is_first: false };
            STRAY - BEFORE
        } else {
            window.rest().len()
        };
        let is_text = window.rest()[..end].iter().any(|byte| !byte.is_ascii_whitespace());
        let fault = (is_first && is_text).then_some(Fault::Stray);
        Ok(Cut { end, fault, ..Cut::default() })
    }

    /// Cuts the message of the next separator.
    fn message(&mut self, window: &mut Window<'_>) -> io::Result<Cut> {
        window.reach(LOOK)?;
        let start = line_end(window.rest(), 0);
        self.state = State::Message { follows_text: false };
        let MessageHeader { body, count } = loop {
            match header_section::read(window.rest(), start, window.is_end()) {
                Some(header) => break header,
                None => window.more()?,
            };
        };
        // The separator of the next message, where this one was cut off in its header section.
        let section_end = body.unwrap_or(window.rest().len().min(start + header_section::LONGEST));
        let fields = after_from_lines(window.rest(), start, section_end);
        let mut at = fields.saturating_sub(1);
        let limit = section_end.min(window.most());
        if let Some(next) = self.find(window, &mut at, Some(&Section::new(fields, start)), limit)? {
            self.state = State::Message { follows_text: next.follows_text };
            return Ok(Cut { end: next.at, unit: Some(start..next.at), ..Cut::default() });
        }
        if let Some(body) = body {
            at = body.saturating_sub(1);
        }
        let section = &Section::new(start, start);
        let mut cut = Cut::default();
        let mut next = None;
        match (count, body) {
            (FieldCount::Number(number, digits), Some(body)) => {
                let end = usize::try_from(number).ok().and_then(|number| body.checked_add(number));
                let end = end.filter(|end| *end <= window.most());
                if let Some(end) = end {
                    next =
                        self.find(window, &mut at, Some(section), end.saturating_sub(LOOK_AHEAD))?;
                    if next.is_none()
                        && let Some(after) = self.next_after(window, end)?
                    {
                        let (unit, length) = (Some(start..end), Some(digits));
                        return Ok(Cut { end: after, unit, length, ..Cut::default() });
                    }
                }
                cut.fault = Some(Fault::WrongLength);
            }
            (FieldCount::Unclear, _) => cut.fault = Some(Fault::UnclearLength),
            _ => {}
        }
        if next.is_none() {
            let most = window.most();
            next = self.find(window, &mut at, Some(section), most)?;
            if next.is_none() && window.rest().len() > most {
                // The rest is cut like the text before the first message, up to the next separator.
                self.state = State::Stray { is_first: false };
                let end = STRAY.min(most).saturating_sub(BEFORE).max(1);
                return Ok(Cut { end, fault: Some(Fault::TooLarge), ..Cut::default() });
            }
        }
        if let Some(next) = next {
            self.state = State::Message { follows_text: next.follows_text };
        }
        cut.end = next.map_or(window.rest().len(), |next| next.at);
        let rest = &window.rest()[..cut.end];
        let before = before_line_end(rest, cut.end);
        let is_empty_line = before == start || is_after_line_end(rest, before);
        let end = if is_empty_line { before } else { cut.end };
        cut.unit = Some(start..end.max(body.unwrap_or(start)));
        Ok(cut)
    }

    /// Finds the first separator from `at` on that is before `limit`, in the message with a header
    /// section, if that is given. Afterwards, the search continues at `at`.
    fn find(
        &self,
        window: &mut Window<'_>,
        at: &mut usize,
        section: Option<&Section>,
        limit: usize,
    ) -> io::Result<Option<Next>> {
        let line = section.map(|section| section.line);
        let n_needle = self.needle.needle().len();
        while *at < limit {
            let end = window.rest().len().min(limit.saturating_add(n_needle));
            let found = window.rest().get(*at..end).and_then(|part| self.needle.find(part));
            if let Some(length) = found {
                let found = *at + length + 1;
                if found >= limit {
                    break;
                }
                *at = found;
                let empty = before_line_end(window.rest(), found);
                let is_spaced = line == Some(empty) || is_after_line_end(window.rest(), empty);
                if is_spaced || line != Some(found) {
                    let is_closed = || {
                        let start = line_start(window.rest(), empty);
                        let last = &window.rest()[start..empty];
                        section.is_some_and(|section| section.is_closed_by(last, window.rest()))
                    };
                    let before = match is_spaced {
                        true => Before::EmptyLine,
                        false if is_closed() => Before::Closing,
                        false => Before::Text,
                    };
                    window.reach(found + LOOK)?;
                    if self.separator(&window.rest()[found..], before).is_some() {
                        return Ok(Some(Next { at: found, follows_text: !is_spaced }));
                    }
                }
            } else {
                // The start of a needle may be available already.
                *at = (*at).max(end.saturating_sub(n_needle - 1));
                if *at < limit && !window.more()? {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Finds the next separator, or the end of the file, if it follows a byte, or one or two line
    /// ends after it.
    fn next_after(&self, window: &mut Window<'_>, byte: usize) -> io::Result<Option<usize>> {
        const LINE_ENDS: usize = 4;
        window.reach(byte.saturating_add(LINE_ENDS + LOOK))?;
        let rest = window.rest();
        let mut at = byte;
        for _ in 0..3 {
            let Some(text) = rest.get(at..) else { break };
            let is_next =
                is_after_line_end(rest, at) && self.separator(text, Before::EmptyLine).is_some();
            if text.is_empty() || is_next {
                return Ok(Some(at));
            }
            let Some(after) = after_line_end(rest, at) else { break };
            at = after;
        }
        Ok(None)
    }
}

impl super::Cutter for MboxCutter {
    fn cut(&mut self, window: &mut Window<'_>) -> io::Result<Option<Cut>> {
        if !window.reach(1)? {
            return Ok(None);
        }
        match self.state {
            State::Begin => self.begin(window).map(Some),
            State::Stray { is_first } => self.stray(window, is_first).map(Some),
            State::Message { follows_text } => {
                let mut cut = self.message(window)?;
                cut.follows_text = follows_text && cut.unit.is_some();
                Ok(Some(cut))
            }
        }
    }
}

/// Returns the start of the first line from `start` on that does not begin with `From ` or `>From
/// `, at most `end`.
fn after_from_lines(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let line = &bytes[at..];
        if !line.strip_prefix(b">").unwrap_or(line).starts_with(b"From ") {
            break;
        }
        at = line_end(bytes, at);
    }
    at.min(end)
}
