//! Image candidates (HTML standard, section 4.8.4.2.1, "parse a srcset attribute"), and sets of
//! them as the plugin bgset of lazysizes 5 reads them.

use layers::Span;

use crate::format::found::{Delimiters, Value, Values};
use crate::slots::SlotId;

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

/// Returns true if a text consists of image candidates, at least one of which has a descriptor.
pub(crate) fn are_candidates(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut has_some) = (0, false);
    loop {
        at += run(&bytes[at..], |byte| byte.is_ascii_whitespace() || byte == b',');
        if at == bytes.len() {
            return has_some;
        }
        let end = at + run(&bytes[at..], |byte| !byte.is_ascii_whitespace());
        let has_comma = text[at..end].ends_with(',');
        at = end;
        if !has_comma {
            at += descriptors(&bytes[end..]);
            let words = text[end..at].strip_suffix(',').unwrap_or(&text[end..at]);
            if !words.split_ascii_whitespace().all(is_descriptor) {
                return false;
            }
            has_some |= !words.trim_ascii().is_empty();
        }
    }
}

/// Returns true if a word is a width, a height or a density: `300w`, `1.5x`.
pub(crate) fn is_descriptor(word: &str) -> bool {
    let number = word.trim_end_matches(',').strip_suffix(['w', 'x', 'h']);
    number.is_some_and(|number| {
        number.parse::<f64>().is_ok_and(|number| number > 0.0 && number.is_finite())
    })
}

fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is(*byte)).unwrap_or(bytes.len())
}

/// Returns the length of the descriptors up to the comma that ends them; a comma in parentheses
/// does not.
fn descriptors(bytes: &[u8]) -> usize {
    let mut is_in_parens = false;
    let mut is_ended = |byte: &u8| {
        match byte {
            b'(' => is_in_parens = true,
            b')' => is_in_parens = false,
            _ => {}
        }
        *byte == b',' && !is_in_parens
    };
    bytes.iter().position(&mut is_ended).map_or(bytes.len(), |idx| idx + 1)
}
