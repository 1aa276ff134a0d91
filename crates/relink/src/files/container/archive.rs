//! Web archives (WARC and ARC), which are read and never written: the documents in their records.
//!
//! A record has a document if it is a `response`, `resource` or `conversion` with a media type that
//! is read, and a redirect is one too. Other records are passed over without being kept in memory.
//! The document of a response is the HTTP message with its body decoded; the URL of a document is
//! that of its record.
//!
//! The thread that reads decompresses the file, since only that finds the end of a gzip member. The
//! threads that process documents decode the bodies of responses.

use std::borrow::Cow;
use std::io::{self, Read};

use rewrite::{Http, Limit, Limits, Media};
use warc::{
    Available, DecodeError, DecodeLimits, ErrorKind, HttpResponse, Reader, Record, RecordHeader,
    RecordType,
};

use super::pieces::{Broken, Fault, FoundRecord, Piece, PieceReader, RecordPlace};
use super::{
    ARCHIVE, Container, ContainerForm, ContainerSpec, ContentError, EPUB_MEDIA_TYPE, PieceDocument,
    PieceText, Reading, Source,
};
use crate::os::store::OpenFile;

/// The name of the format as one that conversions do not support, with what to do.
pub const WEB_ARCHIVE: &str = "web archive, whose records are evidence and are not rewritten; unpack it to rewrite its pages; `refs`, `bases` and `check --list-external` read it as it is";

/// The number of bytes of a block by which a document is recognized.
const HEAD: usize = 8 << 10;
/// The source of the URL of a document.
const TARGET_URI: &str = "WARC-Target-URI";

/// A web archive: WARC 1.0 and 1.1 (ISO 28500), and ARC 1.x.
#[derive(Clone, Copy, Debug)]
pub struct Archive;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/warc"],
    extensions: &["warc", "arc", "warc.gz", "arc.gz", "warc.zst"],
    is_content: Some(warc::is_archive),
    // The archives of the program ARC of 1985 have the same extension.
    unsupported: Some(|head| head.starts_with(b"\x1A").then_some(ARCHIVE)),
    only_read: Some(WEB_ARCHIVE),
    ..ContainerSpec::new("record", ContainerForm::Records, None)
};

impl Container for Archive {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn pieces(&self, source: Source, reading: &mut Reading<'_>) -> io::Result<PieceReader> {
        Ok(Box::new(ArchiveRecords::new(Reader::new(source), &reading.limits)))
    }

    fn captured_urls(&self, file: &mut dyn OpenFile, receive: &mut dyn FnMut(&str)) {
        captured_urls(Reader::new(file), receive);
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        let Some(record) = &piece.record else {
            return Ok(PieceDocument { media: None, ..PieceDocument::of_span(0..0) });
        };
        let url = record.place.url.clone().map(|url| (url, TARGET_URI));
        let content = match &record.media_type {
            None if record.inner.is_some() => body(&piece.bytes, limits)?,
            _ if record.inner.is_some() => PieceDocument::of_span(0..piece.bytes.len()),
            Some(media_type) => resource(media_type, &piece.bytes)?,
            None => response(&piece.bytes, limits)?,
        };
        Ok(PieceDocument { url, ..content })
    }
}

/// Returns the document of a response: the message, decoded.
fn response(block: &[u8], limits: &Limits) -> Result<PieceDocument, ContentError> {
    let Ok(response) = HttpResponse::read(block) else {
        // An old server, which sends no header section.
        return Ok(PieceDocument { media: None, ..PieceDocument::of_span(0..block.len()) });
    };
    // With a format the body is not looked at.
    let declared = response.media_type().and_then(|name| Media::from_name(&name));
    let media = Some(Media::Http(Http::Response(declared.and_then(Media::format))));
    let message = response.decoded_message(&decode_limits(limits));
    let message = message.map_err(|error| content_error(error, limits))?;
    let text = match message {
        // The message is the end of the block.
        Cow::Borrowed(message) => PieceText::Span(block.len() - message.len()..block.len()),
        Cow::Owned(message) => PieceText::Decoded(message),
    };
    let fault = (!response.is_complete()).then_some(Fault::CutOff);
    Ok(PieceDocument { fault, ..PieceDocument::new(text, media) })
}

/// Returns the body of a response, decoded.
fn body(block: &[u8], limits: &Limits) -> Result<PieceDocument, ContentError> {
    let Ok(response) = HttpResponse::read(block) else {
        return Ok(PieceDocument::of_span(0..block.len()));
    };
    let body = response.decoded_body(&decode_limits(limits));
    let body = body.map_err(|error| content_error(error, limits))?.into_owned();
    Ok(PieceDocument::new(PieceText::Decoded(body), None))
}

fn decode_limits(limits: &Limits) -> DecodeLimits {
    let [most, ratio] = [Limit::DocumentSize, Limit::CompressionRatio].map(|one| limits.get(one));
    DecodeLimits { most, ratio }
}

fn content_error(error: DecodeError, limits: &Limits) -> ContentError {
    match error {
        DecodeError::TooLarge(_) => ContentError::Limit(limits.met(Limit::DocumentSize)),
        DecodeError::Ratio(_) => ContentError::Limit(limits.met(Limit::CompressionRatio)),
        error => ContentError::Coding(error),
    }
}

/// Returns the document of a resource. If its media type has a charset, it becomes the body of an
/// HTTP message that declares it.
fn resource(media_type: &str, block: &[u8]) -> Result<PieceDocument, ContentError> {
    let name = name_of(media_type);
    if !media_type.to_ascii_lowercase().contains("charset") {
        let media = Media::from_name(&name);
        return Ok(PieceDocument { media, ..PieceDocument::of_span(0..block.len()) });
    }
    let header = http_header(media_type);
    let mut text = Vec::new();
    text.try_reserve_exact(header.len() + block.len())?;
    text.extend_from_slice(header.as_bytes());
    text.extend_from_slice(block);
    let media = Some(Media::Http(Http::Response(None)));
    Ok(PieceDocument {
        n_added: header.len(),
        ..PieceDocument::new(PieceText::Decoded(text), media)
    })
}

/// Returns the header section of a response with this media type.
pub(crate) fn http_header(media_type: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n")
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

/// Calls a function with the URL of each capture.
pub(crate) fn captured_urls<R: Read>(mut reader: Reader<R>, receive: &mut dyn FnMut(&str)) {
    while let Some(record) = reader.next_record() {
        match &record {
            Ok(record) if is_capture(record.header().record_type) => {
                record.header().target_uri().into_iter().for_each(&mut *receive);
            }
            Err(error) if matches!(error.kind, ErrorKind::Io(_)) => break,
            _ => {}
        }
    }
}

/// Returns true for a record with what a server sent, or that it sent the same as before.
fn is_capture(record_type: RecordType) -> bool {
    matches!(record_type, RecordType::Response | RecordType::Resource | RecordType::Revisit)
}

/// Returns a media type in lower case without its parameters.
fn name_of(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The records of a file that have a document, and those that are broken.
pub(crate) struct ArchiveRecords<R> {
    reader: Reader<R>,
    /// The maximum length of a block, and the reason why a longer one is skipped.
    most: usize,
    too_large: String,
}

impl<R: Read> Iterator for ArchiveRecords<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        loop {
            let record = match self.reader.next_record()? {
                Ok(record) => record,
                Err(error) => return Some(self.broken(error)),
            };
            match document(record, self.most) {
                Ok(Some(piece)) => return Some(Ok(piece)),
                Ok(None) => {}
                Err(error) => return Some(self.broken(error)),
            }
        }
    }
}

impl<R: Read> ArchiveRecords<R> {
    /// Returns the records of a reader; a block is not longer than the limit of a document.
    pub(crate) fn new(reader: Reader<R>, limits: &Limits) -> Self {
        let most = limits.get(Limit::DocumentSize);
        let too_large = limits.met(Limit::DocumentSize).to_string();
        ArchiveRecords { reader, most, too_large }
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
}

/// Returns the piece for a record without a document that can be read, and the reason.
fn broken(offset: u64, reason: String) -> Piece {
    Piece { broken: Some(Broken { reason }), ..Piece::of_record(offset, Vec::new(), None) }
}

/// Returns the piece of a record, if it has a document.
fn document<R: Read>(mut record: Record<'_, R>, most: usize) -> Result<Option<Piece>, warc::Error> {
    let Some(media_type) = document_type(&mut record)? else { return Ok(None) };
    let header = record.header();
    let offset = header.offset;
    if let Some(reason) = segmented(header) {
        return Ok(Some(broken(offset, reason)));
    }
    let Available { header, block, defect, .. } = record.read_available(most)?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let place = RecordPlace {
        id: owned(header.id()),
        offset,
        date: owned(header.date()),
        url: owned(header.target_uri()),
    };
    let DocumentType { media_type, inner } = media_type;
    let found = FoundRecord { place, media_type, inner };
    let fault = fault(&header, defect.map(|error| error.kind).as_ref());
    Ok(Some(Piece { fault, ..Piece::of_record(offset, block, Some(Box::new(found))) }))
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
