//! The documents of a web archive, one after another, for callers that have a stream of their own.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use basectx::Context;
use rewrite::{Http, Limits, LinkElements, Media, Unit};
use warc::{Compression, HttpResponse, Reader};

use crate::files::container::archive::ArchiveRecords;
use crate::files::container::{Archive, Container, Fault, Piece, PieceText, RecordPlace};
use crate::files::media;
use crate::files::wat::{self, Described};

/// The number of bytes by which the compression of a file is recognized.
const HEAD: u64 = 64 << 10;

/// The documents of a web archive (WARC or ARC), one after another, in bounded memory: an HTTP
/// response with its body decoded, or the block of a `resource` or `conversion` record. Records
/// without a document that is read are passed over. Of an incomplete record there is what the
/// archive has ([`ArchiveDocument::defect`]).
///
/// # Errors
///
/// An item is an error if the file cannot be read; it is the last one. A record or a document that
/// cannot be read is a [`BadRecord`], and others follow.
///
/// # Examples
///
/// ```
/// use relink::ArchiveDocuments;
/// use rewrite::{Limits, Options, references};
///
/// let file = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a/\r\n\
///     Content-Type: application/http; msgtype=response\r\nContent-Length: 54\r\n\r\n\
///     HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>\r\n\r\n";
/// let mut targets = Vec::new();
/// for document in ArchiveDocuments::new(&file[..], Limits::default()) {
///     let document = document?.unwrap();
///     document.with_unit(|unit| {
///         references(unit, &Options::default(), |site| targets.extend(site.target()))
///     });
/// }
/// assert_eq!(targets, ["http://h/a/b"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ArchiveDocuments<R> {
    records: ArchiveRecords<R>,
    limits: Limits,
    is_done: bool,
}

/// A record, or the document in it, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Its offset in the file, in bytes.
    pub offset: u64,
    /// Its `WARC-Record-ID`, if its header section could be read.
    pub id: Option<String>,
    /// The reason, in words.
    pub reason: String,
}

/// A document of a web archive.
#[derive(Clone, Debug)]
pub struct ArchiveDocument {
    place: RecordPlace,
    /// The bytes that contain the document, and its span in them.
    bytes: Vec<u8>,
    span: Range<usize>,
    media: Media,
    defect: Option<&'static str>,
}

impl<R: Read> ArchiveDocuments<R> {
    /// Returns the documents of a file, which need not be buffered.
    pub fn new(file: R, limits: Limits) -> Self {
        ArchiveDocuments::of_reader(Reader::new(file), limits)
    }

    /// Reads the descriptions in WAT files too: each is a page with the links of the page that it
    /// describes.
    pub fn with_wat(mut self) -> Self {
        self.records.options.has_descriptions = true;
        self
    }

    fn of_reader(reader: Reader<R>, limits: Limits) -> Self {
        ArchiveDocuments { records: ArchiveRecords::new(reader, &limits), limits, is_done: false }
    }

    /// Returns the document of a piece; `None` if it is of no type that is read.
    fn document(&self, piece: Piece) -> Result<Option<ArchiveDocument>, BadRecord> {
        let place = piece.record.as_ref().map(|record| record.place.clone()).unwrap_or_default();
        let bad = |reason: String| BadRecord { offset: piece.at, id: place.id.clone(), reason };
        if let Some(broken) = &piece.broken {
            return Err(bad(broken.reason.clone()));
        }
        if piece.record.as_ref().is_some_and(|record| record.is_description) {
            let described = wat::described(&piece.bytes);
            let described = described.map_err(|error| bad(format!("its JSON: {error}")))?;
            let defect = piece.fault.map(Fault::words);
            return Ok(described.map(|found| ArchiveDocument::of_description(place, found, defect)));
        }
        let is_container = piece.record.as_ref().is_some_and(|record| record.inner.is_some());
        if piece.unit.is_none() || is_container {
            return Ok(None);
        }
        let content = Archive.content(&piece, &self.limits);
        let content = content.map_err(|error| bad(error.to_string()))?;
        let defect = piece.fault.or(content.fault).map(Fault::words);
        let (bytes, span) = match content.text {
            PieceText::Span(span) => (piece.bytes.into_vec(), span),
            PieceText::Decoded(bytes) => {
                let span = 0..bytes.len();
                (bytes, span)
            }
        };
        let media = media::of_document(content.media, &bytes[span.clone()]);
        Ok(media.map(|media| ArchiveDocument { place, bytes, span, media, defect }))
    }
}

impl<R: Read + Seek> ArchiveDocuments<R> {
    /// Returns the documents whose records begin in a range of a file, with their gzip members. The
    /// ranges of a file that is cut anywhere have each record once. A file that is not gzip belongs
    /// as a whole to the range that begins at 0.
    ///
    /// A record that contains an archive of gzip members is an exception: a range that begins in it
    /// has the records of that archive too, if they were not compressed again.
    ///
    /// # Errors
    ///
    /// The error of the file.
    pub fn of_range(mut file: R, range: Range<u64>, limits: Limits) -> io::Result<Self> {
        if range.start > 0 {
            file.seek(SeekFrom::Start(0))?;
            let mut head = Vec::new();
            file.by_ref().take(HEAD).read_to_end(&mut head)?;
            let is_gzip = matches!(Reader::new(&*head).compression(), Ok(Compression::Gzip));
            let start = if is_gzip { SeekFrom::Start(range.start) } else { SeekFrom::End(0) };
            file.seek(start)?;
        }
        Ok(ArchiveDocuments::of_reader(Reader::of_range(file, range)?, limits))
    }
}

impl<R: Read> Iterator for ArchiveDocuments<R> {
    type Item = io::Result<Result<ArchiveDocument, BadRecord>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            match self.records.next() {
                Some(Ok(piece)) => {
                    if let Some(document) = self.document(piece).transpose() {
                        return Some(Ok(document));
                    }
                }
                Some(Err(error)) => {
                    self.is_done = true;
                    return Some(Err(error));
                }
                None => self.is_done = true,
            }
        }
        None
    }
}

impl ArchiveDocument {
    fn of_description(
        place: RecordPlace,
        found: Described,
        defect: Option<&'static str>,
    ) -> ArchiveDocument {
        let place = RecordPlace { date: found.date.or(place.date), ..place };
        let media = Media::Http(Http::Response(Media::HTML.format()));
        let span = 0..found.message.len();
        ArchiveDocument { place, bytes: found.message, span, media, defect }
    }

    /// Returns its record.
    pub fn place(&self) -> &RecordPlace {
        &self.place
    }

    /// Returns why it may not be all that was sent, in words: its record or its body is not
    /// complete, or has a wrong length.
    pub fn defect(&self) -> Option<&'static str> {
        self.defect
    }

    /// Returns its bytes: those of the HTTP message if it is one.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.span.clone()]
    }

    /// Calls `act` with the document as a unit, whose URL is that of the record.
    pub fn with_unit<T>(&self, act: impl FnOnce(Unit<'_>) -> T) -> T {
        let url = self.place.url.as_ref().and_then(|url| url.parse().ok());
        let context = url.map_or(Context::none(), |url| Context::retrieval(url, "WARC-Target-URI"));
        act(Unit::new(self.bytes(), self.media, &context).with_is_captured(true))
    }

    /// Returns the bytes of this document, or of an edited copy of it, without the header section
    /// if it is an HTTP message.
    pub fn body_of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        match self.media {
            Media::Http(_) => HttpResponse::read(bytes).map_or(bytes, |response| response.body()),
            _ => bytes,
        }
    }

    /// Returns the elements with its references, if it is a page in HTML. Their offsets are those
    /// of [`ArchiveDocument::bytes`].
    pub fn link_elements(&self) -> Option<LinkElements<'_>> {
        let (media, charset) = self.content_type();
        let bytes = self.bytes();
        let start = bytes.len() - self.body_of(bytes).len();
        let is_page = media.as_deref() == Some(Media::HTML.name());
        is_page.then(|| LinkElements::new(bytes, start, charset.as_deref()))
    }

    /// Returns the status of its HTTP response; `None` if it is none.
    pub fn status(&self) -> Option<u16> {
        let is_http = matches!(self.media, Media::Http(_));
        is_http.then(|| HttpResponse::read(self.bytes()).ok().map(|response| response.status()))?
    }

    /// Returns the media type and the charset of its body. The header section gives both; without
    /// a media type there, the first bytes of the body do.
    pub fn content_type(&self) -> (Option<String>, Option<String>) {
        let named = |media: Option<Media>| media.map(|media| media.name().to_owned());
        match (self.media, HttpResponse::read(self.bytes())) {
            (Media::Http(_), Ok(response)) => {
                let sniffed = || named(media::of_document(None, response.body()));
                (response.media_type().or_else(sniffed), response.charset())
            }
            (media, _) => (named(Some(media)), None),
        }
    }
}
