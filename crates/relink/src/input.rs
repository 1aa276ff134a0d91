//! Reading a file once, and its metadata.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use basectx::Context;
use rewrite::{Http, Limit, Media, MessageFraming, Met, NewPlace, Profile, Unit};

use crate::container::{Container, Fault, Piece};
use crate::failure::Failure;
use crate::hints::Hint;
use crate::media::{self, FileType};
use crate::messages;
use crate::paths::Root;
use crate::sidecar::{self, Sidecar};
use crate::tree::Tree;
use crate::walk::{self, Entry, EntryKind};

/// A container that is being read.
#[derive(Debug)]
pub struct Opened {
    /// Its entry in the tree.
    pub entry: Entry,
    /// Its format.
    pub container: Container,
    /// Mode and times; none for standard input.
    pub metadata: Option<Metadata>,
    /// The URL of the file, and the option that gives it.
    pub url: Option<(String, &'static str)>,
}

/// An item of work.
pub enum Item {
    /// A file, and its type; or an entry that is not a file.
    Entry(Entry, FileType),
    /// Standard input, all of it.
    Stream(Entry, Vec<u8>, FileType),
    /// A piece of a container, and the number of its message, from 1, if it contains one.
    Piece(Arc<Opened>, Option<usize>, Piece),
    /// The end of a container: all of it was read, or reading failed.
    End(Arc<Opened>, Result<(), Failure>),
    /// An entry that could not be read, and the reason.
    Failed(String),
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

    /// Returns the number of octets that are held in memory.
    pub fn weight(&self) -> usize {
        match self {
            Item::Stream(_, bytes, _) => bytes.len(),
            Item::Piece(_, _, piece) => piece.bytes.len(),
            _ => 0,
        }
    }
}

/// Returns the message for a file on the command line that is not a document, or not one that the
/// options select.
pub fn no_document(tree: &Tree, entry: &Entry) -> String {
    let path = (tree.roots.get(entry.root) != Some(&Root::Stdin)).then_some(&*entry.path);
    let reason = match tree.types.asks_for(path) {
        Some(name) => format!("such a document is read only with --also {name}"),
        None => "this is not known to be a document; --type tells".to_owned(),
    };
    messages::of_path(&entry.path, &reason)
}

/// A document in memory.
pub struct Document {
    /// All bytes of the file, or of the piece of its container.
    pub bytes: Vec<u8>,
    /// Its media type.
    pub media: Media,
    /// The file that it was read from, with its metadata; `None` for standard input and for a
    /// piece.
    pub file: Option<(File, Metadata)>,
    /// The message in its container, if it is one.
    pub piece: Option<Placed>,
    /// Its URL.
    home: Option<Home>,
    /// The header section in a file next to it, and the profile that applies to it.
    sidecar: Option<(Arc<Sidecar>, Profile)>,
}

/// The URL of a document, and its source.
#[derive(Clone, Debug)]
pub enum Home {
    /// This option of the run.
    Told(String, &'static str),
    /// Provenance metadata in the document.
    Hinted(Hint),
}

impl Home {
    fn url(&self) -> &str {
        match self {
            Home::Told(url, _) => url,
            Home::Hinted(hint) => &hint.url,
        }
    }
}

/// A message in its container.
pub struct Placed {
    /// The container.
    pub opened: Arc<Opened>,
    /// The number of the message, from 1.
    pub number: usize,
    /// Offset of the piece in the file.
    pub at: u64,
    /// Number of lines of the file before it.
    pub n_lines: u64,
    /// The span of the message in the bytes of the piece.
    pub message: Range<usize>,
    /// The span, in the bytes of the piece, of the number that counts the octets of the message, if
    /// the number is outside of the message.
    pub length: Option<Range<usize>>,
    /// True if the line before its separator is not empty.
    pub follows_text: bool,
    /// The defect of the piece, if it has one.
    pub fault: Option<&'static str>,
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
    /// A piece of a container that does not contain a message, and its offset in the container.
    Around(Arc<Opened>, u64, Vec<u8>),
    /// The end of a container: all of it was read, or reading failed.
    End(Arc<Opened>, Result<(), Failure>),
    /// Anything else, and documents that the options skip.
    Other,
}

impl Document {
    /// Calls `act` with the document as a unit, and its contexts. `new_place` is its place in the
    /// output, if it differs.
    pub fn with_unit<T>(
        &self,
        new_place: Option<NewPlace<'_>>,
        act: impl FnOnce(Unit<'_>) -> T,
    ) -> T {
        let context = match &self.home {
            Some(Home::Told(url, option)) => Context::retrieval(url, option),
            Some(Home::Hinted(hint)) => hint.context(),
            None => Context::none(),
        };
        let own_url = self.url();
        let (bytes, media) = (self.unit(), self.media);
        let act = |context: &Context<'_>| act(Unit { bytes, media, context, own_url, new_place });
        match &self.sidecar {
            Some((sidecar, profile)) => sidecar.within(&context, *profile, act),
            None => act(&context),
        }
    }

    /// Returns the URL of the file, if it is known.
    pub fn url(&self) -> Option<&str> {
        self.home.as_ref().map(Home::url)
    }

    /// Returns the hint that gives the URL, if nothing else does.
    pub fn hint(&self) -> Option<&Hint> {
        match &self.home {
            Some(Home::Hinted(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns the bytes of the unit: all of a file, or the message of a piece.
    pub fn unit(&self) -> &[u8] {
        &self.bytes[self.span()]
    }

    /// Returns the span of the unit in the bytes.
    pub fn span(&self) -> Range<usize> {
        match &self.piece {
            Some(piece) => piece.message.clone(),
            None => 0..self.bytes.len(),
        }
    }

    /// Returns the offset in the file of an offset in the unit.
    pub fn in_file(&self, at: usize) -> usize {
        match &self.piece {
            Some(piece) => {
                let start = usize::try_from(piece.at).unwrap_or(usize::MAX);
                start.saturating_add(piece.message.start).saturating_add(at)
            }
            None => at,
        }
    }

    /// Returns the number of the message in its container.
    pub fn number(&self) -> Option<usize> {
        self.piece.as_ref().map(|piece| piece.number)
    }
}

/// Returns the URL of a document: from the options, or from its provenance metadata. A guess comes
/// after both, and is not used for messages, because the path of a message says nothing about its
/// URL.
fn home(
    tree: &Tree,
    given: Option<(String, &'static str)>,
    media: Media,
    hint: impl FnOnce() -> Option<Hint>,
) -> Option<Home> {
    let of = |(url, option)| Home::Told(url, option);
    let is_message = matches!(media, Media::Message(_));
    match tree.places.is_guess() {
        true => hint().map(Home::Hinted).or(given.filter(|_| !is_message).map(of)),
        false => given.map(of).or_else(|| hint().map(Home::Hinted)),
    }
}

/// Reads an item.
///
/// # Errors
///
/// A message with the path.
pub fn read(tree: &Tree, item: Item) -> Result<(Entry, Input), String> {
    match item {
        Item::Entry(entry, file_type) => match entry.kind {
            EntryKind::File => {
                let input = read_file(tree, &entry, file_type)?;
                Ok((entry, input))
            }
            _ => Ok((entry, Input::Other)),
        },
        Item::Stream(entry, bytes, file_type) => {
            let given = tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
            let input = match file_type {
                FileType::Document(media) => {
                    let media = media::of_bytes(media, &bytes);
                    let (file, piece, sidecar) = (None, None, None);
                    let home = home(tree, given, media, || tree.hints.of(media, &bytes, None));
                    let document = Document { bytes, media, file, piece, home, sidecar };
                    Input::Document(Box::new(document))
                }
                _ => Input::Stream(bytes),
            };
            Ok((entry, input))
        }
        Item::Piece(opened, number, piece) => {
            let entry = opened.entry.clone();
            Ok((entry, of_piece(tree, opened, number, piece)))
        }
        Item::End(opened, result) => Ok((opened.entry.clone(), Input::End(opened, result))),
        Item::Failed(message) => Err(message),
    }
}

/// Reads an item for a command that only reads.
///
/// # Errors
///
/// A message with the path; also for a pipe, socket or device.
pub fn read_document(tree: &Tree, item: Item) -> Result<(Entry, Input), String> {
    if let Some(failure) = too_large(tree, &item) {
        return Err(failure);
    }
    match &item {
        Item::Entry(entry, _) if entry.kind == EntryKind::Special => {
            Err(messages::of_path(&entry.path, walk::SPECIAL))
        }
        _ => match read(tree, item)? {
            (_, Input::End(_, Err(failure))) => Err(failure.into()),
            (entry, Input::TooLarge(met)) => {
                Err(messages::of_path(&entry.path, &format!("not read: {met}")))
            }
            read => Ok(read),
        },
    }
}

/// Returns the message for a piece of a container at the start of a message that is too large.
pub fn too_large(tree: &Tree, item: &Item) -> Option<String> {
    let Item::Piece(opened, _, Piece { at, fault: Some(Fault::TooLarge), .. }) = item else {
        return None;
    };
    let met = tree.options.limits.met(Limit::DocumentSize);
    let reason = format!("the message at byte {at} is left as it is: {met}");
    Some(messages::of_path(&opened.entry.path, &reason))
}

/// Returns the content of a file, unless it is too large.
pub fn small(tree: &Tree, path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let (len, limits) = (file.metadata()?.len(), &tree.options.limits);
    let bytes = read_all(&mut file, len, limits.get(Limit::DocumentSize))?;
    bytes.ok_or_else(|| io::Error::other(limits.met(Limit::DocumentSize).to_string()))
}

fn of_piece(tree: &Tree, opened: Arc<Opened>, number: Option<usize>, piece: Piece) -> Input {
    let Piece { bytes, at, n_lines, message, length, follows_text, fault } = piece;
    let (Some(number), Some(message)) = (number, message) else {
        return Input::Around(opened, at, bytes);
    };
    // The other containers have it in the message.
    let length = length.filter(|_| opened.container == Container::Emlx);
    let framing = if opened.container == Container::Emlx {
        MessageFraming::None
    } else {
        MessageFraming::Mailbox
    };
    let media = Media::Message(framing);
    let hint = || tree.hints.of(media, &bytes[message.clone()], None);
    let home = home(tree, opened.url.clone(), media, hint);
    let fault = fault.map(Fault::words);
    let placed = Placed { opened, number, at, n_lines, message, length, follows_text, fault };
    let (file, piece) = (None, Some(placed));
    let sidecar = None;
    Input::Document(Box::new(Document { bytes, media, file, piece, home, sidecar }))
}

fn read_file(tree: &Tree, entry: &Entry, file_type: FileType) -> Result<Input, Failure> {
    let media = match file_type {
        FileType::Document(media) => media,
        FileType::Unsupported(kind) => return Ok(Input::Unsupported(kind)),
        FileType::Container(_) | FileType::Other | FileType::Unknown => return Ok(Input::Other),
    };
    let failed = Failure::at(&entry.path);
    let (mut file, metadata) = tree.locate(entry)?.open().map_err(&failed)?;
    let limits = &tree.options.limits;
    let bytes = read_all(&mut file, metadata.len(), limits.get(Limit::DocumentSize));
    let Some(bytes) = bytes.map_err(&failed)? else {
        return Ok(Input::TooLarge(limits.met(Limit::DocumentSize)));
    };
    if media == Media::Http(Http::Headings) && !sidecar::is_one(&bytes) {
        return Ok(Input::Other);
    }
    let subject = sidecar::subject(&entry.path, media);
    let media = if media == Media::Html && media::is_feed(&bytes) { Media::Xml } else { media };
    let media = media::of_bytes(media, &bytes);
    let hint = || tree.hints.of(media, &bytes, Some((&entry.path, &file)));
    let home = home(tree, tree.places.url_of(&subject), media, hint);
    let (file, piece) = (Some((file, metadata)), None);
    let profile = tree.options.mail.profile;
    let sidecar = entry.sidecar.clone().map(|sidecar| (sidecar, profile));
    Ok(Input::Document(Box::new(Document { bytes, media, file, piece, home, sidecar })))
}

/// Returns the bytes of a file of known length: mostly with one call and one allocation. Returns
/// `None` if there are more than `most`.
fn read_all(file: &mut File, len: u64, most: usize) -> io::Result<Option<Vec<u8>>> {
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
