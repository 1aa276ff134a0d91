//! The plan of `pack`: pages, what they load, and the messages that are written.

use std::path::{Component, Path, PathBuf};

use super::{PlanError, TreeOptions, locator};
use crate::archives::pack::{Access, MADE_UP};
use crate::events::Events;
use crate::os::interrupt::Interrupt;
use crate::os::paths;
use crate::plan::destination::{self, Output};
use crate::tree::Tree;
use crate::urls::locate::{Locator, LocatorOptions};
use crate::urls::url_mapping::UrlMapping;

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
#[derive(Clone, Debug)]
pub struct PackOptions {
    page: Option<PathBuf>,
    root: Option<PathBuf>,
    base: Option<String>,
    output: Option<PathBuf>,
    is_forced: bool,
    is_dry: bool,
    has_scripts: bool,
    tree: TreeOptions,
}

impl PackOptions {
    /// Creates the options for a page.
    pub fn page(page: impl Into<PathBuf>) -> Self {
        PackOptions { page: Some(page.into()), root: None, ..PackOptions::new() }
    }

    /// Creates the options for all pages of a directory, which is their root.
    pub fn tree(directory: impl Into<PathBuf>) -> Self {
        PackOptions { page: None, root: Some(directory.into()), ..PackOptions::new() }
    }

    fn new() -> Self {
        PackOptions {
            page: None,
            root: None,
            base: None,
            output: None,
            is_forced: false,
            is_dry: false,
            has_scripts: false,
            tree: TreeOptions::new([PathBuf::new()]),
        }
    }

    /// Sets the directory that has the URL `/` of the site. Nothing outside of it is packed.
    #[must_use]
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.root = Some(directory.into());
        self
    }

    /// Sets the URL of the directory, or without one, of the page.
    #[must_use]
    pub fn base(mut self, url: impl Into<String>) -> Self {
        self.base = Some(url.into());
        self
    }

    /// Sets the file, or for a tree the directory, that is written. `-` is standard output.
    #[must_use]
    pub fn output(mut self, path: impl Into<PathBuf>) -> Self {
        self.output = Some(path.into());
        self
    }

    /// Replaces a file that exists, and writes into a directory that is not empty.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.is_forced = true;
        self
    }

    /// Writes nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.is_dry = true;
        self
    }

    /// Packs scripts too, and the modules that they import. Browsers run no scripts in a message.
    #[must_use]
    pub fn scripts(mut self) -> Self {
        self.has_scripts = true;
        self.tree = self.tree.also("js-modules");
        self
    }

    /// Sets how the files are read: their types, the limits, and in a tree the pages.
    #[must_use]
    pub(crate) fn reading(mut self, set: impl FnOnce(TreeOptions) -> TreeOptions) -> Self {
        self.tree = set(self.tree);
        self
    }

    /// Sets the media type of files with an extension, `EXT=MEDIA/TYPE`.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        self.reading(|tree| tree.media_type(media_type))
    }

    /// Sets a limit, `NAME=VALUE`; `docs/limits.md` lists them.
    #[must_use]
    pub fn limit(self, limit: impl Into<String>) -> Self {
        self.reading(|tree| tree.limit(limit))
    }

    /// Packs only pages whose path below the directory matches this or another such pattern.
    #[must_use]
    pub fn include(self, glob: impl Into<String>) -> Self {
        self.reading(|tree| tree.include(glob))
    }

    /// Skips pages whose path below the directory matches.
    #[must_use]
    pub fn exclude(self, glob: impl Into<String>) -> Self {
        self.reading(|tree| tree.exclude(glob))
    }

    /// Sets the number of threads. The default is one for each core.
    #[must_use]
    pub fn jobs(self, jobs: u16) -> Self {
        self.reading(|tree| tree.jobs(jobs))
    }

    /// Sends a message for each page, and for each URL outside the tree that it loads.
    #[must_use]
    pub fn verbose(self, is_verbose: bool) -> Self {
        self.reading(|tree| tree.verbose(is_verbose))
    }
}

/// Pages that are to be packed, whose options are checked.
pub struct Pack {
    pub(crate) tree: Tree,
    /// Finds the files that references lead to.
    pub(crate) locator: Locator,
    /// The directory of its files, as messages name it.
    pub(crate) directory: PathBuf,
    pub(crate) access: Access,
    /// The only page, by its path below the directory; `None` for all pages of the directory.
    pub(crate) page: Option<PathBuf>,
    /// The directory that messages do not name, if the page is typed without it.
    pub(crate) current: Option<PathBuf>,
    /// True if the URLs are those of files on the disk, which are not written.
    pub(crate) is_on_disk: bool,
    pub(crate) has_scripts: bool,
    pub(crate) output: Output,
    pub(crate) interrupt: Interrupt,
}

impl Pack {
    /// Checks the options.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(options: PackOptions, events: &mut dyn Events) -> Result<Self, PlanError> {
        let PackOptions { page, root, base, output, is_forced, is_dry, has_scripts, tree } =
            options;
        if let Some(page) = page.as_ref().filter(|page| page.is_dir() || page.as_os_str() == "-") {
            return Err(PlanError::NoPage(page.clone()));
        }
        if let Some(root) = root.as_ref().filter(|root| !root.is_dir()) {
            return Err(PlanError::NoDirectory(root.clone()));
        }
        let is_on_disk = root.is_none() && base.is_none();
        let (tree, directory) = match (&page, root) {
            (Some(page), None) if is_on_disk => {
                let path = paths::absolute(page);
                let disk = path.ancestors().last().unwrap_or(Path::new("/")).to_owned();
                (tree.roots([&disk]).files([below(&path, &disk)?]), disk)
            }
            (Some(page), None) => {
                (tree.roots([page]), page.parent().map(Path::to_owned).unwrap_or_default())
            }
            (Some(page), Some(root)) => {
                let files = [below(&paths::absolute(page), &paths::absolute(&root))?];
                (tree.roots([&root]).files(files), root)
            }
            (None, root) => {
                let root = root.unwrap_or_default();
                (tree.roots([&root]), root)
            }
        };
        let tree = match base {
            Some(base) => tree.base(base),
            None if is_on_disk => tree,
            None => tree.base(MADE_UP),
        };
        let mut tree = tree.no_hints().check(events)?;
        tree.options.resolves_uses_here = true;
        if is_on_disk {
            tree.places = UrlMapping::of_disk(&tree.roots);
        }
        // What a browser shows for a directory on a disk is no page.
        let mut locator = locator(&tree, LocatorOptions::default());
        if is_on_disk {
            locator.forget_indexes();
        }
        let outputs = match &page {
            Some(page) => vec![paths::Root::new(page.clone())],
            None => tree.roots.clone(),
        };
        let output = match output {
            Some(out) => destination::output(&outputs, &out, is_forced)?,
            None if page.is_some() || is_dry => Output::Stdout,
            None => return Err(PlanError::NoPackOutput),
        };
        let own = page.as_ref().filter(|_| is_on_disk).map(|page| paths::directory_of(page));
        let allowed = own.unwrap_or_else(|| paths::absolute(&directory));
        let access = Access::new(&allowed).map_err(|_| PlanError::NoDirectory(allowed))?;
        Ok(Pack {
            tree,
            locator,
            access,
            current: page
                .as_ref()
                .filter(|page| is_on_disk && page.is_relative())
                .map(|_| paths::absolute(Path::new(""))),
            page: page.map(|page| below_directory(&page, &directory)),
            directory,
            is_on_disk,
            has_scripts,
            output: if is_dry { Output::Nowhere } else { output },
            interrupt: Interrupt::default(),
        })
    }

    /// Sets the switch that ends the run early.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Returns true if the run writes files.
    pub fn writes_files(&self) -> bool {
        !matches!(self.output, Output::Nowhere | Output::Stdout)
    }

    /// Returns true if the message goes to standard output.
    pub fn has_output(&self) -> bool {
        self.output == Output::Stdout
    }
}

/// Returns the path of a page below the directory of the files.
fn below_directory(page: &Path, directory: &Path) -> PathBuf {
    let (page, directory) = (paths::absolute(page), paths::absolute(directory));
    page.strip_prefix(&directory).map(Path::to_owned).unwrap_or(page)
}

/// Returns the path of a page below its root.
fn below(page: &Path, root: &Path) -> Result<PathBuf, PlanError> {
    let outside = || PlanError::PageOutsideRoot { page: page.to_owned(), root: root.to_owned() };
    let below = page.strip_prefix(root).map_err(|_| outside())?;
    let is_name = |component: Component<'_>| matches!(component, Component::Normal(_));
    if below.components().all(is_name) { Ok(below.to_owned()) } else { Err(outside()) }
}
