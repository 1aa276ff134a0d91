//! Writing safely: a temporary file in the same folder, with the mode and times of the input, and then a rename.
//!
//! Nothing is ever half-written, and a link that stands in the way is replaced, not written through.

use std::fs::{self, File, FileTimes, Metadata, OpenOptions};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tempfile::NamedTempFile;

use crate::attributes;
use crate::destination::Replacing;
use crate::digest;
use crate::failure::Failure;
use crate::half_written;
use crate::places;

/// Writes a new file with these bytes, and the mode and times of the input, if it has some.
///
/// # Errors
///
/// [`Failure`] with the path that it is about; nothing is left behind.
pub fn bytes(
    path: &Path,
    bytes: &[u8],
    metadata: Option<&Metadata>,
    is_durable: bool,
) -> Result<(), Failure> {
    let write = || {
        let mut file = temporary(path, metadata)?;
        file.as_file_mut().write_all(bytes)?;
        finish(file, path, metadata, is_durable)
    };
    write().map_err(Failure::at(path))
}

/// Writes a document over itself, with the mode, owner, times and extended attributes that it had.
///
/// # Errors
///
/// [`Failure`] with the path that it is about; the document is as it was then.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    metadata: Option<&Metadata>,
    replacing: &Replacing,
    is_durable: bool,
) -> Result<(), Failure> {
    check_same(path, metadata).map_err(Failure::at(path))?;
    let mut stream = Stream::over(path, metadata.cloned(), is_durable)?;
    stream.write(bytes)?;
    stream.replace(replacing)
}

/// A file that is written piece by piece, and stands under its name when it is finished.
#[derive(Debug)]
pub struct Stream {
    file: NamedTempFile,
    path: PathBuf,
    metadata: Option<Metadata>,
    is_durable: bool,
    len: u64,
}

impl Stream {
    /// Begins a new file, with the mode and times of the input, if it has some.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn new(path: &Path, metadata: Option<Metadata>, is_durable: bool) -> Result<Self, Failure> {
        let file = temporary(path, metadata.as_ref()).map_err(Failure::at(path))?;
        Ok(Stream { file, path: path.to_owned(), metadata, is_durable, len: 0 })
    }

    /// Begins what is to stand in the place of a document.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn over(
        path: &Path,
        metadata: Option<Metadata>,
        is_durable: bool,
    ) -> Result<Self, Failure> {
        let file = temporary(path, metadata.as_ref())
            .map_err(Failure::to("no file can be made in its folder", path))?;
        Ok(Stream { file, path: path.to_owned(), metadata, is_durable, len: 0 })
    }

    /// Writes more.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.len += bytes.len() as u64;
        self.file.as_file_mut().write_all(bytes).map_err(Failure::at(&self.path))
    }

    /// How many octets were written.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes so many octets that another file begins with.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path that it is about; also if the other file is shorter.
    pub fn write_start(&mut self, from: &Path, len: u64) -> Result<(), Failure> {
        let mut start = File::open(from).map_err(Failure::at(from))?.take(len);
        let n_copied =
            io::copy(&mut start, self.file.as_file_mut()).map_err(Failure::at(&self.path))?;
        self.len += n_copied;
        match n_copied == len {
            true => Ok(()),
            false => Err(Failure::at(from)(io::Error::other("changed while it was read"))),
        }
    }

    /// The hash of what is written.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn hash(&self) -> Result<String, Failure> {
        let file = File::open(self.file.path()).map_err(Failure::at(&self.path))?;
        digest::of(file).map_err(Failure::at(&self.path))
    }

    /// Puts a new file in its place.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path; nothing is left behind.
    pub fn finish(self) -> Result<(), Failure> {
        let Stream { file, path, metadata, is_durable, .. } = self;
        finish(file, &path, metadata.as_ref(), is_durable).map_err(Failure::at(&path))
    }

    /// Puts it in the place of the document, as [`replace`] does.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path that it is about; the document is as it was then.
    pub fn replace(self, replacing: &Replacing) -> Result<(), Failure> {
        let Stream { file, path, metadata, is_durable, .. } = self;
        let metadata = metadata.as_ref();
        let old = check_same(&path, metadata).map_err(Failure::at(&path))?;
        let kept = replacing.kept(&path);
        if !replacing.breaks_hardlinks {
            check_names(&old, kept.as_deref()).map_err(Failure::at(&path))?;
        }
        attributes::keep(&path, &old, file.as_file()).map_err(Failure::at(&path))?;
        let made = match &kept {
            Some(kept) => back_up(&path, kept).map_err(Failure::at(kept))?.then_some(kept),
            None => None,
        };
        let finished = prepare(&file, metadata, is_durable)
            // It may have taken long until all of it was on the disk.
            .and_then(|()| check_same(&path, metadata))
            .and_then(|_| persist(file, &path, is_durable));
        if let (Err(_), Some(kept)) = (&finished, made)
            && check_same(&path, Some(&old)).is_ok()
        {
            drop(fs::remove_file(kept));
        }
        finished.map_err(Failure::at(&path))
    }
}

/// Keeps a document under another name. Whether that name is new; a backup of an earlier run is the older one, and stays.
fn back_up(path: &Path, kept: &Path) -> io::Result<bool> {
    match fs::hard_link(path, kept) {
        Ok(()) => Ok(true),
        // A run that was broken off had come as far as this.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match has_same_bytes(path, kept) {
                true => Ok(false),
                false => Err(io::Error::other(
                    "a backup is there already; move it away, or give another --backup=SUFFIX",
                )),
            }
        }
        Err(_) => copy_new(path, kept).map(|()| true),
    }
}

/// Whether two names are of one file.
#[cfg(unix)]
pub fn is_one(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.symlink_metadata().map(|found| (found.dev(), found.ino()));
    matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether two names are of one file.
#[cfg(not(unix))]
pub fn is_one(_: &Path, _: &Path) -> bool {
    false
}

/// Checks that a document has no other name (hard link), under which it would stay what it was; that of its backup does not count.
#[cfg(unix)]
fn check_names(old: &Metadata, kept: Option<&Path>) -> io::Result<()> {
    let is_it = |kept: Metadata| is_same_file(&kept, old);
    let is_kept = kept.is_some_and(|kept| kept.symlink_metadata().is_ok_and(is_it));
    match old.nlink() - u64::from(is_kept) {
        0 | 1 => Ok(()),
        n => Err(io::Error::other(format!(
            "it has {n} names (hard links), and would stay what it is under the others; --break-hardlinks makes two files of it"
        ))),
    }
}

#[cfg(not(unix))]
fn check_names(_: &Metadata, _: Option<&Path>) -> io::Result<()> {
    Ok(())
}

/// Whether two files hold the same octets.
fn has_same_bytes(one: &Path, other: &Path) -> bool {
    let opened = |path: &Path| {
        let is_file = path.symlink_metadata().ok()?.is_file();
        let file = is_file.then(|| File::open(path).ok()).flatten()?;
        Some((file.metadata().ok()?.len(), file))
    };
    match (opened(one), opened(other)) {
        (Some((len, one)), Some((other_len, other))) if len == other_len => {
            matches!((digest::of(one), digest::of(other)), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}

/// Checks that a document is the one that was read, and may be written over. Returns what is known of it now.
fn check_same(path: &Path, metadata: Option<&Metadata>) -> io::Result<Metadata> {
    let old = path.symlink_metadata()?;
    if let Some(read) = metadata {
        if read.permissions().readonly() {
            return Err(io::Error::other("read-only; it is left as it is"));
        }
        let is_same = old.len() == read.len() && old.modified()? == read.modified()?;
        if !is_same || !old.is_file() || !is_same_file(&old, read) {
            return Err(io::Error::other("changed while it was read; it is left as it is"));
        }
    }
    Ok(old)
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Gives a file that was just written another name, unless that is taken.
///
/// # Errors
///
/// [`Failure`] with the new path.
pub fn rename(path: &Path, new: &Path) -> Result<(), Failure> {
    // A link fails where the name is taken.
    let rename = || {
        fs::hard_link(path, new)?;
        fs::remove_file(path)
    };
    rename().map_err(Failure::at(new))
}

/// Copies a file to a name that nothing has.
fn copy_new(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = from.metadata()?;
    let mut file = temporary(to, Some(&metadata))?;
    io::copy(&mut File::open(from)?, file.as_file_mut())?;
    attributes::keep(from, &metadata, file.as_file())?;
    file.as_file().set_permissions(metadata.permissions())?;
    file.as_file().set_times(times(&metadata))?;
    file.persist_noclobber(to).map_err(|error| error.error)?;
    Ok(())
}

/// Copies a file, with its mode and times.
///
/// # Errors
///
/// [`Failure`] with the path that it is about; nothing is left behind.
pub fn copy(from: &Path, to: &Path, is_durable: bool) -> Result<(), Failure> {
    let open = || {
        let input = File::open(from)?;
        let metadata = input.metadata()?;
        Ok((input, metadata))
    };
    let (mut input, metadata) = open().map_err(Failure::at(from))?;
    let mut write = || {
        let mut file = temporary(to, Some(&metadata))?;
        io::copy(&mut input, file.as_file_mut())?;
        finish(file, to, Some(&metadata), is_durable)
    };
    write().map_err(Failure::at(to))
}

/// Makes a file that has another name until it is whole. What the system says of it is passed on as it is, with its number: `tempfile` would wrap it.
fn temporary(path: &Path, metadata: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    // As any new file: what the user's mask leaves of the input's rights, or of read and write for all.
    #[cfg(unix)]
    options.mode(metadata.map_or(0o666, |metadata| metadata.mode() & 0o777));
    #[cfg(not(unix))]
    let _ = metadata;
    let prefix = half_written::prefix();
    tempfile::Builder::new()
        .prefix(&prefix)
        .rand_bytes(half_written::N_OF_FILE)
        .make_in(places::from_root(folder), |path| options.open(path))
}

fn finish(
    file: NamedTempFile,
    path: &Path,
    metadata: Option<&Metadata>,
    is_durable: bool,
) -> io::Result<()> {
    prepare(&file, metadata, is_durable)?;
    persist(file, path, is_durable)
}

/// Gives a file that is written its mode and times.
fn prepare(file: &NamedTempFile, metadata: Option<&Metadata>, is_durable: bool) -> io::Result<()> {
    if let Some(metadata) = metadata {
        if !has_mode_from_start(metadata) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.as_file().set_times(times(metadata))?;
    }
    match is_durable {
        true => file.as_file().sync_all(),
        false => Ok(()),
    }
}

/// Puts a file in its place.
fn persist(file: NamedTempFile, path: &Path, is_durable: bool) -> io::Result<()> {
    file.persist(path).map_err(|error| error.error)?;
    match is_durable {
        true => sync_folder(path),
        false => Ok(()),
    }
}

/// Waits until the name of a file is on the disk.
///
/// # Errors
///
/// Those of the system.
#[cfg(unix)]
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// There is nothing to wait for.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file made with the rights of `metadata` has them, as the user's mask takes nothing away: then they need not be set again.
#[cfg(unix)]
fn has_mode_from_start(metadata: &Metadata) -> bool {
    static MASK: LazyLock<Option<u32>> = LazyLock::new(|| {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
        u32::from_str_radix(mask.trim(), 8).ok()
    });
    let mode = metadata.mode() & 0o7777;
    MASK.is_some_and(|mask| mode & !0o777 == 0 && mode & mask == 0)
}

#[cfg(not(unix))]
fn has_mode_from_start(_: &Metadata) -> bool {
    false
}

fn times(metadata: &Metadata) -> FileTimes {
    let mut times = FileTimes::new();
    if let Ok(modified) = metadata.modified() {
        times = times.set_modified(modified);
    }
    if let Ok(accessed) = metadata.accessed() {
        times = times.set_accessed(accessed);
    }
    times
}

/// Makes the same symbolic link again; where it leads to is not looked at.
///
/// # Errors
///
/// [`Failure`] with the path that it is about.
pub fn link(from: &Path, to: &Path) -> Result<(), Failure> {
    let target = fs::read_link(from).map_err(Failure::at(from))?;
    let write = || {
        if to.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(to)?;
        }
        symlink(&target, to)
    };
    write().map_err(Failure::at(to))
}

#[cfg(unix)]
fn symlink(target: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, to)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::other("symbolic links are not copied on this system"))
}

/// Folders that were made, whose modes and times are set when all is written.
#[derive(Debug, Default)]
pub struct Folders {
    made: Vec<(PathBuf, Metadata)>,
}

impl Folders {
    /// Makes a folder like `from`, unless there is one. A link is not taken for one.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path that it is about.
    pub fn make(&mut self, from: &Path, to: &Path) -> Result<(), Failure> {
        match to.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(Failure::at(to)(io::ErrorKind::NotADirectory.into())),
            Err(_) => fs::create_dir_all(to).map_err(Failure::at(to))?,
        }
        self.made.push((to.to_owned(), from.metadata().map_err(Failure::at(from))?));
        Ok(())
    }

    /// Sets the modes and times, the innermost folders first. What cannot be set stays as it is.
    pub fn finish(self) {
        for (path, metadata) in self.made.into_iter().rev() {
            if let Ok(folder) = File::open(&path) {
                drop(folder.set_times(times(&metadata)));
                drop(folder.set_permissions(metadata.permissions()));
            }
        }
    }
}
