//! The properties of a file besides its bytes: its owner and its extended attributes, including
//! access lists; all properties of a directory; and the rights and times that a new file gets from
//! its input.

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io;

use crate::os::dirs::{Directory, Location, Status};
#[cfg(unix)]
use crate::os::messages;

/// The extended attribute with the access list of a file (xattr(7)).
#[cfg(unix)]
const ACCESS: &str = "system.posix_acl_access";

/// Everything of a directory but its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryState {
    /// Its rights (POSIX.1-2024, `mode_t`).
    pub mode: u32,
    /// Its owner and group.
    pub owner: (u32, u32),
    /// When its entries were changed, if that is known: seconds and nanoseconds since 1970.
    pub modified: Option<(i64, u32)>,
    /// Its extended attributes and access lists, by name.
    pub attributes: BTreeMap<String, Vec<u8>>,
}

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
        let is_users = is_of_user(name.as_bytes());
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

/// Returns true for the name of an attribute of the user, or of an access list.
#[cfg(unix)]
fn is_of_user(name: &[u8]) -> bool {
    [&b"user."[..], b"system.posix_acl_"].iter().any(|space| name.starts_with(space))
}

/// Returns everything of a directory but its entries.
///
/// # Errors
///
/// Those of the system.
#[cfg(unix)]
pub fn directory(directory: &Directory) -> io::Result<DirectoryState> {
    use std::os::unix::fs::MetadataExt;

    use xattr::FileExt;

    let metadata = directory.metadata()?;
    let mut state = DirectoryState {
        mode: metadata.mode() & 0o7777,
        owner: (metadata.uid(), metadata.gid()),
        modified: u32::try_from(metadata.mtime_nsec()).ok().map(|rest| (metadata.mtime(), rest)),
        ..DirectoryState::default()
    };
    // One that may not be listed, or a file system without attributes, has none to keep.
    let file = match directory.as_file() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(state),
        file => file?,
    };
    let names = match file.list_xattr() {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(state),
        names => names?,
    };
    for name in names {
        let Some(name) = name.to_str().filter(|name| is_of_user(name.as_bytes())) else { continue };
        if let Some(value) = file.get_xattr(name)? {
            state.attributes.insert(name.to_owned(), value);
        }
    }
    Ok(state)
}

/// Gives a directory what another one had, with `has_times` also the time of its last change. What
/// cannot be set stays.
#[cfg(unix)]
pub fn give_to_directory(directory: &Directory, state: &DirectoryState, has_times: bool) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    use xattr::FileExt;

    let (Ok(file), Ok(now)) = (directory.as_file(), directory.metadata()) else { return };
    let (user, group) = state.owner;
    if (now.uid(), now.gid()) != state.owner && fchown(&file, Some(user), Some(group)).is_err() {
        drop(fchown(&file, None, Some(group)));
    }
    for name in file.list_xattr().into_iter().flatten() {
        let name = name.to_str().filter(|name| is_of_user(name.as_bytes()));
        // As the default access list of the directory around it.
        if let Some(name) = name.filter(|name| !state.attributes.contains_key(*name)) {
            drop(file.remove_xattr(name));
        }
    }
    for (name, value) in &state.attributes {
        drop(file.set_xattr(name, value));
    }
    // After the owner, whose change takes rights away.
    drop(file.set_permissions(Permissions::from_mode(state.mode)));
    if has_times {
        set_time(&file, state);
    }
}

/// Removes the access list of a file that this process has created in a directory. Returns false
/// if it has none.
#[cfg(unix)]
pub fn remove_list(directory: &Directory, file: &File) -> bool {
    use xattr::FileExt;

    let has_list = || file.get_xattr(ACCESS).is_ok_and(|list| list.is_some());
    directory.gives_list(has_list) && file.remove_xattr(ACCESS).is_ok()
}

/// Returns false: this program knows no access lists here.
#[cfg(not(unix))]
pub fn remove_list(_: &Directory, _: &File) -> bool {
    false
}

/// Returns the rights of a file or directory without those that its access list gives: in `listed`,
/// which the system shows, the rights of the group are the most that any user or group of the list
/// may have (acl(5), "correspondence between ACL entries and file permission bits").
#[cfg(unix)]
pub fn without_list(file: &File, listed: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;

    use xattr::FileExt;

    let list = file.get_xattr(ACCESS).ok().flatten();
    match list.as_deref().and_then(rights_of_group) {
        Some(rights) => {
            let mode = listed.mode();
            Permissions::from_mode(mode & (!0o070 | u32::from(rights) << 3))
        }
        None => listed,
    }
}

/// Returns the rights of a file's own group in an access list: version 2, then entries of tag,
/// rights and number, all little-endian (Linux, `posix_acl_xattr.h`).
#[cfg(unix)]
fn rights_of_group(list: &[u8]) -> Option<u16> {
    const VERSION: u32 = 2;
    const GROUP: u16 = 4;
    let (version, entries) = list.split_first_chunk()?;
    let entry = |[tag, tag_high, rights, rights_high, ..]: &[u8; 8]| {
        let is_group = u16::from_le_bytes([*tag, *tag_high]) == GROUP;
        is_group.then(|| u16::from_le_bytes([*rights, *rights_high]) & 7)
    };
    let is_known = u32::from_le_bytes(*version) == VERSION;
    entries.as_chunks().0.iter().find_map(entry).filter(|_| is_known)
}

/// Gives a directory the time of the last change that it had. If it cannot be set, it stays.
#[cfg(unix)]
pub fn give_time_to_directory(directory: &Directory, state: &DirectoryState) {
    if let Ok(file) = directory.as_file() {
        set_time(&file, state);
    }
}

#[cfg(unix)]
fn set_time(file: &File, state: &DirectoryState) {
    use std::fs::FileTimes;
    use std::time::{Duration, UNIX_EPOCH};

    let Some((seconds, nanoseconds)) = state.modified else { return };
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let whole =
        if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    if let Some(modified) =
        whole.and_then(|at| at.checked_add(Duration::from_nanos(nanoseconds.into())))
    {
        drop(file.set_times(FileTimes::new().set_modified(modified)));
    }
}

/// Returns nothing: this program knows no more of a directory here.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn directory(_: &Directory) -> io::Result<DirectoryState> {
    Ok(DirectoryState::default())
}

/// Does nothing: this program knows no more of a directory here.
#[cfg(not(unix))]
pub fn give_to_directory(_: &Directory, _: &DirectoryState, _: bool) {}

/// Does nothing: this program knows no more of a directory here.
#[cfg(not(unix))]
pub fn give_time_to_directory(_: &Directory, _: &DirectoryState) {}

/// Returns the rights as they are: this program knows no access lists here.
#[cfg(not(unix))]
pub fn without_list(_: &File, listed: Permissions) -> Permissions {
    listed
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_rights_of_the_group() {
        // user::rw-, user:1000:r-x, group::r--, mask::r-x, other::---
        let entries: [(u16, u16, u32); 5] = [
            (1, 6, u32::MAX),
            (2, 5, 1000),
            (4, 4, u32::MAX),
            (16, 5, u32::MAX),
            (32, 0, u32::MAX),
        ];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend(tag.to_le_bytes());
            list.extend(rights.to_le_bytes());
            list.extend(id.to_le_bytes());
        }
        assert_eq!(rights_of_group(&list), Some(4));
        assert_eq!(rights_of_group(&list[..20]), None, "it is cut off");
        list[0] = 3;
        assert_eq!(rights_of_group(&list), None, "it is of another version");
        assert_eq!(rights_of_group(b""), None);
    }
}
