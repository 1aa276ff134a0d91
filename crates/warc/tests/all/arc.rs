//! Files of ARC, version 1: their records, and broken ones.

use relink_warc::RecordType;

use crate::writer::{Written, member, read, sound};

const HEAD: &str = "filedesc://a.arc 0.0.0.0 19960928120000 text/plain 76\n\
1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n";

fn records() -> [Written; 3] {
    [
        Written::new("response", "http://h/a?b c", "HTTP/1.0 200 OK\r\n\r\n<p>"),
        Written::new("response", "https://h/", ""),
        Written::new("resource", "dns:h", "20200102\nh 1.2.3.4\n\n\n"),
    ]
}

#[test]
fn records_of_arc_have_the_fields_of_warc() {
    let records = records();
    let arcs: Vec<Vec<u8>> = records.iter().map(Written::arc).collect();
    let plain = [HEAD.as_bytes(), &arcs.concat()].concat();
    let members: Vec<u8> = arcs.iter().flat_map(|arc| member(arc)).collect();
    let compressed = [member(HEAD.as_bytes()), members].concat();
    for file in [plain, compressed] {
        let all = sound(&file);
        assert_eq!((all.len(), all[0].0, all[0].2.len()), (4, "warcinfo", 76));
        for (read, written) in all[1..].iter().zip(&records) {
            let Written { record_type, url, block } = written;
            assert_eq!(read, &(*record_type, url.clone(), block.clone()));
        }
        let header = read(&file).swap_remove(1).unwrap().header;
        assert_eq!((&*header.version, header.date()), ("arc", Some("2020-01-02T03:04:05Z")));
        assert_eq!(header.identified_payload_type(), Some("text/html"));
        assert!(header.is_http_response() && header.is_seekable);
        assert_eq!((header.id(), header.field("WARC-IP-Address")), (None, Some("10.0.0.1")));
    }
}

#[test]
fn records_after_a_broken_one_are_found() {
    let arcs: Vec<Vec<u8>> = records().iter().map(Written::arc).collect();
    for (broken, reason) in [
        ("http://h/ 10.0.0.1 20200102030405 text/html 3x\nabc\n", "does not begin as a record"),
        ("http://h/ 10.0.0.1 20200102030405 text/html 9\nabc\n", "its length is wrong"),
        ("http://h/ 10.0.0.1 20200102030405 text/html 999999\nabc\n", "truncated"),
        ("???\n", "does not begin as a record"),
    ] {
        let file = [HEAD.as_bytes(), broken.as_bytes(), &arcs.concat()].concat();
        let all = read(&file);
        assert_eq!(all.len(), 5, "{broken}: {all:?}");
        let error = all[1].as_ref().unwrap_err();
        assert!(error.contains(reason) && error.contains("byte 131"), "{broken}: {error}");
        assert_eq!(all[2].as_ref().unwrap().header.record_type, RecordType::Response);
        let file = [HEAD.as_bytes(), broken.as_bytes(), &arcs.concat()].map(member).concat();
        assert!(read(&file).iter().filter(|record| record.is_ok()).count() >= 2, "{broken}");
    }
}
