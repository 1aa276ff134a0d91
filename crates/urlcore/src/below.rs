//! Whether a URL is in the tree below another.
//!
//! Invariant: scheme and host are compared without case, default ports are equal to none, paths are compared octet by
//! octet at the borders of segments (RFC 3986 6.2.2.1 and 6.2.3, and no further step of its ladder).

use crate::dialect::Dialect;
use crate::split::Reference;

/// What follows the folder `root` in a URL that is in it, from the slash that ends the name of the folder on; of the
/// folder without that slash, its query and fragment. `None` if the URL is not in the folder.
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
    let (root, reference) = (Reference::split(root, dialect), Reference::split(url, dialect));
    let (scheme, other) = (root.scheme()?, reference.scheme()?);
    if !scheme.eq_ignore_ascii_case(other)
        || !is_same_authority(scheme, root.authority(), reference.authority())
    {
        return None;
    }
    let folder = root.path().strip_suffix('/').unwrap_or(root.path());
    let rest = reference.path().strip_prefix(folder)?;
    let is_at_border = rest.is_empty() || rest.starts_with('/');
    is_at_border.then(|| &url[url.len() - rest.len() - reference.tail().len()..])
}

fn is_same_authority(scheme: &str, a: Option<&str>, b: Option<&str>) -> bool {
    if a == b {
        return true;
    }
    let is_file = scheme.eq_ignore_ascii_case("file");
    let split = |authority: &'_ str| -> Option<(Option<usize>, usize, Option<u16>)> {
        let host = authority.rfind('@').map(|at| at + 1);
        let start = host.unwrap_or(0);
        let bracket = authority[start..].rfind(']').map_or(start, |end| start + end);
        let colon = authority[bracket..].rfind(':').map(|colon| bracket + colon);
        let port = match colon.map(|colon| &authority[colon + 1..]) {
            None | Some("") => default_port(scheme),
            Some(port) => Some(port.parse().ok()?),
        };
        Some((host, colon.unwrap_or(authority.len()), port))
    };
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        // RFC 8089 section 2: `file:/x`, `file:///x` and `file://localhost/x` are one file.
        (None, Some(b)) if is_file => ("", b),
        (Some(a), None) if is_file => (a, ""),
        _ => return false,
    };
    let (Some((user_a, end_a, port_a)), Some((user_b, end_b, port_b))) = (split(a), split(b))
    else {
        return false;
    };
    let (name_a, name_b) = (&a[user_a.unwrap_or(0)..end_a], &b[user_b.unwrap_or(0)..end_b]);
    let is_here =
        |name: &str| is_file && (name.is_empty() || name.eq_ignore_ascii_case("localhost"));
    port_a == port_b
        && user_a.map(|end| &a[..end]) == user_b.map(|end| &b[..end])
        && (name_a.eq_ignore_ascii_case(name_b) || (is_here(name_a) && is_here(name_b)))
}

/// WHATWG URL, "special scheme".
fn default_port(scheme: &str) -> Option<u16> {
    let known = [("http", 80), ("https", 443), ("ws", 80), ("wss", 443), ("ftp", 21)];
    known.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme)).map(|(_, port)| *port)
}
