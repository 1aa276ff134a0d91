//! WACZ files: zip files with web archives in `archive/`, indexes of these, and a list of pages
//! (specs.webrecorder.net/wacz/1.1.1). The web archives are stored as they are, and read as ranges
//! of the file.

use std::io::{self, Read, Seek, SeekFrom, Take};

use rewrite::Limits;
use warc::Reader;

use super::archive::{self, WEB_ARCHIVE, captured_urls};
use super::pieces::PieceReader;
use super::zip::{DirectoryLimits, directory};
pub use super::zip::{Method, ZipMember};
use super::{Container, ContainerForm, ContainerSpec, Reading, Source};
use crate::os::store::OpenFile;
use crate::os::store::range::FileRange;

/// A WACZ file.
#[derive(Clone, Copy, Debug)]
pub struct Wacz;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/wacz"],
    extensions: &["wacz"],
    is_content: Some(is_wacz),
    only_read: Some(WEB_ARCHIVE),
    is_seekable: true,
    ..ContainerSpec::new("record", ContainerForm::Records, None)
};

/// The directories and files of a WACZ file.
const NAMES: [&[u8]; 4] = [b"archive/", b"pages/", b"indexes/", b"datapackage.json"];
/// The maximum number of members that are read.
const MOST: usize = 100_000;
/// The offset of the name of the first member, after its length and that of an extra field.
const NAME: usize = 30;

/// Returns true if a file begins as a zip file whose first member is one of a WACZ file.
pub fn is_wacz(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
        && head.get(NAME..).is_some_and(|name| NAMES.iter().any(|one| name.starts_with(one)))
}

/// The web archives in a WACZ file, and what it says about them.
#[derive(Debug, Default)]
pub struct WaczContents {
    /// The web archives that can be read.
    pub archives: Vec<ZipMember>,
    /// Those that are compressed again, which none may be.
    pub unread: Vec<ZipMember>,
    /// The lists of pages.
    pub pages: Vec<ZipMember>,
    /// The member with the digest of the datapackage, and perhaps a signature.
    pub digest: Option<ZipMember>,
}

/// Returns what a WACZ file contains.
///
/// # Errors
///
/// Those of [`directory`].
pub fn contents(file: &mut (impl Read + Seek + ?Sized)) -> io::Result<WaczContents> {
    let mut contents = WaczContents::default();
    let members = (MOST, "it has too many members".to_owned());
    let limits = DirectoryLimits { members, bytes: (usize::MAX, String::new()) };
    for member in directory(file, 0, &limits)?.members {
        let name = member.name.to_ascii_lowercase();
        let is_archive = name.starts_with("archive/") && !name.ends_with('/');
        match member.method {
            Method::Stored if is_archive => contents.archives.push(member),
            _ if is_archive => contents.unread.push(member),
            _ if name.starts_with("pages/") && name.ends_with(".jsonl") => {
                contents.pages.push(member);
            }
            _ if name == "datapackage-digest.json" => contents.digest = Some(member),
            _ => {}
        }
    }
    Ok(contents)
}

/// Returns a reader of a member as it is in the file.
///
/// # Errors
///
/// The error of the file.
pub fn open<F: Read + Seek>(mut file: F, member: &ZipMember) -> io::Result<Take<F>> {
    file.seek(SeekFrom::Start(member.range.start))?;
    Ok(file.take(member.range.end - member.range.start))
}

impl Container for Wacz {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn pieces(&self, source: Source, reading: &mut Reading<'_>) -> io::Result<PieceReader> {
        match source {
            Source::File(mut file) => pieces(&mut *file, reading),
            Source::Stream(_) => {
                let reason = "a WACZ file cannot be read from standard input; save it to a file";
                let error = io::Error::new(io::ErrorKind::Unsupported, reason);
                Ok(Box::new(std::iter::once(Err(error))))
            }
        }
    }

    fn captured_urls(&self, file: &mut dyn OpenFile, receive: &mut dyn FnMut(&str)) {
        let archives = contents(file).unwrap_or_default().archives;
        for member in archives {
            let opened = file.again().and_then(|file| open(file, &member));
            opened.into_iter().for_each(|file| captured_urls(Reader::new(file), receive));
        }
    }

    fn content(
        &self,
        piece: &super::Piece,
        limits: &Limits,
    ) -> Result<super::PieceDocument, super::ContentError> {
        super::Archive.content(piece, limits)
    }
}

/// Returns the pieces of all web archives of a file. Their offsets are those in the file.
fn pieces(file: &mut dyn OpenFile, reading: &Reading<'_>) -> io::Result<PieceReader> {
    let WaczContents { archives, unread, .. } = contents(file)?;
    if let Some(member) = unread.first() {
        let reason = format!("its member {} is compressed, which WACZ does not allow", member.name);
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let file = file.again()?;
    let (limits, jobs) = (reading.limits, reading.jobs);
    let pieces = archives.into_iter().flat_map(move |member| {
        let start = member.range.start;
        let opened = FileRange::new(&*file, member.range);
        let pieces =
            opened.and_then(|file| archive::records(Source::File(Box::new(file)), &limits, jobs));
        let pieces = pieces.unwrap_or_else(|error| Box::new(std::iter::once(Err(error))));
        pieces.map(move |piece| piece.map(|piece| piece.moved(start)))
    });
    Ok(Box::new(pieces))
}
