//! One URL, and URLs in lists.
//!
//! `meta` refresh in all its spellings: HTML standard, section 4.2.5.3 ("shared declarative refresh
//! steps").

use layers::Span;
use urlcore::header;

use crate::format::found::{Delimiters, Value, Values};
use crate::slots::SlotId;

/// Returns true for white space that is stripped around a URL: ASCII white space (HTML standard
/// 2.4.4), and the C0 controls that URL parsers strip too.
#[inline]
fn is_stripped(char: char) -> bool {
    char <= ' '
}

/// Returns the URL without the white space around it; the span is empty, at the end, if there is
/// none.
pub(crate) fn url(text: &str) -> Span {
    let start = text.len() - text.trim_start_matches(is_stripped).len();
    let end = start + text[start..].trim_end_matches(is_stripped).len();
    Span::new(start, end)
}

/// Finds URLs separated by white space: `ping`, `object[archive]`.
pub(crate) fn space_list(text: &str, slot: SlotId, values: &mut Values) {
    items(text, |char| char.is_ascii_whitespace(), slot, Delimiters::Space, values);
}

/// Finds the second word of each pair: `xsi:schemaLocation` (XML Schema part 1, section 2.6.3).
pub(crate) fn schema_pairs(text: &str, slot: SlotId, values: &mut Values) {
    let start = values.len();
    space_list(text, slot, values);
    let mut is_url = true;
    values.retain_from(start, |_| {
        is_url = !is_url;
        is_url
    });
}

/// Finds URLs separated by commas: `applet[archive]`.
pub(crate) fn comma_list(text: &str, slot: SlotId, values: &mut Values) {
    items(text, |char| char == ',', slot, Delimiters::Comma, values);
}

fn items(
    text: &str,
    is_separator: impl Fn(char) -> bool,
    slot: SlotId,
    delimiters: Delimiters,
    values: &mut Values,
) {
    let mut at = 0;
    for item in text.split(is_separator) {
        let span = url(item).shifted(at);
        if !span.is_empty() {
            values.push(Value::item(span, slot, delimiters));
        }
        // Every separator is one byte.
        at += item.len() + 1;
    }
}

/// Finds the targets of links between angle brackets: `meta http-equiv=link` (RFC 8288, section 3).
pub(crate) fn links(text: &str, slot: SlotId, values: &mut Values) {
    for link in header::links(text) {
        let span = Span::new(link.target.span.start, link.target.span.end);
        // White space inside is not part of the URL, but has no place in a new one.
        let is_one = link.target.text.len() == span.len() && !span.is_empty();
        let delimiters = if is_one { Delimiters::Angle } else { Delimiters::Ambiguous };
        if !span.is_empty() {
            values.push(Value::item(span, slot, delimiters));
        }
    }
}

/// Finds URLs separated by semicolons: the `values` of an animation.
pub(crate) fn semicolon_list(text: &str, slot: SlotId, values: &mut Values) {
    items(text, |char| char == ';', slot, Delimiters::Semicolon, values);
}

/// The names of the pairs of `msapplication-task`, `-badge` and `-notification` with URLs.
const TASK_NAMES: [&str; 7] = [
    "action-uri",
    "icon-uri",
    "polling-uri",
    "polling-uri2",
    "polling-uri3",
    "polling-uri4",
    "polling-uri5",
];

/// Finds the URLs of `msapplication-task` and similar metadata:
/// `name=Check;action-uri=./check;icon-uri=./check.ico`.
pub(crate) fn task(text: &str, slot: SlotId, values: &mut Values) {
    let mut at = 0;
    for pair in text.split(';') {
        if let Some((name, value)) = pair.split_once('=') {
            let name = name.trim();
            if TASK_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let span = url(value).shifted(at + pair.len() - value.len());
                if !span.is_empty() {
                    values.push(Value::item(span, slot, Delimiters::Semicolon));
                }
            }
        }
        at += pair.len() + 1;
    }
}

/// Finds the URL of a refresh: `5; url=next.html`, `0;URL='next.html'`, `5, next.html`. A refresh
/// without a URL refers to their own document.
///
/// An empty URL is reported only after an explicit `url=`.
pub(crate) fn refresh(text: &str, slot: SlotId, values: &mut Values) {
    let Some(found) = header::refresh(text) else { return };
    let delimiters = match found.quote {
        Some(quote) => Delimiters::Quote(quote),
        None if found.is_explicit => Delimiters::AfterUrl,
        None => Delimiters::Bare,
    };
    values.push(Value::item(Span::new(found.span.start, found.span.end), slot, delimiters));
}
