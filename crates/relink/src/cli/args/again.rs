//! Arguments of the commands for earlier runs (`resume`, `undo`, `verify`), and of those that write
//! files about the program itself (`completions`, `man`).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::os::format::{ColorArgs, Format, FormatArgs, OUTPUT};

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// A directory or file of the run [default: the interrupted run in this directory]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Print errors only, and no summary, whatever the options of the run
    #[arg(short, long)]
    pub quiet: bool,

    /// The output format [default: that of the interrupted run]
    ///
    /// text  for people
    /// json  for programs: one JSON object per line
    #[arg(
        long,
        value_enum,
        value_name = "text|json",
        hide_possible_values = true,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub format: Option<Format>,

    /// Trust a journal that was copied, unpacked or restored
    ///
    /// Without this option, relink lists the paths in such a journal and ends. Look at them first.
    #[arg(long)]
    pub trust: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// The PATHs of the run, or its OUT [default: the run in this directory]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Use the manifest of a run that is complete
    ///
    /// Without this option, an interrupted run is reverted, or else the last run with --in-place,
    /// which has kept its manifest in .NAME.relink-manifest next to PATH.
    #[arg(long, value_name = "FILE", requires = "paths")]
    pub manifest: Option<PathBuf>,

    /// Restore the copies of a run with --backup, if it has no manifest [default SUFFIX: .orig]
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".orig",
        requires = "paths",
        conflicts_with = "manifest"
    )]
    pub backup: Option<OsString>,

    /// Print errors only, and no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// The output format.
    #[command(flatten)]
    pub format: FormatArgs,

    /// Trust a journal or a kept manifest that was copied, unpacked or restored
    ///
    /// Without this option, relink lists the paths in such a file and ends. Look at them first.
    #[arg(long)]
    pub trust: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The PATHs of the run, or its OUT
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// The manifest of the run
    #[arg(long, value_name = "FILE", required = true)]
    pub manifest: PathBuf,

    /// The output format
    ///
    /// text  for people: the problems
    /// json  for programs: one JSON object per file
    #[arg(
        long,
        value_enum,
        value_name = "text|json",
        hide_possible_values = true,
        default_value_t = Format::Text,
        verbatim_doc_comment
    )]
    pub format: Format,

    /// Print no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
