//! The options of `move`.

use rewrite::MoveStyle;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::os::format::{MOVE, RENAMES};
use crate::os::stored;
use crate::urls::renames::RenameOptions;

/// The old and new URLs of a move, and the form of references.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
#[must_use]
pub struct MoveOptions {
    /// The old URL of a directory, or its path on a Windows share
    ///
    /// May be given several times; each --from has its own --to. The first --from is the URL of
    /// PATH unless --base, --map or --layout is given.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = MOVE))]
    pub(crate) from: Vec<String>,

    /// Its new URL; each --from has its own --to
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = MOVE))]
    pub(crate) to: Vec<String>,

    /// An alias of the first --from
    ///
    /// Examples are the same URL with https, or with www. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = MOVE))]
    pub(crate) same_as: Vec<String>,

    /// A drive that is a name of a share: `S:=\\server\share`
    ///
    /// References to S:\docs\x.html and file:///S:/docs/x.html are then references to the share,
    /// and --from and --to may be paths of the drive. If the new share has a drive too, they get
    /// its letter. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "LETTER:=SHARE", help_heading = MOVE))]
    pub(crate) drive: Vec<String>,

    /// The form of references
    ///
    /// keep      the old form, as far as it is correct in the new place
    /// absolute  all absolute
    /// relative  relative if they point into the trees
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "keep|absolute|relative",
        default_value = "keep",
        help_heading = MOVE,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) style: MoveStyle,

    /// Another name of index files, besides index.html
    ///
    /// An index file is shown for its directory: a --from that ends with such a name is the URL of
    /// the directory. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", help_heading = MOVE, hide_short_help = true))]
    pub(crate) index: Vec<String>,

    /// Replace URLs in the web archive by the archived URLs
    ///
    /// With `wayback`, `https://web.archive.org/web/2020.../URL` becomes URL, before the move or
    /// instead of one.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_enum,
        value_name = "wayback",
        hide_possible_values = true,
        help_heading = MOVE,
        hide_short_help = true
    ))]
    pub(crate) unwrap: Option<WaybackArchive>,

    /// Move documents again that an earlier run has moved
    ///
    /// This matters only if a new root lies in an old one.
    #[cfg_attr(feature = "cli", arg(long, help_heading = MOVE, hide_short_help = true))]
    pub(crate) again: bool,

    /// Fix the references after files were renamed by `git mv`
    ///
    /// The renames are those between REV and the working tree, or between two commits, as `git diff
    /// -M` finds them. Without --base, the tree is read as it lies on the disk.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "REV[..REV]",
        num_args = 0..=1,
        default_missing_value = "HEAD",
        help_heading = RENAMES,
        hide_short_help = true
    ))]
    pub(crate) from_git: Option<String>,

    /// References are corrected: `check --fix`.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) fix: bool,

    /// With --fix, pages have clean URLs.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) clean_urls: bool,

    /// Renames.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) renames: RenameOptions,
}

/// A web archive whose URLs contain the archived URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum WaybackArchive {
    /// The Wayback Machine of the Internet Archive
    Wayback,
}

impl MoveOptions {
    /// Creates options that move nothing yet.
    pub fn new() -> Self {
        MoveOptions::default()
    }

    /// Adds a directory that moves: its old and its new URL. The first one is the URL of the tree,
    /// if its options give none.
    pub fn pair(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.from.push(from.into());
        self.to.push(to.into());
        self
    }

    /// Replaces URLs of the Wayback Machine by the archived URLs, before the move or instead of
    /// one.
    pub fn unwrap_wayback(mut self) -> Self {
        self.unwrap = Some(WaybackArchive::Wayback);
        self
    }
}

setters!(MoveOptions {
    /// Adds an alias of the first old URL, such as the same one with `https`.
    same_as: Vec<String> => same_as;
    /// Adds a drive that is a name of a share, such as `S:=\\server\share`.
    drive: Vec<String> => drive;
    /// Adds a name of index files, besides `index.html`: an old or new URL that ends with it is
    /// that of the directory.
    index: Vec<String> => index;
    /// Sets the form of references. The default is their old form, as far as it is correct.
    style: MoveStyle => style;
    /// Moves documents again that an earlier run has moved.
    again: true => again;
    /// Renames pages and directories of the tree before it moves, or instead of a move.
    renames: RenameOptions => renames;
    /// Lets references without a file lead to the only file that can have been meant, instead of a
    /// move: one whose name differs in letter case, or in what is escaped, or the page of a clean
    /// URL.
    fix: true => fix;
    /// With [`MoveOptions::fix`], finds `about.html` for `about` and `about/`.
    clean_urls: true => clean_urls;
});
