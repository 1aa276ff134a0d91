//! What a file has besides bytes, mode and times: its owner and its extended attributes, access lists among them.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::messages;

/// The extended attribute with the URL that a file was fetched from (freedesktop.org, "Guidelines for extended attributes").
pub const ORIGIN: &str = "user.xdg.origin.url";

/// The URL that a file was fetched from, if whoever fetched it noted that.
#[cfg(unix)]
pub fn origin(file: &File) -> Option<String> {
    let value = xattr::FileExt::get_xattr(file, ORIGIN).ok()??;
    String::from_utf8(value).ok()
}

/// There are none that this program knows.
#[cfg(not(unix))]
pub fn origin(_: &File) -> Option<String> {
    None
}

/// What is told of a file that is not this user's to be written.
#[cfg(unix)]
const FOREIGN: &str = "it belongs to somebody else, who does not let it be written";

/// Gives a file the owner and the extended attributes of the file at `path`. An owner that may not be given is not, where the file at `path`
/// may be written; an attribute that the system or another program keeps for itself is left out.
///
/// # Errors
///
/// If an attribute of the user, or an access list, cannot be kept; if the file belongs to somebody else, who does not let it be written.
#[cfg(unix)]
pub fn keep(path: &Path, old: &Metadata, file: &File) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, fchown};

    use xattr::FileExt;

    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // The group alone may be permitted.
        if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
            if new.uid() != old.uid() {
                // A folder that may be written lets its files be replaced, whosoever they are.
                OpenOptions::new().write(true).open(path).map_err(|error| {
                    let reason = messages::reason(&error);
                    io::Error::other(format!("{FOREIGN}: {reason}"))
                })?;
            }
            drop(fchown(file, None, Some(old.gid())));
        }
    }
    // A file system without attributes has none to be kept.
    let Ok(names) = xattr::list(path) else { return Ok(()) };
    for name in names {
        let is_users = [&b"user."[..], b"system.posix_acl_"]
            .iter()
            .any(|space| name.as_bytes().starts_with(space));
        let kept = xattr::get(path, &name).and_then(|value| match value {
            Some(value) => file.set_xattr(&name, &value),
            None => Ok(()),
        });
        if is_users {
            kept?;
        }
    }
    Ok(())
}

/// There are none that this program knows.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn keep(_: &Path, _: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}
