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
