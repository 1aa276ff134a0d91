//! The port to what a tree is read from: the disk, or files in memory. A root of a run has its
//! store, and the storeys above find names and open files through it.

#[cfg(not(target_family = "wasm"))]
pub mod disk;
#[cfg(any(test, target_family = "wasm"))]
pub mod memory;
pub mod range;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Cursor, Read, Seek};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory; it comes before its contents.
    Directory,
    /// A file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Special,
    /// Standard input.
    Stdin,
}

/// An entry that a walk finds: its path, its kind, and the number of names from the top to it.
pub type FoundEntry = (PathBuf, EntryKind, usize);

/// Returns true for an entry that a walk leaves out, with everything in it.
pub type IsLeftOut = fn(&dyn Store, &Path, EntryKind, usize) -> bool;

/// The entries of a walk; an error has the path that cannot be read.
pub type FoundEntries<'s> = Box<dyn Iterator<Item = Result<FoundEntry, (PathBuf, io::Error)>> + 's>;

/// What a tree is read from. Paths are absolute, or relative to the current directory.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the kind of the entry at a path; a link is not followed.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn kind(&self, path: &Path) -> io::Result<EntryKind>;

    /// Returns the kind of what a path leads to, after all links, and its length in bytes.
    ///
    /// # Errors
    ///
    /// If it leads to nothing.
    fn target(&self, path: &Path) -> io::Result<(EntryKind, u64)>;

    /// Returns the path without links, `.` and `..`.
    ///
    /// # Errors
    ///
    /// If it leads to nothing.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns the names in a directory, each with its kind, in any order.
    ///
    /// # Errors
    ///
    /// If it cannot be listed.
    fn names(&self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>>;

    /// Returns the entries at a path and below, in path order, each directory before its contents.
    /// Links are not followed.
    fn walk<'s>(&'s self, top: &Path, is_left_out: IsLeftOut) -> FoundEntries<'s>;

    /// Opens a regular file for reading. A link at the end of the path is not followed.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is no file.
    fn open(&self, path: &Path) -> io::Result<Box<dyn OpenFile>>;

    /// Opens what a path leads to, after all links.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    fn open_target(&self, path: &Path) -> io::Result<Box<dyn OpenFile>>;

    /// Returns true if it is the disk, where a tree is read by the handles of its directories.
    fn is_disk(&self) -> bool {
        false
    }

    /// Returns true if a path leads to a file.
    fn is_file(&self, path: &Path) -> bool {
        self.target(path).is_ok_and(|(kind, _)| kind == EntryKind::File)
    }

    /// Returns true if a path leads to a directory.
    fn is_directory(&self, path: &Path) -> bool {
        self.target(path).is_ok_and(|(kind, _)| kind == EntryKind::Directory)
    }
}

/// A file that is open for reading.
pub trait OpenFile: fmt::Debug + Read + Seek + Send + Sync {
    /// Returns its length in bytes when it was opened.
    fn length(&self) -> u64;

    /// Returns the URL from which it was fetched, if the store has recorded it.
    fn origin(&self) -> Option<String>;

    /// Returns the file as a reader with a position of its own, at its start.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn again(&self) -> io::Result<Box<dyn OpenFile>>;

    /// Returns the file of the system with its metadata, if it is on the disk.
    #[cfg(not(target_family = "wasm"))]
    fn on_disk(&self) -> Option<(&std::fs::File, &std::fs::Metadata)> {
        None
    }
}

impl<B: AsRef<[u8]> + Clone + fmt::Debug + Send + Sync + 'static> OpenFile for Cursor<B> {
    fn length(&self) -> u64 {
        self.get_ref().as_ref().len() as u64
    }

    fn origin(&self) -> Option<String> {
        None
    }

    fn again(&self) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(Cursor::new(self.get_ref().clone())))
    }
}

/// A file of a tree, in a directory that stays the same during a run.
pub trait FileAt {
    /// Returns the path that messages name.
    fn path(&self) -> &Path;

    /// Returns the name.
    fn name(&self) -> &OsStr;

    /// Returns the path of its directory.
    fn directory(&self) -> &Path;

    /// Returns the names in its directory, each with true if it is a file.
    ///
    /// # Errors
    ///
    /// If the directory cannot be listed.
    fn neighbours(&self) -> io::Result<Vec<(OsString, bool)>>;

    /// Returns another name in the same directory.
    fn sibling(&self, name: &OsStr) -> Box<dyn FileAt>;

    /// Returns true if something has the name.
    fn exists(&self) -> bool;

    /// Opens the regular file for reading.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is no file.
    fn open(&self) -> io::Result<Box<dyn OpenFile>>;
}

/// A path of a store as a file in its directory.
#[derive(Debug)]
struct PathInStore {
    store: SharedStore,
    real: PathBuf,
    shown: PathBuf,
}

impl FileAt for PathInStore {
    fn path(&self) -> &Path {
        &self.shown
    }

    fn name(&self) -> &OsStr {
        self.real.file_name().unwrap_or_default()
    }

    fn directory(&self) -> &Path {
        self.real.parent().unwrap_or(Path::new(""))
    }

    fn neighbours(&self) -> io::Result<Vec<(OsString, bool)>> {
        let names = self.store.names(self.directory())?.into_iter();
        Ok(names.map(|(name, kind)| (name, kind == EntryKind::File)).collect())
    }

    fn sibling(&self, name: &OsStr) -> Box<dyn FileAt> {
        let [real, shown] = [&self.real, &self.shown].map(|path| path.with_file_name(name));
        Box::new(PathInStore { store: self.store.clone(), real, shown })
    }

    fn exists(&self) -> bool {
        self.store.kind(&self.real).is_ok()
    }

    fn open(&self) -> io::Result<Box<dyn OpenFile>> {
        self.store.open(&self.real)
    }
}

/// A store that several share.
#[derive(Clone, Debug)]
pub struct SharedStore(Arc<dyn Store>);

impl SharedStore {
    /// Shares a store.
    pub fn new(store: impl Store + 'static) -> Self {
        SharedStore(Arc::new(store))
    }

    /// Returns the file at a path; `shown` is the path that messages name.
    pub fn at(&self, real: PathBuf, shown: &Path) -> Box<dyn FileAt> {
        Box::new(PathInStore { store: self.clone(), real, shown: shown.to_owned() })
    }
}

impl Deref for SharedStore {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for SharedStore {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedStore {}
