//! Saved responses of HTTP: how they are known, what `refs` and `bases` say about them, what
//! follows from edits, what stays; header sections beside files; and what `wget --save-headers` and
//! `curl -i` really write, read by Python's `http.client`.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::dir::TestDir;
use crate::words::{self, COMPRESSED, PART_SKIPPED};

const HEADING: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

/// What is reported about a run, without the summary.
fn report(stderr: &str) -> Vec<&str> {
    stderr.lines().filter(|line| line.contains(".html:")).collect()
}

#[test]
fn responses_are_known_by_their_first_bytes() {
    let html = format!("{HEADING}\r\n<a href=x>");
    let unreported = "HTTP/1.0 200 OK\nServer: x\n\n<html><a href=x>";
    let css = "HTTP/2 200\ncontent-type: text/css\n\n@import 'x'";
    let dir = TestDir::with(&[
        ("t/a.html", &html),
        ("t/b", &html),
        ("t/c.xml", &html),
        ("t/d.html", unreported),
        ("t/e", unreported),
        ("t/f.html", css),
        ("t/g.html", "HTTP/1.1 200 OK, <a href=x> says the server\n\n"),
        ("t/h", "HTTP/1.1 200 OK\nsays the server: <a href=x>\n"),
        ("t/i.txt", &html),
        ("t/j.png", &html),
        ("t/k.css", unreported),
    ]);
    let expected = "\
t/a.html:4:9: a[href] x -> http://h/x
t/b:4:9: a[href] x -> http://h/x
t/c.xml:4:9: a[href] x -> http://h/x
t/d.html:4:15: a[href] x -> http://h/x
t/e:4:15: a[href] x -> http://h/x
t/f.html:4:10: css @import x -> http://h/x
t/g.html:1:26: a[href] x -> http://h/x
";
    dir.relink("refs t --base http://h/").exits(0).prints(expected).reports("");
}

#[test]
fn a_type_says_that_a_file_is_one() {
    let text = "HTTP/1.1 200 OK\nLocation: /x\n\n";
    let dir = TestDir::with(&[("a.raw", text), ("b.raw", "GET /x HTTP/1.1\nLocation: /x\n\n")]);
    for media_type in ["message/http", "application/http"] {
        dir.relink(&format!("refs a.raw --base http://h/ --type raw={media_type}"))
            .exits(0)
            .prints("a.raw:2:11: header Location /x -> http://h/x\n");
        dir.pipe(&format!("absolutize - --base http://h/ --type {media_type}"), text.as_bytes())
            .exits(0)
            .prints(text.replace("/x", "http://h/x"));
    }
    dir.pipe("absolutize - --base http://h/", text.as_bytes())
        .exits(0)
        .prints(text.replace("/x", "http://h/x"));
    dir.relink("refs b.raw --type raw=message/http")
        .exits(2)
        .prints("")
        .reports("b.raw:1:1: skipped; it does not begin with a status line\n");
}

#[test]
fn headings_are_parts_and_bodies_are_documents() {
    let text = format!(
        "HTTP/1.1 302 Found\r\nLocation: /e/f\r\n\r\n{HEADING}Base: http://i/j/\r\nLink: <k>\r\n\r\n<base href=l/><a href=m>"
    );
    let dir = TestDir::with(&[("p.html", &text)]);
    let refs = dir.relink("refs p.html --base http://h/d --format json").exits(0);
    let of = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let get = |name: &str| value[name].as_str().unwrap_or("null").to_owned();
        let span = |idx: usize| usize::try_from(value["span"][idx].as_u64().unwrap()).unwrap();
        assert_eq!(text[span(0)..span(1)], get("text"), "{line}");
        [get("part"), get("slot"), get("text"), get("target"), get("base_source")].join(" ")
    };
    let lines: Vec<String> = refs.text().lines().map(of).collect();
    assert_eq!(
        lines,
        [
            "1.HEADER header Location /e/f http://h/e/f retrieval",
            "2.HEADER header Base http://i/j/ http://i/j/ none",
            "2.HEADER header Link k http://i/j/k encapsulating",
            "null base[href] l/ http://i/j/l/ encapsulating",
            "null a[href] m http://i/j/l/m embedded",
        ]
    );
    let bases = dir.relink("bases p.html --base http://h/d --format json").exits(0);
    let chain: serde_json::Value = serde_json::from_str(bases.text()).unwrap();
    let at = |value: &str| {
        let start = text.find(value).unwrap();
        serde_json::json!([start, start + value.len()])
    };
    let expected = serde_json::json!([
        {"source": "embedded", "where": {"part": null, "element": "base[href]", "span": at("l/")}, "url": "http://i/j/l/", "section": "HTML 4.2.3", "decides": true, "words": "base[href] at 9:12: http://i/j/l/"},
        {"source": "encapsulating", "where": {"part": "2.HEADER", "field": "Base", "span": at("http://i/j/")}, "url": "http://i/j/", "section": "RFC 1808 3.1", "decides": false, "words": "2.HEADER Base at 6:7: http://i/j/"},
        {"source": "retrieval", "where": {"part": "1.HEADER", "field": "Location", "span": at("/e/f")}, "url": "http://h/e/f", "section": "RFC 3986 5.1.3", "decides": false, "words": "1.HEADER Location at 2:11: http://h/e/f"},
    ]);
    assert_eq!(chain["chain"], expected);
    assert_eq!(
        (&chain["part"], &chain["media_type"]),
        (&serde_json::Value::Null, &"text/html".into())
    );
}

#[test]
fn edits_go_both_ways() {
    let text = |link: &str, length: usize, href: &str| {
        format!(
            "{HEADING}Link: <{link}>; rel=next\r\nContent-Length: {length}\r\n\r\n<a href={href}>\n"
        )
    };
    let (relative, absolute) = (text("../x", 11, "y"), text("http://h/x", 22, "http://h/d/y"));
    let dir = TestDir::with(&[("t/d/a.html", &relative)]);
    let run = dir.relink("absolutize t --base http://h/ -o out").exits(0);
    assert!(run.stderr.contains("1 length or checksum updated"), "{run}");
    assert_eq!(dir.text("out/d/a.html"), absolute);
    dir.relink("relativize out --base http://h/ -o back").exits(0);
    assert_eq!(dir.text("back/d/a.html"), relative);
    dir.relink("move t --from http://h/ --to ftp://i/p/ -o moved").exits(0);
    assert_eq!(dir.text("moved/d/a.html"), relative);
    dir.relink("check out --base http://h/").exits(1).prints(
        format!("out/d/a.html:3:8: header Link http://h/x: {}\nout/d/a.html:6:9: a[href] http://h/d/y: {}\n", words::no_file("x"), words::no_file("d/y")),
    );
}

#[test]
fn what_is_compressed_or_in_chunks_stays() {
    let text = |field: &str, body: &str| format!("{HEADING}{field}\r\n\r\n{body}");
    let dir = TestDir::with(&[
        ("t/a.html", &text("Content-Encoding: br", "<a href=x>")),
        ("t/b.html", &text("Transfer-Encoding: chunked", "a\r\n<a href=x>\r\n0\r\n\r\n")),
        ("t/c.html", &text("Content-Range: bytes 10-19/30", "<a href=x>")),
    ]);
    let run = dir.relink("refs t --base http://h/").exits(0).prints("");
    assert_eq!(
        report(&run.stderr),
        [
            "t/a.html:5:1: part skipped; it is compressed",
            "t/b.html:5:1: part skipped; it is chunked",
            &format!("t/c.html:5:1: {PART_SKIPPED}; it is a partial response"),
        ]
    );
    let run = dir.relink("absolutize t --base http://h/ -o out").exits(0);
    assert!(run.stderr.contains(&format!("{}; 3 parts skipped", words::changed(3, 0))), "{run}");
    assert_eq!(dir.tree("t").len(), dir.tree("out").len());
    assert_eq!(dir.bytes("t/b.html"), dir.bytes("out/b.html"));
    let run = dir.relink("absolutize t/a.html --base http://h/ -o a").exits(0);
    assert_eq!(report(&run.stderr), [format!("t/a.html:5:1: {PART_SKIPPED}; {COMPRESSED}")]);
}

#[test]
fn fragments_of_saved_pages_are_found() {
    let page = |body: &str| format!("{HEADING}\r\n{body}");
    let dir = TestDir::with(&[
        ("t/a.html", &page("<p id=x><a href=b.html#y><a href=b.html#z><a href=#x><a href=#w>")),
        ("t/b.html", &page("<p id=y>")),
    ]);
    dir.relink("check t --base http://h/ --fragments").exits(1).prints(
        "t/a.html:4:34: a[href] b.html#z: no element of its target has the name 'z'\nt/a.html:4:62: a[href] #w: no element of its target has the name 'w'\n",
    );
}

/// `page.html` and its headings, in a tree at http://h/d/.
fn with_headings(name: &str, headings: &str) -> TestDir {
    TestDir::with(&[("t/page.html", "<a href=x><a href=/y>"), (name, headings)])
}

#[test]
fn headings_beside_a_file_report_its_base() {
    for name in ["t/page.html.headers", "t/page.html.hdr"] {
        for status in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 301 Moved\r\nLocation: z\r\n\r\nHTTP/1.1 200 OK\r\n",
        ] {
            let headings = |link: &str, location: &str| {
                format!(
                    "{status}Content-Base: http://i/e/\r\nLink: <{link}>\r\nLocation: {location}\r\n\r\n"
                )
            };
            let dir = with_headings(name, &headings("l", "m"));
            dir.relink("absolutize t --base http://h/d/ -o out").exits(0);
            let absolute = "<a href=http://i/e/x><a href=http://i/y>";
            assert_eq!(dir.text("out/page.html"), absolute);
            // `Location` is relative to what was requested, and the URL of the headings is that of
            // the page.
            let expected = headings("http://i/e/l", "http://h/d/m");
            assert_eq!(dir.text(name.replace("t/", "out/")), expected);
            // Alone, without any URL, it has the base all the same.
            dir.relink("absolutize t/page.html -o -").exits(0).prints(absolute);
        }
    }
}

#[test]
fn headings_beside_a_file_are_shown() {
    let dir = with_headings("t/page.html.headers", "Base: http://i/e/\nRefresh: 3; url=l\n");
    dir.relink("refs t --base http://h/").exits(0).prints(
        "t/page.html:1:9: a[href] x -> http://i/e/x\nt/page.html:1:19: a[href] /y -> http://i/y\n\
         t/page.html.headers:1:7: header Base http://i/e/\nt/page.html.headers:2:17: header Refresh l -> http://i/e/l\n",
    );
    let bases = dir.relink("bases t --base http://h/ --format json").exits(0);
    let line: serde_json::Value = serde_json::from_str(bases.text()).unwrap();
    let first = serde_json::json!({
        "source": "encapsulating",
        "where": {"part": "page.html.headers", "field": "Base", "span": null},
        "url": "http://i/e/",
        "section": "RFC 1808 3.1",
        "decides": true,
        "words": "page.html.headers Base: http://i/e/",
    });
    assert_eq!(line["chain"][0], first);
    assert_eq!(line["chain"][1]["where"]["option"], "--base");
    assert_eq!(line["chain"][1]["url"], "http://h/page.html");
}

#[test]
fn a_relative_base_in_header_fields_gives_none_and_stays() {
    let dir = with_headings("t/page.html.headers", "Content-Base: /e/\n");
    let run = dir.relink("absolutize t --base http://h/d/ -o out").exits(0);
    assert_eq!(dir.text("out/page.html"), "<a href=http://h/d/x><a href=http://h/y>");
    assert_eq!(dir.text("out/page.html.headers"), "Content-Base: /e/\n");
    assert!(run.stderr.contains("1 without a base URL"), "{run}");
}

#[test]
fn a_page_moves_with_its_headings() {
    let moved = |headings: &str, options: &[&str]| {
        let dir = with_headings("t/page.html.headers", headings);
        let line = "move t --base http://h/d/ --from http://h/ --to ftp://i/p/ -o out";
        let words: Vec<&OsStr> =
            line.split(' ').chain(options.iter().copied()).map(OsStr::new).collect();
        dir.relink_with(&words).exits(0);
        (dir.text("out/page.html"), dir.text("out/page.html.headers"))
    };
    // Its base moves too.
    assert_eq!(
        moved("Content-Base: http://h/e/\nLink: <l>\n", &[]),
        (
            "<a href=x><a href=../y>".to_owned(),
            "Content-Base: ftp://i/p/e/\nLink: <l>\n".to_owned()
        )
    );
    // It stays.
    assert_eq!(
        moved("Content-Base: http://j/e/\nLink: <l>\n", &[]),
        ("<a href=x><a href=/y>".to_owned(), "Content-Base: http://j/e/\nLink: <l>\n".to_owned())
    );
    // It is to stay: what is resolved against it becomes absolute.
    let (page, headings) =
        moved("Content-Base: http://h/e/\nLink: <l>\n", &["--skip", "header Content-Base"]);
    assert_eq!(page, "<a href=ftp://i/p/e/x><a href=ftp://i/p/y>");
    assert_eq!(headings, "Content-Base: http://h/e/\nLink: <ftp://i/p/e/l>\n");
    // In place the headings are the old ones for the page, whichever is written first.
    let dir = with_headings("t/page.html.headers", "Content-Base: http://h/e/\n");
    dir.relink(
        "move t --base http://h/d/ --from http://h/ --to http://h/h/ --in-place --style absolute",
    )
    .exits(0);
    assert_eq!(dir.text("t/page.html"), "<a href=http://h/h/e/x><a href=http://h/h/y>");
    assert_eq!(dir.text("t/page.html.headers"), "Content-Base: http://h/h/e/\n");
}

#[test]
fn a_disk_has_no_headings() {
    let dir = with_headings("t/page.html.headers", "Content-Base: http://h/e/\n");
    dir.file("t/e/x", "");
    dir.relink("relativize t --base http://h/ --for file -o out").exits(0);
    assert_eq!(dir.text("out/page.html"), "<a href=e/x><a href=http://h/y>");
}

#[test]
fn files_that_only_seem_to_be_headings() {
    let dir = TestDir::with(&[
        ("t/a.html", "<a href=x>"),
        ("t/a.html.hdr", "#?RADIANCE\nContent-Base: http://i/\n"),
        ("t/b.html", "<a href=x>"),
        ("t/b.html.headers", "Content-Base: http://i/\n\n<p>"),
        ("t/c.headers", "Content-Base: http://i/\nLink: <x>\n"),
        ("t/d.html.headers/e", "Content-Base: http://i/\n"),
        ("t/d.html", "<a href=x>"),
    ]);
    let expected = "\
t/a.html:1:9: a[href] x -> http://h/x
t/b.html:1:9: a[href] x -> http://h/x
t/d.html:1:9: a[href] x -> http://h/x
";
    dir.relink("refs t --base http://h/").exits(0).prints(expected);
    dir.relink("absolutize t --base http://h/ -o out").exits(0);
    assert_eq!(dir.bytes("t/b.html.headers"), dir.bytes("out/b.html.headers"));
}

#[test]
fn both_kinds_of_headings() {
    let dir = TestDir::with(&[
        ("a.html", "<a href=x>"),
        ("a.html.hdr", "Content-Base: http://i/\n"),
        ("a.html.headers", "Content-Base: http://j/\n"),
    ]);
    dir.relink("absolutize a.html -o -").exits(0).prints("<a href=http://j/x>");
}

#[test]
fn names_are_read_once_in_a_directory() {
    if !crate::tools::has("strace", &["-f", "-o", "/dev/null", "true"]) {
        return;
    }
    let dir = TestDir::new();
    for idx in 0..20 {
        dir.file(format!("t/{idx}.html"), "<a href=x>");
    }
    let runner =
        ["strace", "-f", "-qq", "-e", "trace=openat,stat,lstat,newfstatat,statx", "-o", "trace"];
    dir.relink_by(&runner, "refs t --base http://h/ -j 1").exits(0);
    let trace = dir.text("trace");
    let n_of = |text: &str| trace.lines().filter(|line| line.contains(text)).count();
    assert_eq!(n_of(".headers") + n_of(".hdr"), 0, "{trace}");
    // The walk, and the names.
    let n_directory = trace
        .lines()
        .filter(|line| line.contains("t\", O_") && line.contains("O_DIRECTORY"))
        .count();
    assert!(n_directory <= 2, "{trace}");
}

/// A server, and what two programs save of it.
const SAVE: &str = r#"
import gzip, http.server, subprocess, sys, threading
PAGE = b"<html><a href=../x>x</a><img src='y.png'>"
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = PAGE
        if self.path == "/old":
            self.send_response(302)
            self.send_header("Location", "/new/page.html")
            body = b"<a href=z>moved</a>"
        else:
            self.send_response(200)
            self.send_header("Link", "<next>; rel=\"next\"")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if self.path == "/new/zipped":
            self.send_header("Content-Encoding", "gzip")
            body = gzip.compress(body)
        if self.path == "/new/chunks":
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
root = "http://127.0.0.1:%d" % server.server_port
def run(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
run("wget", "--no-proxy", "-q", "--save-headers", "-O", "wget", root + "/new/page.html")
curl = ("curl", "--noproxy", "*", "-s")
run(*curl, "-i", "-o", "curl", root + "/new/page.html")
run(*curl, "-iL", "-o", "chain", root + "/old")
run(*curl, "-i", "-o", "zipped", root + "/new/zipped")
run(*curl, "-i", "--compressed", "-o", "unzipped", root + "/new/zipped")
run(*curl, "-i", "-o", "chunks", root + "/new/chunks")
run(*curl, "-i", "--raw", "-o", "raw", root + "/new/chunks")
run(*curl, "-L", "-D", "page.html.headers", "-o", "page.html", root + "/old")
print(root)
"#;

/// What Python reads in files: of the last response `Link`, whether `Content-Length` is that of the
/// body, and the body in base64.
const READ: &str = r#"
import base64, http.client, io, sys
for name in sys.argv[1:]:
    file = io.BytesIO(open(name, "rb").read())
    while True:
        file.readline()
        heading = http.client.parse_headers(file)
        if "Link" in heading:
            break
    body = file.read()
    length = heading["Content-Length"]
    print(name, heading["Link"], length and int(length) == len(body), body.decode("latin-1").replace("\r\n", "|"))
"#;

#[test]
fn what_wget_and_curl_save() {
    let has = |name: &str| crate::tools::has(name, &["--version"]);
    if !["python3", "wget", "curl"].into_iter().all(has) {
        return;
    }
    let dir = TestDir::new();
    let python = |script: &str, args: &[&str]| {
        let mut command = Command::new("python3");
        command.arg("-c").arg(script).args(args).stdin(Stdio::null()).current_dir(dir.path(""));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let root = python(SAVE, &[]).trim().to_owned();
    let own = format!("{root}/new/page.html");
    for (name, url) in [
        ("wget", &*own),
        ("curl", &own),
        ("unzipped", &own),
        ("chunks", &own),
        ("chain", &format!("{root}/old")),
    ] {
        dir.relink(&format!("absolutize {name} --base {url} -o {name}.out")).exits(0);
    }
    for (name, reason) in [("zipped", COMPRESSED), ("raw", "it is chunked")] {
        let run = dir.relink(&format!("absolutize {name} --base {own} -o {name}.out")).exits(0);
        assert!(run.stderr.contains(&format!(": {PART_SKIPPED}; {reason}\n")), "{run}");
    }
    let link = format!("<{root}/new/next>; rel=\"next\"");
    let body = format!("<html><a href={root}/x>x</a><img src='{root}/new/y.png'>");
    let raw = "|29|<html><a href=../x>x</a><img src='y.png'>|0||";
    let expected = [
        format!("wget.out {link} True {body}"),
        format!("curl.out {link} True {body}"),
        // These lengths are of what came over the wire.
        format!("unzipped.out {link} False {body}"),
        format!("chunks.out {link} None {body}"),
        format!("chain.out {link} True {body}"),
        format!("raw.out {link} None {}", raw.trim_start_matches('|')),
    ];
    let names = ["wget.out", "curl.out", "unzipped.out", "chunks.out", "chain.out", "raw.out"];
    assert_eq!(python(READ, &names).lines().collect::<Vec<_>>(), expected);
    assert_eq!(dir.bytes("zipped.out").len(), dir.bytes("zipped").len() + root.len() + 5);
    // The headings of a redirect and of the page, in a file of their own.
    dir.relink(&format!("refs page.html.headers page.html --map page.html={own}")).exits(0).prints(
        format!(
            "page.html.headers:4:11: header Location /new/page.html\n\
         page.html.headers:11:8: header Link next -> {root}/new/next\n\
         page.html:1:15: a[href] ../x -> {root}/x\n\
         page.html:1:35: img[src] y.png -> {root}/new/y.png\n"
        ),
    );
}
