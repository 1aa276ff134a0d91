//! The command line: what can be typed. What it means is decided in [`crate::config`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rewrite::{Engine, Verify};
use urlcore::Dialect;

/// Makes every reference in a tree of documents right for its place, and changes no other byte
#[derive(Debug, Parser)]
#[command(name = "relink", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  relink absolutize site --base https://example.org/ -o out
  relink absolutize site --base https://example.org/ --diff
  relink absolutize page.html --base https://example.org/a/page.html -o -
  relink refs site --base https://example.org/ --format json
  relink url resolve https://example.org/a/b ../c

Exit status: 0 done; 1 a reference could not be handled (with --strict); 2 a file could not be done, or wrong usage.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make every reference absolute
    #[command(after_help = "\
Examples:
  relink absolutize site --base https://example.org/ -o out
  relink absolutize site --base https://example.org/ --map site/x=https://x.example.org/ -o out
  relink absolutize site --base https://example.org/ --diff | less
  curl -s https://example.org/a/ | relink absolutize - --base https://example.org/a/")]
    Absolutize(AbsolutizeArgs),
    /// List every reference, one per line
    #[command(after_help = "\
Examples:
  relink refs site
  relink refs site --base https://example.org/ --only css
  relink refs site --base https://example.org/ --format json | jq -r .target")]
    Refs(RefsArgs),
    /// Show the table of slots: every place where a reference can stand
    Slots(SlotsArgs),
    /// Work on URLs alone
    Url {
        /// What to do.
        #[command(subcommand)]
        command: UrlCommand,
    },
}

/// Which files, where they belong, and how they are read.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Folders and files; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The URL of PATH itself: of the folder, of the single file, or of standard input
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,

    /// The URL of a folder or file in the tree; may be given again, the longest path wins
    #[arg(long, value_name = "PATH=URL")]
    pub map: Vec<String>,

    /// Handle only documents whose path below PATH fits; the others are left (or copied) as they are
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,

    /// Leave (or copy) documents whose path below PATH fits as they are
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Read files with this extension as this media type (text/html, text/css, or any other to leave them); without EXT=, standard input
    #[arg(long = "type", value_name = "EXT=MEDIA/TYPE")]
    pub types: Vec<String>,

    /// Threads to use [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// The rules by which references are read and resolved: web, rfc3986 or rfc1808
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,

    /// What reads HTML: the fast engine and html5ever where that declines, or one of them
    #[arg(long, value_name = "auto|fast|reference", default_value = "auto")]
    pub engine: Engine,

    /// Only references in this slot: a name of `relink slots`, an element, an attribute in brackets, or css, svg, math
    #[arg(long, value_name = "SLOT", value_delimiter = ',')]
    pub only: Vec<String>,

    /// No references in this slot
    #[arg(long, value_name = "SLOT", value_delimiter = ',')]
    pub skip: Vec<String>,

    /// Also ids, templates, or attributes by name (data-src)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub also: Vec<String>,

    /// Exit with status 1 if a reference could not be handled
    #[arg(long)]
    pub strict: bool,

    /// No summary, and no messages but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// List each reference that could not be handled
    #[arg(short, long)]
    pub verbose: bool,
}

/// Arguments of `absolutize`.
#[derive(Debug, Args)]
pub struct AbsolutizeArgs {
    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// Write here: a new or empty folder for a folder, a file for a file, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Write into OUT although it is not empty
    #[arg(long)]
    pub force: bool,

    /// How the result is proved before it is written
    #[arg(long, value_name = "none|fast|full", default_value = "fast")]
    pub verify: Verify,

    /// Write nothing; tell what would be done
    #[arg(long)]
    pub dry_run: bool,

    /// Show the changes as a unified diff on standard output; without -o nothing is written
    #[arg(long)]
    pub diff: bool,
}

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

/// Arguments of `slots`.
#[derive(Debug, Args)]
pub struct SlotsArgs {
    /// How slots are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs: one JSON object a line
    Json,
}

/// The commands of `url`.
#[derive(Debug, Subcommand)]
pub enum UrlCommand {
    /// Print what a reference points to
    Resolve(ResolveArgs),
    /// Print the components of a reference
    Parse(ParseArgs),
}

/// Arguments of `url resolve`.
#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// An absolute URL
    #[arg(required_unless_present = "batch")]
    pub base: Option<String>,

    /// The reference
    #[arg(required_unless_present = "batch")]
    pub reference: Option<String>,

    /// Read lines of base, tab, reference from standard input; print kind, tab, text for each
    #[arg(long, conflicts_with_all = ["base", "reference"])]
    pub batch: bool,

    /// The rules by which references are read and resolved: web, rfc3986 or rfc1808
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,
}

/// Arguments of `url parse`.
#[derive(Debug, Args)]
pub struct ParseArgs {
    /// The reference
    pub reference: String,

    /// The rules by which references are read: web, rfc3986 or rfc1808
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
