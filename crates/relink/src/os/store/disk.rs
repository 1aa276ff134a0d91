//! The disk as a store: the only file that imports walkdir.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use walkdir::WalkDir;

use super::{EntryKind, FileAt, FoundEntries, IsLeftOut, OpenFile, SharedStore, Store};
use crate::os::dirs::{Location, beside};
use crate::os::origin;
use crate::os::positioned::Positioned;

/// The file systems of this machine.
#[derive(Debug)]
struct Disk;

/// Returns the disk.
pub fn disk() -> SharedStore {
    static DISK: LazyLock<SharedStore> = LazyLock::new(|| SharedStore::new(Disk));
    DISK.clone()
}

fn kind(file_type: FileType) -> EntryKind {
    match () {
        () if file_type.is_dir() => EntryKind::Directory,
        () if file_type.is_file() => EntryKind::File,
        () if file_type.is_symlink() => EntryKind::Link,
        () => EntryKind::Special,
    }
}

impl Store for Disk {
    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        Ok(kind(path.symlink_metadata()?.file_type()))
    }

    fn target(&self, path: &Path) -> io::Result<(EntryKind, u64)> {
        let metadata = path.metadata()?;
        Ok((kind(metadata.file_type()), metadata.len()))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>> {
        let entry = |entry: fs::DirEntry| Some((entry.file_name(), kind(entry.file_type().ok()?)));
        Ok(directory.read_dir()?.filter_map(Result::ok).filter_map(entry).collect())
    }

    fn walk<'s>(&'s self, top: &Path, is_left_out: IsLeftOut) -> FoundEntries<'s> {
        let walk = WalkDir::new(top).sort_by_file_name().into_iter();
        let walk = walk.filter_entry(move |entry| {
            !is_left_out(self, entry.path(), kind(entry.file_type()), entry.depth())
        });
        let top = top.to_owned();
        Box::new(walk.map(move |entry| match entry {
            Ok(entry) => {
                let (kind, depth) = (kind(entry.file_type()), entry.depth());
                Ok((entry.into_path(), kind, depth))
            }
            Err(error) => {
                let path = error.path().unwrap_or(&top).to_owned();
                let is_loop = || io::Error::other("loop of symbolic links");
                Err((path, error.into_io_error().unwrap_or_else(is_loop)))
            }
        }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        FileAt::open(&beside(path)?)
    }

    fn open_target(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        opened(File::open(path)?)
    }

    fn is_disk(&self) -> bool {
        true
    }
}

/// Returns an open file of the disk, to be read from its start.
///
/// # Errors
///
/// If its metadata cannot be read.
pub fn opened(file: File) -> io::Result<Box<dyn OpenFile>> {
    let metadata = file.metadata()?;
    Ok(Box::new(DiskFile { file: Arc::new(file), at: 0, metadata }))
}

/// A file of the disk, with a position of its own.
#[derive(Debug)]
struct DiskFile {
    file: Arc<File>,
    at: u64,
    metadata: Metadata,
}

impl Read for DiskFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n_bytes = Positioned::new(&self.file, self.at).read(bytes)?;
        self.at += n_bytes as u64;
        Ok(n_bytes)
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = Positioned::new(&self.file, self.at).seek(to)?;
        Ok(self.at)
    }
}

impl OpenFile for DiskFile {
    fn length(&self) -> u64 {
        self.metadata.len()
    }

    fn origin(&self) -> Option<String> {
        origin::of(&self.file)
    }

    fn again(&self) -> io::Result<Box<dyn OpenFile>> {
        let (file, metadata) = (Arc::clone(&self.file), self.metadata.clone());
        Ok(Box::new(DiskFile { file, at: 0, metadata }))
    }

    fn on_disk(&self) -> Option<(&File, &Metadata)> {
        Some((&self.file, &self.metadata))
    }
}

impl FileAt for Location {
    fn path(&self) -> &Path {
        self.path()
    }

    fn name(&self) -> &OsStr {
        self.name()
    }

    fn directory(&self) -> &Path {
        self.directory().path()
    }

    fn neighbours(&self) -> io::Result<Vec<(OsString, bool)>> {
        self.directory().entries()
    }

    fn sibling(&self, name: &OsStr) -> Box<dyn FileAt> {
        Box::new(self.sibling(name))
    }

    fn exists(&self) -> bool {
        self.status().is_ok()
    }

    fn open(&self) -> io::Result<Box<dyn OpenFile>> {
        let (file, metadata) = self.open()?;
        Ok(Box::new(DiskFile { file: Arc::new(file), at: 0, metadata }))
    }
}

/// Returns the directories below a root, including the root, by their paths below it.
pub fn directories(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let root = root.to_owned();
    let entries = WalkDir::new(&root).into_iter().filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_type().is_dir())
        .filter_map(move |entry| entry.path().strip_prefix(&root).ok().map(Path::to_owned))
}

/// Returns the entries of a directory and below, and at last the directory itself: each with true
/// if it is a directory, and after its contents. Links are not followed.
pub fn contents_first(
    directory: &Path,
) -> impl Iterator<Item = io::Result<(PathBuf, bool)>> + use<> {
    let walk = WalkDir::new(directory).contents_first(true).sort_by_file_name();
    walk.into_iter().map(|entry| match entry {
        Ok(entry) => {
            let is_directory = entry.file_type().is_dir();
            Ok((entry.into_path(), is_directory))
        }
        Err(error) => Err(error.into()),
    })
}

/// Returns the number of files in trees, links and special files included; fewer if `is_over`
/// becomes true.
pub fn count_files(paths: &[PathBuf], is_over: &AtomicBool) -> usize {
    let entries = paths.iter().flat_map(WalkDir::new);
    let entries = entries.take_while(|_| !is_over.load(Ordering::Relaxed));
    entries.filter(|entry| entry.as_ref().is_ok_and(|entry| !entry.file_type().is_dir())).count()
}
