//! `relink pack -o page.html`: a page with everything that it loads inside, as data URLs. What a
//! browser shows and requests is compared in `tests/browser/pack.py`.

use layers::base64;

use crate::dir::TestDir;
use crate::words::{NEEDS_ROOT, TO_RAISE_THE_LIMIT};

/// A picture of which only the first bytes matter.
const PICTURE: &str = "\u{89}PNG\r\n\u{1a}\n";

fn site() -> TestDir {
    let dir = TestDir::with(&[
        (
            "site/a/page.html",
            "<meta charset=utf-8><link rel=stylesheet href=../s/main.css integrity=sha256-x>\r\n\
             <img src='one.png#x' srcset='one.png 1x, ../a/one.png 2x'> <script src=x.js></script>\n\
             <a href=one.png>picture</a> <a href=link.html?q#f>link</a> <a href=page.html#t>top</a>\n\
             <a href=#t>top</a> <a href=http://o.example/>out</a>\n",
        ),
        ("site/a/link.html", "<p>link"),
        ("site/a/x.js", "document.title = 'x';\n"),
        ("site/s/main.css", "@import 'more.css';\n"),
        ("site/s/more.css", "p { background: url(../a/one.png) }\n"),
    ]);
    dir.file("site/a/one.png", PICTURE);
    dir
}

/// The bytes of the data URLs of a type in a text.
fn inside(text: &str, media_type: &str) -> Vec<String> {
    let start = format!("data:{media_type};base64,");
    let end = |rest: &str| rest.find(|char| "\"') >#,".contains(char)).unwrap_or(rest.len());
    let bodies = text.split(&start).skip(1).map(|rest| &rest[..end(rest)]);
    bodies.map(|body| String::from_utf8(base64::decode(body.as_bytes()).bytes).unwrap()).collect()
}

/// The values of the unquoted links of a page.
fn links(page: &str) -> Vec<&str> {
    page.split("<a href=").skip(1).map(|rest| &rest[..rest.find('>').unwrap()]).collect()
}

#[test]
fn a_page_contains_what_it_loads_and_links_lead_where_they_led() {
    let dir = site();
    dir.directory("out");
    dir.relink("pack site/a/page.html -o out/page.html").exits(0);
    let page = dir.text("out/page.html");
    let sheets = inside(&page, "text/css");
    let imported = inside(&sheets[0], "text/css");
    assert_eq!((sheets.len(), imported.len()), (1, 1));
    assert_eq!(inside(&imported[0], "image/png"), [PICTURE]);
    assert_eq!(inside(&page, "image/png"), [PICTURE, PICTURE, PICTURE]);
    assert_eq!(inside(&page, "text/javascript"), ["document.title = 'x';\n"]);
    assert!(page.contains(" data-integrity=sha256-x>"), "{page}");
    let expected =
        ["../site/a/one.png", "../site/a/link.html?q#f", "page.html#t", "#t", "http://o.example/"];
    assert_eq!(links(&page), expected);
    // Every other byte is that of the page.
    assert!(page.contains(">\r\n<img src='data:image/png"), "{page}");
    assert!(page.ends_with(" <a href=http://o.example/>out</a>\n"), "{page}");
    dir.relink("pack site/a/page.html -o out/page.html").exits(2);
    dir.relink("pack site/a/page.html -o out/page.html --force").exits(0);
    assert_eq!(dir.text("out/page.html"), page);
}

#[test]
fn links_of_a_page_with_a_url_lead_to_it() {
    let dir = site();
    let base = "--root site --base https://h.example/";
    dir.relink(&format!("pack site/a/page.html {base} -o page.htm")).exits(0);
    let page = dir.text("page.htm");
    let expected = [
        "https://h.example/a/one.png",
        "https://h.example/a/link.html?q#f",
        "#t",
        "#t",
        "http://o.example/",
    ];
    assert_eq!(links(&page), expected);
    assert_eq!(inside(&page, "image/png").len(), 3);
}

#[test]
fn what_cannot_be_inside_is_named() {
    let dir = TestDir::with(&[
        (
            "p.html",
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">\n\
             <link rel=stylesheet href=a.css><svg><use href=s.svg#g></svg><img src=no.png>\n",
        ),
        ("a.css", "@import 'b.css';\n"),
        ("b.css", "@import 'a.css';\np { color: red }\n"),
        ("s.svg", "<svg xmlns='http://www.w3.org/2000/svg'><g id='g'/></svg>"),
    ]);
    let run = dir.relink("pack p.html -o out.html").exits(0);
    let report = run.stderr.clone();
    for line in [
        "p.html:1:1: the Content-Security-Policy may block what is inside of the page; check the policy\n",
        "p.html:2:48: not inside of the page; browsers use no SVG from a data URL: s.svg\n",
        "p.html:2:71: img[src] no.png: not packed; there is no file no.png\n",
        "b.css:1:10: not inside of the page; it loads a.css again\n",
    ] {
        assert!(report.contains(line), "{line}{report}");
    }
    assert!(dir.text("out.html").contains("<use href=s.svg#g>"), "{}", dir.text("out.html"));
    dir.relink("pack p.html -o o.html --strict").exits(1);
}

/// On a disk `/` is the root of the disk, which is not what a page of a site means.
#[test]
fn references_to_the_root_of_a_site_need_the_root() {
    let dir = TestDir::with(&[
        (
            "site/a/p.html",
            "<img src=/relink-absent/one.png><a href=/relink-absent/>a</a><a href=q.html>q</a><a href=#t>t</a><a href=p.html#t>t</a>",
        ),
        ("site/a/q.html", "<img src=//h.example/two.png><img src=none.png>"),
    ]);
    dir.file("site/relink-absent/one.png", PICTURE);
    assert!(dir.relink("pack site/a/p.html -o p.html").exits(0).has_line(NEEDS_ROOT));
    let run = dir.relink("pack site/a/p.html --root site -o q.html --strict").exits(0);
    assert!(!run.has_line(NEEDS_ROOT), "{run}");
    let page = dir.text("q.html");
    assert_eq!(inside(&page, "image/png"), [PICTURE]);
    // Its links lead to the files, from where it is, and those to itself stay in it.
    assert_eq!(links(&page), ["site/relink-absent/", "site/a/q.html", "#t", "#t"]);
    for line in ["site/a/q.html -o r.html", "site/a/p.html --base http://h.example/p -o s.html"] {
        let run = dir.relink(&format!("pack {line}")).exits(0);
        assert!(!run.has_line(NEEDS_ROOT), "{run}");
    }
}

#[test]
fn pages_keep_their_type_and_size_has_a_limit() {
    let dir = TestDir::with(&[
        ("x.xhtml", "<html xmlns='http://www.w3.org/1999/xhtml'><p><img src='a.png'/></p></html>"),
        ("p.html", "<img src=a.png>"),
    ]);
    dir.file("a.png", PICTURE.repeat(200));
    for (page, out, extension) in [("x.xhtml", "x.html", "xhtml"), ("p.html", "p.xhtml", "html")] {
        let run = dir.relink(&format!("pack {page} -o {out}")).exits(2);
        let line = format!(
            "{page}: not packed; browsers read it otherwise under that name; use `-o` with the extension .{extension}"
        );
        assert!(run.has_line(&line), "{}", run.stderr);
    }
    dir.relink("pack x.xhtml -o out.xhtml").exits(0);
    assert_eq!(inside(&dir.text("out.xhtml"), "image/png"), [PICTURE.repeat(200)]);
    let run = dir.relink("pack p.html -o small.html --limit pack-size=2000").exits(2);
    assert!(run.stderr.contains(TO_RAISE_THE_LIMIT), "{}", run.stderr);
    assert!(!dir.has("small.html") && !dir.has("x.html") && !dir.has("p.xhtml"));
}

/// Who moves a page for others to read names its own URL in it, and no path of a disk.
#[test]
fn own_urls_and_places_in_a_document_stay() {
    let page = "<link rel=canonical href=https://h.example/p.html>\
        <meta property=og:url content='https://h.example/p.html'>\
        <a href='https://h.example/p.html'>p</a><a href='p.html#x'>x</a><iframe src=f.html></iframe>\n";
    let frame = "<p id=y><a href=#y>y</a><a href=''>self</a><svg><use href=#y></svg>";
    let dir = TestDir::with(&[
        ("p.html", page),
        ("f.html", frame),
        ("m.html", "<meta property=og:image content=a.png><img src=i.png integrity=sha256-A>"),
        ("i.png", "i"),
    ]);
    dir.relink("pack p.html --root . --base https://h.example/ -o out.html").exits(0);
    let out = dir.text("out.html");
    assert!(!out.contains("file:") && out.contains("<a href='#x'>"), "{out}");
    assert_eq!(out.matches("https://h.example/p.html").count(), 3, "{out}");
    assert_eq!(inside(&out, "text/html"), [frame]);
    dir.directory("o");
    dir.relink("pack m.html -o o/m.html").exits(0);
    let expected = "<meta property=og:image content=a.png><img src=data:image/png;base64,aQ== integrity=sha256-A>";
    assert_eq!(dir.text("o/m.html"), expected);
}

#[test]
fn what_browsers_take_from_no_data_url_stays_outside() {
    let frame = format!("<p>shown<!--{}-->", "x".repeat(1_600_000));
    let picture =
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='a.png' width='9' height='9'/></svg>";
    let dir = TestDir::with(&[
        (
            "p.html",
            "<iframe src=f.html></iframe><img srcset='e.png 1x, a.png 2x'><img src=d.svg>\n",
        ),
        ("q.html", "<object data=d.svg></object>"),
        ("f.html", &frame),
        ("d.svg", picture),
        ("e.png", ""),
    ]);
    dir.file("a.png", PICTURE);
    dir.directory("o");
    let run = dir.relink("pack p.html -o o/p.html").exits(0);
    for line in [
        "p.html:1:13: not inside of the page; browsers show no data URL of more than 2 MiB in a frame: f.html",
        "p.html:1:42: not inside of the page; it is empty: e.png",
    ] {
        assert!(run.has_line(line), "{line}{run}");
    }
    let out = dir.text("o/p.html");
    assert!(
        out.starts_with("<iframe src=../f.html></iframe><img srcset='../e.png 1x, data:image/png"),
        "{out}"
    );
    // A picture loads nothing.
    assert_eq!(inside(&out, "image/svg+xml"), [picture]);
    dir.relink("pack q.html -o o/q.html").exits(0);
    let shown = inside(&dir.text("o/q.html"), "image/svg+xml");
    assert_eq!(inside(&shown[0], "image/png"), [PICTURE]);
}

/// A page that was unpacked keeps its URL: as provenance, and never as a base.
#[test]
fn an_unpacked_page_says_where_it_comes_from() {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><meta charset=utf-8><a href=b>b</a>";
    let archive = ["a--b", "b"].map(|name| {
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/{name}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    });
    let saved = "Content-Type: text/html\r\nContent-Location: http://h.example/saved\r\nMIME-Version: 1.0\r\n\r\n<p>saved";
    let dir = TestDir::with(&[("a.warc", &*archive.concat()), ("saved.mhtml", saved)]);
    for command in ["unpack a.warc saved.mhtml -o out", "unpack a.warc saved.mhtml -o out --update"]
    {
        dir.relink(command).exits(0);
        let list = dir.text("out/.relink-unpacked");
        for line in
            ["h.example/a--b.html http://h.example/a--b", "saved.html http://h.example/saved"]
        {
            assert!(list.lines().any(|other| other == line), "{line}: {list}");
        }
    }
    dir.relink("pack out/h.example/a--b.html -o one.html").exits(0);
    let expected = "<!doctype html><!-- packed from http://h.example/a-%2Db ; its references are local --><meta charset=utf-8><a href=\"out/h.example/b.html\">b</a>";
    assert_eq!(
        dir.text("one.html").replace("=out/h.example/b.html", "=\"out/h.example/b.html\""),
        expected
    );
    let run = dir.relink("bases one.html --trust-canonical").exits(0);
    assert!(run.text().starts_with("one.html: unknown\n"), "{run}");
    dir.relink("pack out/saved.html -o one.mhtml").exits(0);
    let message = dir.text("one.mhtml");
    assert!(message.contains("Snapshot-Content-Location: http://h.example/saved\r\n"), "{message}");
    assert!(message.contains("\r\nContent-Location: http://relink.invalid/"), "{message}");
    // What comes from elsewhere, and the files of another output, have no origin.
    dir.file("own.html", "<p>own");
    dir.relink("pack own.html -o other.html").exits(0);
    assert_eq!(dir.text("other.html"), "<p>own");
    // A list of somebody else is no way into a page or message.
    for url in ["http://h/\rX: y", "http://h/\u{e9}", "x y:z"] {
        dir.file("list/.relink-unpacked", format!("relink-unpacked\t1\na.html {url}\n"));
        dir.file("list/a.html", "<p>a");
        dir.relink("pack list/a.html -o a.html --force").exits(0);
        assert_eq!(dir.text("a.html"), "<p>a", "{url:?}");
    }
    dir.file("list/.relink-unpacked", "relink-unpacked\t1\na.html http://h/--><script>\n");
    dir.relink("pack list/a.html -o a.html --force").exits(0);
    let escaped = "<!-- packed from http://h/-%2D><script> ; its references are local --><p>a";
    assert_eq!(dir.text("a.html"), escaped);
    // The text of an entity is no place for a comment.
    let declared = "<?xml version=\"1.0\"?>";
    let rest =
        "<!DOCTYPE html [<!ENTITY e \"a>b\">]><html xmlns=\"http://www.w3.org/1999/xhtml\"/>";
    dir.file("list/x.xhtml", format!("{declared}{rest}"));
    dir.file("list/.relink-unpacked", "relink-unpacked\t1\nx.xhtml http://h/x\n");
    dir.relink("pack list/x.xhtml -o x.xhtml").exits(0);
    let comment = "<!-- packed from http://h/x ; its references are local -->";
    assert_eq!(dir.text("x.xhtml"), format!("{declared}{comment}{rest}"));
    // A pipe is no list.
    std::fs::remove_file(dir.path("list/.relink-unpacked")).unwrap();
    let pipe = dir.path("list/.relink-unpacked");
    if crate::tools::runs("mkfifo", &[pipe.to_str().unwrap()]) {
        dir.relink("pack list/a.html -o a.html --force").exits(0);
        assert_eq!(dir.text("a.html"), "<p>a");
    }
    // What an earlier run has listed keeps its URL.
    dir.file("a.warc", &archive[1]);
    dir.relink("unpack a.warc -o out --update").exits(0);
    assert!(dir.text("out/.relink-unpacked").contains("a--b.html http://h.example/a--b\n"));
}

/// A name that says something else gets a warning.
#[test]
fn the_name_of_a_message_says_what_it_is() {
    let dir = TestDir::with(&[("a.html", "<p>a")]);
    let run = dir.relink("pack a.html -o a.pdf").exits(0);
    let line = "warning: a.pdf will be an MHTML message, which its name does not say; use `-o` with .mhtml, or with .html for a page with all that it loads";
    assert!(run.has_line(line), "{run}");
    for out in ["a.mhtml", "a.MHT", "a", "b.html"] {
        let run = dir.relink(&format!("pack a.html -o {out}")).exits(0);
        assert!(!run.stderr.contains("warning"), "{run}");
    }
}
