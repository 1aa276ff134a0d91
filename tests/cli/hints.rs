//! Where documents were from, as whoever saved them noted: `fixtures/hints` holds one file for each
//! way to note it, after the real ones.

use serde_json::Value;

use crate::dir::{Run, TestDir};
use crate::words;

const SUMMARY: &str = "the URLs of 8 documents come from provenance metadata: 1 Snapshot-Content-Location, 4 saved-from comments, \
    1 comment of SingleFile, 1 comment of HTTrack, 1 script of the Wayback Machine\n";

/// What each document of the fixtures notes: the URL that follows from it, what it is in, and the
/// text that is there.
const NOTED: [(&str, &str, &str, &str, &str); 8] = [
    (
        "Tide tables.html",
        "http://www.harbour-light.example/tides/index.html",
        "comment",
        "saved from url",
        "http://www.harbour-light.example/tides/index.html",
    ),
    (
        "Tide tables_files/saved_resource.html",
        "http://ads.harbour-light.example/frames/lighthouse.html",
        "comment",
        "saved from url",
        "http://ads.harbour-light.example/frames/lighthouse.html",
    ),
    (
        "Watch.htm",
        "http://www.harbour-light.example/watch/?w=12",
        "comment",
        "saved from url",
        "http://www.harbour-light.example/watch/?w=12",
    ),
    (
        "httrack.html",
        "http://www.harbour-light.example/log/index.html",
        "comment",
        "Mirrored from",
        "www.harbour-light.example/log/index.html",
    ),
    (
        "single-file.html",
        "https://www.harbour-light.example/log/2002/march.html?view=all",
        "comment",
        "Page saved with SingleFile",
        "https://www.harbour-light.example/log/2002/march.html?view=all",
    ),
    (
        "snapshot.mhtml",
        "http://www.harbour-light.example/log/snapshot.html",
        "field",
        "Snapshot-Content-Location",
        "http://www.harbour-light.example/log/snapshot.html",
    ),
    (
        "utf-16.html",
        "http://www.harbour-light.example/utf16.htm",
        "comment",
        "saved from url",
        "http://www.harbour-light.example/utf16.htm",
    ),
    (
        "wayback.html",
        "https://web.archive.org/web/20020315120000/http://www.harbour-light.example/log/?a=1&b=2",
        "script",
        "__wm.wombat",
        "http://www.harbour-light.example/log/?a=1&amp;b=2",
    ),
];

pub(crate) fn lines(run: &Run) -> Vec<Value> {
    run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A page that Internet Explorer, Firefox or Blink saved from `url`.
pub(crate) fn saved(url: &str, rest: &str) -> String {
    format!("<!DOCTYPE html>\n<!-- saved from url=({:04}){url} -->\n{rest}", url.len())
}

#[test]
fn bases_reports_what_each_document_notes() {
    let dir = TestDir::with_fixture("hints");
    let run = dir.relink("bases hints --format json").exits(0).reports(SUMMARY);
    let hints: Vec<Value> =
        lines(&run).into_iter().filter(|line| line["base_source"] != "none").collect();
    let paths: Vec<&str> = hints.iter().map(|line| line["path"].as_str().unwrap()).collect();
    assert_eq!(paths, NOTED.map(|(path, ..)| path));
    for (line, (path, url, kind, name, text)) in hints.iter().zip(NOTED) {
        let chain = line["chain"].as_array().unwrap();
        let hint = chain.last().unwrap();
        assert_eq!((&hint["source"], &hint["url"]), (&"hint".into(), &url.into()), "{line}");
        assert_eq!(hint["where"][kind], name, "{line}");
        let at =
            |idx: usize| usize::try_from(hint["where"]["span"][idx].as_u64().unwrap()).unwrap();
        let mut found = dir.bytes(format!("hints/{path}"))[at(0)..at(1)].to_vec();
        found.retain(|byte| *byte != 0);
        assert_eq!(String::from_utf8(found).unwrap(), text, "{path}");
    }
    let nowhere = lines(&run).iter().filter(|line| line["base"].is_null()).count();
    assert_eq!(
        nowhere, 5,
        "two style sheets, about:internet, and what pages say of themselves{run}"
    );
}

#[test]
fn boxes_call_it_a_hint() {
    let dir = TestDir::with(&[("a.html", &saved("http://h.test/", ""))]);
    let run = dir.command(&[]).env("LC_ALL", "C").args(["bases", "a.html"]).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.starts_with("a.html: http://h.test/\n")
            && text
                .contains("| * hint: saved from url at 2:27: http://h.test/ (Mark of the Web) |\n"),
        "{text}"
    );
}

#[test]
fn refs_resolves_against_hints_but_not_what_was_saved_with_a_page() {
    let dir = TestDir::with_fixture("hints");
    let run = dir.relink("refs hints/Watch.htm --format json --strict").exits(0);
    let found: Vec<_> = lines(&run)
        .into_iter()
        .map(|mut line| (line["text"].take(), line["base_source"].take(), line["target"].take()))
        .collect();
    let hint = || Value::from("hint");
    assert_eq!(
        found,
        [
            ("Watch-Dateien/watch.css".into(), hint(), Value::Null),
            ("Watch-Dateien/fog.gif".into(), hint(), Value::Null),
            (
                "keepers.htm".into(),
                hint(),
                "http://www.harbour-light.example/watch/keepers.htm".into()
            ),
        ]
    );
    run.reports("the URL of 1 document comes from provenance metadata: 1 saved-from comment\n");
    dir.relink("refs hints -q").exits(0).reports("");
}

#[test]
fn absolutize_goes_by_hints_and_leaves_what_was_saved_with_a_page() {
    let dir = TestDir::with_fixture("hints");
    let run = dir.relink("absolutize hints -o out").exits(0);
    assert!(
        run.stderr.starts_with(&format!(
            "{}; 3 other files copied\n\
             31 references: 10 rewritten, 7 already correct, 5 without a base URL, 9 to files saved with the page; use `-n -v` to list those that could not be handled\n{SUMMARY}",
            words::changed(13, 8)
        )),
        "{run}"
    );
    let site = "http://www.harbour-light.example";
    let archive = "https://web.archive.org/web/20020315120000/http://www.harbour-light.example";
    let edited = |path: &str, edits: &[(&str, &str)]| {
        let mut text = dir.text(format!("hints/{path}"));
        for (old, new) in edits {
            assert_eq!(text.matches(old).count(), 1, "{path}: {old}");
            text = text.replace(old, new);
        }
        assert_eq!(dir.text(format!("out/{path}")), text, "{path}");
    };
    edited(
        "Tide tables.html",
        &[
            (" moon-big.png", &format!(" {site}/tides/moon-big.png")),
            ("\"march.html", &format!("\"{site}/tides/march.html")),
        ],
    );
    edited(
        "Tide tables_files/saved_resource.html",
        &[("\"other.html", "\"http://ads.harbour-light.example/frames/other.html")],
    );
    edited("Watch.htm", &[("\"keepers.htm", &format!("\"{site}/watch/keepers.htm"))]);
    edited("httrack.html", &[("../tides/", &format!("{site}/tides/"))]);
    edited(
        "single-file.html",
        &[("april.html", "https://www.harbour-light.example/log/2002/april.html")],
    );
    edited("snapshot.mhtml", &[("\"tides.html", &format!("\"{site}/log/tides.html"))]);
    edited(
        "wayback.html",
        &[
            ("\"/web/2002", "\"https://web.archive.org/web/2002"),
            ("\"march.html", &format!("\"{archive}/log/march.html")),
        ],
    );
    for same in ["about-internet.html", "canonical.html", "og-url.html", "Watch-Dateien/watch.css"]
    {
        edited(same, &[]);
    }
    // What was written notes the same.
    let run = dir.relink("absolutize out -o again").exits(0);
    assert!(run.stderr.starts_with(&format!("{};", words::changed(13, 0))), "{run}");
}

#[test]
fn a_hint_does_what_the_option_would_do() {
    let dir = TestDir::with_fixture("hints");
    for (path, url, ..) in NOTED.into_iter().filter(|(path, ..)| !path.contains(['T', 'W'])) {
        for command in ["absolutize", "relativize"] {
            let hinted = dir.relink(&format!("{command} hints/{path} -o - -q")).exits(0);
            let report =
                dir.relink(&format!("{command} hints/{path} -o - -q --base {url}")).exits(0);
            assert!(hinted.stdout == report.stdout, "{path}{hinted}{report}");
            let is_changed = hinted.stdout != dir.bytes(format!("hints/{path}"));
            assert!(is_changed || command == "relativize", "{path}{hinted}");
        }
    }
}

#[test]
fn options_count_more_than_hints() {
    let page = saved("http://old.test/a/", "<a href=b>");
    let files = [("site/a/x.html", &*page), ("site/b/x.html", &page)];
    let dir = TestDir::with(&files);
    let refs = |line: &str, expected: &str, report: &str| {
        dir.relink(line).exits(0).prints(expected).reports(report);
    };
    refs(
        "refs site --base http://new.test/",
        "site/a/x.html:3:9: a[href] b -> http://new.test/a/b\nsite/b/x.html:3:9: a[href] b -> http://new.test/b/b\n",
        "",
    );
    refs(
        "refs site --map site/b=http://new.test/",
        "site/a/x.html:3:9: a[href] b -> http://old.test/a/b\nsite/b/x.html:3:9: a[href] b -> http://new.test/b\n",
        "the URL of 1 document comes from provenance metadata: 1 saved-from comment\n",
    );
    refs(
        "refs site --no-hints",
        "site/a/x.html:3:9: a[href] b\nsite/b/x.html:3:9: a[href] b\n",
        "",
    );
    let run = dir.pipe("absolutize - -q", page.as_bytes()).exits(0).reports("");
    run.prints(saved("http://old.test/a/", "<a href=http://old.test/a/b>"));
    let run = dir.pipe("absolutize - -q --base http://new.test/", page.as_bytes()).exits(0);
    run.prints(saved("http://old.test/a/", "<a href=http://new.test/b>"));
    dir.relink("refs site --no-hints --trust-canonical").exits(2);
    // A `<base>` in the document counts more than where that was from.
    let page = saved("http://old.test/a/", "<base href=/c/><a href=b>");
    let run = dir.pipe("refs -", page.as_bytes()).exits(0);
    run.prints(
        "-:3:12: base[href] /c/ -> http://old.test/c/\n-:3:24: a[href] b -> http://old.test/c/b\n",
    );
}

#[test]
fn relativize_looks_whether_any_document_notes_its_url() {
    let page = saved("http://h.test/a/b.html", "<a href=http://h.test/c/d><a href=http://i.test/>");
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=http://h.test/x>"),
        ("site/b.html", &page),
        ("none/a.html", "<a href=http://h.test/x>"),
    ]);
    let run = dir.relink("relativize site -o out").exits(0);
    assert!(
        run.stderr.starts_with(&format!(
            "{}, 1 without a URL\n\
             {}\n\
             the URL of 1 document comes from provenance metadata: 1 saved-from comment\n",
            words::changed(2, 1),
            words::sum(&[(1, words::REWRITTEN), (1, words::OUT_OF_TREE)])
        )),
        "{run}"
    );
    let expected = saved("http://h.test/a/b.html", "<a href=../c/d><a href=http://i.test/>");
    assert_eq!(dir.text("out/b.html"), expected);
    assert_eq!(dir.text("out/a.html"), "<a href=http://h.test/x>");
    dir.pipe("relativize - -q", page.as_bytes()).exits(0).prints(&expected);
    let asks = "error: the URL of the tree is unknown; no option sets it; use `--base URL` or `--map PATH=URL` to set it";
    dir.relink("relativize none -o out2")
        .fails("error: the URL of the tree is unknown; no option sets it, and no document contains provenance metadata; use `--base URL` or `--map PATH=URL` to set it");
    dir.relink("relativize site --no-hints -o out2").fails(asks);
    let run = dir.relink("relativize site --for file -o out2").exits(0);
    assert!(run.stderr.starts_with("note: the URL of site is unknown, "), "{run}");
    dir.pipe("relativize - --no-hints", page.as_bytes()).fails(asks);
    // Standard input is read only once.
    let run = dir.pipe("relativize - -q", b"<a href=http://h.test/x>").exits(2);
    run.prints("<a href=http://h.test/x>").reports(
        "error: no document has a known URL; relative references depend on it; use `--base`, `--map` or `--layout` to set the URLs\n",
    );
}

#[test]
fn what_an_archive_kept_moves_to_where_it_was() {
    let dir = TestDir::with_fixture("hints");
    let line = "move hints/wayback.html --unwrap wayback --style absolute -o - -q";
    let site = "http://www.harbour-light.example";
    let page = dir.text("hints/wayback.html");
    let moved = page.replace(
        "/web/20020315120000/http://www.harbour-light.example/tides/",
        &format!("{site}/tides/"),
    );
    dir.relink(line)
        .exits(0)
        .reports("")
        .prints(moved.replace("\"march.html", &format!("\"{site}/log/march.html")));
}

#[test]
fn check_without_a_url_looks_at_the_disk_alone() {
    let page = "<link rel=stylesheet href=a_files/a.css><img src=a_files/b.png><a href=c.html>";
    let dir = TestDir::with(&[
        ("site/a.html", &saved("http://h.test/x/a.html", page)),
        ("site/a_files/a.css", ""),
        ("site/sub/c.html", "<a href=d.html>"),
    ]);
    dir.relink("check site").exits(1).reports("3 documents, 4 references: 3 broken (3 no-file)\n");
    // Where a part of the tree has a URL, the rest is where it was from. What was saved with a page
    // is looked for on the disk.
    dir.relink("check site --map site/sub=http://h.test/x/")
        .exits(1)
        .prints(
            "site/a.html:3:50: img[src] a_files/b.png: there is no file a_files/b.png\n\
             site/sub/c.html:1:9: a[href] d.html: there is no file sub/d.html\n",
        )
        .reports(
            "3 documents, 4 references: 2 broken (2 no-file)\n\
             the URL of 1 document comes from provenance metadata: 1 saved-from comment\n",
        );
}

#[test]
fn a_page_says_where_it_belongs_only_if_that_is_asked() {
    let dir = TestDir::with_fixture("hints");
    let run = dir.relink("bases hints --trust-canonical --format json").exits(0);
    let base = |path: &str| {
        let lines = lines(&run);
        let line = lines.iter().find(|line| line["path"] == path).unwrap().clone();
        (line["base"].clone(), line["chain"][0]["where"]["element"].clone())
    };
    let site = "https://www.harbour-light.example";
    assert_eq!(
        base("canonical.html"),
        (format!("{site}/log/canonical.html").into(), "link[canonical]".into())
    );
    assert_eq!(base("og-url.html"), (format!("{site}/og/?a=1&b=2").into(), "meta[og:url]".into()));
    // What the program noted that saved it counts more.
    assert_eq!(base("single-file.html").0, format!("{site}/log/2002/march.html?view=all"));
    assert!(run.stderr.ends_with(", 1 canonical link, 1 og:url\n"), "{run}");
}

#[test]
fn what_httrack_wrote_for_another_host_stays() {
    let note =
        "<!-- Mirrored from h.test/a/b.html by HTTrack Website Copier/3.x [XR&CO'2014], Sat -->";
    let page = |refs: &str| format!("<html>\n{note}\n{refs}");
    let before = page("<a href=../../i.test/c.html><a href=../d.html><a href=../a/../../h.test/>");
    let after = page(
        "<a href=../../i.test/c.html><a href=http://h.test/d.html><a href=../a/../../h.test/>",
    );
    let dir = TestDir::new();
    dir.pipe("absolutize - -q", before.as_bytes()).exits(0).prints(after);
}

#[test]
fn a_directory_is_of_a_page_if_it_is_called_after_it() {
    let note = "http://h.test/x/";
    let page = |refs: &str| saved(note, refs);
    let before = "<a href=a/1><a href=a_files/2><a href=./%61_%66iles/3><a href=.\\a_files\\4><a href=a_files5><a href=b_files/6>\
        <a href=../x/a_files/7><a href=/x/a_files/8><applet codebase=a_files archive=9>";
    let after = "<a href=http://h.test/x/a/1><a href=a_files/2><a href=./%61_%66iles/3><a href=.\\a_files\\4><a href=http://h.test/x/a_files5>\
        <a href=http://h.test/x/b_files/6><a href=../x/a_files/7><a href=http://h.test/x/a_files/8><applet codebase=a_files archive=9>";
    let dir = TestDir::with(&[
        ("s/a.html", &page(before)),
        ("s/a/1", ""),
        ("s/a_files/2", ""),
        ("s/b_files/6", ""),
    ]);
    dir.relink("absolutize s -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/a.html"), page(after));
    // Where nothing was saved with it, all is from there.
    let dir = TestDir::with(&[("s/a.html", &page("<a href=a_files/2><base href=.>"))]);
    dir.relink("absolutize s -o out -q").exits(0);
    let expected = page("<a href=http://h.test/x/a_files/2><base href=http://h.test/x/>");
    assert_eq!(dir.text("out/a.html"), expected);
}

#[test]
fn blink_records_the_bases_of_what_it_saves() {
    // Each part says where it was from; the field of the message adds nothing.
    let dir = TestDir::with_fixture("mail");
    let run = dir.relink("bases mail/saved-page.mhtml").exits(0).reports("");
    assert!(!run.text().contains("hint"), "{run}");
    let check = |location: &str, expected: &str| {
        let page = "Content-Type: text/html\n\n<a href=b>";
        let message = format!(
            "Snapshot-Content-Location: http://h.test/a/\nContent-Type: multipart/related; boundary=x\n\n\
             --x\nContent-Location: {location}\n{page}\n--x--\n"
        );
        let line = "refs - --type message/rfc822 --only a --format json";
        let lines = lines(&dir.pipe(line, message.as_bytes()).exits(0));
        assert_eq!(lines.len(), 1, "{location}");
        assert_eq!(lines[0]["target"], Value::from(Some(expected).filter(|url| !url.is_empty())));
    };
    check("http://i.test/c/", "http://i.test/c/b");
    // One that is no base leaves the field to say, and one that is relative is where the message is
    // from.
    check("cid:frame@mhtml.blink", "http://h.test/a/b");
    check("d/", "http://h.test/a/d/b");
    // A field of the body is none of the message's.
    let message =
        b"Content-Type: text/html\n\nSnapshot-Content-Location: http://h.test/\n\n<a href=b>";
    dir.pipe("refs - --type message/rfc822", message)
        .exits(0)
        .reports("")
        .prints("-:5:9: a[href] b\n");
}
