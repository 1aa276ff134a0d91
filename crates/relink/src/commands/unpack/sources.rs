//! The archives of a run: web archives, which are files, and the members of WACZ files, with the
//! blocks of the records that become files; and zip files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::iter::Peekable;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec::IntoIter;

use rewrite::Limit;
use serde_json::Value;
use warc::{Available, DecodeLimits, ErrorKind, HttpResponse, Reader};

use super::members::MemberArchive;
use crate::archives::unpack::captured_pages::Place;
use crate::archives::unpack::captures::Places;
use crate::archives::unpack::keys::id;
use crate::events::{Events, Severity};
use crate::files::container::Fault;
use crate::files::container::archive::fault;
use crate::files::container::wacz::{self, Method, WaczContents, ZipMember};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::digest::Short;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::plan::Unpack;

/// The number of bytes by which an archive is recognized.
const HEAD: usize = 4 << 10;

/// A web archive.
#[derive(Clone, Debug)]
pub(super) struct WebArchive {
    /// The file that contains it.
    pub(super) entry: Entry,
    /// Its path for messages: in a WACZ file, with the name of the member.
    pub(super) path: PathBuf,
    /// Its range in the file, if it is not all of it.
    range: Option<Range<u64>>,
}

/// The web archives of a run, and what else is known of them.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) archives: Vec<WebArchive>,
    pub(super) zips: Vec<MemberArchive>,
    pub(super) failures: Vec<Failure>,
    /// The titles of pages, by the identifiers of their URLs.
    pub(super) titles: HashMap<Short, String>,
    /// The number of bytes of all files.
    pub(super) n_bytes: u64,
}

impl Unpack {
    /// Returns the web archives of the input, and the errors of what cannot be read.
    pub(super) fn sources(&self, events: &mut dyn Events) -> Sources {
        let mut sources = Sources::default();
        for entry in walk::entries(&self.tree.roots) {
            let added = entry.and_then(|entry| {
                if entry.kind == EntryKind::File && self.tree.allows(&entry) {
                    self.add_source(entry, &mut sources, events)?;
                }
                Ok(())
            });
            sources.failures.extend(added.err());
        }
        sources
    }

    fn add_source(
        &self,
        entry: Entry,
        sources: &mut Sources,
        events: &mut dyn Events,
    ) -> Result<(), Failure> {
        let name = entry.path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let (mut head, mut file) = (Vec::new(), self.file(&entry)?);
        let read = file.by_ref().take(HEAD as u64).read_to_end(&mut head);
        read.map_err(Failure::reading(&entry.path))?;
        sources.n_bytes += file.metadata().map_or(0, |metadata| metadata.len());
        if wacz::is_wacz(&head) || (name.ends_with(".wacz") && head.starts_with(b"PK")) {
            return self.add_wacz(entry, file, sources, events);
        }
        if let Some((container, _)) = self.tree.types.of_path(&entry.path).container()
            && container.spec().form.has_members()
            && entry.is_single
        {
            let (found, failures) = self.member_archive(entry, container.spec().form);
            sources.zips.push(found);
            sources.failures.extend(failures);
            return Ok(());
        }
        // A file in zstd is known by its name only.
        let is_archive = warc::is_archive(&head) || name.ends_with(".warc.zst");
        let has_name = [".warc", ".warc.gz", ".arc.gz"].iter().any(|end| name.ends_with(end));
        // A file that is named on the command line is reported with those that are no messages.
        if has_name && !is_archive && !entry.is_single {
            let reason = "skipped; it has the name of a web archive, but does not begin as one";
            return Err(Failure::because(&entry.path, reason));
        }
        if is_archive {
            let path = entry.path.clone();
            sources.archives.push(WebArchive { entry, path, range: None });
        }
        Ok(())
    }

    /// Adds the web archives in a WACZ file. One that cannot be read is an empty archive, so that
    /// nothing else reads it.
    fn add_wacz(
        &self,
        entry: Entry,
        mut file: File,
        sources: &mut Sources,
        events: &mut dyn Events,
    ) -> Result<(), Failure> {
        let read = wacz::contents(&mut file);
        let contents = read.map_err(|error| {
            let (path, range) = (entry.path.clone(), Some(0..0));
            sources.archives.push(WebArchive { entry: entry.clone(), path, range });
            Failure::because(&entry.path, format!("cannot read the WACZ file; {error}"))
        })?;
        let WaczContents { archives, unread, pages, digest } = contents;
        for ZipMember { name, range, .. } in archives {
            let (path, range) = (entry.path.join(name), Some(range));
            sources.archives.push(WebArchive { entry: entry.clone(), path, range });
        }
        for ZipMember { name, .. } in unread {
            let reason = "skipped; it is compressed, which WACZ does not allow";
            sources.failures.push(Failure::because(&entry.path.join(name), reason));
        }
        let json = |text: &str| serde_json::from_str::<Value>(text).ok();
        for text in pages.iter().filter_map(|member| self.text(&mut file, member)) {
            for page in text.lines().filter_map(json) {
                if let (Some(url), Some(title)) = (page["url"].as_str(), page["title"].as_str()) {
                    sources.titles.insert(id(url), title.to_owned());
                }
            }
        }
        let digest = digest.and_then(|member| json(&self.text(&mut file, &member)?));
        if digest.is_some_and(|digest| digest["signedData"].is_object()) {
            let text = "its datapackage is signed; the signature is not verified";
            events.message(Severity::Warning, &messages::of_path(&entry.path, text));
        }
        Ok(())
    }

    /// Returns the text of a member, unless it is too large.
    fn text(&self, file: &mut File, member: &ZipMember) -> Option<String> {
        let limits = &self.tree.options.limits;
        let [most, ratio] =
            [Limit::DocumentSize, Limit::CompressionRatio].map(|limit| limits.get(limit));
        let coding = match member.method {
            Method::Stored => "identity",
            Method::Deflate => "deflate",
            Method::Other => return None,
        };
        // A response of HTTP may be compressed in the same form.
        let mut block =
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").into_bytes();
        file.seek(SeekFrom::Start(member.range.start)).ok()?;
        let length = member.range.end - member.range.start;
        file.take(length.min(most as u64)).read_to_end(&mut block).ok()?;
        let response = HttpResponse::read(&block).ok()?;
        let text = response.decoded_body(&DecodeLimits { most, ratio }).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// Opens a web archive.
    pub(super) fn open(&self, archive: &WebArchive) -> Result<Box<dyn Read>, Failure> {
        let mut file = self.file(&archive.entry)?;
        let Some(Range { start, end }) = archive.range else { return Ok(Box::new(file)) };
        file.seek(SeekFrom::Start(start)).map_err(Failure::reading(&archive.path))?;
        Ok(Box::new(file.take(end - start)))
    }

    fn file(&self, entry: &Entry) -> Result<File, Failure> {
        let (file, _) = self.tree.locate(entry)?.open().map_err(Failure::reading(&entry.path))?;
        Ok(file)
    }
}

// The blocks of the records of an archive that become files.

/// The block of a capture.
pub(super) struct CaptureBlock {
    /// The position of the capture.
    pub(super) page: usize,
    pub(super) block: Result<Arc<Block>, Arc<BlockError>>,
}

/// The block of a record.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Its defect, if the record is incomplete.
    pub(super) fault: Option<Fault>,
}

/// The reason why a block cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlockError {
    /// The archive cannot be opened.
    #[error(transparent)]
    Open(Failure),
    /// The record, or the archive, cannot be read.
    #[error("{0}")]
    Record(#[source] ErrorKind),
    /// The record is not in the archive any more.
    #[error("its archive changed during the run")]
    Changed,
}

/// Reads the blocks of chosen records of an archive. Each is given, also if the archive cannot be
/// read again.
pub(super) struct Blocks {
    reader: Option<Reader<Box<dyn Read>>>,
    places: Places,
    /// The records, in their order, and the positions of their captures; without those that were
    /// given.
    wanted: Peekable<IntoIter<(Place, usize)>>,
    most: usize,
    /// The reason for what is not found.
    reason: Arc<BlockError>,
}

impl Blocks {
    /// Reads an archive that was opened. Blocks longer than `most`, in bytes, are errors.
    pub(super) fn new(
        opened: Result<Box<dyn Read>, Failure>,
        mut wanted: Vec<(Place, usize)>,
        most: usize,
    ) -> Self {
        let (reader, reason) = match opened {
            Ok(file) => (Some(Reader::new(file)), BlockError::Changed),
            Err(failure) => (None, BlockError::Open(failure)),
        };
        wanted.sort_unstable();
        let (places, wanted) = (Places::default(), wanted.into_iter().peekable());
        Blocks { reader, places, wanted, most, reason: Arc::new(reason) }
    }

    /// Returns the next of the chosen records that is found, after those that are not.
    fn found(&mut self) -> Option<Vec<CaptureBlock>> {
        let reader = self.reader.as_mut()?;
        while let Some((next, _)) = self.wanted.peek() {
            match reader.next_record()? {
                Ok(record) => {
                    let place = self.places.next(record.header());
                    if place < *next {
                        continue;
                    }
                    let missing = Err(Arc::clone(&self.reason));
                    let mut found = items(&mut self.wanted, |next| next < place, &missing);
                    if self.wanted.peek().is_some_and(|(next, _)| *next == place) {
                        let block = record.read_available(self.most).map(|read| {
                            let Available { header, block: bytes, defect, .. } = read;
                            let fault = fault(&header, defect.map(|error| error.kind).as_ref());
                            Arc::new(Block { bytes, fault })
                        });
                        let block = block.map_err(|error| Arc::new(BlockError::Record(error.kind)));
                        found.extend(items(&mut self.wanted, |next| next == place, &block));
                    }
                    return Some(found);
                }
                Err(error) if matches!(error.kind, ErrorKind::Io(_)) => {
                    self.reason = Arc::new(BlockError::Record(error.kind));
                }
                // It was reported when the archive was indexed.
                Err(_) => {}
            }
        }
        None
    }
}

impl Iterator for Blocks {
    type Item = Vec<CaptureBlock>;

    fn next(&mut self) -> Option<Vec<CaptureBlock>> {
        if let Some(items) = self.found() {
            return Some(items);
        }
        self.reader = None;
        let (_, page) = self.wanted.next()?;
        Some(vec![CaptureBlock { page, block: Err(Arc::clone(&self.reason)) }])
    }
}

/// Takes the captures whose records have such a place, with a block.
fn items(
    wanted: &mut Peekable<IntoIter<(Place, usize)>>,
    is_one: impl Fn(Place) -> bool,
    block: &Result<Arc<Block>, Arc<BlockError>>,
) -> Vec<CaptureBlock> {
    let next = || wanted.next_if(|(place, _)| is_one(*place));
    std::iter::from_fn(next).map(|(_, page)| CaptureBlock { page, block: block.clone() }).collect()
}
