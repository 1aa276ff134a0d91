//! The references of one document, examined one by one.

use std::path::Path;
use std::sync::Arc;

use rewrite::{Kind, Media, Site};
use urlcore::{Form, Reference, Resolution, Resolver, clean};

use super::super::refs::resolved;
use super::super::{LineCounter, pair, reference, replaced, set_reference};
use super::checked::{Checked, Subject, snippet_of};
use super::parts::{Anchors, MessageParts};
use super::repository::{Repository, from_root, relative};
use super::stale::{self, CapturedUrls};
use super::verdicts::{Known, LastBase, OwnPage, Verdict, Verdicts};
use crate::events::detail::{DocumentPlace, Finding, ReferenceDetail};
use crate::events::lint;
use crate::events::problem::{self, Found, Problem};
use crate::files::media::{self, FileType};
use crate::files::walk::Entry;
use crate::os::format::CheckFormat;
use crate::os::paths::{self, Root};
use crate::plan::{Check, Listed};
use crate::tree::input::{self, Document};
use crate::urls::locate::Located;

/// The slot of the files from which a source map was made.
const SOURCES: &str = "sourcemap sources";

/// A function from a reference to its target, which is left in a buffer.
pub(super) type ResolveOnDisk<'f> =
    dyn for<'t> Fn(&str, &'t mut String) -> Option<Resolution<&'t str>> + 'f;

/// Examines and prints the references of one file.
pub(super) struct Printer<'f> {
    pub(super) config: &'f Check,
    pub(super) anchors: &'f Anchors,
    /// What web archives have, if the URLs that they lack are listed.
    pub(super) captured: Option<&'f CapturedUrls>,
    pub(super) entry: &'f Entry,
    pub(super) document: &'f Document,
    pub(super) place: DocumentPlace,
    pub(super) lines: LineCounter<'f>,
    pub(super) target: String,
    /// The last reference with a problem.
    pub(super) detail: ReferenceDetail,
    pub(super) verdicts: &'f Verdicts,
    pub(super) last_base: Option<LastBase>,
    pub(super) own_page: Option<OwnPage>,
    /// The number of the PATH and the directory below it, if its name is text.
    pub(super) directory: Option<String>,
    /// Resolves a reference against the URL of the file, if references point to files.
    pub(super) resolve_on_disk: &'f ResolveOnDisk<'f>,
    /// The parts of the document, if it is a message.
    pub(super) parts: Option<MessageParts>,
    /// True if the document comes by `https`.
    pub(super) is_secure: bool,
    pub(super) checked: Checked,
    /// The spans of references, if old URLs outside of them are searched for.
    pub(super) covered: Vec<[usize; 2]>,
}

impl Printer<'_> {
    /// Examines a reference.
    pub(super) fn reference(&mut self, site: &Site<'_>) {
        let options = &self.config.tree.options;
        let slot = options.extras.name_of(site.slot);
        // One of two readings may have a file, and so may a reference with its entity expanded.
        let is_unknown = site.is_ambiguous() || site.has_entity() || site.is_of_other_place();
        // The sources of a map are for its readers, and sites do not publish them.
        let is_left = slot == SOURCES && !options.filter.names(slot);
        // What has no known target is text like any other.
        if self.config.stale_text.is_some() && !is_unknown && site.kind != Kind::Template {
            self.covered.push(pair(site.frame.raw(site.span)));
        }
        if !options.filter.allows(slot) || !site.kind.is_link() || is_unknown || is_left {
            return;
        }
        self.checked.n_references += 1;
        let mut target = std::mem::take(&mut self.target);
        let known = match self.known(site, &mut target) {
            Some(Known::Fine) => return self.target = target,
            Some(Known::Verdict(verdict)) => Some(verdict),
            None => None,
        };
        let resolution = match known {
            Some(_) => Ok(Resolution::Url(&*target)),
            None => resolved(site, &mut target),
        };
        let known = known.as_deref();
        let found = match resolution {
            Ok(_) if site.is_beside() => self.examine_saved(site, &mut target),
            _ if site.leaves_package() => Err(Problem::LeavesPackage),
            Ok(Resolution::Url(target)) => {
                let web = self.document.web_url(target);
                let target = &*web;
                let found = match self.parts.as_ref().map_or(Ok(false), |parts| parts.have(target))
                {
                    // The place of a message on the disk is no base for what it contains.
                    Ok(false) if self.parts.is_some() && self.is_disk_path(site, target) => {
                        Ok(false)
                    }
                    Ok(false) => {
                        let place = known.map(|known| known.found.clone());
                        let place = place.unwrap_or_else(|| self.place(site, target));
                        self.named(site, target, place)
                    }
                    found => found,
                };
                let other = || site.other_target().filter(|_| found.is_err());
                let of_other = |other: String| self.named(site, &other, self.place(site, &other));
                let found = match other().map(of_other) {
                    Some(Ok(is_in_tree)) => Ok(is_in_tree),
                    _ => found,
                };
                let found = match found {
                    Err(problem) => self.in_repository(site, target, problem),
                    found => found,
                };
                self.list(site, target, &found);
                let is_mixed =
                    || self.is_secure.then(|| problem::mixed(target, || site.fetch())).flatten();
                // The problem that should be fixed first is reported.
                let inside = || stale::inside(self.config, site.text).map(Problem::StaleText);
                let problem = stale::stale(self.config, target)
                    .map(Problem::Stale)
                    .or(found.err())
                    .or_else(is_mixed)
                    .or_else(inside);
                problem.map_or(Ok(()), Err)
            }
            Ok(Resolution::SameDocument { .. }) => Ok(()),
            // Without a base nothing is known; a host that browsers reject is nowhere valid.
            Err(_) if site.resolver.is_none() => Ok(()),
            Err(reason) => Err(Problem::NoUrl(reason.to_string())),
        };
        let lints = if self.config.has_lints { self.lints(site) } else { Vec::new() };
        let lints = lints.into_iter().map(|(lint, reason)| Problem::Lint(lint, reason));
        for problem in found.err().into_iter().chain(lints) {
            let mut detail = std::mem::take(&mut self.detail);
            set_reference(&mut detail, site, self.document, options, &mut self.lines);
            let old = detail.target.take();
            detail.target = (!target.is_empty()).then(|| replaced(old, &target));
            self.print(&mut detail, problem, known);
            self.detail = detail;
        }
        self.target = target;
    }

    /// Returns what specifications warn of in a reference.
    fn lints(&self, site: &Site<'_>) -> Vec<lint::LintWarning> {
        let text = clean(site.text, site.dialect);
        let has_file = || {
            let target = site.resolver.and_then(|base| base.resolve(&format!("./{text}")).ok());
            let target = target.and_then(|found| found.url());
            let located = target.map(|target| self.config.locator.locate(&target, false));
            matches!(located, Some(Located::File { .. }))
        };
        lint::of(&text, site.slot.gives_base(), site.dialect, has_file)
    }

    /// Returns the problem of a reference in Markdown unless those who show the files of a
    /// repository follow it: to a directory, to a tracked file outside of PATH, and from the top of
    /// the work tree by `/x`. A tree with a URL is read as its server shows it.
    fn in_repository(
        &mut self,
        site: &Site<'_>,
        target: &str,
        problem: Problem,
    ) -> Result<bool, Problem> {
        let Check { tree, is_on_disk, .. } = self.config;
        if self.document.media != Media::MARKDOWN || !is_on_disk {
            return Err(problem);
        }
        match problem {
            Problem::NoIndex(_) => Ok(true),
            Problem::LeavesTree => {
                let form = Reference::split(site.text, site.dialect).form();
                let root = tree.roots[self.entry.root].real().map(paths::directory_of);
                let files = tree.markdown.as_ref();
                let work_tree =
                    files.and_then(|files| files.work_tree(self.entry.root, &tree.roots));
                let found = match (form, root) {
                    (_, None) => Repository::Elsewhere,
                    (Form::AbsolutePath, Some(root)) => from_root(work_tree, &root, target),
                    (_, Some(root)) => relative(work_tree, &root, target),
                };
                match found {
                    Repository::Below => return Ok(true),
                    Repository::Above => self.checked.n_above += 1,
                    Repository::UnknownRoot => self.checked.n_unrooted += 1,
                    Repository::Missing(path) => return Err(Problem::NoFile(path)),
                    Repository::Elsewhere => return Err(problem),
                }
                Ok(false)
            }
            problem => Err(problem),
        }
    }

    /// Returns true if a target is on the disk because its reference is relative to a file there.
    fn is_disk_path(&self, site: &Site<'_>, target: &str) -> bool {
        let form = Reference::split(site.text, site.dialect).form();
        self.config.is_on_disk
            && form != Form::Absolute
            && problem::scheme(target).eq_ignore_ascii_case("file")
    }

    /// Records a URL that is to be listed. References that are never fetched are not recorded.
    fn list(&mut self, site: &Site<'_>, target: &str, found: &Result<bool, Problem>) {
        let is_in_tree = || self.config.locator.knows(target);
        let is_listed = match self.config.listed {
            None => return,
            Some(Listed::External) => !matches!(found, Ok(true)) && !is_in_tree(),
            Some(Listed::Missing) if self.document.record().is_some() => {
                self.captured.is_some_and(|captured| captured.lack(target))
            }
            Some(Listed::Missing) => {
                let is_missing = found.as_ref().is_err_and(Problem::is_missing);
                is_missing && is_in_tree()
            }
        };
        if !is_listed || site.slot.is_never_fetched(target) {
            return;
        }
        let options = &self.config.tree.options;
        let first =
            || (self.place.clone(), reference(site, self.document, options, &mut self.lines));
        let first = || (self.config.format == CheckFormat::Json).then(first);
        self.checked.external.add_target(target, first);
    }

    /// Returns what is remembered of a reference, and leaves its target in a buffer.
    fn known(&mut self, site: &Site<'_>, target: &mut String) -> Option<Known> {
        // Elsewhere a target depends on the document.
        if self.parts.is_some() || self.document.disk().is_some() || site.leaves_package() {
            return None;
        }
        let (config, is_secure) = (self.config, self.is_secure);
        let is_thorough = config.has_lints || config.listed.is_some() || config.stale.is_some();
        let is_enough = move |verdict: &Verdict, fragment: &str| {
            let has_name = !fragment.is_empty() || verdict.has_fragment;
            let is_mixed = is_secure && verdict.is_insecure;
            let is_asked = has_name && config.checks_fragments;
            !(is_thorough || is_mixed || is_asked)
        };
        if site.text.starts_with('#') {
            let mut page = self.own_page.take();
            let own = OwnPage::get(&mut page, site, target, &is_enough, || self.verdict(site));
            self.own_page = page;
            return own;
        }
        let is_known = |url: &str| self.config.locator.knows(url);
        let directory = self.directory.as_deref()?;
        let number = self.verdicts.number(site, &mut self.last_base, directory, is_known)?;
        let compute = |text: &str| {
            let mut site = *site;
            site.text = text;
            self.verdict(&site)
                .filter(|_| site.resolver.is_some_and(|base| base.is_by_directory(text)))
        };
        self.verdicts.get(site, number, target, &is_enough, compute)
    }

    /// Examines a reference to a URL.
    fn verdict(&self, site: &Site<'_>) -> Option<Verdict> {
        let mut target = String::new();
        let Ok(Resolution::Url(_)) = resolved(site, &mut target) else { return None };
        let found = self.place(site, &target);
        let is_missing = found.as_ref().is_err_and(Problem::is_missing);
        let file = is_missing.then(|| self.missing(&target)).flatten();
        let is_unfetched = site.slot.is_never_fetched(&target);
        Some(Verdict::new(target, is_unfetched, found, file))
    }

    /// Returns the file that a reference points to, if it is in the tree.
    fn place(&self, site: &Site<'_>, target: &str) -> Found {
        let Check { tree, locator, is_on_disk, .. } = self.config;
        let base = site.resolver.map(|resolver| resolver.base());
        let dialect = tree.options.dialect;
        let is_unfetched = site.slot.is_never_fetched(target);
        let found =
            problem::examine(site.text, target, base, is_unfetched, !is_on_disk, dialect, locator);
        match found {
            // In a mirror, a reference to another host can only be written for the disk.
            Err(problem) => self.on_disk(site).map(Some).ok_or(problem),
            found => found,
        }
    }

    /// Returns true if a reference points to an existing file of the tree, at `place`, without a
    /// problem.
    fn named(&self, site: &Site<'_>, target: &str, place: Found) -> Result<bool, Problem> {
        let Some((root, path)) = place? else { return Ok(false) };
        let fragment = self.config.checks_fragments.then(|| problem::fragment(target)).flatten();
        let Some((name, decoded)) = fragment else { return Ok(true) };
        // In a `srcdoc`, the names are those of the embedded document.
        let is_own = root == self.entry.root && *path == *paths::bytes(&self.entry.below);
        if is_own && !site.frame.embedded().is_empty() {
            return Ok(true);
        }
        let read = || self.page(root, &path);
        if self.anchors.have(root, &path, [name, &decoded], read) {
            Ok(true)
        } else {
            Err(Problem::NoFragment(format!("'{decoded}'")))
        }
    }

    /// Checks on the disk a reference to a resource that was saved with a page.
    fn examine_saved(&self, site: &Site<'_>, target: &mut String) -> Result<(), Problem> {
        let own = self.config.locator.new_url(self.entry);
        target.clear();
        let resolver = Resolver::new(&own, site.dialect).ok();
        let is_url = resolver.is_some_and(|own| own.resolve_into(site.text, target).is_ok());
        // A directory does not need an index file: only its existence is checked. Otherwise it is
        // handled like any other reference.
        let is_directory = target.ends_with('/') || site.slot.is_never_fetched(target);
        if is_url && !is_directory && self.config.locator.file_at(target).is_none() {
            Err(Problem::NoFile(site.text.to_owned()))
        } else {
            Ok(())
        }
    }

    /// Returns the file of a relative reference, if references point to files.
    fn on_disk(&self, site: &Site<'_>) -> Option<(usize, Arc<[u8]>)> {
        let Check { tree, locator, .. } = self.config;
        let dialect = tree.options.dialect;
        let is_relative = Reference::split(site.text, dialect).form() == Form::RelativePath;
        if !is_relative || !site.is_base_own {
            return None;
        }
        let mut target = String::new();
        match (self.resolve_on_disk)(site.text, &mut target)? {
            Resolution::Url(target) => locator.file_at(target),
            Resolution::SameDocument { .. } => None,
        }
    }

    /// Returns the document of the tree at this path, if fragments can point to names of its
    /// elements.
    fn page(&self, root: usize, below: &[u8]) -> Option<(Vec<u8>, Media)> {
        let has_names = |media: Media, path: &Path| match media {
            Media::HTML => true,
            // In other XML, only a document type says which attributes are names.
            Media::XML => path.extension().is_some_and(|extension| {
                ["svg", "xhtml", "xht"].iter().any(|name| extension.eq_ignore_ascii_case(name))
            }),
            _ => false,
        };
        // The header section of a saved page is text before it.
        let read_as = |media: Media| match media {
            Media::Http(_) => Media::HTML,
            media => media,
        };
        if root == self.entry.root && below == paths::bytes(&self.entry.below) {
            let media = read_as(self.document.media);
            return has_names(media, &self.entry.path)
                .then(|| (self.document.bytes.to_vec(), media));
        }
        let limits = &self.config.tree.options.limits;
        let member = || self.config.locator.files.member(root, below, limits);
        let read = |path: &Path| member().or_else(|| input::small(&self.config.tree, path).ok());
        let Root::Path { typed: directory, .. } = &self.config.tree.roots[root] else {
            return None;
        };
        let path = if directory.is_dir() {
            directory.join(paths::from_bytes(below)?)
        } else {
            directory.parent()?.join(paths::from_bytes(below)?)
        };
        match self.config.tree.types.of_path(&path) {
            FileType::Document(media) if has_names(media, &path) => Some((read(&path)?, media)),
            FileType::Unknown => {
                let bytes = read(&path)?;
                let head = &bytes[..bytes.len().min(media::SNIFFED)];
                match media::sniff(head) {
                    FileType::Document(media) if has_names(read_as(media), &path) => {
                        Some((bytes, read_as(media)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the file or directory that the tree should contain for a target, by the number of
    /// its PATH, with its path below it.
    fn missing(&self, target: &str) -> Option<(usize, Arc<str>)> {
        match self.config.locator.locate(&self.document.web_url(target), false) {
            Located::Missing { root, path } | Located::Directory { root, path } => {
                Some((root, paths::shown(&path).into()))
            }
            Located::File { .. } | Located::Outside => None,
        }
    }

    /// Counts and prints a problem of a reference, whose position is the last one of the lines.
    /// `known` is what is remembered of it.
    pub(super) fn print(
        &mut self,
        reference: &mut ReferenceDetail,
        problem: Problem,
        known: Option<&Verdict>,
    ) {
        let subject = Subject { config: self.config, entry: self.entry, place: &self.place };
        let snippet = snippet_of(self.config, &self.lines, reference);
        let target = reference.target.as_deref().filter(|_| problem.is_missing());
        let file = target.and_then(|target| match known {
            Some(Verdict { file: Some(file), .. }) => Some(file.clone()),
            _ => self.missing(target),
        });
        reference.finding = Finding::Problem { problem, file };
        self.checked.print(subject, reference, &snippet);
    }
}
