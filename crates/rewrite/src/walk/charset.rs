//! The charset of a document (HTML standard 13.2.3.2; CSS Syntax level 3, 3.2).

use layers::Charset;
use memchr::memchr;

use crate::format::html;
use crate::format::spec::{CharsetRule, FormatId};

/// Returns the charset of a document and the length of its byte order mark. A mark takes precedence
/// over a charset from outside, and that over a declaration in the document. In mail the mark may
/// be one of UTF-32.
pub(crate) fn detect(
    format: FormatId,
    bytes: &[u8],
    outer: Option<Charset>,
    is_mail: bool,
) -> (Charset, usize) {
    let marked = if is_mail { Charset::for_mail_bom(bytes) } else { Charset::for_bom(bytes) };
    let rule = format.spec().charset;
    if rule == CharsetRule::OnlyUtf8 {
        let is_marked = marked.is_some_and(|(charset, _)| charset == Charset::UTF_8);
        return (Charset::UTF_8, if is_marked { 3 } else { 0 });
    }
    if let Some(marked) = marked {
        return marked;
    }
    let outer = outer.filter(|_| rule != CharsetRule::Utf8);
    let charset = outer.unwrap_or_else(|| match rule {
        CharsetRule::Html => html::sniff(bytes),
        CharsetRule::Css => css_charset(bytes),
        CharsetRule::Xml => xml_charset(bytes),
        CharsetRule::Guess => Charset::detect(bytes, without_references(bytes)),
        CharsetRule::Utf8 | CharsetRule::OnlyUtf8 => Charset::UTF_8,
    });
    (charset, 0)
}

/// Returns the charset of an XML document without a mark: the declared one, or UTF-8 without a
/// declaration (XML 1.0, section 4.3.3 and appendix F).
fn xml_charset(bytes: &[u8]) -> Charset {
    let label: &[u8] = match bytes {
        [0, 0, 0, b'<', ..] => b"utf-32be",
        [b'<', 0, 0, 0, ..] => b"utf-32le",
        [0, b'<', 0, _, ..] => b"utf-16be",
        [b'<', 0, _, 0, ..] => b"utf-16le",
        _ => match declared_encoding(bytes) {
            // The declaration itself is readable as ASCII, so the document is not UTF-16.
            Some(label) if label.to_ascii_lowercase().starts_with(b"utf-16") => b"utf-8",
            Some(label) => label,
            None => b"utf-8",
        },
    };
    // A document in an unknown charset cannot be edited.
    Charset::for_mail_label(label)
        .or_else(|| Charset::for_label(b"replacement"))
        .unwrap_or(Charset::UTF_8)
}

/// Returns the encoding in an XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr::memmem::find(rest, b"?>")?];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration[at + b"encoding".len()..].trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    memchr(*quote, value).map(|end| &value[..end])
}

/// Returns the charset of a style sheet (CSS Syntax level 3, section 3.2). Without a declaration
/// the charset is guessed from its bytes.
fn css_charset(bytes: &[u8]) -> Charset {
    at_charset(bytes).unwrap_or_else(|| Charset::detect(bytes, outside_references(bytes)))
}

/// Returns the charset that a style sheet declares with `@charset`.
fn at_charset(bytes: &[u8]) -> Option<Charset> {
    let rest = bytes.strip_prefix(b"@charset \"")?;
    let label = rest.split(|byte| *byte == b'"').next()?;
    let charset = Charset::for_label(label).filter(|_| rest[label.len()..].starts_with(b"\";"))?;
    Some(if charset.name().starts_with("UTF-16") { Charset::UTF_8 } else { charset })
}

/// Returns the charset that a document declares itself: by a byte order mark, or as its format
/// declares one.
pub(crate) fn declared(format: FormatId, bytes: &[u8]) -> Option<Charset> {
    let rule = format.spec().charset;
    if let Some((charset, _)) = Charset::for_bom(bytes) {
        return Some(charset).filter(|_| rule != CharsetRule::OnlyUtf8);
    }
    match rule {
        CharsetRule::Html => html::declared_charset(bytes),
        CharsetRule::Css => at_charset(bytes),
        CharsetRule::Xml => declared_encoding(bytes).map(|_| xml_charset(bytes)),
        CharsetRule::Guess | CharsetRule::Utf8 | CharsetRule::OnlyUtf8 => None,
    }
}

/// Returns the parts of a style sheet outside of strings and `url()`, which contain no reference
/// (CSS Syntax level 3, section 4.3.1 and following).
fn outside_references(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (end, n_inside) = reference_in(rest);
        let piece = &rest[..end];
        rest = &rest[end + n_inside..];
        Some(piece)
    })
}

/// Returns the start of the first string or `url()` of a style sheet, and its length.
fn reference_in(bytes: &[u8]) -> (usize, usize) {
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| b"\\/\"'(".contains(byte)) {
        at += found;
        let after = &bytes[at + 1..];
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                return (at, 1 + until(after, &[quote, b'\n', b'\r', b'\x0C']));
            }
            b'(' if is_bare_url(&bytes[..at], after) => return (at, 1 + until(after, b")")),
            b'/' if after.starts_with(b"*") => {
                let end = memchr::memmem::find(&after[1..], b"*/");
                at = end.map_or(bytes.len(), |end| at + end + 4);
            }
            b'\\' => at = bytes.len().min(at + 2),
            _ => at += 1,
        }
    }
    (bytes.len(), 0)
}

/// Returns the length up to and including the first of some bytes that is not escaped.
fn until(bytes: &[u8], ends: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if ends.contains(byte) => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns true if a parenthesis opens a URL without quotes (section 4.3.4): a function name with
/// escapes may be `url`.
fn is_bare_url(before: &[u8], after: &[u8]) -> bool {
    let is_of_name =
        |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_\\".contains(byte) || **byte >= 0x80;
    let n_name = before.iter().rev().take(16).take_while(is_of_name).count();
    let name = &before[before.len() - n_name..];
    let first = after.iter().find(|byte| !byte.is_ascii_whitespace());
    (name.eq_ignore_ascii_case(b"url") || name.contains(&b'\\'))
        && !matches!(first, Some(b'"' | b'\''))
}

/// Returns the lines of plain text or Markdown that certainly contain no reference: in each
/// paragraph the lines before the first that has a character which every reference needs.
fn without_references(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut may_hold = false;
    bytes.split_inclusive(|byte| *byte == b'\n').filter(move |line| {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        may_hold = !is_blank && (may_hold || line.iter().any(|byte| b"(<>\":".contains(byte)));
        !may_hold
    })
}
