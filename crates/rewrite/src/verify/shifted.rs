//! The values of an edited page without reading all of it again.
//!
//! Outside of its edits the output is the input, which [`Between`](super::Between) checks byte for
//! byte. If no edit reaches out of its value and no edited value can end early, the tokenizer is in
//! the same state before and after each value as it was in the input. So the output has the values
//! of the input, shifted. Each is then decoded and resolved again from the bytes of the output, and
//! texts that contain references (a `srcset`, a `style`, the markup of a `noscript`) are searched
//! again.
//!
//! A page of which that is not certain is read as a whole, and so is one in [`SAMPLE`].

#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher};

use layers::{Edit, Layer, Quote, Span};
use memchr::{memchr, memchr_iter};

use crate::format::found::{Found, Value, ValueEncoding};
use crate::options::{Options, Verify};
use crate::slots::{Slot, SlotId, Syntax};
use crate::unit::Unit;
use crate::walk::document::PageValues;

/// One page of this many is always read as a whole.
const SAMPLE: u64 = 64;

/// The bytes of a page that decide, with its length and URL, if it is in the sample.
const SAMPLE_BYTES: usize = 256;

/// Returns true if the output of a page must be read as a whole.
pub(crate) fn is_read_whole(unit: Unit<'_>, options: &Options) -> bool {
    options.verify != Verify::Fast || !options.extras.is_empty() || is_in_sample(unit)
}

fn is_in_sample(unit: Unit<'_>) -> bool {
    let mut hasher = DefaultHasher::new();
    unit.own_url.hash(&mut hasher);
    unit.bytes.len().hash(&mut hasher);
    unit.bytes[..unit.bytes.len().min(SAMPLE_BYTES)].hash(&mut hasher);
    hasher.finish().is_multiple_of(SAMPLE)
}

/// Returns the values of an output, given those of the input. `None` if an edit could add, remove
/// or change another value.
pub(crate) fn values(page: PageValues, edits: &[Edit], output: &[u8]) -> Option<Found> {
    let PageValues { mut found, start } = page;
    let is_simple = found.codebases.is_empty()
        && found.scopes.is_empty()
        && found.skipped.is_empty()
        && found.cuts.is_empty();
    if !is_simple {
        return None;
    }
    let mut edits = edits.iter().peekable();
    let (mut n_added, mut n_removed) = (0, 0);
    for value in found.values.iter_mut() {
        let old = value.span.shifted(start);
        let new_start = (old.start + n_added).checked_sub(n_removed)?;
        let mut is_edited = false;
        while let Some(edit) = edits.next_if(|edit| edit.span.start <= old.end) {
            if edit.span.start < old.start || old.end < edit.span.end {
                return None;
            }
            n_added += edit.text.len();
            n_removed += edit.span.len();
            is_edited = true;
        }
        let new = Span::new(new_start, (old.end + n_added).checked_sub(n_removed)?);
        if is_edited && !is_closed(value, output.get(new.start..new.end)?) {
            return None;
        }
        value.span = Span::new(new.start.checked_sub(start)?, new.end.checked_sub(start)?);
    }
    edits.next().is_none().then_some(found)
}

/// Returns true if a value with this text ends where it did, and no other value depends on it.
fn is_closed(value: &Value, text: &[u8]) -> bool {
    let Ok(slot) = value.slot.row() else { return false };
    let has = |byte| memchr(byte, text).is_some();
    match value.written {
        ValueEncoding::In(Layer::Attribute(quote)) => {
            is_independent(slot)
                && match quote {
                    Quote::Double => !has(b'"'),
                    Quote::Single => !has(b'\''),
                    Quote::None => is_unquoted(text),
                    Quote::Missing | Quote::NameOnly => false,
                }
        }
        _ if matches!(value.slot, SlotId::NOSCRIPT | SlotId::STYLE) => {
            let has_end = |end: &str| {
                memchr_iter(b'<', text).any(|at| {
                    let tag = text.get(at..at + end.len());
                    tag.is_some_and(|tag| tag.eq_ignore_ascii_case(end.as_bytes()))
                })
            };
            !text.is_empty() && !value.guards().forbidden.iter().any(|end| has_end(end))
        }
        _ => false,
    }
}

/// Returns true if the value of an attribute decides neither if it is a reference nor on other
/// attributes or the document: the `content` of a `<meta>` may do both.
fn is_independent(slot: &Slot) -> bool {
    !matches!(slot.attribute, "classid" | "codebase" | "content" | "environment-image")
        && slot.syntax != Syntax::Html
}

/// Returns true if a value without quotes with this text ends where the text does (HTML standard,
/// sections 13.2.5.35 and 13.2.5.38).
fn is_unquoted(text: &[u8]) -> bool {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r' | b'>');
    text.first().is_some_and(|first| !matches!(first, b'"' | b'\'')) && !text.iter().any(is_end)
}
