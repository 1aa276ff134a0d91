//! The view of `prospero` URLs: an object on a host, with version and attributes.

use super::view::Parts;
use crate::server::Server;
use crate::split::Reference;

/// A `prospero` URL: `prospero://host:port/name%00version` and attributes (1993 `prosperolink`), or
/// `name;field=value` (RFC 1738 3.11). The attributes of 1993 begin at the first character that is
/// not a digit.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Prospero;
/// use urlcore::{Dialect, Reference};
///
/// let parse = |text| Prospero::parse(&Reference::split(text, Dialect::Url1993)).unwrap();
/// let link = parse("prospero://h/a/b%003x");
/// assert_eq!((link.name, link.version, link.attributes), ("a/b", Some("3"), Some("x")));
/// let link = parse("prospero://h/a;k=v;l=w");
/// let fields: Vec<_> = link.fields().map(|field| (field.name, field.value)).collect();
/// assert_eq!(fields, [("k", "v"), ("l", "w")]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prospero<'a> {
    pub(super) reference: Reference<'a>,
    /// The server.
    pub server: Server<'a>,
    /// The host specific object name.
    pub name: &'a str,
    /// The version, in digits.
    pub version: Option<&'a str>,
    /// The attributes after the version, in letters and digits.
    pub attributes: Option<&'a str>,
    pub(super) fields: &'a str,
}

/// A field of RFC 1738 3.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProsperoField<'a> {
    /// The name, before `=`.
    pub name: &'a str,
    /// The value, after `=`.
    pub value: &'a str,
}

impl<'a> Prospero<'a> {
    /// Returns the view, if the scheme is `prospero` and there are a host and a name.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["prospero"])?;
        let path = rest.strip_prefix('/').filter(|path| !path.is_empty())?;
        let (path, fields) = match path.find(';') {
            Some(at) => path.split_at(at),
            None => (path, ""),
        };
        let (name, version, attributes) = match path.split_once("%00") {
            Some((name, rest)) => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let (version, attributes) = rest.split_at(end);
                (name, Some(version), Some(attributes).filter(|text| !text.is_empty()))
            }
            None => (path, None, None),
        };
        Some(Prospero { reference: *r, server, name, version, attributes, fields })
    }

    /// Iterates over the fields of RFC 1738.
    pub fn fields(&self) -> impl Iterator<Item = ProsperoField<'a>> {
        self.fields.split(';').filter_map(|field| {
            let (name, value) = field.split_once('=')?;
            Some(ProsperoField { name, value })
        })
    }
}
