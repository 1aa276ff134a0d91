//! The views of URLs of services with rules of their own: mail, news, Gopher, WAIS and Prospero.

use super::server::{Parts, path_and_search};
use crate::server::Server;
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

/// A `news` URL: `news:*`, `news:group`, `news:article@host` (1993 `newsaddress`; RFC 1738 3.6).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::{News, NewsPart};
/// use urlcore::{Dialect, Reference};
///
/// let part = |text| News::parse(&Reference::split(text, Dialect::Url1993)).unwrap().part;
/// assert_eq!(part("news:*"), NewsPart::All);
/// assert_eq!(part("news:comp.lang.c"), NewsPart::Group("comp.lang.c"));
/// assert_eq!(part("news:1993Nov1.1@h"), NewsPart::Article { id: "1993Nov1.1", host: "h" });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct News<'a> {
    pub(super) reference: Reference<'a>,
    /// The object that the URL names.
    pub part: NewsPart<'a>,
}

/// The object that a `news` URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NewsPart<'a> {
    /// All groups.
    All,
    /// A group.
    Group(&'a str),
    /// An article, which its `@` distinguishes from a group.
    Article {
        /// The message identifier up to its last `@`. It may have slashes.
        id: &'a str,
        /// The message identifier after its last `@`.
        host: &'a str,
    },
}

impl<'a> NewsPart<'a> {
    pub(super) fn parts(self) -> [(&'static str, Option<&'a str>); 2] {
        match self {
            NewsPart::All => [("group", Some("*")), ("", None)],
            NewsPart::Group(group) => [("group", Some(group)), ("", None)],
            NewsPart::Article { id, host } => [("article", Some(id)), ("host", Some(host))],
        }
    }
}

impl<'a> News<'a> {
    /// Returns the view, if the scheme is `news` and the rest is not empty.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let Parts { server: None, rest } = Parts::parse(r, &["news"])? else { return None };
        let part = match rest.rsplit_once('@') {
            Some((id, host)) if !id.is_empty() && !host.is_empty() => {
                NewsPart::Article { id, host }
            }
            Some(_) => return None,
            None if rest == "*" => NewsPart::All,
            None if rest.is_empty() => return None,
            None => NewsPart::Group(rest),
        };
        Some(News { reference: *r, part })
    }
}

/// An `nntp` URL: `nntp://host:port/group/number` (1993 "NNTP", prose; RFC 1738 3.7), or
/// `nntp:group/number` (1993 `nntpaddress`).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Nntp;
/// use urlcore::{Dialect, Reference};
///
/// for text in ["nntp:comp.lang.c/42", "nntp://h/comp.lang.c/42"] {
///     let nntp = Nntp::parse(&Reference::split(text, Dialect::Url1993)).unwrap();
///     assert_eq!((nntp.group, nntp.number), ("comp.lang.c", Some("42")));
///     assert_eq!(nntp.server.is_some(), text.contains("//"));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nntp<'a> {
    pub(super) reference: Reference<'a>,
    /// The server, which the BNF of 1993 omits.
    pub server: Option<Server<'a>>,
    /// The newsgroup.
    pub group: &'a str,
    /// The number of an article in it, which RFC 1738 5 allows to be omitted.
    pub number: Option<&'a str>,
}

impl<'a> Nntp<'a> {
    /// Returns the view, if the scheme is `nntp`, there is a group, and the number, if there is
    /// one, has digits only.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let Parts { server, rest } = Parts::parse(r, &["nntp"])?;
        let rest = if server.is_some() { rest.strip_prefix('/')? } else { rest };
        let (group, number) = match rest.split_once('/') {
            Some((group, number)) => (group, Some(number)),
            None => (rest, None),
        };
        let is_number = |n: &str| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit());
        let is_nntp = !group.is_empty() && number.is_none_or(is_number);
        is_nntp.then_some(Nntp { reference: *r, server, group, number })
    }
}

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

/// A `wais` URL (1993 `waisindex` and `waisdoc`; RFC 1738 3.9). A document has a second slash, an
/// index has not.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::{Wais, WaisPart};
/// use urlcore::{Dialect, Reference};
///
/// let parse = |text| Wais::parse(&Reference::split(text, Dialect::Url1993)).unwrap();
/// assert_eq!(parse("wais://h/db").part, WaisPart::Index { search: None });
/// let document = WaisPart::Document { wtype: "TEXT", path: "1=%3A0" };
/// assert_eq!(parse("wais://h/db/TEXT/1=%3A0").part, document);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wais<'a> {
    pub(super) reference: Reference<'a>,
    /// The server.
    pub server: Server<'a>,
    /// The name of the database.
    pub database: &'a str,
    /// The part of the database that the URL names.
    pub part: WaisPart<'a>,
}

/// The part of a database that a `wais` URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaisPart<'a> {
    /// The index, possibly with a search.
    Index {
        /// The search: the text after `?`.
        search: Option<&'a str>,
    },
    /// A document.
    Document {
        /// The type of the document, which a client must know before it requests it.
        wtype: &'a str,
        /// The identifier of the document.
        path: &'a str,
    },
}

impl<'a> WaisPart<'a> {
    pub(super) fn parts(self) -> [(&'static str, Option<&'a str>); 2] {
        match self {
            WaisPart::Index { search } => [("search", search), ("", None)],
            WaisPart::Document { wtype, path } => [("type", Some(wtype)), ("path", Some(path))],
        }
    }
}

impl<'a> Wais<'a> {
    /// Returns the view, if the scheme is `wais` and there are a host and a database.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["wais"])?;
        let (path, search) = path_and_search(rest);
        let path = path?;
        let (database, part) = match path.split_once('/') {
            Some((database, rest)) => {
                let (wtype, path) = rest.split_once('/')?;
                (database, WaisPart::Document { wtype, path })
            }
            None => (path, WaisPart::Index { search }),
        };
        (!database.is_empty()).then_some(Wais { reference: *r, server, database, part })
    }
}

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
