//! Where raw text ends: HTML standard, sections 13.2.5.9 to 13.2.5.31.

use memchr::memchr;

use super::key::Key;
use super::lex::{self, Tag};

/// What the text after a start tag is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// To the matching end tag.
    Text,
    /// To the matching end tag, with the escapes of scripts.
    Script,
    /// To the end of the document.
    Plain,
}

impl Raw {
    /// What follows a start tag of this name, if it is no markup.
    #[inline]
    pub(super) fn after(name: Key) -> Option<Raw> {
        match name {
            Key::SCRIPT => Some(Raw::Script),
            Key::STYLE
            | Key::TITLE
            | Key::TEXTAREA
            | Key::NOSCRIPT
            | Key::IFRAME
            | Key::NOFRAMES
            | Key::NOEMBED
            | Key::XMP => Some(Raw::Text),
            Key::PLAINTEXT => Some(Raw::Plain),
            _ => None,
        }
    }

    /// The offset of the end tag of the text after `tag`. Without one the text goes to the end.
    #[inline]
    pub(super) fn end(self, input: &[u8], tag: &Tag) -> Option<usize> {
        match self {
            Raw::Plain => None,
            Raw::Text => end_of_text(input, tag.end, tag.name.of(input)),
            Raw::Script => end_of_script(input, tag.end),
        }
    }
}

/// Whether `</name` or `<name` is followed by what makes it a tag.
fn is_tag(input: &[u8], at: usize, name: &[u8]) -> bool {
    input.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && input
            .get(at + name.len())
            .is_some_and(|byte| lex::is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// The offset of the end tag of this name (HTML standard 13.2.5.9 to 13.2.5.14).
pub(super) fn end_of_text(input: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(start) = memchr(b'<', &input[at..]).map(|idx| at + idx) {
        if input.get(start + 1) == Some(&b'/') && is_tag(input, start + 2, name) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}

/// The offset of the end tag of a script, whose comments may hide one (HTML standard 13.2.5.15 to 13.2.5.31).
pub(super) fn end_of_script(input: &[u8], from: usize) -> Option<usize> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped,
        DoubleEscaped,
    }
    let mut state = State::Plain;
    let mut at = from;
    loop {
        let start = match state {
            State::Plain => at + memchr(b'<', &input[at..])?,
            State::Escaped | State::DoubleEscaped => {
                at + memchr::memchr2(b'<', b'-', &input[at..])?
            }
        };
        let rest = &input[start..];
        at = start + 1;
        match state {
            State::Plain if rest.starts_with(b"<!--") => {
                state = State::Escaped;
                // The dashes may be those of the end.
                at = start + 2;
            }
            State::Escaped | State::DoubleEscaped if rest.starts_with(b"-->") => {
                state = State::Plain;
                at = start + 3;
            }
            State::Plain | State::Escaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                return Some(start);
            }
            State::Escaped if rest.starts_with(b"<") && is_tag(input, start + 1, b"script") => {
                state = State::DoubleEscaped;
            }
            State::DoubleEscaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                state = State::Escaped;
            }
            _ => {}
        }
    }
}
