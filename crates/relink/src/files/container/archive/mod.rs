//! Web archives (WARC and ARC), which are read and never written: the documents in their records.
//!
//! A record has a document if it is a `response`, `resource` or `conversion` with a media type that
//! is read, and a redirect is one too. Other records are passed over without being kept in memory.
//! The document of a response is the HTTP message with its body decoded; the URL of a document is
//! that of its record.
//!
//! The threads that read decompress the file, since only that finds the end of a gzip member. The
//! threads that process documents decode the bodies of responses.

mod ranges;
mod records;

use std::borrow::Cow;
use std::io::{self, Read};

pub(super) use ranges::records;
pub(crate) use records::{ArchiveRecords, fault, fault_of, head, segmented};
use rewrite::{Http, Limit, Limits, Media};
use warc::{DecodeError, DecodeLimits, ErrorKind, HttpResponse, Reader, RecordType};

use super::pieces::{Fault, Piece, PieceReader};
use super::{
    ARCHIVE, Container, ContainerForm, ContainerSpec, ContentError, PieceDocument, PieceText,
    Reading, Source,
};
use crate::os::store::OpenFile;

/// The name of the format as one that conversions do not support, with what to do.
pub const WEB_ARCHIVE: &str = "web archive, whose records are evidence and are not rewritten; unpack it to rewrite its pages; `refs`, `bases` and `check --list-external` read it as it is";

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
        records(source, &reading.limits, reading.jobs)
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
    let name = records::name_of(media_type);
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
