//! `relink check`: what it says of references that lead out of the tree: a list of them, mixed
//! content, and the place where the tree was.

use serde_json::Value;

use crate::dir::TestDir;
use crate::words::{self, INVALID_VALUE, ON_THIS_MACHINE, TO_FILE_SERVER};

#[track_caller]
fn check(options: &str, document: &str, expected: &str) {
    let dir = TestDir::with(&[("site/a.html", document)]);
    let run = dir.relink(&format!("check site -q {options}")).reports("");
    run.exits(if expected.is_empty() { 0 } else { 1 }).prints(expected);
}

#[test]
fn each_url_out_of_the_tree_is_listed_once() {
    let dir = TestDir::with(&[
        (
            "site/a.html",
            "<!doctype html><base target=_top><a href=http://i.example/x#y><a href=HTTP://I.EXAMPLE:80/x><img src=b.png>\n\
             <a href=//j.example><a href=mailto:u@h.example><a href='https://j.example/a b?c=é'><a href=http://i.example/x?y>\n\
             <a href=ftp://k.example/f><a href=urn:isbn:1><a href=javascript:x()><a href=tel:1><a href=data:,x><a href=gopher://g/>\n\
             <p itemscope itemtype=http://schema.example/Thing itemid=http://id.example/1><a href={{x}}>",
        ),
        (
            "site/b.css",
            "@import url(http://k.example/k.css); p { background: url(//j.example/#z) }",
        ),
        (
            "site/c.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='http://l.example/'/></svg>",
        ),
        ("site/d.html", "<base href=http://base.example/><a href=../up><a href=/d.html>"),
    ]);
    // The base is not fetched; what is resolved against it is.
    dir.relink("check site --base http://h.example/d/ --list-external -q")
        .exits(0)
        .reports("")
        .prints(
            "http://i.example/x\n\
         http://j.example/\n\
         https://j.example/a%20b?c=%C3%A9\n\
         http://i.example/x?y\n\
         ftp://k.example/f\n\
         http://k.example/k.css\n\
         http://l.example/\n\
         http://base.example/up\n\
         http://base.example/d.html\n",
        );
    dir.relink("check site --base http://h.example/d/ --list-external")
        .exits(0)
        .reports("4 documents, 19 references: 9 URLs listed\n");
}

/// What a link checker is to be asked of a tree on a disk is what is written absolute; nothing is
/// broken, so the status is 0.
#[test]
fn a_tree_on_a_disk_has_urls_out_of_it() {
    let dir = TestDir::with(&[(
        "site/a.html",
        "<a href=http://h.example/a.html><a href=a.html><a href=https://h.example/>",
    )]);
    dir.relink("check site --list-external -q")
        .exits(0)
        .prints("http://h.example/a.html\nhttps://h.example/\n");
    dir.relink(
        "check site --list-external -q --base http://h.example/ --same-as https://h.example/",
    )
    .exits(0)
    .prints("");
    dir.relink("check site --list-external -q --base http://h.example/ --index a.html --only img")
        .exits(0)
        .prints("");
}

#[test]
fn the_list_in_json_has_the_first_place_and_a_number() {
    let dir = TestDir::with(&[
        ("site/a.html", "<p>\n<a href=//i/x#1><a href=http://i/y>"),
        ("site/b.html", "<a href=http://i/x><a href=http://i/x#2>"),
    ]);
    let run = dir.relink("check site --base http://h/ --list-external --format json -q").exits(0);
    let lines: Vec<Value> =
        run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert_eq!(
        lines[0],
        serde_json::json!({
            "url": "http://i/x", "count": 3, "root": 0, "path": "a.html", "line": 2, "column": 9, "span": [12, 19],
            "slot": "a[href]", "text": "//i/x#1",
        })
    );
    assert_eq!(
        (lines[1]["url"].as_str(), lines[1]["count"].as_u64()),
        (Some("http://i/y"), Some(1))
    );
}

/// Mixed Content, section 3: images, audio and video are upgraded unless they are one of a set; all
/// else that is loaded is blocked.
#[test]
fn a_page_at_https_loads_nothing_at_http() {
    let blocked = "the page is loaded by https, and this resource by http; browsers block it";
    let upgraded = "the page is loaded by https, and this image, audio or video by http; browsers load it by https instead";
    let cases = [
        ("<script src=http://i/x></script>", "script[src]", blocked),
        ("<iframe src=http://i/x></iframe>", "iframe[src]", blocked),
        ("<object data=http://i/x></object>", "object[data]", blocked),
        ("<embed src=http://i/x>", "embed[src]", blocked),
        ("<link rel=stylesheet href=http://i/x>", "link[href]", blocked),
        ("<link rel=preload as=font href=http://i/x>", "link[href]", blocked),
        ("<link rel=preload as=image href=http://i/x>", "link[href]", upgraded),
        ("<link rel='shortcut icon' href=http://i/x>", "link[href]", upgraded),
        ("<img srcset='http://i/x 2x'>", "img[srcset]", blocked),
        ("<img src=http://i/x>", "img[src]", upgraded),
        ("<video src=http://i/x></video>", "video[src]", upgraded),
        ("<audio src=http://i/x></audio>", "audio[src]", upgraded),
        ("<video poster=http://i/x></video>", "video[poster]", upgraded),
        ("<track src=http://i/x>", "track[src]", blocked),
        ("<body background=http://i/x>", "body[background]", upgraded),
        ("<p style='background: url(http://i/x)'>", "css url()", upgraded),
        ("<style>@import 'http://i/x';</style>", "css @import", blocked),
        ("<style>@font-face { src: url(http://i/x) }</style>", "css url()", blocked),
        ("<style>@font-face { } a { b: url(http://i/x) }</style>", "css url()", upgraded),
        ("<svg><image href=http://i/x /></svg>", "svg *[href]", upgraded),
        ("<svg><script xlink:href=http://i/x /></svg>", "svg *[xlink:href]", blocked),
        ("<img src=http://10.0.0.1/x>", "img[src]", blocked),
    ];
    for (document, slot, reason) in cases {
        let url = if document.contains("10.0.0.1") { "http://10.0.0.1/x" } else { "http://i/x" };
        let column = document.find(url).unwrap() + 1;
        check(
            "--base https://h/",
            document,
            &format!("site/a.html:1:{column}: {slot} {url}: {reason}\n"),
        );
        check("--base http://h/", document, "");
        check("", document, "");
    }
}

#[test]
fn what_is_no_mixed_content() {
    for document in [
        "<a href=http://i/x><area href=http://i/x><form action=http://i/x><q cite=http://i/x>",
        "<link rel=next href=http://i/x><link rel=canonical href=http://i/x><link rel='alternate' href=http://i/x>",
        "<link href=http://i/x><svg><a href=http://i/x></a></svg>",
        "<meta property=og:image content=http://i/x><script type=application/ld+json>{\"image\":\"http://i/x\"}</script>",
        "<img src=https://i/x><img src=//i/x><img src=http://localhost/x><img src=http://127.0.0.1:8080/x><img src=http://[::1]/x>",
        "<img src=data:,x>",
    ] {
        check("--base https://h/", document, "");
    }
}

/// XHTML and SVG in XML, style sheets by themselves; HTML in a feed is shown by the reader of the
/// feed.
#[test]
fn mixed_content_in_other_documents() {
    let dir = TestDir::with(&[
        (
            "site/a.xhtml",
            "<html xmlns='http://www.w3.org/1999/xhtml'><link rel='next' href='http://i/n'/><link rel='stylesheet' href='http://i/s'/></html>",
        ),
        ("site/b.css", "p { background: url(http://i/p) }"),
        (
            "site/c.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><feImage href='http://i/f'/><use href='http://i/u'/></svg>",
        ),
        (
            "site/d.atom",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='html'>&lt;img src='http://i/x'></content></entry></feed>",
        ),
    ]);
    let run = dir.relink("check site --base https://h/ --format json -q").exits(1);
    let found: Vec<String> = run
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|line| format!("{} {} {}", line["path"], line["text"], line["problem"]))
        .collect();
    let expected = [
        "\"a.xhtml\" \"http://i/s\" \"mixed-content\"",
        "\"b.css\" \"http://i/p\" \"mixed-content\"",
        "\"c.svg\" \"http://i/f\" \"mixed-content\"",
        "\"c.svg\" \"http://i/u\" \"mixed-content\"",
    ];
    assert_eq!(found, expected, "{run}");
}

#[test]
fn what_leads_to_the_old_place_is_stale() {
    let document = "<a href=http://old/s/x><a href=HTTP://OLD:80/s/>\n<a href=http://old/s><a href=http://old/so><a href=https://old/s/x>\n\
                    <img src=//old/s/y.png><p itemid=http://old/s/id><a href=a.html>";
    let stale = "it points to the old URL http://old/s/";
    let expected = format!(
        "site/a.html:1:9: a[href] http://old/s/x: {stale}\n\
         site/a.html:1:32: a[href] HTTP://OLD:80/s/: {stale}\n\
         site/a.html:2:9: a[href] http://old/s: {stale}\n\
         site/a.html:2:52: a[href] https://old/s/x: {stale}\n\
         site/a.html:3:10: img[src] //old/s/y.png: {stale}\n"
    );
    check("--base http://new/ --stale http://old/s/", document, &expected);
    // On a disk, what begins with // is a file server's.
    let on_disk = expected
        .replace(stale, "@")
        .replace("//old/s/y.png: @", &format!("//old/s/y.png: {TO_FILE_SERVER}"));
    check("--stale http://old/s/", document, &on_disk.replace('@', stale));
    check("--stale http://older/ --stale ftp://old/s/ --skip img", document, "");
}

#[test]
fn the_tree_may_have_been_around_or_inside_its_place() {
    let document =
        "<a href=http://h/new/a.html><a href=http://h/b.html><a href=http://h/new/old/c.html>";
    check(
        "--base http://h/new/ --stale http://h/",
        document,
        &format!(
            "site/a.html:1:37: a[href] http://h/b.html: {}\n\
         site/a.html:1:61: a[href] http://h/new/old/c.html: {}\n",
            words::stale("http://h/"),
            words::no_file("old/c.html")
        ),
    );
    check(
        "--base http://h/new/ --stale http://h/new/old/",
        document,
        &format!(
            "site/a.html:1:61: a[href] http://h/new/old/c.html: {}\n",
            words::stale("http://h/new/old/")
        ),
    );
}

#[test]
fn old_places_in_text_are_references_on_request() {
    let dir =
        TestDir::with(&[("site/a.txt", "See http://old/s/x, please.\n"), ("site/b.html", "")]);
    dir.relink("check site --stale http://old/ -q").exits(0).prints(format!(
        "site/a.txt:1:5: text http://old/s/x: {}\n",
        words::stale_text("http://old/")
    ));
    dir.relink("check site --stale http://old/ -q --also text").exits(1).prints(format!(
        "site/a.txt:1:5: text URL http://old/s/x: {}\n",
        words::stale("http://old/")
    ));
}

#[test]
fn old_places_are_directories() {
    let dir = TestDir::with(&[("site/a.html", "<a href=http://old/s/x>")]);
    dir.relink("check site --stale http://old/s").exits(1).reports(&format!(
        "note: --stale http://old/s is read as the directory http://old/s/\n\
         {}\n",
        words::checked(1, 1, &[(1, "stale")])
    ));
    dir.relink("check site --stale old").exits(2).prints("");
    dir.relink("check site --base http://h/ --stale http://H:80")
        .fails(&format!("error: {INVALID_VALUE} 'http://H:80' for --stale; it is the current URL of the tree; use an old URL of it"));
    dir.relink("check site --stale file:///srv/www -q").exits(0).prints("");
}

/// One reference is one problem: what has to be fixed first.
#[test]
fn old_places_are_reported_before_mixed_content() {
    check(
        "--base https://h/ --stale http://old/",
        "<img src=http://old/x>",
        &format!("site/a.html:1:10: img[src] http://old/x: {}\n", words::stale("http://old/")),
    );
}

#[test]
fn a_tree_that_is_reported_to_be_on_a_disk_holds_what_is_there() {
    let document = "<a href=file:///srv/s/a.html><a href=/srv/s/a.html>\n<a href=file:///srv/s/b.html>\n<a href=FILE://localhost/srv/s/a.html>\n\
                    <a href=file:///srv/a.html>\n<a href=//h/srv/s/a.html>";
    check(
        "--base file:///srv/s/",
        document,
        &format!(
            "site/a.html:2:9: a[href] file:///srv/s/b.html: {}\n\
         site/a.html:4:9: a[href] file:///srv/a.html: {ON_THIS_MACHINE}\n\
         site/a.html:5:9: a[href] //h/srv/s/a.html: {TO_FILE_SERVER}\n",
            words::no_file("b.html")
        ),
    );
}

/// Messages are read for what needs no files.
#[test]
fn messages_have_urls_too() {
    let mail =
        "Archived-At: <http://old/a>\nContent-Type: text/html\n\n<a href=http://new/b><a href=c>\n";
    let box_of_two = format!("From a@b Thu Jan  1 00:00:00 1998\n{mail}\n").repeat(2);
    let dir = TestDir::with(&[("m.eml", mail), ("m.mbox", &box_of_two)]);
    dir.relink("check m.eml --stale http://old/")
        .exits(1)
        .prints(format!(
            "m.eml:1:15: header Archived-At http://old/a: {}\n",
            words::stale("http://old/")
        ))
        .reports(&format!("{}\n", words::checked(1, 3, &[(1, "stale")])));
    dir.relink("check m.mbox --stale http://old/ -q").exits(1).prints(format!(
        "m.mbox:2:15: header Archived-At http://old/a: {}\n\
         m.mbox:8:15: header Archived-At http://old/a: {}\n",
        words::stale("http://old/"),
        words::stale("http://old/")
    ));
    dir.relink("check m.mbox --list-external -q").exits(0).prints("http://old/a\nhttp://new/b\n");
}

/// What a mirror lacks: pages, resources, and the indexes of directories; not what is elsewhere.
#[test]
fn urls_that_are_missing_are_listed() {
    let dir = TestDir::with(&[
        (
            "m/a.example/index.html",
            "<a href=gone.html#x>1</a><a href=gone.html#y>2</a><img src=http://b.example/i.png?x><a href=here.html>3</a><a href=http://c.example/>4</a><a href=d/>5</a><a href=mailto:u@h>6</a>",
        ),
        ("m/a.example/here.html", "<link rel=stylesheet href=//b.example/s.css>"),
        ("m/a.example/d/x.html", ""),
        ("m/b.example/s.css", "a{b:url(t.png)}"),
    ]);
    dir.relink("check m --layout wget --missing-urls -q").prints(
        "http://a.example/gone.html\nhttp://b.example/i.png?x\nhttp://a.example/d/\nhttp://b.example/t.png\n",
    );
    let run = dir.relink("check m --layout wget --missing-urls --format json -q");
    assert!(
        run.text().starts_with("{\"url\":\"http://a.example/gone.html\",\"count\":2,\"root\":0,\"path\":\"a.example/index.html\""),
        "{run}"
    );
    dir.relink("check m --layout wget --missing-urls --list-external").exits(2);
    // What is there under another scheme or host is not missing, whatever has a similar name.
    let dir = TestDir::with(&[
        (
            "m/h.example/a.html",
            "<a href=d/>1</a><a href=b.html>2</a><a href=c.html>3</a><a href=http://www.h.example/x.html>4</a>",
        ),
        ("m/h.example/d/x.html", ""),
        ("m/h.example/B.html", ""),
        ("m/h.example/x.html", ""),
        ("m/www.h.example/d/index.html", ""),
        ("m/www.h.example/b.html", ""),
    ]);
    let run = dir.relink("check m --layout wget --missing-urls -q");
    assert_eq!(run.text(), "http://h.example/c.html\n", "{run}");
    let run = dir.relink("check m --layout wget --missing-urls --no-twins -q");
    assert_eq!(run.text().lines().count(), 4, "{run}");
}

#[test]
fn an_old_url_in_other_text_is_reported_by_line() {
    let dir = TestDir::with(&[
        (
            "site/a.html",
            "<a href=http://old/s/x>x</a> http://old/s/y\n<p onclick=\"go('//old/s/z')\" data-u=http://old/s/>\n<script>\nvar u = 'http:\\/\\/old\\/s\\/w', v = '//old/s/v';</script>\n<p>http://other/s/ old http://old/t/\n",
        ),
        ("site/b.json", "{\"u\": \"http://old/s/b\"}"),
        ("site/.htaccess", "Redirect permanent /x http://old/s/x\n"),
        ("site/c.bin", "\0http://old/s/c"),
        // Copies of documents are not searched.
        ("site/b.json.orig", "{\"u\": \"http://old/s/b\"}"),
        ("site/a.html.orig", "<!doctype html><a href=http://old/s/x>x</a> http://old/s/y\n"),
    ]);
    let text = "it contains the old URL http://old/s/, and is not a reference that relink knows";
    let stale = &words::stale("http://old/s/");
    dir.relink("check site --base http://new/ --stale http://old/s/")
        .exits(1)
        .prints(format!(
            "site/.htaccess:1:23: text http://old/s/x: {text}\n\
         site/a.html:1:9: a[href] http://old/s/x: {stale}\n\
         site/a.html:1:30: text http://old/s/y: {text}\n\
         site/a.html:2:17: text http://old/s/z: {text}\n\
         site/a.html:4:10: text http://old/s/w: {text}\n\
         site/b.json:1:8: text http://old/s/b: {text}\n"
        ))
        .reports(&format!(
            "{}; 5 lines of other text contain an old URL\n",
            words::checked(1, 1, &[(1, "stale")])
        ));
    // Such text alone is not broken.
    dir.file("site/a.html", "<script>u = 'http://old/s/'</script>");
    dir.relink("check site --base http://new/ --stale http://old/s/ --format json -q --include a.html")
        .exits(0)
        .prints(format!("{{\"root\":0,\"path\":\"a.html\",\"line\":1,\"column\":14,\"span\":[13,26],\"slot\":\"text\",\"text\":\"http://old/s/\",\"target\":null,\"problem\":\"stale-text\",\"reason\":\"{}\"}}\n", words::stale_text("http://old/s/")));
    // In references to something else, as they are written and escaped.
    let inside = [
        "javascript:open('http://old/s/x')",
        "https://share/?u=http://old/s/x",
        "https://share/?u=http%3A%2F%2Fold%2Fs%2Fx",
        "mailto:a@b?body=http://old/s/x",
        "https://web.archive.org/web/2003/http://old/s/x",
        "feed:http://old/s/x",
        "data:text/html,%3Ca%20href=http://old/s/x%3E",
        "data:text/html;base64,PGEgaHJlZj1odHRwOi8vb2xkL3MveD4=",
        "https://share/?u=%2568ttp%253A%252F%252Fold%252Fs%252Fx",
        "feed://old/s/x",
        "intent://old/s/x#Intent;scheme=http;end",
    ];
    for reference in inside {
        dir.file("site/a.html", format!("<a href=\"{reference}\">x</a>"));
        dir.relink("check site --base http://new/ --stale http://old/s/ -q --include a.html")
            .exits(0)
            .prints(format!("site/a.html:1:10: a[href] {reference}: {text}\n"));
    }
    for other in
        ["https://share/?u=http://old/t/x", "irc://old/s/x", "data:;base64,aHR0cDovL29sZC90"]
    {
        dir.file("site/a.html", format!("<a href='{other}'>x</a>"));
        dir.relink("check site --base http://new/ --stale http://old/s/ -q --include a.html")
            .exits(0)
            .prints("");
    }
    // References whose target is not known: it depends on where a custom property is used, or on
    // what fills in a template.
    for (reference, at) in [
        ("<style>:root{--x:url(//old/s/x)}</style><link rel=stylesheet href=a.html>", 22),
        ("<a href='http://old/s/x{{y}}'>", 10),
    ] {
        dir.file("site/a.html", reference);
        dir.relink("check site --base http://new/ --stale http://old/s/ -q --include a.html")
            .exits(0)
            .prints(format!("site/a.html:1:{at}: text http://old/s/x: {text}\n"));
    }
    // The current place of the tree may be in the old one.
    dir.file("site/a.html", "<script>u = 'http://old/s/new/x'</script>");
    dir.relink("check site --base http://old/s/new/ --stale http://old/s/ -q --include a.html")
        .exits(0)
        .prints("");
}

/// Other names of the old host: its other scheme, `www.`, the default port, a final dot.
#[test]
fn other_names_of_an_old_url_are_old_too() {
    let names = [
        "https://old.example",
        "http://www.old.example",
        "http://old.example:80",
        "http://old.example.",
    ];
    for name in names.iter().chain(&["//old.example", "https://www.old.example:443"]) {
        let dir = TestDir::with(&[("site/a.html", &format!("<a href={name}/s/b.html>b</a>"))]);
        for stale in ["http://old.example/s/", "https://www.old.example/s/"] {
            let run = dir.relink(&format!("check site --base http://new.example/ --stale {stale}"));
            assert!(run.exits(1).stderr.contains("1 broken (1 stale)"), "{name}");
        }
    }
    for other in [
        "http://old.example:8080",
        "http://ww.old.example",
        "ftp://old.example",
        "http://old.example.org",
    ] {
        let dir = TestDir::with(&[("site/a.html", &format!("<a href={other}/s/b.html>b</a>"))]);
        dir.relink("check site --base http://new.example/ --stale http://old.example/s/").exits(0);
    }
}

#[test]
fn a_host_alone_is_an_old_url_in_files_of_servers() {
    let dir = TestDir::with(&[
        ("site/CNAME", "old.example\n"),
        ("site/.htaccess", "RewriteCond %{HTTP_HOST} ^old\\.example$ [NC]\n"),
        ("site/a.txt", "old.example\n"),
    ]);
    let text = &words::stale_text("http://old.example/");
    dir.relink("check site --base http://new/ --stale http://old.example/ -q").exits(0).prints(format!(
        "site/.htaccess:1:27: text http://old.example/: {text}\nsite/CNAME:1:1: text http://old.example/: {text}\n"
    ));
}
