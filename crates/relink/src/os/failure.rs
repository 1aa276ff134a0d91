//! An operation on a file that failed: the path, and the error of the system.

use std::io;
use std::path::{Path, PathBuf};

use crate::os::messages;

/// The number of an input or output error (EIO) on Unix systems.
const EIO: i32 = 5;

/// A failed operation, and its path.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", path.display(), self.text())]
pub struct Failure {
    path: PathBuf,
    /// The operation that failed; `None` if the cause is the whole message.
    what: Option<&'static str>,
    #[source]
    cause: io::Error,
}

impl Failure {
    /// Creates a failure whose reason is a whole message.
    pub(crate) fn because(path: &Path, reason: impl Into<String>) -> Failure {
        Failure { path: path.to_owned(), what: None, cause: io::Error::other(reason.into()) }
    }

    /// Adds the path to an error of reading: `.map_err(Failure::reading(path))`.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Failure {
        Failure::to("cannot read", path)
    }

    /// Adds the path to an error of writing.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Failure {
        Failure::to("cannot write", path)
    }

    /// Adds the path to an error of removing a file.
    pub(crate) fn removing(path: &Path) -> impl Fn(io::Error) -> Failure {
        Failure::to("cannot remove", path)
    }

    /// Adds the path and the operation.
    pub(crate) fn to(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Failure {
        move |cause| Failure { path: path.to_owned(), what: Some(what), cause }
    }

    /// Returns the message without the path.
    fn text(&self) -> String {
        match self.what {
            Some(what) => format!("{what}; {}", messages::reason(&self.cause)),
            None => self.cause.to_string(),
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the error without path and operation.
    pub fn into_cause(self) -> io::Error {
        self.cause
    }

    /// Returns true if there is no space left (ENOSPC), or none for this user (EDQUOT): other files
    /// cannot be written either.
    pub fn is_disk_full(&self) -> bool {
        matches!(self.cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Returns true if the disk is full or fails: later operations will fail too, and the same
    /// operation may succeed another time.
    pub fn is_of_disk(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let is_disk_kind = matches!(
            self.cause.kind(),
            FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull
        );
        // The library has no name for EIO.
        is_disk_kind || (cfg!(unix) && code(&self.cause) == Some(EIO))
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        failure.to_string()
    }
}

/// Returns the number that the system gave an error, which may be nested in another.
fn code(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| {
        let inner = error.get_ref()?.source()?;
        inner.downcast_ref::<io::Error>()?.raw_os_error()
    })
}
