//! Arguments of `unpack`.

use std::path::PathBuf;

use clap::Args;

use super::{OUTPUT, Target, TreeArgs};

/// Arguments of `unpack`.
#[derive(Debug, Args)]
pub struct UnpackArgs {
    /// Write to the directory OUT, which is new or empty
    #[arg(short, long, value_name = "OUT", required = true, help_heading = OUTPUT)]
    pub output: PathBuf,

    /// Write into OUT even if it is not empty
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub force: bool,

    /// Write into OUT only the files that differ from those there
    ///
    /// OUT is the output of an earlier run of the same command, complete or interrupted.
    #[arg(long, help_heading = OUTPUT)]
    pub update: bool,

    /// With --update, remove from OUT what earlier runs have written and this one does not
    ///
    /// Earlier runs have listed it in OUT/.relink-unpacked. Files of others stay, and are counted.
    /// If a file fails, or if the run is interrupted, only files in the way of others are removed.
    #[arg(long, requires = "update", help_heading = OUTPUT, hide_short_help = true)]
    pub delete: bool,

    /// Write a manifest of the run: what was written, and the way back to the archive
    ///
    /// JSON Lines, a line for each file with its digest, that of the decoded body in the archive,
    /// and each edit between them. relink verify compares OUT with it.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub manifest: Option<PathBuf>,

    /// Write nothing; report what would be done
    #[arg(short = 'n', long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Write the decoded bytes of parts as they are
    ///
    /// References keep their text, no charset is declared, scripts of mail can run, and no pages
    /// are added.
    #[arg(long, help_heading = OUTPUT)]
    pub raw: bool,

    /// Take the captures of web archives at TIME, such as 2021-06-01, and not the newest
    ///
    /// Of each URL, the last capture until TIME counts, or else the first one after it.
    #[arg(long, value_name = "TIME", help_heading = OUTPUT)]
    pub at: Option<String>,

    /// Where the files of web archives are opened
    ///
    /// file         from a disk
    /// static-host  from a server of static files: references to index files
    ///              lead to their directories
    #[arg(
        long = "for",
        value_enum,
        value_name = "file|static-host",
        hide_possible_values = true,
        default_value_t = Target::File,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub target: Target,

    /// Leave references to URLs that are found only under another scheme or host
    ///
    /// Without this option, a URL that no archive has leads to the file of the
    /// same URL with the other one of http and https, or with or without www.
    #[arg(long, conflicts_with = "raw", help_heading = OUTPUT)]
    pub no_twins: bool,

    /// Let the bodies of mail load images and styles from the network
    ///
    /// Without this option, nothing in mail makes a browser connect: a policy in each
    /// file forbids it, and what no policy governs is replaced (frames, refreshes,
    /// <link>). Links that are clicked stay. Saved pages (MHTML) load what they load.
    #[arg(long, conflicts_with = "raw", help_heading = OUTPUT)]
    pub allow_remote: bool,

    /// Wait until each file is on the disk before going on
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub durable: bool,

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,
}
