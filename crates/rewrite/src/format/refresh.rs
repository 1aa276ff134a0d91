//! `meta` refresh in all its spellings: HTML standard, section 4.2.5.3 ("shared declarative refresh
//! steps").

use layers::Span;
use urlcore::header;

use crate::format::found::{Delimiters, Value, Values};
use crate::slots::SlotId;

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
