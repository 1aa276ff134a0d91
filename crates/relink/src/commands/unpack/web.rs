//! Web archives: the captures of all archives become one tree of files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Counts, Limit, Media};
use warc::{DecodeLimits, HttpResponse};

use super::blocks::{Blocks, Item};
use super::listed::Planned;
use super::out::Out;
use super::{UnpackSummary, of_file};
use crate::digest::Short;
use crate::events::{Events, Severity};
use crate::exit::Error;
use crate::failure::Failure;
use crate::messages;
use crate::parallel;
use crate::plan::Unpack;
use crate::progress::Counter;
use crate::unpack::captures::{Chosen, Index, Page, Place};
use crate::unpack::targets::Files;
use crate::unpack::{capture_names, file, pages};
use crate::walk::{self, Entry, EntryKind};
use crate::write::Written;

/// The number of octets by which an archive is recognized.
const HEAD: usize = 4 << 10;

/// The web archives of a run, and the files that they become.
pub(super) struct Web<'r> {
    run: &'r Unpack,
    archives: &'r [Entry],
    pages: Vec<Page>,
    /// The paths of the captures, in their order.
    paths: Vec<Arc<Path>>,
    files: Arc<Files>,
    /// The path of the page that lists the pages.
    site: PathBuf,
}

impl Unpack {
    /// Returns the web archives of the input, and the errors of what cannot be read.
    pub(super) fn archives(&self) -> (Vec<Entry>, Vec<Failure>) {
        let (mut archives, mut failures) = (Vec::new(), Vec::new());
        for entry in walk::entries(&self.tree.roots) {
            let found = entry.and_then(|entry| {
                let is_file = entry.kind == EntryKind::File && self.tree.allows(&entry);
                Ok((is_file && self.is_archive(&entry)?).then_some(entry))
            });
            match found {
                Ok(archive) => archives.extend(archive),
                Err(failure) => failures.push(failure),
            }
        }
        (archives, failures)
    }

    fn is_archive(&self, entry: &Entry) -> Result<bool, Failure> {
        let name = entry.path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let mut head = Vec::new();
        let file = self.open(entry)?;
        file.take(HEAD as u64).read_to_end(&mut head).map_err(Failure::reading(&entry.path))?;
        // A file in zstd is known by its name only.
        Ok(warc::is_archive(&head) || name.ends_with(".warc.zst"))
    }

    fn open(&self, entry: &Entry) -> Result<Box<dyn Read>, Failure> {
        let (file, _) = self.tree.locate(entry)?.open().map_err(Failure::reading(&entry.path))?;
        Ok(Box::new(file))
    }
}

impl<'r> Web<'r> {
    /// Indexes the archives, and names the files.
    pub(super) fn new(
        run: &'r Unpack,
        archives: &'r [Entry],
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) -> Self {
        let mut index = Index::new(run.options.at.as_deref());
        for (idx, entry) in archives.iter().enumerate() {
            if run.interrupt.is_set() {
                break;
            }
            match run.open(entry) {
                Ok(reader) => index.add(idx, reader, |offset, reason| {
                    summary.n_failed += 1;
                    let reason = format!("record at byte {offset} skipped; {reason}");
                    events.error(&messages::of_path(&entry.path, &reason));
                }),
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                }
            }
        }
        let Chosen { pages, by_id, missing } = index.choose();
        for url in missing {
            let text = format!(
                "warning: {url} skipped; its record repeats a capture that no archive of this run has"
            );
            events.message(Severity::Warning, &messages::visible(&text));
        }
        let (mut paths, conflicts) = capture_names::paths(&pages);
        share(&pages, &mut paths);
        for idx in conflicts.into_iter().filter(|_| run.tree.is_verbose) {
            let reason = format!(
                "the file of {}; another URL has the same name",
                messages::visible(&pages[idx].url)
            );
            events.note(&of_file(run.out(), &paths[idx], &reason));
        }
        let file = |(id, idx): (Short, usize)| (id, Arc::clone(&paths[idx]));
        let files = Arc::new(by_id.into_iter().map(file).collect());
        Web { run, archives, pages, paths, files, site: PathBuf::from(pages::SITE[0]) }
    }

    /// Gives the page that lists the pages a name that no file of a message, and no host, has.
    pub(super) fn beside(mut self, planned: &Planned) -> Self {
        let firsts: HashSet<&Path> = planned
            .paths()
            .chain(self.paths.iter().map(|path| &**path))
            .filter_map(|path| path.iter().next().map(Path::new))
            .collect();
        let free = pages::SITE.iter().find(|name| !firsts.contains(Path::new(name)));
        self.site = free.unwrap_or(&pages::SITE[1]).into();
        self
    }

    /// Returns the paths of the files, with that of the page that lists them.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let site = self.has_site().then_some(&*self.site);
        self.paths.iter().map(|path| &**path).chain(site)
    }

    /// Returns true if a page lists the pages.
    fn has_site(&self) -> bool {
        !self.run.options.is_raw && !self.paths.is_empty()
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
        let weight = |item: &Item| item.block.as_ref().map_or(0, |block| block.len());
        let work = |item: Item| (item.page, self.file(&item, out));
        parallel::for_each(&pool, self.items(), weight, work, |(idx, done)| {
            summary.n_captures += 1;
            match done.written {
                Ok(Written::New) => summary.n_files += 1,
                Ok(Written::Current) => summary.n_current += 1,
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                }
            }
            summary.n_failed += done.failures.len();
            done.failures.iter().for_each(|message| events.error(message));
            done.messages.iter().for_each(|message| events.message(Severity::Warning, message));
            summary.counts.add(&done.counts);
            counter.add_file(&self.paths[idx], events);
            io::Result::Ok(())
        })?;
        summary.signal = run.interrupt.signal();
        if summary.signal.is_none() && self.has_site() {
            let page = pages::site(&self.site, &self.rows());
            match out.write(&self.site, page.as_bytes(), None) {
                Ok(Written::New) => summary.n_files += 1,
                Ok(Written::Current) => summary.n_current += 1,
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                }
            }
        }
        Ok(())
    }

    /// Returns the pages that the list of the site shows, by their hosts.
    fn rows(&self) -> BTreeMap<&Path, Vec<pages::CaptureRow<'_>>> {
        let mut hosts: BTreeMap<&Path, Vec<pages::CaptureRow<'_>>> = BTreeMap::new();
        for (page, path) in self.pages.iter().zip(&self.paths) {
            let is_page =
                page.media_type.as_deref().and_then(Media::from_name) == Some(Media::HTML);
            let host = path.iter().next().map_or(&**path, Path::new);
            if is_page {
                let row = pages::CaptureRow { url: &page.url, time: &page.time, path };
                hosts.entry(host).or_default().push(row);
            }
        }
        hosts
    }

    /// Returns the blocks of the chosen records, in the order of the archives.
    fn items(&self) -> impl Iterator<Item = Item> {
        let mut wanted: Vec<Vec<(Place, usize)>> = vec![Vec::new(); self.archives.len()];
        let mut seen: HashSet<&Path> = HashSet::new();
        for (idx, page) in self.pages.iter().enumerate() {
            // Of captures with one file, the first one is written.
            if seen.insert(&self.paths[idx]) {
                wanted[page.archive].push((page.place, idx));
            }
        }
        let most = self.run.tree.options.limits.get(Limit::DocumentSize);
        let archives = self.archives.iter().zip(wanted).filter(|(_, wanted)| !wanted.is_empty());
        archives
            .flat_map(move |(entry, wanted)| Blocks::new(self.run.open(entry), wanted, most))
            .flatten()
            .take_while(|_| !self.run.interrupt.is_set())
    }

    /// Writes the file of a capture.
    fn file(&self, item: &Item, out: &Out<'_>) -> Done {
        let run = self.run;
        let (page, path) = (&self.pages[item.page], &self.paths[item.page]);
        let shown = run.out().join(path);
        let place = || {
            let archive = self.archives[page.archive].path.display().to_string();
            format!("record at byte {} of {}", page.place.0, messages::visible(&archive))
        };
        let failed = |reason: &str| {
            Done::new(Err(Failure::because(&shown, format!("not written; {}: {reason}", place()))))
        };
        let block = match &item.block {
            Ok(block) => block,
            Err(error) => return failed(&error.to_string()),
        };
        let limits = &run.tree.options.limits;
        let [most, ratio] =
            [Limit::DocumentSize, Limit::CompressionRatio].map(|limit| limits.get(limit));
        let response = HttpResponse::read(block).ok();
        let body = match &response {
            Some(response) => response.decoded_body(&DecodeLimits { most, ratio }),
            None => Ok((&***block).into()),
        };
        let body = match body {
            Ok(body) => body,
            Err(error) => return failed(&error.to_string()),
        };
        let file = match run.options.is_raw {
            true => file::File::plain(body),
            false => {
                let media = page.media_type.as_deref().and_then(Media::from_name);
                file::of_capture(
                    body,
                    media,
                    page.charset.as_deref(),
                    (&page.url, path),
                    (&self.files, run.options.has_server),
                    &run.tree.options,
                )
            }
        };
        let origin = Some((&*file.body, &file.edits));
        let mut done = Done::new(out.write(path, file.bytes(), origin));
        if response.is_some_and(|response| !response.is_complete()) {
            let reason = format!("its end is missing; {}: the body ends too early", place());
            done.messages.push(of_file(run.out(), path, &reason));
        }
        let (failure, skipped) = file.left();
        let message = |reason: String| of_file(run.out(), path, &reason);
        done.failures.extend(failure.map(message));
        done.messages.extend(skipped.map(message));
        file.report.iter().for_each(|report| done.counts.add(&report.counts));
        done
    }
}

/// Gives captures with the same content one file, if no reference in it depends on its URL.
fn share(pages: &[Page], paths: &mut [Arc<Path>]) {
    let mut first: HashMap<(Short, Option<&str>), usize> = HashMap::new();
    for (idx, page) in pages.iter().enumerate() {
        let media = page.media_type.as_deref().and_then(Media::from_name);
        let Some(digest) = page.digest.filter(|_| media.is_none()) else { continue };
        let original = *first.entry((digest, page.media_type.as_deref())).or_insert(idx);
        if original != idx {
            paths[idx] = Arc::clone(&paths[original]);
        }
    }
}

/// What was done for a capture.
struct Done {
    written: Result<Written, Failure>,
    messages: Vec<String>,
    failures: Vec<String>,
    counts: Counts,
}

impl Done {
    fn new(written: Result<Written, Failure>) -> Self {
        let (messages, failures) = (Vec::new(), Vec::new());
        Done { written, messages, failures, counts: Counts::default() }
    }
}
