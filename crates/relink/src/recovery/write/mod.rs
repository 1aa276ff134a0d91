//! Safe writing: a temporary file in the same directory, with the mode and times of the input, then
//! a rename.
//!
//! No file is ever half-written under its own name, and a link in its place is replaced, not
//! written through. All of it happens relative to [directory handles](crate::os::dirs). In an
//! output that is built beside OUT, files need no temporary names: it gets its own when all are
//! complete.

pub mod old_directories;
pub mod renames;
pub mod replaced;
mod stream;
pub mod update;
mod whole_directories;

use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::LazyLock;

pub use self::stream::{StreamedFile, replace};
pub use self::whole_directories::MadeDirectories;
use crate::files::properties::Properties;
use crate::os::attributes;
use crate::os::dirs::{Location, Temp};
use crate::os::failure::Failure;
use crate::os::origin;

/// The number of a PATH, and two paths below it: the old one and the new one.
pub type Step = (usize, PathBuf, PathBuf);

/// How new files are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// True if the recorded URL of the input is copied.
    pub keeps_origin: bool,
    /// True if each file is flushed to the disk before the run goes on.
    pub is_durable: bool,
    /// True if a file that has the content, mode and time already is not written again.
    pub is_update: bool,
    /// True if the output was created by this run, is used by nobody else, and gets its name when
    /// it is complete.
    pub is_unfinished: bool,
    /// True if only this user may read a file that has no input.
    pub is_private: bool,
}

impl WriteOptions {
    /// Returns the options of a file that is always written.
    pub fn durable(is_durable: bool) -> Self {
        WriteOptions { is_durable, ..WriteOptions::default() }
    }

    /// Returns the same for a file that only this user may read: it is trusted, or has parts of
    /// documents.
    #[must_use]
    pub fn private(self) -> Self {
        WriteOptions { is_private: true, ..self }
    }
}

/// What was done for a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileWrite {
    /// It was written.
    New,
    /// It existed, with this content.
    Current,
}

/// Writes a new file with these bytes, and the mode and times of the input, if it has some.
///
/// # Errors
///
/// [`Failure`] with the path; nothing is left behind.
pub fn bytes(
    to: &Location,
    bytes: &[u8],
    source: Option<SourceFile<'_>>,
    options: WriteOptions,
) -> Result<FileWrite, Failure> {
    let properties = source.map(|source| Properties::of(source.file, source.metadata));
    let properties = properties.as_ref();
    let old = source.filter(|_| options.keeps_origin);
    if options.is_update && update::has_bytes(to, bytes, properties, old.map(|old| old.file)) {
        return Ok(FileWrite::Current);
    }
    let write = || {
        let mut temp = create(to, properties, options)?;
        temp.file_mut().write_all(bytes)?;
        old.inspect(|source| origin::copy(source.file, temp.file()));
        finish(temp, to, properties, options)
    };
    write().map_err(Failure::writing(to.path()))
}

/// Writes a new file that shares the storage of another one with these bytes. Returns `None` if the
/// file system cannot do that, or if the other file has other bytes by now.
///
/// # Errors
///
/// [`Failure`] with the path; nothing is left behind.
pub fn share(
    from: &Location,
    to: &Location,
    bytes: &[u8],
    options: WriteOptions,
) -> Result<Option<FileWrite>, Failure> {
    let write = || {
        let (other, _) = from.open()?;
        let temp = create(to, None, options)?;
        if !share_storage(&other, temp.file()) || !update::is_same(temp.file(), bytes)? {
            return Ok(None);
        }
        if options.is_update && update::has_bytes(to, bytes, None, None) {
            return Ok(Some(FileWrite::Current));
        }
        finish(temp, to, None, options).map(Some)
    };
    write().map_err(Failure::writing(to.path()))
}

/// Lets an empty file share the storage of another one, as a copy on write. Returns true if the
/// file system can do that.
fn share_storage(from: &File, to: &File) -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let is_shared = rustix::fs::ioctl_ficlone(to, from).is_ok();
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let is_shared = {
        let _ = (from, to);
        false
    };
    is_shared
}

/// A document that was read: its file, still open, and the metadata that it had then.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'d> {
    /// The file.
    pub file: &'d File,
    /// Its metadata when it was opened.
    pub metadata: &'d Metadata,
}

/// Gives a file another name, unless that is taken.
///
/// # Errors
///
/// [`Failure`] with the new path.
pub fn rename(from: &Location, to: &Location) -> Result<(), Failure> {
    use io::ErrorKind::{AlreadyExists, PermissionDenied, TooManyLinks, Unsupported};
    // A link fails where the name is taken.
    let renamed = match from.link(to).map_err(|error| (error.kind(), error)) {
        Ok(()) => from.remove(),
        // An earlier run was interrupted between the two.
        Err((AlreadyExists, _)) if from.is_same_file(to) => from.remove(),
        // The file system has no hard links, or gives none of this file.
        Err((PermissionDenied | TooManyLinks | Unsupported, _)) if to.is_free() => {
            from.directory().rename(from.name(), to.directory(), to.name())
        }
        Err((_, error)) => Err(error),
    };
    renamed.map_err(Failure::writing(to.path()))
}

/// Copies a file, with its mode and times.
///
/// # Errors
///
/// [`Failure`] with the path that it is about; nothing is left behind.
pub fn copy(from: &Location, to: &Location, options: WriteOptions) -> Result<FileWrite, Failure> {
    let (mut input, metadata) = from.open().map_err(Failure::reading(from.path()))?;
    let properties = Properties::of(&input, &metadata);
    let old = options.keeps_origin.then_some(&input);
    if options.is_update
        && update::has_content(to, &input, Some(&properties), old)
            .map_err(Failure::reading(from.path()))?
    {
        return Ok(FileWrite::Current);
    }
    let mut write = || {
        let mut temp = create(to, Some(&properties), options)?;
        copy_content(&mut input, temp.file_mut(), &metadata)?;
        options.keeps_origin.then(|| origin::copy(&input, temp.file()));
        finish(temp, to, Some(&properties), options)
    };
    write().map_err(Failure::writing(to.path()))
}

/// Copies a file, whose metadata is known, from its start to its end. Its holes stay holes: they
/// may be larger than the disk.
fn copy_content(from: &mut File, to: &mut File, metadata: &Metadata) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.blocks().saturating_mul(512) < metadata.len() {
            return copy_around_holes(from, to);
        }
    }
    match metadata.len() {
        // Some file systems do not know the length.
        0 => io::copy(from, to).map(drop),
        len => copy_part(from, to, len),
    }
}

/// Copies what is between the holes of a file (lseek(2), `SEEK_DATA`).
#[cfg(any(target_os = "linux", target_os = "android"))]
fn copy_around_holes(from: &mut File, to: &mut File) -> io::Result<()> {
    use std::io::Seek;

    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;

    let mut end = 0;
    loop {
        let start = match seek(&*from, SeekFrom::Data(end)) {
            // The rest is a hole.
            Err(Errno::NXIO) => return to.set_len(from.metadata()?.len()),
            start => start?,
        };
        end = seek(&*from, SeekFrom::Hole(start))?;
        from.seek(io::SeekFrom::Start(start))?;
        to.seek(io::SeekFrom::Start(start))?;
        copy_part(from, to, end - start)?;
    }
}

/// Copies the next `len` bytes of a file, or those that there are.
fn copy_part(from: &mut File, to: &mut File, len: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let len = copy_by_system(from, to, len);
    match len {
        0 => Ok(()),
        rest => io::copy(&mut from.take(rest), to).map(drop),
    }
}

/// Lets the system copy the next `len` bytes. Returns the number of those that it has not copied.
/// The library would not know the length, nor that both are files.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn copy_by_system(from: &File, to: &File, len: u64) -> u64 {
    let mut rest = len;
    while rest > 0 {
        let n = usize::try_from(rest).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(from, None, to, None, n) {
            Ok(n @ 1..) => rest -= n as u64,
            // A shorter file than before, or a file system that cannot do this.
            _ => break,
        }
    }
    rest
}

/// Creates a copy of a symbolic link; its target is not read.
///
/// # Errors
///
/// [`Failure`] with the path that it is about.
pub fn link(from: &Location, to: &Location, options: WriteOptions) -> Result<FileWrite, Failure> {
    let target = from.directory().read_link(from.name()).map_err(Failure::reading(from.path()))?;
    let is_same = |old: &Path| old == target;
    if options.is_update && to.directory().read_link(to.name()).is_ok_and(|old| is_same(&old)) {
        return Ok(FileWrite::Current);
    }
    let write = || {
        if to.status().is_ok_and(|status| !status.is_directory) {
            to.remove()?;
        }
        to.directory().make_link(&target, to.name())
    };
    write().map(|()| FileWrite::New).map_err(Failure::writing(to.path()))
}

/// Creates a file with a temporary name, which it keeps until it is complete.
fn temporary(at: &Location, properties: Option<&Properties>) -> io::Result<Temp> {
    own_rights(at, at.temporary(mode(properties))?, properties)
}

/// Takes from a new file the access list that its directory gives to new files, if it gets the
/// rights of an input: nobody is given more than by that. It is still empty.
fn own_rights(at: &Location, temp: Temp, properties: Option<&Properties>) -> io::Result<Temp> {
    if let Some(properties) = properties
        && attributes::remove_list(at.directory(), temp.file())
    {
        temp.file().set_permissions(properties.permissions.clone())?;
    }
    Ok(temp)
}

/// Creates a file of the output.
fn create(
    at: &Location,
    properties: Option<&Properties>,
    options: WriteOptions,
) -> io::Result<Temp> {
    match options.is_unfinished {
        true => own_rights(at, at.unfinished(mode(properties))?, properties),
        false if options.is_private && properties.is_none() => at.temporary(0o600),
        false => temporary(at, properties),
    }
}

/// Returns the mode of a new file: the input's rights less the user's mask, or read and write for
/// all.
fn mode(properties: Option<&Properties>) -> u32 {
    #[cfg(unix)]
    let mode = properties.map_or(0o666, |given| given.permissions.mode() & 0o777);
    #[cfg(not(unix))]
    let mode = properties.map_or(0o666, |_| 0o666);
    mode
}

fn finish(
    temp: Temp,
    at: &Location,
    properties: Option<&Properties>,
    options: WriteOptions,
) -> io::Result<FileWrite> {
    prepare(&temp, properties, options.is_durable)?;
    // The directories of an unfinished output are flushed once, when it is complete.
    persist(temp, at, options.is_durable && !options.is_unfinished).map(|()| FileWrite::New)
}

/// Gives a complete file its mode and times.
fn prepare(temp: &Temp, properties: Option<&Properties>, is_durable: bool) -> io::Result<()> {
    if let Some(properties) = properties {
        if !has_mode_from_start(&properties.permissions) {
            temp.file().set_permissions(properties.permissions.clone())?;
        }
        temp.file().set_times(properties.times())?;
    }
    if is_durable { temp.file().sync_all() } else { Ok(()) }
}

/// Gives a file its name.
fn persist(temp: Temp, at: &Location, is_durable: bool) -> io::Result<()> {
    temp.persist(at.name())?;
    if is_durable { at.sync() } else { Ok(()) }
}

/// Returns true if a file made with these rights has them already, as the user's mask
/// removes none of them.
#[cfg(unix)]
fn has_mode_from_start(permissions: &Permissions) -> bool {
    static MASK: LazyLock<Option<u32>> = LazyLock::new(|| {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
        u32::from_str_radix(mask.trim(), 8).ok()
    });
    let mode = permissions.mode() & 0o7777;
    MASK.is_some_and(|mask| mode & !0o777 == 0 && mode & mask == 0)
}

#[cfg(not(unix))]
fn has_mode_from_start(_: &Permissions) -> bool {
    false
}
