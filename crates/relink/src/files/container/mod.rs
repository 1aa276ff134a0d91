//! Containers: files that contain documents. Each format of a container is one module that
//! implements [`Container`], and one row of [`CONTAINERS`].
//!
//! A container is read as pieces, which are copied as they are unless their document changes.
//! Invariant: the concatenated pieces of a file are the file, byte for byte, whatever it contains.
//! At most one piece is in memory, and the bytes that had to be read to find its end. What a piece
//! contains, a document or another container, is a span of its bytes in some containers, and
//! encoded in others. In a container that is only read, the pieces are the decoded blocks of those
//! records that have documents. A container in another one is not in memory either
//! ([`Piece::stream`]): it is read as a stream, and put together again from files ([`rebuilding`]).

pub(crate) mod archive;
mod content_error;
mod deflate;
mod emlx;
mod file_type;
pub mod gzip;
mod header_section;
pub mod length;
mod lines;
pub mod maildir;
mod mbox;
mod mmdf;
mod pieces;
pub mod rebuilding;
mod registry;
mod separator;
pub mod sniff;
mod stream;
pub mod wacz;
mod window;
pub mod zip;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use archive::{Archive, WEB_ARCHIVE};
pub use content_error::ContentError;
pub use deflate::zlib;
pub use emlx::Emlx;
pub use file_type::{ContainerId, FileType};
pub use gzip::Gzip;
use layers::Edits;
pub use maildir::Maildir;
pub use mbox::Mbox;
pub use mmdf::Mmdf;
pub use pieces::{
    Broken, Cut, Cutter, Fault, OnePiece, Piece, PieceMember, PieceReader, Pieces, RecordPlace,
};
use rebuilding::{Changed, EditedFile, RebuiltSums, Scratch};
pub use registry::{
    CONTAINERS, is_package, of_content, of_content_with_index, of_extension, of_media_type,
    of_place, of_whole_file,
};
use rewrite::{Limit, Limits, Media};
pub use stream::{IN_MEMORY, Source};
pub use wacz::Wacz;
pub use window::{SharedBytes, Window};
pub use zip::{EPUB, NO_OFFICE, NO_PACKAGE, OFFICE, OPEN_DOCUMENT, ZIP, Zip, ZipPackage};

use crate::os::store::OpenFile;
use crate::os::undo_log::Changes;

/// The name of an unsupported type of files, which contain other files.
pub const ARCHIVE: &str = "compressed file or archive";
/// The media type of EPUB, which is read in web archives too.
pub const EPUB_MEDIA_TYPE: &str = "application/epub+zip";
/// The name of archives in more archives than are read.
pub const TOO_DEEP: &str = "too deeply nested archive";

/// A format of files that contain documents.
///
/// Only [`spec`](Container::spec) is required: without other methods, the container is a file that
/// is one document.
pub trait Container: fmt::Debug + Sync {
    /// Returns the facts about the format that need no file.
    fn spec(&self) -> &'static ContainerSpec;

    /// Returns a new finder of the pieces of one file. Pieces are found in one thread, in the order
    /// of the file; everything else about a piece happens in the threads that process documents.
    fn cutter(&self) -> Box<dyn Cutter> {
        Box::new(OnePiece::default())
    }

    /// Returns the pieces of a file, in its order: those that the cutter finds, if the container
    /// is read from its start to its end. In a container that is only read, pieces are decoded, and
    /// are not all of the file.
    ///
    /// # Errors
    ///
    /// The error of the file, or the reason why it is no such container.
    fn pieces(&self, source: Source, reading: &mut Reading<'_>) -> io::Result<PieceReader> {
        let limits = reading.limits;
        let reason = limits.met(Limit::DocumentSize).to_string();
        let reason = match reason.strip_prefix("it ") {
            Some(rest) => format!("a {} {rest}", self.spec().noun),
            None => reason,
        };
        let pieces = Pieces::by(self.cutter(), source, pieces::CHUNK);
        Ok(Box::new(pieces.within(limits.get(Limit::DocumentSize), reason)))
    }

    /// Returns all members of a file, if it has members with names. What has two names is there
    /// twice.
    ///
    /// # Errors
    ///
    /// The error of the file, or the reason why it is not read.
    fn members(&self, file: &mut dyn OpenFile, limits: &Limits) -> io::Result<Vec<MemberPlace>> {
        let _ = (file, limits);
        Ok(Vec::new())
    }

    /// Returns the text of such a member, given its bytes in the file.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be read.
    fn content_of_member(
        &self,
        place: &MemberPlace,
        bytes: Vec<u8>,
        limits: &Limits,
    ) -> Result<Vec<u8>, ContentError> {
        let MemberPlace { name, range, fact } = place.clone();
        let (file_type, hyperlink_base) = (FileType::Other, None);
        let (is_signed, is_counted) = (false, false);
        let member = PieceMember { name, file_type, fact, is_signed, hyperlink_base, is_counted };
        let piece = Piece::without_document(range.start, bytes);
        let piece = Piece { member: Some(Arc::new(member)), ..piece };
        Ok(match self.content(&piece, limits)?.text {
            PieceText::Decoded(text) => text,
            PieceText::Span(span) => piece.bytes[span].to_vec(),
        })
    }

    /// Returns what a piece contains without reading it into memory, given its bytes in the file,
    /// and what the container says about it if it is a member.
    ///
    /// # Errors
    ///
    /// The error of the file, or the reason why it cannot be read; reading can fail, too.
    fn open(&self, piece: Source, fact: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
        let _ = (fact, limits);
        Ok(piece)
    }

    /// Calls a function with the URL of each capture in a file, also of those without a document.
    /// What is broken is passed over.
    fn captured_urls(&self, file: &mut dyn OpenFile, receive: &mut dyn FnMut(&str)) {
        let _ = (file, receive);
    }

    /// Returns the document of a piece that has one.
    ///
    /// # Errors
    ///
    /// The reason why the document is skipped.
    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        let _ = limits;
        let span = piece.unit.clone().unwrap_or_default();
        Ok(PieceDocument { media: self.spec().media, ..PieceDocument::of_span(span) })
    }

    /// Returns the bytes of a piece with its document edited. Lengths and checksums of the document
    /// are updated if they were correct before.
    ///
    /// Read again, the new bytes must be one piece with the new document. So edits that create a
    /// delimiter, by which the cutter would end the document elsewhere, are refused with an error,
    /// unless its media type rules them out, as [`MessageFraming`](rewrite::MessageFraming) does
    /// for lines `From `.
    ///
    /// # Errors
    ///
    /// The reason why the document stays as it is.
    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        Ok(Rebuilt::within(edited, None))
    }

    /// Writes a piece that contains a container, or a document, which was edited, as
    /// [`Container::rebuild`] does. Calls `changed` with the changes.
    ///
    /// # Errors
    ///
    /// The reason why the piece stays as it is, [`ContentError`], or the error of a file.
    fn rebuild_file(
        &self,
        edited: EditedFile<'_>,
        out: &mut dyn Scratch,
        changed: &mut Changed<'_>,
    ) -> io::Result<RebuiltSums> {
        let _ = (edited, out, changed);
        Err(ContentError::Unverified.into())
    }

    /// Returns the last piece of a file, with what follows from the pieces before it: the directory
    /// of a zip file has their offsets and lengths. `at` is its offset in the old file; `placed`
    /// lists the edited ones, in their order.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be updated; then the file stays as it is.
    fn tail(&self, tail: &[u8], at: u64, placed: &[PlacedPiece]) -> Result<Rebuilt, ContentError> {
        let _ = (at, placed);
        Ok(Rebuilt { bytes: tail.to_vec(), ..Rebuilt::default() })
    }

    /// Returns the new name of a file whose name contains facts about its content, if these have
    /// changed.
    fn renamed(&self, name: &OsStr, before: &[u8], after: &[u8]) -> Option<OsString> {
        let _ = (name, before, after);
        None
    }
}

/// A member of a container.
#[derive(Clone, Debug)]
pub struct MemberPlace {
    /// Its name.
    pub name: String,
    /// Its range in the file.
    pub range: Range<u64>,
    /// What the container says about it.
    pub fact: PieceFact,
}

/// What is necessary to read the pieces of a file.
pub struct Reading<'r> {
    /// The limits of the run, less what the containers around the file take of them. What the file
    /// takes of those that are sums is taken here.
    pub limits: Limits,
    /// The number of threads that process documents; `None` is one per core.
    pub jobs: Option<u16>,
    /// Returns the type of a member by its name; if that does not give it, by its first bytes.
    pub type_of: &'r TypeOfMember<'r>,
}

/// A function that returns the type of a member by its name, and by its first bytes if it calls the
/// function that reads them.
pub type TypeOfMember<'r> = dyn Fn(&Path, &mut dyn FnMut() -> Vec<u8>) -> FileType + 'r;

/// The facts about a format of containers: how its files are recognized, and what they contain.
#[derive(Debug)]
pub struct ContainerSpec {
    /// The word for one of its documents in messages, such as `message`; the third one of a
    /// [`ContainerForm::Many`] is `message 3`.
    pub noun: &'static str,
    /// The number of its documents, and what follows from it.
    pub form: ContainerForm,
    /// The media type of its documents; `None` if they have several.
    pub media: Option<Media>,
    /// Its own media types in lower case; for a [`ContainerForm::WholeFile`] further ones of its
    /// document.
    pub media_types: &'static [&'static str],
    /// The extensions of its files in lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Returns true if a file begins with these bytes, [`sniff::HEAD`] at most.
    pub is_content: Option<fn(&[u8]) -> bool>,
    /// Returns true if a file at this path is one, whatever its name. The function decides which
    /// paths are directories.
    pub is_place: Option<IsPlace>,
    /// Returns the name of the unsupported format of a file that has the extension of this one, by
    /// its first bytes.
    pub unsupported: Option<NameUnsupported>,
    /// Returns the name of the document in a file with this name, in lower case: its media type is
    /// that of a file with that name.
    pub document_name: Option<fn(&str) -> Option<String>>,
    /// The index that another program keeps next to a file: what its name has after the name of the
    /// file, and the message if it is outdated.
    pub index: Option<(&'static str, &'static str)>,
    /// Returns true if a file that begins with these bytes, and next to which is its index, is one.
    pub is_content_with_index: Option<fn(&[u8]) -> bool>,
    /// The name of `--also` that reads such files in directories, and the name of the format
    /// without it; a file that is a PATH is always read.
    pub also: Option<(&'static str, &'static str)>,
    /// The name of the format for commands that write, which do not support it, if it is only read.
    pub only_read: Option<&'static str>,
    /// True if it is read anywhere, and not from its start to its end.
    pub is_seekable: bool,
    /// The message of a verbose run for a piece whose start is uncertain ([`Piece::follows_text`]).
    pub doubt: &'static str,
}

/// A function that names the unsupported format of a file by its first bytes, if it has one.
pub type NameUnsupported = fn(&[u8]) -> Option<&'static str>;

/// A function that recognizes a container by its place.
pub type IsPlace = fn(&Path, &dyn Fn(&Path) -> bool) -> bool;

impl ContainerSpec {
    /// A format that is recognized by nothing, with the common defaults.
    pub const fn new(noun: &'static str, form: ContainerForm, media: Option<Media>) -> Self {
        ContainerSpec {
            noun,
            form,
            media,
            media_types: &[],
            extensions: &[],
            is_content: None,
            is_place: None,
            unsupported: None,
            document_name: None,
            index: None,
            is_content_with_index: None,
            also: None,
            only_read: None,
            is_seekable: form.has_members(),
            doubt: "",
        }
    }
}

/// The number of documents in a container, by which the program reads and writes it, and names its
/// documents in messages and in the places of references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerForm {
    /// The file is one document. It is read and written as any other document; only its name and
    /// place follow the rules of the container.
    WholeFile,
    /// One document, which is encoded. It has the path of the file, without a number.
    One,
    /// Documents that are numbered from 1, in the order of the file. A piece without a document has
    /// no number.
    Many,
    /// Documents in records, which have offsets and URLs. The file is only read.
    Records,
    /// Members with names, of which some are documents. The URL of a member is below that of the
    /// file.
    Members,
    /// Members with names, which are parts of one document.
    Package(PackageBase),
}

/// What the relative references of the members of a package resolve at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageBase {
    /// The URL of the file: those that are read lead out of it.
    File,
    /// The URL of the member, as if the file were a directory: `../a` is next to the file.
    Member,
    /// The URL of the member, and none of them leads out of the package.
    Closed,
}

impl ContainerForm {
    /// Returns true if its members are files with names.
    pub const fn has_members(self) -> bool {
        matches!(self, ContainerForm::Members | ContainerForm::Package(_))
    }

    /// Returns true if its members have URLs of their own, below that of the file.
    pub fn has_members_below(self) -> bool {
        self.has_members() && self != ContainerForm::Package(PackageBase::File)
    }
}

/// The document of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceDocument {
    /// Its bytes.
    pub text: PieceText,
    /// Its media type; `None` if the container does not give it.
    pub media: Option<Media>,
    /// The URL that the container gives it, and the name of the source of that URL.
    pub url: Option<(String, &'static str)>,
    /// The number of bytes at the start of the decoded bytes that the container has added.
    pub n_added: usize,
    /// Its defect, if it has one that is seen only here.
    pub fault: Option<Fault>,
}

impl PieceDocument {
    fn new(text: PieceText, media: Option<Media>) -> Self {
        PieceDocument { text, media, url: None, n_added: 0, fault: None }
    }

    /// Returns the document that is a span of its piece, with nothing known about it.
    fn of_span(span: Range<usize>) -> Self {
        PieceDocument::new(PieceText::Span(span), None)
    }
}

/// The bytes of a document in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceText {
    /// A span of the bytes of the piece.
    Span(Range<usize>),
    /// The decoded bytes.
    Decoded(Vec<u8>),
}

/// A document of a piece that was edited.
#[derive(Clone, Debug)]
pub struct Edited<'e> {
    /// The bytes of the piece, as they are in the file.
    pub piece: &'e [u8],
    /// The span of the document in them; all of them if it is encoded.
    pub span: Range<usize>,
    /// The old document.
    pub old: &'e [u8],
    /// The new document.
    pub new: &'e [u8],
    /// The edits that give the new one.
    pub edits: &'e Edits,
    /// The member that the piece is, in a container of members.
    pub member: Option<&'e PieceMember>,
    /// False if its new bytes are seen nowhere: they need not be short.
    pub is_seen: bool,
}

/// A piece with its document edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Its new bytes.
    pub bytes: Vec<u8>,
    /// The old bytes, for the journal; offsets are those of the new bytes.
    pub changes: Changes,
    /// The number of lengths and checksums that were updated.
    pub n_derived: usize,
    /// What the tail of the container says about the piece, if it has a tail that does.
    pub fact: Option<PieceFact>,
}

/// What the tail of a container says about an edited piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceFact {
    /// The CRC-32 of its document.
    pub crc: u32,
    /// The length of its document in bytes.
    pub size: u64,
    /// The length in bytes of what the document is encoded as.
    pub n_encoded: u64,
}

/// The place of an edited piece in the old file and in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// Its range in the old file.
    pub old: Range<u64>,
    /// Its range in the new file.
    pub new: Range<u64>,
    /// What the tail says about it.
    pub fact: PieceFact,
}

impl Rebuilt {
    /// Replaces the document, which is a span of the piece, and a number before it: its span in the
    /// piece, and its new digits.
    fn within(edited: &Edited<'_>, number: Option<(Range<usize>, Vec<u8>)>) -> Self {
        let Edited { piece, span: old, new, edits, .. } = edited;
        let mut out = Vec::with_capacity(piece.len() + new.len() - old.len());
        let mut changes = Changes::default();
        let n_derived = usize::from(number.is_some());
        match number {
            Some((span, digits)) => {
                out.extend_from_slice(&piece[..span.start]);
                out.extend_from_slice(&digits);
                changes.push(span.start as u64, digits.len() as u64, &piece[span.clone()]);
                out.extend_from_slice(&piece[span.end..old.start]);
            }
            None => out.extend_from_slice(&piece[..old.start]),
        }
        let start = out.len() as u64;
        for (span, old) in Changes::new(&piece[old.clone()], new, edits).iter() {
            changes.push(start + span.start, span.end - span.start, old);
        }
        out.extend_from_slice(new);
        out.extend_from_slice(&piece[old.end..]);
        Rebuilt { bytes: out, changes, n_derived, fact: None }
    }
}
