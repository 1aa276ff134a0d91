//! The command line: what can be typed. What it means is decided in [`crate::config`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rewrite::{BaseElement, Engine, Missing, MoveStyle, Profile, Verify};
use urlcore::{Dialect, Style};

use self::url::UrlCommand;
use crate::layout::Layout;

pub mod url;

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
  relink relativize site --base https://example.org/ -o out
  relink move site --from http://old.example/ --to https://new.example/docs/ -o out
  relink refs site --base https://example.org/ --format json
  relink check site
  relink url resolve https://example.org/a/b ../c

Exit status: 0 done; 1 a reference could not be handled (with --strict), or is broken (check); 2 a file could not be done, or wrong usage.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make every reference absolute
    #[command(
        alias = "absolutise",
        after_help = "\
Examples:
  relink absolutize site --base https://example.org/ -o out
  relink absolutize site --base https://example.org/ --map site/x=https://x.example.org/ -o out
  relink absolutize site --base https://example.org/ --in-place --backup
  relink absolutize site --base https://example.org/ --diff --color always | less -R
  curl -s https://example.org/a/ | relink absolutize - --base https://example.org/a/
  curl -siL https://example.org/a | relink absolutize - --base https://example.org/a"
    )]
    Absolutize(ConvertArgs),
    /// Make every reference into the tree relative
    #[command(
        alias = "relativise",
        after_help = "\
Examples:
  relink relativize site --base https://example.org/ -o out
  relink relativize site --base https://example.org/ --style shortest --diff
  relink relativize page.html --base https://example.org/a/page.html -o -
  relink relativize mirror --layout wget --for file -o out
  relink relativize 'Saved page.html' -o -

References out of the tree become absolute, and so do canonical links and Open Graph metadata."
    )]
    Relativize(RelativizeArgs),
    /// Make every reference right for another root: of a web site, an ftp server, a disk
    #[command(after_help = "\
Examples:
  relink move site --from http://old.example/ --to https://new.example/docs/ -o out
  relink move site --from http://a.org/ --same-as https://a.org/ --to http://b.org/ --in-place
  relink move site --from http://a.org/ --to file:///srv/site/ --in-place --backup
  relink move site --from http://a.org/ --to http://b.org/ --from http://c.org/ --to http://b.org/c/
  relink move mine --base https://me.org/ --from http://friend.org/ --to https://friend.org/ -i
  relink move archive.mbox --from http://old.example/ --to https://new.example/ -o new.mbox
  relink move site --unwrap wayback -o out

The first --from is where PATH is, unless --base, --map or --layout tells another place. Of several roots \
that a reference is in the longest counts; what leads out of all of them stays. What is right in the new \
place stays as it is written: --style asks for other forms. Only URLs below --from move: with http:// \
neither https:// nor www. does; --same-as adds those.

Where a second run would move again what the first has moved (--from https://h/ --to https://h/archive/), \
--in-place notes what is done in .NAME.relink-moves beside PATH, and wants --again for another run.")]
    Move(MoveArgs),
    /// List every reference, one per line
    #[command(after_help = "\
Examples:
  relink refs site
  relink refs site --base https://example.org/ --only css
  relink refs site --base https://example.org/ --format json | jq -r .target")]
    Refs(RefsArgs),
    /// Show the base of each document, and why it holds
    #[command(after_help = "\
Examples:
  relink bases site/page.html --base https://example.org/page.html
  relink bases site --base https://example.org/ --format json | jq -r '.path + \" \" + .base_source'

The boxes are those of RFC 1808, section 3: what a context does not tell, the one around it does. The one that decides has a star.
A hint is what the document notes of where it was saved from; it counts where no option tells.")]
    Bases(BasesArgs),
    /// Find references into the tree that have no file
    #[command(after_help = "\
Examples:
  relink check site
  relink check site --base https://example.org/ --fragments
  relink check mirror --layout wget --format json | jq -r .reason
  relink check site --base https://example.org/ --stale http://old.example.org/site/
  relink check site --list-external | lychee -

Without --base the tree is checked as it lies on the disk, and hints in documents are not asked. Nothing is fetched: of references out of the tree only the URL is looked at.
Problems: no-file, letter-case, escape, no-index, leaves-tree, this-machine, no-scheme, no-fragment, no-url, no-base, mixed-content (the tree is at https, and a page loads something at http), stale (with --stale).
Exit status: 0 nothing is broken, or URLs are listed; 1 something is; 2 a file could not be read.")]
    Check(CheckArgs),
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

    /// How the tree is laid out: names are URLs; or it is a mirror, whose folders at the top are hosts unless --base tells that it is of one host
    #[arg(long, value_enum, value_name = "plain|wget|httrack", hide_possible_values = true, default_value_t = Layout::Plain)]
    pub layout: Layout,

    /// Do not ask what a document notes of where it was saved from. Such a hint is used, and told, only where nothing else tells the URL:
    /// the attribute user.xdg.origin.url, Snapshot-Content-Location, comments of browsers, SingleFile and HTTrack, the script of the Wayback Machine
    #[arg(long, conflicts_with = "trust_canonical")]
    pub no_hints: bool,

    /// Take link rel=canonical and og:url for hints too
    #[arg(long)]
    pub trust_canonical: bool,

    /// The scheme of a mirror's hosts: http, https or ftp [default: http]
    #[arg(long, value_name = "SCHEME", value_parser = ["http", "https", "ftp"], hide_possible_values = true)]
    pub scheme: Option<String>,

    /// Handle only documents whose path below PATH fits; the others are left (or copied) as they are
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,

    /// Leave (or copy) documents whose path below PATH fits as they are
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Read files with this extension as this media type (text/html, text/css, application/xml, application/manifest+json,
    /// message/rfc822, message/http, application/mbox …, or any other to leave them); without EXT=, standard input
    #[arg(long = "type", value_name = "EXT=MEDIA/TYPE")]
    pub types: Vec<String>,

    /// Threads to use [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// The rules by which references are read and resolved: web, rfc3986, rfc2396, url-syntax-1996, rfc1808, rfc1808-draft05 or
    /// url-1993
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,

    /// What reads HTML: the fast engine and html5ever where that declines, or one of them
    #[arg(long, value_name = "auto|fast|reference", default_value = "auto")]
    pub engine: Engine,

    /// Whose rules tell the bases in messages and in saved responses of HTTP: relink, rfc1808, urlsyntax00 (the draft of 1996), rfc2110 or rfc2557
    #[arg(long, value_name = "PROFILE", default_value = "relink")]
    pub profile: Profile,

    /// Only references in this slot: a name of `relink slots`, an element, an attribute in brackets, or css, svg, math
    #[arg(long, value_name = "SLOT", value_delimiter = ',')]
    pub only: Vec<String>,

    /// No references in this slot
    #[arg(long, value_name = "SLOT", value_delimiter = ',')]
    pub skip: Vec<String>,

    /// Also ids, templates, text, markdown, ssi, js-modules, or attributes by name (data-src, or of one element: img[data-src])
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

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs: one JSON object a line
    Json,
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
