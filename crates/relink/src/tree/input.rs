//! Reading a file once, and its metadata.

mod document;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use rewrite::{Http, Integrity, Limit, Media, Met};

use self::document::own_url;
pub use self::document::{Document, DocumentSource, OwnUrl, Placed};
use crate::files::container::{
    ContainerForm, Fault, FileType, IN_MEMORY, Piece, PieceDocument, PieceText, SharedBytes,
};
use crate::files::markdown;
use crate::files::media;
use crate::files::own_files;
use crate::files::sidecar;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::tree::Tree;
use crate::tree::containers::{Opened, Outer};
use crate::tree::mentions::Mentions;
use crate::tree::not_read::{Sign, Signs};
use crate::urls::layout::httrack;

/// An item of work.
pub enum Item {
    /// A file, and its type; or an entry that is not a file.
    Entry(Entry, FileType),
    /// Standard input, all of it.
    Stream(Entry, Vec<u8>, FileType),
    /// A piece of a container, and the number of its document, from 1, if it has one that is
    /// numbered.
    Piece(Arc<Opened>, Option<usize>, Piece),
    /// The end of a container: all of it was read, or reading failed.
    End(Arc<Opened>, Result<(), Failure>),
    /// An entry that could not be read, and the reason.
    Failed(Failure),
}

impl Item {
    /// Returns the path of the item.
    pub fn path(&self) -> &Path {
        match self {
            Item::Entry(entry, _) | Item::Stream(entry, ..) => &entry.path,
            Item::Piece(opened, ..) | Item::End(opened, _) => &opened.entry.path,
            Item::Failed(_) => Path::new(""),
        }
    }

    /// Returns the number of bytes that are held in memory.
    pub fn weight(&self) -> usize {
        match self {
            Item::Stream(_, bytes, _) => bytes.len(),
            Item::Piece(_, _, piece) => piece.bytes.len(),
            // It is in memory until it is closed.
            Item::End(opened, _) => {
                let length = usize::try_from(opened.length).unwrap_or(usize::MAX);
                let held = |outer: &Outer| outer.piece.bytes.len() + length.min(IN_MEMORY);
                opened.outer.as_ref().map_or(0, held)
            }
            _ => 0,
        }
    }
}

/// Returns the message for a file on the command line that is not a document, or not one that the
/// options select.
pub fn no_document(tree: &Tree, entry: &Entry) -> String {
    let path = (tree.roots.get(entry.root) != Some(&Root::Stdin)).then_some(&*entry.path);
    let reason = match tree.types.asks_for(path) {
        Some(name) => format!(
            "skipped; documents of this type are read on request only; use `--also {name}` to read them"
        ),
        None => {
            "skipped; not a known type of document; use `--type EXT=MEDIA/TYPE` to set its type"
                .to_owned()
        }
    };
    messages::of_path(&entry.path, &reason)
}

/// The result of reading an item.
pub enum Input {
    /// A document to process.
    Document(Box<Document>),
    /// A document in an unsupported format.
    Unsupported(&'static str),
    /// A document that exceeds the limit of its size.
    TooLarge(Met),
    /// Standard input that is not a document; its bytes are in memory.
    Stream(Vec<u8>),
    /// A piece of a container without a document.
    Around(Arc<Opened>, SharedBytes),
    /// The end of a container: all of it was read, or reading failed.
    End(Result<(), Failure>),
    /// Anything else, and documents that the options skip.
    Other,
}

/// Reads an item.
///
/// # Errors
///
/// [`Failure`] with the path.
pub fn read(tree: &Tree, item: Item) -> Result<(Entry, Input), Failure> {
    match item {
        Item::Entry(entry, file_type) => match entry.kind {
            EntryKind::File => {
                let input = read_file(tree, &entry, file_type)?;
                note(tree, &entry, &input);
                Ok((entry, input))
            }
            _ => Ok((entry, Input::Other)),
        },
        Item::Stream(entry, bytes, file_type) => {
            let given = tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
            let input = match file_type {
                FileType::Document(media) => {
                    let media = media::of_bytes(media, &bytes);
                    let own_url =
                        own_url(tree, given, media, || tree.hints.find(media, &bytes, None));
                    let (read, source) = ((bytes.into(), media), DocumentSource::Stdin);
                    Input::Document(Box::new(Document::new(tree, &entry, read, source, own_url)))
                }
                _ => Input::Stream(bytes),
            };
            Ok((entry, input))
        }
        Item::Piece(opened, number, piece) => {
            let mut entry = opened.entry_of_member(&piece);
            let content = content(&opened, &piece)?;
            if let Some(record) = &piece.record {
                // Lines are those of the record, so every message names its offset.
                entry.path.as_mut_os_string().push(format!(":{}", record.place.offset));
            }
            Ok((entry, of_piece(tree, opened, number, piece, content)))
        }
        Item::End(opened, result) => Ok((opened.entry.clone(), Input::End(result))),
        Item::Failed(failure) => Err(failure),
    }
}

/// Reads an item for a command that only reads.
///
/// # Errors
///
/// [`Failure`] with the path; also for a pipe, socket or device.
pub fn read_document(tree: &Tree, item: Item) -> Result<(Entry, Input), Failure> {
    match &item {
        Item::Entry(entry, _) if entry.kind == EntryKind::Special => {
            Err(Failure::because(&entry.path, walk::SPECIAL))
        }
        _ => match read(tree, item)? {
            (_, Input::End(Err(failure))) => Err(failure),
            (entry, Input::TooLarge(limit)) => {
                Err(Failure::because(&entry.path, format!("skipped; {limit}")))
            }
            read => Ok(read),
        },
    }
}

/// Notes for hints what of a file is not read.
fn note(tree: &Tree, entry: &Entry, input: &Input) {
    tree.integrity.see(&entry.path);
    if let Input::Document(document) = input {
        note_document(tree, entry, document);
    }
    note_unread(tree, entry, input);
}

/// Notes for hints what of a document is not read.
fn note_document(tree: &Tree, entry: &Entry, document: &Document) {
    // What a page in a zip file loads is most often in it too.
    let keeps_all = tree.options.integrity == Integrity::Keep || document.is_member();
    tree.integrity.search(document.media, &entry.path, &document.bytes, keeps_all);
    let is_page = document.media == Media::HTML;
    let mut signs = if is_page { tree.not_read.signs(&tree.options) } else { Signs::default() };
    signs.extend([Sign::DotHost]);
    let found = signs.found_in(&document.bytes);
    tree.not_read.note(&found);
    if found.has(Sign::DotHost) {
        document.with_unit(None, |unit| tree.leftovers.search(unit, &tree.options));
    }
    if let Some(mentions) = &tree.mentions {
        mentions.look_in_document(document.media, &entry.path, &entry.below, &document.bytes);
    }
}

/// Notes for hints a file that is not read.
fn note_unread(tree: &Tree, entry: &Entry, input: &Input) {
    match input {
        Input::Other | Input::Unsupported(_) if !entry.is_single && tree.allows(entry) => {
            if let Input::Unsupported(kind) = input {
                tree.not_read.add_unsupported(kind, &entry.path);
            }
            let name = tree.types.asks_for(Some(&entry.path));
            let open = || tree.file_at(entry).map_err(io::Error::other)?.open();
            let mentions = tree.mentions.as_ref();
            // What cannot be read is reported by those who copy it.
            let has_mention = |mentions: &Mentions| mentions.may_be_in(&entry.below, open);
            let is_still = match name {
                // A check is not expected to read the Markdown of dependencies.
                Some("markdown") => {
                    tree.markdown.is_some() && markdown::is_of_dependency(&entry.below)
                }
                // Most text names nothing that moves.
                Some("text") => !mentions.is_some_and(|it| has_mention(it).unwrap_or(true)),
                _ => false,
            };
            tree.not_read.add(name.filter(|_| !is_still));
            // A hint names the option that reads the others.
            if let Some(mentions) =
                mentions.filter(|_| name.is_none() || name == Some("js-modules"))
            {
                drop(mentions.look(&entry.path, &entry.below, open));
            }
        }
        _ => {}
    }
}

/// Returns the content of a file, unless it is too large.
pub fn small(tree: &Tree, path: &Path) -> io::Result<Vec<u8>> {
    let store = tree.roots.iter().find_map(Root::store).ok_or(io::ErrorKind::NotFound)?;
    let mut file = store.open_target(path)?;
    let (len, limits) = (file.length(), &tree.options.limits);
    let bytes = read_all(&mut file, len, limits.get(Limit::DocumentSize))?;
    bytes.ok_or_else(|| io::Error::other(limits.met(Limit::DocumentSize).to_string()))
}

/// Returns the document of a piece; `None` if it has none.
///
/// # Errors
///
/// [`Failure`] with the path, if the document is skipped.
pub fn content(opened: &Opened, piece: &Piece) -> Result<Option<PieceDocument>, Failure> {
    let limits = &opened.limits;
    let skipped = |what: &str, reason: &str| {
        let path = opened.path_of_member(piece);
        Failure::because(&path, format!("{what}skipped; {reason}"))
    };
    let spec = opened.container.spec();
    if piece.fault == Some(Fault::TooLarge) {
        let what = match spec.form {
            ContainerForm::Many | ContainerForm::Records => {
                format!("{} at byte {} ", spec.noun, piece.at)
            }
            ContainerForm::WholeFile
            | ContainerForm::One
            | ContainerForm::Members
            | ContainerForm::Package(_) => String::new(),
        };
        return Err(skipped(&what, &limits.met(Limit::DocumentSize).to_string()));
    }
    if piece.unit.is_none() {
        return Ok(None);
    }
    let what = || match spec.form {
        ContainerForm::Records => format!("{} at byte {} ", spec.noun, piece.at),
        _ => String::new(),
    };
    if let Some(broken) = &piece.broken {
        return Err(skipped(&what(), &broken.reason));
    }
    let content = opened.container.content(piece, limits);
    content.map(Some).map_err(|reason| skipped(&what(), &reason.to_string()))
}

/// Returns the input for a piece, given its content.
pub fn of_piece(
    tree: &Tree,
    opened: Arc<Opened>,
    number: Option<usize>,
    piece: Piece,
    content: Option<PieceDocument>,
) -> Input {
    let entry = opened.entry_of_member(&piece);
    let Piece { bytes, at, n_lines, follows_text, fault, record, member, .. } = piece;
    if let Some(Fault::Unsupported(kind)) = fault {
        tree.not_read.add_unsupported(kind, &entry.path);
    }
    let Some(PieceDocument { text, media, url, n_added, fault: of_content }) = content else {
        return Input::Around(opened, bytes);
    };
    let (bytes, unit, encoded) = match text {
        PieceText::Span(span) => (bytes, span, None),
        PieceText::Decoded(text) => {
            let unit = 0..text.len();
            (text.into(), unit, Some(bytes))
        }
    };
    let Some(media) = media::of_document(media.or(opened.media), &bytes[unit.clone()]) else {
        return Input::Around(opened, encoded.unwrap_or(bytes));
    };
    let hint = || tree.hints.find(media, &bytes[unit.clone()], None);
    let own_url = match url {
        Some((url, source)) => OwnUrl::given(&url, source),
        // The URL of a file is not that of its records.
        None if record.is_some() => hint().map(OwnUrl::Hinted),
        None => own_url(tree, opened.url_of_member(member.as_deref()), media, hint),
    };
    let fault = fault.or(of_content).map(Fault::words);
    let doubt = follows_text.then_some(opened.container.spec().doubt);
    let record = record.map(|record| record.place);
    let placed = Placed {
        opened,
        number,
        at,
        n_lines,
        unit,
        encoded,
        doubt,
        fault,
        record,
        member,
        n_added,
    };
    let source = DocumentSource::Piece(Box::new(placed));
    let document = Document::new(tree, &entry, (bytes, media), source, own_url);
    if document.is_member() {
        tree.integrity.see(&entry.path);
        note_document(tree, &entry, &document);
    }
    Input::Document(Box::new(document))
}

fn read_file(tree: &Tree, entry: &Entry, file_type: FileType) -> Result<Input, Failure> {
    let media = match file_type {
        FileType::Document(media) => media,
        FileType::Unsupported(kind) => return Ok(Input::Unsupported(kind)),
        FileType::Container(..) | FileType::Other | FileType::Unknown => return Ok(Input::Other),
    };
    let failed = Failure::reading(&entry.path);
    let mut file = tree.file_at(entry)?.open().map_err(&failed)?;
    let (length, limits) = (file.length(), &tree.options.limits);
    let bytes = read_all(&mut file, length, limits.get(Limit::DocumentSize));
    let Some(bytes) = bytes.map_err(&failed)? else {
        return Ok(Input::TooLarge(limits.met(Limit::DocumentSize)));
    };
    if own_files::is_report(&bytes)
        || (media == Media::Http(Http::Headings) && !sidecar::is_one(&bytes))
    {
        return Ok(Input::Other);
    }
    let subject = sidecar::subject(&entry.path, media);
    let media = media::of_named(media, &bytes);
    let store = tree.roots[entry.root].store();
    let file_of_hint = store.map(|store| (&*entry.path, &*file, &**store));
    let hint = || tree.hints.find(media, &bytes, file_of_hint);
    let given = tree.places.url_of(&subject);
    let own_url = match (&tree.mirror, &given) {
        (Some(mirror), Some((url, _))) => {
            let is_known = |url: &str| mirror.has_host(url);
            let hint = hint().and_then(|hint| hint.in_mirror(url, is_known));
            let below = paths::bytes(&entry.below);
            let listed = mirror.recorded_url(entry.root, &below);
            let listed = listed.and_then(|url| OwnUrl::given(url, httrack::LIST));
            hint.map(OwnUrl::Hinted).or(listed).or(own_url(tree, given, media, || None))
        }
        _ => own_url(tree, given, media, hint),
    };
    let (read, source) = ((bytes.into(), media), DocumentSource::File(file));
    Ok(Input::Document(Box::new(Document::new(tree, entry, read, source, own_url))))
}

/// Returns the bytes of a file of known length: mostly with one call and one allocation. Returns
/// `None` if there are more than `most`.
fn read_all(file: &mut impl Read, len: u64, most: usize) -> io::Result<Option<Vec<u8>>> {
    if len > most as u64 {
        return Ok(None);
    }
    // There is room for one more byte, which distinguishes a file that has grown from one at its
    // end.
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len + 1)?;
    bytes.resize(len + 1, 0);
    let mut n_read = 0;
    while n_read < bytes.len() {
        match file.read(&mut bytes[n_read..]) {
            Ok(0) => break,
            Ok(n) => n_read += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if n_read == len && len > 0 {
            break;
        }
    }
    let has_grown = n_read == bytes.len();
    bytes.truncate(n_read);
    if has_grown {
        let rest = most.saturating_add(1).saturating_sub(bytes.len());
        file.take(rest as u64).read_to_end(&mut bytes)?;
    }
    Ok((bytes.len() <= most).then_some(bytes))
}
