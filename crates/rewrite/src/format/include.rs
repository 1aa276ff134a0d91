//! Server-side includes: `<!--#include virtual="/x" -->` (Apache HTTP Server 2.4, mod_include).
//!
//! The server does not parse HTML: an element begins with `<!--#` at any position, and ends with
//! `-->` after its last attribute. Here the text of one comment is read, so an element that ends
//! where its comment ends is read as the server reads it; any other is skipped.

use layers::{Layer, Span};

use crate::format::found::{Against, Delimiters, Found, Value, ValueEncoding, is_include_path};
use crate::report::skip::SkipReason;
use crate::slots::{SlotId, Syntax};

/// Finds the references of an element by its text after `<!--#`.
pub(crate) fn find(text: &str, found: &mut Found) {
    let mut rest = RestOfInclude { text, at: 0 };
    let directive = rest.take(|byte| !is_space(byte));
    let names: &[&str] = match &*directive.to_ascii_lowercase() {
        "include" => &["virtual", "file", "onerror"],
        "fsize" | "flastmod" => &["virtual", "file"],
        "exec" => &["cgi"],
        _ => return,
    };
    while let Some((name, value, quote)) = rest.attribute() {
        let name = name.to_ascii_lowercase();
        let raw = &text[value.start..value.end];
        if !names.contains(&name.as_str()) || raw.is_empty() {
            continue;
        }
        let is_file = name == "file";
        // An escaped character does not occur in a path.
        if raw.contains(['\\', '\n', '\r', '\t']) || !(is_file || is_include_path(raw)) {
            found.skipped.push((SkipReason::Include, value.start));
            continue;
        }
        let slot = if is_file { SlotId::SSI_FILE } else { SlotId::SSI_VIRTUAL };
        found.values.push(Value {
            span: value,
            written: ValueEncoding::In(Layer::Text),
            syntax: Syntax::Url,
            slot,
            // Apache resolves it against the document that it serves, whatever a `<base>` says.
            against: Against::Fallback,
            delimiters: Delimiters::Include(quote),
            fetch: None,
        });
    }
    if rest.at < text.len() {
        found.skipped.push((SkipReason::Include, rest.at));
        found.values.clear();
    }
}

struct RestOfInclude<'t> {
    text: &'t str,
    at: usize,
}

/// Returns true for white space of C (`isspace`).
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl<'t> RestOfInclude<'t> {
    fn take(&mut self, is: impl Fn(u8) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let len = rest.bytes().position(|byte| !is(byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Returns the next attribute that has a value: its name, the span of its value, and the quote
    /// around it. `None` at the end, or if the element continues after the end of its comment.
    fn attribute(&mut self) -> Option<(&'t str, Span, Option<u8>)> {
        loop {
            self.take(is_space);
            let start = self.at;
            if start == self.text.len() {
                return None;
            }
            let name = self.take(|byte| !is_space(byte) && byte != b'=');
            self.take(is_space);
            if self.text.as_bytes().get(self.at) != Some(&b'=') {
                continue;
            }
            self.at += 1;
            self.take(is_space);
            let value = self.value();
            let Some((value, quote)) = value.filter(|_| !name.is_empty()) else {
                self.at = start;
                return None;
            };
            return Some((name, value, quote));
        }
    }

    /// Returns a value, which ends at its quote, or at white space. One without quotes that ends
    /// with the text would include the end of the comment.
    fn value(&mut self) -> Option<(Span, Option<u8>)> {
        let bytes = self.text.as_bytes();
        let quote = *bytes.get(self.at)?;
        if !matches!(quote, b'"' | b'\'' | b'`') {
            let start = self.at;
            self.take(|byte| !is_space(byte));
            return (self.at < bytes.len()).then(|| (Span::new(start, self.at), None));
        }
        let start = self.at + 1;
        let mut at = start;
        loop {
            let found = at + memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
            if bytes[found] == quote {
                self.at = found + 1;
                return Some((Span::new(start, found), Some(quote)));
            }
            at = found + 1 + usize::from(bytes.get(found + 1) == Some(&quote));
        }
    }
}
