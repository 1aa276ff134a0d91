//! Reading a file once, and what is known of it.

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
    /// Where it is.
    pub entry: Entry,
    /// What it is.
    pub container: Container,
    /// Mode and times; none for standard input.
    pub metadata: Option<Metadata>,
    /// The URL of the file, and the option that tells it.
    pub url: Option<(String, &'static str)>,
}

/// What is to be done.
pub enum Item {
    /// A file, and what it is; or something that is none.
    Entry(Entry, FileType),
    /// Standard input, all of it.
    Stream(Entry, Vec<u8>, FileType),
    /// A piece of a container, and its number if it holds a message, from 1.
    Piece(Arc<Opened>, Option<usize>, Piece),
    /// A container has been read: to its end, or as far as it could be.
    End(Arc<Opened>, Result<(), Failure>),
    /// Something that could not be read, and why.
    Failed(String),
}

impl Item {
    /// What it is about.
    pub fn path(&self) -> &Path {
        match self {
            Item::Entry(entry, _) | Item::Stream(entry, ..) => &entry.path,
            Item::Piece(opened, ..) | Item::End(opened, _) => &opened.entry.path,
            Item::Failed(_) => Path::new(""),
        }
    }

    /// How many octets are held in memory.
    pub fn weight(&self) -> usize {
        match self {
            Item::Stream(_, bytes, _) => bytes.len(),
            Item::Piece(_, _, piece) => piece.bytes.len(),
            _ => 0,
        }
    }
}

/// What is told of a file that was named on the command line and is no document, or none that was
/// asked for.
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
    /// What it is.
    pub media: Media,
    /// The file that it was read from, with its metadata; none for standard input, and for a piece.
    pub file: Option<(File, Metadata)>,
    /// The message of a container that it is.
    pub piece: Option<Placed>,
    /// Its URL.
    home: Option<Home>,
    /// The headings that lie beside it, and whose rules hold for them.
    sidecar: Option<(Arc<Sidecar>, Profile)>,
}

/// The URL of a document, and what tells it.
#[derive(Clone, Debug)]
pub enum Home {
    /// The run was told, by this option.
    Told(String, &'static str),
    /// Whoever saved the document noted it.
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
    /// Where the piece begins in the file.
    pub at: u64,
    /// Lines of the file before it.
    pub n_lines: u64,
    /// Where the message stands in the bytes of the piece.
    pub message: Range<usize>,
    /// Where the number stands in the bytes of the piece that counts the octets of the message, if
    /// it is not in that itself.
    pub length: Option<Range<usize>>,
    /// True if the line before its separator is not empty.
    pub follows_text: bool,
    /// What is wrong with the piece.
    pub fault: Option<&'static str>,
}

/// What a file, or a piece of one, turned out to be.
pub enum Input {
    /// A document to be handled.
    Document(Box<Document>),
    /// A document of a kind that is not read yet.
    Unsupported(&'static str),
    /// A document that is larger than is read.
    TooLarge(Met),
    /// Standard input that is no document; its bytes are in memory.
    Stream(Vec<u8>),
    /// A piece of a container that holds no message, and where it begins in that.
    Around(Arc<Opened>, u64, Vec<u8>),
    /// A container has been read: to its end, or as far as it could be.
    End(Arc<Opened>, Result<(), Failure>),
    /// Anything else, and documents that the run was told to leave.
    Other,
}

impl Document {
    /// Calls `act` with the document as a unit, and its contexts. `new_place` is its place in the
    /// output, if that is another.
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

    /// The URL of the file, if it is known.
    pub fn url(&self) -> Option<&str> {
        self.home.as_ref().map(Home::url)
    }

    /// The hint that tells its URL, if nothing else does.
    pub fn hint(&self) -> Option<&Hint> {
        match &self.home {
            Some(Home::Hinted(hint)) => Some(hint),
            _ => None,
        }
    }

    /// The bytes that are the unit: all of a file, or the message of a piece.
    pub fn unit(&self) -> &[u8] {
        &self.bytes[self.span()]
    }

    /// Where the unit stands in the bytes.
    pub fn span(&self) -> Range<usize> {
        match &self.piece {
            Some(piece) => piece.message.clone(),
            None => 0..self.bytes.len(),
        }
    }

    /// The place in the file of an offset in the unit.
    pub fn in_file(&self, at: usize) -> usize {
        match &self.piece {
            Some(piece) => {
                let start = usize::try_from(piece.at).unwrap_or(usize::MAX);
                start.saturating_add(piece.message.start).saturating_add(at)
            }
            None => at,
        }
    }

    /// The number of the message in its container.
    pub fn number(&self) -> Option<usize> {
        self.piece.as_ref().map(|piece| piece.number)
    }
}

/// The URL of a document: what the run was told, or what was noted of it. A guess counts after
/// that, and not for messages: where they lie says nothing of what they are about.
fn home(
    tree: &Tree,
    told: Option<(String, &'static str)>,
    media: Media,
    hint: impl FnOnce() -> Option<Hint>,
) -> Option<Home> {
    let of = |(url, option)| Home::Told(url, option);
    let is_message = matches!(media, Media::Message(_));
    match tree.places.is_guess() {
        true => hint().map(Home::Hinted).or(told.filter(|_| !is_message).map(of)),
        false => told.map(of).or_else(|| hint().map(Home::Hinted)),
    }
}

/// Reads what is to be done.
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
            let told = tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
            let input = match file_type {
                FileType::Document(media) => {
                    let media = media::of_bytes(media, &bytes);
                    let (file, piece, sidecar) = (None, None, None);
                    let home = home(tree, told, media, || tree.hints.of(media, &bytes, None));
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

/// Reads what is to be done for a command that only looks.
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

/// What is told of a piece of a container that begins a message which is larger than is read.
pub fn too_large(tree: &Tree, item: &Item) -> Option<String> {
    let Item::Piece(opened, _, Piece { at, fault: Some(Fault::TooLarge), .. }) = item else {
        return None;
    };
    let met = tree.options.limits.met(Limit::DocumentSize);
    let reason = format!("the message at byte {at} is left as it is: {met}");
    Some(messages::of_path(&opened.entry.path, &reason))
}

/// All of a file, if that is not too large.
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

/// The bytes of a file whose length is known: one call for most, and one allocation. `None` if
/// there are more than `most`.
fn read_all(file: &mut File, len: u64, most: usize) -> io::Result<Option<Vec<u8>>> {
    if len > most as u64 {
        return Ok(None);
    }
    // There is room for one byte more, so that a file which has grown is told from one that is at
    // its end.
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
