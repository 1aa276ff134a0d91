//! The form of what is printed: formats, colours, and the groups of options in the help.

use serde::{Deserialize, Serialize};

/// The format of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one JSON object per line
    Json,
}

/// The format of the problems that a check finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// For people, with the line of the document
    Full,
    /// For programs: one JSON object per line
    Json,
    /// For the annotations of GitHub Actions
    Github,
}

/// The format of a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DiffFormat {
    /// For `patch -p1`
    #[default]
    Unified,
    /// For `git apply`
    Git,
}

impl CheckFormat {
    /// Returns the format of a list of URLs.
    pub(crate) fn of_urls(self) -> Format {
        match self {
            CheckFormat::Json => Format::Json,
            CheckFormat::Text | CheckFormat::Full | CheckFormat::Github => Format::Text,
        }
    }
}

/// When text has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Color {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The option of commands that print for people or for programs.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct FormatArgs {
    /// The output format
    ///
    /// text  for people
    /// json  for programs: one JSON object per line
    #[cfg_attr(feature = "cli", arg(
        long,
        value_enum,
        value_name = "text|json",
        hide_possible_values = true,
        default_value_t = Format::Text,
        help_heading = OUTPUT,
        verbatim_doc_comment
    ))]
    pub format: Format,
}

/// The option of every command that says when text has colours.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ColorArgs {
    /// When messages and diffs have colours
    ///
    /// auto    if they are printed on a terminal, unless NO_COLOR is set, or
    ///         CLICOLOR=0; if CLICOLOR_FORCE=1 is set, also elsewhere
    /// always  always
    /// never   never
    #[cfg_attr(feature = "cli", arg(
        long,
        global = true,
        value_enum,
        value_name = "auto|always|never",
        hide_possible_values = true,
        default_value_t = Color::Auto,
        help_heading = REPORTS,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    pub color: Color,
}

/// The value of an option that is none of its names.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ValueError {
    /// It must be one of these names, which commas separate.
    #[error("expected one of {0}")]
    Expected(String),
}

// The groups of options in the help, in the order in which they are printed.

pub const MOVE: &str = "Move";
pub const RENAMES: &str = "Renames";
pub const FORM: &str = "Form of references";
pub const CHECKS: &str = "Checks";
pub const OUTPUT: &str = "Output";
pub const BASE_URLS: &str = "Base URLs";
pub const SELECTION: &str = "Selection";
pub const INPUT: &str = "Input";
pub const MAIL: &str = "Messages";
pub const LIMITS: &str = "Limits";
pub const REPORTS: &str = "Reports";
