//! The plan of `pack`: pages, what they load, and the messages that are written.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use rewrite::{BaseUrl, PrefixMap};

use super::options::excludes;
use super::{PackOptions, PlanError, TreeOptions, locator};
use crate::archives::pack::{Access, MADE_UP, inline};
use crate::events::Events;
use crate::os::command_line::options_of;
use crate::os::interrupt::Interrupt;
use crate::os::paths::{self, Root};
use crate::os::store::disk::disk;
use crate::plan::destination::{self, Output};
use crate::tree::Tree;
use crate::urls::locate::{Locator, LocatorOptions};
use crate::urls::url_mapping::UrlMapping;

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
    /// The URL of the output, if it is a page with what it loads inside.
    pub(crate) inline: Option<BaseUrl>,
    /// The files that its links lead to, if their URLs are made up.
    pub(crate) links: PrefixMap,
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
        excludes::check(&options_of(&options))?;
        let PackOptions { page, tree: of_tree, root, base, output, scripts, .. } = options;
        let page = if of_tree.is_none() { Some(page.unwrap_or_default()) } else { None };
        let root = of_tree.or(root);
        let inline = output.as_deref().filter(|_| page.is_some()).and_then(url_of_page);
        if let Some(out) = output.as_deref().filter(|_| page.is_some() && inline.is_none())
            && !is_named_as_message(out)
        {
            events.warning(&format!(
                "warning: {} will be an MHTML message, which its name does not say; use `-o` with .mhtml, or with .html for a page with all that it loads",
                out.display()
            ));
        }
        // In a message no script runs.
        let scripts = scripts || inline.is_some();
        let tree = TreeOptions {
            types: options.types,
            limit: options.limit,
            include: options.include,
            exclude: options.exclude,
            jobs: options.jobs,
            verbose: options.verbose,
            also: if scripts { vec!["js-modules".to_owned()] } else { Vec::new() },
            ..TreeOptions::default()
        };
        let url = page.iter().chain(&root).find(|path| paths::is_url(path) && !path.exists());
        if let Some(url) = url {
            return Err(PlanError::UrlAsPath(url.clone()));
        }
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
        let mut links = PrefixMap::default();
        let has_made_up = base.is_none() && !is_on_disk && inline.is_some();
        if let Some(url) = url_on_disk(&directory).filter(|_| has_made_up) {
            // One root has no conflict.
            drop(links.add(MADE_UP, &format!("{}/", url.trim_end_matches('/')), []));
        }
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
            Some(page) => vec![Root::new(page.clone())],
            None => tree.roots.clone(),
        };
        let output = match output {
            Some(out) => destination::output(&outputs, &out, options.force)?,
            None if page.is_some() || options.dry_run => Output::Stdout,
            None => return Err(PlanError::NoPackOutput),
        };
        let own = page.as_ref().filter(|_| is_on_disk).map(|page| paths::directory_of(page));
        let allowed = own.unwrap_or_else(|| paths::absolute(&directory));
        let access = Access::new(&disk(), &allowed).map_err(|_| PlanError::NoDirectory(allowed))?;
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
            has_scripts: scripts,
            inline,
            links,
            output: if options.dry_run { Output::Nowhere } else { output },
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

/// Returns true for an output whose name says that it is a message, or says nothing.
fn is_named_as_message(output: &Path) -> bool {
    let names = ["mhtml", "mht", "mhtm", "eml"];
    let is_one = |extension: &OsStr| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
    output.extension().is_none_or(is_one)
}

/// Returns the URL of an output that is a page by its extension.
fn url_of_page(output: &Path) -> Option<BaseUrl> {
    let extension = output.extension()?.to_str()?;
    if !inline::is_extension(extension) {
        return None;
    }
    url_on_disk(output)?.parse().ok()
}

/// Returns the URL of a file or directory on the disk.
fn url_on_disk(path: &Path) -> Option<String> {
    let path = paths::absolute(path);
    let urls = UrlMapping::of_disk(&[Root::new(path.ancestors().last()?.to_owned())]);
    Some(urls.url_of(&path)?.0)
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
