//! The view of `mailto` URLs: an address.

use super::view::Parts;
use crate::split::Reference;

/// A `mailto` URL: `mailto:local@host` (1993 `mailtoaddress`, with one colon; RFC 1738 3.5). A `%`
/// of the address is written `%25`. Header fields after `?` came later (RFC 2368).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Mailto;
/// use urlcore::{Dialect, Reference};
///
/// let r = Reference::split("mailto:a%25b@gw?subject=x", Dialect::Rfc3986);
/// let mail = Mailto::parse(&r).unwrap();
/// assert_eq!((mail.local, mail.host, mail.headers), ("a%25b", Some("gw"), Some("subject=x")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mailto<'a> {
    pub(super) reference: Reference<'a>,
    /// The local part: the text before the last `@`.
    pub local: &'a str,
    /// The host: the text after the last `@`. RFC 1738 allows any address.
    pub host: Option<&'a str>,
    /// The header fields after `?`.
    pub headers: Option<&'a str>,
}

impl<'a> Mailto<'a> {
    /// Returns the view, if the scheme is `mailto` and there is an address or header fields.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let Parts { server: None, rest } = Parts::parse(r, &["mailto"])? else { return None };
        let (address, headers) = match rest.split_once('?') {
            Some((address, headers)) => (address, Some(headers)),
            None => (rest, None),
        };
        let (local, host) = match address.rsplit_once('@') {
            Some((local, host)) => (local, Some(host)),
            None => (address, None),
        };
        (!rest.is_empty()).then_some(Mailto { reference: *r, local, host, headers })
    }
}
