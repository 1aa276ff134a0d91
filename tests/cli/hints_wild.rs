//! Notes that lie, or are none, and those that stand beside a file: its extended attributes.

use std::fmt::Write;

#[cfg(unix)]
use serde_json::Value;

use crate::dir::TestDir;
use crate::hints::{lines, saved};

/// The base of a page as it is on standard input.
#[track_caller]
fn base_of(dir: &TestDir, page: impl AsRef<[u8]>, expected: Option<&str>) {
    let run = dir.pipe("bases - --type text/html --format json", page.as_ref()).exits(0);
    assert_eq!(lines(&run)[0]["base"].as_str(), expected, "{run}");
}

#[test]
fn what_only_looks_like_a_note() {
    let dir = TestDir::new();
    let check = |page: &str, expected| base_of(&dir, page, expected);
    let note = "<!-- saved from url=(0014)http://h.test/ -->";
    let noted = Some("http://h.test/");
    check(&format!("<?php x ?>\n<!-- a --><html a='<!--'><head><title>b</title>{note}"), noted);
    check(&format!("{note}<!-- saved from url=(0014)http://i.test/ -->"), noted);
    check(&format!("<script>var a = '{note}';</script>"), None);
    check(&format!("<title>{note}</title>"), None);
    check(&format!("<html a='{note}'>"), None);
    check(&format!("<body>{note}"), None);
    check(&format!("<p>{note}"), None);
    check(&format!("{}{note}", "word ".repeat(200_000)), None);
    check("<!-- saved from url=(0014)http://h.test/ ", None);
    check("<!-- saved from url=(0014)/ -->", None);
    check("<!-- saved from url=(0014)http://h.te\0st/ -->", None);
    check("<!-- saved from url=(0003)http://h.test/ -->", noted);
    check("<!-- saved from url=(99999999999999999999999)http://h.test/ -->", None);
    check("<!-- saved from url=(0017)http://h.test/a b -->", Some("http://h.test/a%20b"));
    check("<!-- saved from url=(0014)http://h.test/a b -->", None);
    for none in [
        "about:internet",
        "about:blank",
        "blob:http://h.test/1",
        "data:text/html,x",
        "data:/x",
        "mailto:a@h.test",
        "http:",
        "//h.test/",
        "javascript:/x",
    ] {
        check(&saved(none, ""), None);
    }
    check(&saved("file:///home/a/b.html", ""), Some("file:///home/a/b.html"));
    check(&saved("ftp://h.test/a#b", ""), Some("ftp://h.test/a"));
    base_of(&dir, b"<!-- saved from url=(0015)http://h.test/\xE9 -->", None);
    base_of(&dir, b"\xEF\xBB\xBF<!-- saved from url=(0014)http://h.test/ -->", noted);
    // Before it much else may stand, but not without end.
    for text in ["<!-- x -->", "<!--", "<", "<!", "<a ", "<script>", "</", "<link rel=canonical "] {
        let page = text.repeat((8 << 20) / text.len());
        dir.pipe("refs - --type text/html -q --engine fast", page.as_bytes());
        let mut url = String::from("http://h.test/");
        write!(url, "{}", text.repeat(100_000)).unwrap();
        dir.pipe("refs - --type text/html -q --engine fast", saved(&url, "").as_bytes());
    }
}

#[cfg(unix)]
#[test]
fn extended_attributes() {
    let page = |refs: &str| format!("<p>{refs}");
    let dir = TestDir::with(&[
        ("s/a.html", &page("<a href=b><img src=a_files/c>")),
        ("s/a_files/c", ""),
        ("s/b.html", &saved("http://page.test/", "<a href=b>")),
        ("s/c.css", "a{b:url(d)}"),
        ("s/d.html", "<a href=b>"),
    ]);
    let set = |name: &str, attribute: &str, value: &str| {
        xattr::set(dir.path(name), attribute, value.as_bytes())
    };
    if let Err(error) = set("s/a.html", "user.xdg.origin.url", "http://h.test/x/a.html#y") {
        return crate::tools::skipped(format_args!("no extended attributes here: {error}"));
    }
    set("s/b.html", "user.xdg.origin.url", "https://copy.test/").unwrap();
    set("s/c.css", "user.xdg.origin.url", "http://h.test/c/c.css").unwrap();
    set("s/d.html", "user.xdg.referrer.url", "http://h.test/").unwrap();
    dir.relink("refs s")
        .exits(0)
        .prints(
            "s/a.html:1:12: a[href] b -> http://h.test/x/b\n\
             s/a.html:1:23: img[src] a_files/c\n\
             s/b.html:3:9: a[href] b -> https://copy.test/b\n\
             s/c.css:1:9: css url() d -> http://h.test/c/d\n\
             s/d.html:1:9: a[href] b\n",
        )
        .reports("the URLs of 3 documents come from provenance metadata: 3 extended attributes\n");
    let run = dir.relink("bases s/a.html --format json").exits(0);
    let line = &lines(&run)[0];
    assert_eq!(line["base"], "http://h.test/x/a.html");
    assert_eq!(line["chain"][0]["where"]["attribute"], "user.xdg.origin.url");
    assert_eq!(line["chain"][0]["where"]["span"], Value::Null);
    // What is none leaves the next to say.
    set("s/b.html", "user.xdg.origin.url", "about:blank").unwrap();
    let run = dir.relink("refs s/b.html").exits(0);
    run.prints("s/b.html:3:9: a[href] b -> http://page.test/b\n");
    dir.relink("refs s/a.html --base http://new.test/a.html").exits(0).reports("");
}
