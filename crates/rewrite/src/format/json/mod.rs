//! JSON with references: web app manifests, import maps, speculation rules, JSON-LD, JSON Feed.
//!
//! serde_json validates a text to its end and without recursion; after that its strings are easily
//! found, and their meaning follows from their path (`role.rs`). No tree is built:
//! the state is one role for each level that is followed. RFC 8259. This is the only file that
//! imports serde_json to read.
//!
//! The strings of a JSON text with their spans and containers: a lexer for text that is known to be
//! valid.

mod role;
pub(crate) mod schema_org;
pub(super) mod source_map;

use std::borrow::Cow;

use layers::{Layer, Span, json};
use memchr::memchr2;
use serde::de::IgnoredAny;
use urlcore::{Dialect, is_absolute_for_any_base};

use crate::format::found::{Against, Delimiters, Found, Value, ValueEncoding, Values};
use crate::format::spec::{FormatSpec, FoundIn};
use crate::options::AvailableMemory;
use crate::report::skip::{SkipReason, SyntaxError};
use crate::slots::{JsonType, SlotId, Syntax};
use role::{Holds, Role};
pub(super) use source_map::FORMAT as SOURCE_MAP;

/// Web app manifests. JSON is UTF-8 and has no charset parameter (RFC 8259 8.1).
pub(super) const MANIFEST: FormatSpec = FormatSpec {
    extensions: &["webmanifest"],
    file_names: &["manifest.json"],
    ..FormatSpec::text(&["application/manifest+json"], |text, _, memory| {
        whole(text, JsonType::Manifest, memory)
    })
};

/// Import maps.
pub(super) const IMPORT_MAP: FormatSpec = FormatSpec {
    extensions: &["importmap"],
    file_names: &["importmap.json"],
    ..FormatSpec::text(&["application/importmap+json"], |text, _, memory| {
        whole(text, JsonType::ImportMap, memory)
    })
};

/// Speculation rules.
pub(super) const SPECULATION_RULES: FormatSpec = FormatSpec {
    file_names: &["speculation-rules.json", "speculationrules.json"],
    ..FormatSpec::text(&["application/speculationrules+json"], |text, _, memory| {
        whole(text, JsonType::SpeculationRules, memory)
    })
};

/// JSON-LD.
pub(super) const LINKED_DATA: FormatSpec = FormatSpec {
    extensions: &["jsonld"],
    ..FormatSpec::text(&["application/ld+json"], |text, _, memory| {
        whole(text, JsonType::LinkedData, memory)
    })
};

/// JSON Feed.
pub(super) const FEED: FormatSpec = FormatSpec {
    file_names: &["feed.json"],
    ..FormatSpec::text(&["application/feed+json"], |text, _, memory| {
        whole(text, JsonType::Feed, memory)
    })
};

/// Finds the references of a whole file.
fn whole(text: &str, format: JsonType, memory: AvailableMemory) -> FoundIn {
    let mut found = Found::within(memory.bytes());
    find(text, format, None, &mut found.values)?;
    Ok(found)
}

/// Finds the references of a document of this type, in source order; `slot` is the slot that
/// contains it, if it is in another document.
///
/// # Errors
///
/// Returns the reason why the references are unknown, and the offset of the cause: the text is not
/// JSON, or it has a relative base of its own.
pub(crate) fn find(
    text: &str,
    format: JsonType,
    slot: Option<SlotId>,
    values: &mut Values,
) -> Result<(), (SkipReason, usize)> {
    let is_script = slot.is_some() && slot == format.script();
    // An empty script is not an error.
    if is_script && text.trim_ascii().is_empty() {
        return Ok(());
    }
    check(text).map_err(|at| (SkipReason::Malformed(SyntaxError::Json), at))?;
    let mut scan = JsonScan {
        text,
        values,
        is_script,
        is_unread: false,
        relative_base: None,
        rule: None,
        key: None,
    };
    scan.all(Role::from_format(format));
    let (is_unread, relative_base) = (scan.is_unread, scan.relative_base);
    if is_unread {
        values.clear();
    }
    // A relative one depends on the base around it.
    relative_base.map_or(Ok(()), |at| Err((SkipReason::ContextBase, at)))
}

/// Checks that a text is one JSON value; otherwise returns the offset of the error.
fn check(text: &str) -> Result<(), usize> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else { return Ok(()) };
    if error.is_eof() {
        return Err(text.len());
    }
    let n_lines = error.line().saturating_sub(1);
    let line = match n_lines.checked_sub(1) {
        Some(idx) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(idx).map_or(0, |at| at + 1),
        None => 0,
    };
    // Columns count bytes from 1; an invalid line end is column 0 of the next line. For a control
    // character in a string, the position of the byte before it is given.
    let at = (line + error.column()).saturating_sub(1);
    Err((0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default())
}

/// The container of a value.
#[derive(Clone, Copy)]
enum Inside {
    Object(Role),
    /// A list whose elements have this role.
    List(Role),
}

/// A speculation rule.
#[derive(Clone, Copy)]
struct SpeculationRule {
    /// The number of values before it.
    start: usize,
    /// True if its URLs are resolved against the document that it is for.
    is_for_document: bool,
}

struct JsonScan<'t, 'v> {
    text: &'t str,
    values: &'v mut Values,
    /// True if the JSON is in a document and has its base.
    is_script: bool,
    /// True if it is another type of document than expected, or has a base that is unknown here.
    is_unread: bool,
    /// The offset of the first relative `@base`.
    relative_base: Option<usize>,
    rule: Option<SpeculationRule>,
    /// The number of the value that the last key is, if it is one.
    key: Option<u32>,
}

impl JsonScan<'_, '_> {
    fn all(&mut self, root: Role) {
        let mut open = Vec::new();
        let mut inside = Inside::List(root);
        // The role of the next value.
        let mut next = root;
        // The number of open levels below one that is not followed.
        let mut n_ignored = 0_usize;
        for token in Tokens::new(self.text) {
            match token {
                JsonToken::Object | JsonToken::List if n_ignored > 0 || next == Role::Nothing => {
                    n_ignored += 1;
                }
                JsonToken::Close if n_ignored > 0 => n_ignored -= 1,
                _ if n_ignored > 0 => {}
                JsonToken::Object => {
                    self.begin(next);
                    open.push(inside);
                    inside = Inside::Object(next);
                }
                JsonToken::List => {
                    open.push(inside);
                    next = next.element();
                    inside = Inside::List(next);
                }
                JsonToken::Close => {
                    self.end(inside);
                    inside = open.pop().unwrap_or(Inside::List(Role::Nothing));
                    if let Inside::List(element) = inside {
                        next = element;
                    }
                }
                JsonToken::Key(span) => {
                    let Inside::Object(role) = inside else { continue };
                    next = self.key(role, span);
                }
                JsonToken::Text(span) => self.string(next, span),
            }
        }
    }

    fn decoded(&self, span: Span) -> Cow<'_, str> {
        json::decode(&self.text[span.start..span.end]).text
    }

    /// Reads a key of an object with this role. Returns the role of its value.
    fn key(&mut self, role: Role, span: Span) -> Role {
        if let Some(key) = role.key() {
            let n_before = self.values.len();
            self.string(key, span);
            let is_value = self.values.len() > n_before;
            self.key = u32::try_from(n_before).ok().filter(|_| is_value);
        }
        let name = self.decoded(span);
        let is_unread = role.is_unread_with(&name);
        let value = role.member(&name);
        self.is_unread |= is_unread;
        value
    }

    fn string(&mut self, role: Role, span: Span) {
        let Role::Text(holds, slot) = role.string() else {
            match role {
                Role::RelativeTo if self.decoded(span) == "document" => {
                    self.rule.iter_mut().for_each(|rule| rule.is_for_document = !self.is_script);
                }
                Role::ContextBase
                    if !is_absolute_for_any_base(&self.decoded(span), Dialect::Web) =>
                {
                    self.relative_base.get_or_insert(span.start);
                }
                Role::Digest => self.digest(span),
                _ => {}
            }
            return;
        };
        let text = self.decoded(span);
        let is_read = match holds {
            Holds::Url | Holds::Html => true,
            Holds::Specifier => Delimiters::Specifier.allow(&text),
            Holds::FromRoot => {
                let is_path = text.starts_with('/') && !text.starts_with("//");
                is_path || is_absolute_for_any_base(&text, Dialect::Web)
            }
            Holds::Absolute => {
                let is_one = !text.contains(|char: char| char.is_whitespace());
                is_one && is_absolute_for_any_base(&text, Dialect::Web)
            }
            Holds::Node => !text.starts_with("_:"),
        };
        if !is_read {
            return;
        }
        let is_specifier = holds == Holds::Specifier;
        let delimiters = if is_specifier { Delimiters::Specifier } else { Delimiters::None };
        let syntax = if holds == Holds::Html { Syntax::Html } else { Syntax::Url };
        let written = ValueEncoding::In(Layer::Json);
        self.values.push(Value { written, syntax, ..Value::item(span, slot, delimiters) });
    }

    /// Reads a digest of the module that the last key leads to.
    fn digest(&mut self, span: Span) {
        let Some(load) = self.key.take() else { return };
        let value = Value::item(span, SlotId::IMPORTMAP_DIGEST, Delimiters::None);
        let (written, against) = (ValueEncoding::In(Layer::Json), Against::LoadOf(load));
        self.values.push(Value { written, against, ..value });
    }

    fn begin(&mut self, role: Role) {
        if role == Role::Rule {
            self.rule = Some(SpeculationRule { start: self.values.len(), is_for_document: false });
        }
    }

    /// Ends a container. URLs in a rule that are relative to the including document have an unknown
    /// base.
    fn end(&mut self, inside: Inside) {
        let Inside::Object(Role::Rule) = inside else { return };
        let Some(SpeculationRule { start, is_for_document: true }) = self.rule.take() else {
            return;
        };
        self.values.retain_from(start, |value| value.slot == role::PATTERN);
    }
}

/// A relevant token of a JSON text. Numbers and literals are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonToken {
    /// `{`
    Object,
    /// `[`
    List,
    /// `}` or `]`
    Close,
    /// The content of a string that is the name of a member.
    Key(Span),
    /// The content of a string that is a value.
    Text(Span),
}

/// The tokens of a valid JSON text.
pub(super) struct Tokens<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Tokens { bytes: text.as_bytes(), at: 0 }
    }

    /// Reads the string whose opening quote was just read.
    fn string(&mut self) -> Option<JsonToken> {
        let start = self.at;
        loop {
            let next = self.at + memchr2(b'"', b'\\', &self.bytes[self.at..])?;
            if self.bytes[next] == b'"' {
                self.at = next + 1;
                let span = Span::new(start, next);
                // Only a name is followed by a colon.
                let after = self.bytes[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
                let is_key = after == Some(&b':');
                return Some(if is_key { JsonToken::Key(span) } else { JsonToken::Text(span) });
            }
            self.at = (next + 2).min(self.bytes.len());
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = JsonToken;

    fn next(&mut self) -> Option<JsonToken> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            return match byte {
                b'{' => Some(JsonToken::Object),
                b'[' => Some(JsonToken::List),
                b'}' | b']' => Some(JsonToken::Close),
                b'"' => self.string(),
                _ => continue,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_distinguished_from_names() {
        let text = r#" {"a\"b" : ["c\\", -1e5, "\u0022", true], "":{"x":"" } } "#;
        let shown = |token| match token {
            JsonToken::Object => "{".to_owned(),
            JsonToken::List => "[".to_owned(),
            JsonToken::Close => "end".to_owned(),
            JsonToken::Key(span) => format!("{}:", &text[span.start..span.end]),
            JsonToken::Text(span) => text[span.start..span.end].to_owned(),
        };
        let tokens: Vec<String> = Tokens::new(text).map(shown).collect();
        let expected =
            ["{", r#"a\"b:"#, "[", r"c\\", r"\u0022", "end", ":", "{", "x:", "", "end", "end"];
        assert_eq!(tokens, expected);
    }
}
