//! From files to units: a file is one unit, and a container is as many as it contains documents.
//!
//! Invariant: the pieces of a container come one after another, in its order, without other items
//! between them, and its end comes after them. In the place of a piece that is a container come the
//! pieces and the end of that one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use rewrite::{Http, Limit, Media};

use crate::files::container::{ContainerForm, SharedBytes, Source, WEB_ARCHIVE};
use crate::files::markdown;
use crate::files::media::{self, FileType};
use crate::files::packed;
#[cfg(not(target_family = "wasm"))]
use crate::files::properties::Properties;
use crate::files::sidecar::Sidecars;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
use crate::os::store::FileAt;
use crate::os::temp_names;
use crate::tree::Tree;
use crate::tree::containers::{Containers, Opened, Reads, Step};
use crate::tree::input::{self, Input, Item};

/// The type of a file whose name says that it contains the header section of another file.
pub const HEADER_SECTION: Media = Media::Http(Http::Headings);

/// The message for a document whose hash is neither the old nor the new one.
const CHANGED: &str =
    "skipped; the file has changed since the interrupted run; check its references";

/// Returns true if a tree contains messages, judging by names and the first bytes of files.
/// Standard input is not examined.
pub fn has_messages(tree: &Tree) -> bool {
    let units = Units::new(tree, std::iter::empty());
    let is_message = |file_type| match file_type {
        FileType::Document(media) | FileType::Container(_, Some(media)) => {
            matches!(media, Media::Message(_))
        }
        _ => false,
    };
    walk::entries(&tree.roots).filter_map(Result::ok).any(|entry| match entry.kind {
        EntryKind::Stdin => is_message(tree.types.of_stdin()),
        EntryKind::File => units.type_at(&entry).is_ok_and(is_message),
        _ => false,
    })
}

/// Returns true if a document of a tree contains provenance metadata. For standard input, returns
/// true: it can be read only once.
pub fn has_hints(tree: &Tree) -> bool {
    if tree.hints.is_off || tree.roots.contains(&Root::Stdin) {
        return !tree.hints.is_off;
    }
    let is_hinted = |item| {
        let read = input::read(tree, item);
        matches!(read, Ok((_, Input::Document(document))) if document.hint().is_some())
    };
    Units::new(tree, walk::entries(&tree.roots)).any(is_hinted)
}

/// Returns the only PATH of a tree, if it is a web archive and the run writes documents.
pub fn only_web_archive(tree: &Tree) -> Option<PathBuf> {
    let [Root::Path { typed, .. }] = &*tree.roots else { return None };
    let is_archive = |item| matches!(item, Item::Entry(entry, FileType::Unsupported(WEB_ARCHIVE)) if entry.is_single);
    let mut units = Units::new(tree, walk::entries(&tree.roots));
    (!typed.is_dir() && units.next().is_some_and(is_archive)).then(|| typed.clone())
}

/// The units of some entries.
pub struct Units<'t, I> {
    tree: &'t Tree,
    entries: I,
    containers: Containers,
    reads: Reads<'t>,
    /// Known directories: true for each path that is one.
    directories: RefCell<HashMap<PathBuf, bool>>,
    sidecars: Sidecars,
    /// The items that are processed at the end: documents of types for which the function returns
    /// true.
    late: Vec<Item>,
    is_late: Box<dyn Fn(Media) -> bool + 't>,
}

impl<'t, I: Iterator<Item = Result<Entry, Failure>>> Units<'t, I> {
    /// The units of the entries of a tree.
    pub fn new(tree: &'t Tree, entries: I) -> Self {
        let (directories, sidecars) = (RefCell::default(), Sidecars::default());
        Units {
            tree,
            entries,
            containers: Containers::default(),
            reads: Reads { tree, records: false, members: true, is_rebuilding: false },
            directories,
            sidecars,
            late: Vec::new(),
            is_late: Box::new(|_| false),
        }
    }

    /// Reads the containers that are only read too, if this is so.
    pub fn with_records(mut self, reads_records: bool) -> Self {
        self.reads.records = reads_records;
        self
    }

    /// Keeps what is necessary to put containers in others together again.
    pub fn rebuilding(mut self) -> Self {
        self.reads.is_rebuilding = true;
        self
    }

    /// Reads no containers of members.
    pub fn without_members(mut self) -> Self {
        self.reads.members = false;
        self
    }

    /// Defers files of some types to [`Units::late`].
    pub fn with_late(mut self, is_late: impl Fn(Media) -> bool + 't) -> Self {
        self.is_late = Box::new(is_late);
        self
    }

    /// Returns the deferred files, to be processed when everything else is written: at last the
    /// header sections of others.
    pub fn late(self) -> [impl Iterator<Item = Item>; 2] {
        let (last, first): (Vec<_>, Vec<_>) = self.late.into_iter().partition(is_header_section);
        [first.into_iter(), last.into_iter()]
    }

    /// Returns the number of remaining files, and the open container. It reads only what is
    /// necessary to determine their types; with `only_documents`, other files do not count.
    pub fn rest(self, only_documents: bool) -> (usize, Option<PathBuf>) {
        let Units { tree, entries, containers, sidecars, directories, late, reads, .. } = self;
        let rest = Units::new(tree, std::iter::empty());
        let rest = Units { sidecars, directories, reads, ..rest };
        let counts = |entry: &Entry| match entry.kind {
            EntryKind::File if only_documents => rest
                .type_at(entry)
                .is_ok_and(|kind| matches!(kind, FileType::Document(_) | FileType::Container(..))),
            kind => matches!(kind, EntryKind::File | EntryKind::Link) && !only_documents,
        };
        let n = entries.filter_map(Result::ok).filter(counts).count();
        (n + late.len(), containers.first().map(|opened| opened.entry.path.clone()))
    }

    /// Returns the item for an entry; `None` if it is a container, or deferred.
    pub fn item(&mut self, mut entry: Entry) -> Result<Option<Item>, Failure> {
        if entry.kind == EntryKind::Stdin {
            return self.stdin(entry);
        }
        if entry.kind != EntryKind::File {
            return Ok(Some(Item::Entry(entry, FileType::Unknown)));
        }
        let location = self.tree.file_at(&entry)?;
        let file_type = self.type_of(&entry, &*location)?;
        let has_sidecar = match file_type {
            FileType::Document(media) => media != HEADER_SECTION,
            FileType::Container(container, _) => {
                container.spec().form == ContainerForm::One
                    && self.tree.types.in_document(container, &entry.path).container().is_none()
            }
            _ => false,
        };
        if has_sidecar {
            let sidecar = self.sidecars.find(&*location);
            entry.sidecar = sidecar.map_err(|(path, error)| Failure::reading(&path)(error))?;
        }
        let FileType::Container(container, media) = file_type else {
            let item = Item::Entry(entry, file_type);
            if matches!(file_type, FileType::Document(media) if (self.is_late)(media)) {
                self.late.push(item);
                return Ok(None);
            }
            return Ok(Some(item));
        };
        let file = location.open().map_err(Failure::reading(&entry.path))?;
        let url = self.tree.places.url_of(&entry.path);
        let opened = Opened {
            inner: self.tree.types.in_document(container, &entry.path).container(),
            shown: entry.below.clone(),
            entry,
            container: container.get(),
            media,
            length: file.length(),
            #[cfg(not(target_family = "wasm"))]
            properties: file.on_disk().map(|(file, metadata)| Properties::of(file, metadata)),
            url,
            limits: self.tree.options.limits,
            outer: None,
            file: None,
        };
        self.containers.begin(opened, Source::File(file), self.reads)?;
        Ok(None)
    }

    /// Returns the type of a file, relative to the handle of its directory.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path, if the file cannot be read.
    pub fn type_at(&self, entry: &Entry) -> Result<FileType, Failure> {
        let location = self.tree.file_at(entry)?;
        self.type_of(entry, &*location)
    }

    /// Returns the type of a file. A container that is only read is not supported by a command that
    /// writes.
    fn type_of(&self, entry: &Entry, location: &dyn FileAt) -> Result<FileType, Failure> {
        Ok(self.reads.supported(self.found_type(entry, location)?, entry))
    }

    /// Returns the type of a file: by its name, its place, its content. Files that the options skip
    /// are not opened.
    fn found_type(&self, entry: &Entry, location: &dyn FileAt) -> Result<FileType, Failure> {
        let tree = self.tree;
        let failed = Failure::reading(&entry.path);
        if tree.finished.contains(&entry.path) {
            return Ok(FileType::Other);
        }
        if tree.changed.contains(&entry.path) {
            return Err(Failure::because(&entry.path, CHANGED));
        }
        if tree.ignored.is_by_git(entry) {
            let is_read = tree.globs.allow(&entry.below) && !walk::is_version_control(&entry.below);
            let file_type = tree.types.of_path(&entry.path);
            let is_document = matches!(file_type, FileType::Document(_) | FileType::Container(..));
            let is_markdown = || {
                tree.markdown.is_some()
                    && tree.types.asks_for(Some(&entry.path)) == Some("markdown")
                    && !markdown::is_of_dependency(&entry.below)
            };
            tree.not_read.add_ignored(is_read && (is_document || is_markdown()));
        }
        if !tree.allows(entry) || tree.places.layout().is_bookkeeping(&entry.below) {
            return Ok(FileType::Other);
        }
        if !tree.style_sheets.is_empty()
            && tree.style_sheets.contains(&(entry.root, paths::bytes(&entry.below)))
        {
            return Ok(FileType::Document(Media::CSS));
        }
        let file_type = tree.type_by_name(entry);
        if let FileType::Container(container, _) = file_type
            && let Some(unsupported) = container.spec().unsupported
        {
            let unsupported = unsupported(&head(location).map_err(&failed)?);
            return Ok(unsupported.map_or(file_type, FileType::Unsupported));
        }
        // wget without `-E`, and archives, keep the name that the site gives to a page.
        let html = FileType::Document(Media::HTML);
        if tree.places.layout().has_queries()
            && file_type != html
            && media::may_be_page_about_media(&entry.path)
            && media::sniff(&head(location).map_err(&failed)?) == html
        {
            return Ok(html);
        }
        if file_type != FileType::Unknown {
            return Ok(file_type);
        }
        if temp_names::is_temporary(location.name()) {
            return Ok(FileType::Other);
        }
        if self.sidecars.is_one(location).map_err(&failed)? {
            return Ok(FileType::Document(HEADER_SECTION));
        }
        let store = tree.roots[entry.root].store();
        let is_directory = |path: &Path| {
            let mut directories = self.directories.borrow_mut();
            let is_directory = || store.is_some_and(|store| store.is_directory(path));
            *directories.entry(path.to_owned()).or_insert_with(is_directory)
        };
        if let Some(file_type) = media::of_place(&entry.path, &is_directory) {
            return Ok(file_type);
        }
        let head = head(location).map_err(&failed)?;
        let has_index = |suffix: &str| {
            let mut name = location.name().to_owned();
            name.push(suffix);
            location.sibling(&name).exists()
        };
        Ok(match media::of_content(&entry.path, &head) {
            FileType::Other => media::of_content_with_index(&head, has_index),
            file_type => file_type,
        })
    }

    fn stdin(&mut self, entry: Entry) -> Result<Option<Item>, Failure> {
        let mut head = Vec::new();
        let mut stdin = io::stdin();
        let mut read =
            |limit: u64, bytes: &mut Vec<u8>| stdin.by_ref().take(limit).read_to_end(bytes);
        let given = self.tree.types.of_stdin();
        let may_be_packed = match given {
            FileType::Unknown | FileType::Document(_) => true,
            FileType::Container(container, _) => {
                matches!(container.spec().form, ContainerForm::One | ContainerForm::Many)
            }
            _ => false,
        };
        if may_be_packed {
            read(media::SNIFFED as u64, &mut head).map_err(Failure::reading(&entry.path))?;
        }
        let (file_type, inner) = match packed::type_of(given, &head, &self.tree.options.limits) {
            Some((file_type, inner)) => (file_type, inner),
            None if given != FileType::Unknown => (given, None),
            None => match media::sniff(&head) {
                FileType::Other if self.tree.options.opt_in.zip && head.starts_with(b"PK") => {
                    (media::of_extension("zip"), None)
                }
                file_type => (file_type, None),
            },
        };
        let file_type = self.reads.supported(file_type, &entry);
        let found = file_type.container();
        let is_whole = found.is_none_or(|(container, _)| container.spec().form.has_members());
        if is_whole {
            let limits = &self.tree.options.limits;
            let most = limits.get(Limit::DocumentSize);
            // One more, to detect that there are more.
            let rest = most.saturating_add(1).saturating_sub(head.len());
            read(rest as u64, &mut head).map_err(Failure::reading(&entry.path))?;
            if head.len() > most {
                let reason = format!("skipped; {}", limits.met(Limit::DocumentSize));
                return Err(Failure::because(&entry.path, reason));
            }
        }
        let Some((container, media)) = found else {
            return Ok(Some(Item::Stream(entry, head, file_type)));
        };
        let url = self.tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
        let opened = Opened {
            inner,
            shown: entry.below.clone(),
            entry,
            container: container.get(),
            media,
            length: 0,
            #[cfg(not(target_family = "wasm"))]
            properties: None,
            url,
            limits: self.tree.options.limits,
            outer: None,
            file: None,
        };
        let source = match is_whole {
            true => Source::File(Box::new(Cursor::new(SharedBytes::from(head)))),
            false => Source::Stream(Box::new(Cursor::new(head).chain(io::stdin()))),
        };
        self.containers.begin(opened, source, self.reads)?;
        Ok(None)
    }
}

impl<I: Iterator<Item = Result<Entry, Failure>>> Iterator for Units<'_, I> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            match self.containers.next(self.reads) {
                Some(Step::Piece(opened, number, piece)) => {
                    return Some(Item::Piece(opened, number, piece));
                }
                Some(Step::End(opened, result)) => return Some(Item::End(opened, result)),
                None => {}
            }
            match self.entries.next()? {
                Ok(entry) => match self.item(entry) {
                    Ok(Some(item)) => return Some(item),
                    // A container was opened, or a file was deferred.
                    Ok(None) => {}
                    Err(failure) => return Some(Item::Failed(failure)),
                },
                Err(failure) => return Some(Item::Failed(failure)),
            }
        }
    }
}

/// Returns true if an item is a header section of another file.
pub fn is_header_section(item: &Item) -> bool {
    matches!(item, Item::Entry(_, FileType::Document(HEADER_SECTION)))
}

/// Returns the first bytes of a file.
fn head(location: &dyn FileAt) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(media::SNIFFED);
    location.open()?.take(media::SNIFFED as u64).read_to_end(&mut head)?;
    Ok(head)
}
