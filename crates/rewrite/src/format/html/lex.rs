//! Tags and comments, lexed exactly as the HTML tokenizer does, with the span of every part.
//!
//! Invariant: spans are inside the input and in order; nothing is decoded here. HTML standard,
//! sections 13.2.5.6 to 13.2.5.40 (tags) and 13.2.5.43 to 13.2.5.52 (comments).

pub(super) use basectx::raw_text::{end_of_script, end_of_text};
use layers::{Quote, Span};
use memchr::memchr;
use wide::u8x16;

use super::index::Key;

/// One attribute of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// The name as it is written.
    pub(crate) name: Span,
    pub(crate) key: Key,
    /// The value without its quotes; empty, after the name or the `=`, if there is none.
    pub(crate) value: Span,
    pub(crate) quote: Quote,
}

/// A lexed tag; it is reused for every tag so that its list is allocated once.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    /// The name as it is written.
    pub(crate) name: Span,
    pub(crate) key: Key,
    /// The attributes in order, including duplicates, of which the first counts.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) is_self_closing: bool,
    /// The offset after the `>`.
    pub(crate) end: usize,
}

/// Returns true for white space of the tokenizer; CR counts as the LF that it is normalized to.
#[inline]
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

impl Tag {
    /// Lexes the tag whose name begins at `at`, after `<` or `</`. Returns false if the input ends
    /// first: then there is no tag.
    pub(crate) fn lex(&mut self, input: &[u8], at: usize) -> bool {
        self.lex_some(input, at, |_| true)
    }

    /// Lexes a tag and keeps only the attributes for which `is_kept` returns true.
    #[inline]
    pub(crate) fn lex_some(
        &mut self,
        input: &[u8],
        at: usize,
        is_kept: impl Fn(Key) -> bool,
    ) -> bool {
        self.attributes.clear();
        self.is_self_closing = false;
        let (len, key) = name::<TAG_NAME_END>(input, at);
        self.name = Span::new(at, at + len);
        self.key = key;
        let at = at + len;
        // Most end tags are only a name, and so are some of the others.
        if input.get(at) == Some(&b'>') {
            self.end = at + 1;
            return true;
        }
        self.attributes(input, at, is_kept)
    }

    /// Lexes what follows the name of a tag. Returns false if the input ends first.
    #[inline(never)] // In the loop over tags it would have no registers.
    fn attributes(&mut self, input: &[u8], at: usize, is_kept: impl Fn(Key) -> bool) -> bool {
        let mut at = at;
        loop {
            // "Before attribute name" state.
            at = skip_spaces(input, at);
            match input.get(at) {
                None => return false,
                Some(b'>') => {
                    self.end = at + 1;
                    return true;
                }
                Some(b'/') => {
                    self.is_self_closing = input.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                Some(_) => match attribute(input, at) {
                    None => return false,
                    Some((attribute, next)) => {
                        if is_kept(attribute.key) {
                            self.attributes.push(attribute);
                        }
                        at = next;
                    }
                },
            }
        }
    }

    /// Removes all but the first attribute of each name.
    pub(crate) fn drop_duplicates(&mut self, input: &[u8]) {
        let is_same = |a: &Attribute, b: &Attribute| {
            a.name.len() == b.name.len()
                && a.name.slice(input).eq_ignore_ascii_case(b.name.slice(input))
        };
        if self.attributes.len() <= 16 {
            let mut idx = 1;
            while idx < self.attributes.len() {
                let (before, rest) = self.attributes.split_at(idx);
                if before.iter().any(|other| is_same(other, &rest[0])) {
                    self.attributes.remove(idx);
                } else {
                    idx += 1;
                }
            }
            return;
        }
        let mut seen = std::collections::HashSet::with_capacity(self.attributes.len());
        self.attributes
            .retain(|attribute| seen.insert(attribute.name.slice(input).to_ascii_lowercase()));
    }

    /// Returns the attribute with this name, which must consist of letters and hyphens.
    pub(crate) fn attribute(&self, key: Key) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.key == key)
    }
}

/// The bytes that end the name of a tag: white space, `/` and `>`.
const TAG_NAME_END: u8 = 1;
/// The bytes that end the name of an attribute: the same, and `=`.
const NAME_END: u8 = 2;

/// The names that each byte ends.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    classes[b'=' as usize] = NAME_END;
    let both = b" \t\n\x0C\r/>";
    let mut idx = 0;
    while idx < both.len() {
        classes[both[idx] as usize] = TAG_NAME_END | NAME_END;
        idx += 1;
    }
    classes
};

/// Returns the offset after the tag whose name begins at `at`, if it is only a name.
#[inline]
pub(super) fn end_of_plain_tag(input: &[u8], at: usize) -> Option<usize> {
    let end = at + name::<TAG_NAME_END>(input, at).0;
    (input.get(end) == Some(&b'>')).then_some(end + 1)
}

/// Returns the length and the key of the name at `at`, that of a tag or of an attribute by the
/// bytes that end it. Its first byte is part of it, whatever it is: the name of an attribute may
/// begin with `=`, but not contain it later.
#[inline(always)] // Called from two places in the innermost loop.
fn name<const END: u8>(input: &[u8], at: usize) -> (usize, Key) {
    /// The bit that all letters have, and no byte that ends a name.
    const LETTERS: u64 = u64::from_ne_bytes([0x40; 8]);
    let ends = |byte: u8| CLASSES[usize::from(byte)] & END != 0;
    // Most names are a few letters.
    let mut n_letters = 1;
    if let Some(bytes) = input[at..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let others = !word & LETTERS;
        let len = others.trailing_zeros() as usize / 8;
        if (1..8).contains(&len) && ends((word >> (8 * len)).to_le_bytes()[0]) {
            return (len, Key::of_word(word, len));
        }
        n_letters = len.max(1);
    }
    let len = n_letters + skip(input, at + n_letters, |byte| !ends(byte));
    (len, Key::at(input, at, len))
}

/// Returns the number of bytes from `at` on for which `is` returns true.
fn skip(input: &[u8], at: usize, is: impl Fn(u8) -> bool) -> usize {
    let rest = &input[at..];
    rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
}

/// Returns the offset of the first byte at or after `at` that is not white space. There is usually
/// at most one.
#[inline]
fn skip_spaces(input: &[u8], at: usize) -> usize {
    let is_space_at = |at: usize| input.get(at).is_some_and(|byte| is_space(*byte));
    if !is_space_at(at) {
        return at;
    }
    if is_space_at(at + 1) { after_spaces(input, at + 2) } else { at + 1 }
}

/// Returns the offset of the first byte at or after `at` that is not white space.
#[inline(never)] // A loop inside of that over attributes takes registers from it.
fn after_spaces(input: &[u8], at: usize) -> usize {
    at + skip(input, at, is_space)
}

/// Returns the attribute that begins at `at`, and the offset after it; `None` if the input ends
/// inside.
#[inline(always)] // What it returns would be copied for each attribute.
fn attribute(input: &[u8], at: usize) -> Option<(Attribute, usize)> {
    let (len, key) = name::<NAME_END>(input, at);
    let name = Span::new(at, at + len);
    // Most values are in quotes, without white space before them.
    if let Some(&[b'=', quote @ (b'"' | b'\'')]) = input.get(name.end..name.end + 2) {
        return quoted(input, name, key, name.end + 1, quote);
    }
    let after = skip_spaces(input, name.end);
    if input.get(after) != Some(&b'=') {
        let value = Span::new(name.end, name.end);
        return Some((Attribute { name, key, value, quote: Quote::NameOnly }, name.end));
    }
    let start = skip_spaces(input, after + 1);
    match *input.get(start)? {
        quote @ (b'"' | b'\'') => quoted(input, name, key, start, quote),
        b'>' => Some((
            Attribute { name, key, value: Span::new(start, start), quote: Quote::Missing },
            start,
        )),
        _ => {
            let len = skip(input, start, |byte| !is_space(byte) && byte != b'>');
            let value = Span::new(start, start + len);
            Some((Attribute { name, key, value, quote: Quote::None }, value.end))
        }
    }
}

/// Returns the attribute whose value has its first quote at `start`, and the offset after the
/// second one.
#[inline]
fn quoted(
    input: &[u8],
    name: Span,
    key: Key,
    start: usize,
    quote: u8,
) -> Option<(Attribute, usize)> {
    let value = Span::new(start + 1, find(input, start + 1, quote)?);
    let quote = if quote == b'"' { Quote::Double } else { Quote::Single };
    Some((Attribute { name, key, value, quote }, value.end + 1))
}

/// Returns the span of the text of the comment whose `<!--` begins at `at`, and the offset after
/// its `>`; `None` if the input ends inside.
pub(crate) fn comment(input: &[u8], at: usize) -> Option<(Span, usize)> {
    let start = at + b"<!--".len();
    let rest = input.get(start..)?;
    // `<!-->` and `<!--->` are empty comments.
    for abrupt in [&b">"[..], b"->"] {
        if rest.starts_with(abrupt) {
            return Some((Span::new(start, start), start + abrupt.len()));
        }
    }
    let mut from = start;
    while let Some(close) = memchr(b'>', &input[from..]).map(|idx| from + idx) {
        for ending in [&b"--"[..], b"--!"] {
            if close - start >= ending.len() && input[start..close].ends_with(ending) {
                return Some((Span::new(start, close - ending.len()), close + 1));
            }
        }
        from = close + 1;
    }
    None
}

// Search for one byte. In markup the next one is usually so near that a call costs more than an
// inline search.
//
// The end of raw text (HTML standard, sections 13.2.5.9 to 13.2.5.31).

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
