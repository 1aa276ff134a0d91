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
