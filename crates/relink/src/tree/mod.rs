//! The tree of a run: its files, their URLs, and how they are read.

pub mod containers;
pub mod error_pages;
pub mod input;
pub mod integrity;
pub mod mentions;
pub mod not_read;
pub mod spellings;
pub mod units;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Media, Options};

use crate::events::problem::Leftovers;
use crate::events::{Event, Events, Progress};
use crate::files::container::{ContainerId, Piece};
use crate::files::existing::{Member, MembersOf};
use crate::files::globs::Globs;
use crate::files::ignored::Ignored;
use crate::files::markdown::MarkdownFiles;
use crate::files::media::{FileType, Types};
use crate::files::walk::{self, Entry};
#[cfg(not(target_family = "wasm"))]
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::paths::{Root, absolute};
use crate::os::store::{FileAt, SharedStore};
use crate::tree::error_pages::ErrorPages;
use crate::tree::input::Item;
use crate::tree::integrity::DigestNames;
use crate::tree::mentions::Mentions;
use crate::tree::not_read::NotRead;
use crate::urls::hints::Hints;
use crate::urls::mirror::Mirror;
use crate::urls::mirror::style_sheets::StyleSheets;
use crate::urls::url_mapping::UrlMapping;

/// The files of a run, their URLs, and how they are read.
pub struct Tree {
    /// The directories and files to walk.
    pub roots: Vec<Root>,
    /// The directories of the roots: a root itself, or the directory that contains it.
    #[cfg(not(target_family = "wasm"))]
    pub dirs: Dirs,
    /// The URLs of the files.
    pub places: UrlMapping,
    /// The files of the tree, if it is a mirror.
    pub mirror: Option<Arc<Mirror>>,
    /// The style sheets of a mirror whose names do not give their type.
    pub style_sheets: StyleSheets,
    /// The source of URLs that nothing else gives: provenance metadata.
    pub hints: Hints,
    /// The media types of the files.
    pub types: Types,
    /// The documents that are processed.
    pub globs: Globs,
    /// True if files of version-control systems are documents too.
    pub has_version_control: bool,
    /// Documents that ignore files exclude.
    pub ignored: Ignored,
    /// The options for each document.
    pub options: Options,
    /// Files that are not read.
    pub not_read: NotRead,
    /// URLs of HTTrack that lead nowhere.
    pub leftovers: Leftovers,
    /// The Markdown files that are read without `--also`, in a run that reads some.
    pub markdown: Option<MarkdownFiles>,
    /// What moves, in files that are not read.
    pub mentions: Option<Mentions>,
    /// Digests of files in pages.
    pub integrity: DigestNames,
    /// Pages that a server sends for other URLs too.
    pub error_pages: ErrorPages,
    /// Documents that an earlier run has finished, and that stay.
    pub finished: HashSet<PathBuf>,
    /// Documents that an earlier run had recorded, and that were changed since: they stay too.
    pub changed: HashSet<PathBuf>,
    /// Number of threads, if given.
    pub jobs: Option<u16>,
    /// True if each reference that could not be handled is reported.
    pub is_verbose: bool,
}

impl Tree {
    /// Returns true if an entry may be a document by its path: one that the patterns select, and
    /// that is not inside the data of a version-control system.
    pub fn allows(&self, entry: &Entry) -> bool {
        self.globs.allow(&entry.below)
            && !self.ignored.contains(entry)
            && (self.has_version_control || !walk::is_version_control(&entry.below))
    }

    /// Returns the type of a file by its name, and by its place if it is Markdown.
    pub fn type_by_name(&self, entry: &Entry) -> FileType {
        let file_type = self.types.of_path(&entry.path);
        let is_read = || {
            self.markdown.as_ref().is_some_and(|files| {
                self.types.asks_for(Some(&entry.path)) == Some("markdown")
                    && files.has(entry, &self.roots, &self.types, |entry| self.allows(entry))
            })
        };
        match file_type {
            FileType::Other if is_read() => FileType::Document(Media::MARKDOWN),
            file_type => file_type,
        }
    }

    /// Returns true if containers of members that are read on request may be read, or PATHs.
    pub fn may_have_members(&self) -> bool {
        let is_file = |root: &Root| {
            root.store().zip(root.path()).is_some_and(|(store, path)| store.is_file(path))
        };
        self.options.opt_in.zip || self.roots.iter().any(is_file)
    }

    /// Returns the members of a file at this path, if it is a container that is read.
    pub fn members_of(&self, path: &Path, store: &SharedStore) -> Vec<Arc<Member>> {
        let is_root = |root: &Root| root.path().is_some_and(|typed| absolute(typed) == path);
        let is_single = self.roots.iter().any(is_root);
        let container_at = |path: &Path| {
            let (container, _) = self.types.of_path(path).container()?;
            self.unread_kind(container, is_single).is_none().then_some(container)
        };
        let container_of = |name: &str| {
            container_at(Path::new(name)).filter(|it| it.spec().form.has_members_below())
        };
        let file = container_at(path).zip(store.open(path).ok());
        let of = MembersOf { limits: self.options.limits, container_of: &container_of };
        file.map_or_else(Vec::new, |(container, mut file)| of.find(container, &mut *file))
    }

    /// Returns the name of the format of a container that is read on request only, if the run does
    /// not read it. One that is a PATH is always read.
    fn unread_kind(&self, container: ContainerId, is_single: bool) -> Option<&'static str> {
        let (also, kind) = container.spec().also.filter(|_| !is_single)?;
        (!self.options.opt_in.has(also)).then_some(kind)
    }

    /// Returns a file of the tree, in its directory: on the disk by the handle of that.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the entry.
    pub fn file_at(&self, entry: &Entry) -> Result<Box<dyn FileAt>, Failure> {
        let Some(Root::Path { real, store, .. }) = self.roots.get(entry.root) else {
            return Err(Failure::reading(&entry.path)(io::ErrorKind::NotFound.into()));
        };
        #[cfg(not(target_family = "wasm"))]
        if store.is_disk() {
            return Ok(Box::new(self.locate(entry)?));
        }
        let path = if entry.is_single { real.clone() } else { real.join(&entry.below) };
        Ok(store.at(path, &entry.path))
    }

    /// Returns the location of a file of the tree.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the entry.
    #[cfg(not(target_family = "wasm"))]
    pub fn locate(&self, entry: &Entry) -> Result<Location, Failure> {
        let location = self.dirs.locate(entry.root, &entry.below, &entry.path);
        location.map_err(Failure::reading(&entry.path))
    }
}

/// What an item of work adds to the progress of a run.
#[derive(Default)]
pub(crate) struct ProgressStep {
    pub(crate) path: PathBuf,
    /// If the item is a piece of a container, the offset of its end, and the length of the
    /// container.
    part: Option<(u64, u64)>,
}

impl ProgressStep {
    pub(crate) fn new(item: &Item) -> Self {
        let end = |piece: &Piece| piece.at + piece.bytes.len() as u64;
        let (opened, mut at) = match item {
            Item::Piece(opened, _, piece) => (Some(opened), end(piece)),
            Item::End(opened, _) => (opened.outer.as_ref().map(|outer| &outer.opened), 0),
            _ => (None, 0),
        };
        let part = opened.and_then(|opened| {
            for outer in opened.chain().filter_map(|opened| opened.outer.as_ref()) {
                at = end(&outer.piece);
            }
            Some((at, opened.chain().last()?.length))
        });
        let path = match item {
            Item::Piece(opened, _, piece) => opened.path_of_member(piece),
            item => item.path().to_owned(),
        };
        ProgressStep { path, part }
    }
}

/// The sums of the finished items.
#[derive(Default)]
pub(crate) struct Counter {
    /// Number of files of the run, if it is known.
    n_total: Option<usize>,
    n_files: usize,
    n_documents: usize,
    n_bytes: u64,
}

impl Counter {
    /// Creates the counter of a run over `n_total` files.
    pub(crate) fn with_total(n_total: usize) -> Self {
        Counter { n_total: Some(n_total), ..Counter::default() }
    }

    /// Adds a finished item, and sends the sums. `document` is the number of bytes of its
    /// document, if it has one.
    pub(crate) fn add(
        &mut self,
        step: &ProgressStep,
        document: Option<u64>,
        events: &mut dyn Events,
    ) {
        self.n_files += usize::from(step.part.is_none());
        self.n_documents += usize::from(document.is_some());
        self.n_bytes += document.unwrap_or(0);
        self.send(&step.path, step.part, events);
    }

    /// Adds a finished file, and sends the sums.
    pub(crate) fn add_file(&mut self, path: &Path, events: &mut dyn Events) {
        self.n_files += 1;
        self.n_documents += 1;
        self.send(path, None, events);
    }

    fn send(&self, path: &Path, part: Option<(u64, u64)>, events: &mut dyn Events) {
        let Counter { n_total, n_files, n_documents, n_bytes } = *self;
        let progress = Progress { path, n_files, n_total, part, n_documents, n_bytes };
        // Documented: only errors of output end a run.
        drop(events.event(Event::Progress(progress)));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use rewrite::{OptIn, references};

    use super::*;
    use crate::os::store::SharedStore;
    use crate::os::store::disk::disk;
    use crate::os::store::memory::Memory;
    use crate::tree::input::Input;
    use crate::tree::units::Units;
    use crate::urls::layout::Layout;

    const FILES: [(&str, &str); 5] = [
        ("404.html", "<a href=a>a</a>"),
        (
            "box.mbox",
            "From a@b Thu Jan  1 00:00:00 1970\nContent-Type: text/html\n\n<a href=http://h.example/m>\n",
        ),
        ("d/page.html", "<a href=b>b</a>"),
        ("d/page.html.headers", "HTTP/1.1 200 OK\r\nContent-Location: http://o.example/d/\r\n\r\n"),
        ("image.png", "\u{1}"),
    ];

    /// Returns the files of a tree, with the URLs of the documents in them and their targets.
    fn found(store: &SharedStore, top: &Path) -> Vec<String> {
        let roots = vec![Root::in_store(store, top.to_owned())];
        let base = Some("http://h.example/");
        let (places, _) =
            UrlMapping::new(store, &[top.to_owned()], base, &[], Layout::Plain).unwrap();
        let tree = Tree {
            dirs: walk::dirs(&roots),
            error_pages: ErrorPages::read(&roots, &places, &[]).unwrap(),
            roots,
            places,
            mirror: None,
            style_sheets: StyleSheets::default(),
            hints: Hints::default(),
            types: Types::new(&[], &OptIn::default()).unwrap(),
            globs: Globs::new(&[], &[]).unwrap(),
            has_version_control: false,
            ignored: Ignored::default(),
            options: Options::default(),
            not_read: NotRead::default(),
            leftovers: Leftovers::default(),
            markdown: None,
            mentions: None,
            integrity: DigestNames::default(),
            finished: HashSet::new(),
            changed: HashSet::new(),
            jobs: None,
            is_verbose: false,
        };
        let of_item = |item| {
            let (entry, input) = input::read(&tree, item).unwrap();
            let mut line = format!("{} {:?}", entry.below.display(), entry.kind);
            if tree.error_pages.contains(entry.root, &entry.below) {
                line.push_str(" is an error page");
            }
            if let Input::Document(document) = input {
                line.push_str(&format!(" {} {:?}", document.media.name(), document.url()));
                document.with_unit(None, |unit| {
                    references(unit, &tree.options, |site| {
                        line.push_str(&format!(" -> {}", site.target().unwrap_or_default()));
                    });
                });
            }
            line
        };
        Units::new(&tree, walk::entries(&tree.roots)).map(of_item).collect()
    }

    #[test]
    fn a_tree_in_memory_is_read_as_one_on_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        for (below, text) in FILES {
            let path = directory.path().join(below);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let on_disk = found(&disk(), directory.path());
        directory.close().unwrap();
        let files = FILES.map(|(below, text)| (Path::new("/site").join(below), text));
        let in_memory = found(&SharedStore::new(Memory::from_iter(files)), Path::new("/site"));
        assert_eq!(in_memory, on_disk);
        let text = in_memory.join("\n");
        for part in
            ["404.html File is an error page", "http://h.example/m", "headers File message/"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
