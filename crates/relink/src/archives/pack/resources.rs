//! The files that a page loads: found in each document as references that a browser fetches, and
//! located among the files of the tree.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::Context;
use rewrite::{Fetch, Limit, Media, Unit, declared_charset, references};
use urlcore::escape::{ascii_web, encode_path_segment};

use super::{
    Access, Collected, Loaded, MADE_UP_DIRECTORY, PackError, PackProblem, PackProblemKind,
    PackedFile, media_type,
};
use crate::archives::pack;
use crate::files::walk::{self, EntryKind};
use crate::os::failure::Failure;
use crate::os::paths;
use crate::tree::Tree;
use crate::tree::input;
use crate::urls::layout;
use crate::urls::locate::{Located, Locator};

/// Finds the files that pages load.
pub struct Collector<'c> {
    /// The tree, and how its documents are read.
    pub tree: &'c Tree,
    /// Finds the files of URLs.
    pub locator: &'c Locator,
    /// The directory of the files that the locator finds, as messages name it.
    pub directory: &'c Path,
    /// The directory that messages do not name, if paths are typed without it.
    pub current: Option<&'c Path>,
    /// The files that may be read.
    pub access: &'c Access,
    /// True if the URLs are those of files on the disk, which are not written.
    pub is_on_disk: bool,
    /// True if scripts are packed too.
    pub has_scripts: bool,
}

/// A reference of a document that a browser fetches.
struct FetchedReference {
    id: usize,
    at: usize,
    slot: String,
    text: String,
    fetch: Fetch,
    /// Its target without the fragment.
    target: Option<String>,
}

/// A file that is read.
struct ReadFile {
    path: PathBuf,
    bytes: Arc<[u8]>,
}

/// The slots of documents in frames of their own.
const FRAMES: [&str; 5] =
    ["embed[src]", "fencedframe[src]", "frame[src]", "iframe[src]", "object[data]"];

/// The files that were read, by their paths.
type FileCache = HashMap<PathBuf, Arc<[u8]>>;

impl Collector<'_> {
    /// Returns the path of a file below the directory, as messages name it.
    pub fn path_of(&self, below: &Path) -> PathBuf {
        let path = self.directory.join(below);
        let short = self.current.and_then(|current| path.strip_prefix(current).ok());
        short.map(Path::to_owned).unwrap_or(path)
    }

    /// Returns a page with the files that it loads. `url` is the URL of its file.
    ///
    /// # Errors
    ///
    /// [`PackError`] if the page cannot be read, or if it exceeds a limit.
    pub fn collect(&self, page: &Path, url: &str) -> Result<Collected, PackError> {
        let mut cache = FileCache::new();
        if !self.is_on_disk {
            return self.collect_as(page, url, url, &mut cache);
        }
        // Which directory contains all files is known when they are found.
        let found = self.collect_as(page, url, url, &mut cache)?;
        let directory = directory_of(&found.parts);
        let page_path = paths::absolute(page);
        let below = page_path.strip_prefix(&directory).unwrap_or(page);
        let mut written = MADE_UP_DIRECTORY.to_owned();
        for (idx, name) in below.components().enumerate() {
            written.push_str(if idx > 0 { "/" } else { "" });
            encode_path_segment(name.as_os_str().as_encoded_bytes(), &mut written);
        }
        self.collect_as(page, url, &written, &mut cache)
    }

    /// Collects a page whose URL in the message is `written`.
    fn collect_as(
        &self,
        page: &Path,
        url: &str,
        written: &str,
        cache: &mut FileCache,
    ) -> Result<Collected, PackError> {
        let bytes = self.read(page, cache)?;
        let opened = ReadFile { path: page.to_owned(), bytes };
        let written = &*ascii_web(written);
        let part = self.part(opened, url, written, Fetch::Never, 0);
        if !media_type::is_page(&part.media_type) {
            return Err(PackError::NoPage(page.to_owned()));
        }
        let mut work = PageWork {
            collector: self,
            cache,
            n_bytes: part.bytes.len(),
            numbers: HashMap::from([(written.to_owned(), 0)]),
            collected: Collected { parts: vec![part], ..Collected::default() },
            seen: HashSet::new(),
        };
        let mut idx = 0;
        while idx < work.collected.parts.len() {
            work.document(idx)?;
            idx += 1;
        }
        let Collected { mut parts, mut problems, external } = work.collected;
        problems.extend(pack::make_absolute(&mut parts, &self.tree.options));
        let has_digests =
            |part: &PackedFile| memchr::memmem::find(&part.bytes, b"integrity").is_some();
        if parts.iter().any(has_digests) {
            // Chromium computes digests of the lines that quoted-printable makes.
            let loaded = parts.iter_mut().filter(|part| !media_type::is_page(&part.media_type));
            loaded.for_each(|part| part.is_text = false);
        }
        Ok(Collected { parts, problems, external })
    }

    /// Reads a file, unless it is not to be read.
    fn read(&self, path: &Path, cache: &mut FileCache) -> Result<Arc<[u8]>, Failure> {
        if let Some(bytes) = cache.get(path) {
            return Ok(Arc::clone(bytes));
        }
        let failed = Failure::reading(path);
        // A pipe would never end.
        if self.access.kind(path).map_err(&failed)? != EntryKind::File {
            return Err(Failure::because(path, walk::SPECIAL));
        }
        let bytes: Arc<[u8]> = input::small(self.tree, path).map_err(failed)?.into();
        cache.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Returns the part of a file.
    fn part(
        &self,
        file: ReadFile,
        file_url: &str,
        url: &str,
        fetch: Fetch,
        depth: usize,
    ) -> PackedFile {
        let ReadFile { path, bytes } = file;
        let found = media_type::of_file(&self.tree.types, &path, &bytes, fetch);
        let media = found.media.filter(|media| media.is_enabled_by(self.tree.options.opt_in));
        PackedFile {
            url: url.to_owned(),
            file_url: file_url.to_owned(),
            charset: found.media.and_then(|media| declared_charset(media, &bytes)),
            is_text: media_type::is_text(&found.name),
            media_type: found.name,
            media,
            path,
            bytes,
            edited: None,
            loaded: Vec::new(),
            depth,
        }
    }

    /// Returns the references of a document that a browser fetches, if the document has this URL;
    /// and what of the document is not read.
    fn find(
        &self,
        bytes: &[u8],
        media: Media,
        url: &str,
    ) -> (Vec<FetchedReference>, Vec<(usize, PackProblemKind)>) {
        let context = url.parse().map_or(Context::none(), |url| Context::retrieval(url, "pack"));
        let unit = Unit::new(bytes, media, &context);
        let mut found = Vec::new();
        let report = references(unit, &self.tree.options, |site| {
            let fetch = site.fetch();
            let slot = site.slot_name();
            if fetch == Fetch::Never || (!self.has_scripts && is_script_slot(slot)) {
                return;
            }
            let target = site.target().map(|mut target| {
                target.truncate(target.find('#').unwrap_or(target.len()));
                target
            });
            found.push(FetchedReference {
                id: site.id,
                at: site.frame.raw(site.span).start,
                slot: slot.to_owned(),
                text: site.text.to_owned(),
                fetch,
                target,
            });
        });
        let unread = report.skipped.iter();
        (
            found,
            unread.map(|skipped| (skipped.at, PackProblemKind::Unread(skipped.reason))).collect(),
        )
    }

    /// Returns true if a file of this type is packed for a reference in this slot.
    fn is_packed(&self, slot: &str, fetch: Fetch, media_type: &str) -> bool {
        if media_type::is_script(media_type) {
            return self.has_scripts;
        }
        // Pages to come (`rel=prefetch`) and manifests are not shown.
        let is_only_announced =
            slot == "link[href]" && matches!(fetch, Fetch::Blockable | Fetch::WithOrigin);
        !is_only_announced || media_type::is_shown(media_type)
    }
}

/// Returns true for a slot of scripts, which do not run in a message.
fn is_script_slot(slot: &str) -> bool {
    slot == "script[src]" || slot == "importmap address" || slot.starts_with("js ")
}

/// Returns the innermost directory that contains the files which are loaded by relative references.
fn directory_of(parts: &[PackedFile]) -> PathBuf {
    let mut directory = PathBuf::new();
    for (idx, part) in parts.iter().enumerate() {
        let path = paths::absolute(&part.path);
        let own = path.parent().unwrap_or(&path);
        if idx == 0 {
            own.clone_into(&mut directory);
        }
        while !own.starts_with(&directory) && directory.pop() {}
    }
    directory
}

/// A page that is being collected.
struct PageWork<'w> {
    collector: &'w Collector<'w>,
    cache: &'w mut FileCache,
    n_bytes: usize,
    /// The indices of the parts, by URL.
    numbers: HashMap<String, usize>,
    collected: Collected,
    /// The external URLs so far.
    seen: HashSet<String>,
}

impl PageWork<'_> {
    /// Adds what the part `idx` loads.
    fn document(&mut self, idx: usize) -> Result<(), PackError> {
        let part = &self.collected.parts[idx];
        let Some(media) = part.media else { return Ok(()) };
        let bytes = Arc::clone(&part.bytes);
        let (file_url, url) = (part.file_url.clone(), part.url.clone());
        let (found, unread) = self.collector.find(&bytes, media, &file_url);
        let written =
            if file_url == url { None } else { Some(self.collector.find(&bytes, media, &url).0) };
        for (at, kind) in unread {
            let problem = PackProblem { part: idx, at, reference: None, kind };
            self.collected.problems.push(problem);
        }
        for (number, found) in found.into_iter().enumerate() {
            let in_message = match &written {
                Some(written) => written.get(number).filter(|other| other.id == found.id),
                None => Some(&found),
            };
            let Some(url) = in_message.and_then(|found| found.target.as_deref()) else { continue };
            let url = ascii_web(url).into_owned();
            let result = self.reference(idx, &found, &url)?;
            let FetchedReference { id, at, slot, text, target: file_url, fetch } = found;
            let part = result.as_ref().ok().copied().flatten();
            let is_use = fetch == Fetch::WithOrigin && slot.starts_with("svg ");
            let is_frame = FRAMES.contains(&&*slot);
            let loaded = Loaded { id, at, is_use, is_frame, part, file_url };
            self.collected.parts[idx].loaded.push(loaded);
            if let Err(kind) = result {
                let reference = Some((slot, text));
                self.collected.problems.push(PackProblem { part: idx, at, reference, kind });
            }
        }
        Ok(())
    }

    /// Returns the part that a reference leads to, which is added if it is new. `url` is its target
    /// in the message.
    fn reference(
        &mut self,
        from: usize,
        found: &FetchedReference,
        url: &str,
    ) -> Result<Result<Option<usize>, PackProblemKind>, PackError> {
        let Some(target) = &found.target else { return Ok(Ok(None)) };
        let collector = self.collector;
        let known = self.numbers.get(url).copied();
        // The document itself, or another one that was loaded.
        if let Some(known) = known.filter(|known| self.collected.parts[*known].file_url == *target)
        {
            return Ok(Ok(Some(known)));
        }
        let path_of = |path: &[u8]| collector.path_of(&paths::from_bytes(path).unwrap_or_default());
        let path = match collector.locator.locate(target, false) {
            Located::File { path, .. } => path_of(&path),
            Located::Missing { path, .. } => {
                return Ok(Err(PackProblemKind::Missing(path_of(&path))));
            }
            Located::Directory { path, .. } => {
                let path = path_of(path.strip_suffix(b"/").unwrap_or(&path));
                return Ok(Err(PackProblemKind::Directory(path)));
            }
            Located::Outside => return Ok(self.outside(target)),
        };
        if let Some(known) = known {
            return Ok(if self.collected.parts[known].path == path {
                Ok(Some(known))
            } else {
                Err(PackProblemKind::Taken(path))
            });
        }
        match collector.access.allows(&path) {
            Ok(true) => {}
            Ok(false) => return Ok(Err(PackProblemKind::Refused(path))),
            Err(error) => {
                return Ok(Err(PackProblemKind::Failed(Failure::reading(&path)(error))));
            }
        }
        let bytes = match collector.read(&path, self.cache) {
            Ok(bytes) => bytes,
            Err(failure) => return Ok(Err(PackProblemKind::Failed(failure))),
        };
        let depth = self.collected.parts[from].depth + 1;
        let file = ReadFile { path, bytes };
        let part = collector.part(file, target, url, found.fetch, depth);
        if !collector.is_packed(&found.slot, found.fetch, &part.media_type) {
            return Ok(Ok(None));
        }
        self.n_bytes = self.n_bytes.saturating_add(part.bytes.len());
        let limits = &collector.tree.options.limits;
        let n_parts = self.collected.parts.len();
        for (limit, value) in [
            // The message itself is an entity too.
            (Limit::Parts, n_parts + 2),
            (Limit::PackSize, self.n_bytes),
            (Limit::LoadDepth, depth),
        ] {
            if value > limits.get(limit) {
                let page = self.collected.parts[0].path.clone();
                return Err(PackError::Limit(page, limits.met(limit)));
            }
        }
        self.numbers.insert(url.to_owned(), n_parts);
        self.collected.parts.push(part);
        Ok(Ok(Some(n_parts)))
    }

    /// Notes a target outside of the tree: of a web server it stays there.
    fn outside(&mut self, target: &str) -> Result<Option<usize>, PackProblemKind> {
        let is_web = ["http:", "https:", "ftp:"].iter().any(|scheme| target.starts_with(scheme));
        let is_made_up = target.starts_with(super::MADE_UP);
        // The locator knows every file of a disk, and no directory that a browser would list.
        if let Some(path) = target.strip_prefix("file:///").filter(|path| path.ends_with('/')) {
            let below = layout::decoded(path.trim_end_matches('/'));
            let path = paths::from_bytes(&below).unwrap_or_default();
            return Err(PackProblemKind::Directory(self.collector.path_of(&path)));
        }
        if is_made_up || target.starts_with("file:") {
            return Err(PackProblemKind::Outside(target.to_owned()));
        }
        if is_web && self.seen.insert(target.to_owned()) {
            self.collected.external.push(target.to_owned());
        }
        Ok(None)
    }
}
