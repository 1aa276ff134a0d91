//! The views of URLs that are a server and a path (`http`, `ftp`, `file`), or only a server
//! (`telnet`, `rlogin`, `tn3270`); and the parts that these and URLs of other schemes have.

use crate::server::Server;
use crate::split::Reference;

/// The parts that URLs of many schemes have, as written.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// The server between `//` and the next `/` or `?`.
    pub(super) server: Option<Server<'a>>,
    /// The text after it, from the slash or question mark up to the fragment.
    pub(super) rest: &'a str,
}

impl<'a> Parts<'a> {
    /// Returns the parts of a URL, if it has one of the schemes.
    pub(super) fn parse(r: &Reference<'a>, schemes: &[&str]) -> Option<Self> {
        let text = r.text();
        let (scheme, rest) = text.split_once(':')?;
        schemes.iter().find(|name| name.eq_ignore_ascii_case(scheme))?;
        let rest = rest.split('#').next().unwrap_or(rest);
        let Some(after) = rest.strip_prefix("//") else {
            return Some(Parts { server: None, rest });
        };
        let end = after.find(['/', '?']).unwrap_or(after.len());
        let (server, rest) = after.split_at(end);
        Some(Parts { server: Some(Server::split(server)), rest })
    }

    /// Returns the server and the rest of a URL, if it has one of the schemes and a host.
    pub(super) fn with_host(r: &Reference<'a>, schemes: &[&str]) -> Option<(Server<'a>, &'a str)> {
        let parts = Parts::parse(r, schemes)?;
        Some((parts.server.filter(|server| !server.host.is_empty())?, parts.rest))
    }
}

/// Returns the path after the first slash, and the search after `?`.
pub(super) fn path_and_search(rest: &str) -> (Option<&str>, Option<&str>) {
    let (path, search) = match rest.split_once('?') {
        Some((path, search)) => (path, Some(search)),
        None => (rest, None),
    };
    (path.strip_prefix('/'), search)
}

/// An `http` URL: `http://host:port/path?search` (1993 `httpaddress`; RFC 1738 3.3). An `https` URL
/// has the same parts.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::HttpUrl;
/// use urlcore::{Dialect, Reference};
///
/// let http = HttpUrl::parse(&Reference::split("http://h:8001/a/b?x+y", Dialect::Url1993)).unwrap();
/// assert_eq!((http.server.host, http.server.port, http.path), ("h", Some("8001"), Some("a/b")));
/// assert_eq!(http.words().collect::<Vec<_>>(), ["x", "y"]);
/// assert_eq!(http.to_string(), "http://h:8001/a/b?x+y");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpUrl<'a> {
    pub(super) reference: Reference<'a>,
    /// The server. The grammar has no user.
    pub server: Server<'a>,
    /// The path without its first slash; none if there is no slash.
    pub path: Option<&'a str>,
    /// The search: the text after `?`.
    pub search: Option<&'a str>,
}

impl<'a> HttpUrl<'a> {
    /// Returns the view, if the scheme is `http` or `https` and there is a host.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["http", "https"])?;
        let (path, search) = path_and_search(rest);
        Some(HttpUrl { reference: *r, server, path, search })
    }

    /// Iterates over the words of the search, which are separated by `+` (1993 `search`).
    pub fn words(&self) -> impl Iterator<Item = &'a str> {
        self.search.into_iter().flat_map(|search| search.split('+'))
    }
}

/// An `ftp` URL: `ftp://user:password@host:port/path;type=a` (1993 `ftpaddress`, without the type;
/// RFC 1738 3.2).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Ftp;
/// use urlcore::{Dialect, Reference};
///
/// let ftp = Ftp::parse(&Reference::split("ftp://h/pub/a;type=i", Dialect::Rfc1808)).unwrap();
/// assert_eq!((ftp.user(), ftp.path, ftp.type_code), ("anonymous", Some("pub/a"), Some("i")));
/// assert_eq!(ftp.names().collect::<Vec<_>>(), ["pub", "a"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ftp<'a> {
    pub(super) reference: Reference<'a>,
    /// The server, with the user and password to log in.
    pub server: Server<'a>,
    /// The path without its first slash and without the type.
    pub path: Option<&'a str>,
    /// The transfer type: `a`, `i` or `d` (RFC 1738 3.2.2).
    pub type_code: Option<&'a str>,
}

impl<'a> Ftp<'a> {
    /// Returns the view, if the scheme is `ftp` and there is a host.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["ftp"])?;
        // There is no search: `?` belongs to the name.
        let path = rest.strip_prefix('/').or((!rest.is_empty()).then_some(rest));
        let is_type = |code: &&str| matches!(code.len(), 1) && "aidAID".contains(*code);
        let typed = path.and_then(|path| {
            let at = path.rfind(';')?;
            let is_named = path.get(at + 1..at + 6)?.eq_ignore_ascii_case("type=");
            is_named.then(|| (&path[..at], &path[at + 6..]))
        });
        let typed = typed.filter(|(_, code)| is_type(code));
        let (path, type_code) = match typed {
            Some((path, code)) => (Some(path), Some(code)),
            None => (path, None),
        };
        Some(Ftp { reference: *r, server, path, type_code })
    }

    /// Returns the user to log in as: `anonymous` if there is none (1993 "FTP").
    #[must_use]
    pub fn user(&self) -> &'a str {
        self.server.user.unwrap_or("anonymous")
    }

    /// Iterates over the names of the directories to change to, and that of the file (RFC 1738
    /// 3.2.2).
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.path.into_iter().flat_map(|path| path.split('/'))
    }
}

/// A `file` URL: `file://host/path` (RFC 1738 3.10).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::File;
/// use urlcore::{Dialect, Reference};
///
/// let file = File::parse(&Reference::split("file://localhost/a%20b", Dialect::Rfc3986)).unwrap();
/// assert!(file.is_local());
/// assert_eq!(file.path, "/a%20b");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct File<'a> {
    pub(super) reference: Reference<'a>,
    /// The host, if there is `//`.
    pub server: Option<Server<'a>>,
    /// The path with its first slash.
    pub path: &'a str,
}

impl<'a> File<'a> {
    /// Returns the view, if the scheme is `file` and the path begins with a slash.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let Parts { server, rest } = Parts::parse(r, &["file"])?;
        rest.starts_with('/').then_some(File { reference: *r, server, path: rest })
    }

    /// Returns true if the file is on the machine that reads the URL: no host, an empty one, or
    /// `localhost`.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.server.is_none_or(|server| {
            server.host.is_empty() || server.host.eq_ignore_ascii_case("localhost")
        })
    }
}

/// A URL of an interactive session: `telnet://user:password@host:port`, also `rlogin` and `tn3270`
/// (1993 "Telnet, rlogin, tn3270"; RFC 1738 3.8). A slash may follow (RFC 1738 5).
///
/// # Examples
///
/// ```
/// use urlcore::scheme::Session;
/// use urlcore::{Dialect, Reference};
///
/// let telnet = Session::parse(&Reference::split("telnet://u:p@h:23/", Dialect::Url1993)).unwrap();
/// assert_eq!((telnet.server.user, telnet.server.port), (Some("u"), Some("23")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session<'a> {
    pub(super) reference: Reference<'a>,
    /// The server, with the user and password to log in.
    pub server: Server<'a>,
}

impl<'a> Session<'a> {
    /// Returns the view, if the scheme is one of the three and nothing follows the host but a
    /// slash.
    #[must_use]
    pub fn parse(r: &Reference<'a>) -> Option<Self> {
        let (server, rest) = Parts::with_host(r, &["telnet", "rlogin", "tn3270"])?;
        matches!(rest, "" | "/").then_some(Session { reference: *r, server })
    }
}
