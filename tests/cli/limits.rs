//! Limits: what is reported where one is met, that it can be set, and the table of
//! `docs/limits.md`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use rewrite::Limit;

use crate::dir::TestDir;
use crate::words::{
    self, COMPRESSED, EMBEDDED_SKIPPED, INVALID_VALUE, PART_SKIPPED, TO_RAISE_THE_LIMIT,
};

const PAGE: &str = "<a href=x>";
const DONE: &str = "<a href=http://h/x>";
const OUT: &str = "absolutize site --base http://h/ -o out -q";

#[test]
fn a_document_that_is_too_large_is_copied_and_reported() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", "<a href=yy>")]);
    let report = &format!("it is larger than 10; {}", words::raise("document-size"));
    dir.relink(&format!("{OUT} --limit document-size=10"))
        .fails(&format!("site/b.html: skipped; {report}"));
    assert_eq!(
        (dir.text("out/a.html"), dir.text("out/b.html")),
        (DONE.into(), "<a href=yy>".into())
    );
    for limit in ["11", "none", "1K"] {
        let line = format!("{OUT} --force --limit document-size={limit}");
        dir.relink(&line).exits(0).reports("");
    }
    let line = "refs site --base http://h/ --limit document-size=10";
    let run = dir.relink(line).exits(2).prints("site/a.html:1:9: a[href] x -> http://h/x\n");
    run.reports(&format!("site/b.html: skipped; {report}\n"));
    let line = "absolutize site/b.html --base http://h/ -o - -q --limit document-size=10";
    dir.relink(line).fails(&format!("site/b.html: skipped; {report}"));
    let line = "absolutize - --base http://h/ -q --limit document-size=10";
    dir.pipe(line, b"<a href=yy>").fails(&format!("-: skipped; {report}"));
    dir.pipe(line, PAGE.as_bytes()).exits(0).prints(DONE);
}

#[test]
fn a_message_that_is_too_large_stays_in_its_mailbox() {
    let message = |body: &str| {
        format!("From a@b Thu Aug 23 09:10:23 2018\nContent-Type: text/html\n\n{body}\n\n")
    };
    let large = format!("<a href=x>{}", "y\n".repeat(3_000_000));
    let before = [message(PAGE), message(&large), message(PAGE)].concat();
    let after = [message(DONE), message(&large), message(DONE)].concat();
    let dir = TestDir::with(&[("site/a.mbox", &before)]);
    let at = message(PAGE).len();
    let run = dir.relink(&format!("{OUT} --limit document-size=2M")).exits(2).prints("");
    let report = &format!("it is larger than 2M; {}", words::raise("document-size"));
    let report = format!("site/a.mbox: message at byte {at} skipped; {report}");
    run.reports(&format!("{report}\n"));
    assert!(dir.text("out/a.mbox") == after);
    dir.relink(&format!("{OUT} --force --limit document-size=8M")).exits(0).reports("");
    let all = [message(DONE), message(&large.replace(PAGE, DONE)), message(DONE)].concat();
    assert!(dir.text("out/a.mbox") == all);
    // A length that is reported, and would be too large, does no harm.
    let long = "From a@b Thu Aug 23 09:10:23 2018\nContent-Length: 99999999999\n\nx\n\n";
    dir.file("site/a.mbox", [long, &message(PAGE)].concat());
    dir.relink(&format!("{OUT} --force --limit document-size=2M")).exits(0).reports("");
    assert_eq!(dir.text("out/a.mbox"), [long, &message(DONE)].concat());
}

#[test]
fn a_mailbox_that_cannot_be_cut_within_the_limit_is_reported() {
    let mark = "\u{1}\u{1}\u{1}\u{1}\n";
    let message = format!("{mark}Subject: x\n\n{}{mark}", "y\n".repeat(8_000_000));
    let dir = TestDir::with(&[("site/a.mmdf", &message)]);
    let line = format!("{OUT} --type mmdf=application/x-mmdf --limit document-size=1M");
    let run = dir.relink(&line).exits(2).prints("");
    assert!(
        run.stderr
            .contains("a message is larger than 1M; use `--limit document-size=VALUE` to raise"),
        "{run}"
    );
}

#[test]
fn a_long_base_does_not_fill_the_memory() {
    let base = "x".repeat(1 << 18);
    let page = format!("<base href=http://h/{base}/>{}", "<a href=y>".repeat(25_000));
    let dir = TestDir::with(&[("site/a.html", &page), ("site/b.html", PAGE)]);
    let report = &format!(
        "skipped; with its long base URL, its references would grow to more than 32 times its size; {}",
        words::raise("output-growth")
    );
    for command in ["absolutize", "relativize", "move --from http://h/ --to http://g/"] {
        let line = format!("{command} site --base http://h/ -o out -q --force");
        let run = dir.relink(&line).exits(2).prints("");
        assert_eq!(run.stderr, format!("site/a.html:1:1: {report}\n"), "{run}");
        assert!(dir.text("out/a.html") == page);
    }
    let run = dir.relink("refs site --base http://h/").exits(2);
    assert!(run.stdout.len() < 200 << 20 && run.stderr.contains("output-growth"));
}

#[test]
fn a_list_of_a_million_urls_is_skipped() {
    let page = format!("<a ping='{}'>", "a ".repeat(1_000_000));
    let dir = TestDir::with(&[("site/a.html", &page), ("site/b.html", PAGE)]);
    let report = &format!(
        "skipped; its references need more memory than 10 times its size; {}",
        words::raise("memory-growth")
    );
    for command in ["absolutize", "relativize", "move --from http://h/ --to http://g/"] {
        let line = format!("{command} site --base http://h/ -o out -q --force");
        let run = dir.relink(&line).exits(2).prints("");
        assert_eq!(run.stderr, format!("site/a.html:1:1: {report}\n"), "{run}");
        assert!(dir.text("out/a.html") == page);
    }
}

/// A compressed body is not decompressed, so that it cannot grow (gzip files: `gzip.rs`).
#[test]
fn a_compressed_body_is_left() {
    // A member of gzip (RFC 1952) that would be a mebibyte of zeros.
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xed\xc1\x01\r\0\0\0\xc2\xa0\xf7Om\x0e7\xa0\0";
    let heading = b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n\n";
    let dir = TestDir::new();
    dir.file("site/a.html", [&heading[..], gzip].concat());
    let run = dir.relink(&format!("{OUT} -v").replace(" -q", "")).exits(0).prints("");
    assert!(run.stderr.contains(COMPRESSED), "{run}");
    assert_eq!(dir.bytes("out/a.html"), dir.bytes("site/a.html"));
}

#[test]
fn limits_that_cannot_be_set_are_wrong_usage() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    for (limit, reason) in [
        ("embedded-depth", "expected a number, at most 64"),
        ("embedded-depth=x", "expected a number, at most 64"),
        ("embedded-depth=65", "the maximum is 64"),
        ("embedded-depth=none", "the maximum is 64"),
        ("time=5", "expected a time, such as 500ms or 60s, or none"),
        ("field-size=5T", "expected a number of bytes, such as 512, 64K, 16M or 2G, or none"),
    ] {
        dir.relink(&format!("refs site --limit {limit}"))
            .fails(&format!("error: {INVALID_VALUE} '{limit}' for --limit; {reason}"));
    }
    let run = dir.relink("refs site --limit x=1").exits(2).prints("");
    let report = &format!(
        "error: {INVALID_VALUE} 'x=1' for --limit; unknown limit; expected one of document-size, "
    );
    assert!(run.stderr.starts_with(report), "{run}");
}

#[test]
fn limits_hold_as_they_are_set() {
    let page = "<iframe srcdoc=\"<iframe srcdoc='<a href=x>'>\">";
    let dir = TestDir::with(&[("site/a.html", page)]);
    let line = "refs site --limit embedded-depth=";
    let report = &format!("more than 1 nested documents; {}", words::raise("embedded-depth"));
    let run = dir.relink(&format!("{line}1")).exits(2).prints("");
    assert!(run.stderr.ends_with(&format!(": {EMBEDDED_SKIPPED}; {report}\n")), "{run}");
    assert_eq!(dir.relink(&format!("{line}2")).exits(0).reports("").text().lines().count(), 1);
    let run = dir.relink("refs site --limit time=0ms").exits(2).prints("");
    run.reports(&format!(
        "site/a.html:1:1: skipped; processing takes longer than 0s; {}\n",
        words::raise("time")
    ));
}

/// Two HTML parts, one of them a level deeper.
const PARTS: &str = "Content-Base: http://h/\nX-URL: u\nContent-Type: multipart/mixed; boundary=b\n\n\
    --b\nContent-Type: multipart/mixed; boundary=c\n\n\
    --c\nContent-Type: text/html\n\n<a href=a>\n--c--\n\
    --b\nContent-Type: text/html\n\n<a href=b>\n--b--\n";

/// Checks that a message that meets a limit fails: what is said of it, and what of it changes.
#[track_caller]
fn check_message(limit: &str, report: &str, changes: &[(&str, &str)]) {
    let dir = TestDir::with(&[("mail/a.eml", PARTS), ("mail/b.html", "")]);
    let line = format!("mail --limit {limit} --limit document-size=1G -q");
    let run = dir.relink(&format!("absolutize {line} -o out"));
    run.fails(&format!("mail/a.eml:{report}"));
    let expected = changes.iter().fold(PARTS.to_owned(), |text, (old, new)| text.replace(old, new));
    assert_eq!(dir.text("out/a.eml"), expected, "{limit}");
    assert!(report.ends_with(&format!(
        "; use `--limit {}=VALUE` {TO_RAISE_THE_LIMIT}",
        limit.split('=').next().unwrap()
    )));
    for command in ["refs", "bases"] {
        let run = dir.relink(&format!("{command} {line}")).exits(2);
        assert!(run.has_line(&format!("mail/a.eml:{report}")), "{report}{run}");
    }
}

#[test]
fn a_message_that_meets_a_limit_fails() {
    let url = ("X-URL: u", "X-URL: http://h/u");
    let (a, b) = (("href=a", "href=http://h/a"), ("href=b", "href=http://h/b"));
    check_message(
        "part-depth=1",
        &format!(
            "6:1: part 1.MIME skipped; \
         more than 1 nested parts; {}",
            words::raise("part-depth")
        ),
        &[url, b],
    );
    check_message(
        "parts=3",
        &format!(
            "13:1: {PART_SKIPPED}; \
         more than 3 parts (later ones are not read); {}",
            words::raise("parts")
        ),
        &[url, a],
    );
    let dir = TestDir::with(&[("a.eml", "X-URL: http://h/long\nContent-Type: text/html\n\n")]);
    let report = &format!(
        "part HEADER: header field skipped; \
                it is longer than 9; {}",
        words::raise("field-size")
    );
    dir.relink("absolutize a.eml -o out -q --limit field-size=9")
        .fails(&format!("a.eml:1:1: {report}"));
    let run = dir.relink("refs a.eml -q --limit field-size=9").exits(2);
    assert!(run.has_line(&format!("a.eml:1:1: {report}")), "{run}");
    dir.file("a.http", "HTTP/1.1 200 OK\nLocation: http://h/long\nX: y\n\n");
    dir.relink("absolutize a.http -o out -q --force --limit field-size=9")
        .fails(&format!("a.http:2:1: {report}"));
}

/// `docs/limits.md` contains the table of limits. `RELINK_BLESS=1` writes it.
#[test]
fn the_documentation_has_the_limits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/limits.md");
    let document = fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once("<!-- limits -->\n").unwrap();
    let (found, after) = rest.split_once("<!-- end of limits -->").unwrap();
    let mut expected = "\n| limit | default | what is counted |\n|---|---|---|\n".to_owned();
    for limit in Limit::all() {
        let (name, default) = (limit.name(), limit.default_value());
        writeln!(expected, "| `{name}` | {default} | {} |", limit.meaning()).unwrap();
    }
    expected.push('\n');
    if std::env::var_os("RELINK_BLESS").is_some() {
        let end = "<!-- end of limits -->";
        fs::write(&path, format!("{before}<!-- limits -->\n{expected}{end}{after}")).unwrap();
        return;
    }
    assert!(found == expected, "docs/limits.md has other limits; RELINK_BLESS=1 writes them");
}

/// A URL longer than browsers take is not looked into: neither its segments nor its copies cost
/// time.
#[test]
fn a_reference_of_many_segments_is_skipped() {
    let page = format!("<a href='{}'>", "x/".repeat(4 << 20));
    let dir = TestDir::with(&[("site/a.html", &page), ("site/b.html", "<a href=a.html>")]);
    let report = format!("skipped; a URL in it is longer than 2M; {}", words::raise("url-size"));
    for command in [
        "check site",
        "refs site",
        "relativize site --for file -n",
        "absolutize site --base http://h/ -n",
        "move site --from http://h/ --to http://g/ -n",
        "mv --tree site site/b.html site/c.html -n -v",
    ] {
        let run = dir.relink(command).exits(2);
        assert!(run.stderr.contains(&report), "{command}: {run}");
        assert!(run.stdout.len() + run.stderr.len() < 1000, "{command}");
    }
    assert!(dir.text("site/a.html") == page);
}
