//! The properties of a file besides bytes, mode and times: its owner and its extended attributes,
//! including access lists.

use std::fs::File;
use std::io;

use crate::dirs::{Location, Status};
#[cfg(unix)]
use crate::messages;

/// The extended attribute with the URL from which a file was fetched (freedesktop.org, "Guidelines
/// for extended attributes").
pub const ORIGIN: &str = "user.xdg.origin.url";

/// Returns the URL from which a file was fetched, if it was recorded.
#[cfg(unix)]
pub fn origin(file: &File) -> Option<String> {
    let value = xattr::FileExt::get_xattr(file, ORIGIN).ok()??;
    String::from_utf8(value).ok()
}

/// Returns `None`: this program knows no such attributes here.
#[cfg(not(unix))]
pub fn origin(_: &File) -> Option<String> {
    None
}

/// Copies the recorded URL of a file to its copy, if there is one and the file system has
/// attributes.
#[cfg(unix)]
pub fn copy_origin(old: &File, new: &File) {
    if let Some(url) = origin(old) {
        drop(xattr::FileExt::set_xattr(new, ORIGIN, url.as_bytes()));
    }
}

/// Does nothing: this program knows no such attributes here.
#[cfg(not(unix))]
pub fn copy_origin(_: &File, _: &File) {}

/// The reason why a file of another user is not written over.
#[cfg(unix)]
const FOREIGN: &str = "the file belongs to another user and is not writable";

/// Gives a new file the owner and the extended attributes of the file `old`, which is at `at`. If
/// the owner cannot be set, it is not, as long as `old` is writable; an attribute that is reserved
/// for the system or another program is not copied.
///
/// # Errors
///
/// If an attribute of the user, or an access list, cannot be copied; if `old` belongs to another
/// user, and is not writable.
#[cfg(unix)]
pub fn keep(at: &Location, old: &File, status: &Status, file: &File) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::fchown;

    use xattr::FileExt;

    let new = at.directory().owner_of_new(file)?;
    let (user, group) = status.owner;
    if new != (user, group) {
        // Setting only the group may be permitted.
        if fchown(file, Some(user), Some(group)).is_err() {
            if new.0 != user {
                // In a writable directory, files can be replaced whoever owns them.
                at.directory().check_writable(at.name()).map_err(|error| {
                    let reason = messages::reason(&error);
                    io::Error::other(format!("{FOREIGN} ({reason}); run relink as that user"))
                })?;
            }
            drop(fchown(file, None, Some(group)));
        }
    }
    // A file system without attributes has none to copy.
    let Ok(names) = old.list_xattr() else { return Ok(()) };
    for name in names {
        let is_users = [&b"user."[..], b"system.posix_acl_"]
            .iter()
            .any(|space| name.as_bytes().starts_with(space));
        let kept = old.get_xattr(&name).and_then(|value| match value {
            Some(value) => file.set_xattr(&name, &value),
            None => Ok(()),
        });
        if is_users {
            kept?;
        }
    }
    Ok(())
}

/// Does nothing: this program knows no such attributes here.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn keep(_: &Location, _: &File, _: &Status, _: &File) -> io::Result<()> {
    Ok(())
}
