//! Arguments of the commands that write: `absolutize`, `relativize`, `move`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use rewrite::{BaseElement, Missing, MoveStyle, Verify};
use urlcore::Style;

use super::TreeArgs;

/// Arguments of `absolutize`, and those that `relativize` has too.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Files.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// Write here: a new or empty folder for a folder, a file for a file, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Write into OUT although it is not empty
    #[arg(long)]
    pub force: bool,

    /// Write only files whose names Windows can have too, and tell of the others: CON, a:b, names that end with a dot, or that differ from
    /// another in nothing but letter case
    #[arg(long, conflicts_with = "in_place")]
    pub portable_names: bool,

    /// Write over the documents themselves: each in one step, with its mode, owner, times and extended attributes
    #[arg(short, long, conflicts_with_all = ["output", "force"])]
    pub in_place: bool,

    /// Keep the old document beside the new one, with this suffix [default: .orig]
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = ".orig")]
    pub backup: Option<OsString>,

    /// With --in-place, also write over documents that have several names (hard links); under the others the old one stays
    #[arg(long)]
    pub break_hardlinks: bool,

    /// Wait until each file is on the disk, and its name too, before going on
    #[arg(long)]
    pub durable: bool,

    /// Messages.
    #[command(flatten)]
    pub mail: MailArgs,

    /// How the result is proved before it is written
    #[arg(long, value_name = "none|fast|full", default_value = "fast")]
    pub verify: Verify,

    /// Write nothing; tell what would be done
    #[arg(long)]
    pub dry_run: bool,

    /// Show the changes as a unified diff on standard output; without -o or --in-place nothing is written
    #[arg(long)]
    pub diff: bool,

    /// Whether the diff has colours, and marks the very bytes that change
    #[arg(long, value_enum, value_name = "auto|always|never", hide_possible_values = true, default_value_t = Color::Auto)]
    pub color: Color,

    /// Exit with status 1 if a document was, or would be, changed
    #[arg(long)]
    pub exit_code: bool,
}

/// What becomes of messages that say of themselves that they must not change.
#[derive(Debug, Args)]
pub struct MailArgs {
    /// Edit signed parts of messages too (S/MIME, OpenPGP); their signatures no longer hold then
    #[arg(long)]
    pub break_signatures: bool,

    /// Leave messages with a signature of DKIM or ARC as they are
    #[arg(long)]
    pub keep_dkim: bool,

    /// Edit parts with a checksum too (Content-MD5, Content-Digest), and make that right
    #[arg(long)]
    pub update_checksums: bool,
}

/// When output has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Arguments of `relativize`.
#[derive(Debug, Args)]
pub struct RelativizeArgs {
    /// Files.
    #[command(flatten)]
    pub convert: ConvertArgs,

    /// How references into the tree are written: ../a/b, /a/b, or whichever is shorter
    #[arg(long, value_name = "relative|absolute-path|shortest", default_value = "relative")]
    pub style: RelativeStyle,

    /// What becomes of <base href>: empty it unless it is a relative path, make it relative, or keep it
    #[arg(long, value_name = "empty|relative|keep", default_value = "empty")]
    pub base_element: BaseElement,

    /// What is in the tree.
    #[command(flatten)]
    pub member: MemberArgs,

    /// With `file`: for a tree that is opened from a disk, lead to the files themselves, index files and names with a query included
    #[arg(long = "for", value_enum, value_name = "file", hide_possible_values = true)]
    pub target: Option<Target>,

    /// With --for file, what becomes of a reference to a missing file: written as if it were there, made absolute, or left and told
    #[arg(
        long,
        value_name = "keep|absolute|report",
        default_value = "absolute",
        requires = "target"
    )]
    pub missing: Missing,
}

/// What references are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// A tree on a disk
    #[value(alias = "disk")]
    File,
}

/// What is in the tree.
#[derive(Debug, Args)]
pub struct MemberArgs {
    /// Another URL of the tree at --base, such as that with https, or with www; may be given again
    #[arg(long, value_name = "URL", value_delimiter = ',')]
    pub same_as: Vec<String>,

    /// The file that is shown for a folder, beside index.html; may be given again
    #[arg(long, value_name = "NAME")]
    pub index: Vec<String>,
}

/// Arguments of `move`.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// The URL of a folder that moves; the first is that of PATH, if no --base, --map or --layout tells another
    #[arg(long, value_name = "URL")]
    pub from: Vec<String>,

    /// Where it moves to; each --from has its --to
    #[arg(long, value_name = "URL")]
    pub to: Vec<String>,

    /// How references are written: as they were as far as they are right, all absolute, or relative where they lead into the trees
    #[arg(long, value_name = "keep|absolute|relative", default_value = "keep")]
    pub style: MoveStyle,

    /// Another URL of the first --from, such as that with https, or with www; may be given again
    #[arg(long, value_name = "URL", value_delimiter = ',')]
    pub same_as: Vec<String>,

    /// The file that is shown for a folder, beside index.html: a --from that ends with it is that folder
    #[arg(long, value_name = "NAME")]
    pub index: Vec<String>,

    /// Take URLs in the web archive (web.archive.org/web/2020…/URL) for those that were archived, before they move
    #[arg(long, value_enum, value_name = "wayback", hide_possible_values = true)]
    pub unwrap: Option<Archive>,

    /// Move once more what an earlier run has moved, where a new root lies in an old one
    #[arg(long)]
    pub again: bool,

    /// Files.
    #[command(flatten)]
    pub convert: ConvertArgs,
}

/// An archive in whose URLs others stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Archive {
    /// The Wayback Machine of the Internet Archive
    Wayback,
}

/// A style that `relativize` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeStyle(pub Style);

impl FromStr for RelativeStyle {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let style =
            Style::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, style)| style);
        match style {
            Some(style @ (Style::Relative | Style::AbsolutePath | Style::Shortest)) => {
                Ok(RelativeStyle(style))
            }
            _ => Err("expected one of relative, absolute-path, shortest".to_owned()),
        }
    }
}
