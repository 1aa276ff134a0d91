//! Bodies, redirects before them, derived edits, and trees that move.

use basectx::Context;
use relink_rewrite::{
    Extras, Filter, FormatId, Http, Media, Move, NewPlace, Options, PrefixMap, SkipReason,
    SkipScope, Skipped, relocate,
};

use super::{HEADINGS, RESPONSE, absolute_with, check_absolute, check_list, check_relative, list};
use crate::listing::{at_url, make_absolute, unit};

#[test]
fn bodies_are_documents() {
    check_absolute(
        "HTTP/1.0 200 OK\nContent-Type: text/html\n\n<a href=x>\r\n<a href=#y>",
        "HTTP/1.0 200 OK\nContent-Type: text/html\n\n<a href=http://h/d/x>\r\n<a href=#y>",
    );
    check_absolute(
        "HTTP/2 200 \r\ncontent-type: Text/CSS; charset=utf-8\r\n\r\na{b:url(x)}",
        "HTTP/2 200 \r\ncontent-type: Text/CSS; charset=utf-8\r\n\r\na{b:url(http://h/d/x)}",
    );
    check_relative(
        "HTTP/1.1 404 Not Found\r\nContent-Type: image/svg+xml\r\n\r\n<svg xmlns='http://www.w3.org/2000/svg'><a href='http://h/x'/></svg>",
        "HTTP/1.1 404 Not Found\r\nContent-Type: image/svg+xml\r\n\r\n<svg xmlns='http://www.w3.org/2000/svg'><a href='../x'/></svg>",
    );
    check_relative(
        "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<base href=http://h/x/><a href=y>",
        "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<base href=\"\"><a href=../x/y>",
    );
    // Other types are not documents here, and neither is a body of unknown type.
    for fields in ["Content-Type: text/plain", "Content-Type: image/png", "X: y", "Content-Type: x"]
    {
        let text = format!("HTTP/1.1 200 OK\n{fields}\n\n<a href=x>");
        check_absolute(&text, &text);
    }
    let html_response = Media::Http(Http::Response(Some(FormatId::HTML)));
    let options = Options::default();
    assert_eq!(
        absolute_with(html_response, &options, "HTTP/1.1 200 OK\n\n<a href=x>"),
        "HTTP/1.1 200 OK\n\n<a href=http://h/d/x>"
    );
    let text = "HTTP/1.1 200 OK\nContent-Type: text/plain\n\n<a href=x>";
    assert_eq!(absolute_with(html_response, &options, text), text);
}

#[test]
fn a_body_that_is_a_message() {
    check_absolute(
        "HTTP/1.1 200 OK\nContent-Type: message/rfc822\n\nContent-Type: text/html\nContent-Location: x/\n\n<a href=y>",
        "HTTP/1.1 200 OK\nContent-Type: message/rfc822\n\nContent-Type: text/html\nContent-Location: http://h/d/x/\n\n<a href=http://h/d/x/y>",
    );
}

#[test]
fn the_charset_of_the_header_is_certain() {
    // Browsers then ignore the `<meta>`: `A` stays one byte, and an escape is of that charset (URL
    // standard, "query state").
    let text = |charset: &str, url: &str| {
        [
            b"HTTP/1.1 200 OK\nContent-Type: text/html; charset=".as_slice(),
            charset.as_bytes(),
            b"\n\n<meta charset=koi8-r><a href='",
            url.as_bytes(),
            b"?\xE9'>",
        ]
        .concat()
    };
    let context = at_url();
    for charset in ["iso-8859-1", "koi8-r", "klingon", "utf-7"] {
        let text = text(charset, "x");
        let mut targets = Vec::new();
        relink_rewrite::references(unit(&text, RESPONSE, &context), &Options::default(), |site| {
            targets.push(site.text.to_owned());
        });
        // U+00E9 and, in KOI8-R, U+0418.
        let char = if charset == "iso-8859-1" { "é" } else { "И" };
        assert_eq!(targets, [format!("x?{char}")], "{charset}");
    }
}

#[test]
fn redirects_report_where_the_next_response_came_from() {
    let ok =
        |href: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href={href}>");
    let chain = |first: &str, second: &str, href: &str| {
        format!(
            "HTTP/1.1 301 Moved\r\nLocation: {first}\r\n\r\nHTTP/1.1 302 Found\r\nLocation: {second}\r\n\r\n{}",
            ok(href)
        )
    };
    let text = chain("/e/f#g", "h", "i");
    check_list(
        &text,
        &[
            "1.HEADER header Location /e/f#g -> http://h/e/f#g",
            "2.HEADER header Location h -> http://h/e/h",
            "body a[href] i -> http://h/e/i",
        ],
    );
    check_absolute(&text, &chain("http://h/e/f#g", "http://h/e/h", "http://h/e/i"));
    check_relative(
        &chain("http://h/e/f", "http://h/e/h", "http://h/d/i"),
        &chain("http://h/e/f", "http://h/e/h", "../d/i"),
    );
    // The URL of these responses is the one that was requested.
    for status in ["100 Continue", "200 Connection established", "401 Unauthorized"] {
        let text = |href: &str| format!("HTTP/1.1 {status}\r\n\r\n{}", ok(href));
        check_absolute(&text("x"), &text("http://h/d/x"));
    }
    // Its target is unknown.
    let text = format!("HTTP/1.1 301 Moved\r\n\r\n{}", ok("x"));
    check_absolute(&text, &text);
    // Only the last of the header sections belongs to the other file.
    let text = "HTTP/1.1 301 Moved\nLocation: x\n\nHTTP/1.1 200 OK\nLink: <y>\n\n";
    let absolute = absolute_with(HEADINGS, &Options::default(), text);
    assert_eq!(absolute, text.replace("<y>", "<http://h/d/y>"));
}

#[test]
fn an_absolute_location_needs_no_url() {
    let text = "HTTP/1.1 301 Moved\nLocation: http://i/x\n\nHTTP/1.1 200 OK\nContent-Type: text/html\n\n<a href=y>";
    let context = Context::none();
    let unit = unit(text.as_bytes(), RESPONSE, &context);
    let output = make_absolute(unit, &Options::default()).into_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output), text.replace("href=y", "href=http://i/y"));
}

#[test]
fn a_length_that_is_right_is_made_right() {
    let text = |lengths: &str, href: &str| {
        format!("HTTP/1.1 200 OK\r\n{lengths}Content-Type: text/html\r\n\r\n<a href={href}>")
    };
    let absolute = "http://h/d/x";
    for (before, after) in [
        ("Content-Length: 10\r\n", "Content-Length: 21\r\n"),
        ("content-length:10\r\n", "content-length:21\r\n"),
        (
            "Content-Length: 10\r\nContent-Length: 10\r\n",
            "Content-Length: 21\r\nContent-Length: 21\r\n",
        ),
        // It counts the transferred bytes, or something else.
        ("Content-Length: 7\r\n", "Content-Length: 7\r\n"),
        ("Content-Length: 10, 10\r\n", "Content-Length: 10, 10\r\n"),
        ("Content-Length: +10\r\n", "Content-Length: +10\r\n"),
        (
            "Content-Length: 99999999999999999999999\r\n",
            "Content-Length: 99999999999999999999999\r\n",
        ),
    ] {
        check_absolute(&text(before, "x"), &text(after, absolute));
    }
    let context = at_url();
    let counted = text("Content-Length: 10\r\n", "x");
    let rewritten =
        make_absolute(unit(counted.as_bytes(), RESPONSE, &context), &Options::default());
    assert_eq!(rewritten.report.n_derived, 1);
    // Each response of a chain has its own.
    let body = |href: &str| format!("<a href={href}>");
    let chain = |first: &str, n: usize, second: &str, m: usize| {
        format!(
            "HTTP/1.1 401 No\nContent-Type: text/html\nContent-Length: {n}\n\n{}HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: {m}\n\n{}",
            body(first),
            body(second)
        )
    };
    check_absolute(&chain("x", 10, "yz", 11), &chain("http://h/d/x", 21, "http://h/d/yz", 22));
}

#[test]
fn bodies_with_checksums_stay() {
    let text =
        "HTTP/1.1 200 OK\nRepr-Digest: sha-256=:AAAA:\nContent-Type: text/html\n\n<a href=x>";
    check_absolute(text, text);
    let (_, skipped) = list(RESPONSE, text, &Options::default());
    assert_eq!(skipped, []);
}

#[test]
fn bodies_that_cannot_be_edited_are_skipped_and_reported() {
    for (status, fields, body, reason) in [
        (200, "Content-Encoding: br", "<a href=x>", SkipReason::Coded),
        (200, "Transfer-Encoding: chunked", "a\r\n<a href=x>\r\n0\r\n\r\n", SkipReason::Chunked),
        (206, "Content-Range: bytes 0-9/100", "<a href=x>", SkipReason::Partial),
    ] {
        let text = |link: &str| {
            format!(
                "HTTP/1.1 {status} X\r\n{fields}\r\nLink: <{link}>\r\nContent-Type: text/html\r\n\r\n{body}"
            )
        };
        let (_, skipped) = list(RESPONSE, &text("y"), &Options::default());
        let at = text("y").find("\r\n\r\n").unwrap() + 4;
        assert_eq!(
            skipped,
            [Skipped { reason, at, extent: SkipScope::Part, part: None }],
            "{fields}"
        );
        check_absolute(&text("y"), &text("http://h/d/y"));
    }
    // A body that was decoded by the program that saved it is a body like any other.
    for fields in
        ["Content-Encoding: gzip", "Transfer-Encoding: chunked", "Content-Encoding: identity"]
    {
        let text = |href: &str| {
            format!("HTTP/1.1 200 OK\n{fields}\nContent-Type: text/html\n\n<a href={href}>")
        };
        check_absolute(&text("x"), &text("http://h/d/x"));
    }
}

/// Asserts the output of a whole response moved from http://h/ to ftp://i/pub/.
#[track_caller]
fn check_moved(text: &str, expected: &str) {
    let context = at_url();
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "ftp://i/pub/", []).unwrap();
    let new_place =
        Some(NewPlace { url: &"ftp://i/pub/d/p".parse().unwrap(), root: "ftp://i/pub/" });
    let unit = unit(text.as_bytes(), RESPONSE, &context).with_new_place(new_place);
    let moved = relocate(unit, &Options::default(), &Move::by(moves));
    assert_eq!(moved.verify_error(), None);
    assert_eq!(
        String::from_utf8_lossy(&moved.into_output().unwrap_or_else(|| text.into())),
        expected
    );
}

#[test]
fn responses_move_with_their_tree() {
    check_moved(
        "HTTP/1.1 200 OK\nContent-Base: http://h/x/\nLocation: /l\nLink: <a>, <http://j/>\nContent-Location: /c\nContent-Length: 24\nContent-Type: text/html\n\n<a href=y><img src=/d/z>",
        "HTTP/1.1 200 OK\nContent-Base: ftp://i/pub/x/\nLocation: ftp://i/pub/l\nLink: <a>, <http://j/>\nContent-Location: ftp://i/pub/c\nContent-Length: 26\nContent-Type: text/html\n\n<a href=y><img src=../d/z>",
    );
    check_moved(
        "HTTP/1.1 301 Moved\nLocation: /e/f\n\nHTTP/1.1 200 OK\nLink: <g>\nContent-Type: text/html\n\n<a href=g><a href=/h>",
        "HTTP/1.1 301 Moved\nLocation: ftp://i/pub/e/f\n\nHTTP/1.1 200 OK\nLink: <g>\nContent-Type: text/html\n\n<a href=g><a href=../h>",
    );
    // If a base has to stay, the references that depend on it are absolute.
    let context = at_url();
    let text = |to: &str| format!("HTTP/1.1 200 OK\nContent-Base: http://h/x/\nLink: <{to}>\n\n");
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "ftp://i/pub/", []).unwrap();
    let skipped = vec!["header Content-Base".to_owned()];
    let filter = Filter::new(Vec::new(), skipped, &Extras::default()).unwrap();
    let options = Options::default().with_filter(filter);
    let before = text("a");
    let moved = relocate(unit(before.as_bytes(), RESPONSE, &context), &options, &Move::by(moves));
    assert_eq!(moved.output(), Some(text("ftp://i/pub/x/a").as_bytes()));
    let archived =
        "HTTP/1.1 200 OK\nLink: <http://h/a>; rel=original\nX-Archive-Orig-Location: b\n\n";
    check_moved(archived, &archived.replace("http://h/a", "ftp://i/pub/a"));
}
