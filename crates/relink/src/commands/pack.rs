//! `relink pack`: pages, each with what it loads, as MHTML messages.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rewrite::Fetch;

use super::{FileError, LineCounter, guarded};
use crate::archives::pack::{
    self, Collected, Collector, PackError, PackProblem, inline, media_type,
};
use crate::events::summary::n;
use crate::events::{self, Event, Events, Severity, Status};
use crate::files::media::{self, FileType};
use crate::files::own_files;
use crate::files::walk::{self, EntryKind};
use crate::os::dirs::{Dirs, Location, beside};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::parallel;
use crate::os::paths;
use crate::plan::Pack;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal::building;
use crate::recovery::write::{self, SourceFile, WriteOptions};

/// The extension of messages.
const EXTENSION: &str = "mhtml";

/// What to do if references that begin with `/` are read as paths from the root of the disk.
const NEEDS_ROOT: &str = "hint: references that begin with / lead to the root of the disk; use `--root DIR` to name the directory of the site";

/// The sums of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackSummary {
    /// Pages that were packed.
    pub n_pages: usize,
    /// Parts of their messages, the pages included.
    pub n_parts: usize,
    /// Bytes of the messages.
    pub n_bytes: usize,
    /// References that a page loads, and that lead to no part because there is no file.
    pub n_missing: usize,
    /// URLs outside the tree that a page loads.
    pub n_external: usize,
    /// Pages that were not packed.
    pub n_failed: usize,
    /// The signal that ended the run early.
    pub interrupted: Option<u8>,
    /// True if a reference that begins with `/` leads to no file, and nothing names the root.
    has_lost_root: bool,
}

impl PackSummary {
    /// Returns the exit status for these sums: with `is_strict`, a missing file counts.
    pub fn status(&self, is_strict: bool) -> Status {
        match self.interrupted {
            Some(signal) => Status::Interrupted(signal),
            None if self.n_failed > 0 => Status::Failed,
            None if is_strict && self.n_missing + self.n_external > 0 => Status::Found,
            None => Status::Done,
        }
    }
}

/// A page to pack.
struct PageToPack {
    /// Its path below the directory.
    below: PathBuf,
    /// Its path, as messages name it.
    path: PathBuf,
}

/// A page that was packed, or not.
#[derive(Default)]
struct Packed {
    path: PathBuf,
    warnings: Vec<String>,
    failure: Option<String>,
    notes: Vec<String>,
    output: Vec<u8>,
    sums: PackSummary,
}

impl Pack {
    /// Packs the pages. A message without a file is sent as [`Event::Output`].
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<PackSummary, Error> {
        run(self, events)
    }
}

fn run(config: &Pack, events: &mut dyn Events) -> Result<PackSummary, Error> {
    let mut sums = PackSummary::default();
    let pages = pages(config, &mut sums, events);
    let dirs = output_dirs(config)?;
    let collector = Collector {
        tree: &config.tree,
        locator: &config.locator,
        directory: &config.directory,
        current: config.current.as_deref(),
        access: &config.access,
        is_on_disk: config.is_on_disk,
        has_scripts: config.has_scripts,
    };
    let pool = parallel::pool(config.tree.jobs)?;
    let work = |page: PageToPack| {
        let pack = || Ok(packed(config, &collector, dirs.as_ref(), &page));
        let packed = guarded(&page.path, pack).unwrap_or_else(|error: FileError| Packed {
            failure: Some(error.to_string()),
            ..Packed::default()
        });
        Packed { path: page.path, ..packed }
    };
    let n_total = pages.len();
    let pages = pages.into_iter().take_while(|_| !config.interrupt.is_set());
    let mut n_files = 0;
    // Many pages may load the same style sheet.
    let mut reported = HashSet::new();
    parallel::for_each(
        &pool,
        pages,
        |_| 0,
        work,
        |packed| {
            for text in &packed.warnings {
                if reported.insert(text.clone()) {
                    events.warning(text);
                }
            }
            packed.notes.iter().for_each(|text| events.note(text));
            packed.failure.iter().for_each(|text| events.error(text));
            sums.add(&packed);
            n_files += 1;
            if !packed.output.is_empty() {
                io::Write::write_all(&mut events::OutputWriter(events), &packed.output)?;
            }
            let progress = events::Progress {
                path: &packed.path,
                n_files,
                n_total: Some(n_total),
                part: None,
                n_documents: n_files,
                n_bytes: sums.n_bytes as u64,
            };
            // Documented: no error of this event ends a run.
            drop(events.event(Event::Progress(progress)));
            io::Result::Ok(())
        },
    )?;
    sums.interrupted = config.interrupt.signal();
    events.event(Event::OutputEnd)?;
    events.report(&sums.line(config));
    if sums.has_lost_root {
        events.report(NEEDS_ROOT);
    }
    if sums.interrupted.is_some() {
        events.report("interrupted; run the command again with --force");
    }
    Ok(sums)
}

impl PackSummary {
    fn add(&mut self, packed: &Packed) {
        let PackSummary { n_pages, n_parts, n_bytes, n_missing, n_external, .. } = packed.sums;
        self.n_pages += n_pages;
        self.n_parts += n_parts;
        self.n_bytes += n_bytes;
        self.n_missing += n_missing;
        self.n_external += n_external;
        self.n_failed += usize::from(packed.failure.is_some());
        self.has_lost_root |= packed.sums.has_lost_root;
    }

    /// Returns the summary.
    fn line(&self, config: &Pack) -> String {
        let verb = if config.output == Output::Nowhere { "would be packed" } else { "packed" };
        let mut line = format!(
            "{} {verb}, {}, {}",
            n(self.n_pages, "page"),
            n(self.n_parts, "part"),
            n(self.n_bytes, "byte")
        );
        for (count, text) in [
            (self.n_missing, n(self.n_missing, "reference") + " not packed"),
            (self.n_external, n(self.n_external, "URL") + " of other sites not packed"),
            (self.n_failed, n(self.n_failed, "page") + " failed"),
        ] {
            if count > 0 {
                line.push_str("; ");
                line.push_str(&text);
            }
        }
        line
    }
}

/// Returns the pages of a run, in path order. Those that cannot be packed are reported.
fn pages(config: &Pack, sums: &mut PackSummary, events: &mut dyn Events) -> Vec<PageToPack> {
    if let Some(page) = &config.page {
        let path = config.directory.join(page);
        let short = config.current.as_ref().and_then(|current| path.strip_prefix(current).ok());
        let path = short.map(Path::to_owned).unwrap_or(path);
        return vec![PageToPack { below: page.clone(), path }];
    }
    let mut pages = Vec::new();
    let mut names = HashSet::new();
    for entry in walk::entries(&config.tree.roots) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(failure) => {
                sums.n_failed += 1;
                events.message(Severity::Error, &failure.to_string());
                continue;
            }
        };
        let is_file = entry.kind == EntryKind::File && config.tree.allows(&entry);
        if !is_file || !is_page(config, &entry.path) {
            continue;
        }
        let output = entry.below.with_extension(EXTENSION);
        if !names.insert(output.clone()) {
            sums.n_failed += 1;
            let reason = format!(
                "not packed; the message of another page has the name {}; use `--exclude GLOB` to skip one",
                output.display()
            );
            events.message(Severity::Error, &messages::of_path(&entry.path, &reason));
            continue;
        }
        pages.push(PageToPack { below: entry.below, path: entry.path });
    }
    pages
}

/// Returns true if a file of a tree is a page.
fn is_page(config: &Pack, path: &Path) -> bool {
    let types = &config.tree.types;
    match types.of_path(path) {
        FileType::Document(_) => {
            let found = media_type::of_file(types, path, b"", Fetch::Never);
            media_type::is_page(&found.name)
        }
        FileType::Unknown => {
            let mut head = Vec::new();
            let read = File::open(path).and_then(|file| {
                io::Read::read_to_end(&mut io::Read::take(file, media::SNIFFED as u64), &mut head)
            });
            let found = media_type::of_file(types, path, &head, Fetch::Never);
            read.is_ok() && media_type::is_page(&found.name)
        }
        _ => false,
    }
}

/// Returns the directory of the messages of a tree, which is created.
fn output_dirs(config: &Pack) -> Result<Option<Dirs>, Error> {
    if let Output::File(out) = &config.output {
        building::check_place(out)?;
    }
    let Output::Below(outputs) = &config.output else { return Ok(None) };
    let Some(out) = outputs.first() else { return Ok(None) };
    building::check_place(out)?;
    fs::create_dir_all(out).map_err(Failure::writing(out))?;
    let mut dirs = Dirs::new();
    dirs.add_directory(out.canonicalize().map_err(Failure::writing(out))?, None);
    Ok(Some(dirs))
}

/// Packs a page, and writes its message.
fn packed(
    config: &Pack,
    collector: &Collector<'_>,
    dirs: Option<&Dirs>,
    page: &PageToPack,
) -> Packed {
    let mut packed = Packed::default();
    let result = message(config, collector, page, &mut packed);
    let written = result.and_then(|(message, file)| {
        packed.sums.n_bytes = message.len();
        write(config, dirs, page, message, &file, &mut packed)
    });
    match written {
        Ok(()) => packed.sums.n_pages = 1,
        Err(error) => {
            packed.sums = PackSummary::default();
            packed.failure = Some(error.to_string());
        }
    }
    packed
}

/// Returns the message of a page, and the file of the page.
fn message(
    config: &Pack,
    collector: &Collector<'_>,
    page: &PageToPack,
    packed: &mut Packed,
) -> Result<(Vec<u8>, File), PackError> {
    let file = File::open(&page.path).map_err(Failure::reading(&page.path))?;
    let url = config.tree.places.url_of(&page.path).map(|(url, _)| url);
    let url = url.ok_or_else(|| PackError::NoPage(page.path.clone()))?;
    let mut collected = collector.collect(&page.path, &url)?;
    let origin = own_files::origin_of(&page.path);
    let message = match &config.inline {
        Some(place) => inline::page(
            &mut collected,
            place,
            &config.links,
            origin.as_deref(),
            &config.tree.options,
        )?,
        None => {
            let date = file.metadata().and_then(|metadata| metadata.modified()).ok();
            pack::message(collector, &collected, date, origin.as_deref())?
        }
    };
    packed.warnings = warnings(&collected);
    packed.sums.n_parts = collected.parts.len();
    packed.sums.n_missing = collected.problems.iter().filter(|problem| problem.is_loss()).count();
    packed.sums.n_external = collected.external.len();
    let is_from_root = |problem: &PackProblem| {
        let text = problem.reference.as_ref().map_or("", |(_, text)| text);
        problem.is_loss() && text.starts_with('/') && !text.starts_with("//")
    };
    packed.sums.has_lost_root = config.is_on_disk && collected.problems.iter().any(is_from_root);
    if config.tree.is_verbose {
        let external = collected.external.iter();
        let note = |url: &String| {
            messages::of_path(&page.path, &format!("not packed; {url} is on another site"))
        };
        packed.notes.extend(external.map(note));
        let parts = n(collected.parts.len(), "part");
        let bytes = n(message.len(), "byte");
        packed.notes.push(messages::of_path(&page.path, &format!("{parts}, {bytes}")));
    }
    Ok((message, file))
}

/// Returns a message for each problem, in the order of the files and of their lines.
fn warnings(collected: &Collected) -> Vec<String> {
    let mut problems: Vec<&PackProblem> = collected.problems.iter().collect();
    problems.sort_by_key(|problem| (problem.part, problem.at));
    let mut warnings = Vec::with_capacity(problems.len());
    let mut seen = HashSet::new();
    let mut lines: Option<(usize, LineCounter<'_>)> = None;
    for problem in problems {
        let part = &collected.parts[problem.part];
        if lines.as_ref().is_none_or(|(number, _)| *number != problem.part) {
            lines = Some((problem.part, LineCounter::new(&part.bytes)));
        }
        let Some((_, lines)) = &mut lines else { continue };
        let (line, column) = lines.position(problem.at);
        let place = format!("{}:{line}:{column}", part.path.display());
        let subject = match &problem.reference {
            Some((slot, text)) => format!("{slot} {text}: "),
            None => String::new(),
        };
        let warning = format!("{place}: {subject}{}", problem.kind);
        // A file may be packed under several URLs.
        if seen.insert(warning.clone()) {
            warnings.push(warning);
        }
    }
    warnings
}

/// Writes a message.
fn write(
    config: &Pack,
    dirs: Option<&Dirs>,
    page: &PageToPack,
    message: Vec<u8>,
    file: &File,
    packed: &mut Packed,
) -> Result<(), PackError> {
    let location = match &config.output {
        Output::Nowhere | Output::InPlace(_) => return Ok(()),
        Output::Stdout => {
            packed.output = message;
            return Ok(());
        }
        Output::File(path) => beside(&paths::from_root(path)).map_err(Failure::writing(path))?,
        Output::Below(outputs) => {
            let below = page.below.with_extension(EXTENSION);
            let shown = outputs.first().map_or_else(|| below.clone(), |out| out.join(&below));
            let Some(dirs) = dirs else { return Ok(()) };
            location(dirs, &below, &shown)?
        }
    };
    let metadata = file.metadata().map_err(Failure::reading(&page.path))?;
    let source = Some(SourceFile { file, metadata: &metadata });
    write::bytes(&location, &message, source, WriteOptions::default())?;
    Ok(())
}

/// Returns the location of a message in the output of a tree, whose directories are created.
fn location(dirs: &Dirs, below: &Path, shown: &Path) -> Result<Location, Failure> {
    let mut directory = PathBuf::new();
    for name in below.parent().into_iter().flat_map(Path::components) {
        directory.push(name);
        dirs.make(0, &directory).map_err(Failure::to("cannot create the directory", shown))?;
    }
    dirs.locate(0, below, shown).map_err(Failure::writing(shown))
}
