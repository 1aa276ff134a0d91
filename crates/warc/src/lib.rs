//! Web archives: the records of WARC 1.0 and 1.1 (ISO 28500) and ARC 1.x files, and the HTTP
//! responses in them.
//!
//! A [`Reader`] gives the records of a file one after another, with a bounded amount of memory. A
//! broken record is an [`Error`] with its offset, and reading goes on at the next one. An
//! [`HttpResponse`] splits the block of a `response` record, and decodes its body.
//!
//! The crate opens no files, starts no threads and prints nothing. Sections are those of WARC 1.1,
//! <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/>.
//!
//! # Examples
//!
//! ```
//! use relink_warc::{DecodeLimits, HttpResponse, Reader};
//!
//! let file = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\n\
//!     Content-Type: application/http; msgtype=response\r\nContent-Length: 85\r\n\r\n\
//!     HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n\
//!     3\r\n<p>\r\n0\r\n\r\n\r\n\r\n";
//! for record in Reader::new(&file[..]).records(1 << 20) {
//!     let record = record?;
//!     assert_eq!(record.header.target_uri(), Some("http://h/"));
//!     let response = HttpResponse::read(&record.block)?;
//!     assert_eq!(response.media_type().as_deref(), Some("text/html"));
//!     assert_eq!(&*response.decoded_body(&DecodeLimits::default())?, b"<p>");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arc;
mod error;
mod fields;
mod gzip;
mod http;
mod input;
mod limits;
mod range;
mod reader;
mod recognize;
mod record;
mod stored;
mod stream;
mod zstd;

pub use error::{Error, ErrorKind};
pub use fields::{Fields, RecordField, RecordType};
pub use http::{DecodeError, DecodeLimits, HttpField, HttpResponse, NoResponse};
pub use limits::{
    LOOK_BACK, MAX_CODINGS, MAX_DICTIONARY, MAX_FIELDS, MAX_HEADER, MAX_HTTP_HEADER,
    MAX_ZSTD_WINDOW,
};
pub use reader::{Extent, Reader, Record};
pub use recognize::is_archive;
pub use record::RecordHeader;
pub use stored::{Available, Records, StoredRecord};
pub use stream::Compression;
