//! The URLs in the fields of a header section, with their spans.
//!
//! `Content-Location` and similar fields are one URL (RFC 2557 4.2; 1996 5.1.1), `Link` and
//! `List-*` have URLs in angle brackets (RFC 8288 3, RFC 2369 2), an external body has its URL in a
//! parameter (RFC 2017 3).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use basectx::Context;
use basectx::message::{Contexts, Entity, Field, Message, location_in, url_of};
use layers::field::{Blanks, decode};
use layers::{Charset, Layer, Lifted, Span, Unliftable};
use urlcore::header::{links, refresh, strings};
use urlcore::{Dialect, Resolver, is_absolute_for_any_base};

use crate::format::found::{Delimiters, Value, ValueEncoding};
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
        let written = ValueEncoding::In(layer);
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

// Parts that refer to parts (RFC 2557 7, 8.2): if a reference and a location are both relative and
// one of them stays, both stay.
//
// If both are rewritten each keeps its target, so they stay equal. If a location cannot be
// resolved or must not be edited, or if another part is of an unsupported type, mail programs
// compare the texts.

/// Returns true if other parts may show a part by its `Content-ID`: it has one, and is not the root
/// of the message. Blink saves frames so, and uses `cid:…` as their bases.
pub(super) fn is_shown_by_id(message: &Message, idx: usize, bytes: &[u8]) -> bool {
    let entity = &message.entities[idx];
    let Some(related) = entity.parent.map(|parent| &message.entities[parent]) else { return false };
    let Some(id) = entity.field("Content-ID", bytes).map(|field| field.text(bytes)) else {
        return false;
    };
    let is_root = match &related.content_type.start {
        Some(start) => start.trim() == id.trim(),
        None => entity.ordinal == 0,
    };
    related.content_type.media_type == "multipart/related" && !is_root
}

/// Returns true if a part is a style sheet that was inside a document: its URLs are relative to
/// that document, and `Content-Location: cid:…` does not say which (Blink saves `<style>` so).
pub(super) fn is_inline_style(message: &Message, idx: usize, bytes: &[u8]) -> bool {
    let entity = &message.entities[idx];
    let location = || url_of(entity.field("Content-Location", bytes)?, bytes);
    entity.content_type.media_type == "text/css"
        && location().is_some_and(|url| {
            url.split_once(':').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("cid"))
        })
}

/// Relative locations that stay unchanged, by the `multipart/related` that contains them.
#[derive(Debug, Default)]
pub(super) struct KeptLocations {
    kept: HashMap<usize, Arc<HashSet<String>>>,
}

impl KeptLocations {
    /// Returns the kept locations of a message. `is_sealed` returns true for an entity whose header
    /// section must not be edited.
    pub(super) fn new<'c>(
        message: &Message,
        contexts: &'c Contexts<'c>,
        bytes: &[u8],
        is_sealed: impl Fn(usize) -> bool,
    ) -> Self {
        let mut kept: HashMap<usize, HashSet<String>> = HashMap::new();
        let mut roots: HashMap<usize, Option<(usize, Option<&str>)>> = HashMap::new();
        let unread: HashSet<usize> = (message.entities.iter())
            .filter(|entity| is_unread(&entity.content_type.media_type))
            .flat_map(|entity| entity.parent)
            .collect();
        for (idx, entity) in message.entities.iter().enumerate() {
            let Some(related) = entity.parent else { continue };
            if message.entities[related].content_type.media_type != "multipart/related" {
                continue;
            }
            let Some(field) = entity.field("Content-Location", bytes) else { continue };
            let Some(location) = url_of(field, bytes) else { continue };
            if is_absolute_for_any_base(&location, Dialect::Rfc3986) {
                continue;
            }
            let base = contexts.of_location(message, idx).and_then(Context::base);
            let root = roots.entry(related).or_insert_with(|| {
                let root = root_of(message, related, bytes)?;
                let base = contexts.get(root).and_then(Context::base);
                Some((root, base.filter(|_| !may_hold_base(message, bytes, root))))
            });
            // A reference with the same text has the same target from the root document, unless
            // that has a base of its own.
            let is_same = || match *root {
                Some((root, from)) if root != idx => {
                    target(from, &location) == target(base, &location)
                }
                _ => true,
            };
            if base.is_none() || is_sealed(idx) || unread.contains(&related) || !is_same() {
                let location = location.split('#').next().unwrap_or_default().to_owned();
                kept.entry(related).or_default().insert(location);
            }
        }
        KeptLocations { kept: kept.into_iter().map(|(idx, set)| (idx, Arc::new(set))).collect() }
    }

    /// Returns true if the location of an entity is one of them.
    pub(super) fn keeps(&self, message: &Message, idx: usize, bytes: &[u8]) -> bool {
        if self.kept.is_empty() {
            return false;
        }
        let field = message.entities[idx].field("Content-Location", bytes);
        let Some(location) = field.and_then(|field| url_of(field, bytes)) else { return false };
        let name = location.split('#').next().unwrap_or_default();
        self.around(message, idx).iter().any(|kept| kept.contains(name))
    }

    /// Returns those that apply to a part: in the same `multipart/related`, and in those around it.
    pub(super) fn around(&self, message: &Message, idx: usize) -> Vec<Arc<HashSet<String>>> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        message.around(idx).filter_map(|around| self.kept.get(&around).cloned()).collect()
    }
}

/// Returns the root document of a `multipart/related`: the part that `start` names, or the first
/// (RFC 2387 3.2); of alternatives the last.
fn root_of(message: &Message, related: usize, bytes: &[u8]) -> Option<usize> {
    let related = &message.entities[related];
    let id = |idx: &usize| {
        message.entities[*idx].field("Content-ID", bytes).map(|field| field.text(bytes))
    };
    let is_start = |idx: &&usize| {
        let start = related.content_type.start.as_deref().map(str::trim);
        start.is_some() && id(idx).as_deref().map(str::trim) == start
    };
    let first = related.children.first();
    let mut root = *related.children.iter().take(100).find(is_start).or(first)?;
    while message.entities[root].content_type.is_multipart() {
        root = *message.entities[root].children.last()?;
    }
    Some(root)
}

/// Returns the target of a text relative to a base.
fn target(base: Option<&str>, text: &str) -> Option<String> {
    Resolver::new(base?, Dialect::Web).ok()?.resolve(text).ok()?.url()
}

/// Returns true if a document may contain a base of its own. The document is not parsed here, so
/// any `<base` counts.
fn may_hold_base(message: &Message, bytes: &[u8], idx: usize) -> bool {
    let entity = &message.entities[idx];
    let text = entity.encoding.decode(entity.body.slice(bytes));
    let is_base =
        |at: usize| text.get(at + 1..at + 5).is_some_and(|name| name.eq_ignore_ascii_case(b"base"));
    memchr::memchr_iter(b'<', &text).any(is_base)
}

/// Returns true if documents of a media type contain references that are not read: XML such as the
/// SMIL of a multimedia message.
fn is_unread(media_type: &str) -> bool {
    media_type.ends_with("/xml") || media_type.ends_with("+xml") || media_type.ends_with("/smil")
}

#[cfg(test)]
mod tests {
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
