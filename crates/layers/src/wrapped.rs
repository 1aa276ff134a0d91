//! URLs between delimiters in running text, broken over lines: white space in them is not part of
//! them.
//!
//! Invariant: a unit is a stretch of white space, and decodes to nothing; new text contains none.
//! RFC 3986, appendix C; 1996 appendix E.

use crate::map::{Builder, Decoded};
use crate::{Span, Unliftable};

/// Decodes a URL; borrows it if it has no white space.
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::wrapped::decode("http://h/a-\r\n   b").text, "http://h/a-b");
/// ```
pub fn decode(raw: &str) -> Decoded<'_> {
    if !raw.contains(char::is_whitespace) {
        return Decoded::plain(raw);
    }
    let mut builder = Builder::with_capacity(raw.len());
    let mut at = 0;
    while let Some(space) = raw[at..].find(char::is_whitespace).map(|idx| at + idx) {
        builder.plain(&raw[at..space]);
        let rest = &raw[space..];
        at = space + rest.find(|char: char| !char.is_whitespace()).unwrap_or(rest.len());
        builder.unit(Span::new(space, at), "");
    }
    builder.plain(&raw[at..]);
    builder.finish()
}

/// Writes a text, which must contain no white space.
pub(crate) fn encode(text: &str, out: &mut String) -> Result<(), Unliftable> {
    if let Some(char) = text.chars().find(|char| char.is_whitespace()) {
        return Err(Unliftable::Unencodable(char));
    }
    out.push_str(text);
    Ok(())
}
