//! Exit statuses, as grep uses them, and the errors that end a run.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::parallel::NoThreads;
use crate::plan::PlanError;

/// An error that ends a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The command line is invalid.
    Usage(String),
    /// The options of a run are invalid.
    Plan(PlanError),
    /// A path of the command line, or a file that belongs to one, cannot be used; and the reason.
    Path(PathBuf, String),
    /// An operation on such a file failed.
    File(Failure),
    /// The output could not be written: standard output, or the receiver of the caller.
    Stream(io::Error),
    /// The same, in the middle of a run that writes over documents or creates a directory. Its
    /// journal stays.
    Unfinished {
        /// The error.
        error: io::Error,
        /// What happened, and how to continue or revert the run.
        message: String,
    },
    /// No threads can be started; the number of them.
    Threads(usize),
    /// The signals that ask a program to end cannot be handled.
    Signals(io::Error),
}

impl Error {
    /// Creates the error about a path.
    pub(crate) fn at(path: &Path, reason: impl Into<String>) -> Self {
        Error::Path(path.to_owned(), reason.into())
    }

    /// Returns true if the reader of standard output has gone, which is not an error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Stream(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(reason) => write!(f, "error: {reason}"),
            // A message about a path begins with the path.
            Error::Plan(error) if error.is_about_path() => error.fmt(f),
            Error::Plan(error) => write!(f, "error: {error}"),
            Error::Path(path, reason) => f.write_str(&messages::of_path(path, reason)),
            Error::File(failure) => failure.fmt(f),
            Error::Stream(error) => {
                write!(f, "error: cannot write to standard output; {}", messages::reason(error))
            }
            Error::Unfinished { message, .. } => f.write_str(message),
            Error::Threads(n) => write!(
                f,
                "error: cannot start {n} threads; the system refused; use `--jobs N` to start fewer"
            ),
            Error::Signals(error) => {
                write!(f, "error: cannot handle Ctrl-C; {}", messages::reason(error))
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        Error::Plan(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Error::File(failure)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Stream(error)
    }
}

impl From<NoThreads> for Error {
    fn from(NoThreads(n_threads): NoThreads) -> Self {
        Error::Threads(n_threads)
    }
}
