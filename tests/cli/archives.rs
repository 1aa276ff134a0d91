//! Web archives: what `refs`, `bases` and `check --list-external` read in their records, what is
//! skipped, and what other commands say about them.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::dir::TestDir;
use crate::schema::Schema;
use crate::words::{self, END_IS_MISSING, RECORD_AT_BYTE, TRUNCATED, WRONG_LENGTH};

/// One gzip member.
fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A record with these fields.
fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    let mut out = format!("WARC/1.1\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    out.insert_str(10, "WARC-Date: 2020-01-02T03:04:05Z\r\n");
    [out.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A record of a page.
fn response(url: &str, http: &[u8]) -> Vec<u8> {
    let fields = format!(
        "WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{url}>\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype=response\r\n"
    );
    record(&fields, http)
}

fn page(url: &str, body: &str) -> Vec<u8> {
    response(url, format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").as_bytes())
}

/// Records of each type, with a reference in each.
fn records() -> Vec<Vec<u8>> {
    let gzip = [
        &b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip\r\n\r\n"[..],
        &member(b"a { b: url(c.png) }"),
    ];
    let resource = |record_type: &str, media: &str| {
        format!(
            "WARC-Type: {record_type}\r\nWARC-Target-URI: <http://h/r/>\r\nContent-Type: {media}\r\n"
        )
    };
    let latin = "text/html; charset=iso-8859-1";
    vec![
        record("WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n", b"a: <a href=x>"),
        record(
            "WARC-Type: request\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http; msgtype=request\r\n",
            b"GET / HTTP/1.1\r\nReferer: http://h/x\r\n\r\n",
        ),
        page("http://h/a/p", "<a href=b>\n<img src=../i.png>"),
        response("http://h/old", b"HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n"),
        response("http://h/s.css", &gzip.concat()),
        response(
            "http://h/chunked",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\
              Link: <l>; rel=next\r\n\r\n9\r\n<base hre\r\n9\r\nf=/d/><a \r\n7\r\nhref=e>\r\n0\r\n\r\n",
        ),
        response("http://h/i.png", b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<a href=no>"),
        record(&resource("resource", "text/html"), b"<a href=1>"),
        record(&resource("resource", latin), b"\n <a href=\xE9>"),
        record(&resource("conversion", "text/html"), b"<a href=3>"),
        record(&resource("revisit", "text/html"), b"<a href=no>"),
        record(&resource("metadata", "text/html"), b"<a href=no>"),
        record("WARC-Type: response\r\nContent-Type: text/dns\r\n", b"<a href=no>"),
    ]
}

/// The lines of `refs` without the offsets of records.
fn without_offsets(text: &str) -> String {
    let line = |line: &str| {
        let (name, rest) = line.split_once(':').expect("a name");
        let (_, rest) = rest.split_once(':').expect("an offset");
        format!("{name}:{rest}\n")
    };
    text.lines().map(line).collect()
}

const REFS: &str = "\
F: http://h/a/p 2020-01-02T03:04:05Z <urn:uuid:http://h/a/p>
F:4:9: a[href] b -> http://h/a/b
F:5:10: img[src] ../i.png -> http://h/i.png
F: http://h/old 2020-01-02T03:04:05Z <urn:uuid:http://h/old>
F:2:11: header Location /new -> http://h/new
F: http://h/s.css 2020-01-02T03:04:05Z <urn:uuid:http://h/s.css>
F:5:12: css url() c.png -> http://h/c.png
F: http://h/chunked 2020-01-02T03:04:05Z <urn:uuid:http://h/chunked>
F:4:8: header Link l -> http://h/l
F:6:12: base[href] /d/ -> http://h/d/
F:6:24: a[href] e -> http://h/d/e
F: http://h/r/ 2020-01-02T03:04:05Z -
F:1:9: a[href] 1 -> http://h/r/1
F: http://h/r/ 2020-01-02T03:04:05Z -
F:2:10: a[href] \u{e9} -> http://h/r/\u{e9}
F: http://h/r/ 2020-01-02T03:04:05Z -
F:1:9: a[href] 3 -> http://h/r/3
";

#[test]
fn refs_reads_the_documents_of_records() {
    let dir = TestDir::new();
    let records = records();
    let members: Vec<u8> = records.iter().flat_map(|record| member(record)).collect();
    for (name, file) in [
        ("a.warc", records.concat()),
        ("a.warc.gz", members.clone()),
        ("b.warc.gz", member(&records.concat())),
        // By their first bytes.
        ("c", records.concat()),
        ("d", members),
    ] {
        dir.file(name, file);
        let run = dir.relink(&format!("refs {name}")).exits(0).reports("");
        let expected = REFS.replace("F:", &format!("{name}:"));
        assert_eq!(without_offsets(run.text()), expected, "{run}");
    }
    let piped = dir.pipe("refs -", &dir.bytes("a.warc.gz")).exits(0);
    assert_eq!(without_offsets(piped.text()), REFS.replace("F:", "-:"));
}

/// Several threads read a long archive in ranges. It is long enough here for three; a member of
/// one is longer than a range, and another one looks as if an archive began in it.
#[test]
fn a_long_archive_is_read_by_several_threads() {
    let bytes = |n_bytes: u32| -> Vec<u8> {
        let mut seed = n_bytes;
        let next = |_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        (0..n_bytes).map(next).collect()
    };
    let picture = |block: &[u8]| {
        let header = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
        member(&response("http://h/i.png", &[header, block].concat()))
    };
    let mut file = Vec::new();
    for number in 0..400_u32 {
        file.extend(member(&page(&format!("http://h/{number}/"), &format!("<a href=p{number}>"))));
        file.extend(match number {
            150 => picture(&bytes(5 << 20)),
            220 => picture(&member(&page("http://h/inner/", "<a href=inner>")).repeat(3000)),
            _ => picture(&bytes(20_000)),
        });
    }
    assert!(file.len() > 12 << 20);
    let dir = TestDir::new();
    dir.file("a.warc.gz", &file);
    // A byte of a picture: the record is named, and the others are read.
    file[9 << 20] ^= 1;
    dir.file("damaged.warc.gz", &file);
    for (name, status) in [("a.warc.gz", 0), ("damaged.warc.gz", 2)] {
        let run = |jobs: u8| dir.relink(&format!("refs {name} -j {jobs}")).exits(status);
        let (one, several) = (run(1), run(4));
        assert_eq!((one.text(), &one.stderr), (several.text(), &several.stderr));
        let targets = one.text().lines().filter_map(|line| line.split(" -> ").nth(1));
        assert!(targets.eq((0..400).map(|number| format!("http://h/{number}/p{number}"))));
    }
}

#[test]
fn json_names_the_record() {
    let dir = TestDir::new();
    let first = member(&records()[0]);
    let at = first.len();
    dir.file("a.warc.gz", [first, member(&page("http://h/a/p", "<a href=b>"))].concat());
    let expected = serde_json::json!({
        "id": "<urn:uuid:http://h/a/p>",
        "offset": at,
        "date": "2020-01-02T03:04:05Z",
        "url": "http://h/a/p",
    });
    let mut schema = Schema::new();
    for (command, definition) in
        [("refs", "refs"), ("bases", "bases"), ("check --list-external", "check-url")]
    {
        let run = dir.relink(&format!("{command} a.warc.gz --format json")).exits(0);
        let value: Value = serde_json::from_str(run.text().trim()).expect("one line of JSON");
        schema.check(definition, &value);
        assert_eq!(value["record"], expected, "{value}");
        assert_eq!(value["path"], "a.warc.gz");
        if command == "refs" {
            assert_eq!(value["target"], "http://h/a/b");
            assert_eq!(value["base"], "http://h/a/p");
            assert_eq!((&value["base_source"], &value["line"]), (&"retrieval".into(), &4.into()));
            // The span is that in the block.
            assert_eq!(value["span"], serde_json::json!([52, 53]));
        }
    }
    let run = dir.relink("bases a.warc.gz").exits(0);
    run.has_line(&format!("a.warc.gz:{at}: http://h/a/p"));
    assert!(run.text().contains("WARC-Target-URI: http://h/a/p"), "{run}");
    dir.relink("check --list-external a.warc.gz").exits(0).prints("http://h/a/b\n");
}

#[test]
fn no_header_field_of_a_capture_is_a_base_as_in_browsers() {
    let dir = TestDir::new();
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Base: http://b.example/x/\r\n\
        Base: http://c.example/\r\nContent-Location: http://h/e/f\r\nLink: <l>\r\n\r\n<a href=r>";
    dir.file("a.warc.gz", member(&response("http://h/a/p", http.as_bytes())));
    for (option, base) in [
        ("", "http://h/a/"),
        ("--profile urlsyntax00", "http://b.example/x/"),
        ("--profile rfc1808", "http://c.example/"),
        ("--profile rfc2557", "http://h/e/"),
    ] {
        let run = dir.relink(&format!("refs a.warc.gz {option}")).exits(0);
        for reference in ["r", "l"] {
            let line = format!(" {reference} -> {base}{reference}\n");
            assert!(run.text().contains(&line), "{option}: {run}");
        }
        let run = dir.relink(&format!("bases a.warc.gz {option}")).exits(0);
        assert!(
            run.text().lines().any(|line| line.starts_with("a.warc.gz:0: ") && line.contains(base)),
            "{run}"
        );
    }
}

#[test]
fn arc_is_read() {
    let dir = TestDir::new();
    let head = "filedesc://a.arc 0 19960928120000 text/plain 2\n1\n\n";
    let http = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>";
    let line = |block: &str| {
        format!("http://h/a/ 1.2.3.4 19960928120001 text/html {}\n{block}\n", block.len())
    };
    // A server of HTTP/0.9 sends no header section.
    let parts = [head.to_owned(), line(http), line("<a href=c>"), line("<a href=d>")];
    dir.file("a.arc", parts.concat());
    dir.file("a.arc.gz", parts.map(|part| member(part.as_bytes())).concat());
    for name in ["a.arc", "a.arc.gz"] {
        let run = dir.relink(&format!("refs {name}")).exits(0);
        let record = "F: http://h/a/ 1996-09-28T12:00:01Z -";
        let expected = format!(
            "{record}\nF:4:9: a[href] b -> http://h/a/b\n{record}\nF:1:9: a[href] c -> http://h/a/c\n\
             {record}\nF:1:9: a[href] d -> http://h/a/d\n"
        );
        assert_eq!(without_offsets(run.text()), expected.replace("F:", &format!("{name}:")));
    }
    // The program ARC of 1985.
    dir.file("b.arc", b"\x1A\x08FILE.TXT\0");
    dir.relink("refs b.arc")
        .exits(0)
        .reports("b.arc: skipped; unsupported type of file: compressed file or archive\n");
}

#[test]
fn broken_records_are_reported_and_others_are_read() {
    let segment = "WARC-Type: resource\r\nWARC-Segment-Number: 1\r\nContent-Type: text/html\r\n";
    let br = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\n\x0B\x02";
    for (broken, reason) in [
        (b"WARC/1.1\r\nWARC-Type: response\r\n\r\n\r\n\r\n".to_vec(), "its length is missing"),
        (record(segment, b"<a"), "it is one of several segments"),
        (response("http://h/", br), "its br coding is damaged"),
        (page("http://h/", &"<a href=x>".repeat(20_000)), "it is larger than 100000"),
    ] {
        let parts = [page("http://h/1", "<a href=x>"), broken, page("http://h/2", "<a href=y>")];
        let members = parts.clone().map(|part| member(&part));
        for (file, at) in [(parts.concat(), parts[0].len()), (members.concat(), members[0].len())] {
            let dir = TestDir::new();
            dir.file("a.warc", file);
            let run = dir.relink("refs a.warc --limit document-size=100000").exits(2);
            let message = format!("a.warc: {RECORD_AT_BYTE} {at} skipped; {reason}");
            assert!(run.stderr.contains(&message), "{message}: {run}");
            assert_eq!(run.text().lines().count(), 4, "{run}");
        }
    }
    // A damaged member, and the end of a file that was cut.
    let members = [page("http://h/1", "<a href=x>"), page("http://h/2", "<a href=y>")]
        .map(|part| member(&part));
    let dir = TestDir::new();
    let mut file = members.concat();
    file[30] ^= 0x55;
    dir.file("a.warc.gz", &file);
    let run = dir.relink("refs a.warc.gz").exits(2);
    assert!(
        run.stderr.starts_with("a.warc.gz: record at byte 0 skipped; its gzip member "),
        "{run}"
    );
    assert!(run.text().contains("http://h/y"), "{run}");
    dir.file("b.warc.gz", &members.concat()[..members[0].len() + 20]);
    let run = dir.relink("refs b.warc.gz").exits(0);
    assert_eq!(run.stderr, format!("b.warc.gz:{}: {END_IS_MISSING}\n", members[0].len()), "{run}");
    assert!(run.text().contains("http://h/x"), "{run}");
}

#[test]
fn incomplete_records_are_reported_and_read() {
    let truncated = "WARC-Type: resource\r\nWARC-Truncated: length\r\nContent-Type: text/html\r\n\
                     WARC-Target-URI: http://h/2\r\n";
    let whole = page("http://h/2", "<a href=y>");
    let with_length = |length: usize| {
        let text = String::from_utf8(whole.clone()).unwrap();
        text.replace("Content-Length: 54", &format!("Content-Length: {length}")).into_bytes()
    };
    let (first, last) = (page("http://h/1", "<a href=x>"), page("http://h/3", "<a href=z>"));
    for (parts, reason, n_links) in [
        ([&first, &record(truncated, b"<a href=y><a"), &last], TRUNCATED, 3),
        ([&first, &with_length(50), &last], WRONG_LENGTH, 3),
        ([&first, &with_length(59), &last], WRONG_LENGTH, 3),
        ([&first, &last, &whole[..whole.len() - 4].to_vec()], "", 3),
        ([&first, &last, &whole[..whole.len() - 5].to_vec()], END_IS_MISSING, 2),
    ] {
        let at = parts.iter().position(|part| **part != first && **part != last).unwrap();
        let members: Vec<Vec<u8>> = parts.iter().map(|part| member(part)).collect();
        let plain = parts.map(Clone::clone).concat();
        let offset: usize = parts[..at].iter().map(|part| part.len()).sum();
        let member_offset: usize = members[..at].iter().map(Vec::len).sum();
        for (file, offset) in
            [(plain.clone(), offset), (members.concat(), member_offset), (member(&plain), 0)]
        {
            let dir = TestDir::new();
            dir.file("a.warc", file);
            let run = dir.relink("refs a.warc").exits(0);
            let expected = format!("a.warc:{offset}: {reason}\n");
            assert_eq!(run.stderr, if reason.is_empty() { "" } else { &*expected }, "{run}");
            assert_eq!(run.text().matches(" a[href] ").count(), n_links, "{run}");
        }
    }
}

#[test]
fn a_body_that_ends_too_early_is_reported_and_read() {
    let chunked =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    let counted = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n";
    for (head, body, is_complete) in [
        (chunked, "a\r\n<a href=x>\r\n0\r\n\r\n", true),
        (chunked, "a\r\n<a href=x>\r\n", false),
        // This is not chunked.
        (chunked, "ff\r\n<a href=x>", true),
        (counted, "<a href=x>", true),
        (counted, "<a href=x", false),
        (&counted.replace("10", "99"), "<a href=x>", false),
    ] {
        let before = page("http://h/1", "<a href=a>");
        let at = before.len();
        let record = response("http://h/2", format!("{head}{body}").as_bytes());
        let dir = TestDir::new();
        dir.file("a.warc", [before, record, page("http://h/3", "<a href=c>")].concat());
        for command in ["refs", "bases"] {
            let run = dir.relink(&format!("{command} a.warc")).exits(0);
            let message = format!("a.warc:{at}: the body ends too early\n");
            let expected = if is_complete { "" } else { &*message };
            assert_eq!(run.stderr, expected, "{command} {body:?}: {run}");
            let n_records = run.text().lines().filter(|line| line.starts_with("a.warc")).count();
            assert!(n_records >= 3, "{command} {body:?}: {run}");
        }
    }
}

#[test]
fn a_body_that_grows_too_much_names_its_limit() {
    let dir = TestDir::new();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
    let bomb = member(&vec![b' '; 4 << 20]);
    dir.file("a.warc", response("http://h/", &[head.as_bytes(), &bomb].concat()));
    dir.relink("refs a.warc --limit compression-ratio=5000").exits(0);
    for limit in ["document-size=1000000", "compression-ratio=3"] {
        let run = dir.relink(&format!("refs a.warc --limit {limit}")).exits(2);
        let name = limit.split('=').next().unwrap();
        assert!(run.stderr.contains(&format!("{RECORD_AT_BYTE} 0 skipped; ")), "{run}");
        assert!(run.stderr.contains(name), "{run}");
    }
}

#[test]
fn commands_that_write_copy_archives_and_say_what_to_do() {
    let dir = TestDir::new();
    let file = member(&page("http://h/", "<a href=x>"));
    dir.file("t/a.warc.gz", &file);
    dir.file("t/b.html", "<a href=x>");
    for (out, command) in [
        ("o1", "absolutize t --base http://h/"),
        ("o2", "relativize t --base http://h/"),
        ("o3", "move t --from http://h/ --to http://i/"),
    ] {
        dir.relink(&format!("{command} -o {out} --quiet")).exits(0);
        assert_eq!(dir.bytes(format!("{out}/a.warc.gz")), file, "{command}");
    }
    let run = dir.relink("absolutize t --base http://h/ -n").exits(0);
    assert!(run.has_line(&format!("{}, 1 unsupported file", words::would_change(1, 1))), "{run}");
    let run = dir.relink("absolutize t/a.warc.gz --base http://h/ -n").exits(2);
    let message = "t/a.warc.gz: cannot be converted; web archive, whose records are \
                   evidence and are not rewritten; unpack it to rewrite its pages; `refs`, `bases` \
                   and `check --list-external` read it as it is";
    assert!(run.has_line(message), "{run}");
    let run = dir.relink("check t/a.warc.gz --base http://h/");
    assert!(run.stderr.contains("unsupported type of file: web archive"), "{run}");
}

/// Of the hosts of the archives, what no capture has: under none of its names, nor as a capture
/// that repeats another one, nor in another archive of the run.
#[test]
fn urls_that_no_capture_has_are_missing() {
    let revisit = |url: &str| {
        let fields = format!(
            "WARC-Type: revisit\r\nWARC-Target-URI: {url}\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: http://h.example/p.html\r\nWARC-Refers-To-Date: 2020-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\n"
        );
        record(&fields, b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
    };
    let links = "<a href=/p.html#x><a href=gone.html><a href=gone.html#y><img src=again.png><img src=i.png>\
                 <a href=https://www.h.example/p.html><a href=HTTP://H.example:80/%70.html>\
                 <a href=http://other.example/><a href=/404><a href=http://i.example/b><a href=mailto:a@h>";
    let first = [
        page("http://h.example/p.html", links),
        revisit("http://h.example/again.png"),
        response(
            "http://h.example/i.png",
            b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPNG",
        ),
        response(
            "http://h.example/404",
            b"HTTP/1.1 404 Not found\r\nContent-Type: text/html\r\n\r\n",
        ),
    ];
    let dir = TestDir::new();
    dir.file("t/a.warc", first.concat());
    dir.file("t/b.warc.gz", member(&page("http://i.example/a", "<a href=b><a href=c>")));
    let expected = "http://h.example/gone.html\nhttp://i.example/b\nhttp://i.example/c\n";
    dir.relink("check t --missing-urls -q").exits(0).prints(expected);
    dir.file("t/c.warc", page("https://i.example/b", ""));
    let expected = "http://h.example/gone.html\nhttp://i.example/c\n";
    dir.relink("check t --missing-urls -q").exits(0).prints(expected);
    // A broken record hides no other one.
    dir.file(
        "t/d.warc",
        [&b"WARC/1.0\r\nContent-Length: x\r\n\r\n"[..], &page("http://i.example/c", "")].concat(),
    );
    let run = dir.relink("check t --missing-urls -q");
    assert_eq!(run.text(), "http://h.example/gone.html\n", "{run}");
}
