//! Refreshes in all their spellings: HTML standard, section 4.2.5.3 ("shared declarative refresh
//! steps").

use crate::listing::html;

/// Asserts the URL of a refresh, or `None` if it refers to the document itself or is not a refresh.
#[track_caller]
fn check(content: &str, expected: Option<&str>) {
    assert!(!content.contains('|'), "it delimits the value here");
    let escaped = content.replace('"', "&quot;");
    let document = format!("<meta http-equiv=refresh content=\"{escaped}\">");
    let found = html(&document);
    assert!(found.len() <= 1 && found.iter().all(|found| found.slot == "meta[refresh]"));
    assert_eq!(found.first().map(|found| &*found.text), expected, "{content:?}");
    for reference in found {
        let raw = reference.span.slice(document.as_bytes());
        assert_eq!(raw, reference.text.replace('"', "&quot;").as_bytes(), "{content:?}");
    }
}

#[test]
fn without_a_url() {
    for content in ["5", " 5", "5 ", "5;", "5,", "5 ; ", "5.5", "0.", ".", ".5", "5;\n"] {
        check(content, None);
    }
}

#[test]
fn a_bare_url() {
    check("5; x", Some("x"));
    check("5;x", Some("x"));
    check("5,x", Some("x"));
    check("5 x", Some("x"));
    check("5\tx", Some("x"));
    check("5\n;\nx", Some("x"));
    check("5 ,x y", Some("x y"));
    check("5;x ", Some("x"));
    check("5;http://h/?a;b=c,d", Some("http://h/?a;b=c,d"));
}

#[test]
fn with_url_before_it() {
    check("0;url=x", Some("x"));
    check("0; url=x", Some("x"));
    check("0;URL=x", Some("x"));
    check("0,Url = x", Some("x"));
    check("0 url=x", Some("x"));
    check("0\t;\nurl\t=\nx\r\n", Some("x"));
    check("0;url=x y", Some("x y"));
    check("0;url=url=x", Some("url=x"));
    check("0;url==x", Some("=x"));
}

#[test]
fn what_is_only_like_url() {
    check("0;u", Some("u"));
    check("0;ur=x", Some("ur=x"));
    check("0;url", Some("url"));
    check("0;url ", Some("url"));
    check("0;urlx=y", Some("urlx=y"));
    check("0;url x=y", Some("url x=y"));
    check("0;uri=x", Some("uri=x"));
    check("0;url'x'", Some("url'x'"));
    check("0;URLx", Some("URLx"));
}

#[test]
fn quotes() {
    check("0;URL = 'x' y", Some("x"));
    check("0;url=\"x\"", Some("x"));
    check("0;url=\"x'y\"z\"", Some("x'y"));
    check("0;url='x", Some("x"));
    check("0;url='x y", Some("x y"));
    check("0;url=\"x'", Some("x'"));
    check("0;'x'y", Some("x"));
    check("0; \"x", Some("x"));
    check("0;url=x'y'", Some("x'y'"));
    check("0;url=' x '", Some("x"));
    check("0;'url=x'", Some("url=x"));
}

// An empty URL counts after an explicit `url=`.
#[test]
fn empty() {
    check("0; url=", Some(""));
    check("0;url= ", Some(""));
    check("0;url=''", Some(""));
    check("0;url='", Some(""));
    check("0;url=' '", Some(""));
    check("0;''", None);
    check("0;'", None);
}

#[test]
fn times() {
    check(".5;url=x", Some("x"));
    check(".;url=x", Some("x"));
    check("1.5.2;url=x", Some("x"));
    check("..;x", Some("x"));
    check("00099999999999999999999;url=x", Some("x"));
    check(" \n\t5;url=x", Some("x"));
}

#[test]
fn what_is_no_refresh() {
    for content in ["", " ", "x", ";url=x", ",x", "-1;url=x", "+1;url=x", "url=x", "5x", "5s;x"] {
        check(content, None);
    }
    for content in ["5url=x", "5-x", "5'x'", "a5;x", "\u{A0}5;x", "5\u{A0};x", "\u{661};x"] {
        check(content, None);
    }
}

// One separator is skipped, with the white space around it.
#[test]
fn separators() {
    check("5;;x", Some(";x"));
    check("5; ;url=x", Some(";url=x"));
    check("5,;x", Some(";x"));
    check("1;2", Some("2"));
    check("1 2", Some("2"));
    check("5 ; , x", Some(", x"));
    check("5;\u{A0}x", Some("\u{A0}x"));
    check("5;é=x", Some("é=x"));
}
