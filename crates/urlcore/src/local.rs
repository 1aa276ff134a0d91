//! Names of files, and URLs that mean them: a mapping that can be undone (1993 "Encoding prohibited characters").
//!
//! Invariant: [`path_of`] of [`url_of`] is the path again, octet by octet; nothing is escaped twice, and an escaped slash never becomes one.
//! Sections: RFC 1738 3.10; RFC 8089 2 and appendices D and E (drive letters, UNC).

use alloc::string::String;
use alloc::vec::Vec;

use crate::escape::{encode_path_segment, percent_decode};
use crate::scheme::File;
use crate::split::Reference;

/// How paths of files are written.
///
/// ```
/// use urlcore::local::{PathStyle, path_of};
///
/// assert_eq!(path_of("file:///C:/a", PathStyle::Unix).unwrap(), b"/C:/a");
/// assert_eq!(path_of("file:///C:/a", PathStyle::Windows).unwrap(), br"C:\a");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStyle {
    /// Names of any octets but `/` and NUL, with `/` between them.
    Unix,
    /// `C:\folder\name` or `\\host\share\name`, in UTF-8; `/` is taken for `\`.
    Windows,
}

/// The `file` URL of an absolute path. `None` if the path is not absolute, or has a NUL.
///
/// ```
/// use urlcore::local::{PathStyle, url_of};
///
/// assert_eq!(url_of(b"/a b/50%", PathStyle::Unix).unwrap(), "file:///a%20b/50%25");
/// assert_eq!(url_of(br"C:\a b\c", PathStyle::Windows).unwrap(), "file:///C:/a%20b/c");
/// assert_eq!(url_of(br"\\host\share\a", PathStyle::Windows).unwrap(), "file://host/share/a");
/// assert_eq!(url_of(b"a", PathStyle::Unix), None);
/// ```
#[must_use]
pub fn url_of(path: &[u8], style: PathStyle) -> Option<String> {
    if path.contains(&0) {
        return None;
    }
    let is_separator = |byte: &u8| *byte == b'/' || (*byte == b'\\' && style == PathStyle::Windows);
    let mut url = String::from("file://");
    let names = match (style, path) {
        (PathStyle::Unix, [b'/', names @ ..]) => {
            url.push('/');
            names
        }
        (PathStyle::Windows, [letter, b':', slash, names @ ..])
            if letter.is_ascii_alphabetic() && is_separator(slash) =>
        {
            url.extend(['/', char::from(*letter), ':', '/']);
            names
        }
        (PathStyle::Windows, [a, b, names @ ..]) if is_separator(a) && is_separator(b) => {
            let host = names.split(is_separator).next()?;
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
            if host.is_empty() || !host.iter().all(is_name) || host.len() == names.len() {
                return None;
            }
            names
        }
        _ => return None,
    };
    for (idx, name) in names.split(is_separator).enumerate() {
        if idx > 0 {
            url.push('/');
        }
        encode_path_segment(name, &mut url);
    }
    Some(url)
}

/// The path of the file that a `file` URL means. `None` if it is not one, if it is on another machine (but for Windows, where
/// that is a share), or if a name in it has an escaped slash, backslash or NUL that no name can have.
///
/// ```
/// use urlcore::local::{PathStyle, path_of};
///
/// assert_eq!(path_of("file:///a%20b#s", PathStyle::Unix).unwrap(), b"/a b");
/// assert_eq!(path_of("file://localhost/a", PathStyle::Unix).unwrap(), b"/a");
/// assert_eq!(path_of("file:///C:/a%20b", PathStyle::Windows).unwrap(), br"C:\a b");
/// assert_eq!(path_of("file:///a%2Fb", PathStyle::Unix), None);
/// assert_eq!(path_of("file://host/a", PathStyle::Unix), None);
/// ```
#[must_use]
pub fn path_of(url: &str, style: PathStyle) -> Option<Vec<u8>> {
    let file = File::parse(&Reference::split(url, crate::Dialect::Rfc3986))?;
    let names = file.path.strip_prefix('/')?.split('?').next().unwrap_or_default();
    let separator = if style == PathStyle::Windows { b'\\' } else { b'/' };
    let mut path = Vec::with_capacity(url.len());
    match style {
        PathStyle::Unix if !file.is_local() => return None,
        PathStyle::Unix => path.push(b'/'),
        PathStyle::Windows if file.is_local() => match names.as_bytes() {
            [letter, b':' | b'|', b'/', ..] if letter.is_ascii_alphabetic() => {}
            _ => return None,
        },
        PathStyle::Windows => {
            path.extend(br"\\");
            path.extend(file.server?.host.bytes());
            path.push(separator);
        }
    }
    for (idx, name) in names.split('/').enumerate() {
        if idx > 0 {
            path.push(separator);
        }
        let start = path.len();
        path.extend_from_slice(&percent_decode(name));
        if path[start..].iter().any(|byte| *byte == 0 || *byte == separator || *byte == b'/') {
            return None;
        }
        // `C|` is an old way to write a drive letter.
        if style == PathStyle::Windows && idx == 0 && file.is_local() {
            path[start + 1] = b':';
        }
    }
    Some(path)
}
