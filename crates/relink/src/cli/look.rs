//! Arguments of the commands that only look: `refs`, `bases`, `check`, `slots`.

use clap::Args;

use super::{Format, MemberArgs, TreeArgs};

/// Arguments of `refs`.
#[derive(Debug, Args)]
pub struct RefsArgs {
    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// How references are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `bases`.
#[derive(Debug, Args)]
pub struct BasesArgs {
    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// How bases are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// What is in the tree.
    #[command(flatten)]
    pub member: MemberArgs,

    /// Also look for the names that fragments lead to
    #[arg(long)]
    pub fragments: bool,

    /// Also find references that lead to this folder, where the tree was before; may be given again. Identifiers that only name
    /// something are no references, and text is searched with --also text
    #[arg(long, value_name = "URL")]
    pub stale: Vec<String>,

    /// List what is out of the tree instead of what is broken: each http, https or ftp URL once, without its fragment, in the
    /// order in which references lead to them; with --format json also how many do, and where the first is
    #[arg(long)]
    pub list_external: bool,

    /// How broken references are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `slots`.
#[derive(Debug, Args)]
pub struct SlotsArgs {
    /// How slots are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}
