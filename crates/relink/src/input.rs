//! Reading a file once, and what is known of it.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use basectx::Context;
use rewrite::{Media, NewPlace, Unit};

use crate::config::Tree;
use crate::failure::Failure;
use crate::media::{self, FileType};
use crate::messages;
use crate::walk::{self, Entry, EntryKind};

/// What is told of a file that was named on the command line and is no document.
pub const NO_DOCUMENT: &str = "this is not known to be HTML or CSS; --type tells";

/// A document in memory.
pub struct Document {
    /// All its bytes.
    pub bytes: Vec<u8>,
    /// What it is.
    pub media: Media,
    /// Mode and times; none for standard input.
    pub metadata: Option<Metadata>,
    url: Option<(String, &'static str)>,
}

/// What a file turned out to be.
pub enum Input {
    /// A document to be handled.
    Document(Box<Document>),
    /// A document of a kind that is not read yet.
    Unsupported(&'static str),
    /// Standard input that is no document; its bytes are in memory.
    Stream(Vec<u8>),
    /// Anything else, and documents that the run was told to leave.
    Other,
}

impl Document {
    /// Calls `act` with the document as a unit, and its contexts. `new_place` is its place in the output, if that is
    /// another.
    pub fn with_unit<T>(
        &self,
        new_place: Option<NewPlace<'_>>,
        act: impl FnOnce(Unit<'_>) -> T,
    ) -> T {
        let context = match &self.url {
            Some((url, option)) => Context::retrieval(url, option),
            None => Context::none(),
        };
        let own_url = self.url.as_ref().map(|(url, _)| url.as_str());
        act(Unit { bytes: &self.bytes, media: self.media, context: &context, own_url, new_place })
    }
}

/// Reads a file or standard input, if it is a document.
///
/// # Errors
///
/// [`Failure`] with the path.
pub fn read(tree: &Tree, entry: &Entry) -> Result<Input, Failure> {
    read_entry(tree, entry).map_err(Failure::at(&entry.path))
}

/// Reads a file or standard input for a command that only looks.
///
/// # Errors
///
/// A message with the path; also for a pipe, socket or device.
pub fn read_document(tree: &Tree, entry: &Entry) -> Result<Input, String> {
    match entry.kind {
        EntryKind::Special => Err(messages::of_path(&entry.path, walk::SPECIAL)),
        _ => Ok(read(tree, entry)?),
    }
}

fn read_entry(tree: &Tree, entry: &Entry) -> io::Result<Input> {
    if entry.kind == EntryKind::Stdin {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let file_type = match tree.types.of_stdin() {
            FileType::Unknown => media::sniff(&bytes[..bytes.len().min(media::SNIFFED)]),
            file_type => file_type,
        };
        let url = tree.places.url_of_stdin().map(|url| (url.to_owned(), "--base"));
        return Ok(match file_type {
            FileType::Document(media) => {
                Input::Document(Box::new(Document { bytes, media, metadata: None, url }))
            }
            _ => Input::Stream(bytes),
        });
    }
    let file_type = match tree.types.of_path(&entry.path) {
        _ if !tree.globs.allow(&entry.below)
            || tree.places.layout().is_bookkeeping(&entry.below) =>
        {
            FileType::Other
        }
        FileType::Unknown => of_content(&entry.path)?,
        file_type => file_type,
    };
    let media = match file_type {
        FileType::Document(media) => media,
        FileType::Unsupported(kind) => return Ok(Input::Unsupported(kind)),
        FileType::Other | FileType::Unknown => return Ok(Input::Other),
    };
    let mut file = File::open(&entry.path)?;
    let metadata = file.metadata()?;
    let bytes = read_all(&mut file, metadata.len())?;
    let url = tree.places.url_of(&entry.path);
    Ok(Input::Document(Box::new(Document { bytes, media, metadata: Some(metadata), url })))
}

/// The bytes of a file whose length is known: one call for most, and one allocation.
fn read_all(file: &mut File, len: u64) -> io::Result<Vec<u8>> {
    // There is room for one byte more, so that a file which has grown is told from one that is at its end.
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
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn of_content(path: &Path) -> io::Result<FileType> {
    let mut head = Vec::with_capacity(media::SNIFFED);
    File::open(path)?.take(media::SNIFFED as u64).read_to_end(&mut head)?;
    Ok(media::sniff(&head))
}
