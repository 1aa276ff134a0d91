//! Web archives: the captures of all archives become one tree of files.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::take;
use std::path::Path;
use std::sync::Arc;

use rewrite::{BadBase, Counts, Limit, Media, Options, title};
use warc::{DecodeLimits, HttpResponse};

use super::UnpackSummary;
use super::listed::Planned;
use super::out::Out;
use super::site::{FoundInPages, SiteList};
use super::sources::{Blocks, CaptureBlock, WebArchive};
use crate::archives::unpack::capture_names;
use crate::archives::unpack::captured_pages::{CaptureTime, Page, Pages, Place, RecordSource};
use crate::archives::unpack::captures::{Chosen, Index, RecordDefect};
use crate::archives::unpack::file::{self, Captured};
use crate::archives::unpack::pages;
use crate::archives::unpack::record;
use crate::archives::unpack::response_fields::ResponseFields;
use crate::archives::unpack::targets::{Files, Paths};
use crate::events::summary::n;
use crate::events::{Events, Severity};
use crate::os::digest::{Short, short};
use crate::os::failure::Failure;
use crate::os::{command_line, messages, parallel};
use crate::plan::Unpack;
use crate::plan::exit::Error;
use crate::recovery::write::FileWrite;
use crate::tree::Counter;
use crate::urls::fetched::fetched;

/// The maximum number of URLs that are remembered as missing.
const MOST_MISSING: usize = 100_000;

/// The number of times that archives are read to check captures: each reads fewer.
const MOST_CHECKS: usize = 4;

/// The web archives of a run, and the files that they become.
pub(super) struct Web<'r> {
    run: &'r Unpack,
    archives: &'r [WebArchive],
    options: Options,
    pages: Pages,
    /// The files of the captures, whose paths are in the order of `pages`.
    files: Arc<Files>,
    /// The times of the other captures of their URLs.
    others: HashMap<u32, Vec<CaptureTime>>,
    /// The list of the pages.
    site: SiteList,
}

impl Unpack {
    /// Checks the captures that an index has not decoded, and that count if they are complete. Of
    /// those that count instead of one that is not, some may not have been decoded either.
    fn check_doubtful(&self, archives: &[WebArchive], index: &mut Index) {
        for _ in 0..MOST_CHECKS {
            let doubtful = index.doubtful();
            if doubtful.is_empty() {
                break;
            }
            let mut wanted: Vec<Vec<(Place, usize)>> = vec![Vec::new(); archives.len()];
            for (idx, RecordSource { archive, place, .. }) in doubtful {
                wanted[archive as usize].push((place, idx as usize));
            }
            for CaptureBlock { page, block } in self.blocks(archives, wanted) {
                index.check(page, block.ok().as_ref().map(|block| &*block.bytes));
            }
        }
    }

    /// Returns the blocks of records, in the order of the archives.
    fn blocks<'r>(
        &'r self,
        archives: &'r [WebArchive],
        wanted: Vec<Vec<(Place, usize)>>,
    ) -> impl Iterator<Item = CaptureBlock> + 'r {
        let most = self.tree.options.limits.get(Limit::DocumentSize);
        let archives = archives.iter().zip(wanted).filter(|(_, wanted)| !wanted.is_empty());
        archives
            .flat_map(move |(entry, wanted)| Blocks::new(self.open(entry), wanted, most))
            .flatten()
            .take_while(|_| !self.interrupt.is_set())
    }
}

impl<'r> Web<'r> {
    /// Indexes the archives, and names the files.
    pub(super) fn new(
        run: &'r Unpack,
        archives: &'r [WebArchive],
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) -> Result<Self, Error> {
        let mut index = Index::new(run.options.at.as_deref(), &run.tree.options.limits);
        for (idx, archive) in (0..).zip(archives) {
            if run.interrupt.is_set() {
                break;
            }
            match run.open(archive) {
                Ok(reader) => index.add(idx, reader, |offset, reason| {
                    summary.n_failed += 1;
                    let reason = format!("record at byte {offset} skipped; {reason}");
                    events.error(&messages::of_path(&archive.path, &reason));
                }),
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                }
            }
        }
        for (archive, url, n_urls) in index.bare() {
            let path = &archives[archive as usize].path;
            let url = messages::visible(url);
            let urls = n(n_urls, "URL");
            let reason = format!("warning: {urls} without a scheme read as http, such as {url}");
            events.message(Severity::Warning, &messages::of_path(path, &reason));
        }
        index.end(run.options.has_twins());
        run.check_doubtful(archives, &mut index);
        let Chosen { mut pages, by_id, fragments, others, missing, defects } = index.choose()?;
        for RecordDefect { archive, offset, fault, .. } in defects {
            let path = &archives[archive as usize].path;
            let reason = format!("{}; record at byte {offset}", fault.words());
            events.message(Severity::Warning, &messages::of_path(path, &reason));
        }
        for url in missing {
            let text = format!(
                "warning: {url} skipped; its record repeats a capture that no archive of this run has"
            );
            events.message(Severity::Warning, &messages::visible(&text));
        }
        let mut paths = capture_names::paths(&pages);
        share(&pages, &mut paths);
        if run.tree.is_verbose {
            let conflicts = capture_names::conflicts(&pages).into_iter();
            let mut conflicts: Vec<_> =
                conflicts.map(|idx| (pages.get(idx).url, paths.get(idx))).collect();
            conflicts.sort_unstable();
            for (url, path) in conflicts {
                let url = messages::visible(&url);
                let reason = format!("the file of {url}; another URL has the same name");
                events.note(&messages::of_path(&run.out().join(&path), &reason));
            }
        }
        let files = Arc::new(Files::new(by_id, fragments, take(&mut pages.hosts), paths));
        let options = run.tree.options.clone().with_lists_outside_loads(true);
        let site = SiteList::default();
        let web = Web { run, archives, options, pages, files, others, site };
        web.check()?;
        Ok(web)
    }

    /// Returns the error of the temporary files with URLs and paths.
    fn check(&self) -> Result<(), Failure> {
        self.pages.check()?;
        self.captured().check()
    }

    /// Returns the paths of the captures, in their order.
    fn captured(&self) -> &Paths {
        self.files.paths()
    }

    /// Lists the pages, in files whose names no file of a message, and no host, has.
    pub(super) fn beside(mut self, planned: &Planned, titles: HashMap<Short, String>) -> Self {
        if self.run.options.raw || self.captured().len() == 0 {
            return self;
        }
        let first = |path: &Path| path.iter().next().map(OsStr::to_ascii_lowercase);
        let captured = self.captured().iter().filter_map(|path| first(&path));
        let taken: HashSet<OsString> = planned.paths().filter_map(first).chain(captured).collect();
        let is_free = |name: &Path| !taken.contains(name.as_os_str());
        self.site = SiteList::new(&self.pages, self.captured(), titles, is_free);
        self
    }

    /// Returns the paths of the files, with those that list them.
    pub(super) fn paths(&self) -> impl Iterator<Item = Cow<'_, Path>> + Clone {
        self.captured().iter().chain(self.site.paths().map(Cow::Borrowed))
    }

    /// Returns the URL of the page that is the file with this position.
    pub(super) fn url(&self, idx: usize) -> Option<String> {
        let page = (idx < self.pages.len()).then(|| self.pages.get(idx))?;
        let media = page.media_type.as_deref().and_then(Media::from_name);
        (media == Some(Media::HTML) && !record::is_record(&page.url)).then_some(page.url)
    }

    /// Returns the paths of the files that list the pages.
    pub(super) fn paths_of_lists(&self) -> impl Iterator<Item = &Path> {
        self.site.paths()
    }

    /// Writes the files.
    pub(super) fn write(
        &self,
        out: &Out<'_>,
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) -> Result<(), Error> {
        let run = self.run;
        let pool = parallel::pool(run.tree.jobs)?;
        let mut counter = Counter::with_total(self.pages.len());
        let mut titles: HashMap<usize, String> = HashMap::new();
        let mut missing = BTreeSet::new();
        let weight = |item: &CaptureBlock| item.block.as_ref().map_or(0, |block| block.bytes.len());
        let work = |item: CaptureBlock| (item.page, self.file(&item, out));
        parallel::for_each(&pool, self.items(), weight, work, |(idx, done)| {
            if record::is_record(&self.pages.get(idx).url) {
                summary.n_crawler_records += 1
            } else {
                summary.n_captures += 1
            }
            summary.n_twins += done.n_twins;
            titles.extend(done.title.map(|title| (idx, title)));
            if missing.len() < MOST_MISSING {
                missing.extend(done.missing.iter().filter_map(|url| fetched(url)));
            }
            match done.written {
                Ok(FileWrite::New) => summary.n_files += 1,
                Ok(FileWrite::Current) => summary.n_current += 1,
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                }
            }
            summary.n_failed += done.failures.len();
            done.failures.iter().for_each(|message| events.error(message));
            done.messages.iter().for_each(|message| events.message(Severity::Warning, message));
            summary.counts.add(&done.counts);
            counter.add_file(&self.captured().get(idx), events);
            io::Result::Ok(())
        })?;
        summary.signal = run.interrupt.signal();
        let n_lists = if summary.signal.is_none() { self.site.paths().count() } else { 0 };
        let archives = match &*run.tree.roots {
            [archive] => messages::escaped(&command_line::quoted(archive.name().as_os_str())),
            _ => "ARCHIVES".to_owned(),
        };
        let (titles, missing) = (&titles, &missing);
        let found = FoundInPages { titles, others: &self.others, missing, archives: &archives };
        for (idx, path) in self.site.paths().take(n_lists).enumerate() {
            let list = |write: &mut dyn FnMut(&str) -> Result<(), Failure>| {
                self.site.write(idx, (&self.pages, self.captured()), &found, write)?;
                self.check()
            };
            summary.count(out.write_pieces(path, list), events);
        }
        Ok(())
    }

    /// Returns the blocks of the chosen records, in the order of the archives.
    fn items(&self) -> impl Iterator<Item = CaptureBlock> {
        let mut wanted: Vec<Vec<(Place, usize)>> = vec![Vec::new(); self.archives.len()];
        // Of captures with one file, the first one is written.
        let are_first = self.captured().are_first();
        for (idx, _) in are_first.iter().enumerate().filter(|(_, is_first)| **is_first) {
            let RecordSource { archive, place, .. } = self.pages.source(idx);
            wanted[*archive as usize].push((*place, idx));
        }
        self.run.blocks(self.archives, wanted)
    }

    /// Writes the file of a capture.
    fn file(&self, item: &CaptureBlock, out: &Out<'_>) -> CaptureResult {
        let run = self.run;
        let (page, path) = (self.pages.get(item.page), self.captured().get(item.page));
        let shown = run.out().join(&path);
        let place = || {
            let RecordSource { archive, place, .. } = page.source;
            let archive = self.archives[archive as usize].path.display().to_string();
            format!("record at byte {} of {}", place.0, messages::visible(&archive))
        };
        let failed = |reason: &str| {
            CaptureResult::new(Err(Failure::because(
                &shown,
                format!("not written; {}: {reason}", place()),
            )))
        };
        let block = match &item.block {
            Ok(block) => block,
            Err(error) => return failed(&error.to_string()),
        };
        let limits = &run.tree.options.limits;
        let [most, ratio] =
            [Limit::DocumentSize, Limit::CompressionRatio].map(|limit| limits.get(limit));
        let response = HttpResponse::read(&block.bytes).ok().filter(|_| page.source.is_http);
        let body = match &response {
            Some(response) => response.available_body(&DecodeLimits { most, ratio }),
            None => Ok(((&*block.bytes).into(), None)),
        };
        let (body, damage) = match body {
            Ok(body) => body,
            Err(error) => return failed(&error.to_string()),
        };
        let media = page.media_type.as_deref().and_then(Media::from_name);
        if media == Some(Media::HTML) && !run.options.raw {
            let signs = run.tree.not_read.signs(&run.tree.options);
            run.tree.not_read.note(&signs.found_in(&body));
        }
        let fields = response.as_ref().map(|response| ResponseFields::of(response, &page.url));
        let fields = fields.unwrap_or_default();
        let file = if run.options.raw {
            file::PartFile::plain(body)
        } else {
            file::of_capture(
                body,
                &Captured {
                    url: &page.url,
                    media_type: page.media_type.as_deref(),
                    charset: page.charset.as_deref(),
                    guesses_charset: page.source.guesses_charset,
                    fields,
                },
                &path,
                (&self.files, run.options.has_server(), run.options.has_twins()),
                &self.options,
            )
        };
        let origin = Some((&*file.body, &file.edits));
        let mut done = match self.check() {
            Ok(()) => CaptureResult::new(out.write(&path, file.bytes(), origin)),
            Err(failure) => return CaptureResult::new(Err(failure)),
        };
        let defect = block.fault.map(|fault| fault.words().to_owned()).or_else(|| {
            let response = response.as_ref()?;
            match damage {
                Some(damage) => Some(format!("{damage}; the rest is missing")),
                None if response.is_partial() => Some("only a part of it was captured".to_owned()),
                None => (!response.is_complete()).then(|| "its end is missing".to_owned()),
            }
        });
        if let Some(defect) = defect {
            done.messages
                .push(messages::of_path(&run.out().join(&path), &format!("{defect}; {}", place())));
        }
        if media == Some(Media::HTML) && !run.options.raw {
            done.title = title(file.bytes()).map(|title| pages::limited(&title).into_owned());
        }
        let (failure, skipped) = file.left();
        let message = |reason: String| messages::of_path(&run.out().join(&path), &reason);
        done.failures.extend(failure.map(message));
        done.messages.extend(skipped.map(message));
        if let Some(report) = &file.report {
            done.missing = report.outside_loads.clone();
            done.counts.add(&report.counts);
            done.n_twins += report.n_twins;
        }
        let bases = file.report.iter().flat_map(|report| &report.bad_bases);
        let templates = bases.filter(|(reason, _)| *reason == BadBase::ReadTemplate);
        let templates = templates.filter(|_| run.tree.is_verbose);
        done.messages.extend(templates.map(|(reason, _)| message(reason.to_string())));
        done
    }
}

/// Gives captures with the same content one file, if no reference in it depends on its URL.
fn share(pages: &Pages, paths: &mut Paths) {
    let mut first: HashMap<(Short, Short), usize> = HashMap::new();
    for (idx, Page { media_type, source, .. }) in pages.iter().enumerate() {
        let media = media_type.as_deref().and_then(Media::from_name);
        let Some(digest) = source.digest.filter(|_| media.is_none()) else { continue };
        let media_type = short(media_type.unwrap_or_default().as_bytes());
        let original = *first.entry((digest, media_type)).or_insert(idx);
        if original != idx {
            paths.set_same(idx, original);
        }
    }
}

/// What was done for a capture.
struct CaptureResult {
    written: Result<FileWrite, Failure>,
    messages: Vec<String>,
    failures: Vec<String>,
    counts: Counts,
    n_twins: usize,
    /// The title of a page.
    title: Option<String>,
    /// The URLs that it loads and that no archive has.
    missing: BTreeSet<String>,
}

impl CaptureResult {
    fn new(written: Result<FileWrite, Failure>) -> Self {
        let (messages, failures) = (Vec::new(), Vec::new());
        let (counts, missing) = (Counts::default(), BTreeSet::new());
        CaptureResult { written, messages, failures, counts, n_twins: 0, title: None, missing }
    }
}
