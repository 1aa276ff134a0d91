//! Where raw text ends: HTML standard, sections 13.2.5.9 to 13.2.5.31.

pub(super) use basectx::raw_text::{end_of_script, end_of_text};

use super::key::Key;
use super::lex::Tag;

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
