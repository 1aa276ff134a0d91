//! Header fields, with their positions (RFC 822 3.1, 3.2; RFC 5322 2.2).
//!
//! Encoded words in them (RFC 2047): programs cut a text anywhere, also in the middle of a
//! character, so that words of one charset and encoding must be joined before they are decoded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use layers::{Span, base64};
use urlcore::escape::percent_decode;

use crate::message::Defect;

/// A header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, without white space before its colon.
    pub name: Span,
    /// The value: from the colon to the last line end, without white space around it, but with
    /// folds in it.
    pub value: Span,
    /// True if the value is too long to be read.
    is_long: bool,
}

impl Field {
    /// Returns true if the field has the given name, ignoring case.
    pub fn is_named(&self, name: &str, bytes: &[u8]) -> bool {
        self.name.slice(bytes).eq_ignore_ascii_case(name.as_bytes())
    }

    /// Returns the raw value, if it is not too long to be read.
    pub fn short_value<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        (!self.is_long).then(|| self.value.slice(bytes))
    }

    /// Returns the value as text, with folds unfolded and encoded words (RFC 2047) decoded. Empty
    /// if the field is too long to be read.
    pub fn text(&self, bytes: &[u8]) -> String {
        let value = self.value.slice(bytes);
        if self.is_long {
            return String::new();
        }
        // The decoder of encoded words needs a whole field, and is not needed if there are none.
        if memchr::memmem::find(value, b"=?").is_some()
            && memchr::memmem::find_iter(value, b"=?").count() < 1000
        {
            let line = [b"x:", &*joined(value), b"\n"].concat();
            return mailparse::parse_header(&line)
                .map_or_else(|_| String::new(), |(field, _)| field.get_value());
        }
        unfolded(value)
    }

    /// Returns a parameter of the value, by its name in lower case (RFC 2045 5.1; RFC 2231), unless
    /// it is empty.
    pub fn param(&self, name: &str, bytes: &[u8]) -> Option<String> {
        let value = with_params(&self.text(bytes)).1.remove(name);
        value.filter(|value| !value.trim().is_empty())
    }

    /// Returns the time that the value gives, in seconds since 1970 (RFC 5322 3.3); `None` if it
    /// gives none.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::message::Message;
    ///
    /// let bytes = b"Date: Thu, 1 Jan 1970 01:00:07 +0100\n\n";
    /// let field = Message::read(bytes).entities[0].field("Date", bytes).copied();
    /// assert_eq!(field.and_then(|field| field.time(bytes)), Some(7));
    /// ```
    pub fn time(&self, bytes: &[u8]) -> Option<i64> {
        mailparse::dateparse(self.text(bytes).trim()).ok()
    }
}

/// Returns the first field with the given name, ignoring case.
pub(super) fn named<'f>(fields: &'f [Field], name: &str, bytes: &[u8]) -> Option<&'f Field> {
    fields.iter().find(|field| field.is_named(name, bytes))
}

/// Returns a value without its folds: line ends before white space are removed (RFC 5322 2.2.3).
fn unfolded(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    if !text.contains(['\r', '\n']) {
        return text.into_owned();
    }
    text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect()
}

/// Splits a field value into the value proper and its parameters (RFC 2045 5.1; RFC 2231), by their
/// names in lower case.
pub(super) fn with_params(text: &str) -> (String, BTreeMap<String, String>) {
    let read = mailparse::parse_content_type(text);
    let mut params = read.params;
    // One whose charset is not known, such as `ansi-x3.4-1968`: mailparse leaves it.
    let extended: Vec<String> = params.keys().filter(|name| name.ends_with('*')).cloned().collect();
    for name in extended {
        let value = params[&name].splitn(3, '\'').nth(2).map(percent_decode);
        let value = value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if let (Some(value), Some(plain)) = (value, name.strip_suffix('*')) {
            params.entry(plain.to_owned()).or_insert(value);
        }
    }
    (read.mimetype, params)
}

/// The content of a header section.
pub(super) struct HeaderSection {
    pub(super) fields: Vec<Field>,
    /// The offset of the body.
    pub(super) end: usize,
    /// The defects, with their offsets.
    pub(super) defects: Vec<(usize, Defect)>,
    /// The offset of the first line that is not a field, and the number of fields before it.
    stray: Option<(usize, usize)>,
    /// True if an empty line ends the section.
    is_ended: bool,
}

/// Reads the header section that begins at `start`. `is_end` returns true for the offset of a line
/// that ends the section although it is not empty: a delimiter. Fields that are longer than
/// `longest` bytes are not read.
pub(super) fn read(
    bytes: &[u8],
    start: usize,
    longest: usize,
    is_end: impl Fn(usize) -> bool,
) -> HeaderSection {
    let mut headers = HeaderSection {
        fields: Vec::new(),
        end: bytes.len(),
        defects: Vec::new(),
        stray: None,
        is_ended: false,
    };
    let mut at = start;
    loop {
        if at >= bytes.len() {
            headers.defects.push((bytes.len(), Defect::HeadersNotEnded));
            return headers;
        }
        if let Some(after) = after_line_end(bytes, at) {
            (headers.end, headers.is_ended) = (after, true);
            return headers;
        }
        if is_end(at) {
            // The line end before a delimiter belongs to the delimiter.
            headers.end = before_line_end(bytes, at).max(start);
            return headers;
        }
        let end = field_end(bytes, at, &is_end);
        headers.read_field(bytes, (at, end), longest);
        at = end;
    }
}

impl HeaderSection {
    /// Ends the section of an entity before the first line that is not a field, if the section has
    /// no field, or no empty line ends it: the text belongs to the body.
    pub(super) fn without_text(mut self) -> Self {
        if let Some((at, n_fields)) = self.stray
            && (self.fields.is_empty() || !self.is_ended)
        {
            self.fields.truncate(n_fields);
            self.end = at;
        }
        self
    }

    /// Reads the field between two offsets, including its line ends.
    fn read_field(&mut self, bytes: &[u8], (start, end): (usize, usize), longest: usize) {
        let raw = &bytes[start..end];
        // mailparse accepts no line ends of CR alone.
        let raw = if memchr::memchr(b'\n', raw).is_none() && memchr::memchr(b'\r', raw).is_some() {
            Cow::Owned(raw.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect())
        } else {
            Cow::Borrowed(raw)
        };
        let read = mailparse::parse_header(&raw).ok();
        let name = read.as_ref().map(|(field, _)| field.get_key_raw()).unwrap_or_default();
        let colon = name.len();
        if name.trim_ascii().is_empty() || raw.get(colon) != Some(&b':') {
            self.defects.push((start, Defect::NotAField));
            // The line of a mailbox before a message is no text.
            if !raw.starts_with(b"From ") && !raw.starts_with(b">From ") {
                self.stray.get_or_insert((start, self.fields.len()));
            }
            return;
        }
        let span = |from: usize, to: usize| {
            let text = &raw[from..to];
            let trimmed = text.trim_ascii();
            // An empty text is at its start: the line end after it may belong to a delimiter.
            let from = if trimmed.is_empty() { from } else { to - text.trim_ascii_start().len() };
            Span::new(start + from, start + from + trimmed.len())
        };
        let (name, value) = (span(0, colon), span(colon + 1, raw.len()));
        let is_long = value.len() > longest;
        if is_long {
            self.defects.push((start, Defect::LongField));
        }
        self.fields.push(Field { name, value, is_long });
    }
}

/// Returns the end of the field that begins at an offset: the start of the first line that does not
/// continue it, or that ends the header section.
fn field_end(bytes: &[u8], start: usize, is_end: impl Fn(usize) -> bool) -> usize {
    let mut at = line_end(bytes, start);
    while matches!(bytes.get(at), Some(b' ' | b'\t')) && !is_end(at) {
        at = line_end(bytes, at);
    }
    at
}

/// Returns the start of the next line: after LF, CRLF, or a CR without LF after it.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    match memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        Some(length) => after_line_end(bytes, at + length).unwrap_or(bytes.len()),
        None => bytes.len(),
    }
}

/// Returns the start of the line end before an offset.
pub(super) fn before_line_end(bytes: &[u8], at: usize) -> usize {
    [2, 1]
        .into_iter()
        .filter_map(|length| at.checked_sub(length))
        .find(|start| after_line_end(bytes, *start) == Some(at))
        .unwrap_or(at)
}

/// Returns the offset after the line end at an offset, if there is one.
pub(super) fn after_line_end(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'\r', Some(b'\n')) => Some(at + 2),
        (b'\n' | b'\r', _) => Some(at + 1),
        _ => None,
    }
}

/// An encoded word: `=?charset?encoding?text?=`.
struct Word<'v> {
    charset: &'v [u8],
    /// `b` or `q`.
    encoding: u8,
    text: &'v [u8],
    /// The offset after it.
    end: usize,
}

impl<'v> Word<'v> {
    /// Returns the word that begins at an offset.
    fn at(value: &'v [u8], at: usize) -> Option<Self> {
        let rest = value.get(at..)?.strip_prefix(b"=?")?;
        let (charset, rest) = rest.split_at(memchr::memchr(b'?', rest)?);
        let [b'?', encoding, b'?', text @ ..] = rest else { return None };
        let text = &text[..memchr::memmem::find(text, b"?=")?];
        let is_token = |part: &[u8]| part.iter().all(u8::is_ascii_graphic);
        let end = at + 2 + charset.len() + 3 + text.len() + 2;
        let word = Word { charset, encoding: encoding.to_ascii_lowercase(), text, end };
        (is_token(charset) && is_token(text)).then_some(word)
    }

    /// Returns true if another word is in the same charset and encoding. In UTF-7 each word has
    /// shifts of its own.
    fn continues(&self, other: &Word<'_>) -> bool {
        self.charset.eq_ignore_ascii_case(other.charset)
            && self.encoding == other.encoding
            && !self.charset.to_ascii_lowercase().ends_with(b"utf-7")
    }
}

/// Returns a value in which adjacent words of one charset and encoding are one word.
pub(super) fn joined(value: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Vec<u8> = Vec::new();
    // The end of what was copied.
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&value[at..], b"=?") {
        let start = at + found;
        let Some(first) = Word::at(value, start) else {
            at = start + 2;
            continue;
        };
        let (mut texts, mut end) = (vec![first.text], first.end);
        while let Some(next) = next(value, end).filter(|next| first.continues(next)) {
            texts.push(next.text);
            end = next.end;
        }
        if texts.len() > 1 {
            let text = match first.encoding {
                b'b' => base64::encode(&in_base64(&texts)),
                _ => texts.concat(),
            };
            out.extend_from_slice(&value[copied..start]);
            let parts = [b"=?", first.charset, b"?", &[first.encoding], b"?", &text, b"?="];
            out.extend_from_slice(&parts.concat());
            copied = end;
        }
        // Words that nothing separates are words too, as other programs read them.
        if Word::at(value, end).is_some() {
            out.extend_from_slice(&value[copied..end]);
            out.push(b' ');
            copied = end;
        }
        at = end;
    }
    match copied {
        0 => value.into(),
        _ => {
            out.extend_from_slice(&value[copied..]);
            out.into()
        }
    }
}

/// Returns the bytes of texts in base64, of which each may end in the middle of a group.
fn in_base64(texts: &[&[u8]]) -> Vec<u8> {
    let (mut bytes, mut group) = (Vec::new(), Vec::new());
    for (idx, text) in texts.iter().enumerate() {
        group.extend_from_slice(text);
        if group.len() % 4 == 0 || text.ends_with(b"=") || idx + 1 == texts.len() {
            bytes.extend(base64::decode(&group).bytes);
            group.clear();
        }
    }
    bytes
}

/// Returns the word that follows an offset, after white space if there is some.
fn next(value: &[u8], at: usize) -> Option<Word<'_>> {
    let rest = value.get(at..)?;
    let n_blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Word::at(value, at + n_blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_charset_and_encoding_are_joined() {
        for (value, expected) in [
            ("=?utf-8?Q?=C3?= =?UTF-8?q?=A9?=", "=?utf-8?q?=C3=A9?="),
            ("a =?utf-8?B?w6k=?=\r\n =?utf-8?B?w6k=?= b", "a =?utf-8?b?w6nDqQ==?= b"),
            ("=?x?q?a?= =?x?q?b?= =?y?q?c?= =?y?q?d?=", "=?x?q?ab?= =?y?q?cd?="),
            ("=?x?q?a?= =?x?b?Yg==?=", "=?x?q?a?= =?x?b?Yg==?="),
            ("=?x?q?a?==?x?q?b?=", "=?x?q?ab?="),
            ("=?x?q?a?==?y?b?Yg==?=", "=?x?q?a?= =?y?b?Yg==?="),
            ("=?utf-8?B?Y2Fmw6?= =?utf-8?B?k=?=", "=?utf-8?b?Y2Fmw6k=?="),
            ("=?x?q?a?= and =?x?q?b?=", "=?x?q?a?= and =?x?q?b?="),
            ("=?utf-7?q?+AGE-?= =?utf-7?q?+AGI-?=", "=?utf-7?q?+AGE-?= =?utf-7?q?+AGI-?="),
            ("=? =?x?q?a b?= =?x", "=? =?x?q?a b?= =?x"),
        ] {
            assert_eq!(String::from_utf8_lossy(&joined(value.as_bytes())), expected);
        }
    }
}
