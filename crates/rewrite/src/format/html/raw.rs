//! The end of raw text (HTML standard, sections 13.2.5.9 to 13.2.5.31).

pub(super) use basectx::raw_text::{end_of_script, end_of_text};

use super::key::Key;
use super::lex::Tag;

/// The kind of text after a start tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// Text up to the matching end tag.
    Text,
    /// Text up to the matching end tag, with the escapes of scripts.
    Script,
    /// Text up to the end of the document.
    Plain,
}

impl Raw {
    /// Returns the kind of text after a start tag with this name, if it is not markup.
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

    /// Returns the offset of the end tag of the text after `tag`. Without one the text extends to
    /// the end.
    #[inline]
    pub(super) fn end(self, input: &[u8], tag: &Tag) -> Option<usize> {
        match self {
            Raw::Plain => None,
            Raw::Text => end_of_text(input, tag.end, tag.name.slice(input)),
            Raw::Script => end_of_script(input, tag.end),
        }
    }
}
