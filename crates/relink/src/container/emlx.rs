//! The single piece of an emlx file, in which Apple Mail keeps a message: a line with the length of
//! the message, the message, a property list.
//!
//! Invariant: the number counts if nothing, or the property list, follows the message of that
//! length. Otherwise the message ends before the property list at the end of the file, or with the
//! file.

use std::io::{self, Read};

use super::heading::number;
use super::lines::{before_line_end, line_end};
use super::window::Window;
use super::{Cut, Fault};

/// Returns the end of the piece: the end of the file.
pub(super) fn cut<R: Read>(window: &mut Window<R>) -> io::Result<Option<Cut>> {
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
        let message = Some(0..list_start(rest, 0).unwrap_or(end));
        let fault = Some(Fault::NoLength);
        return Ok(Some(Cut { end, message, fault, ..Cut::default() }));
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
            message: Some(start..message_end),
            length: Some(0..n_field),
            ..Cut::default()
        }));
    }
    let fault = Some(Fault::WrongLength);
    Ok(Some(Cut { end, message: Some(start..list), fault, ..Cut::default() }))
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
