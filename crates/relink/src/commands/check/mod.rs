//! `relink check`: references into the tree that have no file, or that point to a wrong place.

mod checked;
mod external;
mod parts;
mod printer;
mod repository;
mod stale;
mod targets;
mod verdicts;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use layers::Span;
use rewrite::{Media, references};
use urlcore::Resolver;

use self::checked::{Checked, Details};
use self::external::External;
use self::parts::MessageParts;
use self::printer::Printer;
use self::stale::CapturedUrls;
use self::targets::Targets;
use self::verdicts::Verdicts;
use super::convert::details::skipped as skipped_detail;
use super::{
    FileError, LineCounter, NOT_READ, guarded, of_skipped, outside, place_of, place_of_file, unread,
};
use crate::commands::bases::bases_of;
use crate::commands::check::parts::Anchors;
use crate::events::Status;
use crate::events::detail::ReferenceDetail;
use crate::events::problem::{self, Problem};
use crate::events::problem_kinds::{self, KINDS, ProblemKind};
use crate::events::summary;
use crate::events::{self, Event, Events, Severity};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::format::CheckFormat;
use crate::os::{messages, parallel};
use crate::plan::exit::Error;
use crate::plan::{Check, Listed};
use crate::tree::input::Item;
use crate::tree::input::{self, Input};
use crate::tree::units::Units;
use crate::tree::{Counter, ProgressStep};
use crate::urls::hints::Tally;

/// The hint that is printed if `/x` leads out of a tree on a disk.
const NEEDS_BASE: &str = "hint: references that begin with / lead out of a tree on a disk; use `--base URL` to set the URL of the tree";

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
    /// Files that the tree should contain and does not, of all broken references.
    pub n_missing_files: usize,
    /// Files and documents that failed.
    pub n_failed: usize,
    /// Hints at what was not checked.
    pub n_unseen: usize,
    /// True if nothing was checked: there is no document.
    pub is_empty: bool,
}

impl CheckSummary {
    /// Returns the exit status for these sums: with `is_strict`, what was not checked counts too.
    pub fn status(&self, is_strict: bool) -> Status {
        match () {
            () if self.n_failed > 0 || self.is_empty => Status::Failed,
            () if self.n_broken > 0 || (is_strict && self.n_unseen > 0) => Status::Found,
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

/// The message of a check without documents: that nothing is broken would be no verdict.
const NOTHING: &str = "error: nothing was checked; no file is a document that is read; use another PATH, `--also markdown` for Markdown, or `--type EXT=MEDIA/TYPE`";

fn run(config: &Check, events: &mut dyn Events) -> Result<CheckSummary, Error> {
    let pool = parallel::pool(config.tree.jobs)?;
    let (anchors, verdicts) = (Anchors::default(), Verdicts::default());
    let entries = walk::entries(&config.tree.roots).filter(|entry| {
        entry.as_ref().map_or(true, |entry| entry.kind == EntryKind::File || entry.is_single)
    });
    let lists_urls = config.listed.is_some();
    let captured =
        (config.listed == Some(Listed::Missing)).then(|| CapturedUrls::read(&config.tree));
    let memory = RunMemory { anchors: &anchors, verdicts: &verdicts, captured: captured.as_ref() };
    let units = Units::new(&config.tree, entries).with_records(lists_urls);
    let work = |item: Item| {
        let step = ProgressStep::new(&item);
        let outside = outside(&config.tree, &item, NOT_READ);
        let check = || {
            let (entry, input) = input::read_document(&config.tree, item)?;
            let n_bytes = match &input {
                Input::Document(document) => document.bytes.len() as u64,
                _ => 0,
            };
            Ok(Checked { n_bytes, ..file(config, &memory, &entry, &input)? })
        };
        let mut checked = guarded(&step.path, check).unwrap_or_else(failed);
        checked.messages.extend(outside);
        checked.targets.close();
        Checked { step, ..checked }
    };
    let mut summary = CheckSummary::default();
    let mut needs_base = false;
    let mut hints = Tally::default();
    let (mut n_stale_lines, mut n_above, mut n_unrooted) = (0, 0, 0);
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lints: BTreeMap<&str, usize> = BTreeMap::new();
    let mut external = External::default();
    let mut targets = Targets::default();
    let mut counter = Counter::default();
    parallel::for_each(&pool, units, Item::weight, work, |checked| {
        let severity = if checked.is_failed { Severity::Error } else { Severity::Warning };
        checked.messages.iter().for_each(|message| events.message(severity, message));
        summary.n_documents += usize::from(checked.is_document);
        summary.n_references += checked.n_references;
        summary.n_failed += usize::from(checked.is_failed);
        needs_base |= checked.needs_base;
        n_stale_lines += checked.n_stale_lines;
        n_above += checked.n_above;
        n_unrooted += checked.n_unrooted;
        hints.add(checked.hint);
        for (problem, n) in checked.broken {
            *broken.entry(problem).or_default() += n;
        }
        for (code, n) in checked.lints {
            *lints.entry(code).or_default() += n;
        }
        if let Some(details) = &checked.details {
            to_its_end(details.send(events))?;
        }
        let mut out = events::OutputWriter(events);
        to_its_end(external.merge(checked.external, config.format.of_urls(), &mut out))?;
        to_its_end(out.write_all(&checked.output))?;
        targets.merge(checked.targets);
        counter.add(&checked.step, checked.is_document.then_some(checked.n_bytes), events);
        io::Result::Ok(())
    })?;
    let n_targets = targets.hint();
    let (n_files, n_to_files) = targets.n_files();
    let n_urls = external.n_urls();
    to_its_end(external.finish(config.format.of_urls(), &mut events::OutputWriter(events)))?;
    to_its_end(targets.print(config, &mut events::OutputWriter(events)))?;
    to_its_end(events.event(Event::OutputEnd))?;
    let mut n_broken: usize = broken.values().sum();
    let CheckSummary { n_documents, n_references, n_failed, .. } = summary;
    let mut line = format!(
        "{}, {}: ",
        summary::n(n_documents, "document"),
        summary::n(n_references, "reference")
    );
    // Problems are not reported then.
    if config.listed.is_some() {
        (n_broken, n_stale_lines) = (0, 0);
        line.push_str(&format!("{} listed", summary::n(n_urls, "URL")));
    } else {
        line.push_str(&format!("{n_broken} broken{}", by_name(&broken)));
        if n_files < n_to_files {
            line.push_str(&format!("; {}", summary::n(n_files, "missing file")));
        }
    }
    let n_lints: usize = lints.values().sum();
    if config.has_lints && config.listed.is_none() {
        line.push_str(&format!("; {}{}", summary::n(n_lints, "warning"), by_name(&lints)));
    }
    if n_stale_lines > 0 {
        let contain = if n_stale_lines == 1 { "contains" } else { "contain" };
        let lines = summary::n(n_stale_lines, "line");
        line.push_str(&format!("; {lines} of other text {contain} an old URL"));
    }
    events.report(&line);
    hints.words().iter().for_each(|words| events.report(words));
    let mut unseen = Vec::new();
    if n_unrooted > 0 && config.listed.is_none() {
        let references = summary::n(n_unrooted, "reference");
        let begin = if n_unrooted == 1 { "begins" } else { "begin" };
        unseen.push(format!(
            "hint: {references} in Markdown {begin} with / and {} not checked, because the root of the site is unknown; use `--base URL` to set the URL of the tree",
            if n_unrooted == 1 { "was" } else { "were" }
        ));
    }
    if n_above > 0 && config.listed.is_none() {
        let references = summary::n(n_above, "reference");
        let lead = if n_above == 1 { "leads" } else { "lead" };
        events.note(&format!(
            "note: {references} in Markdown {lead} out of PATH, to files that git tracks; use `--base URL` if only PATH is published"
        ));
    }
    config.tree.not_read.note_on_ignored().iter().for_each(|note| events.note(note));
    if n_failed == 0 {
        let patterns = config.tree.globs.words().filter(|_| n_documents == 0);
        unseen.extend(config.tree.not_read.hints(patterns.as_deref(), false));
    }
    unseen.iter().for_each(|hint| events.hint(hint));
    summary.n_unseen = unseen.len();
    if needs_base {
        events.hint(NEEDS_BASE);
    }
    if let Some(hint) = n_targets.filter(|_| config.format == CheckFormat::Text) {
        events.hint(&hint);
    }
    // Their captures are listed without being documents.
    let has_archives = config.tree.not_read.has_web_archives();
    summary.is_empty =
        n_documents == 0 && n_failed == 0 && !has_archives && config.stale_text.is_none();
    if summary.is_empty {
        events.error(NOTHING);
    }
    (summary.n_broken, summary.n_missing_files) = (n_broken, n_files);
    Ok(summary)
}

/// Returns numbers by name, in parentheses.
fn by_name(numbers: &BTreeMap<&str, usize>) -> String {
    let parts: Vec<String> = numbers.iter().map(|(name, n)| format!("{n} {name}")).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// Goes on when the reader of the output has gone: the verdict is the exit status.
fn to_its_end(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints what a problem means.
///
/// # Errors
///
/// [`Error::Usage`] for a name that does not exist.
pub(crate) fn print_explanation(problem: &str, events: &mut dyn Events) -> Result<Status, Error> {
    let Some(kind) = problem_kinds::named(problem) else {
        let names = KINDS.map(|kind| kind.name);
        let expected =
            format!("expected {}{}", names.join(", "), messages::similar(problem, names));
        return Err(Error::Usage(messages::invalid_value("--explain", problem, expected)));
    };
    let ProblemKind { name, words, text, .. } = kind;
    let source = kind.source.map(|source| format!("\nSource: {source}\n")).unwrap_or_default();
    let text = format!("{name}\n\nThe reference {words}.\n\n{text}\n{source}");
    events::OutputWriter(events).write_all(text.as_bytes())?;
    events.event(Event::OutputEnd)?;
    Ok(Status::Done)
}

fn failed(error: FileError) -> Checked {
    Checked { messages: vec![error.to_string()], is_failed: true, ..Checked::default() }
}

/// What the files of a run have in common.
struct RunMemory<'r> {
    anchors: &'r Anchors,
    verdicts: &'r Verdicts,
    captured: Option<&'r CapturedUrls>,
}

fn file(
    config: &Check,
    &RunMemory { anchors, verdicts, captured }: &RunMemory<'_>,
    entry: &Entry,
    input: &Input,
) -> Result<Checked, FileError> {
    let document = match input {
        Input::Document(document) => document,
        Input::Other if config.stale_text.is_some() && is_selected(config, entry) => {
            return text_file(config, entry);
        }
        input => {
            let message = unread(&config.tree, entry, input);
            return message.map_or(Ok(Checked::default()), |text| Err(FileError::Unread(text)));
        }
    };
    let is_message = matches!(document.media, Media::Message(_));
    // Few references need it.
    let own_url = LazyCell::new(|| config.locator.new_url(entry));
    let own = LazyCell::new(|| Resolver::new(&own_url, config.tree.options.dialect).ok());
    let mut printer = Printer {
        config,
        anchors,
        captured,
        entry,
        document,
        place: place_of(entry, document),
        lines: LineCounter::of_document(document),
        target: String::new(),
        detail: ReferenceDetail::default(),
        verdicts,
        last_base: None,
        own_page: None,
        directory: directory_of(entry),
        resolve_on_disk: &|text, target| own.as_ref()?.resolve_into(text, target).ok(),
        is_secure: false,
        parts: None,
        checked: Checked {
            is_document: document.is_counted(),
            hint: document.hint().map(|hint| hint.source),
            details: config.lists_details.then(|| Details::of_file(place_of(entry, document))),
            ..Checked::default()
        },
        covered: Vec::new(),
    };
    let report = document.with_unit(None, |unit| {
        printer.parts = is_message
            .then(|| MessageParts::new(unit.bytes, config.tree.options.mail.profile, unit.context));
        printer.is_secure = !is_message
            && unit.own_url.is_some_and(|url| problem::scheme(url).eq_ignore_ascii_case("https"));
        references(unit, &config.tree.options, |site| printer.reference(site))
    });
    for (reason, at) in &report.bad_bases {
        let problem = Problem::NoBase(reason.to_string());
        let (place, span) = (printer.lines.position(*at), Span::new(*at, *at));
        let mut reference = ReferenceDetail::at(place, span, "base[href]", "");
        printer.print(&mut reference, problem, None);
    }
    for skipped in &report.skipped {
        let (line, column) = printer.lines.position(skipped.at);
        printer.checked.messages.push(of_skipped(entry, line, column, skipped));
        printer.checked.is_failed |= summary::is_failure(skipped);
    }
    let Printer { mut checked, mut lines, covered, .. } = printer;
    if let Some(details) = &mut checked.details {
        details.bases = bases_of(document, &config.tree.options);
        details.skipped =
            report.skipped.iter().map(|left| skipped_detail(left, &mut lines)).collect();
    }
    if !is_message {
        stale::report(config, entry, document.unit(), &mut lines, covered, &mut checked);
    }
    Ok(checked)
}

/// Returns the number of the PATH of a file, and its directory below that, if its name is text.
fn directory_of(entry: &Entry) -> Option<String> {
    let directory = entry.below.parent()?.to_str()?;
    Some(format!("{} {directory}", entry.root))
}

/// Returns true if a file that is not a document is searched for old URLs.
fn is_selected(config: &Check, entry: &Entry) -> bool {
    entry.kind == EntryKind::File && config.tree.allows(entry) && !is_backup(&entry.path)
}

/// Returns true for the copy of a document that `--backup` has kept.
fn is_backup(path: &Path) -> bool {
    let is_copy = path.extension().is_some_and(|extension| extension == "orig");
    is_copy && path.with_extension("").is_file()
}

/// Searches a file that is not a document for old URLs.
fn text_file(config: &Check, entry: &Entry) -> Result<Checked, FileError> {
    let mut checked = Checked::default();
    if config.lists_details {
        checked.details = Some(Details::of_file(place_of_file(entry)));
    }
    // Longer files are hardly text.
    if let Ok(bytes) = input::small(&config.tree, &entry.path) {
        let mut lines = LineCounter::new(&bytes);
        stale::report(config, entry, &bytes, &mut lines, Vec::new(), &mut checked);
    }
    Ok(checked)
}
