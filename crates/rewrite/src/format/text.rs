//! Plain text: URLs between delimiters, and bare ones. RFC 3986, appendix C; 1993, section 1.3;
//! 1996, appendix E.

use layers::{Layer, Span};
use urlcore::text::{self, Wrapper};

use crate::format::found::{Delimiters, Value, Values, Written};
use crate::slots::SlotId;

/// Finds the URLs of a text. Relative references are not recognized in plain text.
pub(crate) fn find(text: &str, values: &mut Values) {
    for found in text::find(text) {
        let span = Span::new(found.span.start, found.span.end);
        let delimiters = match found.wrapper {
            _ if found.without_hyphens.is_some() => Delimiters::Ambiguous,
            Wrapper::Angle => Delimiters::Angle,
            Wrapper::Quotes => Delimiters::Quote(b'"'),
            Wrapper::Bare => Delimiters::Running,
        };
        // The texts can differ only in white space.
        let layer = if found.url.len() == span.len() { Layer::Text } else { Layer::Wrapped };
        let written = Written::In(layer);
        values.push(Value { written, ..Value::item(span, SlotId::TEXT_URL, delimiters) });
    }
}
