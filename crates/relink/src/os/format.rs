//! The form of a list.

use clap::ValueEnum;

/// The format of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one JSON object per line
    Json,
}

/// The format of the problems that a check finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
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

/// The format of a list of bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum BasesFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one JSON object per line
    Json,
    /// A picture
    Svg,
    /// A page
    Html,
    /// A graph for Graphviz
    Dot,
}

/// The format of a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
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
