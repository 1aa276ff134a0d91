//! Arguments of the commands for runs that were broken off: `resume`, `undo`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// A folder or file that the run was over; without it, the run that was broken off here
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// No summary, and no messages but errors, whatever the run was told
    #[arg(short, long)]
    pub quiet: bool,

    /// Believes a journal that was copied, unpacked or restored: look first at what it names
    #[arg(long)]
    pub trust: bool,
}

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// A folder or file that the run was over; without it, the run that was broken off here
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// No summary, and no messages but errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Believes a journal that was copied, unpacked or restored: look first at what it names
    #[arg(long)]
    pub trust: bool,
}
