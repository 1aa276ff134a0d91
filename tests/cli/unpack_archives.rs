//! `relink unpack` of web archives: captures, redirects, repeated captures, broken records.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::dir::TestDir;
use crate::words::{self, NOT_FOUND, RECORD_AT_BYTE};

/// One gzip member.
fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A record of a web archive.
fn record(kind: &str, url: &str, time: &str, more: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}T00:00:00Z\r\n\
         {more}Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n\
         {block}\r\n\r\n",
        block.len()
    )
}

fn response(url: &str, time: &str, media_type: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{body}");
    record("response", url, time, "", &block)
}

fn redirect(url: &str, to: &str) -> String {
    let block = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n");
    record("response", url, "2020-01-01", "", &block)
}

/// An archive of a small site.
fn site() -> String {
    [
        response(
            "http://h.example/",
            "2020-01-01",
            "text/html; charset=iso-8859-1",
            "<a href=page?id=1>1</a> <a href=//other.example/x>x</a> <img src=/logo> <a href=old#f>o</a>",
        ),
        response("http://h.example/page?id=1", "2020-01-01", "text/html", "old <a href=/>home</a>"),
        response("http://h.example/page?id=1", "2021-01-01", "text/html", "new <a href=./>home</a>"),
        response("http://h.example/logo", "2020-01-01", "image/png", "\u{89}PNG"),
        redirect("http://h.example/old", "/page?id=1"),
        record("response", "http://h.example/no", "2020-01-01", "", "HTTP/1.1 404 No\r\n\r\n<p>"),
    ]
    .concat()
}

#[test]
fn a_web_archive_becomes_a_site() {
    let dir = TestDir::with(&[("crawl.warc", &site())]);
    let run = dir.relink("unpack crawl.warc -o out").exits(0).prints("");
    assert_eq!(
        run.stderr,
        format!(
            "3 captures: 4 files written\n{}\nopen out/index.html\n",
            words::sum(&[(5, words::REWRITTEN)])
        ),
        "{run}"
    );
    assert_eq!(
        dir.text("out/h.example/index.html"),
        "<a href=page-id-1.html>1</a> <a href=http://other.example/x>x</a> <img src=logo.png> <a href=page-id-1.html#f>o</a>"
    );
    assert_eq!(dir.text("out/h.example/page-id-1.html"), "new <a href=index.html>home</a>");
    assert_eq!(dir.text("out/h.example/logo.png"), "\u{89}PNG");
    let list = dir.text("out/index.html");
    let row = "<a href=\"h.example/page-id-1.html\"><span class=\"what\">http://h.example/page?id=1</span>";
    assert!(list.contains(row), "{list}");
    assert!(!list.contains("logo.png"), "{list}");
}

#[test]
fn the_list_of_pages_stays_when_others_are_removed() {
    let dir = TestDir::with(&[("crawl.warc", &site())]);
    dir.relink("unpack crawl.warc -o out -q").exits(0);
    let names: Vec<_> = dir.tree("out").into_keys().collect();
    dir.file("out/added.html", "");
    let list = dir.text("out/.relink-unpacked");
    dir.file("out/.relink-unpacked", format!("{list}added.html\n"));
    let run = dir.relink("unpack crawl.warc -o out --update --delete").exits(0);
    assert!(run.stderr.starts_with("3 captures: 0 files written, 4 current, 1 removed\n"), "{run}");
    assert!(dir.tree("out").into_keys().eq(names), "{run}");
}

#[cfg(unix)]
#[test]
fn urls_that_need_much_memory_are_in_a_temporary_file() {
    let dir = TestDir::new();
    let url = |n: usize| format!("http://h.example/{n}?{}", "x".repeat(10_000));
    let page = |n: usize| {
        let body = format!("<a href=\"{}\">next</a>", url((n + 500) % 1_000));
        response(&url(n), "2020-01-01", "text/html", &body)
    };
    let pages: Vec<String> = (0..1_000).map(page).collect();
    let repeated = |n: usize| {
        let more = format!(
            "WARC-Refers-To-Target-URI: {}\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n",
            url(n)
        );
        record("revisit", &url(n), "2021-01-01", &more, "")
    };
    let repeated: Vec<String> = (0..1_000).step_by(10).map(repeated).collect();
    dir.file("a.warc", pages.concat() + &repeated.concat());

    let run = dir.relink_by(&["env", "TMPDIR=/nonexistent"], "unpack a.warc -o out").exits(2);
    let message = &format!("/nonexistent: cannot keep URLs in a temporary file; {NOT_FOUND}");
    assert!(run.stderr.starts_with(message) && !dir.has("out"), "{run}");

    dir.relink("unpack a.warc -o out -q").exits(0);
    let files = dir.tree("out/h.example");
    let number =
        |name: &str| name.split('-').next().and_then(|digits| digits.parse::<usize>().ok());
    let mut numbers = BTreeSet::new();
    for name in files.keys().map(|path| path.display().to_string()) {
        let Some(n) = number(&name) else { continue };
        let text = dir.text(format!("out/h.example/{name}"));
        let target = text.split('"').nth(1).unwrap_or_default();
        assert_eq!(number(target), Some((n + 500) % 1_000), "{name}: {text}");
        assert!(files.contains_key(Path::new(target)), "{name}: {target}");
        numbers.insert(n);
    }
    assert!(numbers.into_iter().eq(0_usize..1_000));
}

#[test]
fn pages_are_listed_by_their_titles() {
    let page = |name: &str, text: &str| {
        response(&format!("http://h.example/{name}"), "2020-01-01", "text/html", text)
    };
    let archive = page("z", "<title>The <start></title>") + &page("a", "<p>none");
    let dir = TestDir::with(&[("a.warc", &archive)]);
    dir.relink("unpack a.warc -o out -q").exits(0);
    let list = dir.text("out/index.html");
    for expected in [
        "<a href=\"h.example/z.html\">First captured: The &lt;start&gt;</a>",
        "<span class=\"what\">The &lt;start&gt;</span><span class=\"who\">http://h.example/z</span>",
        "<span class=\"what\">http://h.example/a</span><span class=\"who\"></span>",
    ] {
        assert!(list.contains(expected), "{expected}: {list}");
    }
}

#[test]
fn the_list_names_other_captures_and_what_is_missing() {
    let page = |time: &str, text: &str| response("http://h.example/", time, "text/html", text);
    let lacks = "<img src=a.png><img src=/b.png><script src=//cdn.example/c.js></script><a href=d>d</a><img src='data:,'>";
    let style =
        response("http://h.example/e.css", "2020-01-01", "text/css", "a { src: url(f.png) }");
    let archive = page("2019-01-01", "old")
        + &page("2021-01-01", lacks)
        + &page("2020-01-01", "older")
        + &style
        + &response("http://h.example/b.png", "2021-01-01", "image/png", "PNG");
    let dir = TestDir::with(&[("a.warc", &archive)]);
    dir.relink("unpack a.warc -o out -q").exits(0);
    let list = dir.text("out/index.html");
    for expected in [
        "<details><summary>2 more</summary><ul><li>2020-01-01T00:00:00</li><li>2019-01-01T00:00:00</li></ul>",
        "<p>relink unpack a.warc --at 2020-01-01T00:00:00 -o OUT</p>",
        "<summary>3 URLs that pages load: not in the archive</summary>",
        "<ul>\n<li>http://cdn.example/c.js</li>\n<li>http://h.example/a.png</li>\n<li>http://h.example/f.png</li>\n</ul>",
    ] {
        assert!(list.contains(expected), "{expected}: {list}");
    }
    // The commands that the list names do what it says.
    dir.relink("unpack a.warc --at 2020-01-01T00:00:00 -o old -q").exits(0);
    assert_eq!(dir.text("old/h.example/index.html"), "older");
    let urls = "http://h.example/a.png\nhttp://h.example/d\nhttp://h.example/f.png\n";
    dir.relink("check a.warc --missing-urls").exits(0).prints(urls);
    dir.file("a.warc", page("2021-01-01", "<img src='data:,'><a href=d>d</a>"));
    dir.relink("unpack a.warc -o whole -q").exits(0);
    assert!(!dir.text("whole/index.html").contains("<details"));
}

#[test]
fn a_long_list_of_pages_has_parts() {
    let of = |n: usize| -> String {
        let host = |number| if number < 3000 { "a" } else { "b" };
        let page = |number| format!("http://{}/{number:05}", host(number));
        (0..n).map(|number| response(&page(number), "2020-01-01", "text/html", "")).collect()
    };
    let dir = TestDir::with(&[("a.warc", &of(5001))]);
    let run = dir.relink("unpack a.warc -o out").exits(0);
    assert!(run.stderr.starts_with("5001 captures: 5003 files written\n"), "{run}");
    let [first, second] = ["out/index.html", "out/index-2.html"].map(|path| dir.text(path));
    for (page, number, hosts, rows) in
        [(&first, 1, vec!["a", "b"], 0..5000), (&second, 2, vec!["b"], 5000..5001)]
    {
        let title = format!("<h1>Web archive, part {number} of 2</h1>");
        assert!(page.contains(&title), "{number}: {}", &page[..3000]);
        let found: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("<h2>")).collect();
        let heading = |host: &&str| {
            let n = if *host == "a" { 3000 } else { 2001 };
            format!("{host} <span class=\"soft\">{n} pages</span></h2>")
        };
        assert_eq!(found, hosts.iter().map(heading).collect::<Vec<_>>());
        let number = |line: &str| -> Option<usize> {
            let (_, rest) = line.split_once("<span class=\"what\">http://")?;
            Some(rest[2..7].parse().unwrap())
        };
        let found: Vec<usize> = page.lines().filter_map(number).collect();
        assert_eq!(found, rows.collect::<Vec<_>>());
    }
    let to = |href: &str, [first, last]: [&str; 2]| {
        format!("<a href=\"{href}\">{first} <span class=\"soft\">{last}</span></a>")
    };
    assert!(first.contains(&to("index-2.html", ["2", "http://b/05000 to http://b/05000"])));
    assert!(second.contains(&to("index.html", ["1", "http://a/00000 to http://b/04999"])));
    dir.file("a.warc", of(3));
    dir.relink("unpack a.warc -o out --update --delete").exits(0);
    assert!(dir.text("out/index.html").contains("<h1>Web archive</h1>"));
    assert!(!dir.has("out/index-2.html"));
}

#[test]
fn conflicts_of_names_are_listed() {
    let page = |url| response(url, "2020-01-01", "text/html", "<p>");
    let dir = TestDir::with(&[(
        "a.warc",
        &[page("http://h/a"), page("http://h/a/b"), page("http://h/A/B"), page("http://h/c")]
            .concat(),
    )]);
    let run = dir.relink("unpack a.warc -o out -v").exits(0);
    let listed: Vec<&str> =
        run.stderr.lines().filter(|line| line.contains("another URL has the same name")).collect();
    let [other, a, b] = &*listed else { panic!("{run}") };
    assert!(a.starts_with("out/h/a-") && a.contains("the file of http://h/a;"), "{a}");
    assert!(b.starts_with("out/h/a-") && b.contains("/b.html: the file of http://h/a/b;"), "{b}");
    assert!(other.starts_with("out/h/A/B.html: the file of http://h/A/B;"), "{other}");
}

#[test]
fn a_time_and_a_server_are_chosen() {
    let dir = TestDir::with(&[("crawl.warc", &site())]);
    dir.relink("unpack crawl.warc -o out --at 2020-06 --for static-host -q").exits(0);
    assert_eq!(dir.text("out/h.example/page-id-1.html"), "old <a href=./>home</a>");
}

#[test]
fn the_charset_of_a_response_is_declared() {
    let page = response("http://h/", "2020-01-01", "text/html; charset=utf-8", "<p>\u{e9}");
    let dir = TestDir::with(&[("a.warc", &page)]);
    dir.relink("unpack a.warc -o out -q").exits(0);
    assert_eq!(dir.text("out/h/index.html"), "\u{feff}<p>\u{e9}");
    dir.relink("unpack a.warc -o raw --raw -q").exits(0);
    assert_eq!(dir.text("raw/h/index.html"), "<p>\u{e9}");
    assert!(!dir.has("raw/index.html"));
}

#[test]
fn a_repeated_capture_has_the_content_of_the_first() {
    let digest = "WARC-Payload-Digest: sha1:A\r\n";
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>b</a>";
    let archives = [
        record("response", "http://h/a", "2020-01-01", digest, block),
        record("revisit", "http://h/d/a", "2021-01-01", digest, ""),
        record("revisit", "http://h/gone", "2021-01-01", "WARC-Payload-Digest: sha1:B\r\n", ""),
    ];
    let dir = TestDir::with(&[("a.warc", &archives.concat())]);
    let run = dir.relink("unpack a.warc -o out").exits(0);
    assert_eq!(
        run.stderr.lines().next(),
        Some(
            "warning: http://h/gone skipped; its record repeats a capture that no archive of this run has"
        ),
        "{run}"
    );
    assert_eq!(dir.text("out/h/a.html"), "<a href=http://h/b>b</a>");
    assert_eq!(dir.text("out/h/d/a.html"), "<a href=http://h/d/b>b</a>");
}

#[test]
fn archives_of_one_run_are_one_site() {
    let dir = TestDir::with(&[
        ("in/1.warc", &response("http://h/a", "2020-01-01", "text/html", "<a href=b>b</a>")),
        ("in/2.warc", &response("http://h/b", "2020-01-01", "text/html", "<a href=a>a</a>")),
    ]);
    dir.relink("unpack in -o out -q").exits(0);
    assert_eq!(dir.text("out/h/a.html"), "<a href=b.html>b</a>");
    assert_eq!(dir.text("out/h/b.html"), "<a href=a.html>a</a>");
    let run = dir.relink("unpack in -o out --update").exits(0);
    assert!(run.stderr.contains("0 files written, 3 current"), "{run}");
}

#[test]
fn broken_records_are_reported_and_the_others_unpacked() {
    let text = response("http://h/a", "2020-01-01", "text/html", "a")
        + "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\n\r\n\r\n"
        + &response("http://h/b", "2020-01-01", "text/html", "b");
    let dir = TestDir::with(&[("a.warc", &text)]);
    let run = dir.relink("unpack a.warc -o out").exits(2);
    assert!(run.stderr.starts_with(&format!("a.warc: {RECORD_AT_BYTE} ")), "{run}");
    assert!(dir.has("out/h/a.html") && dir.has("out/h/b.html"));
}

/// What is read of a record decides where its defect is noticed: the pages after it keep their own
/// content.
#[test]
fn a_broken_record_does_not_shift_the_others() {
    let page = |url: &str, time: &str| response(url, time, "text/html", &format!("{url} {time}"));
    let long = page("http://h/1", "2021-01-01").replace("Content-Length: ", "Content-Length: 9");
    let cut = page("http://h/5", "2020-01-01");
    let records = [
        page("http://h/0", "2020-01-01"),
        page("http://h/1", "2020-01-01"),
        long,
        page("http://h/2", "2020-01-01"),
        page("http://h/3", "2020-01-01"),
        cut[..cut.len() - 7].to_owned(),
    ];
    let members = records.iter().map(|record| member(record.as_bytes())).collect::<Vec<_>>();
    let two = [&records[..3].concat(), &records[3..].concat()].map(|text| member(text.as_bytes()));
    for archive in [records.concat().into_bytes(), members.concat(), two.concat()] {
        let dir = TestDir::new();
        dir.file("a.warc", archive);
        let run = dir.relink("unpack a.warc -o out").exits(0);
        // The one that counts for no page, and the last one.
        assert_eq!(run.stderr.matches(&format!("{RECORD_AT_BYTE} ")).count(), 2, "{run}");
        for number in 0..4 {
            // Of the page whose newest capture is broken there is an older one.
            let expected = format!("http://h/{number} 2020-01-01");
            assert_eq!(dir.text(format!("out/h/{number}.html")), expected, "{run}");
        }
        // Of the last one there is only a part.
        let last = "http://h/5 2020-01-01";
        assert_eq!(dir.text("out/h/5.html"), last[..last.len() - 3], "{run}");
    }
}

#[test]
fn parts_of_captures_are_reported() {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPN";
    let of = |url: &str, more: &str| record("response", url, "2020-01-01", more, block);
    let records = [
        of("http://h/a.png", "WARC-Truncated: time\r\n"),
        of("http://h/b.png", "WARC-Segment-Number: 1\r\n"),
        of("http://h/c.png", ""),
    ];
    let dir = TestDir::with(&[("a.warc", &records.concat())]);
    let run = dir.relink("unpack a.warc -o out").exits(2);
    let second = records[0].len();
    let start = format!(
        "a.warc: record at byte {second} skipped; it is one of several segments, which are not put together\n\
         out/h/a.png: the record was truncated when it was saved; record at byte 0 of a.warc\n"
    );
    assert!(run.stderr.starts_with(&start), "{run}");
    assert!(dir.has("out/h/c.png") && dir.has("out/h/a.png") && !dir.has("out/h/b.png"));
}

#[test]
fn mail_and_an_archive_have_pages_of_their_own() {
    let dir = TestDir::with(&[
        ("in/a.warc", &response("http://h/a", "2020-01-01", "text/html", "a")),
        ("in/m.eml", "To: a@b\nSubject: hello\n\ntext\n"),
    ]);
    dir.relink("unpack in -o out -q").exits(0);
    assert!(dir.text("out/index.html").contains("hello"));
    assert!(dir.text("out/web-archive.html").contains("http://h/a"));
}

#[test]
fn what_cannot_be_unpacked_is_refused() {
    let dir = TestDir::with(&[("a.warc", &site())]);
    let run = dir.relink("unpack a.warc -o out --at yesterday").exits(2);
    assert!(run.stderr.contains("expected a date or time, such as 2021-06-01"), "{run}");
    let run = dir.pipe("unpack - -o out", site().as_bytes()).exits(2);
    assert!(run.stderr.contains("it would be read twice; save it to a file"), "{run}");
    assert!(!dir.has("out"));
}

/// What has another length than its record says, whatever it is: the site is the same, and the
/// record is named.
#[test]
fn records_with_wrong_lengths_are_read_or_passed_over() {
    let page = |name: &str, body: &str| {
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}");
        let url = format!("http://h.example/{name}");
        record("response", &url, "2020-01-01", "", &format!("{head}\r\n\r\n{body}"))
    };
    let repeats = "WARC-Refers-To-Target-URI: http://h.example/b\r\n\
                   WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
    let (b, date) = ("http://h.example/b", "2020-01-01");
    let records = [
        record("warcinfo", b, date, "", "software: x\r\n"),
        page("a", "<a href=/old>o</a> <a href=c>c</a>"),
        redirect("http://h.example/old", "http://h.example/b"),
        record("request", b, date, "", "GET /b HTTP/1.1\r\nHost: h.example\r\n\r\n"),
        record("metadata", b, date, "", "a: b\r\n\r\n"),
        page("b", "<p>b"),
        record("revisit", "http://h.example/c", date, repeats, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        page("d", "<p>d"),
    ];
    for changed in (0..records.len()).filter(|idx| ![1, 7].contains(idx)) {
        let (start, block) = records[changed].split_once("\r\n\r\n").unwrap();
        let (start, length) = start.rsplit_once(' ').unwrap();
        let length: isize = length.parse().unwrap();
        for change in [-30, -9, -8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 4, 5, 6, 8, 100, 100_000] {
            if length + change < 0 {
                continue;
            }
            let mut parts = records.clone();
            parts[changed] = format!("{start} {}\r\n\r\n{block}", length + change);
            let at: usize = parts[..changed].iter().map(String::len).sum();
            let dir = TestDir::with(&[("x.warc", &parts.concat())]);
            let run = dir.relink("unpack x.warc -o out").exits(0);
            let context = format!("record {changed} with {change}: {run}");
            let expected = "<a href=b.html>o</a> <a href=c.html>c</a>";
            assert_eq!(dir.text("out/h.example/a.html"), expected, "{context}");
            for (name, body) in [("b", "<p>b"), ("c", "<p>b"), ("d", "<p>d")] {
                let text = dir.text(format!("out/h.example/{name}.html"));
                // The end of a record may be taken for text, where nothing says how long that is.
                assert_eq!(text.trim_end(), body, "{name}: {context}");
            }
            // Some programs write fewer or more line ends after a block.
            if !(-4..=4).contains(&change) {
                let is_named = format!("{RECORD_AT_BYTE} {at}");
                assert!(run.stderr.contains(&is_named), "{context}");
                let run = dir.relink("refs x.warc").exits(0);
                assert!(
                    run.stderr.contains(&format!("x.warc:{at}: ")),
                    "{changed} {change}: {run}"
                );
            }
        }
    }
}

#[test]
fn an_archive_may_end_anywhere() {
    let text = site();
    let boundaries = text.match_indices("\r\n\r\nWARC/").map(|(at, _)| at);
    let ends: Vec<usize> = boundaries.chain([text.len() - 4]).collect();
    for end in (8..text.len()).step_by(13).filter(|end| text.is_char_boundary(*end)) {
        let dir = TestDir::with(&[("x.warc", &text[..end])]);
        let run = dir.relink("unpack x.warc -o out").exits(0);
        // Not where a record ends, with its empty lines or without.
        let is_cut = !ends.iter().any(|at| (*at..=at + 4).contains(&end));
        assert_eq!(run.stderr.contains(RECORD_AT_BYTE), is_cut, "{end}: {run}");
    }
}

/// What follows the right end of a block is no header field of it.
#[test]
fn a_response_without_an_empty_line_ends_with_its_record() {
    let (bare, moved) = ("HTTP/1.1 200 OK", "HTTP/1.1 301 Moved\r\nLocation: /b");
    let page = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let blocks = [
        ("http://h/a", page("<a href=/old>o</a>")),
        ("http://h/old", moved.to_owned()),
        ("http://h/t", bare.to_owned()),
        ("http://h/b", page("<p>b")),
    ];
    let arc = |(url, block): &(&str, String)| {
        format!("{url} 10.0.0.1 20200102030405 no-type {}\n{block}\n", block.len())
    };
    let warc = |(url, block): &(&str, String), end: &str| {
        record("response", url, "2020-01-01", "", block)
            .replace(&format!("{block}\r\n\r\n"), &format!("{block}{end}"))
    };
    let ends = ["\r\n\r\n", "\n\n", "\r\n", "\r\n\r\n\r\n"];
    let warcs = ends.map(|end| blocks.iter().map(|block| warc(block, end)).collect::<String>());
    let version = "1 0 x\nURL IP-address Archive-date Content-type Archive-length\n";
    let arcs = [("filedesc://x.arc", version.to_owned())].iter().chain(&blocks).map(arc).collect();
    for archive in warcs.into_iter().chain([arcs]) {
        let dir = TestDir::with(&[("x.warc", &archive)]);
        let run = dir.relink("unpack x.warc -o out").exits(0);
        assert_eq!(dir.text("out/h/a.html"), "<a href=b.html>o</a>", "{archive}: {run}");
        assert!(dir.has("out/h/t") && !dir.has("out/h/t.html"), "{archive}: {run}");
        assert!(!run.stderr.contains(RECORD_AT_BYTE), "{archive}: {run}");
    }
}
