//! Arguments of `mv` and `pack`.

use std::path::PathBuf;

use clap::Args;

use crate::os::format::{
    BASE_URLS, ColorArgs, DiffFormat, Format, OUTPUT, RENAMES, REPORTS, SELECTION,
};

/// Arguments of `mv`.
#[derive(Debug, Args)]
pub struct MvArgs {
    /// The files and directories that are moved, and their new place
    ///
    /// If the last path is a directory, they are moved into it; otherwise, the one before gets that
    /// name.
    #[arg(required = true, num_args = 2.., value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The directory of the documents whose references follow; PATHs are below it
    #[arg(long, value_name = "DIRECTORY", default_value = ".", help_heading = SELECTION)]
    pub tree: PathBuf,

    /// The URL of the tree [default: that of a tree on the disk]
    ///
    /// Without it, the tree is the root of references such as /a, if at least half of those lead to
    /// files in it, and none to a file elsewhere.
    #[arg(long, value_name = "URL", help_heading = BASE_URLS)]
    pub base: Option<String>,

    /// An alias of the URL given with --base
    ///
    /// References to it are references into the tree. Examples are the same URL with https, or with
    /// www. May be given several times.
    #[arg(long, value_name = "URL", help_heading = BASE_URLS, hide_short_help = true)]
    pub same_as: Vec<String>,

    /// Write redirects from the old URLs to the new ones for a server; needs --base
    ///
    /// SERVER is nginx, apache, caddy, netlify or csv. May be given several times.
    #[arg(long, value_name = "SERVER=FILE", help_heading = RENAMES)]
    pub redirects: Vec<String>,

    /// Read these optional formats too, such as markdown
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = SELECTION)]
    pub also: Vec<String>,

    /// Write nothing; report what would be done
    #[arg(short = 'n', long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Show the changes as a diff, and write nothing
    #[arg(
        long,
        value_enum,
        value_name = "unified|git",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "unified",
        hide_possible_values = true,
        help_heading = OUTPUT
    )]
    pub diff: Option<DiffFormat>,

    /// Flush each file to the disk before going on (protects against power loss)
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub durable: bool,

    /// Write a manifest of the run to FILE
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub manifest: Option<PathBuf>,

    /// Do not keep a manifest next to the tree
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_manifest: bool,

    /// The output format: text for people, json for programs
    #[arg(
        long,
        value_enum,
        value_name = "text|json",
        default_value_t = Format::Text,
        hide_possible_values = true,
        help_heading = OUTPUT,
        hide_short_help = true
    )]
    pub format: Format,

    /// Exit with status 1 if a reference failed
    ///
    /// That is a reference, or a document, that could not be handled. What a hint says was not read
    /// or changed counts too.
    #[arg(long, help_heading = REPORTS, hide_short_help = true)]
    pub strict: bool,

    /// Print errors only, and no summary
    #[arg(short, long, help_heading = REPORTS)]
    pub quiet: bool,

    /// Report changed files and details
    #[arg(short, long, help_heading = REPORTS)]
    pub verbose: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
