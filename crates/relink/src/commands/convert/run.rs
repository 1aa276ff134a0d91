//! A run in progress: what its threads share.

use crate::commands::delete::Expected;
use crate::os::dirs::Dirs;
use crate::plan::Convert;
use crate::recovery::journal::Journal;
use crate::recovery::journal::building::Building;
use crate::recovery::journal::log::Log;
use crate::recovery::move_log::MoveLog;

/// A run in progress.
pub(super) struct Run<'c> {
    pub(super) config: &'c Convert,
    /// The directories of the output, by the number of the root; one file is root 0.
    pub(super) out: Dirs,
    /// The journal, if documents are written over.
    pub(super) journal: Option<Journal>,
    /// The output that is not complete, if it is a new directory.
    pub(super) building: Option<Building>,
    /// The records for the manifest, if there is no journal.
    pub(super) log: Option<Log>,
    /// Number of documents that an interrupted run has recorded, and that do not exist any more.
    pub(super) n_gone: usize,
    /// The record of moves.
    pub(super) moved: Option<MoveLog>,
    /// What the output contains, if other files in it are removed.
    pub(super) expected: Option<Expected>,
}
