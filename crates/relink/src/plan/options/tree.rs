//! The options of every command that reads a tree: the files, their URLs, and how they are read.

use std::path::PathBuf;

use rewrite::{Engine, Profile, XmlBase};
use serde::{Deserialize, Serialize};
use urlcore::Dialect;

use super::setters;
use crate::os::format::{BASE_URLS, ColorArgs, INPUT, LIMITS, REPORTS, SELECTION};
use crate::os::stored;
use crate::urls::layout::Layout;
use crate::urls::url_mapping::MapOption;

/// The layout of a tree, or that it is recognized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum TreeLayout {
    /// It is recognized.
    #[default]
    Auto,
    /// File names are URLs.
    Plain,
    /// As wget writes it.
    Wget,
    /// As HTTrack writes it.
    Httrack,
    /// As wayback_machine_downloader writes it.
    Wayback,
}

impl TreeLayout {
    /// Returns the layout, unless it is to be recognized.
    pub fn given(self) -> Option<Layout> {
        match self {
            TreeLayout::Auto => None,
            TreeLayout::Plain => Some(Layout::Plain),
            TreeLayout::Wget => Some(Layout::Wget),
            TreeLayout::Httrack => Some(Layout::Httrack),
            TreeLayout::Wayback => Some(Layout::Wayback),
        }
    }
}

impl From<Layout> for TreeLayout {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Plain => TreeLayout::Plain,
            Layout::Wget => TreeLayout::Wget,
            Layout::Httrack => TreeLayout::Httrack,
            Layout::Wayback => TreeLayout::Wayback,
        }
    }
}

/// The files of a plan, their URLs, and how they are read. Each method sets what the option of the
/// command line with its name sets; nothing is checked before the plan is built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
#[must_use]
pub struct TreeOptions {
    /// Directories and files; `-` is standard input
    ///
    /// With --base, several paths are below the current directory, which has this URL: the URL of
    /// each is that of its path as given.
    #[cfg_attr(feature = "cli", arg(required_unless_present = "files_from", value_name = "PATH"))]
    #[serde(with = "stored")]
    pub(crate) paths: Vec<PathBuf>,

    /// The files below the current directory that are read from a list, or are several PATHs.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(with = "stored")]
    pub(crate) files: Option<Vec<PathBuf>>,

    /// Read the PATHs from FILE, one per line; `-` is standard input
    ///
    /// They are below the current directory, and the URLs of --base and --map count for that: the
    /// URL of each file is that of its path as listed.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "FILE",
        conflicts_with = "paths",
        help_heading = SELECTION,
        hide_short_help = true
    ))]
    #[serde(with = "stored")]
    pub(crate) files_from: Option<PathBuf>,

    /// In the list of --files-from, a zero byte follows each path
    ///
    /// As `find -print0` and `git ls-files -z` write it.
    #[cfg_attr(feature = "cli", arg(short = '0', long, requires = "files_from", help_heading = SELECTION, hide_short_help = true))]
    pub(crate) null: bool,

    /// Skip files that the ignore files of the tree exclude
    ///
    /// Ignore files are .gitignore and .ignore, in PATH and in the directories around it, and
    /// .git/info/exclude. What they exclude is left unchanged, or copied.
    #[cfg_attr(feature = "cli", arg(long, help_heading = SELECTION, hide_short_help = true))]
    pub(crate) ignore_files: bool,

    /// True if what git ignores is not read below a PATH that is not ignored.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) skips_ignored: bool,

    /// The URL of PATH itself
    ///
    /// PATH is a directory, a single file, or standard input. With a directory, the URL of each
    /// document follows from its path. Without --base, --map or --layout, documents that declare an
    /// absolute base are still processed.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = BASE_URLS))]
    pub(crate) base: Option<String>,

    /// A file that contains the URL of PATH, on one line
    ///
    /// It is used if --base is not given. If neither option is given, the environment variable
    /// RELINK_BASE is used. Both keep a password in the URL off the command line.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help_heading = BASE_URLS, hide_short_help = true))]
    #[serde(with = "stored")]
    pub(crate) base_file: Option<PathBuf>,

    /// The hash of the URL of PATH, in the record of a run that must not contain the URL.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) base_hash: Option<String>,

    /// True if the URL of PATH must not be recorded.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub(crate) is_base_secret: bool,

    /// The URL of a directory or file in the tree
    ///
    /// For subtrees with another base URL, for example `site/blog=https://blog.example.org/`. May
    /// be given several times; of several paths that contain a document, the longest counts.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PATH=URL", help_heading = BASE_URLS))]
    #[serde(with = "stored")]
    pub(crate) map: Vec<MapOption>,

    /// The layout of the tree
    ///
    /// auto     that of a mirror, if neither --base nor --map is given, the top
    ///          directories are hosts, and references or notes of the
    ///          program that made it confirm it; otherwise plain
    /// plain    file names are URLs below --base
    /// wget     the top directories are hosts, as `wget -r` leaves them; for a
    ///          mirror of one host (`wget -nH`), give its URL with --base
    /// httrack  as wget, and the notes that HTTrack leaves in its pages are
    ///          used, because HTTrack renames files
    /// wayback  the top directories are hosts, as wayback_machine_downloader
    ///          leaves them; captures of their pages in the Wayback Machine
    ///          are these pages, for relativize
    #[cfg_attr(feature = "cli", arg(
        long,
        value_enum,
        value_name = "auto|plain|wget|httrack|wayback",
        hide_possible_values = true,
        default_value_t = TreeLayout::Auto,
        help_heading = BASE_URLS,
        verbatim_doc_comment
    ))]
    pub(crate) layout: TreeLayout,

    /// The scheme of the hosts of a mirror: http, https or ftp [default: http]
    ///
    /// The directories of a mirror do not distinguish http from https: URLs of both point to them.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "SCHEME",
        value_parser = ["http", "https", "ftp"],
        hide_possible_values = true,
        help_heading = BASE_URLS,
        hide_short_help = true
    ))]
    pub(crate) scheme: Option<String>,

    /// Ignore provenance metadata found in documents
    ///
    /// Without this option, if nothing else gives the URL of a document, relink uses the URL from
    /// which the document was saved, and reports that. It reads the extended attribute
    /// user.xdg.origin.url, the header field Snapshot-Content-Location, the comments of browsers,
    /// SingleFile and HTTrack, and the script of the Wayback Machine.
    #[cfg_attr(feature = "cli", arg(
        long,
        help_heading = BASE_URLS,
        hide_short_help = true
    ))]
    pub(crate) no_hints: bool,

    /// Use link rel=canonical and og:url as provenance metadata too
    #[cfg_attr(feature = "cli", arg(long, help_heading = BASE_URLS, hide_short_help = true))]
    pub(crate) trust_canonical: bool,

    /// Process only documents whose path matches
    ///
    /// The path is relative to PATH. Other documents are left unchanged, or copied. May be given
    /// several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "GLOB", help_heading = SELECTION))]
    pub(crate) include: Vec<String>,

    /// Skip documents whose path matches
    ///
    /// The path is relative to PATH. These documents are left unchanged, or copied. May be given
    /// several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "GLOB", help_heading = SELECTION))]
    pub(crate) exclude: Vec<String>,

    /// Process documents in .git, .hg, .svn and the like too
    ///
    /// Without this option, files in the directories of version-control systems are never changed;
    /// `-o` copies them.
    #[cfg_attr(feature = "cli", arg(long, help_heading = SELECTION, hide_short_help = true))]
    pub(crate) hidden_vcs: bool,

    /// Read files with this extension as this media type
    ///
    /// Examples: asp=text/html, txt=message/rfc822, mail=application/mbox,
    /// json=application/ld+json. Known media types are text/html, text/css, application/xml,
    /// application/manifest+json, message/rfc822, message/http, application/mbox and others; files
    /// of any other media type are not read. Without EXT=, it is the media type of standard input.
    /// May be given several times.
    #[cfg_attr(feature = "cli", arg(
        long = "type",
        value_name = "EXT=MEDIA/TYPE",
        help_heading = INPUT,
        hide_short_help = true
    ))]
    #[serde(rename = "type")]
    pub(crate) types: Vec<String>,

    /// Number of threads [default: one per core]
    #[cfg_attr(feature = "cli", arg(
        short = 'j',
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = LIMITS,
        hide_short_help = true
    ))]
    pub(crate) jobs: Option<u16>,

    /// The rules by which references are read and resolved
    ///
    /// web              as browsers do (the URL standard)
    /// rfc3986          RFC 3986 (2005)
    /// rfc2396          RFC 2396 (1998)
    /// url-syntax-1996  the draft "Generic Syntax" of December 1996
    /// rfc1808          RFC 1808 (1995)
    /// rfc1808-draft05  the draft 05 of RFC 1808 (January 1995)
    /// url-1993         the draft "Uniform Resource Locators" of 1993
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "DIALECT",
        default_value_t = Dialect::Web,
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) dialect: Dialect,

    /// Where xml:base applies
    ///
    /// web         as in browsers, which ignore it in XHTML and SVG
    /// everywhere  in all XML, as the XML Base specification says
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "web|everywhere",
        default_value = "web",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) xml_base: XmlBase,

    /// The engine that reads HTML
    ///
    /// auto       the fast engine; where it declines a document, html5ever
    /// fast       the fast engine only; documents that it declines are skipped
    /// reference  html5ever, the parser of a browser
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "auto|fast|reference",
        default_value = "auto",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) engine: Engine,

    /// The base-URL precedence rules in messages and in saved HTTP responses
    ///
    /// relink       where the specifications disagree, the rules that lose least
    /// rfc1808      RFC 1808, section 3: Base
    /// urlsyntax00  the draft of 1996: Content-Base, then Content-Location
    /// rfc2110      RFC 2110: the same, in the part's own header section only
    /// rfc2557      RFC 2557: an absolute Content-Location
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "PROFILE",
        default_value = "relink",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) profile: Profile,

    /// Process only references in this slot
    ///
    /// A slot is a kind of place for a reference. SLOT is a name that `relink slots` prints, an
    /// element (img), an attribute in brackets (`[href]`), both (`a[href]`), or css, svg or math.
    /// Several slots may be given, separated by commas.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SLOT", value_delimiter = ',', help_heading = SELECTION))]
    pub(crate) only: Vec<String>,

    /// Skip references in this slot
    ///
    /// SLOT is as for --only. Several slots may be given, separated by commas.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SLOT", value_delimiter = ',', help_heading = SELECTION))]
    pub(crate) skip: Vec<String>,

    /// Process optional formats and slots too
    ///
    /// ids            identifiers, such as itemid and guid
    /// templates      values with template marks, such as {{ and <?
    /// text           URLs in plain text, which only `move` changes
    /// markdown       Markdown
    /// ssi            server-side includes
    /// js-modules     the imports of ECMAScript modules
    /// script-templates  HTML in scripts with a type such as text/template or text/html
    /// formulas       HYPERLINK() in formulas of spreadsheets
    /// lazy           the attributes of lazy loaders, such as data-srcset
    /// htmx           the attributes of htmx, such as hx-get
    /// data-src       the attribute of this name, of any element
    /// [source]       the same, for a name without a hyphen
    /// img[data-src]  the attribute of this name, of this element
    ///
    /// Several names may be given, separated by commas.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        help_heading = SELECTION,
        verbatim_doc_comment
    ))]
    pub(crate) also: Vec<String>,

    /// Change a limit
    ///
    /// Limits guard against hostile input. A document that exceeds one is skipped and reported with
    /// the name of the limit. Examples: embedded-depth=32, document-size=4G, time=60s, time=none;
    /// docs/limits.md lists all limits. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME=VALUE", help_heading = LIMITS, hide_short_help = true))]
    pub(crate) limit: Vec<String>,

    /// Exit with status 1 if a reference failed
    ///
    /// That is a reference, or a document, that could not be handled. What a hint says was not read
    /// or changed counts too.
    #[cfg_attr(feature = "cli", arg(long, help_heading = REPORTS))]
    pub(crate) strict: bool,

    /// Print errors only, and no summary
    #[cfg_attr(feature = "cli", arg(short, long, help_heading = REPORTS))]
    pub(crate) quiet: bool,

    /// List changed documents, and each reference that could not be handled
    #[cfg_attr(feature = "cli", arg(short, long, help_heading = REPORTS))]
    pub(crate) verbose: bool,

    /// Colours.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(skip)]
    pub(crate) color: ColorArgs,
}

impl TreeOptions {
    /// Creates the options for some directories and files; `-` is standard input.
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        TreeOptions::default().roots(paths)
    }

    /// Replaces the directories and files.
    pub(crate) fn roots<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Reads only these files and directories of the only path, by their paths below it.
    pub fn files<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.files = Some(files.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the URL of a directory or file in the tree; of several, the longest path counts.
    pub fn map(mut self, path: impl Into<PathBuf>, url: impl Into<String>) -> Self {
        self.map.push(MapOption::new(path.into(), url.into()));
        self
    }

    /// Sets the layout of the tree. By default, a mirror of several hosts is recognized.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout.into();
        self
    }

    /// Sets the number of threads. The default is one for each core.
    pub fn jobs(mut self, jobs: u16) -> Self {
        self.jobs = Some(jobs.max(1));
        self
    }
}

setters!(TreeOptions {
    /// Skips documents that `.gitignore`, `.ignore` and `.git/info/exclude` exclude.
    ignore_files: true => ignore_files;
    /// Skips documents that git ignores, unless their PATH is ignored.
    skip_ignored: true => skips_ignored;
    /// Sets the URL of the only path.
    base: Option<String> => base;
    /// Sets the scheme of the hosts of a mirror: `http`, `https` or `ftp`.
    scheme: Option<String> => scheme;
    /// Ignores provenance metadata in documents.
    no_hints: true => no_hints;
    /// Uses `link rel=canonical` and `og:url` as provenance metadata too.
    trust_canonical: true => trust_canonical;
    /// Processes documents in the directories of version-control systems too.
    version_control: true => hidden_vcs;
    /// Processes only documents whose path below its PATH matches this or another such pattern.
    include: Vec<String> => include;
    /// Skips documents whose path below its PATH matches.
    exclude: Vec<String> => exclude;
    /// Sets the media type of files with an extension, `EXT=MEDIA/TYPE`, or of standard input,
    /// `MEDIA/TYPE`.
    media_type: Vec<String> => types;
    /// Sets the rules by which references are read and resolved.
    dialect: Dialect => dialect;
    /// Sets where `xml:base` applies.
    xml_base: XmlBase => xml_base;
    /// Sets the engine that reads HTML.
    engine: Engine => engine;
    /// Sets the precedence rules for base URLs in messages and in saved HTTP responses.
    profile: Profile => profile;
    /// Processes only references in this slot, or in another one given so.
    only: Vec<String> => only;
    /// Skips references in this slot.
    skip: Vec<String> => skip;
    /// Processes an optional format or slot too.
    also: Vec<String> => also;
    /// Sets a limit, `NAME=VALUE`; `docs/limits.md` lists them.
    limit: Vec<String> => limit;
    /// Sends a message for each reference that could not be handled, not only the numbers of them.
    verbose: bool => verbose;
});
