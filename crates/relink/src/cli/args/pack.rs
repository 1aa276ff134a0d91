//! Arguments of `pack`.

use std::path::PathBuf;

use clap::Args;

use crate::os::format::ColorArgs;
use crate::os::headings::{BASE_URLS, INPUT, LIMITS, OUTPUT, REPORTS, SELECTION};

/// Arguments of `pack`.
#[derive(Debug, Args)]
pub struct PackArgs {
    /// The page: a file of HTML or XHTML
    #[arg(value_name = "PAGE", required_unless_present = "tree")]
    pub page: Option<PathBuf>,

    /// Pack every page of DIR, each as a message of its own; DIR is their root
    ///
    /// `a/b.html` becomes `a/b.mhtml` in OUT.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["page", "root"], help_heading = SELECTION)]
    pub tree: Option<PathBuf>,

    /// The directory of the site: `/a` points into it, and nothing outside of it is packed
    #[arg(long, value_name = "DIR", help_heading = SELECTION)]
    pub root: Option<PathBuf>,

    /// The URL of DIR; without --tree and --root, that of PAGE
    #[arg(long, value_name = "URL", help_heading = BASE_URLS)]
    pub base: Option<String>,

    /// Pack scripts too
    ///
    /// Browsers run no scripts in MHTML. The modules that they import are packed too.
    #[arg(long, help_heading = SELECTION)]
    pub scripts: bool,

    /// Pack only pages whose path below DIR matches
    ///
    /// May be given several times.
    #[arg(long, value_name = "GLOB", requires = "tree", help_heading = SELECTION)]
    pub include: Vec<String>,

    /// Skip pages whose path below DIR matches
    ///
    /// May be given several times.
    #[arg(long, value_name = "GLOB", requires = "tree", help_heading = SELECTION)]
    pub exclude: Vec<String>,

    /// Write to OUT: a file, or with --tree a directory [default: standard output]
    ///
    /// `-` is standard output.
    #[arg(short, long, value_name = "OUT", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// Replace OUT, or write into it even if it is not empty
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,

    /// Write nothing; report what would be done
    #[arg(short = 'n', long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Read files with this extension as this media type
    ///
    /// For example, php=text/html. May be given several times.
    #[arg(
        long = "type",
        value_name = "EXT=MEDIA/TYPE",
        help_heading = INPUT,
        hide_short_help = true
    )]
    pub types: Vec<String>,

    /// Number of threads [default: one per core]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = LIMITS,
        hide_short_help = true
    )]
    pub jobs: Option<u16>,

    /// Change a limit
    ///
    /// A page that exceeds one is not packed. The limits of `pack` are pack-size, load-depth and
    /// parts; docs/limits.md lists all limits. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", help_heading = LIMITS, hide_short_help = true)]
    pub limit: Vec<String>,

    /// Exit with status 1 if something that a page loads is missing
    #[arg(long, help_heading = REPORTS)]
    pub strict: bool,

    /// Print errors only, and no summary
    #[arg(short, long, help_heading = REPORTS)]
    pub quiet: bool,

    /// List each message, and each URL outside the tree that a page loads
    #[arg(short, long, help_heading = REPORTS)]
    pub verbose: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
