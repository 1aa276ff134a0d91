//! Search for one byte. In markup the next one is usually so near that a call costs more than an
//! inline search.
//!
//! The end of raw text (HTML standard, sections 13.2.5.9 to 13.2.5.31).

use memchr::memchr;
use wide::u8x16;

use crate::format::html::key::Key;
use crate::format::html::lex::Tag;

/// The number of bytes that are searched inline before a call.
const NEAR: usize = 64;

/// Returns the offset of the first `byte` at or after `from`.
#[inline]
pub(super) fn find(input: &[u8], from: usize, byte: u8) -> Option<usize> {
    let rest = input.get(from..)?;
    let Some(near) = rest.first_chunk::<NEAR>() else {
        return rest.iter().position(|found| *found == byte).map(|idx| from + idx);
    };
    let wanted = u8x16::splat(byte);
    for (n, chunk) in near.as_chunks().0.iter().enumerate() {
        let marks = u8x16::new(*chunk).simd_eq(wanted).to_bitmask();
        if marks != 0 {
            return Some(from + 16 * n + marks.trailing_zeros() as usize);
        }
    }
    memchr(byte, &rest[NEAR..]).map(|idx| from + NEAR + idx)
}

pub(super) use basectx::raw_text::{end_of_script, end_of_text};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_memchr_finds() {
        for len in 0..150 {
            for at in 0..=len {
                let mut input = vec![b'a'; len];
                if let Some(byte) = input.get_mut(at) {
                    *byte = b'<';
                }
                input.extend(b"=<\x80\xFF;");
                for from in 0..=input.len() {
                    let expected = memchr(b'<', &input[from..]).map(|idx| from + idx);
                    assert_eq!(find(&input, from, b'<'), expected, "{len} {at} {from}");
                }
            }
        }
        assert_eq!(find(b"a", 2, b'a'), None);
    }
}
