//! `_redirects` and `_headers`.

use relink_rewrite::{FormatId, Media, Outcome};

use super::{absolute, check, convert, count, options};

const REDIRECTS: &str = "text/x-redirects";
const HEADERS: &str = "text/x-headers";

#[test]
fn redirects() {
    let text = "# all\n/a /b 301\n/c/* https://o/c/:splat 302!\n  /d id=:id /e/:id 301 Country=x\r\n\
                https://h/f/* https://h/g # /h\n/i\n/j 200\n/k # /l\n\
                /m ftp://o/n\n/o mailto:a@b id=http://o/\n";
    check(
        REDIRECTS,
        &[],
        text,
        &[
            "redirects path /a",
            "redirects path /b",
            "redirects path /c/*",
            "redirects URL https://o/c/:splat",
            "redirects path /d",
            "redirects path /e/:id",
            "redirects URL https://h/f/*",
            "redirects URL https://h/g",
            "redirects path /m",
            "redirects URL ftp://o/n",
        ],
    );
    assert_eq!(absolute(REDIRECTS, &[], text), text);
    count(REDIRECTS, &[], text, Outcome::Template, 6);
    // Neither a path nor a URL becomes relative, with any option.
    let media = Media::from_name(REDIRECTS).expect(REDIRECTS);
    let text = "/a http://h/d/b\n/c/:x/{{ y }} /d\n";
    for also in [&[][..], &["templates"]] {
        let rewritten = convert(text.as_bytes(), media, &options(also), true);
        assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
    }
}

/// All fields that saved responses have.
#[test]
fn other_headers() {
    let text = "/x\n  Speculation-Rules: \"/r.json\"\n  Reporting-Endpoints: a=\"https://o/\", b=\"/c\"\n  \
                SourceMap: /m\n  X-SourceMap: /n\n  Refresh: 5; url=/f\n  X-Pingback: /p\n";
    check(
        HEADERS,
        &[],
        text,
        &[
            "headers Speculation-Rules /r.json",
            "headers Reporting-Endpoints https://o/",
            "headers Reporting-Endpoints /c",
            "headers SourceMap /m",
            "headers X-SourceMap /n",
            "headers Refresh /f",
            "headers X-Pingback /p",
        ],
    );
    let mut expected = text.to_owned();
    for path in ["\"/r", "\"/c", " /m", " /n", "=/f", " /p"] {
        expected = expected.replace(path, &path.replace('/', "http://h/"));
    }
    assert_eq!(absolute(HEADERS, &[], text), expected);
}

#[test]
fn headers() {
    let text = "/*\n  Link: </a.css>; rel=preload; as=style, <https://o/b>; rel=\"x, <y>\"\n\
                \tlocation: /c?d \n  Link: <e.css>\n  Link: <//h/f>\n  X-Link: </g>\n  # Link: </h>\n\
                https://h/x\n  ! Link\n  Location:\nLink: </i>\n";
    check(
        HEADERS,
        &[],
        text,
        &[
            "headers Link /a.css",
            "headers Link https://o/b",
            "headers Location /c?d",
            "headers Link e.css",
            "headers Link //h/f",
        ],
    );
    let expected = text.replace("/a.css", "http://h/a.css").replace("/c?d", "http://h/c?d");
    assert_eq!(absolute(HEADERS, &[], text), expected);
    count(HEADERS, &[], text, Outcome::Ambiguous, 2);
    let media = Media::from_name(HEADERS).expect(HEADERS);
    let rewritten = convert(expected.as_bytes(), media, &options(&[]), true);
    assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
}

#[test]
fn files_without_an_extension_are_found_by_name() {
    for (name, media) in [("_redirects", REDIRECTS), ("_headers", HEADERS)] {
        assert_eq!(FormatId::from_file_name(name), FormatId::from_media_type(media));
    }
}
