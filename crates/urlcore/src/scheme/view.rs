//! The enum of all views.

use core::fmt;

use super::{File, Ftp, Gopher, HttpUrl, Mailto, News, Nntp, Prospero, Session, Wais};
use crate::server::Server;
use crate::split::Reference;

/// Implements `Display` for each view, which writes the text of the URL.
macro_rules! displayed {
    ($($view:ident)*) => {$(
        impl fmt::Display for $view<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.reference.fmt(f)
            }
        }
    )*};
}

displayed! { File Ftp Gopher HttpUrl Mailto News Nntp Prospero Session Wais }

/// A URL in the view of its scheme.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::{View, WaisPart};
/// use urlcore::{Dialect, Reference};
///
/// let text = "wais://quake.think.com/wais-discussion-archives?lynch";
/// let r = Reference::split(text, Dialect::Url1993);
/// let Some(View::Wais(wais)) = View::parse(&r) else { panic!("no view") };
/// assert_eq!(wais.database, "wais-discussion-archives");
/// assert_eq!(wais.part, WaisPart::Index { search: Some("lynch") });
/// assert_eq!(View::parse(&Reference::split("data:,x", Dialect::Url1993)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum View<'a> {
    /// `http`, `https`.
    Http(HttpUrl<'a>),
    /// `ftp`.
    Ftp(Ftp<'a>),
    /// `file`.
    File(File<'a>),
    /// `news`.
    News(News<'a>),
    /// `nntp`.
    Nntp(Nntp<'a>),
    /// `mailto`.
    Mailto(Mailto<'a>),
    /// `telnet`, `rlogin`, `tn3270`.
    Session(Session<'a>),
    /// `gopher`.
    Gopher(Gopher<'a>),
    /// `wais`.
    Wais(Wais<'a>),
    /// `prospero`.
    Prospero(Prospero<'a>),
}

impl<'a> View<'a> {
    /// Returns the view of the scheme of the URL, if there is one.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let http = HttpUrl::parse(r).map(View::Http);
        http.or_else(|| Ftp::parse(r).map(View::Ftp))
            .or_else(|| File::parse(r).map(View::File))
            .or_else(|| News::parse(r).map(View::News))
            .or_else(|| Nntp::parse(r).map(View::Nntp))
            .or_else(|| Mailto::parse(r).map(View::Mailto))
            .or_else(|| Session::parse(r).map(View::Session))
            .or_else(|| Gopher::parse(r).map(View::Gopher))
            .or_else(|| Wais::parse(r).map(View::Wais))
            .or_else(|| Prospero::parse(r).map(View::Prospero))
    }

    /// Iterates over the names and values of the parts of the URL, in the order of the text.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        let server = |server: Option<Server<'a>>| {
            [
                ("user", server.and_then(|server| server.user)),
                ("password", server.and_then(|server| server.password)),
                ("host", server.map(|server| server.host)),
                ("port", server.and_then(|server| server.port)),
            ]
        };
        let none = ("", None);
        let (server, own) = match *self {
            View::Http(v) => {
                (server(Some(v.server)), [("path", v.path), ("search", v.search), none, none])
            }
            View::Ftp(v) => {
                (server(Some(v.server)), [("path", v.path), ("type", v.type_code), none, none])
            }
            View::File(v) => (server(v.server), [("path", Some(v.path)), none, none, none]),
            View::News(v) => {
                let [first, second] = v.part.parts();
                (server(None), [first, second, none, none])
            }
            View::Nntp(v) => {
                (server(v.server), [("group", Some(v.group)), ("number", v.number), none, none])
            }
            View::Mailto(v) => {
                let own =
                    [("local", Some(v.local)), ("host", v.host), ("headers", v.headers), none];
                (server(None), own)
            }
            View::Session(v) => (server(Some(v.server)), [none; 4]),
            View::Gopher(v) => {
                let (selector, search) = (("selector", Some(v.selector)), ("search", v.search));
                (
                    server(Some(v.server)),
                    [("type", v.item_type), selector, search, ("plus", v.plus)],
                )
            }
            View::Wais(v) => {
                let [first, second] = v.part.parts();
                (server(Some(v.server)), [("database", Some(v.database)), first, second, none])
            }
            View::Prospero(v) => {
                let (version, attributes) = (("version", v.version), ("attributes", v.attributes));
                let fields = ("fields", Some(v.fields).filter(|fields| !fields.is_empty()));
                (server(Some(v.server)), [("name", Some(v.name)), version, attributes, fields])
            }
        };
        server.into_iter().chain(own).filter_map(|(name, part)| Some((name, part?)))
    }
}
