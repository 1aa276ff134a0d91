//! The charset of a document that a header section gave: in a file, the document itself must
//! declare it.

use std::borrow::Cow;

use layers::Charset;
use memchr::{memchr, memmem};
use rewrite::Media;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The number of octets in which browsers look for a declaration (HTML standard, 13.2.3.2).
const PRESCANNED: usize = 1024;

/// Returns a document that declares the charset `label`, if it is not read in this charset without
/// a declaration. A byte order mark counts before any charset from outside.
pub(super) fn declared<'b>(bytes: &'b [u8], media: Option<Media>, label: &str) -> Cow<'b, [u8]> {
    let Some(charset) = Charset::for_label(label.as_bytes()) else { return bytes.into() };
    let is_certain = bytes.is_ascii() && !charset.reads_as_whole();
    if is_certain || Charset::for_bom(bytes).is_some() {
        return bytes.into();
    }
    let is_utf8 = charset == Charset::UTF_8;
    let name = charset.name();
    match media {
        _ if name == "UTF-16LE" => inserted(bytes, 0, b"\xFF\xFE"),
        _ if name == "UTF-16BE" => inserted(bytes, 0, b"\xFE\xFF"),
        Some(Media::HTML) if first_declaration(bytes) == Some(charset) => bytes.into(),
        Some(Media::CSS) if bytes.starts_with(format!("@charset \"{name}\";").as_bytes()) => {
            bytes.into()
        }
        // Without a declaration, it is UTF-8.
        Some(Media::XML) if is_utf8 && !bytes.starts_with(b"<?xml") => bytes.into(),
        _ if is_utf8 => inserted(bytes, 0, MARK),
        Some(Media::HTML) => {
            let meta = format!("<meta charset=\"{name}\">");
            inserted(bytes, start_of_head(bytes), meta.as_bytes())
        }
        Some(Media::CSS) => inserted(bytes, 0, format!("@charset \"{name}\";\n").as_bytes()),
        Some(Media::XML) if !bytes.starts_with(b"<?xml") => {
            let declaration = format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n");
            inserted(bytes, 0, declaration.as_bytes())
        }
        _ => bytes.into(),
    }
}

fn inserted(bytes: &[u8], at: usize, text: &[u8]) -> Cow<'static, [u8]> {
    [&bytes[..at], text, &bytes[at..]].concat().into()
}

/// Returns the charset of the first declaration of a page.
fn first_declaration(bytes: &[u8]) -> Option<Charset> {
    let head = bytes[..bytes.len().min(PRESCANNED)].to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += memchr(b'<', &head[at..])?;
        let rest = &head[at..];
        if rest.starts_with(b"<!--") {
            at += memmem::find(rest, b"-->")?;
        } else if rest.starts_with(b"<meta") {
            let tag = &rest[..end_of_tag(rest)?];
            if let Some(at) = memmem::find(tag, b"charset") {
                return of_attribute(&tag[at + b"charset".len()..]);
            }
        }
        at += 1;
    }
}

/// Returns the charset of the attribute value whose `=` follows.
fn of_attribute(rest: &[u8]) -> Option<Charset> {
    let value = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let is_of_label =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
    let n = value.iter().take_while(|byte| is_of_label(byte)).count();
    Charset::for_label(&value[..n])
}

/// Returns the offset at which a `<meta>` is the first element of the head, and changes nothing
/// else: after the tags that are there already.
fn start_of_head(bytes: &[u8]) -> usize {
    let mut at = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    loop {
        let rest = &bytes[at..];
        let is_tag = |name: &[u8]| {
            rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                && rest.get(name.len()).is_some_and(|byte| !byte.is_ascii_alphanumeric())
        };
        let n = if rest.starts_with(b"<!--") {
            memmem::find(rest, b"-->").map(|end| end + 3)
        } else if is_tag(b"<!doctype") || is_tag(b"<html") || is_tag(b"<head") {
            end_of_tag(rest)
        } else {
            None
        };
        let Some(n) = n else { return at };
        let is_head = is_tag(b"<head");
        at += n;
        if is_head {
            return at;
        }
        let n_blank = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // What follows the blanks may be text, which begins the body.
        match bytes.get(at + n_blank) {
            Some(b'<') => at += n_blank,
            _ => return at,
        }
    }
}

/// Returns the length of the tag at the start of some bytes.
fn end_of_tag(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_is_declared_where_it_is_needed() {
        let html = |bytes: &[u8], label| declared(bytes, Some(Media::HTML), label).into_owned();
        let bom = |bytes: &[u8]| [MARK, bytes].concat();
        let meta = b"<meta charset=\"windows-1252\">";
        for (bytes, label, expected) in [
            (&b"<p>a"[..], "utf-8", b"<p>a".to_vec()),
            (b"<p>\xC3\xA9", "utf-8", bom(b"<p>\xC3\xA9")),
            (b"<p>\xC3\xA9", "no-such-charset", b"<p>\xC3\xA9".to_vec()),
            (b"<meta charset=utf8>\xC3\xA9", "utf-8", b"<meta charset=utf8>\xC3\xA9".to_vec()),
            (
                b"<meta content=\"text/html; charset=utf-8\">\xC3\xA9",
                "UTF-8",
                b"<meta content=\"text/html; charset=utf-8\">\xC3\xA9".to_vec(),
            ),
            (b"<meta charset=latin2>\xC3\xA9", "utf-8", bom(b"<meta charset=latin2>\xC3\xA9")),
            (
                b"<!doctype html>\n<!-- > --><html lang='>'><head a=b>\xE9",
                "iso-8859-1",
                [b"<!doctype html>\n<!-- > --><html lang='>'><head a=b>", &meta[..], b"\xE9"]
                    .concat(),
            ),
            (b"<header>\xE9", "iso-8859-1", [meta, &b"<header>\xE9"[..]].concat()),
            (
                b"<!-- <meta charset=latin1> --><meta charset=latin1>\xE9",
                "latin1",
                b"<!-- <meta charset=latin1> --><meta charset=latin1>\xE9".to_vec(),
            ),
            (b"a\0\xE9\0", "utf-16le", b"\xFF\xFEa\0\xE9\0".to_vec()),
            (b"<html> \xE9", "latin1", [b"<html>", &meta[..], b" \xE9"].concat()),
        ] {
            let found = html(bytes, label);
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&found));
            assert_eq!(html(&found, label), found, "twice");
        }
        let css = declared(b"a::before { content: '\xE9' }", Some(Media::CSS), "latin1");
        assert!(css.starts_with(b"@charset \"windows-1252\";\n"));
        let xml = declared(b"<a>\xE9</a>", Some(Media::XML), "iso-8859-1");
        assert!(xml.starts_with(b"<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n<a>"));
        assert_eq!(&*declared(b"<a>\xC3\xA9</a>", Some(Media::XML), "utf-8"), b"<a>\xC3\xA9</a>");
    }
}
