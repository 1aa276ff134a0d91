//! The options of `check`.

use serde::Serialize;

use super::{MemberOptions, setters};
use crate::os::format::{CHECKS, CheckFormat, OUTPUT};

/// What is checked in a tree.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[must_use]
pub struct CheckOptions {
    /// Check fragments too: an element must have the name
    #[cfg_attr(feature = "cli", arg(long, help_heading = CHECKS))]
    pub(crate) fragments: bool,

    /// Report what the specifications of URLs warn of, such as passwords
    ///
    /// Each warning has a code, which `--explain CODE` explains. None counts as broken.
    #[cfg_attr(feature = "cli", arg(
        long,
        help_heading = CHECKS,
        hide_short_help = true
    ))]
    pub(crate) lint: bool,

    /// Report references to this old URL of the tree
    ///
    /// Other text is searched too, in files that are not documents as well: a line with an old URL
    /// is reported, and does not count as broken. Identifiers and backup copies (.orig) are not
    /// reported. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = CHECKS))]
    pub(crate) stale: Vec<String>,

    /// List the URLs outside of the tree instead of problems
    ///
    /// Each http, https and ftp URL is listed once, without its fragment, in the order of the first
    /// reference. With --format json, also the number of references and the place of the first.
    #[cfg_attr(feature = "cli", arg(long, help_heading = CHECKS))]
    pub(crate) list_external: bool,

    /// List the URLs that the tree should contain and does not, instead of problems
    ///
    /// Each URL is listed as by --list-external. A program can fetch them:
    /// `relink check mirror --layout wget --missing-urls | wget -x -i -`.
    #[cfg_attr(feature = "cli", arg(long, help_heading = CHECKS))]
    pub(crate) missing_urls: bool,

    /// Group the problems by target, and list the N targets with the most references
    ///
    /// With --format json, each line is a target with its number of references and the first of
    /// them.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "N",
        help_heading = CHECKS
    ))]
    pub(crate) top: Option<usize>,

    /// The output format
    ///
    /// text    for people, one line for each problem
    /// full    for people, with the line of the document
    /// json    for programs: one JSON object per line
    /// github  for the annotations of GitHub Actions
    #[cfg_attr(feature = "cli", arg(
        long,
        value_enum,
        value_name = "text|full|json|github",
        hide_possible_values = true,
        default_value_t = CheckFormat::Text,
        help_heading = OUTPUT,
        display_order = 1000,
        verbatim_doc_comment
    ))]
    pub(crate) format: CheckFormat,

    /// What is in the tree.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) member: MemberOptions,

    /// Each problem, base and skipped document is an event.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) lists_details: bool,
}

impl CheckOptions {
    /// Creates the options of a check for missing files.
    pub fn new() -> Self {
        CheckOptions::default()
    }
}

setters!(CheckOptions {
    /// Checks fragments too: an element must have the name.
    fragments: true => fragments;
    /// Reports what the specifications of URLs warn of, such as passwords. It is not broken.
    lint: true => lint;
    /// Reports references to this old URL of the tree.
    stale: Vec<String> => stale;
    /// Lists the URLs out of the tree instead of problems.
    list_external: true => list_external;
    /// Lists the URLs in the tree that have no file instead of problems.
    missing_urls: true => missing_urls;
    /// Sets the format of the list.
    format: CheckFormat => format;
    /// Groups the problems by target, and lists this number of targets: those with the most
    /// references.
    top: Option<usize> => top;
    /// Sends each problem, each base and everything that is skipped as an event of its own:
    /// [`Event::Reference`](crate::Event::Reference) and so on.
    list_details: true => lists_details;
});
