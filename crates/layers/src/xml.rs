//! Escapes of XML: `&amp;`, `&#38;` and so on in attribute values and in text.
//!
//! Invariant: a unit's raw bytes are exactly one reference, or one white space character of an
//! attribute value that is read as a blank. Entities that a document declares are never expanded:
//! their references are kept as written. XML 1.0 (fifth edition), sections 2.11, 3.3.3 and 4.1.

use memchr::memchr;

use crate::Span;
use crate::charref::lookup_name;
use crate::map::{Builder, Decoded};

/// The place of an XML text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlPlace {
    /// Between `"` and `"`.
    DoubleQuoted,
    /// Between `'` and `'`.
    SingleQuoted,
    /// Text of an element, outside CDATA sections.
    Content,
}

/// The entity names that represent characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum XmlNames {
    /// `amp`, `lt`, `gt`, `quot` and `apos` (XML 4.6).
    #[default]
    Xml,
    /// The names of HTML, in documents that declare them by their document type (HTML standard,
    /// section 14.2).
    Html,
}

/// Decodes an attribute value or a text; borrows it if nothing is escaped.
///
/// # Examples
///
/// ```
/// use relink_layers::{XmlNames, XmlPlace, xml};
/// let decoded = xml::decode("a?b&amp;c&#x3d;\nd&e;", XmlPlace::DoubleQuoted, XmlNames::Xml);
/// assert_eq!(decoded.text, "a?b&c= d&e;");
/// ```
pub fn decode(raw: &str, place: XmlPlace, names: XmlNames) -> Decoded<'_> {
    let bytes = raw.as_bytes();
    let is_special = |byte: &u8| match byte {
        b'&' => true,
        b'\t' | b'\n' | b'\r' => place != XmlPlace::Content,
        _ => false,
    };
    let Some(mut next) = bytes.iter().position(is_special) else { return Decoded::plain(raw) };
    let mut builder = Builder::with_capacity(raw.len());
    let mut from = 0;
    loop {
        let mut buffer = [0; 4];
        let found = match bytes[next] {
            // An unknown reference is a unit too, so that no edit makes a different one of it.
            b'&' => reference(&raw[next..], names, &mut buffer).or_else(|| named(&raw[next..])),
            b'\r' if bytes.get(next + 1) == Some(&b'\n') => Some((2, " ")),
            _ => Some((1, " ")),
        };
        let mut at = next + 1;
        if let Some((len, text)) = found {
            builder.plain(&raw[from..next]);
            builder.unit(Span::new(next, next + len), text);
            at = next + len;
            from = at;
        }
        match bytes[at..].iter().position(is_special) {
            Some(found) => next = at + found,
            None => break,
        }
    }
    builder.plain(&raw[from..]);
    builder.finish()
}

/// Returns true if `raw` contains a reference to an entity that is not known here.
///
/// # Errors
///
/// The offset in bytes of the first `&` that begins no reference, or one to a character that does
/// not exist.
///
/// # Examples
///
/// ```
/// use relink_layers::{XmlNames, xml};
/// assert_eq!(xml::has_unknown_entity("a&amp;&copy;", XmlNames::Xml), Ok(true));
/// assert_eq!(xml::has_unknown_entity("a&amp;&copy;", XmlNames::Html), Ok(false));
/// assert_eq!(xml::has_unknown_entity("a=b&c=d", XmlNames::Xml), Err(3));
/// ```
pub fn has_unknown_entity(raw: &str, names: XmlNames) -> Result<bool, usize> {
    let mut has_unknown = false;
    for at in memchr::memchr_iter(b'&', raw.as_bytes()) {
        let rest = &raw[at..];
        if reference(rest, names, &mut [0; 4]).is_none() {
            if rest.starts_with("&#") || named(rest).is_none() {
                return Err(at);
            }
            has_unknown = true;
        }
    }
    Ok(has_unknown)
}

/// Returns the length of the reference at the start of `raw` (which begins with `&`), and the text
/// that it represents, if it is known.
fn reference<'t>(raw: &str, names: XmlNames, buffer: &'t mut [u8; 4]) -> Option<(usize, &'t str)> {
    /// The maximum length of a name, and of a number without its leading zeros, in bytes.
    const LONGEST: usize = 40;
    let bytes = raw.as_bytes();
    let end = memchr(b';', &bytes[..bytes.len().min(LONGEST)])?;
    let name = &raw[1..end];
    let text = match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => match name.strip_prefix('#') {
            Some(number) => {
                let (digits, radix) = match number.strip_prefix('x') {
                    Some(digits) => (digits, 16),
                    None => (number, 10),
                };
                let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
                let number = u32::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
                char::from_u32(number).filter(|char| is_char(*char))?.encode_utf8(buffer)
            }
            None if names == XmlNames::Html => lookup_name(&bytes[1..=end])?,
            None => return None,
        },
    };
    Some((end + 1, text))
}

/// Returns the length and the text of the reference at the start of `raw`, with any name, as
/// written.
fn named(raw: &str) -> Option<(usize, &str)> {
    let len = 1 + raw[1..].find(|char: char| char == ';' || char == '&' || char.is_whitespace())?;
    (raw.as_bytes()[len] == b';' && len > 1).then(|| (len + 1, &raw[..=len]))
}

/// Returns the offset at which an edit at `at` must begin so that a CR before it and an LF that
/// follows after the edit are not one line end.
pub(crate) fn joins(raw: &[u8], place: XmlPlace, at: usize) -> usize {
    let is_after_cr = place != XmlPlace::Content && at > 0 && raw[at - 1] == b'\r';
    at - usize::from(is_after_cr)
}

/// Writes `text` so that it is read unchanged in the given place.
///
/// # Errors
///
/// The first character that is not allowed in XML 1.0 (section 2.2).
pub(crate) fn encode(text: &str, place: XmlPlace, out: &mut String) -> Result<(), char> {
    for char in text.chars() {
        match char {
            _ if !is_char(char) => return Err(char),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // In text `]]>` is not allowed (XML 2.4), and in a processing instruction `>` could end
            // it.
            '>' => out.push_str("&gt;"),
            '"' if place == XmlPlace::DoubleQuoted => out.push_str("&quot;"),
            '\'' if place == XmlPlace::SingleQuoted => out.push_str("&apos;"),
            '\r' => out.push_str("&#13;"),
            '\t' if place != XmlPlace::Content => out.push_str("&#9;"),
            '\n' if place != XmlPlace::Content => out.push_str("&#10;"),
            _ => out.push(char),
        }
    }
    Ok(())
}

/// Returns true if a document may contain a character: XML 2.2, `Char`.
pub(crate) fn is_char(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}
