//! The location of a file: an open directory, and a name in it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Directory, Status, Temp};

/// A name in an open directory. The entry need not exist yet.
#[derive(Clone, Debug)]
pub struct Location {
    directory: Arc<Directory>,
    name: OsString,
    shown: PathBuf,
}

/// Returns the location of a path whose directory is opened now; links in it are followed.
///
/// # Errors
///
/// Those of the system; also if the path has no name at its end.
pub fn beside(path: &Path) -> io::Result<Location> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let directory = Directory::open(path.parent().unwrap_or(Path::new("/")))?;
    Ok(Location::new(Arc::new(directory), name, path))
}

impl Location {
    /// The location of a name in a directory. `shown` is the path that messages name.
    pub fn new(directory: Arc<Directory>, name: &OsStr, shown: &Path) -> Self {
        Location { directory, name: name.to_owned(), shown: shown.to_owned() }
    }

    /// Returns the location of another name in the same directory.
    pub fn sibling(&self, name: &OsStr) -> Location {
        Location {
            directory: Arc::clone(&self.directory),
            name: name.to_owned(),
            shown: self.shown.with_file_name(name),
        }
    }

    /// Returns the path that messages name.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// Returns the name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Opens the regular file for reading.
    ///
    /// # Errors
    ///
    /// As those of [`Directory::file`].
    pub fn open(&self) -> io::Result<(File, Metadata)> {
        self.directory.file(&self.name)
    }

    /// Returns the status of the entry.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn status(&self) -> io::Result<Status> {
        self.directory.status(&self.name)
    }

    /// Returns true if nothing has the name.
    pub fn is_free(&self) -> bool {
        self.status().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns true if both names are of one file.
    pub fn is_same_file(&self, other: &Location) -> bool {
        match (self.status(), other.status()) {
            (Ok(one), Ok(other)) => one.id == other.id,
            _ => false,
        }
    }

    /// Creates a temporary file that gets the name when it is complete. `mode` is its mode, less
    /// the user's mask.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn temporary(&self, mode: u32) -> io::Result<Temp> {
        Temp::new(Arc::clone(&self.directory), &self.name, mode)
    }

    /// Creates a file that has the name before it is complete, in a directory that only this run
    /// uses. If the name is taken, the file gets it when it is complete. `mode` is its mode, less
    /// the user's mask.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn unfinished(&self, mode: u32) -> io::Result<Temp> {
        Temp::with_name(Arc::clone(&self.directory), &self.name, mode)
    }

    /// Gives the file a further name, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn link(&self, new: &Location) -> io::Result<()> {
        self.directory.link(&self.name, &new.directory, &new.name)
    }

    /// Removes the file. It is not an error if it does not exist.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove(&self) -> io::Result<()> {
        match self.directory.remove(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    /// Removes the directory, which must be empty.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove_directory(&self) -> io::Result<()> {
        self.directory.remove_directory(&self.name)
    }

    /// Checks that the path of the directory still leads to the open directory.
    ///
    /// # Errors
    ///
    /// If it leads elsewhere, or nowhere.
    pub fn check_directory(&self) -> io::Result<()> {
        self.directory.check_path()
    }

    /// Waits until the name is on the disk.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        self.directory.sync()
    }
}
