//! From files to units: a file is one unit, and a container is as many as it contains documents.
//!
//! Invariant: the pieces of a container come one after another, in its order, without other items
//! between them, and its end comes after them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Http, Limit, Media};

use crate::files::container::{
    ARCHIVE, ContainerForm, MemberType, PieceReader, Reading, Source, WEB_ARCHIVE,
};
use crate::files::markdown;
use crate::files::media::{self, FileType};
#[cfg(not(target_family = "wasm"))]
use crate::files::properties::Properties;
use crate::files::sidecar::Sidecars;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
use crate::os::store::FileAt;
use crate::os::temp_names;
use crate::tree::Tree;
use crate::tree::input::{self, Input, Item, Opened};

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

/// The container that is being read, and its pieces.
type Open = (Arc<Opened>, PieceReader);

/// The units of some entries.
pub struct Units<'t, I> {
    tree: &'t Tree,
    entries: I,
    open: Option<Open>,
    /// The number of the last document of the open container.
    number: usize,
    /// Known directories: true for each path that is one.
    directories: RefCell<HashMap<PathBuf, bool>>,
    sidecars: Sidecars,
    /// The items that are processed at the end: documents of types for which the function returns
    /// true.
    late: Vec<Item>,
    is_late: Box<dyn Fn(Media) -> bool + 't>,
    /// True if containers that are only read are read.
    reads_records: bool,
    /// True if containers of members are read.
    reads_members: bool,
}

impl<'t, I: Iterator<Item = Result<Entry, Failure>>> Units<'t, I> {
    /// The units of the entries of a tree.
    pub fn new(tree: &'t Tree, entries: I) -> Self {
        let (directories, sidecars) = (RefCell::default(), Sidecars::default());
        Units {
            tree,
            entries,
            open: None,
            number: 0,
            directories,
            sidecars,
            late: Vec::new(),
            is_late: Box::new(|_| false),
            reads_records: false,
            reads_members: true,
        }
    }

    /// Also reads the containers that are only read, for a command that writes no documents.
    pub fn with_records(mut self, reads_records: bool) -> Self {
        self.reads_records = reads_records;
        self
    }

    /// Reads no containers of members.
    pub fn without_members(mut self) -> Self {
        self.reads_members = false;
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
        let Units { tree, entries, open, sidecars, directories, late, reads_records, .. } = self;
        let rest = Units::new(tree, std::iter::empty());
        let rest = Units { sidecars, directories, reads_records, ..rest };
        let counts = |entry: &Entry| match entry.kind {
            EntryKind::File if only_documents => rest
                .type_at(entry)
                .is_ok_and(|kind| matches!(kind, FileType::Document(_) | FileType::Container(..))),
            kind => matches!(kind, EntryKind::File | EntryKind::Link) && !only_documents,
        };
        let n = entries.filter_map(Result::ok).filter(counts).count();
        (n + late.len(), open.map(|(opened, _)| opened.entry.path.clone()))
    }

    /// Returns the next piece of the open container, or its end.
    fn piece(&mut self) -> Option<Item> {
        let (opened, pieces) = self.open.as_mut()?;
        let opened = Arc::clone(opened);
        match pieces.next() {
            Some(Ok(piece)) => {
                let is_numbered = opened.container.spec().form == ContainerForm::Many;
                let number = (is_numbered && piece.unit.is_some()).then(|| {
                    self.number += 1;
                    self.number
                });
                Some(Item::Piece(opened, number, piece))
            }
            end => {
                self.open = None;
                let result = end.map_or(Ok(()), |error| error.map(|_| ()));
                let result = result.map_err(Failure::reading(&opened.entry.path));
                Some(Item::End(opened, result))
            }
        }
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
            FileType::Container(container, _) => container.spec().form == ContainerForm::One,
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
        let container = container.get();
        let file = location.open().map_err(Failure::reading(&entry.path))?;
        let url = self.tree.places.url_of(&entry.path);
        let opened = Opened {
            entry,
            container,
            media,
            length: file.length(),
            #[cfg(not(target_family = "wasm"))]
            properties: file.on_disk().map(|(file, metadata)| Properties::of(file, metadata)),
            url,
        };
        self.begin(opened, Source::File(file))?;
        Ok(None)
    }

    fn begin(&mut self, opened: Opened, source: Source) -> Result<(), Failure> {
        let type_of = |path: &Path, head: &mut dyn FnMut() -> Vec<u8>| self.member_type(path, head);
        let reading = Reading { limits: &self.tree.options.limits, type_of: &type_of };
        let pieces = opened.container.pieces(source, &reading);
        let pieces = pieces.map_err(Failure::reading(&opened.entry.path))?;
        self.number = 0;
        self.open = Some((Arc::new(opened), pieces));
        Ok(())
    }

    /// Returns the type of a member of a container.
    fn member_type(&self, path: &Path, head: &mut dyn FnMut() -> Vec<u8>) -> MemberType {
        let file_type = match self.tree.types.of_path(path) {
            FileType::Unknown => media::of_content(path, &head()),
            file_type => file_type,
        };
        match file_type {
            FileType::Document(media) => MemberType::Document(media),
            FileType::Container(..) | FileType::Unsupported(_) => MemberType::Container,
            FileType::Other | FileType::Unknown => MemberType::Other,
        }
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
        Ok(self.supported(self.found_type(entry, location)?, entry))
    }

    /// Returns the type of a file, or why it is not supported in this run.
    fn supported(&self, file_type: FileType, entry: &Entry) -> FileType {
        let FileType::Container(container, _) = file_type else { return file_type };
        if container.spec().form.has_members() && !self.reads_members {
            return FileType::Unsupported(ARCHIVE);
        }
        let unread = self.tree.unread_kind(container, entry.is_single);
        let only_read = container.spec().only_read.filter(|_| !self.reads_records);
        unread.or(only_read).map_or(file_type, FileType::Unsupported)
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
        let file_type = match self.tree.types.of_stdin() {
            FileType::Unknown => {
                read(media::SNIFFED as u64, &mut head).map_err(Failure::reading(&entry.path))?;
                media::sniff(&head)
            }
            file_type => file_type,
        };
        let file_type = self.supported(file_type, &entry);
        let FileType::Container(container, media) = file_type else {
            let limits = &self.tree.options.limits;
            let most = limits.get(Limit::DocumentSize);
            // One more, to detect that there are more.
            let rest = most.saturating_add(1).saturating_sub(head.len());
            read(rest as u64, &mut head).map_err(Failure::reading(&entry.path))?;
            if head.len() > most {
                let reason = format!("skipped; {}", limits.met(Limit::DocumentSize));
                return Err(Failure::because(&entry.path, reason));
            }
            return Ok(Some(Item::Stream(entry, head, file_type)));
        };
        let url = self.tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
        let opened = Opened {
            entry,
            container: container.get(),
            media,
            length: 0,
            #[cfg(not(target_family = "wasm"))]
            properties: None,
            url,
        };
        let stream = io::Cursor::new(head).chain(io::stdin());
        self.begin(opened, Source::Stream(Box::new(stream)))?;
        Ok(None)
    }
}

impl<I: Iterator<Item = Result<Entry, Failure>>> Iterator for Units<'_, I> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(piece) = self.piece() {
                return Some(piece);
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
