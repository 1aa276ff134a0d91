//! Zip files of documents.
//!
//! Invariant: a member without a change keeps every byte, and so does what is between members. An
//! edited one is compressed as before; its lengths and its checksum are updated in its headers and
//! in the directory, with the offsets of all members after it. A file whose headers contradict each
//! other is not read at all, since others may read it in another way.

mod directory;
mod epub;
mod header;
mod members;
mod names;
mod office;
mod open_document;
mod package;
mod stream;
mod tail;

use std::collections::HashSet;
use std::io::{self, Read, SeekFrom};
use std::iter;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use rewrite::{Limit, Limits};

pub use self::directory::{DirectoryLimits, Method, ZipDirectory, ZipMember, directory};
pub use self::epub::EPUB;
use self::header::{ENCRYPTED, HAS_DESCRIPTOR, LEVEL, LONGEST_DESCRIPTOR, LocalHeader};
use self::members::Members;
pub use self::office::OFFICE;
pub use self::open_document::OPEN_DOCUMENT;
pub use self::package::{NO_OFFICE, NO_PACKAGE, ZipPackage};
use self::stream::MemberText;
use self::tail::TailFields;
use super::deflate::{FASTEST, Inflating};
use super::pieces::{Broken, CHUNK};
use super::rebuilding::{self, Changed, EditedFile, RebuiltSums, Scratch, is_same};
use super::stream::in_memory;
use super::{
    Container, ContainerForm, ContainerSpec, ContentError, Edited, Fault, FileType, MemberPlace,
    Piece, PieceDocument, PieceFact, PieceMember, PieceReader, PieceText, PlacedPiece, Reading,
    Rebuilt, Source,
};
use crate::os::store::OpenFile;
use crate::os::undo_log::Changes;

/// The name of the format where it is not read.
pub const ZIP: &str = "zip file";
/// The number of bytes of a text by which its type is recognized, and of its data that are read.
const HEAD: usize = 1 << 10;
const HEAD_DATA: u64 = 4 << 10;

/// A zip file whose members are documents or other files.
#[derive(Clone, Copy, Debug)]
pub struct Zip;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/zip", "application/x-zip-compressed"],
    extensions: &["zip"],
    also: Some(("zip", ZIP)),
    ..ContainerSpec::new("member", ContainerForm::Members, None)
};

impl Container for Zip {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn pieces(&self, source: Source, reading: &mut Reading<'_>) -> io::Result<PieceReader> {
        pieces(source, reading, |_, _| Ok(Members::untyped()))
    }

    fn members(&self, file: &mut dyn OpenFile, limits: &Limits) -> io::Result<Vec<MemberPlace>> {
        let zip = Checked::read(file, limits)?;
        let members = zip.ranges.iter().map(|(range, idx)| (range, &zip.directory.members[*idx]));
        let place = |(range, member): (&Range<u64>, &ZipMember)| MemberPlace {
            name: member.name.clone(),
            range: range.clone(),
            fact: member.fact(),
        };
        Ok(members.map(place).collect())
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        let member = piece.member.as_deref().ok_or(ContentError::Unverified)?;
        let text = text(&piece.bytes, member.fact, limits)?;
        Ok(PieceDocument::new(PieceText::Decoded(text), member.file_type.media()))
    }

    fn open(&self, piece: Source, fact: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
        stream::open(piece, fact, limits)
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        rebuilding::in_memory(self, edited)
    }

    fn rebuild_file(
        &self,
        EditedFile { piece, new, member, is_seen, .. }: EditedFile<'_>,
        out: &mut dyn Scratch,
        changed: &mut Changed<'_>,
    ) -> io::Result<RebuiltSums> {
        let member = member.ok_or(ContentError::Unverified)?;
        if member.is_signed {
            return Err(ContentError::Signed.into());
        }
        let mut piece = piece.reader()?;
        let level = if is_seen { LEVEL } else { FASTEST };
        let (header, fact) = header::with_text(&mut *piece, member.fact, (new, level), out)?;
        out.seek(SeekFrom::Start(header.len as u64))?;
        new.rewind()?;
        if !is_same(&mut MemberText::new(&mut *out, &header, fact, None), new)? {
            return Err(ContentError::Unverified.into());
        }
        let [old, new] = rebuilding::between(&mut *piece, out)?;
        changed(old, new)?;
        Ok(RebuiltSums { n_derived: 2, fact: Some(fact) })
    }

    fn tail(&self, tail: &[u8], at: u64, placed: &[PlacedPiece]) -> Result<Rebuilt, ContentError> {
        let bytes = tail::updated(tail, at, placed)?;
        let changes = Changes::between(tail, &bytes);
        Ok(Rebuilt { bytes, changes, ..Rebuilt::default() })
    }
}

/// Returns the pieces of a file. `package` returns what a package says about its members.
fn pieces(
    source: Source,
    reading: &mut Reading<'_>,
    package: impl FnOnce(&Checked, &mut dyn OpenFile) -> Result<Members, ZipError>,
) -> io::Result<PieceReader> {
    let Source::File(mut file) = source else {
        let reason = "a zip file cannot be read from standard input; save it to a file";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    };
    let zip = Checked::read(&mut *file, &reading.limits);
    let zip = zip.and_then(|zip| Ok((package(&zip, &mut *file)?, zip)));
    let pieces = match zip {
        Ok((package, zip)) => {
            let taken = [
                (Limit::ArchiveMembers, zip.ranges.len()),
                (Limit::ArchiveDirectory, zip.tail.len()),
            ];
            for (limit, n) in taken {
                reading.limits.lower(limit, reading.limits.get(limit).saturating_sub(n));
            }
            let parts = zip.parts(&mut *file, reading, &package).into_iter();
            let tail = Some((zip.directory.at, zip.tail));
            ZipPieces { file, parts, rest: None, tail, broken: None }
        }
        Err(ZipError::Io(error)) => return Err(error),
        // It is copied.
        Err(ZipError::Refused(reason)) => {
            let range = 0..file.length();
            let parts = vec![Part { range, member: None, kind: PartKind::Other }].into_iter();
            let broken = Some(Broken { reason });
            ZipPieces { file, parts, rest: None, tail: None, broken }
        }
    };
    Ok(Box::new(pieces))
}

/// Returns the text of a member, unless it exceeds a limit.
fn text(member: &[u8], fact: PieceFact, limits: &Limits) -> Result<Vec<u8>, ContentError> {
    let header = LocalHeader::read(member).ok_or(ContentError::Unverified)?;
    let data = member.get(header.len..).ok_or(ContentError::Unverified)?;
    let text = MemberText::new(data, &header, fact, Some(limits));
    let length = text.expected_length();
    in_memory(text, length, limits)
}

/// A file whose headers fit each other.
struct Checked {
    directory: ZipDirectory,
    /// The ranges of the members, in the order of the file, and their indices in the directory.
    ranges: Vec<(Range<u64>, usize)>,
    tail: Vec<u8>,
}

impl Checked {
    /// Reads the directory, and all local headers.
    fn read(file: &mut dyn OpenFile, limits: &Limits) -> Result<Checked, ZipError> {
        let [members, bytes] = [Limit::ArchiveMembers, Limit::ArchiveDirectory]
            .map(|limit| (limits.get(limit), limits.met(limit).to_string()));
        let length = file.length();
        let directory = directory(file, length, &DirectoryLimits { members, bytes })?;
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(directory.at))?;
        // Its length has a limit.
        file.take(length.saturating_sub(directory.at)).read_to_end(&mut tail)?;
        let fields = TailFields::read(&tail);
        if fields.is_none_or(|fields| !fields.agree(&tail, &directory)) {
            return Err(refused("its end record does not fit its directory"));
        }
        let mut zip = Checked { directory, ranges: Vec::new(), tail };
        zip.check_names()?;
        zip.find_ranges(file)?;
        Ok(zip)
    }

    fn check_names(&self) -> Result<(), ZipError> {
        let mut names = HashSet::new();
        for member in &self.directory.members {
            let name = &member.name;
            if member.flags & ENCRYPTED != 0 {
                return Err(refused(format!("its member {name} is encrypted")));
            }
            // It would have the URL of something else.
            if name.starts_with('/') || name.split('/').any(|segment| segment == "..") {
                return Err(refused(format!("the name of its member {name} points out of it")));
            }
            if !names.insert(&**name) {
                return Err(refused(format!("it has two members {name}")));
            }
        }
        Ok(())
    }

    /// Finds the range of each member, from its local header to its data descriptor. None overlaps
    /// another one, or the directory.
    fn find_ranges(&mut self, file: &mut dyn OpenFile) -> Result<(), ZipError> {
        let ZipDirectory { members, at: end } = &self.directory;
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|idx| members[*idx].at);
        let nexts = order.iter().skip(1).map(|idx| members[*idx].at).chain(iter::once(*end));
        for (idx, next) in order.iter().zip(nexts) {
            let member = &members[*idx];
            let name = &member.name;
            if member.at > member.range.start || member.range.end > next {
                return Err(refused(format!("its member {name} overlaps another one")));
            }
            let end = range_end(file, member, next)?;
            let end = end.ok_or_else(|| {
                refused(format!("the header of its member {name} differs from its directory"))
            })?;
            self.ranges.push((member.at..end, *idx));
        }
        Ok(())
    }

    /// Returns what the pieces of the file are, in its order: gaps, and members.
    fn parts(
        &self,
        file: &mut dyn OpenFile,
        reading: &Reading<'_>,
        package: &Members,
    ) -> Vec<Part> {
        let most = reading.limits.get(Limit::DocumentSize) as u64;
        let (mut parts, mut has_document) = (Vec::new(), false);
        let mut at = 0;
        for (range, idx) in &self.ranges {
            let member = &self.directory.members[*idx];
            if at < range.start {
                parts.push(Part { range: at..range.start, member: None, kind: PartKind::Other });
            }
            at = range.end;
            let is_directory = member.name.ends_with('/');
            let file_type = match () {
                () if is_directory => FileType::Other,
                () if package.types.is_some() => package.type_of(&member.name),
                () => (reading.type_of)(Path::new(&member.name), &mut || head(file, member)),
            };
            let is_read = matches!(file_type, FileType::Document(_));
            let kind = match file_type {
                FileType::Container(..) => PartKind::Stream,
                _ if is_read && range.end - range.start > most => PartKind::Fault(Fault::TooLarge),
                _ if is_read => PartKind::Read,
                FileType::Unsupported(kind) => PartKind::Fault(Fault::Unsupported(kind)),
                _ => PartKind::Other,
            };
            let found = PieceMember {
                name: member.name.clone(),
                file_type,
                fact: member.fact(),
                is_signed: package.is_signed,
                hyperlink_base: package.hyperlink_base.clone(),
                is_counted: package.types.is_none() || !has_document,
            };
            has_document |= matches!(kind, PartKind::Read | PartKind::Stream);
            let member = (kind != PartKind::Other).then(|| Arc::new(found));
            parts.push(Part { range: range.clone(), member, kind });
        }
        if at < self.directory.at {
            let range = at..self.directory.at;
            parts.push(Part { range, member: None, kind: PartKind::Other });
        }
        parts
    }
}

impl ZipMember {
    fn fact(&self) -> PieceFact {
        let n_encoded = self.range.end - self.range.start;
        PieceFact { crc: self.crc, size: self.size, n_encoded }
    }
}

/// Why a file is not read.
enum ZipError {
    Io(io::Error),
    /// It is no zip file, its headers contradict each other, or it exceeds a limit; the reason.
    Refused(String),
}

impl From<io::Error> for ZipError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                refused(format!("it cannot be read as a zip file: {error}"))
            }
            io::ErrorKind::Other => refused(error.to_string()),
            _ => ZipError::Io(error),
        }
    }
}

impl From<ZipError> for io::Error {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => error,
            ZipError::Refused(reason) => io::Error::other(reason),
        }
    }
}

fn refused(reason: impl Into<String>) -> ZipError {
    ZipError::Refused(reason.into())
}

/// Returns the end of a member with its data descriptor, before the offset `next`; `None` if its
/// local header or its descriptor differs from the directory.
fn range_end(file: &mut dyn OpenFile, member: &ZipMember, next: u64) -> io::Result<Option<u64>> {
    let header = read_range(file, member.at..member.range.start)?;
    let Some(found) = LocalHeader::read(&header).filter(|found| found.len == header.len()) else {
        return Ok(None);
    };
    let fact = member.fact();
    let compared = HAS_DESCRIPTOR | ENCRYPTED;
    let is_same = found.flags & compared == member.flags & compared
        && found.method == member.method
        && header[found.name.clone()] == *member.raw_name
        && found.has_sums(&header, fact);
    if !is_same {
        return Ok(None);
    }
    let end = member.range.end;
    if found.flags & HAS_DESCRIPTOR == 0 {
        return Ok(Some(end));
    }
    let after = read_range(file, end..next.min(end + LONGEST_DESCRIPTOR))?;
    Ok(header::descriptor(&after, fact).map(|(_, len)| end + len as u64))
}

/// Returns the first bytes of the text of a member, as far as they can be read.
fn head(file: &mut dyn OpenFile, member: &ZipMember) -> Vec<u8> {
    let Range { start, end } = member.range;
    let data = read_range(file, start..end.min(start + HEAD_DATA)).unwrap_or_default();
    match member.method {
        Method::Stored => data[..data.len().min(HEAD)].to_vec(),
        Method::Deflate => Inflating::new(&*data).start(HEAD),
        Method::Other => Vec::new(),
    }
}

/// Returns the bytes of a range of a file, whose length has a limit.
fn read_range(file: &mut dyn OpenFile, range: Range<u64>) -> io::Result<Vec<u8>> {
    let len = range.end.saturating_sub(range.start);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?)?;
    file.seek(SeekFrom::Start(range.start))?;
    file.take(len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A stretch of a file: a member, or bytes between members.
struct Part {
    range: Range<u64>,
    member: Option<Arc<PieceMember>>,
    kind: PartKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    /// It is a document, and is read as a whole.
    Read,
    /// It is a container that is read from the file.
    Stream,
    /// It is copied; a member, and why it is not read.
    Fault(Fault),
    /// It is copied.
    Other,
}

/// The pieces of a file. What is only copied is cut into short ones.
struct ZipPieces {
    file: Box<dyn OpenFile>,
    parts: vec::IntoIter<Part>,
    /// The rest of the last part.
    rest: Option<Part>,
    /// The directory, and its offset.
    tail: Option<(u64, Vec<u8>)>,
    /// The reason why nothing of it is read.
    broken: Option<Broken>,
}

impl Iterator for ZipPieces {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(Part { range, member, kind }) = self.rest.take().or_else(|| self.parts.next())
        else {
            let (at, bytes) = self.tail.take()?;
            return Some(Ok(Piece { is_tail: true, ..Piece::without_document(at, bytes) }));
        };
        if kind == PartKind::Stream {
            return Some(Ok(Piece { member, ..Piece::streamed(range) }));
        }
        let end = match kind {
            PartKind::Read => range.end,
            _ => range.end.min(range.start + CHUNK as u64),
        };
        if end < range.end {
            let (range, kind) = (end..range.end, PartKind::Other);
            self.rest = Some(Part { range, member: None, kind });
        }
        let bytes = match read_range(&mut *self.file, range.start..end) {
            Ok(bytes) => bytes,
            Err(error) => {
                // It is the last item.
                (self.parts, self.rest, self.tail) = (Vec::new().into_iter(), None, None);
                return Some(Err(error));
            }
        };
        let broken = self.broken.take();
        let is_unit = kind == PartKind::Read || broken.is_some();
        let unit = is_unit.then_some(0..bytes.len());
        let fault = match kind {
            PartKind::Fault(fault) => Some(fault),
            PartKind::Read | PartKind::Stream | PartKind::Other => None,
        };
        let piece = Piece::without_document(range.start, bytes);
        Some(Ok(Piece { unit, fault, member, broken, ..piece }))
    }
}
