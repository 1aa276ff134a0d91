//! `relink check`: references into the tree that have no file, or that point to a wrong place.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use rewrite::{Media, Site, references};
use serde::Serialize;
use urlcore::{Form, Reference, Resolution, Resolver};

use super::refs::resolved;
use super::{FileError, Lines, Named, guarded, of_skipped, pair, unread};
use crate::anchors::Anchors;
use crate::events::{self, Event, Events, Severity};
use crate::exit::Error;
use crate::external::{External, Place};
use crate::files;
use crate::format::Format;
use crate::globs::NOTHING_FITS;
use crate::hints::{Source, Tally};
use crate::input::Item;
use crate::input::{self, Document, Input};
use crate::media::{self, FileType};
use crate::paths;
use crate::paths::Root;
use crate::plan::{Check, Listed};
use crate::problem::{self, Problem};
use crate::status::Status;
use crate::units::Units;
use crate::walk::{self, Entry, EntryKind};
use crate::{messages, parallel, summary};

/// The hint that is printed if `/x` was not checked.
const NEEDS_BASE: &str = "hint: references that begin with / were not checked; use `--base URL` to set the URL of the tree";

/// The result for one file.
#[derive(Default)]
struct Checked {
    output: Vec<u8>,
    messages: Vec<String>,
    is_failed: bool,
    is_document: bool,
    is_message: bool,
    /// True if a path from the root of a site leads out of the tree.
    needs_base: bool,
    n_references: usize,
    hint: Option<Source>,
    /// The number of broken references, by problem.
    broken: BTreeMap<&'static str, usize>,
    /// The URLs out of the tree, if they are listed.
    external: External,
}

/// One broken reference in JSON.
#[derive(Serialize)]
struct Line<'l> {
    root: usize,
    path: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'l str>,
    line: usize,
    column: usize,
    span: [usize; 2],
    slot: &'l str,
    text: &'l str,
    target: Option<&'l str>,
    problem: &'l str,
    reason: String,
}

/// The sums of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// Documents read, without messages.
    pub n_documents: usize,
    /// References that were checked.
    pub n_references: usize,
    /// Broken references; 0 if URLs are listed instead.
    pub n_broken: usize,
    /// Files and documents that failed.
    pub n_failed: usize,
}

impl CheckSummary {
    /// Returns the exit status for these sums.
    pub fn status(&self) -> Status {
        match () {
            () if self.n_failed > 0 => Status::Failed,
            () if self.n_broken > 0 => Status::Found,
            () => Status::Done,
        }
    }
}

impl Check {
    /// Lists broken references, or URLs out of the tree, as [`Event::Output`], in path order.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<CheckSummary, Error> {
        run(self, events)
    }
}

fn run(config: &Check, events: &mut dyn Events) -> Result<CheckSummary, Error> {
    let pool = parallel::pool(config.tree.jobs)?;
    let anchors = Anchors::default();
    let entries = walk::entries(&config.tree.roots).filter(|entry| {
        entry.as_ref().map_or(true, |entry| entry.kind == EntryKind::File || entry.is_single)
    });
    let units = Units::new(&config.tree, entries);
    let work = |item: Item| {
        let path = item.path().to_owned();
        let check = || {
            let (entry, input) = input::read_document(&config.tree, item)?;
            file(config, &anchors, &entry, &input)
        };
        guarded(&path, check).unwrap_or_else(failed)
    };
    let mut summary = CheckSummary::default();
    let mut n_messages = 0;
    let mut needs_base = false;
    let mut hints = Tally::default();
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut external = External::default();
    parallel::for_each(&pool, units, Item::weight, work, |checked| {
        let severity = if checked.is_failed { Severity::Error } else { Severity::Warning };
        checked.messages.iter().for_each(|message| events.message(severity, message));
        summary.n_documents += usize::from(checked.is_document);
        n_messages += usize::from(checked.is_message);
        summary.n_references += checked.n_references;
        summary.n_failed += usize::from(checked.is_failed);
        needs_base |= checked.needs_base;
        hints.add(checked.hint);
        for (problem, n) in checked.broken {
            *broken.entry(problem).or_default() += n;
        }
        let mut out = events::Output(events);
        external.merge(checked.external, config.format, &mut out)?;
        out.write_all(&checked.output)
    })?;
    external.finish(config.format, &mut events::Output(events))?;
    events.event(Event::OutputEnd)?;
    let n_broken: usize = broken.values().sum();
    let CheckSummary { n_documents, n_references, n_failed, .. } = summary;
    let mut line = format!(
        "{}, {}: {n_broken} broken",
        summary::n(n_documents, "document"),
        summary::n(n_references, "reference")
    );
    for (idx, (problem, n)) in broken.iter().enumerate() {
        line.push_str(&format!("{}{n} {problem}", if idx == 0 { " (" } else { ", " }));
    }
    line.push_str(if broken.is_empty() { "" } else { ")" });
    if n_messages > 0 {
        let how = match config.reads_messages() {
            true => "checked for --stale and --list-external only",
            false => "not checked",
        };
        line.push_str(&format!("; {} {how}", summary::n(n_messages, "message")));
    }
    events.report(&line);
    hints.words().iter().for_each(|words| events.report(words));
    if n_documents + n_messages == 0 && n_failed == 0 && config.tree.globs.is_some() {
        events.hint(NOTHING_FITS);
    }
    if needs_base {
        events.hint(NEEDS_BASE);
    }
    // Problems are not listed then.
    summary.n_broken = if config.listed.is_some() { 0 } else { n_broken };
    Ok(summary)
}

fn failed(error: FileError) -> Checked {
    Checked { messages: vec![error.to_string()], is_failed: true, ..Checked::default() }
}

fn file(
    config: &Check,
    anchors: &Anchors,
    entry: &Entry,
    input: &Input,
) -> Result<Checked, FileError> {
    let document = match input {
        // References in a message point to its other parts, or to the place that it came from.
        Input::Document(document)
            if matches!(document.media, Media::Message(_)) && !config.reads_messages() =>
        {
            let message = messages::of_path(
                &entry.path,
                "skipped; messages have no files to check; use `--stale URL` or `--list-external` to read them",
            );
            let is_reported = entry.is_single && document.number().is_none_or(|number| number == 1);
            let messages = is_reported.then_some(message).into_iter().collect();
            return Ok(Checked { messages, is_message: true, ..Checked::default() });
        }
        Input::Document(document) => document,
        input => {
            let message = unread(&config.tree, entry, input);
            return message.map_or(Ok(Checked::default()), |text| Err(FileError::Unread(text)));
        }
    };
    let is_message = matches!(document.media, Media::Message(_));
    let mut printer = Printer {
        config,
        anchors,
        entry,
        document,
        named: Named::new(entry),
        lines: Lines::of_document(document),
        target: String::new(),
        is_secure: false,
        checked: Checked {
            is_document: !is_message,
            is_message,
            hint: document.hint().map(|hint| hint.source),
            ..Checked::default()
        },
    };
    let report = document.with_unit(None, |unit| {
        printer.is_secure = !is_message
            && unit.own_url.is_some_and(|url| problem::scheme(url).eq_ignore_ascii_case("https"));
        references(unit, &config.tree.options, |site| printer.reference(site))
    });
    for (reason, at) in report.bad_bases.iter().filter(|_| !is_message) {
        let problem = Problem::NoBase(reason.to_string());
        printer.print([*at, *at], "base[href]", "", None, &problem);
    }
    for skipped in report.skipped.iter().filter(|_| !is_message) {
        let (line, column) = printer.lines.of(skipped.at);
        printer.checked.messages.push(of_skipped(entry, line, column, skipped));
        printer.checked.is_failed |= summary::is_failure(skipped);
    }
    Ok(printer.checked)
}

/// Examines and prints the references of one file.
struct Printer<'f> {
    config: &'f Check,
    anchors: &'f Anchors,
    entry: &'f Entry,
    document: &'f Document,
    named: Named,
    lines: Lines<'f>,
    target: String,
    /// True if the document comes by `https`.
    is_secure: bool,
    checked: Checked,
}

impl Printer<'_> {
    fn reference(&mut self, site: &Site<'_>) {
        let options = &self.config.tree.options;
        let slot = options.extras.name_of(site.slot);
        // One of two readings may have a file, and so may a reference with its entity expanded.
        let is_unknown = site.is_ambiguous() || site.has_entity();
        if !options.filter.allows(slot) || !site.kind.is_link() || is_unknown {
            return;
        }
        self.checked.n_references += 1;
        let mut target = std::mem::take(&mut self.target);
        let span = site.frame.raw(site.span);
        let found = match resolved(site, &mut target) {
            Ok(_) if site.is_beside() => self.examine_saved(site, &mut target),
            Ok(Resolution::Url(target)) => {
                let web = self.document.web_url(target);
                let target = &*web;
                let found = match self.checked.is_message {
                    // The place of its parts is unknown.
                    true => Ok(false),
                    false => self.examine(site, target),
                };
                self.list(site, slot, target, &found);
                let is_mixed =
                    || self.is_secure.then(|| problem::mixed(target, site.fetch())).flatten();
                // The problem that should be fixed first is reported.
                let problem = self.stale(target).or(found.err()).or_else(is_mixed);
                problem.map_or(Ok(()), Err)
            }
            Ok(Resolution::SameDocument { .. }) => Ok(()),
            // Without a base nothing is known; a host that browsers reject is nowhere valid.
            Err(_) if site.resolver.is_none() || self.checked.is_message => Ok(()),
            Err(reason) => Err(Problem::NoUrl(reason.to_string())),
        };
        if let Err(problem) = found {
            let target = Some(&*target).filter(|target| !target.is_empty());
            self.print(pair(span), slot, site.text, target, &problem);
        }
        self.target = target;
    }

    /// Records a URL that is to be listed. References that are never fetched are not recorded.
    fn list(&mut self, site: &Site<'_>, slot: &str, target: &str, found: &Result<bool, Problem>) {
        let is_in_tree = || self.config.locator.knows(target);
        let is_listed = match self.config.listed {
            None => return,
            Some(Listed::External) => !matches!(found, Ok(true)) && !is_in_tree(),
            Some(Listed::Missing) => {
                let is_missing = found.as_ref().is_err_and(Problem::is_missing);
                is_missing && is_in_tree()
            }
        };
        if !is_listed || site.slot.is_never_fetched(target) {
            return;
        }
        let place = || {
            let span = pair(site.frame.raw(site.span));
            let (line, column) = self.lines.of(span[0]);
            Place {
                root: self.entry.root,
                path: self.named.path.clone(),
                path_bytes: self.named.path_bytes.clone(),
                line,
                column,
                span,
                slot: slot.to_owned(),
                text: site.text.to_owned(),
            }
        };
        let first = || (self.config.format == Format::Json).then(place);
        self.checked.external.add_target(target, first);
    }

    /// Returns the problem if a target is at an old place of the tree, and not at its current one.
    fn stale(&self, target: &str) -> Option<Problem> {
        let roots = self.config.stale.as_ref()?;
        let (root, rest) = roots.find(target)?;
        let is_inner = self.config.locator.rest(target).is_none_or(|now| rest.len() < now.len());
        is_inner.then(|| Problem::Stale(format!("{}/", roots.url(root))))
    }

    /// Returns true if a reference points to an existing file of the tree without a problem.
    fn examine(&self, site: &Site<'_>, target: &str) -> Result<bool, Problem> {
        let Check { tree, locator, checks_fragments, is_on_disk, .. } = self.config;
        let base = site.resolver.map(|resolver| resolver.base());
        let dialect = tree.options.dialect;
        let is_unfetched = site.slot.is_never_fetched(target);
        let found =
            problem::examine(site.text, target, base, is_unfetched, !is_on_disk, dialect, locator);
        let found = match found {
            Ok(found) => found,
            // In a mirror, a reference to another host can only be written for the disk.
            Err(problem) => Some(self.on_disk(site).ok_or(problem)?),
        };
        let Some((root, path)) = found else { return Ok(false) };
        let fragment = problem::fragment(target).filter(|_| *checks_fragments);
        let Some((name, decoded)) = fragment else { return Ok(true) };
        // In a `srcdoc`, the names are those of the embedded document.
        let is_own = root == self.entry.root && path == paths::bytes(&self.entry.below);
        if is_own && !site.frame.embedded().is_empty() {
            return Ok(true);
        }
        let read = || self.page(root, &path);
        match self.anchors.have(root, &path, [name, &decoded], read) {
            true => Ok(true),
            false => Err(Problem::NoFragment(format!("'{decoded}'"))),
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
        match is_url && !is_directory && self.config.locator.file_at(target).is_none() {
            true => Err(Problem::NoFile(site.text.to_owned())),
            false => Ok(()),
        }
    }

    /// Returns the file of a relative reference, if references point to files.
    fn on_disk(&self, site: &Site<'_>) -> Option<(usize, Vec<u8>)> {
        let Check { tree, locator, .. } = self.config;
        let dialect = tree.options.dialect;
        let is_relative = Reference::split(site.text, dialect).form() == Form::RelativePath;
        if !is_relative || !site.is_base_own {
            return None;
        }
        let own = locator.new_url(self.entry);
        let found = Resolver::new(&own, dialect).ok()?.resolve(site.text).ok()?;
        locator.file_at(&found.url()?)
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
                .then(|| (self.document.bytes.clone(), media));
        }
        let Root::Path { typed: root, .. } = &self.config.tree.roots[root] else { return None };
        let path = match root.is_dir() {
            true => root.join(files::path(below)?),
            false => root.parent()?.join(files::path(below)?),
        };
        match self.config.tree.types.of_path(&path) {
            FileType::Document(media) if has_names(media, &path) => {
                Some((input::small(&self.config.tree, &path).ok()?, media))
            }
            FileType::Unknown => {
                let bytes = input::small(&self.config.tree, &path).ok()?;
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

    fn print(
        &mut self,
        span: [usize; 2],
        slot: &str,
        text: &str,
        target: Option<&str>,
        problem: &Problem,
    ) {
        *self.checked.broken.entry(problem.name()).or_default() += 1;
        self.checked.needs_base |= self.config.is_on_disk
            && matches!(problem, Problem::LeavesTree)
            && text.starts_with('/');
        let (line, column) = self.lines.of(span[0]);
        if self.config.listed.is_some() {
            return;
        }
        let out = &mut self.checked.output;
        // Writing to memory does not fail.
        match self.config.format {
            Format::Text => {
                let path = self.entry.path.to_string_lossy();
                let subject = format!("{slot} {text}");
                let subject = subject.trim_end();
                let line_text = format!("{path}:{line}:{column}: {subject}: {problem}");
                drop(writeln!(out, "{}", messages::visible(&line_text)));
            }
            Format::Json => {
                let line = Line {
                    root: self.entry.root,
                    path: &self.named.path,
                    path_bytes: self.named.path_bytes.as_deref(),
                    line,
                    column,
                    span,
                    slot,
                    text,
                    target,
                    problem: problem.name(),
                    reason: problem.to_string(),
                };
                drop(messages::write_json(out, &line));
            }
        }
    }
}
