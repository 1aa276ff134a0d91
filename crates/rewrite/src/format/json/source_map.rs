//! Source maps (ECMA-426): the original sources of a script or style sheet.
//!
//! A source is resolved against the map, after the text of `sourceRoot` before it. With that member
//! only it is a reference, and a directory only if it ends with a slash: tools join others in two
//! ways. Sources whose content is in the map are only names.

use layers::{Layer, Span, json};

use super::{JsonToken, Tokens, check};
use crate::format::found::{Delimiters, Found, Value, ValueEncoding};
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
    let mut found = Found::within(memory.bytes());
    let decoded = |span: Span| json::decode(&text[span.start..span.end]).text;
    let (mut depth, mut member) = (0_usize, MapMember::Other);
    let (mut root, mut has_content) = (None, false);
    for token in Tokens::new(text) {
        match token {
            JsonToken::Object | JsonToken::List => depth += 1,
            JsonToken::Close => depth = depth.saturating_sub(1),
            JsonToken::Key(span) if depth == 1 => {
                member = match &*decoded(span) {
                    "file" => MapMember::File,
                    "sourceRoot" => MapMember::Root,
                    "sources" => MapMember::Sources,
                    "sourcesContent" => MapMember::Content,
                    _ => MapMember::Other,
                };
            }
            JsonToken::Key(_) => {}
            JsonToken::Text(span) => match (member, depth) {
                (MapMember::File, 1) => found.values.push(item(span, FILE)),
                (MapMember::Root, 1) => {
                    root = Some(decoded(span)).filter(|root| !root.is_empty());
                    found.values.push(item(span, ROOT));
                }
                (MapMember::Sources, 2) => found.values.push(item(span, SOURCE)),
                (MapMember::Content, 2) => has_content = true,
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
enum MapMember {
    File,
    Root,
    Sources,
    Content,
    Other,
}

fn item(span: Span, slot: SlotId) -> Value {
    Value { written: ValueEncoding::In(Layer::Json), ..Value::item(span, slot, Delimiters::None) }
}

// The comment that names the source map of a script or style sheet (ECMA-426, section 11.1.2.1).

const JS: SlotId = SlotId::named("js sourceMappingURL");

/// Returns the URL in a comment, which starts at `start`, without its delimiters.
pub(in crate::format) fn in_comment(comment: &str, start: usize) -> Option<Span> {
    let rest = comment.strip_prefix(['#', '@'])?.trim_start();
    let url = rest.strip_prefix("sourceMappingURL=")?;
    let at = start + comment.len() - url.len();
    let url = url.trim_end();
    let is_one = !url.is_empty() && !url.contains(char::is_whitespace);
    is_one.then(|| Span::new(at, at + url.len()))
}

/// Returns the URL of the source map of a script: it is in the last line, or only comments follow
/// its line. A comment after code in one line is not read, because the code may contain it.
pub(in crate::format) fn of_script(script: &str) -> Option<Value> {
    let mut rest = script;
    loop {
        rest = rest.trim_end();
        let start = rest.rfind(['\n', '\r', '\u{2028}', '\u{2029}']);
        let start = start.map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        let line = rest[start..].trim_start();
        let comment = line.strip_prefix("//")?;
        if let Some(span) = in_comment(comment, rest.len() - comment.len()) {
            return Some(Value::item(span, JS, Delimiters::Space));
        }
        rest = &rest[..start];
    }
}
