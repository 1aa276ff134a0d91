//! `relink unpack`: web archives and mail as servers and programs leave them.

use crate::dir::TestDir;

/// Returns a record with an HTTP response, whose status line and header fields are `head`.
fn response(url: &str, time: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    let fields = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [fields.as_bytes(), &block, b"\r\n\r\n"].concat()
}

const TIME: &str = "2020-01-01T00:00:00Z";
const HTML: &str = "200 OK\r\nContent-Type: text/html";

fn unpacked(records: &[Vec<u8>], options: &str, status: i32) -> (TestDir, String) {
    let dir = TestDir::new();
    dir.file("a.warc", records.concat());
    let run = dir.relink(&format!("unpack a.warc -o out {options}")).exits(status);
    (dir, run.stderr)
}

#[test]
fn a_charset_changes_nothing_that_is_no_text() {
    for (media_type, body) in [
        ("image/jpeg; charset=utf-8", &b"\xFF\xD8\xFF\xE0"[..]),
        ("image/png; charset=utf-16", b"\x89PNG\r\n\x1A\n"),
        ("text/plain; charset=utf-8", b"wOF2\0\xFF"),
    ] {
        let head = format!("200 OK\r\nContent-Type: {media_type}");
        let (dir, _) = unpacked(&[response("http://h/x", TIME, &head, body)], "", 0);
        let file = std::fs::read_dir(dir.path("out/h")).unwrap().next().unwrap().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), body, "{media_type}");
    }
}

#[test]
fn the_type_of_a_response_is_found_without_a_name() {
    let link = b"<!doctype html><a href=/b>b</a>";
    let long = format!("200 OK\r\nSet-Cookie: {}\r\nContent-Type: text/html", "x".repeat(20_000));
    for head in ["200 OK", &long, "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: utf-8"] {
        let records =
            [response("http://h/a", TIME, head, link), response("http://h/b", TIME, HTML, b"b")];
        let (dir, _) = unpacked(&records, "", 0);
        let page = dir.text("out/h/a.html");
        assert_eq!(page, "<!doctype html><a href=b.html>b</a>", "{}", &head[..6]);
    }
    let (_, report) = unpacked(
        &[response("http://h/a", TIME, "200 OK\r\nContent-Encoding: compress", b"x")],
        "",
        2,
    );
    assert!(report.contains("its content coding 'compress' is unknown"), "{report}");
}

#[test]
fn a_resource_has_a_charset_and_is_no_response() {
    let resource = |url: &str, media_type: &str, block: &[u8]| {
        let fields = format!(
            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nWARC-Date: {TIME}\r\n\
             Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [fields.as_bytes(), block, b"\r\n\r\n"].concat()
    };
    let text = "HTTP/1.1 200 OK\r\n\r\ntext";
    let records = [
        resource("http://h/a.txt", "text/plain", text.as_bytes()),
        resource("http://h/b", "text/html; charset=koi8-r", b"<p>\xC1"),
    ];
    let (dir, _) = unpacked(&records, "", 0);
    assert_eq!(dir.text("out/h/a.txt"), text);
    let page = std::fs::read(dir.path("out/h/b.html")).unwrap();
    assert_eq!(page, b"<meta charset=\"KOI8-R\"><p>\xC1");
}

#[test]
fn a_part_of_a_file_is_reported() {
    let part = response("http://h/v.mp4", TIME, "206 OK\r\nContent-Range: bytes 0-1/9", b"12");
    let at = "only a part of it was captured; record at byte 0 of a.warc\n";
    let (_, report) = unpacked(&[part], "", 0);
    assert!(report.starts_with(&format!("out/h/v.mp4: {at}")), "{report}");
}

#[test]
fn urls_are_the_same_however_they_are_escaped() {
    let page = b"<a href=\"/c?f=A|B\"><a href=\"/d?a='x'\"><a href='/e%7C'>";
    let urls = ["http://h/c?f=A%7CB", "http://h/d?a=%27x%27", "http://h/e|"];
    let mut records = vec![response("http://h/", TIME, HTML, page)];
    records.extend(urls.map(|url| response(url, TIME, HTML, b"")));
    let (dir, report) = unpacked(&records, "", 0);
    assert!(report.contains("3 references: 3 rewritten"), "{report}");
    assert!(!dir.text("out/h/index.html").contains("http:"), "{report}");
}

#[test]
fn a_line_end_in_a_reference_is_no_obstacle() {
    let page = b"<a href=\"/p\n#f\">1</a><a href=\"p\n?\n#f\"></a><a href=/x>x</a>";
    let records =
        [response("http://h/p", TIME, HTML, page), response("http://h/x", TIME, HTML, b"")];
    let (dir, _) = unpacked(&records, "", 0);
    let page = dir.text("out/h/p.html");
    assert!(
        page.starts_with("<a href=\"#f\">") && page.ends_with("<a href=x.html>x</a>"),
        "{page}"
    );
}

const BODY: &str = "Content-Type: multipart/related; boundary=b\n\n\
    --b\nContent-Type: text/html\n\n<script>x</script>\n--b--\n";

#[test]
fn mail_is_not_taken_for_a_saved_page() {
    let blink = "Snapshot-Content-Location: x\nContent-Type: text/html\n\n<script>x</script>\n";
    for message in [BODY, blink] {
        for (path, fields) in
            [("m.eml", ""), ("m.nws", ""), ("MH/1", ""), ("box/cur/1.a", ""), ("m", "To: a@b\n")]
        {
            let dir = TestDir::new();
            for name in ["new", "cur", "tmp"] {
                std::fs::create_dir_all(dir.path(format!("in/box/{name}"))).unwrap();
            }
            dir.file(
                format!("in/{path}"),
                format!("From: a@b\nSubject: s\nDate: x\n{fields}{message}"),
            );
            dir.relink("unpack in -o out").exits(0);
            let files = walkdir::WalkDir::new(dir.path("out")).into_iter().map(Result::unwrap);
            let texts: Vec<String> = files
                .filter(|entry| entry.file_type().is_file())
                .map(|entry| std::fs::read_to_string(entry.path()).unwrap())
                .collect();
            let body = texts.iter().find(|text| text.contains("<script>x</script>"));
            let body = body.unwrap_or_else(|| panic!("{path}: {texts:?}"));
            let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'; frame-src 'none'\">";
            assert!(body.starts_with(policy), "{path}: {body}");
        }
    }
}
