//! `relink pack`: a page and what it loads as one message; each option and message.

use std::fs;

use basectx::message::{Encoding, Message, url_of};
use layers::{base64, quoted_printable};

use crate::dir::TestDir;
use crate::words::{
    self, BASE_WITHOUT_SCHEME, FILE_EXISTS, INVALID_VALUE, NEEDS_ROOT, NOT_ABSOLUTE, NOT_EMPTY,
    NOT_PACKED, TO_RAISE_THE_LIMIT,
};

/// A picture of which only the first bytes matter.
const PICTURE: &str = "\u{89}PNG\r\n\u{1a}\n";

/// The parts of a message: URL, content type, and bytes.
fn parts(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let message = Message::read(bytes);
    assert!(message.diagnostics.is_empty(), "{:?}", message.diagnostics);
    let part = |idx: usize| {
        let entity = &message.entities[idx];
        let field = |name| entity.field(name, bytes).expect("a field");
        let body = entity.body.slice(bytes);
        let body = match entity.encoding {
            Encoding::QuotedPrintable => quoted_printable::decode(body).bytes.into_owned(),
            Encoding::Base64 => base64::decode(body).bytes,
            _ => panic!("{entity:?}"),
        };
        let url = url_of(field("Content-Location"), bytes).expect("a URL");
        (url, field("Content-Type").text(bytes), body)
    };
    message.leaves().map(part).collect()
}

/// The URLs of the parts of a file.
fn urls(dir: &TestDir, name: &str) -> Vec<String> {
    parts(&dir.bytes(name)).into_iter().map(|(url, ..)| url).collect()
}

/// A site with a page that loads something in each way.
fn site() -> TestDir {
    let dir = TestDir::with(&[
        (
            "site/a/page.html",
            "<meta charset=utf-8><title>Ä &amp; B</title>\r\n\
             <link rel=stylesheet href=../s/main.css?v=1><link rel=icon href=icon.png>\n\
             <img src=one.png srcset='one.png 1x, two.png 2x'><script src=x.js></script>\n\
             <iframe src=frame.html></iframe><iframe srcdoc='<img src=three.png>'></iframe>\n\
             <svg><image href=four.png /><a href=link.html></a></svg><a href=link.html>link</a>\n\
             <object data=five.png></object><video poster=six.png src=v.mp4></video>\n\
             <link rel=prefetch href=link.html><link rel=preload as=font href=../s/font.woff2>\n",
        ),
        ("site/a/frame.html", "<p>frame<iframe src=page.html></iframe><img src=one.png>"),
        ("site/a/link.html", "<p>link"),
        ("site/a/x.js", "import './y.js';\n"),
        ("site/a/y.js", "export {};\n"),
        ("site/a/v.mp4", "video"),
        ("site/s/main.css", "@charset \"utf-8\"; @import 'more.css'; @import 'main.css?v=1';"),
        ("site/s/more.css", "p { background: url(../a/seven.png) } @import 'late.css';"),
        ("site/s/font.woff2", "font"),
    ]);
    for name in ["icon", "one", "two", "three", "four", "five", "six", "seven"] {
        dir.file(format!("site/a/{name}.png"), format!("{PICTURE}{name}"));
    }
    dir
}

#[test]
fn a_page_is_packed_with_what_it_loads() {
    let dir = site();
    dir.relink("pack site/a/page.html --root site --base https://h.example/ -o page.mhtml")
        .exits(0)
        .reports(&format!(
            "site/s/more.css:1:48: css @import late.css: {NOT_PACKED}; {}\n\
             1 page packed, 14 parts, 3628 bytes; 1 reference {NOT_PACKED}\n",
            words::no_file("site/s/late.css")
        ));
    let bytes = dir.bytes("page.mhtml");
    let parts = parts(&bytes);
    let found: Vec<(&str, &str)> = parts
        .iter()
        .map(|(url, kind, _)| (url.strip_prefix("https://h.example/").unwrap(), &**kind))
        .collect();
    assert_eq!(
        found,
        [
            ("a/page.html", "text/html; charset=\"UTF-8\""),
            ("s/main.css?v=1", "text/css; charset=\"UTF-8\""),
            ("a/icon.png", "image/png"),
            ("a/one.png", "image/png"),
            ("a/two.png", "image/png"),
            ("a/frame.html", "text/html"),
            ("a/three.png", "image/png"),
            ("a/four.png", "image/png"),
            ("a/five.png", "image/png"),
            ("a/six.png", "image/png"),
            ("a/v.mp4", "video/mp4"),
            ("s/font.woff2", "font/woff2"),
            ("s/more.css", "text/css"),
            ("a/seven.png", "image/png"),
        ]
    );
    for (url, _, body) in &parts {
        let path = url.strip_prefix("https://h.example/").unwrap().split('?').next().unwrap();
        assert_eq!(*body, dir.bytes(format!("site/{path}")), "{url}");
    }
    let text = String::from_utf8(bytes).expect("ASCII");
    assert!(text.starts_with(
        "From: <Saved by relink>\r\nSnapshot-Content-Location: https://h.example/a/page.html\r\n\
         Subject: =?utf-8?Q?=C3=84_=26_B?=\r\nDate: "
    ));
    assert!(text.contains(
        " +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"----=_relink_"
    ));
    // Other commands find the parts.
    let refs = dir.relink("refs page.mhtml --format json").exits(0);
    assert!(refs.text().contains("\"target\":\"https://h.example/a/seven.png\""));
}

#[test]
fn the_same_page_gives_the_same_octets_and_its_time() {
    let dir = site();
    let one = dir.relink("pack site/a/page.html").exits(0).stdout;
    assert_eq!(dir.relink("pack site/a/page.html -o -").exits(0).stdout, one);
    dir.relink("pack site/a/page.html -o page.mhtml").exits(0);
    assert_eq!(dir.bytes("page.mhtml"), one);
    let modified = |name| fs::metadata(dir.path(name)).unwrap().modified().unwrap();
    assert_eq!(modified("page.mhtml"), modified("site/a/page.html"));
}

#[test]
fn without_a_url_the_urls_are_made_up() {
    let dir = site();
    dir.relink("pack site/a/page.html -o page.mhtml").exits(0);
    let urls = urls(&dir, "page.mhtml");
    assert_eq!(
        urls[..2],
        ["a/page.html", "s/main.css?v=1"].map(|path| format!("http://relink.invalid/tree/{path}"))
    );
    let text = dir.text("page.mhtml");
    assert!(!text.contains("Snapshot-Content-Location"));
    let directory = dir.path("").display().to_string();
    assert!(!text.contains(directory.trim_end_matches('/')));
    // The page of a root has the URL of its path.
    dir.relink("pack site/a/page.html --root site -o root.mhtml").exits(0);
    assert_eq!(self::urls(&dir, "root.mhtml")[0], "http://relink.invalid/a/page.html");
}

#[test]
fn the_url_of_a_page_is_that_of_its_directory() {
    let dir = TestDir::with(&[
        (
            "b/page.html",
            "<base href=x/><img src=../i.png><img src=https://h.example/d/i.png#x><img src=//h.example/d/j.png>",
        ),
        ("b/i.png", PICTURE),
    ]);
    let run = dir.relink("pack b/page.html --base https://h.example/d/page.html -o page.mhtml");
    run.exits(0).reports(
        "b/page.html:1:79: img[src] //h.example/d/j.png: not packed; there is no file b/j.png\n\
         1 page packed, 2 parts, 798 bytes; 1 reference not packed\n",
    );
    let expected = ["https://h.example/d/page.html", "https://h.example/d/i.png"];
    assert_eq!(urls(&dir, "page.mhtml"), expected);
}

#[test]
fn one_file_with_two_urls_is_two_parts() {
    let dir = TestDir::with(&[
        (
            "page.html",
            "<img src=i.png><img src=i.png?1><img src='i.png#a'><img src=a%20b.png><img src='a b.png'><img src=.\\i.png>",
        ),
        ("i.png", PICTURE),
        ("a b.png", PICTURE),
    ]);
    dir.relink("pack page.html -o page.mhtml").exits(0);
    let expected = ["page.html", "i.png", "i.png?1", "a%20b.png"];
    assert_eq!(
        urls(&dir, "page.mhtml"),
        expected.map(|path| format!("http://relink.invalid/tree/{path}"))
    );
}

#[test]
fn scripts_are_packed_on_request() {
    let dir = TestDir::with(&[
        ("page.html", "<script src=x.js></script><script type=module>import './z.js'</script>"),
        ("x.js", "x()"),
        ("z.js", "import './y.js';"),
        ("y.js", ""),
    ]);
    dir.relink("pack page.html -o page.mhtml").exits(0);
    assert_eq!(urls(&dir, "page.mhtml").len(), 1);
    dir.relink("pack page.html --scripts -o page.mhtml --force").exits(0);
    let expected = ["page.html", "x.js", "z.js", "y.js"];
    assert_eq!(
        urls(&dir, "page.mhtml"),
        expected.map(|path| format!("http://relink.invalid/tree/{path}"))
    );
}

#[test]
fn what_is_missing_is_reported_with_its_place() {
    let dir = TestDir::with(&[
        (
            "page.html",
            "<p>\n<img src=none.png>\n<link rel=stylesheet href=a.css><img src=https://h.example/x.png>\n<img src=d><img src=/y.png>",
        ),
        ("a.css", "p { color: red }\np { background: url( none.png ) }"),
        ("d/x", ""),
    ]);
    let report = &format!(
        "page.html:2:10: img[src] none.png: {NOT_PACKED}; {}\n\
                  page.html:4:10: img[src] d: {NOT_PACKED}; d is a directory\n\
                  page.html:4:21: img[src] /y.png: {NOT_PACKED}; {}\n\
                  a.css:2:22: css url() none.png: {NOT_PACKED}; {}\n",
        words::no_file("none.png"),
        words::no_file("/y.png"),
        words::no_file("none.png")
    );
    let sums = &format!(
        "1 page packed, 2 parts, 820 bytes; 4 references {NOT_PACKED}; 1 URL of other sites {NOT_PACKED}\n\
         {NEEDS_ROOT}\n"
    );
    dir.relink("pack page.html -o page.mhtml").exits(0).reports(&format!("{report}{sums}"));
    dir.relink("pack page.html -o page.mhtml --force --strict").exits(1);
    dir.relink("pack page.html -o page.mhtml --force -q").exits(0).reports("");
    let run = dir.relink("pack page.html -o page.mhtml --force -v").exits(0);
    assert!(
        run.has_line(&format!(
            "page.html: {NOT_PACKED}; https://h.example/x.png is on another site"
        )),
        "{run}"
    );
    assert!(run.has_line("page.html: 2 parts, 820 bytes"), "{run}");
}

#[test]
fn files_outside_of_the_directory_are_packed_if_pages_load_such() {
    let dir = TestDir::with(&[
        (
            "a/page.html",
            "<img src=../i.png><img src=../secret><img src=../.hidden/i.png><iframe src=../notes.txt></iframe>",
        ),
        ("i.png", PICTURE),
        ("secret", "secret"),
        ("notes.txt", "secret"),
        (".hidden/i.png", PICTURE),
    ]);
    let refused = |path: &str| {
        format!(
            "{NOT_PACKED}; {path} is outside the directory of the page and not a file that pages load; use `--root DIR` to include it"
        )
    };
    let run = dir.relink("pack a/page.html -o page.mhtml").exits(0);
    for (place, path) in [
        ("1:28: img[src] ../secret", "secret"),
        ("1:47: img[src] ../.hidden/i.png", ".hidden/i.png"),
        ("1:76: iframe[src] ../notes.txt", "notes.txt"),
    ] {
        assert!(run.has_line(&format!("a/page.html:{place}: {}", refused(path))), "{path}{run}");
    }
    assert_eq!(urls(&dir, "page.mhtml").len(), 2);
    dir.relink("pack a/page.html --root . -o page.mhtml --force").exits(0);
    assert_eq!(urls(&dir, "page.mhtml").len(), 5);
    // Of a root, nothing outside is packed.
    dir.relink("pack a/page.html --root a -o page.mhtml --force").exits(0);
    assert_eq!(urls(&dir, "page.mhtml").len(), 1);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_no_way_out() {
    let dir = TestDir::with(&[
        ("a/page.html", "<img src=secret.png><img src=good.png><img src=pipe.png>"),
        ("secret", "secret"),
        ("i.png", PICTURE),
    ]);
    std::os::unix::fs::symlink("../secret", dir.path("a/secret.png")).unwrap();
    std::os::unix::fs::symlink("../i.png", dir.path("a/good.png")).unwrap();
    let pipe = dir.path("a/pipe.png");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    for options in ["", "--root a"] {
        let run = dir.relink(&format!("pack a/page.html -o page.mhtml --force {options}")).exits(0);
        let parts = parts(&dir.bytes("page.mhtml"));
        assert_eq!(parts.len(), 2, "{run}");
        assert!(parts[1].0.ends_with("/good.png"), "{}", parts[1].0);
    }
}

#[test]
fn each_page_of_a_tree_is_a_message() {
    let dir = site();
    dir.file("site/b.txt", "no page");
    dir.file("site/c.php", "<p>page");
    let run = dir.relink("pack --tree site --base https://h.example/ -o out --type php=text/html");
    // What is missing for several pages is reported once.
    run.exits(0).reports(&format!(
        "site/s/more.css:1:48: css @import late.css: {NOT_PACKED}; {}\n\
         4 pages packed, 30 parts, 8239 bytes; 2 references {NOT_PACKED}\n",
        words::no_file("site/s/late.css")
    ));
    let files: Vec<String> = dir
        .tree("out")
        .into_keys()
        .filter(|path| path.extension().is_some())
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(files, ["a/frame.mhtml", "a/link.mhtml", "a/page.mhtml", "c.mhtml"]);
    assert_eq!(urls(&dir, "out/a/link.mhtml"), ["https://h.example/a/link.html"]);
    // The same message as that of the page alone.
    let line = "pack site/a/page.html --root site --base https://h.example/";
    assert_eq!(dir.relink(line).exits(0).stdout, dir.bytes("out/a/page.mhtml"));
    dir.relink("pack --tree site -o out").fails(&format!("out: {NOT_EMPTY}"));
    let run = dir.relink("pack --tree site -o new --include 'a/*' --exclude a/page.html -j 1");
    assert!(!run.exits(0).has_line_with("4 pages"));
}

#[test]
fn two_pages_with_one_name_are_reported() {
    let dir = TestDir::with(&[("site/a.htm", "<p>"), ("site/a.html", "<p>")]);
    dir.relink("pack --tree site -o out").exits(2).reports(
        &format!("site/a.html: {NOT_PACKED}; the message of another page has the name a.mhtml; use `--exclude GLOB` to skip one\n\
         1 page packed, 1 part, 438 bytes; 1 page failed\n"),
    );
}

#[test]
fn nothing_is_written_over_without_force_or_in_a_dry_run() {
    let dir = TestDir::with(&[("page.html", "<p>"), ("old.mhtml", "old")]);
    dir.relink("pack page.html -o old.mhtml").fails(&format!("old.mhtml: {FILE_EXISTS}"));
    dir.relink("pack page.html -o new.mhtml -n")
        .exits(0)
        .prints("")
        .reports("1 page would be packed, 1 part, 451 bytes\n");
    assert!(!dir.has("new.mhtml"));
    dir.relink("pack page.html -o old.mhtml --force").exits(0);
    assert!(dir.text("old.mhtml").starts_with("From: "));
    dir.relink("pack --tree . -o ../out -n").exits(0);
    assert!(!dir.has("../out"));
    dir.relink("pack --tree . -n").exits(0).prints("");
}

#[test]
fn wrong_usage_is_reported() {
    let dir = TestDir::with(&[("a/page.html", "<p>"), ("a/x.png", PICTURE), ("b/x", "")]);
    for (line, reason) in [
        (
            "pack a",
            "a: cannot be packed; it is not a file; use the path of a page, or `--tree DIR` for all pages of a directory",
        ),
        (
            "pack --tree a",
            "error: no output is set; the messages of several pages need a directory; use `-o OUTDIR` to set it, or `--dry-run` to write nothing",
        ),
        (
            "pack a/page.html --root none",
            "none: cannot be the root; it is not a directory that can be read; use another DIR",
        ),
        (
            "pack a/page.html --base x",
            format!("error: {INVALID_VALUE} 'x' for --base; {NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}")
                .as_str(),
        ),
    ] {
        let run = dir.relink(line).exits(2);
        assert!(run.has_line(reason), "{line}{run}");
    }
    let run = dir.relink("pack a/page.html --root b").exits(2);
    assert!(run.stderr.contains("cannot be packed; it is not below the root"), "{run}");
    for (line, reason) in [
        (
            "pack a/x.png",
            format!(
                "a/x.png: {NOT_PACKED}; it is not a page; use `--type EXT=text/html` if it is one"
            )
            .as_str(),
        ),
        ("pack a/none.html", words::missing("a/none.html").as_str()),
    ] {
        let run = dir.relink(line).exits(2).prints("");
        assert!(run.has_line(reason), "{line}{run}");
    }
}

#[test]
fn limits_are_reported_by_name() {
    let dir = TestDir::with(&[
        ("page.html", "<iframe src=a.html></iframe><img src=i.png>"),
        ("a.html", "<iframe src=b.html></iframe>"),
        ("b.html", "<iframe src=a.html></iframe>"),
        ("i.png", PICTURE),
    ]);
    for (limit, reason) in [
        ("load-depth=1", "its files load each other more than 1 levels deep"),
        ("pack-size=90", "the page and the files that it loads are larger than 90"),
        ("parts=4", "more than 4 parts (later ones are not read)"),
    ] {
        let name = limit.split('=').next().unwrap();
        let run = dir.relink(&format!("pack page.html --limit {limit}")).exits(2).prints("");
        let line = format!(
            "page.html: {NOT_PACKED}; {reason}; use `--limit {name}=VALUE` {TO_RAISE_THE_LIMIT}"
        );
        assert!(run.has_line(&line), "{run}");
    }
    // Frames in frames end.
    assert_eq!(parts(&dir.relink("pack page.html --limit load-depth=2").exits(0).stdout).len(), 4);
}

#[test]
fn documents_that_cannot_be_read_are_packed_and_reported() {
    let dir = TestDir::with(&[
        ("page.html", "<img src=d.svg>"),
        ("d.svg", "<svg xmlns='http://www.w3.org/2000/svg'><image href='i.png'></svg>"),
        ("i.png", PICTURE),
    ]);
    let run = dir.relink("pack page.html -o page.mhtml").exits(0);
    assert!(run.has_line_with("d.svg:1:"), "{run}");
    assert!(run.stderr.contains(&format!(": what it loads is {NOT_PACKED}; ")), "{run}");
    assert_eq!(urls(&dir, "page.mhtml").len(), 2);
}

#[test]
fn a_reference_to_a_missing_file_stays_as_it_is_written() {
    let page =
        "<link rel=stylesheet href=s/a.css><a href=../b/none.html?q#f>n</a> <a href=/x>x</a>";
    let style = "p { background: url(../none.png) }";
    let dir = TestDir::with(&[("site/a/p.html", page), ("site/a/s/a.css", style)]);
    dir.relink("pack site/a/p.html --root site -o p.mhtml -q").exits(0);
    dir.relink("unpack p.mhtml -o out -q").exits(0);
    let found = dir.text("out/p.html");
    assert!(
        found.contains("<a href=none.html?q#f>") || found.contains("../b/none.html?q#f"),
        "{found}"
    );
    assert!(!found.contains("relink.invalid/tree"), "{found}");
    assert_eq!(dir.text("out/p_files/a.css"), style);
}

/// In a message, `'self'` is the file, and without a base Chromium uses the URL of the page only if
/// there is no `<base>`.
#[test]
fn a_base_that_a_policy_forbids_in_a_message_is_reported() {
    let page = |sources: &str| {
        format!(
            "<meta http-equiv=Content-Security-Policy content=\"base-uri {sources}\"><base href=a/><img src=b.png>"
        )
    };
    let dir = TestDir::with(&[("a/b.png", PICTURE), ("b.png", PICTURE)]);
    for (sources, is_reported) in [("'self'", true), ("'none'", true), ("*", false)] {
        dir.file("p.html", page(sources));
        let run = dir.relink("pack p.html --base https://h.example/p.html -o p.mhtml --force");
        let run = run.exits(0);
        let start = "p.html:1:79: the Content-Security-Policy (base-uri) forbids the <base>";
        assert_eq!(run.has_line_with(start), is_reported, "{run}");
    }
}

/// Browsers resolve a relative base against the file of the message.
#[test]
fn a_relative_base_is_absolute_in_the_message() {
    let page = |base: &str| format!("<p>a<base target=x>\n<BASE href='{base}'><img src=b.png>\n");
    let frame = "<base href=../a/><img src=b.png>";
    let dir = TestDir::with(&[
        ("site/p.html", &format!("{}<iframe src=../f/f.html></iframe>", page("a/?x"))),
        ("site/a/b.png", PICTURE),
        ("site/f/f.html", frame),
        ("site/absolute.html", &page("https://h.example/a/")),
        (
            "site/x.xhtml",
            "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='/a/'/></head><body><img src='b.png'/></body></html>",
        ),
    ]);
    for (options, root) in [
        ("--root site --base https://h.example/", "https://h.example/"),
        ("", "http://relink.invalid/tree/"),
    ] {
        dir.relink(&format!("pack site/p.html {options} -o p.mhtml --force")).exits(0);
        let parts = parts(&dir.bytes("p.mhtml"));
        let urls: Vec<&str> = parts.iter().map(|(url, ..)| &**url).collect();
        assert_eq!(urls, ["p.html", "a/b.png", "f/f.html"].map(|name| format!("{root}{name}")));
        let packed = format!("{}<iframe src=../f/f.html></iframe>", page(&format!("{root}a/?x")));
        assert_eq!(String::from_utf8_lossy(&parts[0].2), packed);
        // A frame has a URL of its own.
        assert_eq!(String::from_utf8_lossy(&parts[2].2), frame);
    }
    for (name, base) in [("absolute.html", "https://h.example/a/"), ("x.xhtml", "/a/")] {
        let run = format!("pack site/{name} --root site --base https://h.example/");
        let parts = parts(&dir.relink(&run).exits(0).stdout);
        let page = dir.text(format!("site/{name}"));
        let packed = page.replace(base, "https://h.example/a/");
        assert_eq!((String::from_utf8_lossy(&parts[0].2), parts.len()), (packed.into(), 2));
    }
}
