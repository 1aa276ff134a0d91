//! Two web archives of one small site, in gzip members and plain, for runs of `unpack`.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A record of a web archive.
fn record(kind: &str, url: &str, time: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}T00:00:00Z\r\n\
         {more}Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response(url: &str, media_type: &str, digest: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n");
    let digest = format!("WARC-Payload-Digest: sha1:{digest}\r\n");
    record("response", url, "2020-01-01", &digest, &[head.as_bytes(), body].concat())
}

fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Returns the archives with their names. They have `n_pages` pages that lead to each other, and
/// pages with a redirect, a capture that is repeated, a file that is also a directory, and images
/// of one name and of one content. No name of a file of one archive depends on the other archive.
pub(crate) fn archives(n_pages: usize) -> [(&'static str, Vec<u8>); 2] {
    let page = |number: usize| {
        let next = (number + 1) % n_pages.max(1);
        let text = format!("<p>Page {number}\n").repeat(30);
        let body =
            format!("<a href={next}?x=1>n</a> <img src=/logo.png> <a href=../old>o</a>{text}");
        let url = format!("http://w.example/p/{number}?x=1");
        response(&url, "text/html", &format!("P{number}"), body.as_bytes())
    };
    let start =
        b"<link rel=stylesheet href=s.css><a href=a>a</a> <a href=a/b>b</a> <a href=old#f>o</a> \
        <a href=again>r</a> <img src=logo.png> <img src=https://w.example/logo.png> <img src=same> \
        <a href=p/0?x=1>0</a> <a href=//x.example/>x</a>";
    let redirect = b"HTTP/1.1 302 Found\r\nLocation: /a/b#g\r\n\r\n";
    let revisit = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let same = "WARC-Payload-Digest: sha1:A\r\n";
    let first = [
        response("http://w.example/", "text/html; charset=utf-8", "H", start),
        response("http://w.example/a", "text/html", "A", b"<a href=a/b>b</a> <a href=./>up</a>"),
        response("http://w.example/a/b", "text/html", "B", b"<a href=../again>r</a>"),
        record("response", "http://w.example/old", "2020-01-01", "", redirect),
        response("http://w.example/s.css", "text/css", "S", b"p { background: url(logo.png) }"),
        response("http://w.example/logo.png", "image/png", "L", b"\x89PNG\r\n\x1a\n1"),
        response("https://w.example/logo.png", "image/png", "M", b"\x89PNG\r\n\x1a\n2"),
    ];
    let second = [
        record("revisit", "http://w.example/again", "2021-01-01", same, revisit),
        response("http://w.example/same", "image/png", "N", b"\x89PNG\r\n\x1a\n3"),
        response("http://w.example/z", "image/png", "N", b"\x89PNG\r\n\x1a\n3"),
        record("response", "http://w.example/no", "2020-01-01", "", b"HTTP/1.1 404 No\r\n\r\n"),
    ];
    let pages = (0..n_pages).map(page);
    let members = first.into_iter().chain(pages).map(|record| member(&record));
    [
        ("site/deep/crawl.warc.gz", members.collect::<Vec<_>>().concat()),
        ("site/more.warc", second.concat()),
    ]
}
