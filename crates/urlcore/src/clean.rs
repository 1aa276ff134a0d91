//! The cleaning of a reference: the removal of ignored characters before it is read.
//!
//! Invariant: the result borrows the text unless it contains a tab, LF or CR inside. Cleaning is
//! idempotent. Section: WHATWG URL 4.4, steps 1 to 3 of the basic URL parser.

use alloc::borrow::Cow;

use crate::dialect::Dialect;
use crate::rules::Rules;
use crate::scan::has_below;

/// Returns the reference without the characters that the dialect ignores: in [`Dialect::Web`] C0
/// controls and spaces at both ends, and tab, LF and CR anywhere; in the RFC dialects nothing.
///
/// # Examples
///
/// ```
/// use std::borrow::Cow;
/// use urlcore::{Dialect, clean};
///
/// assert_eq!(clean(" g\t/\nh ", Dialect::Web), "g/h");
/// assert_eq!(clean(" g ", Dialect::Rfc3986), " g ");
/// assert!(matches!(clean(" g ", Dialect::Web), Cow::Borrowed("g")));
/// ```
#[must_use]
pub fn clean(text: &str, dialect: Dialect) -> Cow<'_, str> {
    clean_by(text, dialect.rules())
}

/// Cleans as [`clean`] does, for a table of switches.
#[inline]
pub(crate) fn clean_by<'a>(text: &'a str, rules: &Rules) -> Cow<'a, str> {
    if !rules.cleans {
        return Cow::Borrowed(text);
    }
    let is_space = |byte: Option<&u8>| byte.is_some_and(|&byte| byte <= b' ');
    let (first, last) = (text.as_bytes().first(), text.as_bytes().last());
    let text =
        if is_space(first) || is_space(last) { text.trim_matches(|c| c <= ' ') } else { text };
    if has_below(text.as_bytes(), b'\r' + 1) && text.bytes().any(is_removed) {
        let kept = text.chars().filter(|&c| !matches!(c, '\t' | '\n' | '\r'));
        return Cow::Owned(kept.collect());
    }
    Cow::Borrowed(text)
}

/// Returns true for the bytes that are removed anywhere in a reference.
fn is_removed(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}
