//! The header section of a record: its type, its fields, its place in the file.

use crate::arc;
use crate::error::ErrorKind;
use crate::fields::{Fields, RecordType};
use crate::limits::MAX_FIELDS;

/// The header section of a record, and its place in the file.
///
/// The methods return the value of the first field with a name, ignoring case (WARC 1.1, section
/// 5). A record of ARC has the fields that its line gives: `WARC-Type`, `WARC-Target-URI`,
/// `WARC-Date`, `WARC-IP-Address`, `Content-Type`, and `WARC-Identified-Payload-Type` for the media
/// type that the server declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// The version: `1.0`, `1.1` and so on for WARC; `arc` for ARC.
    pub version: String,
    /// The type of the record.
    pub record_type: RecordType,
    /// The fields, in order.
    pub fields: Fields,
    /// The length of the block, in bytes.
    pub content_length: u64,
    /// The offset of the record in the file, in bytes. If the file is compressed, that of the
    /// gzip member or zstd frame in which the record begins.
    pub offset: u64,
    /// The offset of the record in the text to which the file is decompressed, in bytes. After a
    /// damaged member it is that of the text that was read.
    pub position: u64,
    /// True if reading can begin at `offset`: the record is the first text of its gzip member, or
    /// the file is not compressed. False in zstd.
    pub is_seekable: bool,
}

impl RecordHeader {
    /// Returns the value of the first field with this name, ignoring case.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.values(name).next()
    }

    /// Returns the value of a field without `<` and `>` around it.
    fn url(&self, name: &str) -> Option<&str> {
        let value = self.field(name)?;
        let inner = value.strip_prefix('<').and_then(|value| value.strip_suffix('>'));
        Some(inner.unwrap_or(value)).filter(|url| !url.is_empty())
    }

    /// Returns `WARC-Record-ID`, with its `<` and `>` (section 5.2).
    pub fn id(&self) -> Option<&str> {
        self.field("WARC-Record-ID")
    }

    /// Returns `WARC-Date`: the time of the capture, `YYYY-MM-DDThh:mm:ssZ`, perhaps with a
    /// fraction of the second (section 5.4).
    pub fn date(&self) -> Option<&str> {
        self.field("WARC-Date")
    }

    /// Returns `WARC-Target-URI`, without the `<` and `>` that some programs write (section 5.9).
    pub fn target_uri(&self) -> Option<&str> {
        self.url("WARC-Target-URI")
    }

    /// Returns `Content-Type`, the media type of the block (section 5.6).
    pub fn content_type(&self) -> Option<&str> {
        self.field("Content-Type")
    }

    /// Returns the media type that the program that wrote the record found in the payload, or that
    /// an ARC file declares (section 5.17).
    pub fn identified_payload_type(&self) -> Option<&str> {
        self.field("WARC-Identified-Payload-Type")
    }

    /// Returns `WARC-Payload-Digest`: an algorithm, `:`, and the digest in hexadecimal or base32
    /// (section 5.8).
    pub fn payload_digest(&self) -> Option<&str> {
        self.field("WARC-Payload-Digest")
    }

    /// Returns `WARC-Refers-To`: the identifier of the record that this one is about (section
    /// 5.11).
    pub fn refers_to(&self) -> Option<&str> {
        self.field("WARC-Refers-To")
    }

    /// Returns `WARC-Refers-To-Target-URI`, without `<` and `>` (section 5.12).
    pub fn refers_to_target_uri(&self) -> Option<&str> {
        self.url("WARC-Refers-To-Target-URI")
    }

    /// Returns `WARC-Refers-To-Date` (section 5.13).
    pub fn refers_to_date(&self) -> Option<&str> {
        self.field("WARC-Refers-To-Date")
    }

    /// Returns `WARC-Truncated`: the reason why the block is not complete, such as `length` or
    /// `time` (section 5.14).
    pub fn truncated(&self) -> Option<&str> {
        self.field("WARC-Truncated")
    }

    /// Returns `WARC-Segment-Number`: 1 in the first record of a segmented one (section 5.19).
    pub fn segment_number(&self) -> Option<u32> {
        self.field("WARC-Segment-Number")?.parse().ok()
    }

    /// Returns true if the record is one of several segments: a record with
    /// `WARC-Segment-Number`, or a `continuation`.
    pub fn is_segmented(&self) -> bool {
        self.record_type == RecordType::Continuation || self.segment_number().is_some()
    }

    /// Returns true if the block is a response of HTTP: `application/http` in a record whose type
    /// is `response`, with `msgtype=response` or without it.
    pub fn is_http_response(&self) -> bool {
        let content_type = self.content_type().unwrap_or_default().to_ascii_lowercase();
        self.record_type == RecordType::Response
            && content_type.starts_with("application/http")
            && !content_type.contains("msgtype=request")
    }
}

/// What the header section of a record says.
pub(crate) struct RecordSection {
    pub(crate) version: String,
    pub(crate) record_type: RecordType,
    pub(crate) fields: Fields,
    pub(crate) length: u64,
}

/// Reads the header section of a WARC record, from its version to the empty line.
///
/// Lines end with CRLF or LF. Lines without a colon are passed over.
pub(crate) fn read_warc(section: &[u8]) -> Result<RecordSection, ErrorKind> {
    let mut rest = Some(section);
    let mut lines = std::iter::from_fn(|| {
        let section = rest?;
        let end = memchr::memchr(b'\n', section);
        rest = end.map(|end| &section[end + 1..]);
        Some(section[..end.unwrap_or(section.len())].trim_ascii_end())
    });
    let version = lines.next().and_then(version).ok_or(ErrorKind::Version)?;
    let mut fields = Fields::with_capacity(section.len());
    for line in lines {
        let (line, is_continued) =
            (line.trim_ascii(), line.starts_with(b" ") || line.starts_with(b"\t"));
        if is_continued && fields.continue_last(line) {
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        if fields.len() == MAX_FIELDS {
            return Err(ErrorKind::Fields);
        }
        fields.push(line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
    }
    let length = length(&fields).ok_or(ErrorKind::Length)?;
    let record_type = fields.values("WARC-Type").next();
    let record_type = record_type.map_or(RecordType::Other, RecordType::from_name);
    Ok(RecordSection { version, record_type, fields, length })
}

/// Returns the length of the block, if all `Content-Length` fields have the same digits.
fn length(fields: &Fields) -> Option<u64> {
    let mut lengths = fields.values("Content-Length");
    let length = lengths.next()?;
    let is_digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits || lengths.any(|other| other != length) {
        return None;
    }
    length.parse().ok()
}

/// Returns the version of a version line: digits and a dot after `WARC/`.
fn version(line: &[u8]) -> Option<String> {
    let version = std::str::from_utf8(line.strip_prefix(b"WARC/")?).ok()?;
    let (major, minor) = version.split_once('.')?;
    let is_number = |text: &str| {
        !text.is_empty() && text.len() < 4 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    (is_number(major) && is_number(minor)).then(|| version.to_owned())
}

/// Reads the line of an ARC record.
pub(crate) fn read_arc(line: &[u8]) -> Result<RecordSection, ErrorKind> {
    let arc::ArcLine { record_type, fields, length } = arc::read(line).ok_or(ErrorKind::Version)?;
    Ok(RecordSection { version: "arc".to_owned(), record_type, fields, length })
}
