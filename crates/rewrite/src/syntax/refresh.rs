//! `meta` refresh in all its spellings: HTML standard, section 4.2.5.3 ("shared declarative refresh steps").

use layers::Span;

use crate::found::{Delimiters, Value};
use crate::slots::SlotId;

/// Finds the URL of a refresh: `5; url=next.html`, `0;URL='next.html'`, `5, next.html`. One without a URL names the document itself.
///
/// An empty URL is told only after an explicit `url=`.
pub(crate) fn refresh(text: &str, slot: SlotId, values: &mut Vec<Value>) {
    if let Some((span, delimiters)) = locate(text) {
        values.push(Value::item(span, slot, delimiters));
    }
}

fn locate(text: &str) -> Option<(Span, Delimiters)> {
    let skip = |at: usize, is: fn(u8) -> bool| {
        let rest = &text.as_bytes()[at..];
        at + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
    };
    let is_space: fn(u8) -> bool = |byte| byte.is_ascii_whitespace();
    let byte_at = |at: usize| text.as_bytes().get(at).copied();

    let start = skip(0, is_space);
    let digits = skip(start, |byte| byte.is_ascii_digit());
    if digits == start && byte_at(start) != Some(b'.') {
        return None;
    }
    let mut at = skip(digits, |byte| byte.is_ascii_digit() || byte == b'.');
    let byte = byte_at(at)?;
    if byte != b';' && byte != b',' && !byte.is_ascii_whitespace() {
        return None;
    }
    at = skip(at, is_space);
    if matches!(byte_at(at), Some(b';' | b',')) {
        at = skip(at + 1, is_space);
    }
    let bare = at;
    let mut is_explicit = false;
    if text.get(at..at + 3).is_some_and(|word| word.eq_ignore_ascii_case("url")) {
        let equals = skip(at + 3, is_space);
        if byte_at(equals) == Some(b'=') {
            at = skip(equals + 1, is_space);
            is_explicit = true;
        }
    }
    if let Some(quote @ (b'"' | b'\'')) = byte_at(at) {
        let rest = &text[at + 1..];
        let len = rest.find(char::from(quote)).unwrap_or(rest.len());
        return trimmed(text, at + 1, at + 1 + len, is_explicit, Delimiters::Quote(quote));
    }
    let (start, delimiters) =
        if is_explicit { (at, Delimiters::AfterUrl) } else { (bare, Delimiters::Bare) };
    trimmed(text, start, text.len(), is_explicit, delimiters)
}

/// The URL without the white space around it, if there is one or an empty one was meant.
fn trimmed(
    text: &str,
    start: usize,
    end: usize,
    is_explicit: bool,
    delimiters: Delimiters,
) -> Option<(Span, Delimiters)> {
    let span = super::url(&text[start..end]).shifted(start);
    (is_explicit || !span.is_empty()).then_some((span, delimiters))
}
