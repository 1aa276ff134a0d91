//! The URL from which a file was fetched, as programs record it.

use std::fs::File;

/// The extended attribute with the URL from which a file was fetched (freedesktop.org, "Guidelines
/// for extended attributes").
pub const ATTRIBUTE: &str = "user.xdg.origin.url";

/// Returns the URL from which a file was fetched, if it was recorded.
#[cfg(unix)]
pub fn of(file: &File) -> Option<String> {
    let value = xattr::FileExt::get_xattr(file, ATTRIBUTE).ok()??;
    String::from_utf8(value).ok()
}

/// Returns `None`: this program knows no such attributes here.
#[cfg(not(unix))]
pub fn of(_: &File) -> Option<String> {
    None
}

/// Copies the recorded URL of a file to its copy, if there is one and the file system has
/// attributes.
#[cfg(unix)]
pub fn copy(old: &File, new: &File) {
    if let Some(url) = of(old) {
        drop(xattr::FileExt::set_xattr(new, ATTRIBUTE, url.as_bytes()));
    }
}

/// Does nothing: this program knows no such attributes here.
#[cfg(not(unix))]
pub fn copy(_: &File, _: &File) {}
