//! Saved responses of HTTP: RFC 9110 (8.7 `Content-Location`, 10.2.2 `Location`), RFC 2068 14.11 (`Content-Base`), RFC 1808 3.1 (`Base`), RFC 8288
//! (`Link`), RFC 3986 5.1.3 (redirects). Every field in both directions, by hand.

mod listing;

use basectx::Context;
use listing::{at_url, make_absolute, make_relative, unit};
use rewrite::{
    Also, Extent, Http, Left, Mail, Media, Move, Moves, NewPlace, Options, Outcome, Profile,
    Relative, Undone, Untold, relocate,
};

const RESPONSE: Media = Media::Http(Http::Response(None));
const HEADINGS: Media = Media::Http(Http::Headings);

/// What is made of a text of these types, and that a second run changes nothing.
#[track_caller]
fn absolute_with(media: Media, options: &Options, text: &str) -> String {
    let context = at_url();
    let rewritten = make_absolute(unit(text.as_bytes(), media, &context), options);
    let output = rewritten.output.unwrap_or_else(|| text.into());
    let again = make_absolute(unit(&output, media, &context), options);
    assert_eq!(again.output, None, "a second run");
    String::from_utf8_lossy(&output).into_owned()
}

#[track_caller]
fn relative_with(media: Media, options: &Options, text: &str) -> String {
    let context = at_url();
    let relative = Relative::default();
    let rewritten = make_relative(unit(text.as_bytes(), media, &context), options, &relative);
    let output = rewritten.output.unwrap_or_else(|| text.into());
    let again = make_relative(unit(&output, media, &context), options, &relative);
    assert_eq!(again.output, None, "a second run");
    String::from_utf8_lossy(&output).into_owned()
}

/// A response with these fields, at http://h/d/p, made absolute and made relative.
#[track_caller]
fn check(fields: &str, absolute: &str, relative: &str) {
    let text = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
    let options = Options::default();
    assert_eq!(absolute_with(RESPONSE, &options, &text(fields)), text(absolute), "absolute");
    assert_eq!(relative_with(RESPONSE, &options, &text(fields)), text(relative), "relative");
    // The same in a file of headings.
    assert_eq!(absolute_with(HEADINGS, &options, fields), absolute);
    assert_eq!(relative_with(HEADINGS, &options, fields), relative);
}

#[track_caller]
fn check_kept(fields: &str) {
    check(fields, fields, fields);
}

/// A whole response made absolute.
#[track_caller]
fn check_absolute(text: &str, expected: &str) {
    assert_eq!(absolute_with(RESPONSE, &Options::default(), text), expected);
}

#[track_caller]
fn check_relative(text: &str, expected: &str) {
    assert_eq!(relative_with(RESPONSE, &Options::default(), text), expected);
}

/// The references of a unit: part, slot, text and target.
fn list(media: Media, text: &str, options: &Options) -> (Vec<String>, Vec<Left>) {
    let context = at_url();
    let mut lines = Vec::new();
    let report = rewrite::references(unit(text.as_bytes(), media, &context), options, |site| {
        let span = site.frame.raw(site.span);
        assert_eq!(&text[span.start..span.end], site.text, "the span is that of the text");
        let target = site.resolver.and_then(|base| base.resolve(site.text).ok()?.url());
        lines.push(format!(
            "{} {} {} -> {}",
            site.frame.part().unwrap_or("body"),
            options.extras.name_of(site.slot),
            site.text,
            target.as_deref().unwrap_or("none")
        ));
    });
    (lines, report.left)
}

#[track_caller]
fn check_list(text: &str, expected: &[&str]) {
    let (lines, left) = list(RESPONSE, text, &Options::default());
    assert_eq!(
        (&*lines, &*left),
        (&*expected.iter().map(|s| s.to_string()).collect::<Vec<_>>(), &[][..])
    );
}

#[test]
fn fields_of_one_url() {
    // These are absolute in a tree that can be put anywhere too.
    check("Location: ../x", "Location: http://h/x", "Location: http://h/x");
    check_kept("Location: http://h/x");
    check(
        "Content-Location: x",
        "Content-Location: http://h/d/x",
        "Content-Location: http://h/d/x",
    );
    check_kept("Content-Location: http://h/d/x");
    check("SourceMap: x.map", "SourceMap: http://h/d/x.map", "SourceMap: x.map");
    check("X-SourceMap: http://h/x.map", "X-SourceMap: http://h/x.map", "X-SourceMap: ../x.map");
    check("X-Pingback: /x", "X-Pingback: http://h/x", "X-Pingback: http://h/x");
    check("location:/x", "location:http://h/x", "location:http://h/x");
    // These tell a base only if they are absolute, and are never made so.
    check_kept("Content-Base: /x/");
    check_kept("Base: x/");
    check_kept("Content-Base: http://h/x/");
    for name in ["Referer", "ETag", "Via", "X-Location", "Set-Cookie", "Content-Disposition"] {
        check_kept(&format!("{name}: /x"));
    }
}

#[test]
fn links_and_their_anchors() {
    check(
        "Link: <a>; rel=\"next\", </b>;rel=\"x, y\"; title=\"<c>\",<http://h/d/e>",
        "Link: <http://h/d/a>; rel=\"next\", <http://h/b>;rel=\"x, y\"; title=\"<c>\",<http://h/d/e>",
        "Link: <a>; rel=\"next\", <../b>;rel=\"x, y\"; title=\"<c>\",<e>",
    );
    check(
        "Link: <a>; anchor=\"b\", <c>; rel=x; ANCHOR=\"http://h/d/e#f\"",
        "Link: <http://h/d/a>; anchor=\"http://h/d/b\", <http://h/d/c>; rel=x; ANCHOR=\"http://h/d/e#f\"",
        "Link: <a>; anchor=\"b\", <c>; rel=x; ANCHOR=\"e#f\"",
    );
    // This document.
    check_kept("Link: <#x>; anchor=\"#foo\"");
    check("Link: <a\r\nLink: <a>", "Link: <a\r\nLink: <http://h/d/a>", "Link: <a\r\nLink: <a>");
}

#[test]
fn refreshes() {
    check("Refresh: 5; url=x", "Refresh: 5; url=http://h/d/x", "Refresh: 5; url=x");
    check("Refresh: 0;URL='/x'", "Refresh: 0;URL='http://h/x'", "Refresh: 0;URL='../x'");
    check_kept("Refresh: 5");
}

#[test]
fn what_archives_keep_of_the_first_response() {
    let original = "Link: <http://old/a/b>; rel=\"original\", <http://h/d/m>; rel=\"memento\"";
    let fields = format!("{original}\r\nX-Archive-Orig-Location: c\r\nX-Archive-Orig-Link: <c>");
    let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
    check_list(
        &text,
        &[
            "HEADER header Link http://old/a/b -> http://old/a/b",
            "HEADER header Link http://h/d/m -> http://h/d/m",
            "HEADER header X-Archive-Orig-Location c -> http://old/a/c",
            "HEADER header X-Archive-Orig-Link c -> http://old/a/c",
        ],
    );
    check_absolute(&text, &text);
    let options = Options { also: Also { ids: true, ..Also::default() }, ..Options::default() };
    assert_eq!(
        absolute_with(RESPONSE, &options, &text),
        text.replace("Location: c", "Location: http://old/a/c")
            .replace("Link: <c>", "Link: <http://old/a/c>")
    );
    // Nobody says whose they are.
    check_list(
        "HTTP/1.1 200 OK\nX-Archive-Orig-Content-Location: c\n\n",
        &["HEADER header X-Archive-Orig-Content-Location c -> none"],
    );
}

#[test]
fn white_space_in_a_url_has_two_readings() {
    for fields in ["Location: a b", "Location: a\r\n b", "Link: <a b>", "Content-Location: a\tb"] {
        let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        let context = at_url();
        let rewritten =
            make_absolute(unit(text.as_bytes(), RESPONSE, &context), &Options::default());
        assert_eq!(rewritten.output, None, "{fields:?}");
        assert_eq!(rewritten.report.counts.get(Outcome::Ambiguous), 1, "{fields:?}");
    }
    // A fold between links is none.
    check("Link: <a>,\r\n <b>", "Link: <http://h/d/a>,\r\n <http://h/d/b>", "Link: <a>,\r\n <b>");
}

#[test]
fn lines_may_be_long() {
    let long = "x".repeat(1200);
    let (text, expected) =
        (format!("Link: <{long}>, <a>"), format!("Link: <http://h/d/{long}>, <http://h/d/a>"));
    check(&text, &expected, &text);
    let nearly = "x".repeat(980);
    check(
        &format!("Link: <{nearly}>"),
        &format!("Link: <http://h/d/{nearly}>"),
        &format!("Link: <{nearly}>"),
    );
}

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
    // Other types are no documents here, nor is what nobody tells the type of.
    for fields in ["Content-Type: text/plain", "Content-Type: image/png", "X: y", "Content-Type: x"]
    {
        let text = format!("HTTP/1.1 200 OK\n{fields}\n\n<a href=x>");
        check_absolute(&text, &text);
    }
    let told = Media::Http(Http::Response(Some(Untold::Html)));
    let options = Options::default();
    assert_eq!(
        absolute_with(told, &options, "HTTP/1.1 200 OK\n\n<a href=x>"),
        "HTTP/1.1 200 OK\n\n<a href=http://h/d/x>"
    );
    let text = "HTTP/1.1 200 OK\nContent-Type: text/plain\n\n<a href=x>";
    assert_eq!(absolute_with(told, &options, text), text);
}

#[test]
fn a_body_that_is_a_message() {
    check_absolute(
        "HTTP/1.1 200 OK\nContent-Type: message/rfc822\n\nContent-Type: text/html\nContent-Location: x/\n\n<a href=y>",
        "HTTP/1.1 200 OK\nContent-Type: message/rfc822\n\nContent-Type: text/html\nContent-Location: http://h/d/x/\n\n<a href=http://h/d/x/y>",
    );
}

#[test]
fn the_charset_of_the_heading_is_certain() {
    // Of the `<meta>` a browser takes no notice then: `A` stays one octet, and an escape is of that charset (URL standard, "query state").
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
        rewrite::references(unit(&text, RESPONSE, &context), &Options::default(), |site| {
            targets.push(site.text.to_owned());
        });
        // U+00E9 and, in KOI8-R, U+0418.
        let char = if charset == "iso-8859-1" { "é" } else { "И" };
        assert_eq!(targets, [format!("x?{char}")], "{charset}");
    }
}

#[test]
fn content_base_and_base_tell_the_base() {
    let text = |base: &str, link: &str, location: &str, href: &str| {
        format!(
            "HTTP/1.1 200 OK\r\n{base}\r\nLink: <{link}>\r\nContent-Location: {location}\r\nLocation: http://h/l\r\nContent-Type: text/html\r\n\r\n<a href={href}>"
        )
    };
    for base in [
        "Content-Base: http://i/x/",
        "Base: <URL:http://i/x/>",
        "Base: /j\r\nBase: x\r\nContent-Base: http://i/x/#f",
    ] {
        check_absolute(
            &text(base, "a", "b", "c"),
            &text(base, "http://i/x/a", "http://i/x/b", "http://i/x/c"),
        );
    }
    let both = "Base: http://j/\r\nContent-Base: http://i/x/";
    check_absolute(
        &text(both, "a", "b", "c"),
        &text(both, "http://i/x/a", "http://i/x/b", "http://i/x/c"),
    );
    let other = "Content-Base: http://h/e/";
    check_relative(
        &text(other, "http://h/d/a", "http://h/d/b", "http://h/e/c"),
        &text(other, "../d/a", "http://h/d/b", "c"),
    );
    // What the server was asked for counts for these (RFC 9110 10.2.2).
    check_absolute(
        "HTTP/1.1 201 Created\nContent-Base: http://i/\nLocation: x\nSourceMap: y\n\n",
        "HTTP/1.1 201 Created\nContent-Base: http://i/\nLocation: http://h/d/x\nSourceMap: http://h/d/y\n\n",
    );
}

#[test]
fn content_location_tells_none_but_in_old_texts() {
    let text =
        "HTTP/1.1 200 OK\nContent-Location: http://i/x/\nContent-Type: text/html\n\n<a href=y>";
    for (profile, target) in [
        (Profile::Relink, "http://h/d/y"),
        (Profile::Rfc1808, "http://h/d/y"),
        (Profile::UrlSyntax00, "http://i/x/y"),
        (Profile::Rfc2110, "http://i/x/y"),
        (Profile::Rfc2557, "http://i/x/y"),
    ] {
        let mail = Mail { profile, ..Mail::default() };
        let options = Options { mail, ..Options::default() };
        let expected = text.replace("href=y", &format!("href={target}"));
        assert_eq!(absolute_with(RESPONSE, &options, text), expected, "{profile:?}");
    }
}

#[test]
fn redirects_tell_where_the_next_response_came_from() {
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
    // Of these the URL is the one that was asked for.
    for status in ["100 Continue", "200 Connection established", "401 Unauthorized"] {
        let text = |href: &str| format!("HTTP/1.1 {status}\r\n\r\n{}", ok(href));
        check_absolute(&text("x"), &text("http://h/d/x"));
    }
    // It leads nowhere that is known.
    let text = format!("HTTP/1.1 301 Moved\r\n\r\n{}", ok("x"));
    check_absolute(&text, &text);
    // Only the last of the headings is of the other file.
    let text = "HTTP/1.1 301 Moved\nLocation: x\n\nHTTP/1.1 200 OK\nLink: <y>\n\n";
    let absolute = absolute_with(HEADINGS, &Options::default(), text);
    assert_eq!(absolute, text.replace("<y>", "<http://h/d/y>"));
}

#[test]
fn an_absolute_location_needs_no_url() {
    let text = "HTTP/1.1 301 Moved\nLocation: http://i/x\n\nHTTP/1.1 200 OK\nContent-Type: text/html\n\n<a href=y>";
    let context = Context::none();
    let unit = rewrite::Unit { own_url: None, ..unit(text.as_bytes(), RESPONSE, &context) };
    let output = make_absolute(unit, &Options::default()).output.unwrap();
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
        // It is of what came over the wire, or of something else.
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
fn checksums_hold_or_are_made_right() {
    // From `printf '<a href=x>' | openssl dgst -sha256 -binary | base64`, and of what becomes of that; with `-md5` too.
    let (sha, new_sha) = (
        "VL6zOQdyaB+h2rdCttJyO0czSsxLWxx64fDK7zPlV4s=",
        "wbwuw8ZPGxhuLxlz8jqeScxb142x2L2zrg7KxoVurts=",
    );
    let (md5, new_md5) = ("ftSENetKj9pPBW/r3s8DKQ==", "h9zN2/iokn10AvcdR1TX9w==");
    let text = |sha: &str, md5: &str, href: &str| {
        format!(
            "HTTP/1.1 200 OK\nRepr-Digest: sha-256=:{sha}:\nContent-MD5: {md5}\nDigest: SHA-256={sha}\nETag: \"x\"\nContent-Type: text/html\n\n<a href={href}>"
        )
    };
    let before = text(sha, md5, "x");
    let mail = Mail { updates_checksums: true, ..Mail::default() };
    let options = Options { mail, ..Options::default() };
    let after = text(new_sha, new_md5, "http://h/d/x");
    assert_eq!(absolute_with(RESPONSE, &options, &before), after);
    // Else the body stays, and so does one whose checksum is wrong.
    check_absolute(&before, &before);
    let wrong = text(sha, new_md5, "x");
    assert_eq!(absolute_with(RESPONSE, &options, &wrong), wrong);
    let (_, left) = list(RESPONSE, &before, &Options::default());
    assert_eq!(left, []);
}

#[test]
fn bodies_that_cannot_be_edited_are_left_and_told() {
    for (status, fields, body, reason) in [
        (200, "Content-Encoding: br", "<a href=x>", Undone::Coded),
        (200, "Transfer-Encoding: chunked", "a\r\n<a href=x>\r\n0\r\n\r\n", Undone::Chunked),
        (206, "Content-Range: bytes 0-9/100", "<a href=x>", Undone::Partial),
    ] {
        let text = |link: &str| {
            format!(
                "HTTP/1.1 {status} X\r\n{fields}\r\nLink: <{link}>\r\nContent-Type: text/html\r\n\r\n{body}"
            )
        };
        let (_, left) = list(RESPONSE, &text("y"), &Options::default());
        let at = text("y").find("\r\n\r\n").unwrap() + 4;
        assert_eq!(left, [Left { reason, at, extent: Extent::Part, part: None }], "{fields}");
        check_absolute(&text("y"), &text("http://h/d/y"));
    }
    // What was undone by the program that saved it is a body like others.
    for fields in
        ["Content-Encoding: gzip", "Transfer-Encoding: chunked", "Content-Encoding: identity"]
    {
        let text = |href: &str| {
            format!("HTTP/1.1 200 OK\n{fields}\nContent-Type: text/html\n\n<a href={href}>")
        };
        check_absolute(&text("x"), &text("http://h/d/x"));
    }
}

#[test]
fn what_is_no_response_is_left() {
    for text in [
        "",
        "<a href=x>",
        "GET / HTTP/1.1\nHost: h\nLocation: x\n\n",
        "Location: x\n\n",
        "HTTP/1.1 2x0\nLocation: x\n\n",
    ] {
        let (lines, left) = list(RESPONSE, text, &Options::default());
        assert_eq!(lines, [""; 0], "{text:?}");
        assert_eq!(
            left,
            [Left { reason: Undone::NoResponse, at: 0, extent: Extent::Unit, part: None }]
        );
    }
}

#[test]
fn lines_that_are_no_fields_are_told() {
    let text = "HTTP/1.1 200 OK\nA: b\nno field\nBase: x\nLocation: y\n\n";
    let context = at_url();
    let report =
        rewrite::references(unit(text.as_bytes(), RESPONSE, &context), &Options::default(), |_| {});
    let faults: Vec<(usize, &str, &str)> =
        report.faults.iter().map(|fault| (fault.at, &*fault.part, &*fault.reason)).collect();
    assert_eq!(
        faults,
        [(21, "HEADER", "a line in a heading is no field"), (36, "HEADER", "Base tells no base")]
    );
    check_absolute(text, &text.replace(" y", " http://h/d/y"));
}

/// A whole response moved from http://h/ to ftp://i/pub/.
#[track_caller]
fn check_moved(text: &str, expected: &str) {
    let context = at_url();
    let mut moves = Moves::default();
    moves.add("http://h/", "ftp://i/pub/", []).unwrap();
    let new_place = Some(NewPlace { url: "ftp://i/pub/d/p", root: "ftp://i/pub/" });
    let unit = rewrite::Unit { new_place, ..unit(text.as_bytes(), RESPONSE, &context) };
    let moved = relocate(unit, &Options::default(), &Move::by(moves));
    assert_eq!(moved.disproof, None);
    assert_eq!(String::from_utf8_lossy(&moved.output.unwrap_or_else(|| text.into())), expected);
}

#[test]
fn responses_move_with_their_tree() {
    check_moved(
        "HTTP/1.1 200 OK\nContent-Base: http://h/x/\nLocation: /l\nLink: <a>, <http://j/>\nContent-Location: /c\nContent-Length: 24\nContent-Type: text/html\n\n<a href=y><img src=/d/z>",
        "HTTP/1.1 200 OK\nContent-Base: ftp://i/pub/x/\nLocation: /pub/l\nLink: <a>, <http://j/>\nContent-Location: /pub/c\nContent-Length: 28\nContent-Type: text/html\n\n<a href=y><img src=/pub/d/z>",
    );
    check_moved(
        "HTTP/1.1 301 Moved\nLocation: /e/f\n\nHTTP/1.1 200 OK\nLink: <g>\nContent-Type: text/html\n\n<a href=g><a href=/h>",
        "HTTP/1.1 301 Moved\nLocation: /pub/e/f\n\nHTTP/1.1 200 OK\nLink: <g>\nContent-Type: text/html\n\n<a href=g><a href=/pub/h>",
    );
    let archived =
        "HTTP/1.1 200 OK\nLink: <http://h/a>; rel=original\nX-Archive-Orig-Location: b\n\n";
    check_moved(archived, &archived.replace("http://h/a", "ftp://i/pub/a"));
}
