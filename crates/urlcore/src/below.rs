//! URLs below a root: the test of whether a URL is in the tree below another.
//!
//! Invariant: scheme and host are compared without case, default ports are equal to none, paths are
//! compared byte by byte at segment boundaries (RFC 3986 6.2.2.1 and 6.2.3, and no further step
//! of its ladder).

use alloc::string::String;

use crate::dialect::Dialect;
use crate::scheme::default_port;
use crate::server::Server;
use crate::split::Reference;

/// Returns the rest of a URL that is in the directory `root`, from the slash that ends the
/// directory's name on. For the directory without that slash the rest is its query and fragment.
/// Returns `None` if the URL is not in the directory. URLs are compared as by [`origin_prefix`].
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, below};
///
/// let below = |url| below("http://h/a/", url, Dialect::Web);
/// assert_eq!(below("HTTP://H:80/a/b?c#d"), Some("/b?c#d"));
/// assert_eq!(below("http://h/a/"), Some("/"));
/// assert_eq!(below("http://h/a?c"), Some("?c"));
/// assert_eq!(below("http://h/ab"), None);
/// assert_eq!(below("https://h/a/b"), None);
/// ```
#[must_use]
pub fn below<'u>(root: &str, url: &'u str, dialect: Dialect) -> Option<&'u str> {
    let ((root_site, root), (site, rest)) =
        (origin_prefix(root, dialect)?, origin_prefix(url, dialect)?);
    let folder = root.split(['?', '#']).next().unwrap_or_default();
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    let rest = rest.strip_prefix(folder).filter(|_| root_site == site)?;
    (rest.is_empty() || rest.starts_with(['/', '?', '#'])).then_some(rest)
}

/// Returns the scheme and the authority of an absolute URL in one spelling for all that are
/// equivalent (RFC 3986 6.2.2.1 and 6.2.3), and the rest of the URL. Returns `None` for a relative
/// reference.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, origin_prefix};
///
/// let site = |url| origin_prefix(url, Dialect::Web);
/// assert_eq!(site("HTTP://u@H.Example:80/A?b"), Some(("http://u@h.example".to_owned(), "/A?b")));
/// assert_eq!(site("http://h:8080"), Some(("http://h:8080".to_owned(), "")));
/// assert_eq!(site("file://localhost/a"), Some(("file://".to_owned(), "/a")));
/// assert_eq!(site("/a"), None);
/// ```
#[must_use]
pub fn origin_prefix(url: &str, dialect: Dialect) -> Option<(String, &str)> {
    let reference = Reference::split(url, dialect);
    let scheme = reference.scheme()?;
    let mut site = String::with_capacity(url.len());
    site.push_str(scheme);
    site.make_ascii_lowercase();
    let is_file = site == "file";
    let authority = reference.authority();
    if authority.is_some() || is_file {
        let authority = authority.unwrap_or_default();
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let Server { host, port, .. } = Server::split(authority);
        let port = port.unwrap_or_default().trim_start_matches('0');
        let is_default = port.is_empty() || default_port(&site) == Some(port);
        site.push_str("://");
        site.push_str(&authority[..user]);
        let start = site.len();
        // RFC 8089 section 2: `file:/x`, `file:///x` and `file://localhost/x` are the same file.
        if !(is_file && host.eq_ignore_ascii_case("localhost")) {
            site.push_str(host);
        }
        site[start..].make_ascii_lowercase();
        if !is_default {
            site.push(':');
            site.push_str(port);
        }
    }
    let rest = reference.path().len() + reference.tail().len();
    Some((site, &url[url.len() - rest..]))
}

/// Returns `target` with its scheme and authority spelled as in `base`, if [`origin_prefix`] gives
/// both URLs the same site and they are spelled differently; `None` otherwise. Both name the same
/// resource (RFC 3986 6.2.2.1 and 6.2.3).
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, spelled_as};
///
/// let spelled = |target| spelled_as("http://EXAMPLE.org/b", target, Dialect::Web);
/// assert_eq!(spelled("http://example.org:80/c?d"), Some("http://EXAMPLE.org/c?d".to_owned()));
/// assert_eq!(spelled("http://EXAMPLE.org/c"), None);
/// assert_eq!(spelled("https://example.org/c"), None);
/// ```
#[must_use]
pub fn spelled_as(base: &str, target: &str, dialect: Dialect) -> Option<String> {
    let ((base_site, base_rest), (site, rest)) =
        (origin_prefix(base, dialect)?, origin_prefix(target, dialect)?);
    let (prefix, old) =
        (&base[..base.len() - base_rest.len()], &target[..target.len() - rest.len()]);
    (base_site == site && prefix != old).then(|| [prefix, rest].concat())
}
