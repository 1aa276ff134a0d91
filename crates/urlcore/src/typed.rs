//! References as people type them: with delimiters around them, the prefix `URL:`, and white space.
//!
//! Only the dialects of 1993 to 1996 define these; in later ones a text is the reference itself.
//! Invariant: the result has no byte that the text does not have. Sections: 1993 `prefixedurl` and
//! 1.3; RFC 1738, appendix; 1996 appendix E.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::dialect::Dialect;
use crate::scheme::without_prefix;
use crate::text::joined;
use crate::validate::Strictness;

/// A typed reference without the delimiters, prefix and white space around it.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Strictness, typed};
///
/// let broken = typed("<URL:http://h/long-\n name>", Dialect::Rfc1808, Strictness::Strict);
/// assert_eq!(broken.reference, "http://h/long-name");
/// assert_eq!(broken.without_hyphens.as_deref(), Some("http://h/longname"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed<'t> {
    /// The reference.
    pub reference: Cow<'t, str>,
    /// The reference without the hyphens at which a line ends, if there are any: a typesetter may
    /// have put them there (1996 appendix E).
    pub without_hyphens: Option<String>,
}

/// Strips `<…>`, `"…"`, the prefix `URL:` in any case and white space from a typed reference.
///
/// White space inside is removed where delimiters or the prefix show the extent of the reference,
/// and where it contains a line end; with [`Strictness::Lenient`] it is removed everywhere, as 1996
/// appendix E recommends for software that accepts typed URLs. Spaces and quotes are kept in
/// [`Dialect::Url1993`], which allows them in URLs; there only line ends and the white space around
/// them are removed.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Strictness, typed};
///
/// let read = |text, dialect| typed(text, dialect, Strictness::Lenient).reference.into_owned();
/// assert_eq!(read("URL:http://h/", Dialect::Url1993), "http://h/");
/// assert_eq!(read("<URL: http://h/a b>", Dialect::Rfc1808), "http://h/ab");
/// assert_eq!(read("<URL: http://h/a b>", Dialect::Url1993), "http://h/a b");
/// assert_eq!(read("\"http://h/\"", Dialect::UrlSyntax1996), "http://h/");
/// assert_eq!(read("<http://h/>", Dialect::Rfc3986), "<http://h/>");
/// ```
#[must_use]
pub fn typed(text: &str, dialect: Dialect, strictness: Strictness) -> Typed<'_> {
    let is_early = matches!(
        dialect,
        Dialect::Url1993 | Dialect::Rfc1808Draft05 | Dialect::Rfc1808 | Dialect::UrlSyntax1996
    );
    if !is_early {
        return Typed { reference: Cow::Borrowed(text), without_hyphens: None };
    }
    let set = dialect.grammar().path.set;
    let trimmed = text.trim();
    let pair = |open: char, close: char| trimmed.strip_prefix(open)?.strip_suffix(close);
    let quoted = || pair('"', '"').filter(|_| !set.has(b'"'));
    let delimited = pair('<', '>').or_else(quoted);
    let inside = delimited.unwrap_or(trimmed).trim();
    let unprefixed = without_prefix(inside);
    let is_marked = delimited.is_some() || unprefixed.len() < inside.len();
    let removes_all = !set.has(b' ') && (is_marked || strictness == Strictness::Lenient);
    let (reference, without_hyphens) = joined(unprefixed, removes_all);
    Typed { reference, without_hyphens }
}
