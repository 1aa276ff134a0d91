//! Lists the records of a web archive, as an index of captures does.
//!
//! The archive, WARC or ARC, compressed or not, is read from standard input:
//!
//! ```text
//! $ cargo run -q -p relink-warc --example records < crawl.warc.gz
//! 0 441 warcinfo 2026-01-02T03:04:05Z -
//! 441 1203 response 2026-01-02T03:04:06Z http://h.example/ 200 text/html
//! ```
//!
//! A broken record is a line with the reason, and the records after it are listed.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use relink_warc::{HttpResponse, Reader};

/// The number of bytes of a block that are examined.
const HEAD: usize = 16 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    run(io::stdin().lock(), &mut io::stdout().lock())
}

/// Writes a line for each record.
pub(crate) fn run(archive: impl Read, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut reader = Reader::new(archive);
    while let Some(record) = reader.next_record() {
        let listed = record.and_then(|mut record| {
            let is_response = record.header().is_http_response();
            let http = HttpResponse::read(record.peek(HEAD)?).ok().filter(|_| is_response);
            let facts = http.map(|http| (http.status(), http.media_type().unwrap_or_default()));
            // The block is passed over, and the checksum of its gzip member is verified.
            record.finish().map(|(header, extent)| (header, extent, facts))
        });
        let (header, extent, facts) = match listed {
            Ok(listed) => listed,
            Err(error) => {
                writeln!(out, "{error}")?;
                continue;
            }
        };
        let length = extent.length.map_or("-".to_owned(), |length| length.to_string());
        let (date, url) = (header.date().unwrap_or("-"), header.target_uri().unwrap_or("-"));
        let record_type = header.record_type.name();
        write!(out, "{} {length} {record_type} {date} {url}", extent.offset)?;
        if let Some((status, media_type)) = facts {
            write!(out, " {status} {media_type}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
