//! Sound records: their fields, their places, and what of their blocks is read.

use std::io::Read;

use relink_warc::{Compression, ErrorKind, Reader, RecordType, is_archive};

use crate::writer::{MOST, Written, member, read, sound};

/// A record with every field that has a method.
const FULL: &str = "WARC/1.0\r\n\
WARC-Type: revisit\r\n\
WARC-Target-URI: <http://h/a b>\r\n\
WARC-Date: 2020-01-02T03:04:05.678Z\r\n\
WARC-Record-ID: <urn:uuid:1>\r\n\
WARC-Refers-To: <urn:uuid:0>\r\n\
WARC-Refers-To-Target-URI: http://h/\r\n\
WARC-Refers-To-Date: 2019-01-02T03:04:05Z\r\n\
WARC-Payload-Digest: sha1:ABC\r\n\
WARC-Truncated: length\r\n\
WARC-Segment-Number: 1\r\n\
warc-identified-payload-type: text/html\r\n\
content-type:   application/http;\r\n\
\tmsgtype=response\r\n\
no colon\r\n\
Content-Length: 0\r\n\
\r\n\r\n\r\n";

#[test]
fn each_field_is_read() {
    let all = read(FULL.as_bytes());
    let header = &all[0].as_ref().unwrap().header;
    assert_eq!((&*header.version, header.record_type), ("1.0", RecordType::Revisit));
    for (value, expected) in [
        (header.id(), "<urn:uuid:1>"),
        (header.date(), "2020-01-02T03:04:05.678Z"),
        (header.target_uri(), "http://h/a b"),
        (header.refers_to(), "<urn:uuid:0>"),
        (header.refers_to_target_uri(), "http://h/"),
        (header.refers_to_date(), "2019-01-02T03:04:05Z"),
        (header.payload_digest(), "sha1:ABC"),
        (header.truncated(), "length"),
        (header.identified_payload_type(), "text/html"),
        (header.content_type(), "application/http; msgtype=response"),
    ] {
        assert_eq!(value, Some(expected));
    }
    assert_eq!(header.segment_number(), Some(1));
    assert!(header.is_segmented() && !header.is_http_response());
    assert_eq!(header.fields.len(), 13);
}

/// A file that was copied as text: each CRLF is CR CRLF.
#[test]
fn lines_may_end_with_two_carriage_returns() {
    let records: Vec<Written> = (0..3)
        .map(|number| Written::new("resource", &format!("http://h/{number}"), "<p>"))
        .collect();
    let file: Vec<u8> = records.iter().flat_map(Written::warc).collect();
    let copied = String::from_utf8(file.clone()).unwrap().replace("\r\n", "\r\r\n");
    assert_eq!(sound(copied.as_bytes()), sound(&file));
    assert_eq!(sound(&file).len(), 3);
    let all = read(copied.as_bytes());
    assert_eq!(all[1].as_ref().unwrap().header.target_uri(), Some("http://h/1"));
}

#[test]
fn types_have_names() {
    for record_type in RecordType::ALL {
        assert_eq!(RecordType::from_name(&record_type.name().to_uppercase()), record_type);
    }
    assert_eq!(RecordType::from_name("x"), RecordType::Other);
    let other = b"WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    assert_eq!(sound(other), [("other", String::new(), Vec::new())]);
}

#[test]
fn places_in_plain_and_compressed_files() {
    let records = [
        Written::new("warcinfo", "http://h/0", "a: b\r\n"),
        Written::new("response", "http://h/1", "HTTP/1.1 200 OK\r\n\r\n".repeat(10_000)),
        Written::new("resource", "http://h/2", ""),
    ];
    let plain: Vec<Vec<u8>> = records.iter().map(Written::warc).collect();
    let members: Vec<Vec<u8>> = plain.iter().map(|record| member(record)).collect();
    for (parts, compression) in [(&plain, Compression::Plain), (&members, Compression::Gzip)] {
        let file = parts.concat();
        assert!(is_archive(&file));
        assert_eq!(Reader::new(&file[..]).compression().unwrap(), compression);
        let mut at = 0;
        for (part, record) in parts.iter().zip(read(&file)) {
            let record = record.unwrap();
            assert_eq!(record.extent.offset, at);
            assert_eq!(record.extent.length, Some(part.len() as u64));
            assert!(record.header.is_seekable);
            // Reading can begin there.
            let alone = &file[usize::try_from(at).unwrap()..][..part.len()];
            assert_eq!(read(alone)[0].as_ref().unwrap().block, record.block);
            at += part.len() as u64;
        }
    }
    let whole = member(&plain.concat());
    let all: Vec<_> = read(&whole).into_iter().map(Result::unwrap).collect();
    let seekable: Vec<bool> = all.iter().map(|record| record.header.is_seekable).collect();
    assert_eq!(seekable, [true, false, false]);
    let mut at = 0;
    for (record, part) in all.iter().zip(&plain) {
        assert_eq!((record.header.offset, record.header.position), (0, at));
        assert_eq!(record.extent.length, None);
        at += part.len() as u64;
    }
}

#[test]
fn blocks_are_read_peeked_and_passed_over() {
    let parts = [
        Written::new("resource", "http://h/0", "abcdef").warc(),
        Written::new("resource", "http://h/1", "x".repeat(300_000)).warc(),
        Written::new("resource", "http://h/2", "ghi").warc(),
    ];
    for file in [parts.concat(), parts.map(|part| member(&part)).concat()] {
        let mut reader = Reader::new(&file[..]);
        let mut first = reader.next_record().unwrap().unwrap();
        assert_eq!(first.peek(3).unwrap(), b"abc");
        assert_eq!(first.peek(99).unwrap(), b"abcdef");
        let mut two = [0; 2];
        first.read_exact(&mut two).unwrap();
        assert_eq!((&two, &*first.read_block(9).unwrap()), (b"ab", &b"cdef"[..]));
        assert_eq!(first.read(&mut two).unwrap(), 0);
        let (header, extent) = first.finish().unwrap();
        assert_eq!((header.content_length, extent.offset), (6, 0));
        // The second one is too large for the caller, and passed over.
        let mut second = reader.next_record().unwrap().unwrap();
        let error = second.read_block(1_000).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::TooLarge(1_000)), "{error}");
        let mut third = reader.next_record().unwrap().unwrap();
        let mut block = String::new();
        third.read_to_string(&mut block).unwrap();
        assert_eq!(block, "ghi");
        assert!(reader.next_record().is_none());
        assert!(reader.next_record().is_none());
    }
}

#[test]
fn line_ends_may_differ() {
    let record = |end: &str| format!("WARC/1.0\nContent-Length: 1\n\na{end}");
    let file =
        [record("\n\n"), record("\r\n\r\n\r\n\n"), record(""), record("\n"), record("")].concat();
    assert_eq!(sound(file.as_bytes()).len(), 5);
    assert_eq!(sound(&member(file.as_bytes())).len(), 5);
    assert_eq!(sound(b""), []);
    assert_eq!(sound(b"\r\n\n"), []);
}

#[test]
fn archives_are_recognized() {
    assert!(is_archive(b"WARC/0.18\n"));
    assert!(is_archive(b"filedesc://a.arc 0 19960928120001 text/plain 9\n"));
    assert!(is_archive(&member(b"filedesc://a.arc 0 19960928120001 text/plain 9\n")));
    for head in [&b"WARC/"[..], b"WARC/x", b"<p>", b"", b"\x1f\x8b\x08", &member(b"<p>")] {
        assert!(!is_archive(head), "{head:?}");
    }
    let _ = MOST;
}
