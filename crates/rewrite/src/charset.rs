//! The charset of a document (HTML standard 13.2.3.2; CSS Syntax level 3, 3.2).

use layers::Charset;
use memchr::{memchr, memchr3};

use crate::html;
use crate::unit::Media;

/// The charset of a document, and the length of its byte order mark. A mark wins over what is told from outside, and that over the document.
/// In mail the mark may be one of UTF-32.
pub(crate) fn of(
    media: Media,
    bytes: &[u8],
    told: Option<Charset>,
    is_mail: bool,
) -> (Charset, usize) {
    let marked = if is_mail { Charset::for_mail_bom(bytes) } else { Charset::for_bom(bytes) };
    if let Some(marked) = marked {
        return marked;
    }
    let charset = told.unwrap_or_else(|| match media {
        Media::Html => html::sniff(bytes),
        Media::Css => css_charset(bytes),
        Media::Message(_) => Charset::UTF_8,
    });
    (charset, 0)
}

/// The charset of a style sheet: CSS Syntax level 3, section 3.2. Without a declaration, what its bytes look like.
fn css_charset(bytes: &[u8]) -> Charset {
    let declared = bytes
        .strip_prefix(b"@charset \"")
        .and_then(|rest| {
            rest.split(|byte| *byte == b'"')
                .next()
                .filter(|label| rest[label.len()..].starts_with(b"\";"))
        })
        .and_then(Charset::for_label);
    match declared {
        Some(charset) if charset.name().starts_with("UTF-16") => Charset::UTF_8,
        Some(charset) => charset,
        None => Charset::detect(bytes, outside_references(bytes)),
    }
}

/// What stands outside parentheses and strings of a style sheet, roughly: no reference.
fn outside_references(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr3(b'(', b'"', b'\'', rest).unwrap_or(rest.len());
        let (piece, inside) = rest.split_at(end);
        rest = inside.split_first().map_or(inside, |(open, inside)| {
            let close = if *open == b'(' { b')' } else { *open };
            memchr(close, inside).map_or(&[][..], |end| &inside[end + 1..])
        });
        Some(piece)
    })
}
