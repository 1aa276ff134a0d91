//! The parts of an authority, and those of a path.
//!
//! Invariant: splitting never fails and loses no byte: the parts with their delimiters are the
//! text. An empty part and an absent one differ. Sections: 1993 "Internet protocol parts"; RFC 1738
//! 3.1; 1996 4.3.1 and 4.3.2; RFC 3986 3.2.

use core::fmt;

use crate::split::Reference;

/// The parts of an authority: `user:password@host:port`.
///
/// # Examples
///
/// ```
/// use urlcore::Server;
///
/// let server = Server::split("foo:@host.com:21");
/// assert_eq!((server.user, server.password), (Some("foo"), Some("")));
/// assert_eq!((server.host, server.port), ("host.com", Some("21")));
/// assert_eq!(Server::split("@host.com").user, Some(""));
/// assert_eq!(Server::split("host.com").user, None);
/// assert_eq!(Server::split("[::1]:8").host, "[::1]");
/// assert_eq!(server.to_string(), "foo:@host.com:21");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Server<'a> {
    /// The user information up to its first `:`.
    pub user: Option<&'a str>,
    /// The user information after its first `:`. There is none without a user.
    pub password: Option<&'a str>,
    /// The host, with its brackets if it is an IP literal.
    pub host: &'a str,
    /// The text after the `:` that ends the host.
    pub port: Option<&'a str>,
}

impl<'a> Server<'a> {
    /// Splits an authority. The last `@` ends the user information, as browsers read it.
    #[must_use]
    pub fn split(authority: &'a str) -> Self {
        let (userinfo, hostport) = match authority.rsplit_once('@') {
            Some((userinfo, hostport)) => (Some(userinfo), hostport),
            None => (None, authority),
        };
        let (user, password) = match userinfo.map(|userinfo| userinfo.split_once(':')) {
            Some(Some((user, password))) => (Some(user), Some(password)),
            _ => (userinfo, None),
        };
        // The colons inside an IP literal do not begin a port.
        let literal = if hostport.starts_with('[') { hostport.find(']').unwrap_or(0) } else { 0 };
        let colon = hostport[literal..].rfind(':').map(|colon| literal + colon);
        let (host, port) = match colon {
            Some(colon) => (&hostport[..colon], Some(&hostport[colon + 1..])),
            None => (hostport, None),
        };
        Server { user, password, host, port }
    }
}

impl fmt::Display for Server<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(user) = self.user {
            f.write_str(user)?;
            if let Some(password) = self.password {
                write!(f, ":{password}")?;
            }
            f.write_str("@")?;
        }
        f.write_str(self.host)?;
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        Ok(())
    }
}

/// A segment of a path, with its parameters (1996 4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment<'a> {
    text: &'a str,
}

impl<'a> Segment<'a> {
    /// Returns the whole segment.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// Returns the text before the first `;`.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.text.split(';').next().unwrap_or_default()
    }

    /// Iterates over the parameters, which are separated by `;`.
    pub fn params(self) -> impl Iterator<Item = &'a str> {
        self.text.split(';').skip(1)
    }
}

impl<'a> Reference<'a> {
    /// Returns the parts of the authority, or `None` if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Reference};
    ///
    /// let r = Reference::split("ftp://anonymous@host/pub", Dialect::UrlSyntax1996);
    /// assert_eq!(r.server().unwrap().user, Some("anonymous"));
    /// assert!(Reference::split("/pub", Dialect::UrlSyntax1996).server().is_none());
    /// ```
    #[must_use]
    pub fn server(&self) -> Option<Server<'a>> {
        self.authority().map(Server::split)
    }

    /// Iterates over the segments of the path (1996 4.3.2; RFC 3986 3.3). A slash at the start of
    /// the path precedes the first segment, one at its end precedes an empty last one; an empty
    /// path has no segments.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Reference};
    ///
    /// let r = Reference::split("/a;x;y=1/b/", Dialect::UrlSyntax1996);
    /// let names: Vec<_> = r.segments().map(|segment| segment.name()).collect();
    /// assert_eq!(names, ["a", "b", ""]);
    /// let params: Vec<_> = r.segments().flat_map(|segment| segment.params()).collect();
    /// assert_eq!(params, ["x", "y=1"]);
    /// ```
    pub fn segments(&self) -> impl Iterator<Item = Segment<'a>> {
        let path = self.path();
        let kind = self.kind();
        let is_slash = move |c: char| c.is_ascii() && kind.is_slash(c as u8);
        let inner = path.strip_prefix(is_slash).unwrap_or(path);
        let n_segments = if path.is_empty() { 0 } else { usize::MAX };
        inner.split(is_slash).map(|text| Segment { text }).take(n_segments)
    }
}
