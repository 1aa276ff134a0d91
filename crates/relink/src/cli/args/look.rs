//! Arguments of the commands that only read: `refs`, `bases`, `check`, `slots`.

use std::path::PathBuf;

use clap::Args;

use crate::os::format::{CHECKS, ColorArgs, DiffFormat, FormatArgs, OUTPUT, REPORTS, SELECTION};
use crate::plan::options::{CheckOptions, TreeOptions};

/// Whether files that git ignores are read.
#[derive(Clone, Copy, Debug, Args)]
pub struct IgnoredArgs {
    /// Read files that git ignores too
    ///
    /// Without this option, a PATH in a repository that is not ignored itself is read without them;
    /// references may point to them.
    #[arg(long, conflicts_with = "ignore_files", help_heading = SELECTION, hide_short_help = true)]
    pub no_ignore: bool,
}

/// Arguments of `refs`.
#[derive(Debug, Args)]
pub struct RefsArgs {
    /// The output format.
    #[command(flatten)]
    pub format: FormatArgs,

    /// Files.
    #[command(flatten)]
    pub tree: TreeOptions,

    /// What git ignores.
    #[command(flatten)]
    pub ignored: IgnoredArgs,
}

/// Arguments of `bases`.
#[derive(Debug, Args)]
pub struct BasesArgs {
    /// The output format.
    #[command(flatten)]
    pub format: FormatArgs,

    /// Files.
    #[command(flatten)]
    pub tree: TreeOptions,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Show the target by each of the seven dialects too
    #[arg(long, help_heading = OUTPUT)]
    pub all_dialects: bool,

    /// The output format.
    #[command(flatten)]
    pub format: FormatArgs,

    /// Files.
    #[command(flatten)]
    pub tree: TreeOptions,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What is checked.
    #[command(flatten)]
    pub options: CheckOptions,

    /// Correct references that have exactly one right answer
    ///
    /// A reference without a file is changed if exactly one file can have been meant: one whose
    /// name differs in letter case only, one that has the escapes or the query in its name, or the
    /// page of a clean URL. It needs -o, --in-place, --diff or --dry-run.
    #[arg(
        long,
        help_heading = CHECKS
    )]
    pub fix: bool,

    /// With --fix, write to OUT
    #[arg(short, long, requires = "fix", value_name = "OUT", help_heading = OUTPUT, hide_short_help = true)]
    pub output: Option<PathBuf>,

    /// With --fix, write over the documents; `relink undo` reverts the run
    #[arg(short, long, requires = "fix", help_heading = OUTPUT, hide_short_help = true)]
    pub in_place: bool,

    /// With --fix, show the changes as a diff, and write nothing
    #[arg(
        long,
        requires = "fix",
        value_enum,
        value_name = "unified|git",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "unified",
        hide_possible_values = true,
        help_heading = OUTPUT,
        hide_short_help = true
    )]
    pub diff: Option<DiffFormat>,

    /// With --fix, write nothing; report what would be done
    #[arg(short = 'n', long, requires = "fix", help_heading = OUTPUT, hide_short_help = true)]
    pub dry_run: bool,

    /// Explain a problem, such as no-file, and do nothing else
    #[arg(long, value_name = "PROBLEM", exclusive = true, help_heading = CHECKS)]
    pub explain: Option<String>,

    /// Files.
    #[command(flatten)]
    pub tree: TreeOptions,

    /// What git ignores.
    #[command(flatten)]
    pub ignored: IgnoredArgs,

    /// Write a report to FILE: a page (.html), or its data (.json)
    ///
    /// The page shows each problem, what was skipped and why, and the bases. It needs no other file
    /// and no network. An earlier report is replaced, and nothing else.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = REPORTS
    )]
    pub report: Option<PathBuf>,
}

/// Arguments of `slots`.
#[derive(Debug, Args)]
pub struct SlotsArgs {
    /// The output format.
    #[command(flatten)]
    pub format: FormatArgs,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
