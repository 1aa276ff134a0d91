//! The records of a web archive that have a document, one after another.

use std::io::{self, Read};

use rewrite::{Limit, Limits, Media};
use warc::{Available, ErrorKind, HttpResponse, Reader, Record, RecordHeader, RecordType};

use super::super::EPUB_MEDIA_TYPE;
use super::super::pieces::{Broken, Fault, FoundRecord, Piece, RecordPlace};
use crate::files::wat;

/// The number of bytes of a block by which a document is recognized.
const HEAD: usize = 8 << 10;

/// The records of a file that have a document, and those that are broken.
pub(crate) struct ArchiveRecords<R> {
    pub(super) reader: Reader<R>,
    pub(crate) options: RecordOptions,
}

impl<R: Read> Iterator for ArchiveRecords<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        loop {
            let piece = match self.reader.next_record()? {
                Ok(record) => self.options.piece(record),
                Err(error) => Some(self.options.broken(error)),
            };
            if piece.is_some() {
                return piece;
            }
        }
    }
}

impl<R: Read> ArchiveRecords<R> {
    /// Returns the records of a reader; a block is not longer than the limit of a document.
    pub(crate) fn new(reader: Reader<R>, limits: &Limits) -> Self {
        let most = limits.get(Limit::DocumentSize);
        let too_large = limits.met(Limit::DocumentSize).to_string();
        let options = RecordOptions { most, too_large, has_descriptions: false };
        ArchiveRecords { reader, options }
    }
}

/// What is read of records.
pub(crate) struct RecordOptions {
    /// The maximum length of a block, and the reason why a longer one is skipped.
    most: usize,
    too_large: String,
    /// Records that describe others in JSON have a document too.
    pub(crate) has_descriptions: bool,
}

impl RecordOptions {
    /// Returns the piece of a record, if it has a document or cannot be read.
    pub(super) fn piece<R: Read>(&self, record: Record<'_, R>) -> Option<io::Result<Piece>> {
        match self.document(record) {
            Ok(piece) => piece.map(Ok),
            Err(error) => Some(self.broken(error)),
        }
    }

    /// Returns a piece for a record that cannot be read.
    fn broken(&self, error: warc::Error) -> io::Result<Piece> {
        match error.kind {
            ErrorKind::Io(error) => Err(error),
            ErrorKind::TooLarge(_) => Ok(broken(error.offset, self.too_large.clone())),
            // A record without a document: what there is of one was read.
            kind if kind.is_incomplete() => {
                let piece = Piece::of_record(error.offset, Vec::new(), None);
                Ok(Piece { unit: None, fault: Some(fault_of(&kind)), ..piece })
            }
            kind => Ok(broken(error.offset, kind.to_string())),
        }
    }

    /// Returns the piece of a record, if it has a document.
    fn document<R: Read>(&self, mut record: Record<'_, R>) -> Result<Option<Piece>, warc::Error> {
        let is_description = self.has_descriptions && is_description(record.header());
        let media_type = match document_type(&mut record)? {
            None if is_description => DocumentType { media_type: None, inner: None },
            None => return Ok(None),
            Some(media_type) => media_type,
        };
        let header = record.header();
        let offset = header.offset;
        if let Some(reason) = segmented(header) {
            return Ok(Some(broken(offset, reason)));
        }
        let Available { header, block, defect, .. } = record.read_available(self.most)?;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let place = RecordPlace {
            id: owned(header.id()),
            offset,
            date: owned(header.date()),
            url: owned(header.target_uri()),
        };
        let DocumentType { media_type, inner } = media_type;
        let found = FoundRecord { place, media_type, inner, is_description };
        let fault = fault(&header, defect.map(|error| error.kind).as_ref());
        Ok(Some(Piece { fault, ..Piece::of_record(offset, block, Some(Box::new(found))) }))
    }
}

/// Returns the piece for a record without a document that can be read, and the reason.
fn broken(offset: u64, reason: String) -> Piece {
    Piece { broken: Some(Broken { reason }), ..Piece::of_record(offset, Vec::new(), None) }
}

/// Returns the defect of a record that was read, if it has one.
pub(crate) fn fault(header: &RecordHeader, error: Option<&ErrorKind>) -> Option<Fault> {
    error.map(fault_of).or_else(|| header.truncated().map(|_| Fault::Truncated))
}

/// Returns the defect of a record whose end is not where it should be.
pub(crate) fn fault_of(error: &ErrorKind) -> Fault {
    match error {
        ErrorKind::WrongLength => Fault::RecordLength,
        _ => Fault::RecordEnd,
    }
}

/// Returns the reason why a record is not read that has only a segment of what was captured.
pub(crate) fn segmented(header: &RecordHeader) -> Option<String> {
    let reason = "it is one of several segments, which are not put together";
    header.is_segmented().then(|| reason.to_owned())
}

/// The type of the document of a record.
struct DocumentType {
    /// Its media type; `None` if it is an HTTP response.
    media_type: Option<String>,
    /// The media type of the container that it is, if it is one.
    inner: Option<&'static str>,
}

/// Returns true for a record of a WAT file.
fn is_description(header: &RecordHeader) -> bool {
    header.record_type == RecordType::Metadata
        && header.content_type().is_some_and(|media_type| name_of(media_type) == wat::MEDIA_TYPE)
}

/// Returns the media type of a container that is read in a record.
fn inner(name: &str) -> Option<&'static str> {
    (name == EPUB_MEDIA_TYPE).then_some(EPUB_MEDIA_TYPE)
}

/// Returns the media type of a record that has a document.
fn document_type<R: Read>(record: &mut Record<'_, R>) -> Result<Option<DocumentType>, warc::Error> {
    let header = record.header();
    let record_type = header.record_type;
    let of_resource = |name: Option<&str>| {
        let inner = name.and_then(|name| inner(&name_of(name)));
        let media = name.and_then(|name| Media::from_name(&name_of(name)));
        let media_type = name.map(str::to_owned);
        (media.is_some() || inner.is_some()).then_some(DocumentType { media_type, inner })
    };
    match record_type {
        RecordType::Response if header.is_http_response() => {}
        RecordType::Resource | RecordType::Conversion => {
            return Ok(of_resource(header.content_type()));
        }
        _ => return Ok(None),
    }
    let declared = header.identified_payload_type().map(str::to_owned);
    let response = match HttpResponse::read(head(record)?) {
        Ok(response) => response,
        Err(_) => return Ok(of_resource(declared.as_deref())),
    };
    let is_redirect = (300..400).contains(&response.status()) && response.location().is_some();
    let is_read = |name: String| Media::from_name(&name).is_some();
    let media_type = response.media_type();
    let inner = media_type.as_deref().and_then(inner).filter(|_| !is_redirect);
    let is_document = is_redirect || inner.is_some() || media_type.is_none_or(is_read);
    Ok(is_document.then_some(DocumentType { media_type: None, inner }))
}
/// Returns the start of the block of a response: its header section, and bytes of the body.
pub(crate) fn head<'r, R: Read>(record: &'r mut Record<'_, R>) -> Result<&'r [u8], warc::Error> {
    let start = record.peek(HEAD)?;
    let is_cut = start.len() < HEAD
        && HttpResponse::read(start).map_or(true, |response| !response.has_header_end());
    if is_cut {
        // The declared length may be too short.
        return record.peek_available(HEAD);
    }
    let is_whole = start.len() < HEAD
        || HttpResponse::read(start).is_ok_and(|response| !response.body().is_empty());
    record.peek(if is_whole { HEAD } else { warc::MAX_HTTP_HEADER })
}

/// Returns a media type in lower case without its parameters.
pub(super) fn name_of(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
