//! Saved responses that could take long.

use super::{Shape, between};

const HEAD: &str = "HTTP/1.1 200 OK\nContent-Type: text/html\n";
const ORIGINAL: &str = "HTTP/1.1 200 OK\nX-Archive-Orig-Link: <a>\nLink: ";

pub(crate) const RESPONSES: &[Shape] = &[
    ("a response with fields", |n| between(HEAD, "X: y\n", "\n", n)),
    ("a response with locations", |n| between(HEAD, "Location: x\n", "\n", n)),
    ("a response with links", |n| between(HEAD, "Link: <x>; anchor=\"y\"\n", "\n", n)),
    ("a response with lengths", |n| between(HEAD, "Content-Length: 10\n", "\n<a href=x>", n)),
    ("a response with codings", |n| between(HEAD, "Content-Encoding: gzip\n", "\n<p>", n)),
    ("a response with lines that are no fields", |n| {
        between(&format!("{HEAD}{}", "X: y\n".repeat(300)), "x\n", "\n", n)
    }),
    ("a response with a long line", |n| between(&format!("{HEAD}X: "), "a", "\n\n", n)),
    ("links of an archive", |n| between(ORIGINAL, "<x>;rel=y,", "\n\n", n.min(60_000))),
    ("parameters of a link", |n| between(ORIGINAL, "<x>;y;", "\n\n", n.min(60_000))),
    ("redirects", |n| between("", "HTTP/1.1 302 Found\nLocation: x\n\n", HEAD, n)),
    ("headings without fields", |n| between(HEAD, "\nHTTP/1.1 100 Continue\n", "\n", n)),
    ("a response in a response", |n| {
        between("HTTP/1.1 200 OK\nContent-Length: 1\n\n", "HTTP/1.1 200 OK\nX: y\n\nz", "", n)
    }),
    ("the body of a response", |n| between(&format!("{HEAD}\n"), "<a href=x>\n", "", n)),
];
