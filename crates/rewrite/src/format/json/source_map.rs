//! Source maps (ECMA-426): the original sources of a script or style sheet.
//!
//! A source is resolved against the map, after the text of `sourceRoot` before it. With that member
//! only it is a reference, and a directory only if it ends with a slash: tools join others in two
//! ways. Sources whose content is in the map are only names.

use layers::{Layer, Span, json};

use super::check;
use super::{JsonToken, Tokens};
use crate::format::found::{Delimiters, Found, Value, Written};
use crate::format::spec::{FormatSpec, FoundIn};
use crate::options::AvailableMemory;
use crate::report::skip::{SkipReason, SyntaxError};
use crate::slots::SlotId;

const FILE: SlotId = SlotId::named("sourcemap file");
const NAME: SlotId = SlotId::named("sourcemap sources (embedded)");
const ROOT: SlotId = SlotId::named("sourcemap sourceRoot");
const SOURCE: SlotId = SlotId::named("sourcemap sources");

/// Source maps. Other files have the extension `.map` too.
pub(in crate::format) const FORMAT: FormatSpec = FormatSpec {
    file_names: &["*.js.map", "*.mjs.map", "*.cjs.map", "*.css.map"],
    ..FormatSpec::text(&["application/source-map+json"], |text, _, memory| find(text, memory))
};

fn find(text: &str, memory: AvailableMemory) -> FoundIn {
    check(text).map_err(|at| (SkipReason::Malformed(SyntaxError::Json), at))?;
    let mut found = Found::within(memory.octets());
    let decoded = |span: Span| json::decode(&text[span.start..span.end]).text;
    let (mut depth, mut member) = (0_usize, Member::Other);
    let (mut root, mut has_content) = (None, false);
    for token in Tokens::new(text) {
        match token {
            JsonToken::Object | JsonToken::List => depth += 1,
            JsonToken::Close => depth = depth.saturating_sub(1),
            JsonToken::Key(span) if depth == 1 => {
                member = match &*decoded(span) {
                    "file" => Member::File,
                    "sourceRoot" => Member::Root,
                    "sources" => Member::Sources,
                    "sourcesContent" => Member::Content,
                    _ => Member::Other,
                };
            }
            JsonToken::Key(_) => {}
            JsonToken::Text(span) => match (member, depth) {
                (Member::File, 1) => found.values.push(item(span, FILE)),
                (Member::Root, 1) => {
                    root = Some(decoded(span)).filter(|root| !root.is_empty());
                    found.values.push(item(span, ROOT));
                }
                (Member::Sources, 2) => found.values.push(item(span, SOURCE)),
                (Member::Content, 2) => has_content = true,
                _ => {}
            },
        }
    }
    if root.is_some() {
        found.values.retain_from(0, |value| value.slot != SOURCE);
    }
    let is_directory = root.is_some_and(|root| root.ends_with('/'));
    for value in &mut *found.values {
        if value.slot == ROOT && !is_directory {
            value.delimiters = Delimiters::Ambiguous;
        }
        if value.slot == SOURCE && has_content {
            value.slot = NAME;
        }
    }
    Ok(found)
}

/// A member of a map.
#[derive(Clone, Copy)]
enum Member {
    File,
    Root,
    Sources,
    Content,
    Other,
}

fn item(span: Span, slot: SlotId) -> Value {
    Value { written: Written::In(Layer::Json), ..Value::item(span, slot, Delimiters::None) }
}
