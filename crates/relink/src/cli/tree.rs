//! Arguments of every command that reads a tree: which files, where they belong, and how they are read.

use std::path::PathBuf;

use clap::Args;
use rewrite::{Engine, Profile, XmlBase};
use urlcore::Dialect;

use crate::layout::Layout;

/// Which files, where they belong, and how they are read.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Folders and files; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The URL of PATH itself: of the folder, of the single file, or of standard input
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,

    /// A file with that URL, in one line. Where neither option tells it, the variable RELINK_BASE does. Both keep a password off the
    /// command line
    #[arg(long, value_name = "FILE")]
    pub base_file: Option<PathBuf>,

    /// The hash of that URL, in the journal of a run.
    #[arg(long, hide = true)]
    pub base_hash: Option<String>,

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

    /// Where xml:base holds: as in browsers, which ignore it in XHTML and SVG (web), or in all XML
    /// (everywhere)
    #[arg(long, value_name = "web|everywhere", default_value = "web")]
    pub xml_base: XmlBase,

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

    /// Also ids, templates, text, markdown, ssi, js-modules, the attributes of lazy loaders (lazy)
    /// or of htmx (htmx), or attributes by name (data-src, or of one element: img[data-src])
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub also: Vec<String>,

    /// How much is read: embedded-depth=32, document-size=4G, time=60s or none …; docs/limits.md lists
    /// all limits. A document that exceeds one is skipped and reported with the name of the limit
    #[arg(long, value_name = "NAME=VALUE")]
    pub limit: Vec<String>,

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
