//! The exit status of a run.

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

impl Status {
    /// Returns the number that a program ends with.
    ///
    /// ```
    /// use relink::Status;
    /// assert_eq!((Status::Failed.code(), Status::Interrupted(2).code()), (2, 130));
    /// ```
    pub const fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Found => 1,
            Status::Failed => 2,
            Status::Interrupted(signal) => 128_u8.saturating_add(signal),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
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
