//! The places and locks of journals: a run locks its journal, and the system releases the lock when
//! the run ends, for whatever reason.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use crate::files::own_files::JOURNAL as SUFFIX;
use crate::os::dirs::{beside, is_at, lock};
use crate::os::paths;
use crate::plan::exit::Error;

/// Returns the possible places of the journal of a PATH, in order of preference: next to it,
/// `.NAME.relink-journal`; in a directory, if the one around it is not writable. Where something is
/// mounted on PATH, the journal is in it: what is around it may be another disk, or go with a
/// container.
///
/// # Errors
///
/// If neither the PATH nor its directory exists.
pub fn places(root: &Path) -> io::Result<Vec<PathBuf>> {
    places_with(root, SUFFIX)
}

/// Returns the same for a file with another suffix.
///
/// # Errors
///
/// If neither the PATH nor its directory exists.
pub fn places_with(root: &Path, suffix: &str) -> io::Result<Vec<PathBuf>> {
    // It is the same, whatever links lead to it.
    let path = match root.canonicalize() {
        // An output that is not complete has another name.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = root.parent().ok_or(error)?;
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            let name = root.file_name().ok_or(io::ErrorKind::NotFound)?;
            parent.canonicalize()?.join(name)
        }
        path => path?,
    };
    let beside = path.parent().zip(path.file_name()).map(|(parent, name)| {
        let mut file = OsString::from(".");
        file.push(name);
        file.push(suffix);
        parent.join(file)
    });
    let inside = path.is_dir().then(|| path.join(suffix));
    let mut places: Vec<PathBuf> = beside.into_iter().chain(inside).collect();
    if places.len() == 2 && is_mount_point(&path) {
        places.reverse();
    }
    Ok(places)
}

/// Returns true if something is mounted on a directory (statx(2), `STATX_ATTR_MOUNT_ROOT`).
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_mount_point(directory: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let status = statx(CWD, directory, AtFlags::empty(), StatxFlags::empty());
    status.is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Returns true if a directory is on another disk than the one around it.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn is_mount_point(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| Some(path.metadata().ok()?.dev());
    device(directory) != directory.parent().and_then(device)
}

/// Returns false, because it cannot be determined.
#[cfg(not(unix))]
fn is_mount_point(_: &Path) -> bool {
    false
}

/// Returns the possible places of the file that names the journal of the run, for a PATH that is
/// not the first: those of its own journal; for a single file, in its directory.
///
/// # Errors
///
/// If the PATH does not exist.
pub fn further_places(root: &Path) -> io::Result<Vec<PathBuf>> {
    if root.is_dir() {
        return places(root);
    }
    let directory = root.parent().filter(|directory| !directory.as_os_str().is_empty());
    Ok(vec![directory.unwrap_or(Path::new(".")).canonicalize()?.join(SUFFIX)])
}

/// Returns the path that a journal is about, if a file has the name of one.
pub fn subject(journal: &Path) -> Option<PathBuf> {
    subject_with(journal, SUFFIX)
}

/// Returns the same for a file with another suffix.
pub fn subject_with(file: &Path, suffix: &str) -> Option<PathBuf> {
    let name = paths::bytes(Path::new(file.file_name()?));
    if name == suffix.as_bytes() {
        return file.parent().map(Path::to_owned);
    }
    let subject = name.strip_prefix(b".")?.strip_suffix(suffix.as_bytes())?;
    Some(file.with_file_name(paths::os_str(subject)?))
}

/// The reason why a file is not used that has the name of a journal.
pub(super) const NO_JOURNAL: &str = "it is not a journal of relink; move it away";

/// A file that is locked until it is dropped.
///
/// The lock is given up explicitly: when a file is only closed, a program that another thread
/// starts at this moment keeps the lock, until it is executed.
#[derive(Debug)]
pub struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        drop(self.0.unlock());
    }
}

impl From<File> for Locked {
    fn from(file: File) -> Self {
        Locked(file)
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

/// The result of locking a journal.
#[derive(Debug)]
pub enum LockAttempt {
    /// It is locked by this run, until the file is dropped.
    Locked(Locked),
    /// Another run is active.
    Busy,
}

/// Opens and locks a journal; `None` if there is none.
///
/// # Errors
///
/// Those of the system; also if it is a link, not a regular file, or another user's.
pub fn take(path: &Path) -> io::Result<Option<LockAttempt>> {
    let at = match beside(path) {
        Err(error) if is_absent(&error) => return Ok(None),
        at => at?,
    };
    loop {
        let (file, metadata) = match at.directory().file_to_append(at.name()) {
            Err(error) if is_absent(&error) => return Ok(None),
            // A link is not written through, and a pipe is not waited for.
            Err(_) if at.status().is_ok_and(|status| !status.is_file) => {
                return Err(io::Error::other(NO_JOURNAL));
            }
            Err(error) => {
                // The owner is a better reason than that it cannot be opened.
                if let Ok(found) = path.symlink_metadata() {
                    check_own(&found)?;
                }
                return Err(error);
            }
            Ok(opened) => opened,
        };
        check_own(&metadata)?;
        if !lock(&file)? {
            return Ok(Some(LockAttempt::Busy));
        }
        let file = Locked(file);
        if is_at(&file, at.directory(), at.name())? {
            return Ok(Some(LockAttempt::Locked(file)));
        }
    }
}

/// Returns true if an error means that no file has the name.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
}

/// Creates a journal, and locks it. An existing one is taken as by [`take`].
///
/// # Errors
///
/// Those of the system.
pub fn make(path: &Path) -> io::Result<LockAttempt> {
    let at = beside(path)?;
    loop {
        if let Some(attempt) = take(path)? {
            return Ok(attempt);
        }
        // It contains parts of the documents, and the command line.
        match at.directory().create_new_to_append(at.name(), 0o600) {
            Ok(file) => match lock(&file)
                .and_then(|is_ours| Ok((is_ours, is_at(&file, at.directory(), at.name())?)))
            {
                Ok((false, _)) => return Ok(LockAttempt::Busy),
                Ok((true, true)) => return Ok(LockAttempt::Locked(Locked(file))),
                Ok((true, false)) => {}
                // It is empty.
                Err(error) => {
                    drop(at.remove());
                    return Err(error);
                }
            },
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Checks that nobody but this user can have written a journal, because its content is trusted.
///
/// # Errors
///
/// The reason, if somebody else can.
#[cfg(unix)]
pub fn check_own(found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if is_own(found) && found.mode() & 0o022 == 0 {
        Ok(())
    } else {
        Err(io::Error::other(
            "it is not trusted because another user owns it or can write it; move it away, or run relink as its owner",
        ))
    }
}

/// Returns true if a file belongs to this user.
#[cfg(unix)]
pub fn is_own(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Returns true, because it cannot be determined.
#[cfg(not(unix))]
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Checks nothing, because it cannot be determined.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn check_own(_: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Locks the tree of a PATH itself: whatever path leads to it, also through another mount, no other
/// run over it can begin. Of a single file, the directory is shared with runs over other files.
/// `None` if this cannot be locked, as on network file systems: then only the journal is.
///
/// # Errors
///
/// [`io::ErrorKind::WouldBlock`] if another run is active.
pub fn tree(root: &Path) -> io::Result<Option<Locked>> {
    let (directory, is_shared) =
        if root.is_dir() { (root, false) } else { (root.parent().unwrap_or(Path::new("/")), true) };
    let Ok(file) = File::open(directory) else { return Ok(None) };
    match if is_shared { file.try_lock_shared() } else { file.try_lock() } {
        Ok(()) => Ok(Some(Locked(file))),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Removes a journal.
///
/// # Errors
///
/// Those of the system; not if it does not exist.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

pub(super) fn busy(root: &Path) -> Error {
    Error::at(root, "cannot start; another run is active here; wait until it has ended")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_journal_says_what_it_is_of() {
        let of = |journal: &str| subject(Path::new(journal));
        assert_eq!(of("/a/.b.relink-journal"), Some("/a/b".into()));
        assert_eq!(of("/a/.relink-journal"), Some("/a".into()));
        assert_eq!(of("/a/b.relink-journal"), None);
        assert_eq!(of("/a/.b.relink-moves"), None);
    }

    #[test]
    fn a_lock_is_held_until_the_file_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        assert!(take(&path).unwrap().is_none());
        let LockAttempt::Locked(file) = make(&path).unwrap() else { panic!("busy") };
        assert!(matches!(take(&path).unwrap(), Some(LockAttempt::Busy)));
        assert!(matches!(make(&path).unwrap(), LockAttempt::Busy));
        // As in a program that is being started meanwhile.
        let inherited = file.try_clone().unwrap();
        drop(file);
        assert!(matches!(make(&path).unwrap(), LockAttempt::Locked(_)));
        drop(inherited);
        remove(&path).unwrap();
        remove(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(take(&path).is_err());
    }
}
