//! `url from-path`, `to-path`, `escape` and `unescape`: file names and data in URLs, and the
//! inverse.
//!
//! Each is a function from bytes to bytes that is the same on every system.

use std::ffi::OsStr;

use urlcore::escape::{decode, encode};
use urlcore::local;

use super::{Answer, batch_of_bytes, print_answer};
use crate::cli::args::url::{EscapeArgs, FromPathArgs, ToPathArgs, UnescapeArgs};
use crate::events::{Events, Status};
use crate::plan::exit::Error;

/// Prints the `file` URL of a path.
pub(super) fn from_path(args: &FromPathArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let style = args.input.system.into();
    one_or_lines(events, args.path.as_deref(), |path| match local::url_of(path, style) {
        Ok(url) => Answer::found("url", url),
        Err(error) => Answer::none("none", error),
    })
}

/// Prints the path that a `file` URL identifies.
pub(super) fn to_path(args: &ToPathArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let style = args.input.system.into();
    one_or_lines(events, args.url.as_deref().map(OsStr::new), |url| {
        of_text(url, |url| match local::path_of(url, style) {
            Ok(path) => Answer::found("path", path),
            Err(error) => Answer::none("none", error),
        })
    })
}

/// Prints data as a component of a URL, or as a part of one.
pub(super) fn escape(args: &EscapeArgs, events: &mut dyn Events) -> Result<Status, Error> {
    one_or_lines(events, args.data.as_deref(), |data| {
        let mut text = String::with_capacity(data.len() + 16);
        encode(data, args.place.component, args.dialect, &mut text);
        Answer::found("text", text)
    })
}

/// Prints the data of a component of a URL, or of a part of one.
pub(super) fn unescape(args: &UnescapeArgs, events: &mut dyn Events) -> Result<Status, Error> {
    one_or_lines(events, args.text.as_deref(), |text| {
        of_text(text, |text| match decode(text, args.place.component) {
            Ok(data) => Answer::found("data", data),
            Err(error) => Answer::none("none", error),
        })
    })
}

/// Answers for one argument, or for the lines of standard input. In a batch, an answer that
/// contains a line end is refused: its reader could not find its end.
fn one_or_lines(
    events: &mut dyn Events,
    argument: Option<&OsStr>,
    mut act: impl FnMut(&[u8]) -> Answer,
) -> Result<Status, Error> {
    if let Some(argument) = argument {
        let answer = act(argument.as_encoded_bytes());
        return print_answer(&argument.to_string_lossy(), &answer, events);
    }
    let act = |line: &[u8]| {
        let answer = act(line);
        let has_line_end = answer.text.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        if has_line_end {
            Answer::none("none", "the answer contains a line end and does not fit on one line")
        } else {
            answer
        }
    };
    batch_of_bytes(act, events)
}

/// Answers for bytes that must be UTF-8.
fn of_text(bytes: &[u8], act: impl FnOnce(&str) -> Answer) -> Answer {
    match std::str::from_utf8(bytes) {
        Ok(text) => act(text),
        Err(_) => Answer::none("none", "not UTF-8"),
    }
}
