//! The command line: what can be typed. What it means is decided in [`crate::config`].

use clap::{Parser, Subcommand, ValueEnum};

pub use self::again::{ResumeArgs, UndoArgs};
pub use self::convert::{
    Archive, Color, ConvertArgs, MailArgs, MemberArgs, MoveArgs, RelativeStyle, RelativizeArgs,
    Target,
};
pub use self::look::{BasesArgs, CheckArgs, RefsArgs, SlotsArgs};
pub use self::tree::TreeArgs;
use self::url::UrlCommand;

mod again;
mod convert;
mod look;
mod tree;
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
  relink resume site
  relink undo site
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
    /// Go on with a run with --in-place that was broken off
    #[command(after_help = "\
Examples:
  relink resume site

What was done is known by its hash, and not done again. The command is in .NAME.relink-journal beside PATH, which is gone when all is done.")]
    Resume(ResumeArgs),
    /// Put back what a run with --in-place that was broken off has changed
    #[command(after_help = "\
Examples:
  relink undo site

Each document is written from the edits in .NAME.relink-journal beside PATH, and stands in its place only if its hash is the old one. What was changed by others since is left, and told. Copies that --backup made are removed.")]
    Undo(UndoArgs),
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
