//! The pieces of an MMDF mailbox: each message between lines of four bytes 1.
//!
//! Invariant: a piece that contains a message ends with the line that closes it, unless the file
//! ends before. A line `From ` that some programs put above the header section does not belong to
//! the message. A `Content-Length` does not determine the end of a message; it must fit.

use std::io;

use memchr::memmem::Finder;

use super::header_section::{self, FieldCount};
use super::lines::{after_line_end, is_after_line_end, line_end};
use super::mbox::{MAILBOX_INDEX, MAILBOX_MEDIA};
use super::separator::{self, Before, LOOK};
use super::sniff::{self, MARK};
use super::window::Window;
use super::{Container, ContainerForm, ContainerSpec, Cut, Fault};

/// A mark and its line end.
const LINE: usize = MARK.len() + 2;
/// Bytes outside of messages are cut if there are more of them.
const STRAY: usize = 1 << 20;

/// Messages between lines of four bytes 1.
#[derive(Clone, Copy, Debug)]
pub struct Mmdf;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/mmdf", "application/x-mmdf"],
    extensions: &["mmdf"],
    is_content: Some(sniff::is_mmdf),
    index: Some(MAILBOX_INDEX),
    ..ContainerSpec::new("message", ContainerForm::Many, MAILBOX_MEDIA)
};

impl Container for Mmdf {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn cutter(&self) -> Box<dyn super::Cutter> {
        Box::new(MmdfCutter::new())
    }
}

/// Finds the pieces.
struct MmdfCutter {
    needle: Finder<'static>,
    /// True if a mark has been seen.
    is_inside: bool,
    /// The number of bytes at the start that are known not to begin a mark.
    n_plain: usize,
    /// True if stray text has been reported.
    is_reported: bool,
}

impl MmdfCutter {
    fn new() -> Self {
        MmdfCutter { needle: Finder::new(MARK), is_inside: false, n_plain: 0, is_reported: false }
    }

    /// Cuts the text before the first mark.
    fn stray(&mut self, window: &mut Window<'_>) -> io::Result<Cut> {
        let line = (self.n_plain == 0).then_some(0);
        let found = self.find(window, self.n_plain, line, STRAY)?;
        self.n_plain = 0;
        let end = match found {
            Some(end) => end,
            None if window.rest().len() > STRAY => {
                // It must be known whether a line begins after the last of these bytes.
                self.n_plain = 1;
                STRAY - 1
            }
            None => window.rest().len(),
        };
        let is_text = window.rest()[..end].iter().any(|byte| !byte.is_ascii_whitespace());
        let fault = (is_text && !self.is_reported).then_some(Fault::Stray);
        self.is_reported |= is_text;
        Ok(Cut { end, fault, ..Cut::default() })
    }

    /// Finds the first line of a mark, from a byte on and before a limit. A line begins at
    /// `line`, if that is given.
    fn find(
        &self,
        window: &mut Window<'_>,
        start: usize,
        line: Option<usize>,
        limit: usize,
    ) -> io::Result<Option<usize>> {
        let mut at = start;
        loop {
            let end = window.rest().len().min(limit.saturating_add(LINE));
            let found = window.rest().get(at..end).and_then(|part| self.needle.find(part));
            if let Some(length) = found {
                let found = at + length;
                if found >= limit {
                    return Ok(None);
                }
                window.reach(found + LINE)?;
                let rest = window.rest();
                let is_line = line == Some(found) || is_after_line_end(rest, found);
                if is_line && mark_end(rest, found).is_some() {
                    return Ok(Some(found));
                }
                // No mark begins before the run of these bytes ends.
                let n_run = rest[found..].iter().take_while(|byte| **byte == MARK[0]).count();
                at = found + n_run;
            } else {
                at = at.max(end.saturating_sub(MARK.len() - 1));
                if at >= limit || !window.more()? {
                    return Ok(None);
                }
            }
        }
    }
}

impl super::Cutter for MmdfCutter {
    fn cut(&mut self, window: &mut Window<'_>) -> io::Result<Option<Cut>> {
        if !window.reach(1)? {
            return Ok(None);
        }
        window.reach(LINE)?;
        let opening = mark_end(window.rest(), 0).filter(|_| self.n_plain == 0);
        if opening.is_none() && !self.is_inside {
            return self.stray(window).map(Some);
        }
        self.is_inside = true;
        let mut start = opening.unwrap_or(0);
        let end = self.find(window, start, Some(start), usize::MAX)?;
        let rest = window.rest();
        let (message_end, is_closed) = end.map_or((rest.len(), false), |end| (end, true));
        let end = mark_end(rest, message_end).unwrap_or(rest.len());
        let is_blank = rest[start..message_end].iter().all(u8::is_ascii_whitespace);
        // After a closing line comes an opening one; text between them is taken as a message too,
        // unless it is blank.
        if is_blank && (opening.is_none() || !is_closed) {
            return Ok(Some(Cut { end: message_end, ..Cut::default() }));
        }
        let message = &rest[..message_end];
        if message[start..].starts_with(b"From ") {
            let head = &message[start..message_end.min(start + LOOK)];
            start += separator::length(head, Before::Nothing).unwrap_or(0);
        }
        let mut cut = Cut { end, unit: Some(start..message_end), ..Cut::default() };
        if !is_closed {
            cut.fault = Some(Fault::NotClosed);
        }
        let header = header_section::read(message, start, true).unwrap_or_default();
        match (header.count, header.body) {
            (FieldCount::Number(number, digits), Some(body)) => {
                if number == (message_end - body) as u64 {
                    cut.length = Some(digits);
                } else {
                    cut.fault = Some(Fault::WrongLength);
                }
            }
            (FieldCount::Unclear, _) => cut.fault = Some(Fault::UnclearLength),
            _ => {}
        }
        Ok(Some(cut))
    }
}

/// Returns the end of the line of a mark that begins at a byte.
fn mark_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(MARK)?;
    match rest {
        [] => Some(bytes.len()),
        _ => after_line_end(rest, 0).map(|_| line_end(bytes, at)),
    }
}
