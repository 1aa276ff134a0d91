//! Arguments of every command that reads a tree: the files, their URLs, and how they are read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rewrite::{Engine, Profile, XmlBase};
use urlcore::Dialect;

use super::{BASE_URLS, ColorArgs, INPUT, LIMITS, REPORTS, SELECTION};
use crate::urls::layout::Layout;

/// The layout of a tree, or that it is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TreeLayout {
    /// It is recognized.
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

/// The files, their URLs, and how they are read.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Directories and files; `-` is standard input
    ///
    /// With --base, several paths are below the current directory, which has this URL: the URL of
    /// each is that of its path as given.
    #[arg(required_unless_present = "files_from", value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The files below the current directory that are read from a list, or are several PATHs.
    #[arg(skip)]
    pub files: Option<Vec<PathBuf>>,

    /// Read the PATHs from FILE, one per line; `-` is standard input
    ///
    /// They are below the current directory, and the URLs of --base and --map count for that: the
    /// URL of each file is that of its path as listed.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "paths",
        help_heading = SELECTION,
        hide_short_help = true
    )]
    pub files_from: Option<PathBuf>,

    /// In the list of --files-from, a zero octet follows each path
    ///
    /// As `find -print0` and `git ls-files -z` write it.
    #[arg(short = '0', long, requires = "files_from", help_heading = SELECTION, hide_short_help = true)]
    pub null: bool,

    /// Skip files that the ignore files of the tree exclude
    ///
    /// Ignore files are .gitignore and .ignore, in PATH and in the directories around it, and
    /// .git/info/exclude. What they exclude is left unchanged, or copied.
    #[arg(long, help_heading = SELECTION, hide_short_help = true)]
    pub ignore_files: bool,

    /// The URL of PATH itself
    ///
    /// PATH is a directory, a single file, or standard input. With a directory, the URL of each
    /// document follows from its path. Without --base, --map or --layout, documents that declare an
    /// absolute base are still processed.
    #[arg(long, value_name = "URL", help_heading = BASE_URLS)]
    pub base: Option<String>,

    /// A file that contains the URL of PATH, on one line
    ///
    /// It is used if --base is not given. If neither option is given, the environment variable
    /// RELINK_BASE is used. Both keep a password in the URL off the command line.
    #[arg(long, value_name = "FILE", help_heading = BASE_URLS, hide_short_help = true)]
    pub base_file: Option<PathBuf>,

    /// The hash of the URL of PATH, in the journal of a run.
    #[arg(long, hide = true)]
    pub base_hash: Option<String>,

    /// The URL of a directory or file in the tree
    ///
    /// For subtrees with another base URL, for example `site/blog=https://blog.example.org/`. May
    /// be given several times; of several paths that contain a document, the longest counts.
    #[arg(long, value_name = "PATH=URL", help_heading = BASE_URLS)]
    pub map: Vec<String>,

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
    #[arg(
        long,
        value_enum,
        value_name = "auto|plain|wget|httrack|wayback",
        hide_possible_values = true,
        default_value_t = TreeLayout::Auto,
        help_heading = BASE_URLS,
        verbatim_doc_comment
    )]
    pub layout: TreeLayout,

    /// The scheme of the hosts of a mirror: http, https or ftp [default: http]
    ///
    /// The directories of a mirror do not distinguish http from https: URLs of both point to them.
    #[arg(
        long,
        value_name = "SCHEME",
        value_parser = ["http", "https", "ftp"],
        hide_possible_values = true,
        help_heading = BASE_URLS,
        hide_short_help = true
    )]
    pub scheme: Option<String>,

    /// Ignore provenance metadata found in documents
    ///
    /// Without this option, if nothing else gives the URL of a document, relink uses the URL from
    /// which the document was saved, and reports that. It reads the extended attribute
    /// user.xdg.origin.url, the header field Snapshot-Content-Location, the comments of browsers,
    /// SingleFile and HTTrack, and the script of the Wayback Machine.
    #[arg(
        long,
        conflicts_with = "trust_canonical",
        help_heading = BASE_URLS,
        hide_short_help = true
    )]
    pub no_hints: bool,

    /// Use link rel=canonical and og:url as provenance metadata too
    #[arg(long, help_heading = BASE_URLS, hide_short_help = true)]
    pub trust_canonical: bool,

    /// Process only documents whose path matches
    ///
    /// The path is relative to PATH. Other documents are left unchanged, or copied. May be given
    /// several times.
    #[arg(long, value_name = "GLOB", help_heading = SELECTION)]
    pub include: Vec<String>,

    /// Skip documents whose path matches
    ///
    /// The path is relative to PATH. These documents are left unchanged, or copied. May be given
    /// several times.
    #[arg(long, value_name = "GLOB", help_heading = SELECTION)]
    pub exclude: Vec<String>,

    /// Process documents in .git, .hg, .svn and the like too
    ///
    /// Without this option, files in the directories of version-control systems are never changed;
    /// `-o` copies them.
    #[arg(long, help_heading = SELECTION, hide_short_help = true)]
    pub hidden_vcs: bool,

    /// Read files with this extension as this media type
    ///
    /// Examples: asp=text/html, txt=message/rfc822, mail=application/mbox,
    /// json=application/ld+json. Known media types are text/html, text/css, application/xml,
    /// application/manifest+json, message/rfc822, message/http, application/mbox and others; files
    /// of any other media type are not read. Without EXT=, it is the media type of standard input.
    /// May be given several times.
    #[arg(
        long = "type",
        value_name = "EXT=MEDIA/TYPE",
        help_heading = INPUT,
        hide_short_help = true
    )]
    pub types: Vec<String>,

    /// Number of threads [default: one per core]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = LIMITS,
        hide_short_help = true
    )]
    pub jobs: Option<u16>,

    /// The rules by which references are read and resolved
    ///
    /// web              as browsers do (the URL standard)
    /// rfc3986          RFC 3986 (2005)
    /// rfc2396          RFC 2396 (1998)
    /// url-syntax-1996  the draft "Generic Syntax" of December 1996
    /// rfc1808          RFC 1808 (1995)
    /// rfc1808-draft05  the draft 05 of RFC 1808 (January 1995)
    /// url-1993         the draft "Uniform Resource Locators" of 1993
    #[arg(
        long,
        value_name = "DIALECT",
        default_value_t = Dialect::Web,
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub dialect: Dialect,

    /// Where xml:base applies
    ///
    /// web         as in browsers, which ignore it in XHTML and SVG
    /// everywhere  in all XML, as the XML Base specification says
    #[arg(
        long,
        value_name = "web|everywhere",
        default_value = "web",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub xml_base: XmlBase,

    /// The engine that reads HTML
    ///
    /// auto       the fast engine; where it declines a document, html5ever
    /// fast       the fast engine only; documents that it declines are skipped
    /// reference  html5ever, the parser of a browser
    #[arg(
        long,
        value_name = "auto|fast|reference",
        default_value = "auto",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub engine: Engine,

    /// The base-URL precedence rules in messages and in saved HTTP responses
    ///
    /// relink       where the specifications disagree, the rules that lose least
    /// rfc1808      RFC 1808, section 3: Base
    /// urlsyntax00  the draft of 1996: Content-Base, then Content-Location
    /// rfc2110      RFC 2110: the same, in the part's own header section only
    /// rfc2557      RFC 2557: an absolute Content-Location
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = "relink",
        help_heading = INPUT,
        hide_short_help = true,
        verbatim_doc_comment
    )]
    pub profile: Profile,

    /// Process only references in this slot
    ///
    /// A slot is a kind of place for a reference. SLOT is a name that `relink slots` prints, an
    /// element (img), an attribute in brackets (`[href]`), both (`a[href]`), or css, svg or math.
    /// Several slots may be given, separated by commas.
    #[arg(long, value_name = "SLOT", value_delimiter = ',', help_heading = SELECTION)]
    pub only: Vec<String>,

    /// Skip references in this slot
    ///
    /// SLOT is as for --only. Several slots may be given, separated by commas.
    #[arg(long, value_name = "SLOT", value_delimiter = ',', help_heading = SELECTION)]
    pub skip: Vec<String>,

    /// Process optional formats and slots too
    ///
    /// ids            identifiers, such as itemid and guid
    /// templates      values with template marks, such as {{ and <?
    /// text           URLs in plain text, which only `move` changes
    /// markdown       Markdown
    /// ssi            server-side includes
    /// js-modules     the imports of ECMAScript modules
    /// script-templates  HTML in scripts with a type such as text/template or text/html
    /// lazy           the attributes of lazy loaders, such as data-srcset
    /// htmx           the attributes of htmx, such as hx-get
    /// data-src       the attribute of this name, of any element
    /// [source]       the same, for a name without a hyphen
    /// img[data-src]  the attribute of this name, of this element
    ///
    /// Several names may be given, separated by commas.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        help_heading = SELECTION,
        verbatim_doc_comment
    )]
    pub also: Vec<String>,

    /// Change a limit
    ///
    /// Limits guard against hostile input. A document that exceeds one is skipped and reported with
    /// the name of the limit. Examples: embedded-depth=32, document-size=4G, time=60s, time=none;
    /// docs/limits.md lists all limits. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", help_heading = LIMITS, hide_short_help = true)]
    pub limit: Vec<String>,

    /// Exit with status 1 if a reference failed
    ///
    /// That is a reference, or a document, that could not be handled. What a hint says was not read
    /// or changed counts too.
    #[arg(long, help_heading = REPORTS)]
    pub strict: bool,

    /// Print errors only, and no summary
    #[arg(short, long, conflicts_with = "verbose", help_heading = REPORTS)]
    pub quiet: bool,

    /// List changed documents, and each reference that could not be handled
    #[arg(short, long, help_heading = REPORTS)]
    pub verbose: bool,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
