//! The command line as typed. [`crate::cli::config`] makes plans of it.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Args, CommandFactory, Id, Parser, Subcommand};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::again::{ResumeArgs, UndoArgs, VerifyArgs};
pub use self::files::{CompletionsArgs, ManArgs, Shell};
pub use self::look::{BasesArgs, CheckArgs, ExplainArgs, RefsArgs, SlotsArgs};
pub use self::mv::MvArgs;
use self::overview::{EXAMPLES, LONG_EXAMPLES};
use self::url::UrlCommand;
use crate::events::problem_kinds::KINDS;
use crate::os::command_line::{CommandLine, OptionValues, options_of};
use crate::os::format::{Color, ColorArgs, INPUT};
use crate::os::stored::Value;
use crate::plan::options::{
    ConvertOptions, MoveOptions, PackOptions, RelativizeOptions, TreeOptions, UnpackOptions,
    excludes,
};

mod again;
mod files;
mod look;
mod mv;
mod overview;
#[cfg(test)]
mod recorded;
pub mod url;

/// Rewrites the references in a tree of documents, and changes no other byte
#[derive(Debug, Parser)]
#[command(
    name = "relink",
    version,
    long_version = VERSION,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = LONG_EXAMPLES
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,

    /// Options that are not typed.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Where options that are not typed are from.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// Read options from FILE instead of the configuration of the user
    ///
    /// FILE is TOML: option = value, for all commands or in a table with the name of one. Options
    /// that are typed, and the variables RELINK_OPTION, count before it.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "no_config",
        help_heading = INPUT,
        hide_short_help = true
    )]
    pub config: Option<PathBuf>,

    /// Do not read the configuration of the user
    #[arg(long, global = true, help_heading = INPUT, hide_short_help = true)]
    pub no_config: bool,
}

/// The commands whose PATH is the current directory by default.
pub const HERE_BY_DEFAULT: [&str; 4] = ["relativize", "check", "refs", "bases"];

/// Returns the command line, with the options that exclude each other.
pub fn command() -> clap::Command {
    overview::with_overview(Cli::command()).mut_subcommands(|mut command| {
        if HERE_BY_DEFAULT.contains(&command.get_name()) {
            command = command.mut_arg("paths", |paths| {
                let help =
                    format!("{} [default: .]", paths.get_help().cloned().unwrap_or_default());
                let long = paths.get_long_help().cloned().unwrap_or_default();
                let long = format!("{long}\n\n[default: .]");
                paths.required_unless_present(Resettable::Reset).help(help).long_help(long)
            });
        }
        let ids: HashSet<Id> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
        command.mut_args(|arg| {
            let others = excludes::of(arg.get_id().as_str()).iter().copied();
            arg.conflicts_with_all(others.filter(|other| ids.contains(*other)))
        })
    })
}

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit ",
    env!("RELINK_COMMIT"),
    "\ntarget ",
    env!("RELINK_TARGET")
);

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make every reference absolute
    #[command(
        alias = "absolutise",
        after_long_help = "\
Examples:
  relink absolutize site --base https://example.org/ -o out
  relink absolutize site --base https://example.org/ --map site/x=https://x.example.org/ -o out
  relink absolutize site --base https://example.org/ --in-place --backup
  relink absolutize site --base https://example.org/ --dry-run --report report.html
  relink absolutize site --base https://example.org/ --diff --color always | less -R
  curl -s https://example.org/a/ | relink absolutize - --base https://example.org/a/
  curl -siL https://example.org/a | relink absolutize - --base https://example.org/a"
    )]
    Absolutize(ConvertOptions),
    /// Make every reference into the tree relative
    #[command(
        alias = "relativise",
        after_long_help = "\
Examples:
  relink relativize site --base https://example.org/ -o out
  relink relativize site --base https://example.org/ --style shortest --diff
  relink relativize page.html --base https://example.org/a/page.html -o -
  relink relativize mirror --layout wget --for file -o out
  relink relativize 'Saved page.html' -o -

References out of the tree become absolute, and so do canonical links and Open Graph metadata."
    )]
    Relativize(RelativizeArgs),
    /// Make every reference correct for another root URL
    ///
    /// The roots may be on web servers, on ftp servers and on disks.
    #[command(after_long_help = "\
Examples:
  relink move site --from http://old.example/ --to https://new.example/docs/ -o out
  relink move site --from http://a.org/ --same-as https://a.org/ --to http://b.org/ --in-place
  relink move site --from http://a.org/ --to file:///srv/site/ --in-place --backup
  relink move site --from http://a.org/ --to http://b.org/ --from http://c.org/ --to http://b.org/c/
  relink move mine --base https://me.org/ --from http://friend.org/ --to https://friend.org/ -i
  relink move archive.mbox --from http://old.example/ --to https://new.example/ -o new.mbox
  relink move site --unwrap wayback -o out
  relink move site --base https://h/ --renames list.tsv --rename-files -o out
  relink move site --base https://h/ --rule 's|^/(\\d{4})/(.*)\\.php$|/blog/$1/$2.html|' -o out
  relink move site --from-git --in-place

If several roots contain the target of a reference, the longest counts. References out of all \
roots stay unchanged. So does a reference that is still correct as written, unless --style asks \
for another form. Only URLs below a --from move: http://a.org/ does not include https://a.org/ \
or http://www.a.org/; use --same-as to add them.

If the new root lies in the old one (--from https://h/ --to https://h/archive/), a second run \
would move every reference again. Therefore --in-place records what was moved in \
.NAME.relink-moves next to PATH, and another run needs --again.")]
    Move(MoveArgs),
    /// Move or rename files and directories; references to them follow
    ///
    /// Their own references keep their targets.
    #[command(after_long_help = "\
Examples:
  relink mv old.html new.html
  relink mv --tree site site/docs site/guide
  relink mv a.html b.html archive/ --dry-run
  relink mv --tree docs --also markdown docs/setup.md docs/install/setup.md --diff

PATHs are below the tree, which is the current directory by default. The run is recorded: \
`relink resume` continues it if it is interrupted, and `relink undo` reverts it. For many renames at \
once, use `relink move --renames FILE --rename-files`; for files that `git mv` has renamed, \
`relink move TREE --from-git`.")]
    Mv(MvArgs),
    /// Write MHTML files, mail and web archives as files that a browser opens
    ///
    /// References to their parts lead to the files; all others become absolute.
    #[command(after_long_help = "\
Examples:
  relink unpack page.mhtml -o out
  relink unpack saved-pages -o out
  relink unpack inbox.mbox -o mail
  relink unpack inbox.mbox -o mail --update
  relink unpack crawl.warc.gz more.warc.gz -o site
  relink unpack crawl.warc.gz -o site --at 2021-06-01 --for static-host
  relink unpack book.epub

A page becomes NAME.html, with its images, style sheets and frames in NAME_files. A message of \
mail becomes a directory. Web archives become one tree with a directory for each host. The members of a PATH that is a zip \
file, an EPUB or OpenDocument keep their names and bytes. Nothing is \
fetched.")]
    Unpack(UnpackArgs),
    /// Continue an interrupted run with --in-place, or of unpack
    #[command(after_long_help = "\
Examples:
  relink resume site

The command is read from .NAME.relink-journal next to PATH. Documents that are done are \
recognized by their hashes. The journal is deleted when the run is complete. A run of unpack \
continues with its OUT as PATH.")]
    Resume(ResumeArgs),
    /// Revert a run with --in-place, interrupted or complete
    #[command(after_long_help = "\
Examples:
  relink undo site
  relink undo site --manifest site.jsonl
  relink undo site --backup

An interrupted run is reverted with its journal, .NAME.relink-journal next to PATH; else the last \
run with the manifest that it has kept, .NAME.relink-manifest, or in .git/relink. --manifest names another manifest: \
several runs are reverted one by one, the last one first.

Each document is restored with the recorded edits, if the result has the hash of the old \
document. Documents that another program has changed since are left unchanged and reported. The \
copies of --backup are removed.")]
    Undo(UndoArgs),
    /// Compare a tree with the manifest of the run that wrote it
    #[command(after_long_help = "\
Examples:
  relink verify out --manifest out.jsonl
  relink verify site --manifest site.jsonl --format json | jq -r 'select(.state != \"after\") | .path'

Each file must have the SHA-256 that the manifest lists, and the edits in the manifest must give \
its old content. The manifest of a run with -o lists all files of OUT: others are reported.

Exit status: 0 all files are as the run has written them; 1 a file is not; 2 a file cannot be \
read, the manifest is damaged or of another tree, or wrong usage.")]
    Verify(VerifyArgs),
    /// List every reference, one per line
    #[command(after_long_help = "\
Examples:
  relink refs site
  relink refs site --base https://example.org/ --only css
  relink refs site --base https://example.org/ --format json | jq -r .target")]
    Refs(RefsArgs),
    /// Show the base URL of each document, and its reasons
    #[command(after_long_help = "\
Examples:
  relink bases site/page.html --base https://example.org/page.html
  relink bases letter.eml
  relink bases site --base https://example.org/ --format json | jq -r '.path + \" \" + .base_source'

The boxes are those of RFC 1808, section 3: if a context does not declare a base, the enclosing \
one counts. The context that decides has a star. A hint is provenance metadata found in the \
document; it is used only if no option gives the URL.")]
    Bases(BasesArgs),
    /// Explain a reference: how it is decoded, resolved and written
    ///
    /// PATH is FILE:LINE, FILE:LINE:COLUMN, or FILE and then the text of the reference.
    #[command(after_long_help = "\
Examples:
  relink explain site/page.html:12 --base https://example.org/page.html
  relink explain site/page.html:12:9 --map site=https://example.org/
  relink explain site/page.html '../a?b' --base https://example.org/x/page.html --all-dialects

The bytes are shown where they differ from the decoded text. The boxes are those of \
`relink bases`. The steps are those of RFC 3986, section 5.2, and of the URL standard. The move is \
to a made-up URL. Without a URL of the tree, a reference is followed on the disk.")]
    Explain(ExplainArgs),
    /// Find broken references into the tree
    #[command(after_long_help = after_check())]
    Check(CheckArgs),
    /// Write a page and what it loads as one file, HTML or MHTML
    ///
    /// Images, style sheets, fonts, frames, audio and video are packed as they are on the disk.
    #[command(after_long_help = "\
Examples:
  relink pack site/page.html -o page.mhtml
  relink pack site/page.html --base https://example.org/page.html -o page.mhtml
  relink pack site/a/page.html --root site --base https://example.org/ -o page.mhtml
  relink pack --tree site --base https://example.org/ -o out

Documents keep their bytes, and each part has the URL to which the references to it resolve. \
Without --base, the URLs are made up, below http://relink.invalid/. Nothing is fetched: files of \
other sites are not packed. The message is read again before it is written: each part must have the \
bytes of its file, and each reference must point to the part of its file.

Above the directory of PAGE, without --root, only files are packed that by their names are what \
pages load, and that are not hidden.")]
    Pack(PackOptions),
    /// Show the table of slots: every kind of place for a reference
    #[command(after_long_help = "\
Examples:
  relink slots
  relink slots --format json | jq -r .slot")]
    Slots(SlotsArgs),
    /// Print a script that completes command lines in a shell
    #[command(after_long_help = "\
Examples:
  relink completions bash > ~/.local/share/bash-completion/completions/relink
  relink completions zsh > ~/.zfunc/_relink
  relink completions fish > ~/.config/fish/completions/relink.fish
  relink completions powershell >> $PROFILE
  relink completions nushell > ~/.config/nushell/completions/relink.nu")]
    Completions(CompletionsArgs),
    /// Write manual pages
    #[command(after_long_help = "\
Examples:
  relink man ~/.local/share/man/man1
  relink man . && man ./relink-move.1")]
    Man(ManArgs),
    /// Resolve, compare and convert URLs
    Url {
        /// The command.
        #[command(subcommand)]
        command: UrlCommand,
        /// Colours.
        #[command(flatten)]
        color: ColorArgs,
    },
}

impl Command {
    /// Returns the command of a run that is continued; `None` if this version does not know it, or
    /// one of its options.
    pub fn of(line: &CommandLine) -> Option<Self> {
        fn read<T: DeserializeOwned + Serialize + Default>(
            options: &Value,
            known: &mut OptionValues,
        ) -> Option<T> {
            let value = T::deserialize(options).ok()?;
            known.extend(options_of(&value));
            Some(value)
        }
        let (options, mut known) = (&Value::Object(line.options.clone()), OptionValues::default());
        let command = match &*line.command {
            "absolutize" => Command::Absolutize(read(options, &mut known)?),
            "relativize" => Command::Relativize(RelativizeArgs {
                options: read(options, &mut known)?,
                convert: read(options, &mut known)?,
            }),
            "move" => Command::Move(MoveArgs {
                options: read(options, &mut known)?,
                convert: read(options, &mut known)?,
            }),
            "unpack" => Command::Unpack(UnpackArgs {
                options: read(options, &mut known)?,
                tree: read(options, &mut known)?,
            }),
            _ => return None,
        };
        (known == line.options).then_some(command)
    }

    /// Returns the options of a command that converts documents.
    pub fn conversion(&mut self) -> Option<&mut ConvertOptions> {
        match self {
            Command::Absolutize(args) => Some(args),
            Command::Relativize(args) => Some(&mut args.convert),
            Command::Move(args) => Some(&mut args.convert),
            _ => None,
        }
    }

    /// Returns the options of a command that reads a tree.
    pub fn tree(&mut self) -> Option<&mut TreeOptions> {
        match self {
            Command::Refs(args) => Some(&mut args.tree),
            Command::Unpack(args) => Some(&mut args.tree),
            Command::Bases(args) => Some(&mut args.tree),
            Command::Explain(args) => Some(&mut args.tree),
            Command::Check(args) => Some(&mut args.tree),
            other => other.conversion().map(|convert| &mut convert.tree),
        }
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Absolutize(_) => "absolutize",
            Command::Relativize(_) => "relativize",
            Command::Move(_) => "move",
            Command::Mv(_) => "mv",
            Command::Resume(_) => "resume",
            Command::Undo(_) => "undo",
            Command::Verify(_) => "verify",
            Command::Refs(_) => "refs",
            Command::Unpack(_) => "unpack",
            Command::Bases(_) => "bases",
            Command::Explain(_) => "explain",
            Command::Check(_) => "check",
            Command::Pack(_) => "pack",
            Command::Slots(_) => "slots",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
            Command::Url { .. } => "url",
        }
    }

    /// Returns when its messages have colours.
    pub fn color(&mut self) -> Color {
        let args = match self {
            Command::Mv(args) => &args.color,
            Command::Resume(args) => &args.color,
            Command::Undo(args) => &args.color,
            Command::Verify(args) => &args.color,
            Command::Pack(args) => &args.color,
            Command::Slots(args) => &args.color,
            Command::Completions(args) => &args.color,
            Command::Man(args) => &args.color,
            Command::Url { color, .. } => color,
            other => return other.tree().map(|tree| tree.color.color).unwrap_or_default(),
        };
        args.color
    }
}

/// Arguments of `relativize`.
#[derive(Debug, Args)]
pub struct RelativizeArgs {
    /// Its options.
    #[command(flatten)]
    pub options: RelativizeOptions,

    /// Those of all conversions.
    #[command(flatten)]
    pub convert: ConvertOptions,
}

/// Arguments of `move`.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Its options.
    #[command(flatten)]
    pub options: MoveOptions,

    /// Those of all conversions.
    #[command(flatten)]
    pub convert: ConvertOptions,
}

/// Arguments of `unpack`.
#[derive(Debug, Args)]
pub struct UnpackArgs {
    /// Its options.
    #[command(flatten)]
    pub options: UnpackOptions,

    /// Files.
    #[command(flatten)]
    pub tree: TreeOptions,
}

/// What follows the help of `check`: the problems are those of [`KINDS`].
fn after_check() -> String {
    let mut text = "\
Examples:
  relink check site
  relink check site --base https://example.org/ --fragments
  relink check mirror --layout wget --format json | jq -r .reason
  relink check site --base https://example.org/ --stale http://old.example.org/site/
  relink check site --list-external | lychee -
  relink check site --report report.html

Without --base, the tree is checked as it lies on the disk, and provenance metadata is not used. \
Nothing is fetched: of a reference out of the tree, only the URL is checked.

Problems:\n"
        .to_owned();
    for kind in KINDS.into_iter().filter(|kind| kind.source.is_none()) {
        text.push_str(&format!("  {:<14} {}\n", kind.name, kind.words.replace('`', "")));
    }
    text.push_str(
        "\nExit status: 0 nothing is broken, or URLs are listed; 1 a reference is broken; 2 a file failed, \
or wrong usage.",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_exclude_each_other_are_of_one_command() {
        let root = command();
        let has =
            |command: &clap::Command, name| command.get_arguments().any(|arg| arg.get_id() == name);
        for (name, others) in excludes::EXCLUDES {
            for other in others {
                let has_both = |command| has(command, name) && has(command, *other);
                assert!(root.get_subcommands().any(has_both), "{name} {other}");
            }
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }
}
