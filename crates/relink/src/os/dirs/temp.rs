//! A file that has a temporary name until it is complete. If it is never completed, it is removed.
//! In a directory that only this run uses, it may have its final name from the start.
//!
//! A run that is killed can remove nothing. Therefore the temporary name follows from the final
//! one, and the file is locked: the next run that writes a file of that name finds it, and removes
//! it if nobody has the lock any more.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Directory, is_at, is_kept, lock};
use crate::os::failure::Failure;
use crate::os::temp_names;

/// The number of names that are tried if one exists.
const ATTEMPTS: u8 = 100;

/// A file with a temporary name.
#[derive(Debug)]
pub struct Temp {
    directory: Arc<Directory>,
    name: OsString,
    file: File,
    is_persisted: bool,
}

impl Temp {
    /// Creates a new file in a directory, which is to get the name `of`. `mode` is its mode, less
    /// the user's mask.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub(super) fn new(directory: Arc<Directory>, of: &OsStr, mode: u32) -> io::Result<Self> {
        for attempt in 0..ATTEMPTS {
            let name = temp_names::temporary_name(of, attempt);
            let file = match directory.create_new(&name, mode) {
                Err(error) if is_taken(&error) && remove_abandoned(&directory, &name)? => {
                    directory.create_new(&name, mode)
                }
                created => created,
            };
            let file = match file {
                Err(error) if is_taken(&error) => continue,
                file => file?,
            };
            let mut temp =
                Temp { directory: Arc::clone(&directory), name, file, is_persisted: false };
            if lock(&temp.file)? && is_kept(&temp.file, &directory, &temp.name)? {
                return Ok(temp);
            }
            // Another run has taken it for an abandoned one, and removes it.
            temp.is_persisted = true;
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Creates a new file in a directory under its final name; under a temporary one, if that is
    /// taken.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub(super) fn with_name(
        directory: Arc<Directory>,
        name: &OsStr,
        mode: u32,
    ) -> io::Result<Self> {
        match directory.create_new(name, mode) {
            Ok(file) => Ok(Temp { directory, name: name.to_owned(), file, is_persisted: false }),
            Err(error) if is_taken(&error) => Temp::new(directory, name, mode),
            Err(error) => Err(error),
        }
    }

    /// Returns the file, which is open for reading and writing.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the file, which is open for reading and writing.
    pub fn file_mut(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name; a file with that name is replaced.
    ///
    /// # Errors
    ///
    /// Those of the system; the file is removed then.
    pub fn persist(mut self, name: &OsStr) -> io::Result<()> {
        if self.name != name {
            self.directory.rename(&self.name, &self.directory, name)?;
        }
        self.is_persisted = true;
        Ok(())
    }

    /// Gives the file its name, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system; the file is removed then.
    pub fn persist_new(mut self, name: &OsStr) -> io::Result<()> {
        match self.directory.link(&self.name, &self.directory, name) {
            // The temporary name is removed when `self` is dropped.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) if self.directory.status(name).is_err() => {
                self.directory.rename(&self.name, &self.directory, name)?;
                self.is_persisted = true;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !self.is_persisted {
            // A file that cannot be removed now is tried again before the journal is removed. A
            // later run recognizes it by its name.
            let left = (Arc::clone(&self.directory), take(&mut self.name));
            drop(remove(left));
        }
    }
}

/// Returns true if a file has the name already.
fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Removes a temporary file, unless the run that has created it is active. Returns true if it was
/// removed.
///
/// # Errors
///
/// Those of the system.
pub fn remove_abandoned(directory: &Directory, name: &OsStr) -> io::Result<bool> {
    // What cannot be opened is not one of this user's runs, or gone.
    let Ok((file, _)) = directory.file(name) else { return Ok(false) };
    if !lock(&file)? || !is_at(&file, directory, name)? {
        return Ok(false);
    }
    match directory.remove(name) {
        // Not everybody may remove those of other users, as in `/tmp`.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// The temporary files that this process could not remove: their directories and names.
static LEFT: Mutex<Vec<(Arc<Directory>, OsString)>> = Mutex::new(Vec::new());

fn left() -> MutexGuard<'static, Vec<(Arc<Directory>, OsString)>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a temporary file, or remembers it.
fn remove((directory, name): (Arc<Directory>, OsString)) -> Result<(), Failure> {
    match directory.remove(&name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let failure = Failure::removing(&directory.path().join(&name))(error);
            left().push((directory, name));
            Err(failure)
        }
        _ => Ok(()),
    }
}

/// Tries again to remove the temporary files that could not be removed.
///
/// # Errors
///
/// [`Failure`] with the path of one that still cannot be.
pub fn remove_left() -> Result<(), Failure> {
    let all = take(&mut *left());
    all.into_iter().map(remove).fold(Ok(()), Result::and)
}
