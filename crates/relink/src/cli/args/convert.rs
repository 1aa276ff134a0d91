//! Arguments of the commands that write: `absolutize`, `relativize`, `move`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use rewrite::{BaseElement, Missing, MoveStyle, Verify};
use urlcore::Style;

use super::{
    BASE_URLS, DiffFormat, FORM, Format, MAIL, MOVE, OUTPUT, RENAMES, REPORTS, RenameArgs,
    TreeArgs, ValueError,
};

/// Arguments of `absolutize`, and those that `relativize` has too.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Write to OUT; `-` is standard output
    ///
    /// With a directory, OUT is a new or empty directory; with a file, a file.
    #[arg(short, long, value_name = "OUT", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// Write into OUT even if it is not empty
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub force: bool,

    /// Write into OUT only the files that differ from those there
    ///
    /// OUT is the output of an earlier run of the same command. All documents are converted again,
    /// and each result is compared with the file in OUT.
    #[arg(
        long,
        requires = "output",
        conflicts_with = "in_place",
        help_heading = OUTPUT,
        hide_short_help = true
    )]
    pub update: bool,

    /// With --update, remove from OUT what PATH does not contain
    ///
    /// OUT is then what a new run would write. Nothing is removed if a file fails, or if the run is
    /// interrupted.
    #[arg(long, requires = "update", help_heading = OUTPUT, hide_short_help = true)]
    pub delete: bool,

    /// Write over the documents themselves
    ///
    /// Each document is replaced in one step, and keeps its mode, owner, times and extended
    /// attributes. An interrupted run can be continued (`relink resume`) or reverted
    /// (`relink undo`).
    #[arg(short, long, conflicts_with_all = ["output", "force"], help_heading = OUTPUT)]
    pub in_place: bool,

    /// Keep the old documents [default suffix: .orig]
    ///
    /// The old document is kept next to the new one, under its name with SUFFIX.
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".orig",
        help_heading = OUTPUT
    )]
    pub backup: Option<OsString>,

    /// Write nothing; report what would be done
    #[arg(short = 'n', long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Print the changes as a unified diff, or as a patch for git
    ///
    /// unified  for `patch -p1`; compressed documents are shown as text
    /// git      for `git apply`: files that are not text too
    ///
    /// Without -o or --in-place, nothing is written.
    #[arg(
        long,
        value_enum,
        value_name = "unified|git",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "unified",
        hide_possible_values = true,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub diff: Option<DiffFormat>,

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
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub format: Format,

    /// How the output is checked before it is written
    ///
    /// none  not at all
    /// fast  its references are read again, and all other bytes are compared
    /// full  all of it is read again, with html5ever
    ///
    /// A document whose references do not have their expected targets is not written.
    #[arg(
        long,
        value_name = "none|fast|full",
        default_value = "fast",
        help_heading = OUTPUT,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub verify: Verify,

    /// Skip, and report, files with names that Windows does not allow
    ///
    /// Examples: CON, a:b, names that end with a dot, and names that differ from another one in
    /// letter case only.
    #[arg(long, conflicts_with = "in_place", help_heading = OUTPUT, hide_short_help = true)]
    pub portable_names: bool,

    /// With --in-place, write over hard-linked documents too
    ///
    /// Without this option, hard-linked documents are skipped. With it, the document becomes a
    /// separate file, and its other names keep the old content.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub break_hardlinks: bool,

    /// Wait until each file is on the disk before going on
    ///
    /// This includes the name of the file. It protects against power loss (fsync).
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub durable: bool,

    /// Write a manifest of the run: what was written, and the way back
    ///
    /// Lists every file that is written (with --in-place: that is changed) with its SHA-256 and
    /// length before and after, and the edits that restore the old content, as JSON Lines. See
    /// `relink verify` and `relink undo`.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub manifest: Option<PathBuf>,

    /// Keep no manifest next to PATH
    ///
    /// With --in-place, a run keeps its manifest in .NAME.relink-manifest next to PATH, until the
    /// next run; `relink undo PATH` reverts the run.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_manifest: bool,

    /// Convert pages whose path matches as error pages
    ///
    /// A server sends such a page for other URLs too, so its references keep their form: /css/a.css
    /// stays, or gets the new path. 404.html at the top of PATH, in a directory of a language, and
    /// what _redirects, .htaccess and similar files name are recognized. May be given several
    /// times.
    #[arg(
        long,
        value_name = "GLOB",
        conflicts_with = "no_error_pages",
        help_heading = FORM,
        hide_short_help = true
    )]
    pub error_page: Vec<String>,

    /// Convert error pages like all others
    #[arg(long, help_heading = FORM, hide_short_help = true)]
    pub no_error_pages: bool,

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// Messages.
    #[command(flatten)]
    pub mail: MailArgs,

    /// Write a report to FILE: a page (.html), or its data (.json)
    ///
    /// The page shows each reference before and after, what was skipped and why, and the bases. It
    /// needs no other file and no network. An earlier report is replaced, and nothing else.
    #[arg(long, value_name = "FILE", help_heading = REPORTS, hide_short_help = true)]
    pub report: Option<PathBuf>,

    /// Exit with status 1 if a document was, or would be, changed
    #[arg(long, help_heading = REPORTS, hide_short_help = true)]
    pub exit_code: bool,
}

/// The treatment of messages that contain signatures or checksums of themselves.
#[derive(Debug, Args)]
pub struct MailArgs {
    /// Edit signed parts too (S/MIME, OpenPGP), which invalidates their signatures
    #[arg(long, help_heading = MAIL, hide_short_help = true)]
    pub break_signatures: bool,

    /// Skip messages with a DKIM or ARC signature
    #[arg(long, help_heading = MAIL, hide_short_help = true)]
    pub keep_dkim: bool,

    /// Edit parts with a checksum too (Content-MD5, Content-Digest), and update it
    #[arg(long, help_heading = MAIL, hide_short_help = true)]
    pub update_checksums: bool,
}

/// Arguments of `relativize`.
#[derive(Debug, Args)]
pub struct RelativizeArgs {
    /// The form of references
    ///
    /// This applies to references into the tree; others become absolute.
    ///
    /// relative       relative to the document: ../a/b
    /// absolute-path  from the root of the host: /a/b
    /// shortest       the shorter of the two
    #[arg(
        long,
        value_name = "relative|absolute-path|shortest",
        default_value = "relative",
        help_heading = FORM,
        verbatim_doc_comment
    )]
    pub style: RelativeStyle,

    /// Write references for a tree on a disk
    ///
    /// With `file`, for a tree that is opened without a server, references point to the files
    /// themselves: docs/ becomes docs/index.html, and page.php?id=3 becomes the file of that name.
    /// With `static-host`, for a server that shows files as they are, docs/ stays docs/.
    #[arg(
        long = "for",
        value_enum,
        value_name = "file|static-host",
        hide_possible_values = true,
        help_heading = FORM
    )]
    pub target: Option<Target>,

    /// Give files names that say what they are, with --for
    ///
    /// item.php?id=1 becomes item-id-1.html, and about becomes about.html. No name has a character
    /// that Windows or a server of static files refuses, and no two differ in letter case only.
    #[arg(
        long,
        requires = "target",
        conflicts_with_all = ["renames", "rule", "rename_files"],
        help_heading = RENAMES,
        hide_short_help = true
    )]
    pub rename: bool,

    /// Write the new names to FILE, a list for --renames (TSV, or CSV by its ending)
    #[arg(long, requires = "rename", value_name = "FILE", help_heading = RENAMES, hide_short_help = true)]
    pub rename_map: Option<PathBuf>,

    /// With --for file, the form of references to missing files
    ///
    /// keep      as if the file existed
    /// absolute  absolute
    /// report    left unchanged, and reported
    #[arg(
        long,
        value_name = "keep|absolute|report",
        default_value = "absolute",
        requires = "target",
        help_heading = FORM,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub missing: Missing,

    /// The treatment of <base href>
    ///
    /// empty     it is emptied, unless it is a relative path
    /// relative  it is made relative
    /// keep      it is left unchanged
    ///
    /// References that depend on it keep their targets.
    #[arg(
        long,
        value_name = "empty|relative|keep",
        default_value = "empty",
        help_heading = FORM,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub base_element: BaseElement,

    /// Renames.
    #[command(flatten)]
    pub renames: RenameArgs,

    /// Files.
    #[command(flatten)]
    pub convert: ConvertArgs,

    /// What is in the tree.
    #[command(flatten)]
    pub member: MemberArgs,
}

/// The place for which references are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// A tree on a disk
    #[value(alias = "disk")]
    File,
    /// A tree on a server of static files
    StaticHost,
}

/// The URLs that are in the tree.
#[derive(Debug, Args)]
pub struct MemberArgs {
    /// An alias of the URL given with --base
    ///
    /// References to it are references into the tree. Examples are the same URL with https, or with
    /// www. May be given several times.
    #[arg(long, value_name = "URL", value_delimiter = ',', help_heading = BASE_URLS)]
    pub same_as: Vec<String>,

    /// Another name of index files, besides index.html
    ///
    /// An index file is shown for its directory. May be given several times.
    #[arg(long, value_name = "NAME", help_heading = BASE_URLS, hide_short_help = true)]
    pub index: Vec<String>,

    /// Find about.html for about and about/, as many servers do
    ///
    /// In a mirror (--layout), this is the default.
    #[arg(long, help_heading = BASE_URLS, hide_short_help = true)]
    pub clean_urls: bool,

    /// Find no URLs of a mirror under another scheme or host
    ///
    /// Without this option, a URL without a file in the mirror (--layout) leads to
    /// the file of the same URL with the other one of http and https, or with or
    /// without www.
    #[arg(long, help_heading = BASE_URLS, hide_short_help = true)]
    pub no_twins: bool,
}

/// Arguments of `move`.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// The old URL of a directory
    ///
    /// May be given several times; each --from has its own --to. The first --from is the URL of
    /// PATH unless --base, --map or --layout is given.
    #[arg(long, value_name = "URL", help_heading = MOVE)]
    pub from: Vec<String>,

    /// Its new URL; each --from has its own --to
    #[arg(long, value_name = "URL", help_heading = MOVE)]
    pub to: Vec<String>,

    /// An alias of the first --from
    ///
    /// Examples are the same URL with https, or with www. May be given several times.
    #[arg(long, value_name = "URL", value_delimiter = ',', help_heading = MOVE)]
    pub same_as: Vec<String>,

    /// The form of references
    ///
    /// keep      the old form, as far as it is correct in the new place
    /// absolute  all absolute
    /// relative  relative if they point into the trees
    #[arg(
        long,
        value_name = "keep|absolute|relative",
        default_value = "keep",
        help_heading = MOVE,
        verbatim_doc_comment
    )]
    pub style: MoveStyle,

    /// Another name of index files, besides index.html
    ///
    /// An index file is shown for its directory: a --from that ends with such a name is the URL of
    /// the directory. May be given several times.
    #[arg(long, value_name = "NAME", help_heading = MOVE, hide_short_help = true)]
    pub index: Vec<String>,

    /// Replace URLs in the web archive by the archived URLs
    ///
    /// With `wayback`, `https://web.archive.org/web/2020.../URL` becomes URL, before the move or
    /// instead of one.
    #[arg(
        long,
        value_enum,
        value_name = "wayback",
        hide_possible_values = true,
        help_heading = MOVE,
        hide_short_help = true
    )]
    pub unwrap: Option<Archive>,

    /// Move documents again that an earlier run has moved
    ///
    /// This matters only if a new root lies in an old one.
    #[arg(long, help_heading = MOVE, hide_short_help = true)]
    pub again: bool,

    /// Fix the references after files were renamed by `git mv`
    ///
    /// The renames are those between REV and the working tree, or between two commits, as `git diff
    /// -M` finds them. Without --base, the tree is read as it lies on the disk.
    #[arg(
        long,
        value_name = "REV[..REV]",
        num_args = 0..=1,
        default_missing_value = "HEAD",
        conflicts_with_all = ["from", "renames", "rule", "rename_files"],
        help_heading = RENAMES,
        hide_short_help = true
    )]
    pub from_git: Option<String>,

    /// Files below PATH that are renamed, each with its new path: those of `mv` and --from-git.
    #[arg(long, hide = true, num_args = 2, allow_hyphen_values = true, value_names = ["OLD", "NEW"])]
    pub pair: Vec<PathBuf>,

    /// References are corrected: `check --fix`.
    #[arg(long, hide = true)]
    pub fix: bool,

    /// With --fix, pages have clean URLs.
    #[arg(long, hide = true, requires = "fix")]
    pub clean_urls: bool,

    /// The files have their new names already.
    #[arg(long, hide = true, requires = "pair")]
    pub pairs_done: bool,

    /// Renames.
    #[command(flatten)]
    pub renames: RenameArgs,

    /// Files.
    #[command(flatten)]
    pub convert: ConvertArgs,
}

/// A web archive whose URLs contain the archived URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Archive {
    /// The Wayback Machine of the Internet Archive
    Wayback,
}

/// A style that `relativize` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeStyle(pub Style);

impl FromStr for RelativeStyle {
    type Err = ValueError;

    fn from_str(name: &str) -> Result<Self, ValueError> {
        let style =
            Style::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, style)| style);
        match style {
            Some(style @ (Style::Relative | Style::AbsolutePath | Style::Shortest)) => {
                Ok(RelativeStyle(style))
            }
            _ => Err(ValueError::Expected("relative, absolute-path, shortest".to_owned())),
        }
    }
}
