//! Exit statuses, as grep uses them, and the errors that end a run.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::os::failure::Failure;
use crate::os::parallel::NoThreads;
use crate::os::{messages, option_names};
use crate::plan::PlanError;

/// An error that ends a run. Its alternate form, `{:#}`, names options as the command line does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line is invalid.
    #[error("error: {0}")]
    Usage(String),
    /// The options of a run are invalid.
    #[error(fmt = plan)]
    Plan(#[from] PlanError),
    /// A path of the command line, or a file that belongs to one, cannot be used; and the reason.
    #[error("{}", messages::of_path(.0, .1))]
    Path(PathBuf, String),
    /// An operation on such a file failed.
    #[error(transparent)]
    File(#[from] Failure),
    /// The output could not be written: standard output, or the receiver of the caller.
    #[error("error: cannot write to standard output; {}", messages::reason(.0))]
    Stream(#[from] io::Error),
    /// The same, in the middle of a run that writes over documents or creates a directory. Its
    /// journal stays.
    #[error("{message}")]
    Unfinished {
        /// The error.
        #[source]
        error: io::Error,
        /// What happened, and how to continue or revert the run.
        message: String,
    },
    /// No threads can be started; the number of them.
    #[error(fmt = threads)]
    Threads(usize),
    /// The signals that ask a program to end cannot be handled.
    #[error("error: cannot handle Ctrl-C; {}", messages::reason(.0))]
    Signals(#[source] io::Error),
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

/// Writes the error of a plan. A message about a path begins with the path.
fn plan(error: &PlanError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    option_names::write(f, if error.is_about_path() { "{}" } else { "error: {}" }, &[error])
}

fn threads(n_threads: &usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = "error: cannot start {} threads; the system refused; use `--jobs N` to start fewer";
    option_names::write(f, text, &[n_threads])
}

impl From<NoThreads> for Error {
    fn from(NoThreads(n_threads): NoThreads) -> Self {
        Error::Threads(n_threads)
    }
}
