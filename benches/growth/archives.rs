//! Web archives in which finding the file of a reference could take long.

use super::Shape;

pub(crate) const LOOKUPS: &[Shape] = &[
    ("a reference of many segments", |n| {
        let page = format!("<a href={}>", "x/".repeat(n / 2));
        [record("http://h.example/x.html", &page), record("http://h.example/y.html", "")].concat()
    }),
    ("references deep in a site", |n| {
        // As many of them as directories around them.
        let n = n.isqrt();
        let directory = format!("http://h.example/{}", "d/".repeat(n));
        let page = "<a href=y.html><a href=../d/x.html>".repeat(n);
        [record(&format!("{directory}x.html"), &page), record("http://h.example/d/y.html", "")]
            .concat()
    }),
];

/// Returns the record of a page (WARC 1.1, section 5).
fn record(url: &str, page: &str) -> Vec<u8> {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{page}");
    let head = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        answer.len()
    );
    format!("{head}{answer}\r\n\r\n").into_bytes()
}
