//! One URL, URLs in lists, and image candidates.
//!
//! `meta` refresh in all its spellings: HTML standard, section 4.2.5.3 ("shared declarative refresh
//! steps").

use layers::Span;
use memchr::{memchr, memchr2};
use urlcore::header;

use crate::format::extra::{descriptors, run};
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

/// Finds the files of the calls of `HYPERLINK` in a formula (OpenFormula 1.3, section 6.11.1). One
/// that is computed, or of which only Excel knows the end (`[a.xlsx]B!C1`), has no certain text.
pub(crate) fn formula(text: &str, slot: SlotId, values: &mut Values) {
    const CALL: &str = "HYPERLINK";
    let bytes = text.as_bytes();
    let mut at = 0;
    // Strings, and names in quotes. A doubled quote is one in the text.
    while let Some(start) = memchr2(b'"', b'\'', &bytes[at..]).map(|idx| at + idx) {
        let mut end = start + 1;
        loop {
            let Some(idx) = memchr(bytes[start], &bytes[end..]) else { return };
            end += idx;
            if bytes.get(end + 1) != Some(&bytes[start]) {
                break;
            }
            end += 2;
        }
        at = end + 1;
        let before = text[..start].trim_end().strip_suffix('(').unwrap_or_default().trim_end();
        let name =
            before.len().checked_sub(CALL.len()).and_then(|idx| before.split_at_checked(idx));
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
        let is_call = name.is_some_and(|(before, name)| {
            name.eq_ignore_ascii_case(CALL) && !before.ends_with(is_part)
        });
        if is_call && bytes[start] == b'"' {
            let inner = &text[start + 1..end];
            let is_whole = text[at..].trim_start().starts_with([',', ';', ')']);
            let is_certain = is_whole && !inner.contains('"') && !inner.starts_with('[');
            let quote = Delimiters::Quote(b'"');
            let delimiters = if is_certain { quote } else { Delimiters::Ambiguous };
            values.push(Value::item(Span::new(start + 1, end), slot, delimiters));
        }
    }
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

// Image candidates (HTML standard, section 4.8.4.2.1, "parse a srcset attribute"), and sets of
// them as the plugin bgset of lazysizes 5 reads them.

/// Finds the URLs of a `srcset`, descriptors skipped. A comma inside a URL belongs to it; commas at
/// its end do not.
pub(crate) fn candidates(text: &str, slot: SlotId, values: &mut Values) {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += run(&bytes[at..], |byte| byte.is_ascii_whitespace() || byte == b',');
        if at == bytes.len() {
            return;
        }
        let start = at;
        at += run(&bytes[at..], |byte| !byte.is_ascii_whitespace());
        let url = text[start..at].trim_end_matches(',');
        values.push(Value::item(Span::new(start, start + url.len()), slot, Delimiters::Candidate));
        if start + url.len() == at {
            at += descriptors(&bytes[at..]);
        }
    }
}

/// Finds the URLs of sets of image candidates: they are separated by `|` with white space next to
/// it, and each may end with a media query in brackets.
pub(crate) fn candidate_sets(text: &str, slot: SlotId, values: &mut Values) {
    let bytes = text.as_bytes();
    let is_space = |idx: Option<usize>| {
        idx.and_then(|idx| bytes.get(idx)).is_some_and(u8::is_ascii_whitespace)
    };
    let mut start = 0;
    for end in memchr::memchr_iter(b'|', bytes).chain([bytes.len()]) {
        if end < bytes.len() && !is_space(end.checked_sub(1)) && !is_space(Some(end + 1)) {
            continue;
        }
        let set = &text[start..end];
        let query = set.match_indices('[').find(|(at, _)| {
            set[..*at].is_empty() || set[..*at].ends_with(|char: char| char.is_ascii_whitespace())
        });
        let n_before = values.len();
        candidates(&set[..query.map_or(set.len(), |(at, _)| at)], slot, values);
        for value in &mut values[n_before..] {
            value.span = value.span.shifted(start);
        }
        start = end + 1;
    }
}
