//! A directory by its path, on systems without `openat`: the target of its path may change during a
//! run.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The identity of a file or directory, which is not known here: all are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device.
    pub device: Option<u64>,
    /// The inode.
    pub inode: u64,
}

impl FileId {
    const UNKNOWN: FileId = FileId { device: None, inode: 0 };

    /// Returns an identity that is the same for all files.
    pub fn from_metadata(_: &Metadata) -> Self {
        FileId::UNKNOWN
    }

    /// Returns true, because the identity is not known.
    pub fn is_same(self, _: FileId) -> bool {
        true
    }
}

/// The status of an entry of a directory: for a link, its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its identity.
    pub id: FileId,
    /// True for a regular file.
    pub is_file: bool,
    /// True for a directory.
    pub is_directory: bool,
    /// True for a symbolic link.
    pub is_link: bool,
    /// Its length in bytes.
    pub len: u64,
    /// The number of its names (hard links).
    pub n_names: u64,
    /// When it was modified: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// Its owner and group, which are not read here: they are always the same.
    pub owner: (u32, u32),
}

impl Status {
    /// Returns the status in `metadata`.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or((0, 0), |since| {
            (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()))
        });
        Status {
            id: FileId::UNKNOWN,
            is_file: metadata.is_file(),
            is_directory: metadata.is_dir(),
            is_link: metadata.is_symlink(),
            len: metadata.len(),
            n_names: 1,
            modified,
            owner: (0, 0),
        }
    }
}

/// A directory.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Returns the directory at a path.
    ///
    /// # Errors
    ///
    /// Those of the system; also if it is not a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if path.metadata()?.is_dir() {
            Ok(Directory { path: path.to_owned() })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that its path leads to a directory.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn check_path(&self) -> io::Result<()> {
        if self.path.is_dir() { Ok(()) } else { Err(super::replaced(&self.path)) }
    }

    /// Returns its metadata.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.path.metadata()
    }

    /// Returns an identity that is the same for all directories.
    pub fn id(&self) -> FileId {
        FileId::UNKNOWN
    }

    /// Returns a directory in it.
    ///
    /// # Errors
    ///
    /// Those of the system; also if it is a link.
    pub fn directory(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.path.join(name);
        if path.symlink_metadata()?.is_dir() {
            Ok(Directory { path })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens a regular file in it for reading.
    ///
    /// # Errors
    ///
    /// Those of the system; also if it is a link, or not a regular file.
    pub fn file(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.opened(name, OpenOptions::new().read(true))
    }

    /// Opens a regular file in it for reading, and for writing at its end.
    ///
    /// # Errors
    ///
    /// As those of [`Directory::file`].
    pub fn file_to_append(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.opened(name, OpenOptions::new().read(true).append(true))
    }

    fn opened(&self, name: &OsStr, options: &OpenOptions) -> io::Result<(File, Metadata)> {
        let path = self.path.join(name);
        if !path.symlink_metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let file = options.open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    /// Creates a new file, for reading and writing.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create_new(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.path.join(name))
    }

    /// Creates a new file, for reading, and for writing at its end.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create_new_to_append(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        File::options().read(true).append(true).create_new(true).open(self.path.join(name))
    }

    /// Returns the status of an entry.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn status(&self, name: &OsStr) -> io::Result<Status> {
        Ok(Status::from_metadata(&self.path.join(name).symlink_metadata()?))
    }

    /// Creates a directory in it, unless it exists; returns true if it was created.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn make_directory(&self, name: &OsStr) -> io::Result<bool> {
        match fs::create_dir(self.path.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Renames an entry to a name in a directory; an entry with that name is replaced.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(name), to.path.join(new))
    }

    /// Renames an entry to a name in a directory, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system; [`io::ErrorKind::AlreadyExists`] if the name is taken.
    pub fn rename_new(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        match to.status(new) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(name, to, new),
            Err(error) => Err(error),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Gives a file a further name, in a directory, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn link(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        fs::hard_link(self.path.join(name), to.path.join(new))
    }

    /// Removes an entry that is not a directory.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// Removes a directory in it, which must be empty.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.path.join(name))
    }

    /// Returns the target of a symbolic link.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.path.join(name))
    }

    /// Fails: on this system not every user may create links.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn make_link(&self, _: &Path, _: &OsStr) -> io::Result<()> {
        Err(io::Error::other("symbolic links cannot be copied on this system"))
    }

    /// Returns its entries in no order: their names, and true for each that is known to be a
    /// regular file.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn entries(&self) -> io::Result<Vec<(OsString, bool)>> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            Ok((entry.file_name(), is_file))
        };
        self.path.read_dir()?.map(entry).collect()
    }

    /// Opens it as a file.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn as_file(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    /// Does nothing: there is nothing to wait for.
    ///
    /// # Errors
    ///
    /// None.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
