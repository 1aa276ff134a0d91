//! Web archives: the captures of all archives become one tree of files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use rewrite::{Counts, Limit, Media};
use warc::{DecodeLimits, HttpResponse};

use super::blocks::{Blocks, Item};
use super::listed::Planned;
use super::out::Out;
use super::site::Site;
use super::{UnpackSummary, of_file};
use crate::digest::{Short, short};
use crate::events::{Events, Severity};
use crate::exit::Error;
use crate::failure::Failure;
use crate::messages;
use crate::parallel;
use crate::plan::Unpack;
use crate::progress::Counter;
use crate::unpack::captured_pages::{Page, Pages, Source};
use crate::unpack::captures::{Chosen, Index, Place};
use crate::unpack::paths::{Files, Paths};
use crate::unpack::{capture_names, file};
use crate::walk::{self, Entry, EntryKind};
use crate::write::Written;

/// The number of octets by which an archive is recognized.
const HEAD: usize = 4 << 10;

/// The web archives of a run, and the files that they become.
pub(super) struct Web<'r> {
    run: &'r Unpack,
    archives: &'r [Entry],
    pages: Pages,
    /// The files of the captures, whose paths are in the order of `pages`.
    files: Arc<Files>,
    /// The list of the pages.
    site: Site,
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
        let is_archive = warc::is_archive(&head) || name.ends_with(".warc.zst");
        let has_name = [".warc", ".warc.gz", ".arc.gz"].iter().any(|end| name.ends_with(end));
        // A file that is named on the command line is reported with those that are no messages.
        if has_name && !is_archive && !entry.is_single {
            let reason = "skipped; it has the name of a web archive, but does not begin as one";
            return Err(Failure::because(&entry.path, reason));
        }
        Ok(is_archive)
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
    ) -> Result<Self, Error> {
        let mut index = Index::new(run.options.at.as_deref());
        for (idx, entry) in (0..).zip(archives) {
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
        let Chosen { pages, by_id, fragments, missing } = index.choose()?;
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
                events.note(&of_file(run.out(), &path, &reason));
            }
        }
        let files = Arc::new(Files::new(by_id, fragments, paths));
        let web = Web { run, archives, pages, files, site: Site::default() };
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
    pub(super) fn beside(mut self, planned: &Planned) -> Self {
        if self.run.options.is_raw || self.captured().len() == 0 {
            return self;
        }
        let first = |path: &Path| path.iter().next().map(OsStr::to_ascii_lowercase);
        let captured = self.captured().iter().filter_map(|path| first(&path));
        let taken: HashSet<OsString> = planned.paths().filter_map(first).chain(captured).collect();
        let is_free = |name: &Path| !taken.contains(name.as_os_str());
        self.site = Site::new(&self.pages, self.captured(), is_free);
        self
    }

    /// Returns the paths of the files, with those that list them.
    pub(super) fn paths(&self) -> impl Iterator<Item = Cow<'_, Path>> + Clone {
        self.captured().iter().chain(self.site.paths().map(Cow::Borrowed))
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
            counter.add_file(&self.captured().get(idx), events);
            io::Result::Ok(())
        })?;
        summary.signal = run.interrupt.signal();
        for (idx, path) in self.site.paths().enumerate().filter(|_| summary.signal.is_none()) {
            let list = |write: &mut dyn FnMut(&str) -> Result<(), Failure>| {
                self.site.write(idx, &self.pages, self.captured(), write)?;
                self.check()
            };
            match out.write_pieces(path, list) {
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

    /// Returns the blocks of the chosen records, in the order of the archives.
    fn items(&self) -> impl Iterator<Item = Item> {
        let mut wanted: Vec<Vec<(Place, usize)>> = vec![Vec::new(); self.archives.len()];
        // Of captures with one file, the first one is written.
        let are_first = self.captured().are_first();
        for (idx, _) in are_first.iter().enumerate().filter(|(_, is_first)| **is_first) {
            let Source { archive, place, .. } = self.pages.source(idx);
            wanted[*archive as usize].push((*place, idx));
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
        let (page, path) = (self.pages.get(item.page), self.captured().get(item.page));
        let shown = run.out().join(&path);
        let place = || {
            let Source { archive, place, .. } = page.source;
            let archive = self.archives[archive as usize].path.display().to_string();
            format!("record at byte {} of {}", place.0, messages::visible(&archive))
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
        let response = HttpResponse::read(block).ok().filter(|_| page.source.is_http);
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
            false => file::of_capture(
                body,
                (page.media_type.as_deref(), page.charset.as_deref()),
                (&page.url, &path),
                (&self.files, run.options.has_server),
                &run.tree.options,
            ),
        };
        let origin = Some((&*file.body, &file.edits));
        let mut done = match self.check() {
            Ok(()) => Done::new(out.write(&path, file.bytes(), origin)),
            Err(failure) => return Done::new(Err(failure)),
        };
        let defect = response.as_ref().and_then(|response| match () {
            () if response.is_partial() => Some("only a part of it was captured"),
            () if !response.is_complete() => Some("its end is missing"),
            () => None,
        });
        if let Some(defect) = defect {
            done.messages.push(of_file(run.out(), &path, &format!("{defect}; {}", place())));
        }
        let (failure, skipped) = file.left();
        let message = |reason: String| of_file(run.out(), &path, &reason);
        done.failures.extend(failure.map(message));
        done.messages.extend(skipped.map(message));
        file.report.iter().for_each(|report| done.counts.add(&report.counts));
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
