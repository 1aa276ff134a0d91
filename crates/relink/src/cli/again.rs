//! Arguments of the commands for interrupted runs: `resume`, `undo`.

use std::path::PathBuf;

use clap::Args;

use super::{ColorArgs, Format, OUTPUT};

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
    /// A directory or file of the run [default: the interrupted run in this directory]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Print errors only, and no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// The output format
    ///
    /// text  for people
    /// json  for programs: one JSON object per line
    #[arg(
        long,
        value_enum,
        value_name = "text|json",
        hide_possible_values = true,
        default_value_t = Format::Text,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub format: Format,

    /// Trust a journal that was copied, unpacked or restored
    ///
    /// Without this option, relink lists the paths in such a journal and ends. Look at them first.
    #[arg(long)]
    pub trust: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
