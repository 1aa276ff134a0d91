//! The options that all conversions have.

use std::ffi::OsString;
use std::path::PathBuf;

use rewrite::Verify;
use serde::{Deserialize, Serialize};

use super::TreeOptions;
use crate::events::prepared::Prepares;
use crate::files::diff::Look;
use crate::os::format::{BASE_URLS, DiffFormat, FORM, FormatArgs, MAIL, OUTPUT, REPORTS};
use crate::os::stored;
use crate::urls::locate::LocatorOptions;

/// The options that all conversions have: those of `absolutize`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(mut_arg("format", |format| format.hide_short_help(true))))]
#[serde(default)]
pub struct ConvertOptions {
    /// Write to OUT; `-` is standard output
    ///
    /// With a directory, OUT is a new or empty directory; with a file, a file.
    #[cfg_attr(feature = "cli", arg(short, long, value_name = "OUT", help_heading = OUTPUT))]
    #[serde(with = "stored")]
    pub(crate) output: Option<PathBuf>,

    /// Write into OUT even if it is not empty
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) force: bool,

    /// Write into OUT only the files that differ from those there
    ///
    /// OUT is the output of an earlier run of the same command. All documents are converted again,
    /// and each result is compared with the file in OUT, unless no time, size or name has changed
    /// in PATH and OUT since the last such run: it keeps them in .OUT.relink-stamps next to OUT.
    #[cfg_attr(feature = "cli", arg(
        long,
        requires = "output",
        help_heading = OUTPUT,
        hide_short_help = true
    ))]
    pub(crate) update: bool,

    /// With --update, compare all files even if no time has changed
    #[cfg_attr(feature = "cli", arg(long, requires = "update", help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) checksum: bool,

    /// With --update, remove from OUT what PATH does not contain
    ///
    /// OUT is then what a new run would write. Nothing is removed if a file fails, or if the run is
    /// interrupted.
    #[cfg_attr(feature = "cli", arg(long, requires = "update", help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) delete: bool,

    /// Write over the documents themselves
    ///
    /// Each document is replaced in one step, and keeps its mode, owner, times and extended
    /// attributes. An interrupted run can be continued (`relink resume`) or reverted
    /// (`relink undo`).
    #[cfg_attr(feature = "cli", arg(short, long, help_heading = OUTPUT))]
    pub(crate) in_place: bool,

    /// Keep the old documents [default suffix: .orig]
    ///
    /// The old document is kept next to the new one, under its name with SUFFIX.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".orig",
        help_heading = OUTPUT
    ))]
    #[serde(with = "stored")]
    pub(crate) backup: Option<OsString>,

    /// Write nothing; report what would be done
    #[cfg_attr(feature = "cli", arg(short = 'n', long, help_heading = OUTPUT))]
    pub(crate) dry_run: bool,

    /// Print the changes as a unified diff, or as a patch for git
    ///
    /// unified  for `patch -p1`; compressed documents are shown as text
    /// git      for `git apply`: files that are not text too
    ///
    /// Without -o or --in-place, nothing is written.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_enum,
        value_name = "unified|git",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "unified",
        hide_possible_values = true,
        help_heading = OUTPUT,
        verbatim_doc_comment
    ))]
    pub(crate) diff: Option<DiffFormat>,

    /// The format.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) format: FormatArgs,

    /// How the output is checked before it is written
    ///
    /// none  not at all
    /// fast  its references are read again, and all other bytes are compared
    /// full  all of it is read again, with html5ever
    ///
    /// A document whose references do not have their expected targets is not written.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "none|fast|full",
        default_value = "fast",
        help_heading = OUTPUT,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) verify: Verify,

    /// Skip, and report, files with names that Windows does not allow
    ///
    /// Examples: CON, a:b, names that end with a dot, and names that differ from another one in
    /// letter case only.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) portable_names: bool,

    /// With --in-place, write over hard-linked documents too
    ///
    /// Without this option, hard-linked documents are skipped. With it, the document becomes a
    /// separate file, and its other names keep the old content.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) break_hardlinks: bool,

    /// Wait until each file is on the disk before going on
    ///
    /// This includes the name of the file. It protects against power loss (fsync).
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) durable: bool,

    /// Write a manifest of the run: what was written, and the way back
    ///
    /// Lists every file that is written (with --in-place: that is changed) with its SHA-256 and
    /// length before and after, and the edits that restore the old content, as JSON Lines. See
    /// `relink verify` and `relink undo`.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true))]
    #[serde(with = "stored")]
    pub(crate) manifest: Option<PathBuf>,

    /// Keep no manifest next to PATH
    ///
    /// With --in-place, a run keeps its manifest in .NAME.relink-manifest next to PATH, until the
    /// next run; in a work tree of git it is in .git/relink. `relink undo PATH` reverts the run.
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT, hide_short_help = true))]
    pub(crate) no_manifest: bool,

    /// A run in place keeps its manifest next to PATH.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) keeps_manifest: bool,

    /// Each reference, base and skipped document is an event.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) lists_details: bool,

    /// What is made of them before they are sent.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) prepares: Prepares,

    /// The appearance of the diff.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) look: Look,

    /// Convert pages whose path matches as error pages
    ///
    /// A server sends such a page for other URLs too, so its references keep their form: /css/a.css
    /// stays, or gets the new path. 404.html at the top of PATH, in a directory of a language, and
    /// what _redirects, .htaccess and similar files name are recognized. May be given several
    /// times.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "GLOB",
        help_heading = FORM,
        hide_short_help = true
    ))]
    pub(crate) error_page: Vec<String>,

    /// Convert error pages like all others
    #[cfg_attr(feature = "cli", arg(long, help_heading = FORM, hide_short_help = true))]
    pub(crate) no_error_pages: bool,

    /// Files.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) tree: TreeOptions,

    /// Messages.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) mail: MailOptions,

    /// Write a report to FILE: a page (.html), or its data (.json)
    ///
    /// The page shows each reference before and after, what was skipped and why, and the bases. It
    /// needs no other file and no network. An earlier report is replaced, and nothing else.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help_heading = REPORTS))]
    #[serde(with = "stored")]
    pub(crate) report: Option<PathBuf>,

    /// Exit with status 1 if a document was, or would be, changed
    #[cfg_attr(feature = "cli", arg(long, help_heading = REPORTS, hide_short_help = true))]
    pub(crate) exit_code: bool,
}

/// The treatment of messages that contain signatures of themselves.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct MailOptions {
    /// Edit signed parts too (S/MIME, OpenPGP), which invalidates their signatures
    #[cfg_attr(feature = "cli", arg(long, help_heading = MAIL, hide_short_help = true))]
    pub(crate) break_signatures: bool,

    /// Skip messages with a DKIM or ARC signature
    #[cfg_attr(feature = "cli", arg(long, help_heading = MAIL, hide_short_help = true))]
    pub(crate) keep_dkim: bool,
}

/// The URLs that are in the tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct MemberOptions {
    /// An alias of the URL given with --base
    ///
    /// References to it are references into the tree. Examples are the same URL with https, or with
    /// www. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = BASE_URLS, display_order = 1000))]
    pub(crate) same_as: Vec<String>,

    /// Another name of index files, besides index.html
    ///
    /// An index file is shown for its directory. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", help_heading = BASE_URLS, display_order = 1001, hide_short_help = true))]
    pub(crate) index: Vec<String>,

    /// Find about.html for about and about/, as many servers do
    ///
    /// In a mirror (--layout), this is the default.
    #[cfg_attr(feature = "cli", arg(long, help_heading = BASE_URLS, display_order = 1002, hide_short_help = true))]
    pub(crate) clean_urls: bool,

    /// Find no URLs of a mirror under another scheme or host
    ///
    /// Without this option, a URL without a file in the mirror (--layout) leads to
    /// the file of the same URL with the other one of http and https, or with or
    /// without www.
    #[cfg_attr(feature = "cli", arg(long, help_heading = BASE_URLS, display_order = 1003, hide_short_help = true))]
    pub(crate) no_twins: bool,
}

impl MemberOptions {
    /// Returns how files of the tree, whose URL has these aliases, are found.
    pub(crate) fn locator<'o>(&'o self, aliases: &'o [String]) -> LocatorOptions<'o> {
        LocatorOptions {
            indexes: &self.index,
            aliases,
            has_clean_urls: self.clean_urls,
            has_twins: !self.no_twins,
            ..LocatorOptions::default()
        }
    }
}
