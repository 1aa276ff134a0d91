//! The responses in blocks: status line, fields, body.

use relink_warc::{DecodeLimits, HttpResponse, MAX_HTTP_HEADER, NoResponse};

fn read(block: &str) -> HttpResponse<'_> {
    HttpResponse::read(block.as_bytes()).expect("a response")
}

#[test]
fn status_lines() {
    for (line, expected) in [
        ("HTTP/1.1 200 OK\r\n", Some(200)),
        ("HTTP/1.0 404 Not Found\n", Some(404)),
        ("HTTP/2 301 \r\n", Some(301)),
        ("HTTP/1.1  200\r\n", Some(200)),
        ("HTTP/1.1 200", Some(200)),
        ("HTTP/1.1 20\r\n", None),
        ("HTTP/1.1\r\n", None),
        ("HTTP/x 200\r\n", None),
        ("GET / HTTP/1.1\r\n", None),
        ("", None),
    ] {
        let read = HttpResponse::read(line.as_bytes());
        assert_eq!(read.as_ref().ok().map(HttpResponse::status), expected, "{line:?}");
    }
}

#[test]
fn fields_and_bodies() {
    let response =
        read("HTTP/1.1 200 OK\r\nA: b\r\nLink: <c>,\r\n <d>\r\nnothing\r\na:e \r\n\r\n\r\nbody");
    assert_eq!(response.body(), b"\r\nbody");
    assert_eq!(response.fields().len(), 3);
    assert_eq!(response.values("a").collect::<Vec<_>>(), [b"b", b"e"]);
    assert_eq!(response.values("LINK").collect::<Vec<_>>(), [b"<c>,\r\n <d>"]);
    assert_eq!(response.header_section().last_chunk(), Some(b"\r\n\r\n"));
    let response = read("HTTP/1.1 200 OK\nA: b\n\nbody");
    assert_eq!((response.body(), response.fields().len()), (&b"body"[..], 1));
    assert_eq!(read("HTTP/1.1 200 OK\r\nA: b\r\n").body(), b"");
    let long = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(MAX_HTTP_HEADER));
    assert_eq!(HttpResponse::read(long.as_bytes()), Err(NoResponse::Header));
    assert_eq!(HttpResponse::read(b"<p>"), Err(NoResponse::StatusLine));
}

#[test]
fn facts_about_the_body() {
    let of = |content_type: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n");
        let response = read(&block);
        (response.media_type(), response.charset())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(of("Text/HTML; Charset=UTF-8"), (some("text/html"), some("UTF-8")));
    assert_eq!(of("text/html;x=y;charset=\"utf-8\""), (some("text/html"), some("utf-8")));
    assert_eq!(of("text/html; charset="), (some("text/html"), None));
    assert_eq!(of(";charset=a"), (None, some("a")));
    assert_eq!(of(""), (None, None));
    let response = read("HTTP/1.1 201 OK\r\nLocation: /a\r\nContent-Location: b\r\n\r\n");
    assert_eq!(response.location().as_deref(), Some("/a"));
    assert_eq!(response.content_location().as_deref(), Some("b"));
}

#[test]
fn interim_responses_are_passed_over() {
    let block = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody";
    let response = read(block);
    assert_eq!((response.status(), response.body()), (200, &b"body"[..]));
    assert!(response.message().starts_with(b"HTTP/1.1 200"));
    assert_eq!(&block[response.fields()[0].value.clone()], "b");
    let message = response.decoded_message(&DecodeLimits::default()).unwrap();
    assert_eq!(&*message, b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody");
    assert_eq!(read("HTTP/1.1 101 Switching\r\n\r\nHTTP/1.1 200 OK\r\n\r\n").status(), 101);
    assert_eq!(read("HTTP/1.1 100 Continue\r\n\r\nbody").status(), 100);
}

#[test]
fn a_body_that_ends_too_early_is_known() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (fields, body, is_complete) in [
        ("", "abc", true),
        ("Content-Length: 3\r\n", "abc", true),
        ("Content-Length: 4\r\n", "abc", false),
        ("Content-Length: 18446744073709551616\r\n", "abc", true),
        ("Content-Length: -1\r\n", "abc", true),
        ("Content-Length: 2\r\n", "abc", true),
        ("Content-Length: 4\r\nContent-Encoding: gzip\r\n", "abc", true),
        (chunked, "3\r\nabc\r\n0\r\n\r\n", true),
        (chunked, "3\r\n<p>\r\n", false),
        (chunked, "3\r\nabc\r\n-1\r\n0\r\n\r\n", false),
        (chunked, "3\r\n<p>\r\n10000000000000000\r\nabc\r\n0\r\n\r\n", false),
        // These are not chunked.
        (chunked, "abc", true),
        (chunked, "4\r\nabc\r\n", true),
        (chunked, "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", true),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}");
        let response = HttpResponse::read(block.as_bytes()).unwrap();
        assert_eq!(response.is_complete(), is_complete, "{block}");
    }
}
