//! Locks of files, which the system releases when a run ends, for whatever reason.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;

use super::{Directory, FileId};

/// Locks a file. Returns true if nobody else has the lock. On a file system without locks, nobody
/// has.
///
/// # Errors
///
/// Those of the system.
pub fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns true if a file that this process has created is not removed: another run may have done
/// that before it was locked.
///
/// # Errors
///
/// Those of the system.
pub fn is_kept(file: &File, directory: &Directory, name: &OsStr) -> io::Result<bool> {
    // The number of names needs one call, and few file systems do not know it.
    #[cfg(unix)]
    let has_name = std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 0;
    #[cfg(not(unix))]
    let has_name = false;
    if has_name { Ok(true) } else { is_at(file, directory, name) }
}

/// Returns true if a file still has its name: another run may have removed it before it was locked.
///
/// # Errors
///
/// Those of the system.
pub fn is_at(file: &File, directory: &Directory, name: &OsStr) -> io::Result<bool> {
    match directory.status(name) {
        Ok(found) => Ok(found.id == FileId::from_metadata(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_was_removed_is_not_kept() {
        let temp = tempfile::tempdir().unwrap();
        let directory = Directory::open(&temp.path().canonicalize().unwrap()).unwrap();
        let name = OsStr::new("x");
        let file = directory.create_new(name, 0o600).unwrap();
        assert!(is_kept(&file, &directory, name).unwrap());
        fs::remove_file(temp.path().join(name)).unwrap();
        assert!(!is_kept(&file, &directory, name).unwrap());
        // Another run has its own file there.
        let other = directory.create_new(name, 0o600).unwrap();
        assert!(!is_kept(&file, &directory, name).unwrap());
        assert!(is_kept(&other, &directory, name).unwrap());
    }
}
