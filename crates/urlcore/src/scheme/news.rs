//! The views of `news` and `nntp` URLs: groups and articles, on any server or on a given one.

use super::view::Parts;
use crate::server::Server;
use crate::split::Reference;

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
