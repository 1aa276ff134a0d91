//! An operation on a file that failed: the path, and what the system said.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::messages;

/// What failed, and where.
#[derive(Debug)]
pub struct Failure {
    path: PathBuf,
    cause: io::Error,
}

impl Failure {
    /// Says of which path an error of the system tells: `.map_err(Failure::at(path))`.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Failure {
        move |cause| Failure { path: path.to_owned(), cause }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&messages::of_path(&self.path, &messages::reason(&self.cause)))
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        failure.to_string()
    }
}
