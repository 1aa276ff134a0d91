//! The result of resolving a reference: a URL, or the document that contains the reference.
//!
//! Invariant: a [`Resolution::Url`] is absolute. The text of a resolution, which `Display` writes,
//! is complete: the URL, or a same-document reference. Sections: 1996 5.2 step 2; RFC 2396 4.2 and
//! 5.2 step 2.

use core::fmt;

/// The result of resolving a reference. `T` is `&str` if the text is in a buffer of the caller,
/// else `String`.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Resolution, Resolver};
///
/// let resolve = |dialect| Resolver::new("http://a/b", dialect).unwrap().resolve("#s").unwrap();
/// assert_eq!(resolve(Dialect::Rfc3986), "http://a/b#s");
/// let fragment = Some("s".to_owned());
/// assert_eq!(resolve(Dialect::Rfc2396), Resolution::SameDocument { fragment });
/// assert_eq!(resolve(Dialect::Rfc2396).to_string(), "#s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolution<T> {
    /// A URL: the target (RFC 3986 5.2).
    Url(T),
    /// The current document, which need not be what the base names (1996 5.2 step 2; RFC 2396 4.2).
    /// [`Dialect::Url1993`](crate::Dialect::Url1993), which does not define it, is read the same
    /// way.
    SameDocument {
        /// The fragment, without its `#`.
        fragment: Option<T>,
    },
}

impl<T> Resolution<T> {
    /// Returns the URL, or `None` for the current document.
    #[must_use]
    pub fn url(self) -> Option<T> {
        match self {
            Self::Url(url) => Some(url),
            Self::SameDocument { .. } => None,
        }
    }

    /// Converts the text, and keeps the variant.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Resolution<U> {
        match self {
            Self::Url(url) => Resolution::Url(change(url)),
            Self::SameDocument { fragment } => {
                Resolution::SameDocument { fragment: fragment.map(change) }
            }
        }
    }
}

impl<T: AsRef<str>> PartialEq<str> for Resolution<T> {
    /// Returns true if the resolution is the given URL.
    fn eq(&self, url: &str) -> bool {
        matches!(self, Self::Url(own) if own.as_ref() == url)
    }
}

impl<T: AsRef<str>> PartialEq<&str> for Resolution<T> {
    /// Returns true if the resolution is the given URL.
    fn eq(&self, url: &&str) -> bool {
        *self == **url
    }
}

impl<T: fmt::Display> fmt::Display for Resolution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => url.fmt(f),
            Self::SameDocument { fragment: Some(fragment) } => write!(f, "#{fragment}"),
            Self::SameDocument { fragment: None } => Ok(()),
        }
    }
}
