//! The view of `wais` URLs: a database, a search in it, or a document of it.

use super::view::{Parts, path_and_search};
use crate::server::Server;
use crate::split::Reference;

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
