//! Plain text: URLs between delimiters, and bare ones. RFC 3986, appendix C; 1993, section 1.3;
//! 1996, appendix E.

use layers::{Layer, Span};
use urlcore::Dialect;
use urlcore::text::{self, Wrapper};

use crate::format::found::{Delimiters, Found, Value, ValueEncoding, Values};
use crate::format::spec::{CharsetRule, FormatSpec, FoundIn};
use crate::options::AvailableMemory;
use crate::options::Options;
use crate::slots::{SlotId, Syntax};

/// Plain text. Browsers do not read URLs in it, so that these always follow RFC 3986.
pub(super) const FIXED: FormatSpec = FormatSpec {
    extensions: &["txt"],
    opt_in: Some("text"),
    dialect: Some(Dialect::Rfc3986),
    has_relative: false,
    charset: CharsetRule::Guess,
    ..FormatSpec::text(&["text/plain"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        find(text, &mut found.values);
        Ok(found)
    })
};

/// `format=flowed`
pub(super) const FLOWED: FormatSpec = flowed(|text, _, _| unflowed(text, false));

/// `format=flowed; delsp=yes`
pub(super) const FLOWED_WITHOUT_SPACE: FormatSpec = flowed(|text, _, _| unflowed(text, true));

/// Returns a row that only a parameter of the media type selects.
const fn flowed(find: fn(&str, &Options, AvailableMemory) -> FoundIn) -> FormatSpec {
    FormatSpec {
        opt_in: FIXED.opt_in,
        dialect: FIXED.dialect,
        has_relative: FIXED.has_relative,
        charset: FIXED.charset,
        ..FormatSpec::text(FIXED.media_types, find)
    }
}

/// Returns a flowed text as one value, in which [`find`] finds the URLs.
#[allow(clippy::unnecessary_wraps, reason = "the type of the functions of all formats")]
fn unflowed(text: &str, deletes_space: bool) -> FoundIn {
    let written = ValueEncoding::In(Layer::Flowed { deletes_space });
    let span = Span::new(0, text.len());
    let mut found = Found::default();
    found.values.push(Value::text(span, written, SlotId::TEXT_URL, Syntax::PlainText));
    Ok(found)
}

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
        let written = ValueEncoding::In(layer);
        values.push(Value { written, ..Value::item(span, SlotId::TEXT_URL, delimiters) });
    }
}
