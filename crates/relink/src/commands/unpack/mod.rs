//! `relink unpack`: writes the parts of messages, captures and members of zip files as files.
//!
//! The input is read twice. The first pass lists the parts, so that each file has its name before
//! any reference is written; the second one writes. A message that is another one in the second
//! pass is skipped.

mod attachments;
mod listed;
mod members;
mod out;
mod own;
mod site;
mod sources;
mod web;
mod write;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rewrite::{Counts, Outcome};

use self::listed::{ListedMailbox, ListedMessage, Planned, list};
use self::members::MemberArchive;
use self::out::Out;
use self::own::{OwnFiles, PageUrls};
use self::sources::{Sources, WebArchive};
use self::web::Web;
use self::write::{MessageResult, write};
use crate::archives::unpack::mail::InThread;
use crate::archives::unpack::names::IN_PART;
use crate::archives::unpack::pages::{self, MailboxPart, MailboxRow};
use crate::events::Status;
use crate::events::summary::{self, n};
use crate::events::{Events, Severity};
use crate::files::walk::{self, EntryKind};
use crate::os::failure::Failure;
use crate::os::{command_line, parallel};
use crate::plan::Unpack;
use crate::plan::exit::Error;
use crate::recovery::journal::building;
use crate::recovery::journal::creation::CreationJournal;
use crate::recovery::write::FileWrite;
use crate::tree::Counter;
use crate::tree::input::Item;
use crate::tree::units::Units;

/// The sums of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UnpackSummary {
    /// Messages that were unpacked.
    pub n_messages: usize,
    /// Captures of web archives that were unpacked.
    pub n_captures: usize,
    /// Records of web archives that are no captures of the site, and were unpacked.
    pub n_crawler_records: usize,
    /// Members of zip files that were unpacked.
    pub n_members: usize,
    /// Files that were written, or would be.
    pub n_files: usize,
    /// Files that the output contained already.
    pub n_current: usize,
    /// Files and directories that were removed from the output.
    pub n_removed: usize,
    /// Messages and files that failed.
    pub n_failed: usize,
    /// The references of the documents by outcome.
    pub counts: Counts,
    /// References to URLs that were found under another scheme or host.
    pub n_twins: usize,
    /// References in mail to what is not loaded from the network.
    pub n_blocked: usize,
    /// The file to open first, in the output.
    pub page: Option<PathBuf>,
    /// The signal that ended the run early, if one did.
    pub signal: Option<u8>,
    /// Hints at files of unsupported types, and at attributes that are not read.
    hints: Vec<String>,
}

impl UnpackSummary {
    /// Returns the exit status for these sums: with `is_strict`, a reference without a base counts,
    /// what a hint is about, and an input without messages and captures.
    pub fn status(&self, is_strict: bool) -> Status {
        match self.signal {
            Some(signal) => Status::Interrupted(signal),
            None if self.n_failed > 0 => Status::Failed,
            None if is_strict && self.n_without_base() + self.hints.len() > 0 => Status::Found,
            None if is_strict && self.is_empty() => Status::Found,
            None => Status::Done,
        }
    }

    /// Returns true if nothing was found to unpack.
    fn is_empty(&self) -> bool {
        let n_found = self.n_messages + self.n_captures + self.n_crawler_records + self.n_members;
        n_found + self.n_failed == 0 && self.signal.is_none()
    }

    /// Counts a page that lists others.
    fn count(&mut self, written: Result<FileWrite, Failure>, events: &mut dyn Events) {
        match written {
            Ok(FileWrite::New) => self.n_files += 1,
            Ok(FileWrite::Current) => self.n_current += 1,
            Err(failure) => {
                self.n_failed += 1;
                events.error(&failure.to_string());
            }
        }
    }

    /// Returns the number of references that lead nowhere because nothing gives them a base.
    pub fn n_without_base(&self) -> usize {
        // In a message without a base, the base is made up, and nothing is there.
        [Outcome::NoBase, Outcome::Broken].map(|outcome| self.counts.get(outcome)).iter().sum()
    }
}

impl Unpack {
    /// Writes the parts of all messages. Messages that fail are reported and counted; the others
    /// are unpacked.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if a directory cannot be read.
    pub fn run(&self, events: &mut dyn Events) -> Result<UnpackSummary, Error> {
        let mut summary = UnpackSummary::default();
        let Sources { archives, mut zips, failures, titles, n_bytes } = self.sources(events);
        let (listed, mut errors) = self.list((&archives, &zips), &mut summary, events)?;
        summary.hints = self.tree.not_read.unsupported_hints(false);
        for error in failures.iter().map(ToString::to_string) {
            if !errors.contains(&error) {
                summary.n_failed += 1;
                events.error(&error);
                errors.insert(error);
            }
        }
        let web = Web::new(self, &archives, &mut summary, events)?;
        if let Some(signal) = self.interrupt.signal() {
            // The names of files depend on all messages.
            summary.signal = Some(signal);
            events.error("note: interrupted; no file was written");
            return Ok(summary);
        }
        let planned = Planned::new(listed, errors, self.options.raw);
        let web = web.beside(&planned, titles);
        let others = || planned.paths().map(Cow::Borrowed).chain(web.paths());
        self.name_directories(&mut zips, others());
        let inputs = (&*archives, &*zips);
        if self.options.dry_run {
            let out = Out::nowhere(self, n_bytes);
            self.write(inputs, (&planned, &out), &mut summary, events)?;
            web.write(&out, &mut summary, events)?;
            report(&summary, "would be written", events);
            return Ok(summary);
        }
        // An interrupted run can be continued when its input is there again.
        let members = || zips.iter().flat_map(MemberArchive::paths).map(Cow::Owned);
        let paths = || others().chain(members());
        if paths().next().is_none() && summary.n_failed > 0 {
            report(&summary, "written", events);
            return Ok(summary);
        }
        let is_new = fs::symlink_metadata(self.out()).is_err();
        building::check_place(self.out())?;
        let dirs = Out::open(self.out())?;
        let own = OwnFiles::read(&dirs, self.out())?;
        let (line, is_durable) = (self.line.clone(), self.options.durable);
        let journal = CreationJournal::begin(self.out(), &dirs, &line, is_durable);
        let journal = journal.inspect_err(|_| {
            // An empty directory would be in the way of the run that it waits for.
            if is_new {
                drop(fs::remove_dir(self.out()));
            }
        })?;
        let mut out = Out::new(self, n_bytes, dirs, own)?;
        let (urls, n_planned) = (planned.urls(), planned.paths().count());
        let urls = |idx: usize| match idx.checked_sub(n_planned) {
            Some(idx) => web.url(idx),
            None => urls.get(&idx).map(|url| (*url).to_owned()),
        };
        let made = out.prepare(paths(), &urls);
        let done = made
            .map_err(Error::from)
            .and_then(|()| self.write(inputs, (&planned, &out), &mut summary, events))
            .and_then(|()| web.write(&out, &mut summary, events))
            .and_then(|()| finish(&mut out, (paths(), &urls), &mut summary, events));
        let name = command_line::quoted(self.out().as_os_str());
        match summary.signal {
            None => journal.finish()?,
            Some(_) => drop(journal),
        }
        done?;
        if summary.signal.is_none() {
            let entries = planned.entries();
            let first = web.paths_of_lists().next().or(planned.contents.as_deref());
            let first = first.or(entries.first().map(|entry| entry.page));
            summary.page = first.filter(|_| !self.options.raw).map(|page| self.out().join(page));
        }
        summary.hints.extend(self.tree.not_read.hints_in_pages());
        report(&summary, "written", events);
        if summary.signal.is_some() {
            events.error(&format!("error: interrupted; use `relink resume {name}` to continue"));
        }
        Ok(summary)
    }

    /// Returns the units of the input other than web archives and zip files.
    fn units<'r>(
        &'r self,
        (archives, zips): Inputs<'r>,
    ) -> Units<'r, impl Iterator<Item = Result<walk::Entry, Failure>>> {
        let archives = archives.iter().map(|archive| &*archive.entry.path);
        let archives: HashSet<&Path> =
            archives.chain(zips.iter().map(|zip| &*zip.entry.path)).collect();
        let entries = walk::entries(&self.tree.roots).filter(move |entry| {
            entry.as_ref().map_or(true, |entry| {
                if archives.contains(&*entry.path) {
                    return false;
                }
                matches!(entry.kind, EntryKind::File | EntryKind::Stdin)
                    || (entry.kind == EntryKind::Special && entry.is_single)
            })
        });
        Units::new(&self.tree, entries).without_members()
    }

    /// Lists the parts of all messages. Also returns the errors that were reported.
    fn list(
        &self,
        inputs: Inputs<'_>,
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) -> Result<(Vec<ListedMessage>, HashSet<String>), Error> {
        let pool = parallel::pool(self.tree.jobs)?;
        let (mut all, mut errors) = (Vec::new(), HashSet::new());
        let work =
            |item: Item| if self.interrupt.is_set() { Ok(None) } else { list(&self.tree, item) };
        parallel::for_each(&pool, self.units(inputs), Item::weight, work, |result| {
            match result {
                Ok(listed) => all.extend(listed),
                Err(error) => {
                    summary.n_failed += 1;
                    let error = error.to_string();
                    events.error(&error);
                    errors.insert(error);
                }
            }
            io::Result::Ok(())
        })?;
        Ok((all, errors))
    }

    /// Writes the parts of all messages, and the members of zip files.
    fn write(
        &self,
        inputs: Inputs<'_>,
        (planned, out): (&Planned, &Out<'_>),
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) -> Result<(), Error> {
        let pool = parallel::pool(self.tree.jobs)?;
        let mut counter = Counter::default();
        let work = |item: Item| {
            if self.interrupt.is_set() { None } else { write(self, planned, out, item) }
        };
        parallel::for_each(&pool, self.units(inputs), Item::weight, work, |done| {
            let Some(done) = done else { return io::Result::Ok(()) };
            let MessageResult {
                step,
                is_unpacked,
                n_bytes,
                messages,
                failures,
                n_files,
                n_current,
                counts,
                n_twins,
                n_blocked,
            } = done;
            summary.n_twins += n_twins;
            summary.n_blocked += n_blocked;
            failures.iter().for_each(|message| events.error(message));
            messages.iter().for_each(|message| events.message(Severity::Warning, message));
            summary.n_messages += usize::from(is_unpacked);
            summary.n_failed += failures.len();
            summary.n_files += n_files;
            summary.n_current += n_current;
            summary.counts.add(&counts);
            counter.add(&step, Some(n_bytes), events);
            Ok(())
        })?;
        for zip in inputs.1 {
            zip.write(self, out, summary, events);
        }
        summary.signal = self.interrupt.signal();
        if summary.signal.is_none() {
            self.write_mailboxes(planned, out, summary, events);
        }
        Ok(())
    }

    /// Writes the pages of the mailboxes, and the list of everything.
    fn write_mailboxes(
        &self,
        planned: &Planned,
        out: &Out<'_>,
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) {
        for ListedMailbox { parts, token, messages, order } in &planned.mailboxes {
            let row = |found: &InThread| {
                let archive = &planned.archives[messages[found.idx]];
                let page = archive.page.as_deref().unwrap_or(Path::new(""));
                let n_attachments = archive.parts.iter().filter(|part| part.is_attachment).count();
                (MailboxRow { header: &archive.header, page, n_attachments }, found.depth)
            };
            let whole = self.out().file_name().unwrap_or(self.out().as_os_str());
            for (idx, (at, rows)) in parts.iter().zip(order.chunks(IN_PART)).enumerate() {
                let name = at.parent().and_then(Path::file_name).unwrap_or(whole);
                let (name, first) = (name.to_string_lossy(), idx * IN_PART);
                let (name, n_messages) = (&*name, messages.len());
                let part = MailboxPart { name, n_messages, parts, idx, token, first };
                let page = pages::mailbox(&part, rows.iter().map(row));
                summary.count(out.write(at, page.as_bytes(), None), events);
            }
        }
        if let Some(at) = &planned.contents {
            let page = pages::contents(at, &planned.entries());
            summary.count(out.write(at, page.as_bytes(), None), events);
        }
    }
}

/// Completes the output of a run that has written its files: `--delete`, and the manifest.
fn finish<'p>(
    out: &mut Out<'_>,
    (paths, urls): (impl Iterator<Item = Cow<'p, Path>>, &PageUrls<'_>),
    summary: &mut UnpackSummary,
    events: &mut dyn Events,
) -> Result<(), Error> {
    let has_all = summary.signal.is_none() && summary.n_failed == 0;
    let (n_removed, n_failed) = out.remove_others(has_all, events);
    summary.n_removed = n_removed;
    summary.n_failed += n_failed;
    if summary.signal.is_none() {
        out.end_list(paths, urls)?;
        out.write_manifest()?;
    }
    Ok(())
}

/// Sends the sums as the last lines.
fn report(summary: &UnpackSummary, done: &str, events: &mut dyn Events) {
    let UnpackSummary {
        n_messages,
        n_captures,
        n_crawler_records,
        n_members,
        n_files,
        n_current,
        n_removed,
        n_failed,
        counts,
        n_twins,
        ..
    } = summary;
    let mut inputs = Vec::new();
    if *n_messages > 0 || *n_captures + *n_crawler_records + *n_members == 0 {
        inputs.push(n(*n_messages, "message"));
    }
    if *n_captures > 0 {
        inputs.push(n(*n_captures, "capture"));
    }
    if *n_crawler_records > 0 {
        inputs.push(format!("{} of the crawler", n(*n_crawler_records, "record")));
    }
    if *n_members > 0 {
        inputs.push(n(*n_members, "member"));
    }
    let mut line = format!("{}: {} {done}", inputs.join(", "), n(*n_files, "file"));
    if *n_current > 0 {
        line.push_str(&format!(", {n_current} current"));
    }
    if *n_removed > 0 {
        line.push_str(&format!(", {n_removed} removed"));
    }
    events.report(&line);
    let n_references = counts.total();
    if n_references > 0 {
        let n_rewritten = counts.get(Outcome::Rewritten);
        events.report(&format!("{}: {n_rewritten} rewritten", n(n_references, "reference")));
    }
    let n_without_base = summary.n_without_base();
    if n_without_base > 0 {
        let (have, lead) = if n_without_base == 1 { ("has", "leads") } else { ("have", "lead") };
        events.report(&format!(
            "{} {have} no base URL and {lead} nowhere; use `--base URL` to set it",
            n(n_without_base, "reference")
        ));
    }
    if *n_twins > 0 {
        events.report(&summary::twins(*n_twins));
    }
    if summary.n_blocked > 0 {
        events.report(&format!(
            "{} in mail to the network {} blocked; use `--allow-remote` to load images and styles",
            n(summary.n_blocked, "reference"),
            if summary.n_blocked == 1 { "is" } else { "are" }
        ));
    }
    if *n_failed > 0 {
        events.report(&format!("{n_failed} failed; the messages above have the reasons"));
    }
    if summary.is_empty() {
        events.hint("hint: no message or web archive found; unpack reads MHTML files, mail, mailboxes, WARC, ARC, WACZ, and a PATH that is a zip file, EPUB or OpenDocument");
    }
    summary.hints.iter().for_each(|hint| events.hint(hint));
}

/// The web archives and the zip files of a run.
type Inputs<'r> = (&'r [WebArchive], &'r [MemberArchive]);

/// A message in the input: its path, and its number in a mailbox.
type MessageKey = (PathBuf, Option<usize>);
