//! The end of a scheme, and the schemes that have rules of their own.
//!
//! Invariant: a scheme is a non-empty run before the first `:` of a reference; which characters it
//! may have is a switch of the dialect. Sections: RFC 1808 2.4.2; RFC 3986 3.1 and appendix B;
//! WHATWG URL 4.2.

use crate::rules::{Rules, SchemeTest};
use crate::scan::{CLASSES, SCHEME, first_of};

/// The schemes with rules of their own (WHATWG URL 4.2).
const SPECIAL_SCHEMES: [(&str, SchemeKind); 6] = [
    ("http", SchemeKind::Special),
    ("https", SchemeKind::Special),
    ("file", SchemeKind::File),
    ("ftp", SchemeKind::Special),
    ("ws", SchemeKind::Special),
    ("wss", SchemeKind::Special),
];

/// The rules of a dialect for the URLs of a scheme. In the RFC dialects every scheme is
/// [`Other`](Self::Other).
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, SchemeKind};
///
/// assert_eq!(Dialect::Web.rules().kind_of("HTTP"), SchemeKind::Special);
/// assert_eq!(Dialect::Web.rules().kind_of("mailto"), SchemeKind::Other);
/// assert_eq!(Dialect::Rfc3986.rules().kind_of("http"), SchemeKind::Other);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemeKind {
    /// `http`, `https`, `ws`, `wss`, `ftp` of the web: always an authority, `\` is `/`, any number
    /// of slashes.
    Special,
    /// `file` of the web: as above, but exactly two slashes begin an authority, and there are drive
    /// letters.
    File,
    /// No rules beyond the generic ones.
    Other,
}

impl SchemeKind {
    /// Returns true if the byte separates path segments in URLs of this kind.
    #[inline]
    pub(crate) fn is_slash(self, byte: u8) -> bool {
        byte == b'/' || (byte == b'\\' && self != Self::Other)
    }

    /// Returns the number of separators at the start of the bytes.
    pub(crate) fn leading_slashes(self, bytes: &[u8]) -> usize {
        bytes.iter().take_while(|&&byte| self.is_slash(byte)).count()
    }
}

impl Rules {
    /// Returns the kind of a scheme, given without its `:` in any case.
    #[must_use]
    pub fn kind_of(&self, scheme: &str) -> SchemeKind {
        if !self.special_schemes {
            return SchemeKind::Other;
        }
        let known = SPECIAL_SCHEMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme));
        known.map_or(SchemeKind::Other, |&(_, kind)| kind)
    }

    /// Returns the kind for a relative reference whose base is not known: that of `http`.
    pub(crate) fn kind_without_base(&self) -> SchemeKind {
        if self.special_schemes { SchemeKind::Special } else { SchemeKind::Other }
    }

    /// Returns the index of the `:` that ends the scheme, if the text begins with a scheme.
    #[inline]
    pub(crate) fn scheme_end(&self, text: &[u8]) -> Option<usize> {
        self.scheme_end_at(text, first_of(text, [b':', b'/', b'?', b'#']))
    }

    /// Returns the same as [`scheme_end`](Self::scheme_end), given the index of the first `:`, `/`,
    /// `?` or `#`.
    #[inline]
    pub(crate) fn scheme_end_at(&self, text: &[u8], end: usize) -> Option<usize> {
        if end == 0 || text.get(end) != Some(&b':') {
            return None;
        }
        let is_scheme = |byte: &u8| CLASSES[usize::from(*byte)] & SCHEME != 0;
        let is_allowed = match self.scheme {
            SchemeTest::NoDelimiter => true,
            SchemeTest::SchemeCharacters => text[..end].iter().all(is_scheme),
            SchemeTest::AlphaFirst => {
                text[0].is_ascii_alphabetic() && text[..end].iter().all(is_scheme)
            }
        };
        is_allowed.then_some(end)
    }
}
