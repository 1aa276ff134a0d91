//! `relink unpack`: which capture of a URL becomes its file, and what a file has of the header
//! fields of its response.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::dir::TestDir;
use crate::tools;
use crate::words::{END_IS_MISSING, RECORD_AT_BYTE, TRUNCATED, WRONG_LENGTH};

const OLD: &str = "2020-01-01T00:00:00Z";
const NEW: &str = "2021-01-01T00:00:00Z";
const HTML: &str = "200 OK\r\nContent-Type: text/html";
const PAGE: &str = "http://h/p";

/// Returns a record; `fields` are those of its header section besides the common ones.
fn record(kind: &str, (url, time): (&str, &str), fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n{fields}\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Returns a record with a response, whose status line and header fields are `head`.
fn response(at: (&str, &str), head: &str, body: &[u8]) -> Vec<u8> {
    named_response(at, "", head, body)
}

fn named_response(at: (&str, &str), fields: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    let fields = format!("{fields}Content-Type: application/http; msgtype=response\r\n");
    record("response", at, &fields, &block)
}

fn request(at: (&str, &str), fields: &str, method: &str) -> Vec<u8> {
    let block = format!("{method} /p HTTP/1.1\r\nHost: h\r\n\r\n");
    let fields = format!("{fields}Content-Type: application/http; msgtype=request\r\n");
    record("request", at, &fields, block.as_bytes())
}

/// Returns one gzip member.
fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Unpacks records, and returns what the run reported.
fn unpacked(records: &[Vec<u8>]) -> (TestDir, String) {
    let dir = TestDir::new();
    dir.file("a.warc", records.concat());
    let run = dir.relink("unpack a.warc -o out").exits(0);
    (dir, run.stderr)
}

/// Returns the text of the page, whichever of the records comes first.
#[track_caller]
fn page_is(records: &[Vec<u8>], expected: &str) {
    for reversed in [false, true] {
        let mut records = records.to_vec();
        if reversed {
            records.reverse();
        }
        let (dir, report) = unpacked(&records);
        assert_eq!(dir.text("out/h/p.html"), expected, "{reversed}: {report}");
    }
}

#[test]
fn an_answer_that_is_no_page_hides_none() {
    let good = response((PAGE, OLD), HTML, b"<p>good");
    let newer = |head: &str, body: &[u8]| response((PAGE, NEW), head, body);
    for hiding in [
        vec![newer(HTML, b""), request((PAGE, NEW), "", "HEAD")],
        vec![newer("200 OK\r\nContent-Type: text/html\r\nContent-Length: 9", b"")],
        vec![newer(HTML, b"<p>x"), request((PAGE, NEW), "", "OPTIONS")],
        vec![newer(HTML, b"<p>answer"), request((PAGE, NEW), "", "POST")],
        vec![newer("204 No Content", b"")],
        vec![newer("500 Error", b"<p>error")],
        vec![newer(
            "206 Partial Content\r\nContent-Type: text/html\r\nContent-Range: bytes 0-1/9",
            b"<p",
        )],
        vec![newer(
            "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br",
            b"\x0B\x02\x80<p\x03",
        )],
        vec![newer("302 Found\r\nLocation: https://login.example/", b"")],
        vec![newer("302 Found\r\nLocation: /none", b"")],
        vec![named_response((PAGE, NEW), "WARC-Truncated: length\r\n", HTML, b"<p>tr")],
    ] {
        page_is(&[&[good.clone()][..], &hiding].concat(), "<p>good");
    }
}

#[test]
fn a_request_is_found_by_names_and_by_its_time() {
    let name = |id: &str| format!("WARC-Record-ID: <urn:{id}>\r\n");
    let concurrent = |id: &str| format!("WARC-Concurrent-To: <urn:{id}>\r\n");
    let good = response((PAGE, OLD), HTML, b"<p>good");
    let answer = |fields: &str| named_response((PAGE, NEW), fields, HTML, b"<p>answer");
    let post = |fields: &str| request((PAGE, NEW), fields, "POST");
    for (answer, request, is_posted) in [
        (answer(""), post(""), true),
        (answer(&name("a")), post(&concurrent("a")), true),
        (answer(&concurrent("r")), post(&name("r")), true),
        (answer(&name("a")), post(&concurrent("b")), false),
        (answer(&concurrent("r")), post(&name("s")), false),
    ] {
        let expected = if is_posted { "<p>good" } else { "<p>answer" };
        page_is(&[good.clone(), answer, request], expected);
    }
}

/// An answer to a POST counts before a part of one to a GET.
/// A record may name several of its exchange (WARC 1.1, section 5.7), and methods are any tokens.
#[test]
fn requests_with_other_methods_are_recognized() {
    let old = response((PAGE, OLD), HTML, b"old");
    let id = |id: &str| format!("WARC-Record-ID: <urn:x:{id}>\r\n");
    let with = |ids: &[&str]| -> String {
        ids.iter().map(|id| format!("WARC-Concurrent-To: <urn:x:{id}>\r\n")).collect()
    };
    let later = "2021-01-01T00:00:05Z";
    for method in ["HEAD", "head", "Head", "put", "PATCH", "G-T"] {
        let new = named_response((PAGE, NEW), &(id("a") + &with(&["m", "q"])), HTML, b"new");
        let asked = request((PAGE, later), &(id("q") + &with(&["m"])), method);
        page_is(&[old.clone(), new, asked], "old");
        let new = named_response((PAGE, NEW), &id("a"), HTML, b"new");
        let asked = request((PAGE, later), &(id("q") + &with(&["m", "a"])), method);
        page_is(&[old.clone(), new, asked], "old");
    }
    for method in ["GET", "get", "no:method"] {
        let new = named_response((PAGE, NEW), &id("a"), HTML, b"new");
        page_is(&[old.clone(), new, request((PAGE, NEW), &with(&["a"]), method)], "new");
    }
    let posted = named_response((PAGE, NEW), &id("a"), HTML, b"new");
    page_is(&[old, posted, request((PAGE, NEW), &with(&["a"]), "post")], "old");
}

/// What has a coding, and nothing in it, was lost.
#[test]
fn an_answer_without_content_hides_none() {
    let old = response((PAGE, OLD), HTML, b"old");
    for more in [
        "Content-Encoding: br\r\nContent-Length: 500",
        "Content-Encoding: gzip",
        "Content-Encoding: zstd\r\nContent-Length: 9",
        "Transfer-Encoding: chunked",
        "Content-Length: 3",
    ] {
        let new = response((PAGE, NEW), &format!("{HTML}\r\n{more}"), b"");
        page_is(&[old.clone(), new], "old");
    }
    let short = "206 Partial\r\nContent-Type: text/html\r\nContent-Range: bytes 0-2/3";
    page_is(&[old.clone(), response((PAGE, NEW), short, b"cu")], "old");
    page_is(&[old, response((PAGE, NEW), short, b"cut")], "cut");
}

#[test]
fn a_host_needs_no_scheme_and_no_dot() {
    let page = b"<a href=http://localhost/q>q</a><a href=http://h.example:8080/r>r</a>";
    let records = [
        response((PAGE, OLD), HTML, page),
        response(("localhost/q", OLD), HTML, b"q"),
        response(("h.example:8080/r", OLD), HTML, b"r"),
    ];
    let (dir, report) = unpacked(&records);
    let page = dir.text("out/h/p.html");
    assert!(!page.contains("http:"), "{page} {report}");
    assert!(report.contains("2 URLs without a scheme read as http, such as"), "{report}");
}

#[test]
fn a_capture_is_repeated_by_its_identifier() {
    let id = "WARC-Record-ID: <urn:x:a>\r\n";
    let original = named_response((PAGE, "2019-01-01T00:00:00Z"), id, HTML, b"first");
    let between = response((PAGE, OLD), HTML, b"between");
    let repeats = "WARC-Refers-To: <urn:x:a>\r\n";
    page_is(&[original.clone(), between, record("revisit", (PAGE, NEW), repeats, b"")], "first");
    let other = named_response(("http://h/other", OLD), id, HTML, b"other");
    page_is(&[other, record("revisit", (PAGE, NEW), repeats, b"")], "other");
}

#[test]
fn the_classes_of_captures_have_an_order() {
    let at = |minute: usize| format!("2020-01-01T00:{minute:02}:00Z");
    let part = |minute| {
        let head = "206 OK\r\nContent-Type: text/html\r\nContent-Range: bytes 0-1/9";
        vec![response((PAGE, &at(minute)), head, b"<p>part")]
    };
    let posted = |minute| {
        vec![
            response((PAGE, &at(minute)), HTML, b"<p>posted"),
            request((PAGE, &at(minute)), "", "POST"),
        ]
    };
    let got = |minute| vec![response((PAGE, &at(minute)), HTML, b"<p>got")];
    page_is(&[part(3), posted(2), got(1)].concat(), "<p>got");
    page_is(&[part(3), posted(2)].concat(), "<p>posted");
    page_is(&part(3), "<p>part");
    // Within a class, the time decides.
    let dir = TestDir::new();
    dir.file("a.warc", [got(1), part(2), posted(3), got(4)].concat().concat());
    dir.relink("unpack a.warc -o out --at 2020-01-01T00:03 -q").exits(0);
    assert_eq!(dir.text("out/h/p.html"), "<p>got");
}

#[test]
fn a_redirect_has_the_class_of_what_it_leads_to() {
    let to = |url: &str| response((PAGE, NEW), &format!("302 Found\r\nLocation: {url}"), b"");
    let good = response((PAGE, OLD), HTML, b"<p>good");
    let q = |head: &str| response(("http://h/q", OLD), head, b"<p>q");
    let part = "206 OK\r\nContent-Type: text/html\r\nContent-Range: bytes 0-1/9";
    let page = response(("http://h/", OLD), HTML, b"<a href=p>");
    for (others, expected) in [
        (vec![to("/q"), q(HTML)], "q.html"),
        (vec![to("/q"), q(part)], "p.html"),
        (vec![to("/q"), q("404 No")], "p.html"),
        (vec![to("/p#x")], "p.html"),
        (vec![to("/q"), response(("http://h/q", OLD), "302 Found\r\nLocation: /p", b"")], "p.html"),
    ] {
        let records = [&[good.clone(), page.clone()][..], &others].concat();
        let (dir, report) = unpacked(&records);
        let expected = format!("<a href={expected}>");
        assert_eq!(dir.text("out/h/index.html"), expected, "{report}");
    }
}

#[test]
fn an_incomplete_record_is_the_last_resort() {
    let truncated =
        named_response((PAGE, NEW), "WARC-Truncated: length\r\n", HTML, b"<p>part <a href=/p>");
    let (dir, report) = unpacked(&[truncated]);
    assert_eq!(dir.text("out/h/p.html"), "<p>part <a href=p.html>");
    assert!(
        report.starts_with(&format!("out/h/p.html: {TRUNCATED}; {RECORD_AT_BYTE} 0 of a.warc\n")),
        "{report}"
    );

    let last = response(("http://h/z", NEW), HTML, b"<p>last");
    let body = "<p>\u{e9}\u{e9}\u{e9}</p>";
    let whole = response((PAGE, NEW), HTML, body.as_bytes());
    let declared = response(
        (PAGE, NEW),
        &format!("{HTML}\r\nContent-Length: {}", body.len()),
        body.as_bytes(),
    );
    for (whole, is_declared) in [(whole, false), (declared, true)] {
        let text = String::from_utf8(whole.clone()).unwrap();
        let length: usize = text
            .split(['\r', ' '])
            .skip_while(|word| !word.ends_with("Content-Length:"))
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        for change in [-6_isize, -4, -3, -1, 1, 4, 5, 6] {
            let wrong = length.checked_add_signed(change).unwrap();
            let old = format!("Content-Length: {length}\r\n");
            let record =
                text.replacen(&old, &format!("Content-Length: {wrong}\r\n"), 1).into_bytes();
            // All records in one gzip member: the reader cannot go back as it likes.
            let dir = TestDir::new();
            dir.file("b.warc.gz", member(&[&*record, &last].concat()));
            dir.relink("unpack b.warc.gz -o out").exits(0);
            assert_eq!(dir.text("out/h/p.html").trim_end(), body, "{change}");
            assert_eq!(dir.text("out/h/z.html"), "<p>last", "{change}");
            let (dir, report) = unpacked(&[record, last.clone()]);
            let page = dir.text("out/h/p.html");
            assert_eq!(page.trim_end(), body, "{change}: {report}");
            assert_eq!(dir.text("out/h/z.html"), "<p>last", "{change}: {report}");
            let expected = format!("out/h/p.html: {WRONG_LENGTH}; {RECORD_AT_BYTE} 0 of a.warc\n");
            // Some programs write fewer line ends after a block.
            let is_reported = is_declared || !(1..4).contains(&change);
            assert_eq!(report.starts_with(&expected), is_reported, "{change}: {report}");
        }
    }

    let cut = response((PAGE, NEW), HTML, b"<p>the beginning of a page");
    for n_octets in [1, 5, 20] {
        let at = last.len();
        let records = [last.clone(), cut[..cut.len() - 4 - n_octets].to_vec()];
        let (dir, report) = unpacked(&records);
        let expected = &"<p>the beginning of a page"[..26 - n_octets];
        assert_eq!(dir.text("out/h/p.html"), expected, "{report}");
        let message = format!("out/h/p.html: {END_IS_MISSING}; {RECORD_AT_BYTE} {at} of a.warc\n");
        assert!(report.starts_with(&message), "{report}");
    }
}

#[test]
fn a_body_that_is_not_coded_is_kept() {
    for (coding, body) in [
        ("Content-Encoding: br", &b"<p>text"[..]),
        ("Content-Encoding: deflate", b"<p>text"),
        ("Content-Encoding: gzip", b"<p>text"),
        ("Content-Encoding: zstd", b"<p>text"),
        ("Content-Encoding: br", "<p>\u{e9}\u{20ac}".as_bytes()),
        ("Content-Encoding: gzip, br", b"<p>text"),
        ("Transfer-Encoding: chunked", b"face\r\nto face"),
        ("Transfer-Encoding: chunked", b"10\r\n20\r\n30\r\n"),
        ("Transfer-Encoding: chunked", b"0\r\n1\r\n"),
        ("Transfer-Encoding: chunked", b"42"),
    ] {
        let (dir, report) =
            unpacked(&[response((PAGE, NEW), &format!("{HTML}\r\n{coding}"), body)]);
        assert_eq!(dir.bytes("out/h/p.html"), body, "{coding}: {report}");
        assert!(report.starts_with("1 capture: 2 files written\n"), "{coding}: {report}");
    }
}

#[test]
fn a_range_of_all_of_a_file_is_the_file() {
    let of = |range: &str| {
        let head = format!("206 OK\r\nContent-Type: text/html\r\nContent-Range: bytes {range}");
        unpacked(&[response((PAGE, NEW), &head, b"<p>")])
    };
    for (range, is_whole) in [("0-2/3", true), ("0-2/9", false), ("1-3/4", false), ("0-2/*", false)]
    {
        let (dir, report) = of(range);
        assert_eq!(dir.text("out/h/p.html"), "<p>", "{report}");
        assert_eq!(
            report.contains("only a part of it was captured"),
            !is_whole,
            "{range}: {report}"
        );
    }
}

#[test]
fn a_refresh_without_a_page_leads_on() {
    for (head, target) in [
        ("200 OK\r\nRefresh: 0; url=/new", "new.html"),
        ("200 OK\r\nContent-Type: text/html\r\nRefresh: 5;URL=new", "new.html"),
        ("200 OK\r\nContent-Type: text/plain\r\nRefresh: 0; url='http://h/new'", "new.html"),
        ("200 OK\r\nRefresh: 0; url=https://other.example/", "https://other.example/"),
        ("200 OK\r\nRefresh: 0; url=/new\r\nContent-Length: 0", "new.html"),
    ] {
        let records =
            [response((PAGE, NEW), head, b""), response(("http://h/new", NEW), HTML, b"<p>new")];
        let (dir, report) = unpacked(&records);
        let page = dir.text("out/h/p.html");
        assert!(page.starts_with("<meta http-equiv=\"refresh\" content=\""), "{page}{report}");
        assert!(
            page.to_lowercase().contains(&format!("url={target}"))
                || page.contains(&format!("url='{target}'")),
            "{page}"
        );
    }
}

#[test]
fn header_fields_of_a_page_are_kept_in_its_file() {
    let style = response(("http://h/s.css", NEW), "200 OK\r\nContent-Type: text/css", b"a{}");
    for (fields, body, expected) in [
        ("Content-Language: de", "<html><p>", "<html lang=\"de\"><p>"),
        ("Content-Language: de, en", "<html><p>", "<html><p>"),
        ("Content-Language: de", "<html lang=fr>", "<html lang=fr>"),
        (
            "Link: </s.css>; rel=stylesheet",
            "<!doctype html><base href=/x/><p>",
            "<!doctype html><link rel=\"stylesheet\" href=\"s.css\"><base href=/x/><p>",
        ),
        ("Link: </s.css>; rel=preload; as=style", "<p>", "<p>"),
        ("Link: <p?x>; rel=canonical", "<p>", "<link rel=\"canonical\" href=\"http://h/p?x\"><p>"),
    ] {
        let page = response((PAGE, NEW), &format!("{HTML}\r\n{fields}"), body.as_bytes());
        let (dir, report) = unpacked(&[page, style.clone()]);
        let page = dir.text("out/h/p.html").replace("<base href=\"\">", "<base href=/x/>");
        assert_eq!(page, expected, "{fields}: {report}");
    }
}

#[test]
fn what_a_program_identified_counts_where_the_server_said_nothing() {
    let sjis = b"<p>\x95\x5c</p>";
    for (identified, head, body, name, start) in [
        (
            "text/html; charset=\"Shift_JIS\"",
            HTML,
            &sjis[..],
            "p.html",
            &b"<meta charset=\"Shift_JIS\">"[..],
        ),
        ("text/html; charset=Shift_JIS", "200 OK", sjis, "p.html", b"<meta charset=\"Shift_JIS\">"),
        (
            "text/html",
            "200 OK\r\nContent-Type: application/octet-stream",
            b"text",
            "p.html",
            b"text",
        ),
        ("text/html", "200 OK\r\nContent-Type: text/plain", b"text", "p.txt", b"text"),
        ("image/png", "200 OK", b"text", "p.png", b"text"),
        // What the server and the page say counts more.
        (
            "text/html; charset=koi8-r",
            "200 OK\r\nContent-Type: text/html; charset=shift_jis",
            sjis,
            "p.html",
            b"<meta charset=\"Shift_JIS\">",
        ),
        (
            "text/html; charset=koi8-r",
            HTML,
            b"<meta charset=shift_jis><p>\x95\x5c",
            "p.html",
            b"<meta charset=shift_jis>",
        ),
    ] {
        let fields = format!("WARC-Identified-Payload-Type: {identified}\r\n");
        let (dir, report) = unpacked(&[named_response((PAGE, NEW), &fields, head, body)]);
        let names: Vec<_> = fs::read_dir(dir.path("out/h"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, [name], "{report}");
        let bytes = dir.bytes(format!("out/h/{name}"));
        assert!(bytes.starts_with(start), "{identified}: {}", String::from_utf8_lossy(&bytes));
    }
}

/// The captures of an archive that warcio writes, chosen by a program that reads it with warcio.
#[test]
fn captures_are_chosen_as_a_judge_chooses_them() {
    let Some(python) = tools::python_with("archives", "warcio, brotli") else { return };
    let script = tools::checkout().unwrap().join("crates/warc/tests/ranking.py");
    let n_urls = if std::env::var_os("RELINK_FULL").is_some() { 2_000 } else { 200 };
    for (seed, time) in [("1", None), ("2", Some("2020-01-05"))] {
        let dir = TestDir::new();
        let judge = |args: &[&str]| {
            let mut command = std::process::Command::new(&python);
            let output =
                command.arg(&script).args(args).current_dir(dir.path("")).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        judge(&["make", "a.warc.gz", &n_urls.to_string(), seed]);
        let lines = judge(&[&["judge", "a.warc.gz"][..], time.as_slice()].concat());
        let at = time.map_or(String::new(), |time| format!("--at {time}"));
        dir.relink(&format!("unpack a.warc.gz -o out -q {at}")).exits(0);
        let page = dir.text("out/h.example/index.html");
        let links: Vec<&str> =
            page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let number = |link: &str| {
            if link.starts_with("http:") {
                return "-".to_owned();
            }
            let text =
                String::from_utf8_lossy(&dir.bytes(format!("out/h.example/{link}"))).into_owned();
            let number = text.split("capture ").nth(1).and_then(|rest| rest.split_once(" of"));
            number.map_or("?", |(number, _)| number).to_owned()
        };
        let mut n_found = 0;
        for line in lines.lines() {
            let (url, expected) = line.split_once(' ').unwrap();
            let idx: usize = url.rsplit('p').next().unwrap().parse().unwrap();
            assert_eq!(number(links[idx]), expected, "{url}, {time:?}");
            n_found += usize::from(expected != "-");
        }
        assert!(links.len() == n_urls && n_found > n_urls / 2, "{n_found}");
    }
}
