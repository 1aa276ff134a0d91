//! Exit statuses, as grep uses them, and the errors that end a run.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Everything was done: 0.
    #[default]
    Done,
    /// A problem was found: 1.
    Found,
    /// A file failed, or the command line is wrong: 2. It wins over [`Status::Found`].
    Failed,
    /// A signal ended the run: 128 plus its number, as in shells.
    Interrupted(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::Found => 1,
            Status::Failed => 2,
            Status::Interrupted(signal) => 128 + signal,
        })
    }
}

/// An error that ends a run before its files are processed.
#[derive(Debug)]
pub enum Error {
    /// The command line is invalid.
    Usage(String),
    /// Standard output failed.
    Stream(io::Error),
}

impl Error {
    /// Returns true if the reader of standard output has gone, which is not an error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Stream(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(reason) => f.write_str(reason),
            Error::Stream(error) => {
                write!(f, "standard output: {}", crate::messages::reason(error))
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Stream(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_status_wins() {
        assert_eq!(Status::Found.max(Status::Failed), Status::Failed);
        assert_eq!(Status::Done.max(Status::Found), Status::Found);
    }
}
