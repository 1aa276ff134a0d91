//! The URLs in the fields of a header section, with their spans.
//!
//! `Content-Location` and similar fields are one URL (RFC 2557 4.2; 1996 5.1.1), `Link` and
//! `List-*` have URLs in angle brackets (RFC 8288 3, RFC 2369 2), an external body has its URL in a
//! parameter (RFC 2017 3).

use std::borrow::Cow;

use basectx::message::{Entity, Field, location_in};
use layers::field::{Blanks, decode};
use layers::{Charset, Layer, Lifted, Span, Unliftable};
use urlcore::header::{links, refresh, strings};

use crate::format::found::{Delimiters, Value, Written};
use crate::slots::{Kind, SlotId};

/// Refuses edits by which the first line of a body would be read as a field of the header section
/// before it: without a blank line between them (RFC 5322 2.1), a colon makes it one.
pub(super) fn keep_first_line(head: &[u8], body: &[u8], lifted: &mut Lifted) {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let line = head.strip_suffix(b"\r\n").or_else(|| head.split_last().map(|(_, line)| line));
    if line.is_some_and(|line| line.last().is_none_or(is_end)) {
        return;
    }
    let end = memchr::memchr2(b'\n', b'\r', body).unwrap_or(body.len());
    for edit in
        lifted.edits.extract_if(.., |edit| edit.span.start <= end && edit.text.contains(&b':'))
    {
        lifted.refused.push((edit.id, Unliftable::Forbidden("a field of the header section")));
    }
}

/// Returns the URLs in a field, in order, with their spans in the message.
pub(super) fn values(entity: &Entity, field: &Field, slot: SlotId, bytes: &[u8]) -> Vec<Value> {
    let Some(raw) = field.short_value(bytes) else { return Vec::new() };
    let decoded = decode(raw, Blanks::Kept);
    let text = &*decoded.text;
    let span = |range: std::ops::Range<usize>| Span::new(range.start, range.end);
    let is_list =
        slot.row().is_ok_and(|row| row.kind == Kind::List) || slot == SlotId::ORIGINAL_LINK;
    let is_link = matches!(slot, SlotId::LINK | SlotId::ORIGINAL_LINK);
    let found: Vec<(Span, Cow<'_, str>, Delimiters)> = match slot {
        SlotId::REPORTING_ENDPOINTS | SlotId::SPECULATION_RULES => {
            strings(text).map(|url| (span(url.span), url.text, Delimiters::Quote(b'"'))).collect()
        }
        _ if is_list => links(text)
            .flat_map(|link| {
                // Only in these fields links have parameters (RFC 8288 3.2).
                let anchor = is_link.then(|| link.anchor()).flatten();
                let anchor =
                    anchor.map(|anchor| (span(anchor.span), anchor.text, Delimiters::Quote(b'"')));
                let target = (span(link.target.span), link.target.text, Delimiters::Angle);
                [Some(target), anchor]
            })
            .flatten()
            .collect(),
        SlotId::REFRESH => refresh(text)
            .map(|found| {
                let url = Cow::Borrowed(&text[found.span.clone()]);
                let delimiters = found.quote.map_or(Delimiters::Bare, Delimiters::Quote);
                (span(found.span), url, delimiters)
            })
            .into_iter()
            .collect(),
        SlotId::CONTENT_TYPE if entity.content_type.media_type != "message/external-body" => {
            Vec::new()
        }
        SlotId::CONTENT_TYPE => url_param(text)
            .map(|span| {
                let is_quoted = text[span.end..].starts_with('"');
                let delimiters =
                    if is_quoted { Delimiters::Quote(b'"') } else { Delimiters::Token };
                (span, without_blanks(&text[span.start..span.end]), delimiters)
            })
            .into_iter()
            .collect(),
        SlotId::POLICY => {
            let start = text.len() - text.trim_start().len();
            let policy = text.trim();
            vec![(Span::new(start, start + policy.len()), Cow::Borrowed(policy), Delimiters::None)]
        }
        // Prose is not a URL.
        SlotId::X_URL if text.trim().contains(char::is_whitespace) => Vec::new(),
        _ => location_in(text)
            .map(|(span, url)| (span, url, Delimiters::Angle))
            .into_iter()
            .collect(),
    };
    let value = |(span, url, delimiters): (Span, Cow<'_, str>, Delimiters)| {
        let span = decoded.map.widen(span).raw.shifted(field.value.start);
        let is_text = matches!(slot, SlotId::REFRESH | SlotId::POLICY);
        let blanks = if is_text { Blanks::Kept } else { Blanks::Dropped };
        let layer = Layer::Field(blanks);
        // An encoded word that begins or ends inside the URL would contain more than it.
        let is_all = layer.decode(span.slice(bytes), Charset::UTF_8).text == url;
        let written = Written::In(layer);
        is_all.then(|| Value { written, ..Value::item(span, slot, delimiters) })
    };
    found.into_iter().filter_map(value).collect()
}

fn without_blanks(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_whitespace) {
        Cow::Owned(text.chars().filter(|char| !char.is_whitespace()).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the value of the parameter `url`, without quotes.
fn url_param(text: &str) -> Option<Span> {
    let mut at = text.find(';')? + 1;
    loop {
        let rest = &text[at..];
        let end = end_of_param(rest);
        if let Some((name, value)) = rest[..end].split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            let start = at + end - value.trim_start().len();
            let value = value.trim();
            return Some(match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
                Some(inner) => Span::new(start + 1, start + 1 + inner.len()),
                None => Span::new(start, start + value.len()),
            });
        }
        if end == rest.len() {
            return None;
        }
        at += end + 1;
    }
}

/// Returns the length of a parameter: up to the next semicolon outside of quotes.
fn end_of_param(text: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_end = |char: char| {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ';' => return !is_quoted,
            _ => {}
        }
        false
    };
    text.find(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use basectx::message::Message;

    use super::*;

    /// Returns the URLs in a header section as they are written there.
    fn found(header: &str) -> Vec<String> {
        let text = format!("{header}\n\n");
        let message = Message::read(text.as_bytes());
        let entity = &message.entities[0];
        let values = entity.fields.iter().flat_map(|field| {
            let slot = SlotId::of_header(field.name.slice(text.as_bytes()));
            slot.map_or_else(Vec::new, |slot| values(entity, field, slot, text.as_bytes()))
        });
        values.map(|value| text[value.span.start..value.span.end].to_owned()).collect()
    }

    #[test]
    fn urls_stand_where_their_fields_have_them() {
        assert_eq!(found("Content-Location: (a (b)) <URL:http://h/\n x> (c)"), ["http://h/\n x"]);
        assert_eq!(found("content-base : \"http://h/\""), ["http://h/"]);
        assert_eq!(
            found("List-Help: <a> (b), <mailto:c>\nList-Id: <d>\nList-Post: NO"),
            ["a", "mailto:c"]
        );
        assert_eq!(found("Link: <a>; rel=\"x, <b>\", <c>"), ["a", "c"]);
        assert_eq!(found("Link: <a>; anchor=\"#b\", <c>; anchor=d"), ["a", "#b", "c"]);
        assert_eq!(found("List-Help: <a>; anchor=\"#b\""), ["a"]);
        assert_eq!(found("Refresh: 5; url='a'"), ["a"]);
        assert_eq!(found("Archived-At: <http://h/a>\nX-URL: b"), ["http://h/a", "b"]);
        let detached = "X-Mozilla-External-Attachment-URL: file:///home/u/a%20b.png";
        assert_eq!(found(detached), ["file:///home/u/a%20b.png"]);
        assert_eq!(found("Content-Type: text/html; url=x"), [""; 0]);
        let external = "Content-Type: message/external-body; x=\";url=y\"; access-type=URL;\n URL=\"ftp://h/\n a\"";
        assert_eq!(found(external), ["ftp://h/\n a"]);
        assert_eq!(
            found("Content-Location: =?us-ascii?Q?a?=\n =?us-ascii?Q?b?="),
            ["=?us-ascii?Q?a?=\n =?us-ascii?Q?b?="]
        );
        // The bracket is inside the encoded word.
        assert_eq!(found("Content-Location: =?us-ascii?Q?=3Ca?=>"), [""; 0]);
    }
}
