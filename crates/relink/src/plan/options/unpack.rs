//! The options of `unpack`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Target, setters};
use crate::os::format::OUTPUT;
use crate::os::stored;

/// How messages are unpacked. Each method sets what the option of the command line with its name
/// sets.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
#[must_use]
pub struct UnpackOptions {
    /// Write to the directory OUT, which is new or empty [default: the name of PATH]
    ///
    /// The default is a new directory in the current one: x for x.warc.gz, Inbox.unpacked for
    /// Inbox. There is none for several PATHs.
    #[cfg_attr(feature = "cli", arg(short, long, value_name = "OUT", help_heading = OUTPUT))]
    #[serde(with = "stored")]
    pub(crate) output: Option<PathBuf>,

    /// Write into OUT even if it is not empty
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) force: bool,

    /// Write into OUT only the files that differ from those there
    ///
    /// OUT is the output of an earlier run of the same command, complete or interrupted.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT))]
    pub(crate) update: bool,

    /// With --update, remove from OUT what earlier runs have written and this one does not
    ///
    /// Earlier runs have listed it in OUT/.relink-unpacked. Files of others stay, and are counted.
    /// If a file fails, or if the run is interrupted, only files in the way of others are removed.
    #[cfg_attr(feature = "cli", arg(long, requires = "update", help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) delete: bool,

    /// Write a manifest of the run: what was written, and the way back to the archive
    ///
    /// JSON Lines, a line for each file with its digest, that of the decoded body in the archive,
    /// and each edit between them. relink verify compares OUT with it.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true))]
    #[serde(with = "stored")]
    pub(crate) manifest: Option<PathBuf>,

    /// Write nothing; report what would be done
    #[cfg_attr(feature = "cli", arg(short = 'n', long, help_heading = OUTPUT))]
    pub(crate) dry_run: bool,

    /// Write the decoded bytes of parts as they are
    ///
    /// References keep their text, no charset is declared, scripts of mail can run, and no pages
    /// are added.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT))]
    pub(crate) raw: bool,

    /// Take the captures of web archives at TIME, such as 2021-06-01, and not the newest
    ///
    /// Of each URL, the last capture until TIME counts, or else the first one after it.
    #[cfg_attr(feature = "cli", arg(long, value_name = "TIME", help_heading = OUTPUT))]
    pub(crate) at: Option<String>,

    /// Where the files of web archives are opened
    ///
    /// file         from a disk
    /// static-host  from a server of static files: references to index files
    ///              lead to their directories
    #[cfg_attr(feature = "cli", arg(
        long = "for",
        value_enum,
        value_name = "file|static-host",
        hide_possible_values = true,
        default_value_t = Target::File,
        help_heading = OUTPUT,
        verbatim_doc_comment
    ))]
    #[serde(rename = "for")]
    pub(crate) target: Target,

    /// Leave references to URLs that are found only under another scheme or host
    ///
    /// Without this option, a URL that no archive has leads to the file of the
    /// same URL with the other one of http and https, or with or without www.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT))]
    pub(crate) no_twins: bool,

    /// Let the bodies of mail load images and styles from the network
    ///
    /// Without this option, nothing in mail makes a browser connect: a policy in each
    /// file forbids it, and what no policy governs is replaced (frames, refreshes,
    /// <link>). Links that are clicked stay. Saved pages (MHTML) load what they load.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT))]
    pub(crate) allow_remote: bool,

    /// Wait until each file is on the disk before going on
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) durable: bool,
}

impl UnpackOptions {
    /// Creates the options of a run that writes into the directory `out`, which is new or empty.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        UnpackOptions { output: Some(out.into()), ..UnpackOptions::default() }
    }

    /// Writes references in web archives for a server of static files: those to index files lead to
    /// their directories.
    pub fn for_static_host(mut self) -> Self {
        self.target = Target::StaticHost;
        self
    }

    /// Returns true if a server shows the files of web archives.
    pub(crate) fn has_server(&self) -> bool {
        self.target == Target::StaticHost
    }

    /// Returns true if URLs are also searched for under another scheme or host.
    pub(crate) fn has_twins(&self) -> bool {
        !self.no_twins
    }
}

setters!(UnpackOptions {
    /// Writes into the directory even if it is not empty.
    force: true => force;
    /// Writes into the output of an earlier run, and only the files that differ from those there.
    update: true => update;
    /// With [`update`](Self::update), removes from the directory what the run does not write.
    delete: true => delete;
    /// Writes a manifest of the run to this path: every file that is written, with its digest and
    /// that of the decoded body in the archive, and the edits that restore it.
    manifest: Option<PathBuf> => manifest;
    /// Writes nothing; the events say what would be written.
    dry_run: true => dry_run;
    /// Waits until each file is on the disk before going on.
    durable: true => durable;
    /// Writes the decoded bytes of parts as they are: no reference, no charset and no script is
    /// changed, and no pages are added.
    raw: true => raw;
    /// Takes the captures of web archives at a time, such as `2021-06-01`, instead of the newest.
    at: Option<String> => at;
    /// Leaves references to URLs that the archives have only with the other one of `http` and
    /// `https`, or only with or without `www.`.
    no_twins: true => no_twins;
    /// Lets the bodies of mail load images and styles from the network. Saved pages always do.
    allow_remote: true => allow_remote;
});
