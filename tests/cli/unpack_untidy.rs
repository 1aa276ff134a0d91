//! `relink unpack`: web archives and mail as servers and programs leave them.

use crate::dir::TestDir;
use crate::words::{self, EXCLUDES, RECORD_AT_BYTE};

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
    let at = &format!("only a part of it was captured; {RECORD_AT_BYTE} 0 of a.warc\n");
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
    assert!(report.contains(&words::sum(&[(3, words::REWRITTEN)])), "{report}");
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
            let policy = "<base target=\"_top\"><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file: data: 'unsafe-inline'; script-src 'none'; object-src 'none'; frame-src 'none'\">";
            assert!(body.starts_with(policy), "{path}: {body}");
        }
    }
}

#[test]
fn identifiers_hold_in_the_innermost_message_first() {
    let related = |id: &str, kind: &str, body: &str| {
        format!(
            "Message-ID: <{id}@x>\nContent-Type: multipart/mixed; boundary={id}\n\n\
             --{id}\nContent-Type: text/html\n\n<img src=\"cid:i@1\"><a href=\"mid:{id}@x/i@1\">\
             <a href=\"mid:inner@x\"></a>\n\
             --{id}\nContent-ID: <i@1>\nContent-Type: text/plain; name={kind}.txt\n\n{kind}\n{body}--{id}--\n"
        )
    };
    let inner = related("inner", "in", "");
    let nested = format!("--outer\nContent-Type: message/rfc822; name=m.eml\n\n{inner}\n");
    let outer = related("outer", "out", &nested);
    // The inner one comes first, too.
    let first = outer.replacen(
        "--outer\nContent-Type: text/html",
        &format!("{nested}--outer\nContent-Type: text/html"),
        1,
    );
    for message in [outer, first] {
        let dir = TestDir::with(&[("m.eml", &*format!("To: a@b\n{message}"))]);
        dir.relink("unpack m.eml -o out").exits(0);
        let pages: Vec<String> = std::fs::read_dir(dir.path("out/m"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|name| name == "html"))
            .map(|path| std::fs::read_to_string(path).unwrap())
            .filter(|page| page.contains("<img src="))
            .collect();
        assert!(pages.len() >= 2, "{pages:?}");
        for page in pages {
            let value = |attribute: &str| {
                let rest = page.split(attribute).nth(1).unwrap();
                rest.split('"').nth(1).unwrap().to_owned()
            };
            let shown = dir.text(format!("out/m/{}", value("<img")));
            let named = dir.text(format!("out/m/{}", value("<a")));
            assert_eq!(shown, named, "{page}");
            let nested = page.rsplit("href=\"").next().unwrap().split('"').next().unwrap();
            assert!(dir.text(format!("out/m/{nested}")).contains("<inner@x>"), "{page}");
        }
    }
}

#[test]
fn an_attachment_is_no_body() {
    let part = |fields: &str, body: &str| format!("--b\n{fields}\n\n{body}\n");
    let message = |parts: &[String]| {
        let start = "To: a@b\nContent-Type: multipart/mixed; boundary=b\n\n";
        [start, &parts.concat(), "--b--\n"].concat()
    };
    let notes = part(
        "Content-Type: text/plain\nContent-Disposition: Attachment; filename=notes.txt",
        "NOTES",
    );
    let body = part("Content-Type: text/plain", "REAL BODY");
    let dir = TestDir::with(&[("m.eml", &*message(&[notes.clone(), body]))]);
    dir.relink("unpack m.eml -o out").exits(0);
    assert_eq!(dir.text("out/m/message.txt").trim(), "REAL BODY");
    assert_eq!(dir.text("out/m/notes.txt").trim(), "NOTES");
    let dir = TestDir::with(&[("m.eml", &*message(&[notes]))]);
    dir.relink("unpack m.eml -o out").exits(0);
    assert_eq!(dir.text("out/m/notes.txt").trim(), "NOTES");
    // An invitation is for programs.
    let alternatives = "To: a@b\nContent-Type: multipart/alternative; boundary=b\n\n".to_owned()
        + &part("Content-Type: text/html", "<p>HTML")
        + &part("Content-Type: text/calendar", "BEGIN:VCALENDAR")
        + "--b--\n";
    let dir = TestDir::with(&[("m.eml", &*alternatives)]);
    dir.relink("unpack m.eml -o out").exits(0);
    assert!(dir.text("out/m/message.html").ends_with("<p>HTML"));
    assert!(!dir.text("out/m/index.html").contains("BEGIN"));
}

#[test]
fn text_of_an_unknown_charset_is_guessed() {
    for fields in ["", "Content-Type: text/plain; charset=unknown-8bit\n"] {
        let dir = TestDir::new();
        let message = [format!("To: a@b\n{fields}\n").as_bytes(), b"caf\xE9 100%\n"].concat();
        dir.file("m.eml", message);
        dir.relink("unpack m.eml -o out").exits(0);
        assert!(dir.text("out/m/index.html").contains("caf\u{e9} 100%"));
    }
}

#[test]
fn files_that_are_no_archives_are_reported() {
    let dir = TestDir::new();
    dir.file("in/a.warc.gz", "<p>404");
    dir.file("in/b.warc", "");
    dir.file("in/c.warc", response("http://h/", TIME, HTML, b""));
    let run = dir.relink("unpack in -o out").exits(2);
    let reason = "skipped; it has the name of a web archive, but does not begin as one";
    let expected = format!("in/a.warc.gz: {reason}\nin/b.warc: {reason}\n");
    assert!(run.stderr.starts_with(&expected), "{run}");
    assert!(dir.has("out/h/index.html"));
}

#[test]
fn a_file_that_becomes_a_directory_is_explained() {
    let dir = TestDir::new();
    let page = |url: &str| response(url, TIME, "200 OK\r\nContent-Type: a/b", b"x");
    dir.file("a.warc", page("http://h/foo"));
    dir.relink("unpack a.warc -o out").exits(0);
    dir.file("b.warc", page("http://h/foo/bar"));
    let run = dir.relink("unpack b.warc -o out --update").exits(2);
    assert!(run.stderr.contains("there is a file of an earlier run; use `--update"), "{run}");
    dir.relink("unpack b.warc -o out --update --delete").exits(0);
    // One of somebody else stays, and no message says that it could be removed.
    dir.file("own/h/foo", "mine");
    for delete in ["", "--delete"] {
        let run = dir.relink(&format!("unpack b.warc -o own --update {delete}")).exits(2);
        assert!(run.stderr.contains("own/h/foo: cannot create the directory"), "{run}");
        assert!(!run.stderr.contains("use `"), "{run}");
        assert_eq!(dir.text("own/h/foo"), "mine");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_waits_for_its_input() {
    let dir = TestDir::new();
    dir.file("a.warc", response("http://h/", TIME, HTML, b""));
    dir.relink("unpack a.warc -o out").exits(0);
    let out = dir.path("out").canonicalize().unwrap();
    let around = out.parent().unwrap();
    let journal = crate::unpack::journal(&out, around, r#"{"output":"out","paths":["a.warc"]}"#);
    dir.file(".out.relink-journal", journal);
    std::fs::remove_file(dir.path("out/h/index.html")).unwrap();
    let run = dir.relink("unpack a.warc -o out").exits(2);
    assert!(run.stderr.contains("use `relink resume out` to continue it"), "{run}");
    std::fs::rename(dir.path("a.warc"), dir.path("b.warc")).unwrap();
    dir.relink("resume out --trust").exits(2);
    assert!(dir.has(".out.relink-journal"));
    std::fs::rename(dir.path("b.warc"), dir.path("a.warc")).unwrap();
    dir.relink("resume out --trust").exits(0);
    assert!(dir.has("out/h/index.html") && !dir.has(".out.relink-journal"));
}

/// What a body would load is counted, and loaded only where an option allows it.
#[test]
fn mail_loads_nothing_from_the_network() {
    let body = "<img src=http://h/a.png><link rel=preconnect href=http://h/><iframe src=http://h/></iframe>\
                <meta http-equiv=refresh content='1;url=http://h/'><a href=http://h/>a</a>";
    let message = format!("To: a@b\nContent-Type: text/html\n\n{body}");
    let dir = TestDir::with(&[("m.eml", &message)]);
    let run = dir.relink("unpack m.eml -o out").exits(0);
    let line = "3 references in mail to the network are blocked; use `--allow-remote` to load images and styles";
    assert!(run.has_line(line), "{run}");
    let emptied = "<img src=http://h/a.png><link rel=preconnect href=about:blank><iframe src=about:blank></iframe>\
                   <meta http-equiv=refresh content='1;url=#'><a href=http://h/>a</a>";
    let page = dir.text("out/m/message.html");
    assert!(page.contains("default-src 'self'") && page.ends_with(emptied), "{page}");
    let run = dir.relink("unpack m.eml -o open --allow-remote").exits(0);
    assert!(!run.stderr.contains("blocked"), "{run}");
    let page = dir.text("open/m/message.html");
    let start =
        "<base target=\"_top\"><meta http-equiv=\"Content-Security-Policy\" content=\"script-src";
    assert!(page.starts_with(start), "{page}");
    assert!(page.ends_with(body), "{page}");
}

#[test]
fn raw_parts_have_no_policy() {
    let dir = TestDir::with(&[("m.eml", "To: a@b\n\nx\n")]);
    let run = dir.relink("unpack m.eml -o out --raw --allow-remote").exits(2);
    assert!(run.stderr.contains(EXCLUDES), "{run}");
}

/// Without a base, a reference has no target: it stays as it is written, also under a relative
/// `<base>`.
#[test]
fn references_without_a_base_stay_as_they_are() {
    let links = "<a href=/x/y.html></a><a href=\"?q\"></a><a href=./></a><a href=../a></a>\
                 <a href=logo.png></a><a href=#f></a>";
    let message = |page: &str| {
        format!(
            "To: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n\
             {page}{links}<img src=\"cid:1\">\n--b\nContent-ID: <1>\nContent-Type: image/png; \
             name=logo.png\n\nx\n--b--\n"
        )
    };
    for (base, image) in [("", "logo.png"), ("<base href=\"sub/\">", "../logo.png")] {
        let dir = TestDir::with(&[("m.eml", &*message(base))]);
        let run = dir.relink("unpack m.eml -o out").exits(0);
        let page = dir.text("out/m/message.html");
        // Its own link leads into the body, as long as nothing else is its base.
        let links = match base {
            "" => &links.replace("href=#f", "href=#f target=\"_self\""),
            _ => links,
        };
        let expected = format!("{base}{links}<img src=\"{image}\">");
        assert!(page.contains(&expected), "{run}{page}");
    }
    // A page that was packed without a base has a URL that is made up.
    let dir = TestDir::with(&[("p/a.html", links)]);
    dir.relink("pack p/a.html -o a.mhtml").exits(0);
    dir.relink("unpack a.mhtml -o out").exits(0);
    assert!(!dir.text("out/a.html").contains("relink.invalid"));
    assert!(dir.text("out/a.html").contains("<a href=\"?q\"></a><a href=./></a>"));
}

#[test]
fn mailboxes_with_similar_names_are_apart() {
    let message = "From a@b Thu Jan  1 00:00:00 1970\nTo: a@b\nSubject: s\n\nx\n\n";
    let dir = TestDir::with(&[
        ("in/Inbox.mbox", message),
        ("in/Inbox.eml", "To: a@b\nSubject: s\n\nx\n"),
        ("in/sub/x.eml", "To: a@b\nSubject: s\n\nx\n"),
        ("in/SUB/x.eml", "To: a@b\nSubject: s\n\nx\n"),
    ]);
    dir.relink("unpack in -o out").exits(0);
    for path in ["Inbox.mbox/00001-s/index.html", "Inbox.mbox/index.html", "Inbox.eml/index.html"] {
        assert!(dir.has(format!("out/{path}")), "{path}");
    }
    let all = walkdir::WalkDir::new(dir.path("out")).into_iter().map(Result::unwrap);
    let names: Vec<String> =
        all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.contains("-2")), "{names:?}");
}

#[test]
fn the_fragment_of_a_redirect_is_kept() {
    let to =
        |url: &str, to: &str| response(url, TIME, &format!("301 Moved\r\nLocation: {to}"), b"");
    let records = [
        response("http://h/", TIME, HTML, b"<a href=a></a><a href=a#c></a><a href=b></a>"),
        to("http://h/a", "/b#d"),
        to("http://h/b", "/p"),
        response("http://h/p", TIME, HTML, b""),
    ];
    let (dir, _) = unpacked(&records, "", 0);
    let page = dir.text("out/h/index.html");
    assert_eq!(page, "<a href=p.html#d></a><a href=p.html#c></a><a href=p.html></a>");
}
