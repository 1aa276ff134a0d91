//! The charset of an HTML document: byte order mark, then the first `<meta>` that declares one, an
//! XML declaration, a guess from the bytes.
//!
//! Browsers look for a `<meta>` in the first 1,024 bytes (HTML standard, section 13.2.3.2,
//! "prescan"), and start over when the parser reaches another one, or a later one (section
//! 13.2.3.4, "changing the encoding").

use layers::Charset;
use memchr::{memchr, memmem};

use super::attributes::{is_module, text_slot};
use super::index::Key;
use super::lex::{self, Raw, Tag};

/// The number of bytes in which browsers look for a `<meta>`.
const PRESCAN: usize = 1024;

/// Returns the charset of a document without a byte order mark.
pub(crate) fn sniff(input: &[u8]) -> Charset {
    declared_charset(input).unwrap_or_else(|| Charset::detect(input, texts(input)))
}

/// Returns the charset that the start of a document without a byte order mark declares.
pub(crate) fn declared_charset(input: &[u8]) -> Option<Charset> {
    let head = &input[..input.len().min(PRESCAN)];
    utf_16_declaration(head).or_else(|| prescan(head)).or_else(|| xml_declaration(head))
}

/// Returns UTF-16 for an XML declaration in UTF-16 without a mark, whatever it declares. Browsers
/// recognize nothing else in UTF-16.
fn utf_16_declaration(head: &[u8]) -> Option<Charset> {
    match head {
        [b'<', 0, b'?', 0, b'x', 0, ..] => Charset::for_label(b"utf-16le"),
        [0, b'<', 0, b'?', 0, b'x', ..] => Charset::for_label(b"utf-16be"),
        _ => None,
    }
}

/// Returns the charset of an XML declaration, which counts if no `<meta>` declares one (HTML
/// standard 13.2.3.2, "get an XML encoding").
fn xml_declaration(head: &[u8]) -> Option<Charset> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let after = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let skip = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte <= b' ').count();
    let rest = &declaration[after..];
    let rest = rest[skip(rest)..].strip_prefix(b"=")?;
    let (quote, rest) = rest[skip(rest)..].split_first()?;
    let label = match quote {
        b'"' | b'\'' => &rest[..memchr(*quote, rest)?],
        _ => return None,
    };
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    Charset::for_label(label).map(readable)
}

/// Returns a declared charset, but never UTF-16: the declaration was readable as ASCII.
fn readable(declared: Charset) -> Charset {
    if declared.name().starts_with("UTF-16") { Charset::UTF_8 } else { declared }
}

/// Returns the text between tags and comments, without the texts of elements that contain
/// references: nothing in it is ever edited. Of other raw text only the part before the first `<`
/// is included, because in SVG a title may contain elements.
fn texts(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut tag, mut at, mut raw_end) = (Tag::default(), 0, 0);
    std::iter::from_fn(move || {
        let rest = input.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at + memchr(b'<', rest).unwrap_or(rest.len());
        let text = &input[at..start];
        if start < raw_end {
            at = raw_end;
            return Some(text);
        }
        let is_start_tag;
        (at, is_start_tag) = after_markup(input, start, &mut tag);
        if let Some(raw) = is_start_tag.then(|| Raw::after(tag.key)).flatten() {
            raw_end = raw.end(input, &tag).unwrap_or(input.len());
            if text_slot(input, &tag).is_some() || is_module(input, &tag) {
                at = raw_end;
            }
        }
        Some(text)
    })
}

/// Returns the offset after the tag or comment that begins at `start`, and true if it is a start
/// tag, which is left in `tag`.
fn after_markup(input: &[u8], start: usize, tag: &mut Tag) -> (usize, bool) {
    let rest = &input[start..];
    if rest.starts_with(b"<!--") {
        return (lex::comment(input, start).map_or(input.len(), |(_, end)| end), false);
    }
    let name = 1 + usize::from(rest.get(1) == Some(&b'/'));
    match rest.get(name) {
        Some(letter) if letter.is_ascii_alphabetic() => {}
        // A bogus comment, whatever its content.
        Some(mark) if name == 2 || matches!(mark, b'!' | b'?') => {
            return (memchr(b'>', rest).map_or(input.len(), |len| start + len + 1), false);
        }
        _ => return (start + 1, false),
    }
    if tag.lex(input, start + name) { (tag.end, name == 1) } else { (input.len(), false) }
}

fn prescan(head: &[u8]) -> Option<Charset> {
    let mut tag = Tag::default();
    let mut at = 0;
    while let Some(start) = memchr(b'<', &head[at..]).map(|idx| at + idx) {
        let rest = &head[start + 1..];
        at = start + 1;
        if rest.starts_with(b"!--") {
            // The two dashes of the start may also be those of the end.
            at = start
                + 4
                + memmem::find(&head[start + 4..], b"-->")
                    .or(memmem::find(&head[start + 2..], b"-->"))?;
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            if !tag.lex(head, start + 1) {
                return None;
            }
            at = tag.end;
            if let Some(charset) = (tag.key == Key::META).then(|| declared(&tag, head)).flatten() {
                return Some(charset);
            }
        } else if matches!(rest.first(), Some(b'!' | b'/' | b'?')) {
            at += memchr(b'>', rest)?;
        }
    }
    None
}

/// Returns the charset that a `<meta>` declares: `charset=…`, or `http-equiv=content-type` with
/// `content="…charset=…"`.
pub(super) fn declared(tag: &Tag, input: &[u8]) -> Option<Charset> {
    let value = |name: Key| tag.attribute(name).map(|attribute| attribute.value.slice(input));
    let label = match value(Key::CHARSET) {
        Some(label) => label,
        None if value(Key::HTTP_EQUIV)?.eq_ignore_ascii_case(b"content-type") => {
            in_content(value(Key::CONTENT)?)?
        }
        None => return None,
    };
    match readable(Charset::for_label(label)?) {
        charset if charset.name() == "x-user-defined" => Some(Charset::WINDOWS_1252),
        charset => Some(charset),
    }
}

/// Returns the label in `text/html; charset=label` (HTML standard, section 2.6.5).
fn in_content(content: &[u8]) -> Option<&[u8]> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += memmem::find(&lower[at..], b"charset")? + b"charset".len();
        let rest = content[at..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=") else { continue };
        let rest = rest.trim_ascii_start();
        return match rest.first()? {
            quote @ (b'"' | b'\'') => memchr(*quote, &rest[1..]).map(|len| &rest[1..=len]),
            _ => {
                let is_end = |byte: &u8| lex::is_space(*byte) || *byte == b';';
                Some(&rest[..rest.iter().position(is_end).unwrap_or(rest.len())])
            }
        };
    }
}
