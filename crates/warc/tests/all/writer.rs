//! A small writer of archives, which shares no code with the reader.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_warc::{Reader, StoredRecord};

/// The limit of blocks in these tests.
pub(crate) const MOST: usize = 16 << 20;

/// A record to be written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) record_type: &'static str,
    pub(crate) url: String,
    pub(crate) block: Vec<u8>,
}

impl Written {
    pub(crate) fn new(record_type: &'static str, url: &str, block: impl Into<Vec<u8>>) -> Self {
        Written { record_type, url: url.to_owned(), block: block.into() }
    }

    /// The record as WARC 1.1.
    pub(crate) fn warc(&self) -> Vec<u8> {
        let Written { record_type, url, block } = self;
        let mut out = format!(
            "WARC/1.1\r\nWARC-Type: {record_type}\r\nWARC-Record-ID: <urn:uuid:{url}>\r\n\
             WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: {url}\r\n\
             Content-Type: application/http; msgtype={record_type}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        )
        .into_bytes();
        out.extend_from_slice(block);
        out.extend_from_slice(b"\r\n\r\n");
        out
    }

    /// The record as ARC, version 1.
    pub(crate) fn arc(&self) -> Vec<u8> {
        let mut out =
            format!("{} 10.0.0.1 20200102030405 text/html {}\n", self.url, self.block.len())
                .into_bytes();
        out.extend_from_slice(&self.block);
        out.push(b'\n');
        out
    }
}

/// One gzip member.
pub(crate) fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// All records of a file, errors as text.
pub(crate) fn read(file: &[u8]) -> Vec<Result<StoredRecord, String>> {
    let all = Reader::new(file).records(MOST);
    all.map(|record| record.map_err(|error| error.to_string())).collect()
}

/// The records of a file without errors: type, URL, block.
#[track_caller]
pub(crate) fn sound(file: &[u8]) -> Vec<(&'static str, String, Vec<u8>)> {
    read(file).into_iter().map(|record| facts(record.expect("a record"))).collect()
}

/// The type, URL and block of a record.
pub(crate) fn facts(record: StoredRecord) -> (&'static str, String, Vec<u8>) {
    let StoredRecord { header, block, .. } = record;
    (header.record_type.name(), header.target_uri().unwrap_or_default().to_owned(), block)
}
