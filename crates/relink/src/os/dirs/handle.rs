//! A directory that is open, and what can be done in it by the names of its entries (POSIX.1-2024,
//! `openat` and its kin).

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{self as sys, AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// The identity of a file or directory: its device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device; `None` if it cannot be compared, as it was recorded before the system was
    /// started.
    pub device: Option<u64>,
    /// The inode.
    pub inode: u64,
}

impl FileId {
    /// Returns the identity of what `metadata` was read of.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        FileId { device: Some(metadata.dev()), inode: metadata.ino() }
    }

    /// Returns true if both are of one file, as far as can be known.
    pub fn is_same(self, other: FileId) -> bool {
        let is_same_device = match (self.device, other.device) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        is_same_device && self.inode == other.inode
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
    /// Its owner and group.
    pub owner: (u32, u32),
}

impl Status {
    /// Returns the status in `metadata`.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Status {
            id: FileId::from_metadata(metadata),
            is_file: metadata.is_file(),
            is_directory: metadata.is_dir(),
            is_link: metadata.is_symlink(),
            len: metadata.len(),
            n_names: metadata.nlink(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            owner: (metadata.uid(), metadata.gid()),
        }
    }
}

/// An open directory. It stays the same directory, even if its path changes.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
    path: PathBuf,
    id: FileId,
    /// The owner and group of the files that this process creates in it, once that is known.
    owner_of_new: OnceLock<(u32, u32)>,
    /// True if they get an access list, once that is known.
    gives_list: OnceLock<bool>,
}

/// How a directory is opened: where the system knows it, without the right to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const OPEN: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Directory {
    /// Opens a directory by its path; links in it are followed.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Self::new(sys::open(path, OPEN, Mode::empty())?, path.to_owned())
    }

    fn new(fd: OwnedFd, path: PathBuf) -> io::Result<Self> {
        let id = status(&sys::fstat(&fd)?).id;
        let (owner_of_new, gives_list) = (OnceLock::new(), OnceLock::new());
        Ok(Directory { fd, path, id, owner_of_new, gives_list })
    }

    /// Returns the path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that its path still leads to it.
    ///
    /// # Errors
    ///
    /// If the path leads elsewhere, or nowhere.
    pub fn check_path(&self) -> io::Result<()> {
        match self.path.metadata() {
            Ok(now) if FileId::from_metadata(&now) == self.id => Ok(()),
            _ => Err(super::replaced(&self.path)),
        }
    }

    /// Returns its metadata.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.fd.try_clone()?).metadata()
    }

    /// Returns its identity.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Opens a directory in it.
    ///
    /// # Errors
    ///
    /// Those of the system; also if it is a link.
    pub fn directory(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.path.join(name);
        match sys::openat(&self.fd, name, OPEN | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => Self::new(fd, path),
            Err(_) if self.status(name).is_ok_and(|status| status.is_link) => {
                let reason =
                    format!("{} is a symbolic link, which is not followed", path.display());
                Err(io::Error::other(reason))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a regular file in it for reading.
    ///
    /// # Errors
    ///
    /// Those of the system; also if it is a link, or not a regular file. A pipe is not waited for.
    pub fn file(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.opened(name, OFlags::RDONLY)
    }

    /// Opens a regular file in it for reading, and for writing at its end.
    ///
    /// # Errors
    ///
    /// As those of [`Directory::file`].
    pub fn file_to_append(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.opened(name, OFlags::RDWR | OFlags::APPEND)
    }

    /// Checks that a file may be written, and changes nothing.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        self.opened(name, OFlags::WRONLY).map(|_| ())
    }

    fn opened(&self, name: &OsStr, access: OFlags) -> io::Result<(File, Metadata)> {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match sys::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(_) if self.status(name).is_ok_and(|status| status.is_link) => {
                let reason = "it is a symbolic link, which is not followed";
                return Err(io::Error::other(reason));
            }
            Err(error) => return Err(error.into()),
        };
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            Err(io::Error::other("it is not a regular file"))
        }
    }

    /// Creates a new file, for reading and writing. `mode` is its mode, less the
    /// user's mask.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(sys::openat(&self.fd, name, flags, Mode::from_bits_truncate(mode))?))
    }

    /// Creates a new file, for reading, and for writing at its end.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn create_new_to_append(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(sys::openat(&self.fd, name, flags, Mode::from_bits_truncate(mode))?))
    }

    /// Returns the owner and group of `file`, which this process has created in it. They are those
    /// of every file that it creates there, and are read only once.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn owner_of_new(&self, file: &File) -> io::Result<(u32, u32)> {
        if let Some(owner) = self.owner_of_new.get() {
            return Ok(*owner);
        }
        let metadata = file.metadata()?;
        Ok(*self.owner_of_new.get_or_init(|| (metadata.uid(), metadata.gid())))
    }

    /// Returns true if files that this process creates in it get an access list; `has_list` says
    /// it of the first one. It is read only once.
    pub fn gives_list(&self, has_list: impl FnOnce() -> bool) -> bool {
        *self.gives_list.get_or_init(has_list)
    }

    /// Returns the status of an entry.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn status(&self, name: &OsStr) -> io::Result<Status> {
        Ok(status(&sys::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Creates a directory in it, unless it exists; returns true if it was created.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn make_directory(&self, name: &OsStr) -> io::Result<bool> {
        match sys::mkdirat(&self.fd, name, Mode::from_bits_truncate(0o777)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Renames an entry to a name in a directory; an entry with that name is replaced.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(sys::renameat(&self.fd, name, &to.fd, new)?)
    }

    /// Renames an entry to a name in a directory, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system; [`io::ErrorKind::AlreadyExists`] if the name is taken.
    pub fn rename_new(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        match rename_unless_taken(&self.fd, name, &to.fd, new) {
            // The system or the file system cannot do both in one step. A directory replaces
            // nothing but an empty directory.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match to.status(new) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(name, to, new),
                Err(error) => Err(error),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            },
            renamed => Ok(renamed?),
        }
    }

    /// Gives a file a further name, in a directory, unless that is taken.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn link(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(sys::linkat(&self.fd, name, &to.fd, new, AtFlags::empty())?)
    }

    /// Removes an entry that is not a directory.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes a directory in it, which must be empty.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Returns the target of a symbolic link.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = sys::readlinkat(&self.fd, name, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn make_link(&self, target: &Path, name: &OsStr) -> io::Result<()> {
        Ok(sys::symlinkat(target, &self.fd, name)?)
    }

    /// Returns its entries in no order: their names, and true for each that is known to be a
    /// regular file.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn entries(&self) -> io::Result<Vec<(OsString, bool)>> {
        let mut entries = Vec::new();
        for entry in sys::Dir::new(self.reopened()?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let is_file = match entry.file_type() {
                sys::FileType::RegularFile => true,
                // Some file systems do not say.
                sys::FileType::Unknown => self.status(name).is_ok_and(|status| status.is_file),
                _ => false,
            };
            entries.push((name.to_owned(), is_file));
        }
        Ok(entries)
    }

    /// Opens it once more as a file, for operations that a path handle does not support.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn as_file(&self) -> io::Result<File> {
        self.reopened().map(File::from)
    }

    fn reopened(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(sys::openat(&self.fd, ".", flags, Mode::empty())?)
    }

    /// Waits until its entries are on the disk.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        self.as_file()?.sync_all()
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn rename_unless_taken(
    from: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    new: &OsStr,
) -> Result<(), Errno> {
    sys::renameat_with(from, name, to, new, sys::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn rename_unless_taken(_: &OwnedFd, _: &OsStr, _: &OwnedFd, _: &OsStr) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Returns the status in what the system wrote. The types of its fields differ between systems.
#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
fn status(stat: &sys::Stat) -> Status {
    let kind = sys::FileType::from_raw_mode(stat.st_mode);
    Status {
        id: FileId {
            device: u64::try_from(stat.st_dev).ok(),
            inode: u64::try_from(stat.st_ino).unwrap_or_default(),
        },
        is_file: kind == sys::FileType::RegularFile,
        is_directory: kind == sys::FileType::Directory,
        is_link: kind == sys::FileType::Symlink,
        len: u64::try_from(stat.st_size).unwrap_or_default(),
        n_names: u64::try_from(stat.st_nlink).unwrap_or_default(),
        modified: (
            i64::try_from(stat.st_mtime).unwrap_or_default(),
            i64::try_from(stat.st_mtime_nsec).unwrap_or_default(),
        ),
        owner: (stat.st_uid, stat.st_gid),
    }
}
