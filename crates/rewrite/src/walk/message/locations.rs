//! Parts that refer to parts (RFC 2557 7, 8.2): if a reference and a location are both relative and
//! one of them stays, both stay.
//!
//! If both are rewritten each keeps its target, so they stay equal. If a location cannot be
//! resolved or must not be edited, or if another part is of an unsupported type, mail programs
//! compare the texts.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use basectx::Context;
use basectx::message::{Contexts, Message, url_of};
use urlcore::{Dialect, Resolver, is_absolute_for_any_base};

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
