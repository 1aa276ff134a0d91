//! The view of `gopher` URLs: an item of a menu, by its type and selector.

use super::view::{Parts, path_and_search};
use crate::server::Server;
use crate::split::Reference;

/// A `gopher` URL: `gopher://host:port/`, type and selector, then a search: after `?` in 1993
/// (`gopheraddress`), after `%09` in RFC 1738 3.4, where a second `%09` begins a Gopher+ string.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Gopher;
/// use urlcore::{Dialect, Reference};
///
/// let parse = |text| Gopher::parse(&Reference::split(text, Dialect::Url1993)).unwrap();
/// // A selector often repeats the type.
/// let gopher = parse("gopher://h/00/Weather");
/// assert_eq!((gopher.item_type(), gopher.selector), ("0", "0/Weather"));
/// assert_eq!(parse("gopher://h").item_type(), "1");
/// assert_eq!(parse("gopher://h/7db?x+y").search, Some("x+y"));
/// assert_eq!(parse("gopher://h/7db%09x").search, Some("x"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gopher<'a> {
    pub(super) reference: Reference<'a>,
    /// The server.
    pub server: Server<'a>,
    pub(super) item_type: Option<&'a str>,
    /// The selector string, which is sent unchanged after decoding.
    pub selector: &'a str,
    /// The search string.
    pub search: Option<&'a str>,
    /// The Gopher+ string: the text after the second `%09`.
    pub plus: Option<&'a str>,
}

impl<'a> Gopher<'a> {
    /// Returns the view, if the scheme is `gopher` and there is a host.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["gopher"])?;
        let (path, search) = path_and_search(rest);
        let path = path.unwrap_or_default();
        let end = match path.chars().next() {
            // An escaped type.
            Some('%') if path.get(..3).is_some() => 3,
            first => first.map_or(0, char::len_utf8),
        };
        let item_type = (end > 0).then_some(&path[..end]);
        let mut fields = path[end..].splitn(3, "%09");
        let selector = fields.next().unwrap_or_default();
        let search = fields.next().or(search);
        Some(Gopher { reference: *r, server, item_type, selector, search, plus: fields.next() })
    }

    /// Returns the type of the item, a character; `1`, a menu, if there is none (RFC 1738 3.4.1).
    #[must_use]
    pub fn item_type(&self) -> &'a str {
        self.item_type.unwrap_or("1")
    }
}
