//! The single piece of an emlx file, in which Apple Mail keeps a message: a line with the length of
//! the message, the message, a property list.
//!
//! Invariant: the number counts if nothing, or the property list, follows the message of that
//! length. Otherwise the message ends before the property list at the end of the file, or with the
//! file.

use std::io;

use rewrite::{Media, MessageFraming};

use super::ContentError;
use super::header_section::number;
use super::length::rewritten;
use super::lines::{before_line_end, line_end};
use super::mbox::MAILBOX_INDEX;
use super::window::Window;
use super::{Container, ContainerForm, ContainerSpec, Cut, Cutter, Edited, Fault, Rebuilt};

/// One message of Apple Mail, between its length and a property list.
#[derive(Clone, Copy, Debug)]
pub struct Emlx;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["message/x-emlx"],
    extensions: &["emlx"],
    index: Some(MAILBOX_INDEX),
    ..ContainerSpec::new("message", ContainerForm::Many, Some(Media::Message(MessageFraming::None)))
};

impl Container for Emlx {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn cutter(&self) -> Box<dyn Cutter> {
        Box::new(OneMessage)
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        let Edited { piece, span, new, .. } = edited;
        let start = line_end(piece, 0);
        let digits = 0..before_line_end(piece, start);
        // Only a number on a line of its own, which was correct, counts the message.
        let number = rewritten(&piece[digits.clone()], span.len(), new.len())
            .filter(|_| span.start == start)
            .map(|text| (digits, text));
        Ok(Rebuilt::within(edited, number))
    }
}

/// Finds the only piece.
struct OneMessage;

impl Cutter for OneMessage {
    fn cut(&mut self, window: &mut Window<'_>) -> io::Result<Option<Cut>> {
        cut(window)
    }
}

/// Returns the end of the piece: the end of the file.
fn cut(window: &mut Window<'_>) -> io::Result<Option<Cut>> {
    while window.more()? {}
    let rest = window.rest();
    if rest.is_empty() {
        return Ok(None);
    }
    let end = rest.len();
    let start = line_end(rest, 0);
    let n_field = before_line_end(rest, start);
    let length = number(rest[..n_field].trim_ascii());
    let Some(length) = length else {
        let unit = Some(0..list_start(rest, 0).unwrap_or(end));
        let fault = Some(Fault::NoLength);
        return Ok(Some(Cut { end, unit, fault, ..Cut::default() }));
    };
    let list = list_start(rest, start).unwrap_or(end);
    let message_end = usize::try_from(length).ok().and_then(|number| start.checked_add(number));
    // Blanks between the message and the list belong to neither; a message may end like a list.
    let is_blank = |message_end: usize, end| {
        rest.get(message_end..end)
            .is_some_and(|between| between.iter().all(u8::is_ascii_whitespace))
    };
    if let Some(message_end) = message_end
        .filter(|message_end| is_blank(*message_end, list) || is_blank(*message_end, end))
    {
        return Ok(Some(Cut {
            end,
            unit: Some(start..message_end),
            length: Some(0..n_field),
            ..Cut::default()
        }));
    }
    let fault = Some(Fault::WrongLength);
    Ok(Some(Cut { end, unit: Some(start..list), fault, ..Cut::default() }))
}

/// Returns the start of the property list that ends the file, with its declaration and document
/// type.
fn list_start(bytes: &[u8], from: usize) -> Option<usize> {
    /// The maximum length of both together.
    const LONGEST: usize = 1000;
    let list = bytes.get(from..)?.trim_ascii_end();
    if !list.ends_with(b"</plist>") {
        return None;
    }
    let mut start = memchr::memmem::rfind(list, b"<plist")?;
    let floor = start.saturating_sub(LONGEST);
    for begin in [&b"<!DOCTYPE plist"[..], b"<?xml"] {
        // It must be the last text before the range that was found.
        if let Some(at) = memchr::memmem::rfind(&list[floor..start], begin) {
            let text = list[floor + at..start].trim_ascii_end();
            if memchr::memchr(b'>', text) == Some(text.len() - 1) {
                start = floor + at;
            }
        }
    }
    Some(from + start)
}
