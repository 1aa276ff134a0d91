//! The charset of a document that a header section gave: in a file, the document itself must
//! declare it.

use std::borrow::Cow;

use layers::Charset;
use memchr::{memchr, memmem};
use rewrite::{Media, declared_charset};

use crate::archives::head::{MARK, declaration, inserted, start_of_head};

/// Returns a document that declares the charset `label`, if it is not read in this charset without
/// a declaration. A byte order mark counts before any charset from outside. What is neither a
/// document nor text is returned as it is, whatever charset is said of it.
pub(super) fn declared<'b>(
    bytes: &'b [u8],
    media: Option<Media>,
    media_type: &str,
    label: &str,
) -> Cow<'b, [u8]> {
    let Some(charset) = Charset::for_label(label.as_bytes()) else { return bytes.into() };
    let is_certain = bytes.is_ascii() && !charset.reads_as_whole();
    if is_certain || Charset::for_bom(bytes).is_some() {
        return bytes.into();
    }
    let is_utf8 = charset == Charset::UTF_8;
    let name = charset.name();
    match media {
        None if !is_text(bytes, media_type, is_utf8) => bytes.into(),
        _ if name == "UTF-16LE" => inserted(bytes, 0, b"\xFF\xFE"),
        _ if name == "UTF-16BE" => inserted(bytes, 0, b"\xFE\xFF"),
        Some(Media::HTML) if declared_charset(Media::HTML, bytes) == Some(name) => bytes.into(),
        Some(Media::CSS) if bytes.starts_with(format!("@charset \"{name}\";").as_bytes()) => {
            bytes.into()
        }
        Some(Media::XML) => with_xml_declaration(bytes, charset),
        _ if is_utf8 => inserted(bytes, 0, MARK),
        Some(Media::HTML) => {
            let meta = format!("<meta charset=\"{name}\">");
            inserted(bytes, start_of_head(bytes), meta.as_bytes())
        }
        Some(Media::CSS) => inserted(bytes, 0, format!("@charset \"{name}\";\n").as_bytes()),
        _ => bytes.into(),
    }
}

/// Returns true if bytes that are no document are text. Servers give many types the same charset,
/// and call what they do not know `text/plain`.
fn is_text(bytes: &[u8], media_type: &str, is_utf8: bool) -> bool {
    let is_named = media_type.starts_with("text/") || media_type.ends_with("javascript");
    is_named && (!is_utf8 || (!bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()))
}

/// Returns XML that declares a charset. Without a declaration, it is UTF-8.
fn with_xml_declaration(bytes: &[u8], charset: Charset) -> Cow<'_, [u8]> {
    let name = charset.name();
    let declaration = declaration(bytes);
    if declaration.is_empty() {
        let declaration = format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n");
        return if charset == Charset::UTF_8 {
            bytes.into()
        } else {
            inserted(bytes, 0, declaration.as_bytes())
        };
    }
    let end = declaration.end - "?>".len();
    let value = |name: &[u8]| {
        let at = memmem::find(&bytes[..end], name)? + name.len();
        let open = at + bytes[at..end].iter().position(|byte| matches!(byte, b'"' | b'\''))?;
        let length = memchr(bytes[open], &bytes[open + 1..end])?;
        Some(open + 1..open + 1 + length)
    };
    match value(b"encoding") {
        Some(old) if Charset::for_label(&bytes[old.clone()]) == Some(charset) => bytes.into(),
        Some(old) => [&bytes[..old.start], name.as_bytes(), &bytes[old.end..]].concat().into(),
        None if charset == Charset::UTF_8 => bytes.into(),
        None => {
            let at = value(b"version").map_or(end, |version| version.end + 1);
            inserted(bytes, at, format!(" encoding=\"{name}\"").as_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_is_declared_where_it_is_needed() {
        let html = |bytes: &[u8], label| {
            declared(bytes, Some(Media::HTML), "text/html", label).into_owned()
        };
        let bom = |bytes: &[u8]| [MARK, bytes].concat();
        let meta = b"<meta charset=\"windows-1252\">";
        for (bytes, label, expected) in [
            (&b"<p>a"[..], "utf-8", b"<p>a".to_vec()),
            (b"<p>\xC3\xA9", "utf-8", bom(b"<p>\xC3\xA9")),
            (b"<p>\xC3\xA9", "no-such-charset", b"<p>\xC3\xA9".to_vec()),
            (b"<meta charset=utf8>\xC3\xA9", "utf-8", b"<meta charset=utf8>\xC3\xA9".to_vec()),
            (
                b"<meta http-equiv=content-type content=\"text/html; charset=utf-8\">\xC3\xA9",
                "UTF-8",
                b"<meta http-equiv=content-type content=\"text/html; charset=utf-8\">\xC3\xA9"
                    .to_vec(),
            ),
            (
                b"<meta name=description content=\"charset=latin1 or not\">\xE9",
                "latin1",
                [&meta[..], b"<meta name=description content=\"charset=latin1 or not\">\xE9"]
                    .concat(),
            ),
            (
                b"<?xml version='1.0'?>\n<!doctype html><p>\xE9",
                "latin1",
                [b"<?xml version='1.0'?>\n<!doctype html>", &meta[..], b"<p>\xE9"].concat(),
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
        let of = |bytes: &[u8], media, label| declared(bytes, Some(media), "", label).into_owned();
        let css = of(b"a::before { content: '\xE9' }", Media::CSS, "latin1");
        assert!(css.starts_with(b"@charset \"windows-1252\";\n"));
        for (bytes, label, expected) in [
            (
                &b"<a>\xE9</a>"[..],
                "iso-8859-1",
                &b"<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n<a>\xE9</a>"[..],
            ),
            (b"<a>\xC3\xA9</a>", "utf-8", b"<a>\xC3\xA9</a>"),
            (
                b"<?xml version='1.0'?><a>\xC3\xA9</a>",
                "utf-8",
                b"<?xml version='1.0'?><a>\xC3\xA9</a>",
            ),
            (
                b"<?xml version = '1.0' standalone='yes'?><a>\xE9</a>",
                "koi8-r",
                b"<?xml version = '1.0' encoding=\"KOI8-R\" standalone='yes'?><a>\xE9</a>",
            ),
            (
                b"<?xml version='1.0' encoding='utf-8' ?><a>\xE9</a>",
                "koi8-r",
                b"<?xml version='1.0' encoding='KOI8-R' ?><a>\xE9</a>",
            ),
            (
                b"<?xml version='1.0' encoding='latin1'?><a>\xE9</a>",
                "iso-8859-1",
                b"<?xml version='1.0' encoding='latin1'?><a>\xE9</a>",
            ),
            (
                b"<?xml-stylesheet href=''?><a>\xC3\xA9</a>",
                "utf-8",
                b"<?xml-stylesheet href=''?><a>\xC3\xA9</a>",
            ),
        ] {
            let found = of(bytes, Media::XML, label);
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&found));
        }
    }

    #[test]
    fn what_is_no_text_stays_as_it_is() {
        for (bytes, media_type, label, is_marked) in [
            (&b"\xFF\xD8\xFF\xE0"[..], "image/jpeg", "utf-8", false),
            (b"\xFF\xD8\xFF\xE0", "text/plain", "utf-8", false),
            (b"\0\xC3\xA9", "text/plain", "utf-8", false),
            (b"\x89PNG\r\n", "image/png", "utf-16", false),
            (b"\xC3\xA9", "application/zip", "utf-8", false),
            (b"\xC3\xA9", "text/plain", "utf-8", true),
            (b"\xC3\xA9", "application/javascript", "utf-8", true),
            (b"\xE9\0", "text/plain", "utf-16le", true),
        ] {
            let found = declared(bytes, None, media_type, label);
            assert_eq!(found != bytes, is_marked, "{media_type} {label}");
        }
    }
}
