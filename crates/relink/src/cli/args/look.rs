//! Arguments of the commands that only read: `refs`, `bases`, `check`, `slots`.

use std::path::PathBuf;

use clap::Args;

use super::{CHECKS, ColorArgs, Format, MemberArgs, OUTPUT, REPORTS, TreeArgs};
use crate::os::format::{BasesFormat, CheckFormat, DiffFormat};

/// Arguments of `refs`.
#[derive(Debug, Args)]
pub struct RefsArgs {
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

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// Arguments of `bases`.
#[derive(Debug, Args)]
pub struct BasesArgs {
    /// The output format
    ///
    /// text  for people
    /// json  for programs: one JSON object per line
    /// svg   a picture of the boxes
    /// html  a page with the boxes
    /// dot   the boxes as nested clusters, for Graphviz
    #[arg(
        long,
        value_enum,
        value_name = "text|json|svg|html|dot",
        hide_possible_values = true,
        default_value_t = BasesFormat::Text,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub format: BasesFormat,

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Show the target by each of the seven dialects too
    #[arg(long, help_heading = OUTPUT)]
    pub all_dialects: bool,

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

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Check fragments too: an element must have the name
    #[arg(long, help_heading = CHECKS)]
    pub fragments: bool,

    /// Report what the specifications of URLs warn of, such as passwords
    ///
    /// Each warning has a code, which `--explain CODE` explains. None counts as broken.
    #[arg(
        long,
        conflicts_with_all = ["list_external", "missing_urls"],
        help_heading = CHECKS,
        hide_short_help = true
    )]
    pub lint: bool,

    /// Report references to this old URL of the tree
    ///
    /// Other text is searched too, in files that are not documents as well: a line with an old URL
    /// is reported, and does not count as broken. Identifiers and backup copies (.orig) are not
    /// reported. May be given several times.
    #[arg(long, value_name = "URL", help_heading = CHECKS)]
    pub stale: Vec<String>,

    /// List the URLs outside of the tree instead of problems
    ///
    /// Each http, https and ftp URL is listed once, without its fragment, in the order of the first
    /// reference. With --format json, also the number of references and the place of the first.
    #[arg(long, help_heading = CHECKS)]
    pub list_external: bool,

    /// List the URLs that the tree should contain and does not, instead of problems
    ///
    /// Each URL is listed as by --list-external. A program can fetch them:
    /// `relink check mirror --layout wget --missing-urls | wget -x -i -`.
    #[arg(long, conflicts_with = "list_external", help_heading = CHECKS, hide_short_help = true)]
    pub missing_urls: bool,

    /// Group the problems by target, and list the N targets with the most references
    ///
    /// With --format json, each line is a target with its number of references and the first of
    /// them.
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["list_external", "missing_urls"],
        help_heading = CHECKS
    )]
    pub top: Option<usize>,

    /// Correct references that have exactly one right answer
    ///
    /// A reference without a file is changed if exactly one file can have been meant: one whose
    /// name differs in letter case only, one that has the escapes or the query in its name, or the
    /// page of a clean URL. It needs -o, --in-place, --diff or --dry-run.
    #[arg(
        long,
        conflicts_with_all = ["fragments", "lint", "stale", "list_external", "missing_urls", "top", "report"],
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

    /// The output format
    ///
    /// text    for people, one line for each problem
    /// full    for people, with the line of the document
    /// json    for programs: one JSON object per line
    /// github  for the annotations of GitHub Actions
    #[arg(
        long,
        value_enum,
        value_name = "text|full|json|github",
        hide_possible_values = true,
        default_value_t = CheckFormat::Text,
        help_heading = OUTPUT,
        verbatim_doc_comment
    )]
    pub format: CheckFormat,

    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// What is in the tree.
    #[command(flatten)]
    pub member: MemberArgs,

    /// Write a report to FILE: a page (.html), or its data (.json)
    ///
    /// The page shows each problem, what was skipped and why, and the bases. It needs no other file
    /// and no network. An earlier report is replaced, and nothing else.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["list_external", "missing_urls"],
        help_heading = REPORTS,
        hide_short_help = true
    )]
    pub report: Option<PathBuf>,
}

/// Arguments of `slots`.
#[derive(Debug, Args)]
pub struct SlotsArgs {
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

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
