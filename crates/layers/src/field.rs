//! The layer of header field values: folds (RFC 5322 2.2.3) and encoded words (RFC 2047), as far as
//! URLs need them.
//!
//! Invariant: new text is plain ASCII without white space, so that every reader reads it unchanged
//! (RFC 2557 4.4). Characters of an encoded word that are not allowed in URLs are shown as
//! percent-escapes, so that the word can be replaced by the text that it represents.

use std::fmt::Write as _;

use crate::map::{Builder, Decoded};
use crate::units::MapUnit;
use crate::{Charset, Span, Unliftable, base64};

/// The treatment of white space in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// White space is kept; only the line ends of folds are removed.
    Kept,
    /// White space is removed everywhere: the value consists of URLs and delimiters (1996 5.1.1;
    /// RFC 2017 3.1; RFC 2557 4.4.3).
    Dropped,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Decodes a value.
///
/// # Examples
///
/// ```
/// use relink_layers::field::{Blanks, decode};
/// let raw = b"http://h/=?utf-8?Q?a=C3=A9?=\r\n =?us-ascii?B?Yg==?=/c";
/// assert_eq!(decode(raw, Blanks::Dropped).text, "http://h/a%C3%A9b/c");
/// assert_eq!(decode(b"5;\r\n url=x", Blanks::Kept).text, "5; url=x");
/// ```
pub fn decode(raw: &[u8], blanks: Blanks) -> Decoded<'_> {
    let may_hold_words = memchr::memmem::find(raw, b"=?").is_some();
    let is_as_it_is =
        |byte: &u8| byte.is_ascii_graphic() || (*byte == b' ' && blanks == Blanks::Kept);
    if !may_hold_words
        && raw.iter().all(is_as_it_is)
        && let Ok(text) = std::str::from_utf8(raw)
    {
        return Decoded::plain(text);
    }
    let mut builder = Builder::with_capacity(raw.len());
    let (mut at, mut is_after_word) = (0, false);
    while at < raw.len() {
        let n_blanks = raw[at..].iter().take_while(|byte| is_blank(**byte)).count();
        if n_blanks > 0 {
            let end = at + n_blanks;
            // White space between encoded words is not part of the text (RFC 2047 6.2).
            let is_between = is_after_word && word(raw, end).is_some();
            drop_blanks(
                raw,
                Span::new(at, end),
                blanks == Blanks::Dropped || is_between,
                &mut builder,
            );
            at = end;
            is_after_word &= is_between;
            continue;
        }
        is_after_word = false;
        if let Some((end, text)) = word(raw, at) {
            builder.unit(Span::new(at, end), &text);
            at = end;
            is_after_word = true;
            continue;
        }
        let is_end = |idx: &usize| is_blank(raw[*idx]) || raw[*idx..].starts_with(b"=?");
        let end = (at + 1..raw.len()).find(is_end).unwrap_or(raw.len());
        Charset::UTF_8.decode_onto(raw, Span::new(at, end), &mut builder);
        at = end;
    }
    builder.finish()
}

/// Appends white space to the builder: none of it, or all but its line ends.
fn drop_blanks(raw: &[u8], span: Span, drops_all: bool, builder: &mut Builder) {
    let mut at = span.start;
    while at < span.end {
        let is_dropped = |byte: u8| drops_all || matches!(byte, b'\r' | b'\n');
        let is_here = is_dropped(raw[at]);
        let end = (at..span.end).find(|idx| is_dropped(raw[*idx]) != is_here).unwrap_or(span.end);
        if is_here {
            builder.unit(Span::new(at, end), "")
        } else {
            // Blanks are ASCII.
            builder.plain(std::str::from_utf8(&raw[at..end]).unwrap_or_default())
        }
        at = end;
    }
}

/// Returns the end of the encoded word that begins at an offset, and the text that it represents
/// (RFC 2047 2).
fn word(raw: &[u8], at: usize) -> Option<(usize, String)> {
    let inner = raw[at..].strip_prefix(b"=?")?;
    let is_end = |byte: &u8| *byte == b'?' || is_blank(*byte);
    let charset = &inner[..inner.iter().position(is_end)?];
    let inner = inner[charset.len()..].strip_prefix(b"?")?;
    let (encoding, inner) = inner.split_first()?;
    let inner = inner.strip_prefix(b"?")?;
    let text = &inner[..inner.iter().position(is_end)?];
    let rest = inner[text.len()..].strip_prefix(b"?=")?;
    // A language may follow the charset (RFC 2231 5).
    let label = charset.split(|byte| *byte == b'*').next()?;
    let charset = Charset::for_label(label)?;
    let bytes = match encoding {
        b'B' | b'b' => base64::decode(text).bytes,
        b'Q' | b'q' => unquoted(text),
        _ => return None,
    };
    let mut shown = String::with_capacity(bytes.len());
    for byte in charset.decode(&bytes).text.bytes() {
        match byte {
            b'!'..=b'~' => shown.push(char::from(byte)),
            // Writing to memory does not fail.
            _ => write!(shown, "%{byte:02X}").unwrap_or_default(),
        }
    }
    Some((raw.len() - rest.len(), shown))
}

/// Decodes the encoding `Q` (RFC 2047 4.2).
fn unquoted(text: &[u8]) -> Vec<u8> {
    let digit = |idx: usize| text.get(idx).and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match (byte, digit(at), digit(at + 1)) {
            (b'=', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 2;
            }
            (b'_', ..) => bytes.push(b' '),
            (byte, ..) => bytes.push(*byte),
        }
    }
    bytes
}

/// Returns true if an edit next to a unit must include it: an encoded word is recognized only
/// between white space, and if white space is kept, it is part of the text only if it is not
/// between such words.
pub(crate) fn is_joined(raw: &[u8], unit: &MapUnit, blanks: Blanks) -> bool {
    unit.raw.slice(raw).starts_with(b"=?") || (blanks == Blanks::Kept && unit.decoded.is_empty())
}

/// Writes a text, which must be such that every reader reads it unchanged.
pub(crate) fn encode(text: &str, blanks: Blanks, out: &mut String) -> Result<(), Unliftable> {
    let is_plain =
        |char: &char| char.is_ascii_graphic() || (*char == ' ' && blanks == Blanks::Kept);
    if let Some(char) = text.chars().find(|char| !is_plain(char)) {
        return Err(Unliftable::Unencodable(char));
    }
    out.push_str(text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, Edits, Guards, Layer};

    #[track_caller]
    fn shows(raw: &str, expected: &str) {
        assert_eq!(decode(raw.as_bytes(), Blanks::Dropped).text, expected, "{raw:?}");
    }

    #[test]
    fn blanks_and_words_are_read() {
        shows("http://h/a", "http://h/a");
        shows("http://h/\r\n a\t b", "http://h/ab");
        shows("=?us-ascii?Q?http=3A//h/?=\r\n =?us-ascii?q?a=20b_c?=", "http://h/a%20b%20c");
        shows("=?iso-8859-1*en?Q?caf=E9?=", "caf%C3%A9");
        shows("é", "é");
        // These are not encoded words.
        shows("a=?b", "a=?b");
        shows("=?utf-8?X?a?=", "=?utf-8?X?a?=");
        shows("=?utf-8?Q?a?", "=?utf-8?Q?a?");
        shows("=?utf-8?Q?a b?=", "=?utf-8?Q?ab?=");
        shows("=?klingon?Q?a?=", "=?klingon?Q?a?=");
        assert_eq!(decode(b"a\r\n b =?us-ascii?Q?c?= d", Blanks::Kept).text, "a b c d");
        assert_eq!(decode(b"a\xE9", Blanks::Dropped).text, "a%E9");
    }

    #[track_caller]
    fn writes(raw: &str, find: &str, new: &str, expected: Result<&str, Unliftable>) {
        let layer = Layer::Field(Blanks::Dropped);
        let decoded = layer.decode(raw.as_bytes(), Charset::UTF_8);
        let start = decoded.text.find(find).unwrap();
        let span = Span::new(start, start + find.len());
        let edit = Edit { span, text: new.as_bytes().into(), id: 0 };
        let guards = Guards::default();
        let lifted = layer.lift(raw.as_bytes(), Charset::UTF_8, &decoded, &[edit], guards);
        let found = match lifted.refused.first() {
            Some((_, reason)) => Err(*reason),
            None => Ok(Edits::new(lifted.edits, raw.len()).unwrap().apply(raw.as_bytes())),
        };
        assert_eq!(found, expected.map(|text| text.as_bytes().to_vec()), "{raw:?}");
    }

    #[test]
    fn an_edit_replaces_the_words_that_it_touches() {
        writes("a/\r\n b", "a/", "http://h/a/", Ok("http://h/a/\r\n b"));
        writes("../a/\r\n b", "..", "http://h", Ok("http://h/a/\r\n b"));
        let words = "=?utf-8?Q?=2E./=C3=A9/?=\r\n =?utf-8?Q?b?=";
        writes(words, "..", "http://h", Ok("http://h/%C3%A9/\r\n =?utf-8?Q?b?="));
        writes("x/é", "x/é", "y", Ok("y"));
        writes("x", "x", "é", Err(Unliftable::Unencodable('é')));
        writes("x", "x", "a b", Err(Unliftable::Unencodable(' ')));
    }
}
