//! A query in an old charset is sent in it, and is listed as it is sent.

use crate::dir::TestDir;

/// `при` in windows-1251, which a browser requests as `%EF%F0%E8`.
const PAGE: &[u8] = b"<meta charset=windows-1251><a href='http://o/x?q=\xEF\xF0\xE8#\xEF'>x</a>\
                      <img srcset='/y?\xEF 1x'><form action='?\xF0'></form>";

#[test]
fn targets_are_listed_as_browsers_request_them() {
    let dir = TestDir::new();
    dir.file("site/a.html", PAGE);
    let targets = |line: &str| -> Vec<String> {
        let run = dir.relink(line);
        let lines = run.text().lines();
        let json = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        json.filter_map(|line| line["target"].as_str().map(str::to_owned)).collect()
    };
    let listed = targets("refs site --base http://h/ --format json -q");
    assert_eq!(listed, ["http://o/x?q=%EF%F0%E8#\u{43F}", "http://h/y?%EF", "http://h/a.html?%F0"]);
    let run = dir.relink("check site --base http://h/ --list-external -q").exits(0);
    assert_eq!(run.text(), "http://o/x?q=%EF%F0%E8\n");
    // In the document itself it stays as it is.
    dir.relink("absolutize site --base http://h/ -q -o out").exits(0);
    let out = dir.bytes("out/a.html");
    assert!(out.windows(6).any(|part| part == b"?q=\xEF\xF0\xE8"));
}

/// Places in which a browser sends a query in UTF-8, whatever the charset of the page.
#[test]
fn what_is_read_elsewhere_is_requested_in_utf_8() {
    let dir = TestDir::new();
    let page: &[u8] = b"<meta charset=windows-1251><base href='/b/?\xEF'><p style='background:url(/s?\xEF)'>\
        <svg><path mask='url(/m?\xEF#a)'/><image href='/i?\xEF'/><style>p{fill:url(/v?\xEF)}</style></svg>\
        <iframe srcdoc='<img src=/d?\xEF><style>p{fill:url(/e?\xEF)}</style>'></iframe>\
        <script type=importmap>{\"imports\":{\"a\":\"/j?\xEF\"}}</script>\
        <script type=module>import '/o?\xEF'</script>\
        <noscript><img src=/n?\xEF></noscript><a href='mailto:a@b?\xEF'>x</a><a href='x:?\xEF'>x</a>";
    dir.file("site/a.html", page);
    dir.file("site/a.css", b"@charset \"windows-1251\";@import url(/k?\xEF);p{fill:url(/c?\xEF)}");
    dir.file(
        "site/a.svg",
        b"<?xml version='1.0' encoding='windows-1251'?><svg xmlns='http://www.w3.org/2000/svg'>\
        <image href='/w?\xEF'/><rect style='fill:url(/x?\xEF)' mask='url(/y?\xEF)'/></svg>",
    );
    let run = dir.relink("refs site --base http://h/ --also js-modules --format json -q");
    let json = run.text().lines().map(serde_json::from_str::<serde_json::Value>);
    let targets: Vec<String> =
        json.filter_map(|line| Some(line.unwrap()["target"].as_str()?.to_owned())).collect();
    let (old, utf_8) = ("%EF", "\u{43F}");
    for (url, query) in [
        ("http://h/b/", old),
        ("http://h/s", utf_8),
        ("http://h/m", utf_8),
        ("http://h/i", old),
        ("http://h/v", old),
        ("http://h/d", utf_8),
        ("http://h/e", utf_8),
        ("http://h/j", utf_8),
        ("http://h/o", utf_8),
        ("http://h/n", old),
        ("mailto:a@b", utf_8),
        ("x:", utf_8),
        ("http://h/k", utf_8),
        ("http://h/c", old),
        ("http://h/w", old),
        ("http://h/x", utf_8),
        ("http://h/y", utf_8),
    ] {
        let target = targets.iter().find(|target| target.starts_with(&format!("{url}?")));
        let target = target.map(|target| target.split('#').next().unwrap_or_default());
        assert_eq!(target, Some(&*format!("{url}?{query}")));
    }
}

/// The charsets that are decoded before they are read, and an encoder with a state.
#[test]
fn queries_in_iso_2022_jp_and_utf_16() {
    let dir = TestDir::new();
    let page = b"<meta charset=iso-2022-jp><a href='/x?a\x1B$B$\"\x1B(B&#233;'>x</a>";
    dir.file("site/a.html", page);
    let wide = "\u{FEFF}<a href='/w?\u{E9}'>x</a>";
    dir.file("site/b.html", wide.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let run = dir.relink("check site --base http://h/sub/ --list-external -q");
    assert_eq!(run.text(), "http://h/x?a%1B$B$%22%1B(B%26%23233%3B\nhttp://h/w?%C3%A9\n");
}

fn response(url: &str, media_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n");
    let fields = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        head.len() + body.len()
    );
    [fields.as_bytes(), head.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// A capture has the URL that the browser requested.
#[test]
fn captures_are_found_by_the_queries_that_are_requested() {
    let dir = TestDir::new();
    let page: &[u8] =
        b"<meta charset=windows-1251><img src='i.png?\xEF'><p style='background:url(s.png?\xEF)'>\
        <iframe srcdoc='<img src=d.png?\xEF>'></iframe><img src='other.png?\xEF'>";
    let records = [
        response("http://h/a.html", "text/html", page),
        response("http://h/i.png?%EF", "image/png", b"1"),
        response("http://h/s.png?%D0%BF", "image/png", b"2"),
        response("http://h/d.png?%D0%BF", "image/png", b"3"),
        response("http://h/other.png?%D0%BF", "image/png", b"4"),
    ];
    dir.file("a.warc", records.concat());
    dir.relink("unpack a.warc -o out -q").exits(0);
    let expected: &[u8] =
        b"<meta charset=windows-1251><img src='i.png'><p style='background:url(s-%D0%BF.png)'>\
        <iframe srcdoc='<img src=d-%D0%BF.png>'></iframe><img src='http://h/other.png?\xEF'>";
    assert!(dir.bytes("out/h/a.html") == expected, "{}", dir.text("out/h/a.html"));
}

/// A row of a list is a URL as it is requested; a query that stays is written as it was.
#[test]
fn lists_of_renames_have_queries_as_they_are_requested() {
    let dir = TestDir::new();
    let page: &[u8] = b"<meta charset=windows-1251><a href='x.html?q=\xEF'>x</a><a href='y.html?q=\xEF#\xEF'>y</a>\
        <p style='background:url(x.html?q=\xEF)'><a href='x.html?q=\xE8'>z</a>";
    dir.file("site/a.html", page);
    dir.file("list.tsv", "x.html?q=%EF\tn.html\nx.html?q=%D0%BF\to.html\ny.html\tp.html\n");
    dir.relink("move site --base http://h/ --renames list.tsv -o out -q").exits(0);
    let expected: &[u8] =
        b"<meta charset=windows-1251><a href='n.html'>x</a><a href='p.html?q=\xEF#\xEF'>y</a>\
        <p style='background:url(o.html)'><a href='x.html?q=\xE8'>z</a>";
    let out = dir.bytes("out/a.html");
    assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(expected));
    assert!(out == expected);
    dir.relink("move site --from http://h/ --to http://n/d/ --renames list.tsv -o moved -q")
        .exits(0);
    assert!(dir.bytes("moved/a.html").windows(10).any(|part| part == b"p.html?q=\xEF"));
}

/// A mirror has files by the queries that were requested.
#[cfg(unix)]
#[test]
fn files_of_a_mirror_are_found_by_the_queries_that_were_requested() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let dir = TestDir::new();
    dir.file("mirror/h.example/a.html", b"<meta charset=windows-1251><img src='/y.png?\xEF'>");
    dir.file("mirror/h.example/robots.txt", "");
    dir.file(OsStr::from_bytes(b"mirror/h.example/y.png?\xEF"), "");
    let run = dir.relink("relativize mirror --layout wget --for file -o out -q").exits(0);
    let expected = b"<meta charset=windows-1251><img src='y.png%3F%EF'>";
    assert!(dir.bytes("out/h.example/a.html") == expected, "{run}");
}
