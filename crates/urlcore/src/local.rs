//! File paths and their `file` URLs: an invertible mapping (1993 "Encoding prohibited characters").
//!
//! Invariant: [`path_of`] of [`url_of`] is the path again, byte by byte; nothing is escaped
//! twice, and an escaped slash never becomes one. Sections: RFC 1738 3.10; RFC 8089 2 and
//! appendices D and E (drive letters, UNC).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::escape::{encode_path_segment, percent_decode};
use crate::scheme::File;
use crate::split::Reference;

/// The syntax of file paths.
///
/// # Examples
///
/// ```
/// use urlcore::local::{PathStyle, path_of};
///
/// assert_eq!(path_of("file:///C:/a", PathStyle::Unix).unwrap(), b"/C:/a");
/// assert_eq!(path_of("file:///C:/a", PathStyle::Windows).unwrap(), br"C:\a");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStyle {
    /// Names of any bytes except `/` and NUL, separated by `/`.
    Unix,
    /// `C:\folder\name` or `\\host\share\name`, in UTF-8; `/` is read as `\`.
    Windows,
}

/// The reason why a path has no `file` URL, or a URL no path on a system.
///
/// # Examples
///
/// ```
/// use urlcore::local::{PathStyle, path_of};
///
/// let error = path_of("http://h/a", PathStyle::Unix).unwrap_err();
/// assert_eq!(error.to_string(), "not a file URL with an absolute path");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocalError {
    /// The path is not absolute.
    NotAbsolute,
    /// The path contains NUL, which no name has.
    Nul,
    /// The path begins with two backslashes, and the names of a host and a share do not follow.
    Share,
    /// The URL has another scheme, or no absolute path.
    NotFile,
    /// The URL names a user or a port: a path has no place for them.
    UserOrPort,
    /// The URL is of a file on another machine, and Unix paths name none.
    OtherMachine,
    /// The path of the URL begins with neither a drive letter nor a share.
    NoDrive,
    /// A name in the URL contains an escaped separator or NUL, which no name of a file has.
    Separator,
}

impl fmt::Display for LocalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LocalError::NotAbsolute => "not an absolute path",
            LocalError::Nul => "the path contains NUL",
            LocalError::Share => "a share needs the names of a host and a share",
            LocalError::NotFile => "not a file URL with an absolute path",
            LocalError::UserOrPort => "the URL has a user or a port, which a path cannot have",
            LocalError::OtherMachine => {
                "the file is on another machine, which a Unix path cannot name"
            }
            LocalError::NoDrive => "the path begins with neither a drive letter nor a share",
            LocalError::Separator => {
                "a name contains an escaped separator or NUL, which no file name has"
            }
        })
    }
}

impl core::error::Error for LocalError {}

/// Returns the `file` URL of an absolute path. A share of `localhost` has four slashes (RFC 8089
/// E.3.2), as with two it would be a path without a drive letter.
///
/// # Errors
///
/// [`LocalError`] if the path is not absolute, contains NUL, or begins with two backslashes and is
/// not a share with a URL (devices, and paths that begin with `\\?\`, have none).
///
/// # Examples
///
/// ```
/// use urlcore::local::{LocalError, PathStyle, url_of};
///
/// assert_eq!(url_of(b"/a b/50%", PathStyle::Unix).unwrap(), "file:///a%20b/50%25");
/// assert_eq!(url_of(br"C:\a b\c", PathStyle::Windows).unwrap(), "file:///C:/a%20b/c");
/// assert_eq!(url_of(br"\\host\share\a", PathStyle::Windows).unwrap(), "file://host/share/a");
/// assert_eq!(url_of(b"a", PathStyle::Unix), Err(LocalError::NotAbsolute));
/// ```
pub fn url_of(path: &[u8], style: PathStyle) -> Result<String, LocalError> {
    if path.contains(&0) {
        return Err(LocalError::Nul);
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
            let host = names.split(is_separator).next().unwrap_or_default();
            if !is_host(host) || host.len() == names.len() {
                return Err(LocalError::Share);
            }
            if host.eq_ignore_ascii_case(b"localhost") {
                url.push_str("//");
            }
            names
        }
        _ => return Err(LocalError::NotAbsolute),
    };
    for (idx, name) in names.split(is_separator).enumerate() {
        if idx > 0 {
            url.push('/');
        }
        encode_path_segment(name, &mut url);
    }
    Ok(url)
}

/// Returns true for the name of a host in a share. Names that consist of dots are devices.
fn is_host(host: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
    host.iter().all(is_name) && host.iter().any(|byte| *byte != b'.')
}

/// Returns the path of the file that a `file` URL names on a system. Query and fragment are
/// ignored. On Windows a host gives a share, also one that is the first name of a path with four
/// slashes in front (RFC 8089 E.3.2).
///
/// # Errors
///
/// [`LocalError`] if it is not a `file` URL, if the file has no path on such a system, or if a name
/// in it has an escaped slash, backslash (on Windows) or NUL.
///
/// # Examples
///
/// ```
/// use urlcore::local::{LocalError, PathStyle, path_of};
///
/// assert_eq!(path_of("file:///a%20b#s", PathStyle::Unix).unwrap(), b"/a b");
/// assert_eq!(path_of("file://localhost/a", PathStyle::Unix).unwrap(), b"/a");
/// assert_eq!(path_of("file:///C:/a%20b", PathStyle::Windows).unwrap(), br"C:\a b");
/// assert_eq!(path_of("file:////host/share/a", PathStyle::Windows).unwrap(), br"\\host\share\a");
/// assert_eq!(path_of("file:///a%2Fb", PathStyle::Unix), Err(LocalError::Separator));
/// assert_eq!(path_of("file://host/a", PathStyle::Unix), Err(LocalError::OtherMachine));
/// ```
pub fn path_of(url: &str, style: PathStyle) -> Result<Vec<u8>, LocalError> {
    let file = File::parse(&Reference::split(url, crate::Dialect::Rfc3986));
    let file = file.ok_or(LocalError::NotFile)?;
    let server = file.server.filter(|_| !file.is_local());
    if file.server.is_some_and(|server| server.user.is_some() || server.port.is_some()) {
        return Err(LocalError::UserOrPort);
    }
    let names = file.path.split('?').next().unwrap_or_default();
    let names = names.strip_prefix('/').ok_or(LocalError::NotFile)?;
    let separator = if style == PathStyle::Windows { b'\\' } else { b'/' };
    let mut path = Vec::with_capacity(url.len());
    let mut has_drive = false;
    match (style, server, names.as_bytes()) {
        (PathStyle::Unix, None, _) => path.push(b'/'),
        (PathStyle::Unix, Some(_), _) => return Err(LocalError::OtherMachine),
        (PathStyle::Windows, Some(server), _) if is_host(server.host.as_bytes()) => {
            path.extend(br"\\");
            path.extend(server.host.bytes());
            path.push(separator);
        }
        (PathStyle::Windows, Some(_), _) => return Err(LocalError::Share),
        (PathStyle::Windows, None, [letter, b':' | b'|', b'/', ..])
            if letter.is_ascii_alphabetic() =>
        {
            has_drive = true;
        }
        (PathStyle::Windows, None, [b'/', share @ ..]) => {
            let host = share.split(|byte| *byte == b'/').next().unwrap_or_default();
            if !is_host(host) || host.len() == share.len() {
                return Err(LocalError::Share);
            }
            path.push(separator);
        }
        (PathStyle::Windows, None, _) => return Err(LocalError::NoDrive),
    }
    for (idx, name) in names.split('/').enumerate() {
        if idx > 0 {
            path.push(separator);
        }
        let start = path.len();
        path.extend_from_slice(&percent_decode(name));
        if path[start..].iter().any(|byte| *byte == 0 || *byte == separator || *byte == b'/') {
            return Err(LocalError::Separator);
        }
        // `C|` is an old spelling of a drive letter.
        if has_drive && idx == 0 {
            path[start + 1] = b':';
        }
    }
    Ok(path)
}
