//! Options of commands that rename pages.

use std::path::PathBuf;

use clap::Args;

use super::RENAMES;

/// Options about renames.
#[derive(Debug, Args)]
pub struct RenameArgs {
    /// Rename pages and directories: FILE has a line `OLD<TAB>NEW` for each
    ///
    /// Both are URLs, paths from the root of the site, or paths below PATH; those of directories
    /// end with a slash. With the ending .csv, commas separate the fields. References follow. Lines
    /// `rule<TAB>RULE` are rules. May be given several times.
    #[arg(long, value_name = "FILE", help_heading = RENAMES, hide_short_help = true)]
    pub renames: Vec<PathBuf>,

    /// Rename pages by a rule: s|PATTERN|REPLACEMENT|
    ///
    /// PATTERN is a regular expression for the escaped path and query, and $1 is its first group. A
    /// line for the page itself counts first, then one for a directory, then the first rule that
    /// matches. May be given several times.
    #[arg(long, value_name = "RULE", help_heading = RENAMES, hide_short_help = true)]
    pub rule: Vec<String>,

    /// Rename the files themselves too
    #[arg(long, help_heading = RENAMES, hide_short_help = true)]
    pub rename_files: bool,

    /// Write redirects from the old URLs to the new ones for a server
    ///
    /// SERVER is nginx, apache, caddy, netlify or csv. May be given several times.
    #[arg(long, value_name = "SERVER=FILE", help_heading = RENAMES, hide_short_help = true)]
    pub redirects: Vec<String>,

    /// The digest of the lists, which a run that continues checks.
    #[arg(long, hide = true, value_name = "DIGEST")]
    pub renames_digest: Option<String>,
}
