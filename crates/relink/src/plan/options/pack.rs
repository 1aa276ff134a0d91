//! The options of `pack`.

use std::path::PathBuf;

use serde::Serialize;

use super::setters;
use crate::os::format::{BASE_URLS, ColorArgs, INPUT, LIMITS, OUTPUT, REPORTS, SELECTION};
use crate::os::stored;

/// What is packed, and where the messages are written.
///
/// # Examples
///
/// ```
/// use relink::{Event, Pack, PackOptions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let (page, out) = (directory.path().join("page.html"), directory.path().join("page.mhtml"));
/// std::fs::write(&page, "<link rel=stylesheet href=a.css>")?;
/// std::fs::write(directory.path().join("a.css"), "p { color: red }")?;
///
/// let mut receive = |_: Event<'_>| Ok(());
/// let options = PackOptions::page(&page).base("https://example.org/page.html").output(&out);
/// let summary = Pack::new(options, &mut receive)?.run(&mut receive)?;
///
/// assert_eq!((summary.n_pages, summary.n_parts, summary.n_missing), (1, 2, 0));
/// let message = std::fs::read_to_string(&out)?;
/// assert!(message.contains("\r\nContent-Location: https://example.org/a.css\r\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[must_use]
pub struct PackOptions {
    /// The page: a file of HTML or XHTML
    #[cfg_attr(feature = "cli", arg(value_name = "PAGE", required_unless_present = "tree"))]
    #[serde(with = "stored")]
    pub(crate) page: Option<PathBuf>,

    /// Pack every page of DIR, each as a message of its own; DIR is their root
    ///
    /// `a/b.html` becomes `a/b.mhtml` in OUT.
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR", help_heading = SELECTION))]
    #[serde(with = "stored")]
    pub(crate) tree: Option<PathBuf>,

    /// The directory of the site: `/a` points into it, and nothing outside of it is packed
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR", help_heading = SELECTION))]
    #[serde(with = "stored")]
    pub(crate) root: Option<PathBuf>,

    /// The URL of DIR; without --tree and --root, that of PAGE
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", help_heading = BASE_URLS))]
    pub(crate) base: Option<String>,

    /// Pack scripts too
    ///
    /// Browsers run no scripts in MHTML. The modules that they import are packed too.
    #[cfg_attr(feature = "cli", arg(long, help_heading = SELECTION))]
    pub(crate) scripts: bool,

    /// Pack only pages whose path below DIR matches
    ///
    /// May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "GLOB", requires = "tree", help_heading = SELECTION))]
    pub(crate) include: Vec<String>,

    /// Skip pages whose path below DIR matches
    ///
    /// May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "GLOB", requires = "tree", help_heading = SELECTION))]
    pub(crate) exclude: Vec<String>,

    /// Write to OUT: a file, or with --tree a directory [default: standard output]
    ///
    /// A file named .html or .xhtml is a page with what it loads inside, and with scripts. `-` is
    /// standard output.
    #[cfg_attr(feature = "cli", arg(short, long, value_name = "OUT", help_heading = OUTPUT))]
    #[serde(with = "stored")]
    pub(crate) output: Option<PathBuf>,

    /// Replace OUT, or write into it even if it is not empty
    #[cfg_attr(feature = "cli", arg(long, help_heading = OUTPUT))]
    pub(crate) force: bool,

    /// Write nothing; report what would be done
    #[cfg_attr(feature = "cli", arg(short = 'n', long, help_heading = OUTPUT))]
    pub(crate) dry_run: bool,

    /// Read files with this extension as this media type
    ///
    /// For example, php=text/html. May be given several times.
    #[cfg_attr(feature = "cli", arg(
        long = "type",
        value_name = "EXT=MEDIA/TYPE",
        help_heading = INPUT,
        hide_short_help = true
    ))]
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

    /// Change a limit
    ///
    /// A page that exceeds one is not packed. The limits of `pack` are pack-size, load-depth and
    /// parts; docs/limits.md lists all limits. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME=VALUE", help_heading = LIMITS, hide_short_help = true))]
    pub(crate) limit: Vec<String>,

    /// Exit with status 1 if something that a page loads is missing
    #[cfg_attr(feature = "cli", arg(long, help_heading = REPORTS))]
    pub(crate) strict: bool,

    /// Print errors only, and no summary
    #[cfg_attr(feature = "cli", arg(short, long, help_heading = REPORTS))]
    pub(crate) quiet: bool,

    /// List each message, and each URL outside the tree that a page loads
    #[cfg_attr(feature = "cli", arg(short, long, help_heading = REPORTS))]
    pub(crate) verbose: bool,

    /// Colours.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(skip)]
    pub(crate) color: ColorArgs,
}

impl PackOptions {
    /// Creates the options for a page.
    pub fn page(page: impl Into<PathBuf>) -> Self {
        PackOptions { page: Some(page.into()), ..PackOptions::default() }
    }

    /// Creates the options for all pages of a directory, which is their root.
    pub fn tree(directory: impl Into<PathBuf>) -> Self {
        PackOptions { tree: Some(directory.into()), ..PackOptions::default() }
    }

    /// Sets the number of threads. The default is one for each core.
    pub fn jobs(mut self, jobs: u16) -> Self {
        self.jobs = Some(jobs.max(1));
        self
    }
}

setters!(PackOptions {
    /// Sets the directory that has the URL `/` of the site. Nothing outside of it is packed.
    root: Option<PathBuf> => root;
    /// Sets the URL of the directory, or without one, of the page.
    base: Option<String> => base;
    /// Sets the file, or for a tree the directory, that is written. `-` is standard output.
    output: Option<PathBuf> => output;
    /// Replaces a file that exists, and writes into a directory that is not empty.
    force: true => force;
    /// Writes nothing.
    dry_run: true => dry_run;
    /// Packs scripts too, and the modules that they import. Browsers run no scripts in a message.
    scripts: true => scripts;
    /// Sets the media type of files with an extension, `EXT=MEDIA/TYPE`.
    media_type: Vec<String> => types;
    /// Sets a limit, `NAME=VALUE`; `docs/limits.md` lists them.
    limit: Vec<String> => limit;
    /// Packs only pages whose path below the directory matches this or another such pattern.
    include: Vec<String> => include;
    /// Skips pages whose path below the directory matches.
    exclude: Vec<String> => exclude;
    /// Sends a message for each page, and for each URL outside the tree that it loads.
    verbose: bool => verbose;
});
