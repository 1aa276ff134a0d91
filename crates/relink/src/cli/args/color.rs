//! The option of every command that says when text has colours.

use clap::Args;

use super::REPORTS;
use crate::cli::terminal::Color;

/// When text has colours.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ColorArgs {
    /// When messages and diffs have colours
    ///
    /// auto    if they are printed on a terminal, unless NO_COLOR is set, or
    ///         CLICOLOR=0; if CLICOLOR_FORCE=1 is set, also elsewhere
    /// always  always
    /// never   never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "auto|always|never",
        hide_possible_values = true,
        default_value_t = Color::Auto,
        help_heading = REPORTS,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub color: Color,
}
