//! The URL of a tree: valid and invalid ones, and the URLs of the files in it (RFC 3986, 2.1 and
//! 3.3).

use basectx::{BadRetrieval, RetrievalUrl};
use proptest::prelude::*;
use urlcore::escape::percent_decode;
use urlcore::{BaseError, Dialect, Resolver};

#[track_caller]
fn check_directory(url: &str, expected: &str, is_slash_added: bool) {
    let directory = RetrievalUrl::from_directory(url).expect("it can be the place of a folder");
    assert_eq!(
        (directory.as_str(), directory.is_slash_added()),
        (expected, is_slash_added),
        "{url:?}"
    );
}

#[track_caller]
fn check_file(url: &str, expected: &str) {
    let file = RetrievalUrl::from_file(url).expect("it can be the place of a file");
    assert_eq!((file.as_str(), file.is_slash_added()), (expected, false), "{url:?}");
}

/// Checks a URL that can be neither that of a directory nor that of a file.
#[track_caller]
fn check_bad(url: &str, expected: &BadRetrieval) {
    assert_eq!(RetrievalUrl::from_directory(url).as_ref(), Err(expected), "{url:?}");
    assert_eq!(RetrievalUrl::from_file(url).as_ref(), Err(expected), "{url:?}");
}

/// Checks the URL of the file with these names below `http://h/r/`.
#[track_caller]
fn check_join(names: &[&[u8]], expected: &str) {
    let directory = RetrievalUrl::from_directory("http://h/r/").expect("a directory");
    assert_eq!(directory.join(names.iter().copied()), format!("http://h/r/{expected}"));
}

#[test]
fn directories_end_with_a_slash() {
    check_directory("http://h/a/", "http://h/a/", false);
    check_directory("http://h/a", "http://h/a/", true);
    check_directory("http://h", "http://h/", true);
    check_directory("http://h/", "http://h/", false);
    check_directory("http://h/a.html", "http://h/a.html/", true);
    check_directory("file:///srv/www", "file:///srv/www/", true);
    check_directory("ftp://u@h:21/d", "ftp://u@h:21/d/", true);
    check_directory("file:/srv/", "file:///srv/", false);
    // In the schemes of the web a backslash is a slash (WHATWG URL, "path start state").
    let directory = RetrievalUrl::from_directory(r"file:///C:\site\").expect("a directory");
    let target = |url: &str| {
        let resolver = Resolver::new(url, Dialect::Web).expect("a base");
        resolver.resolve("").expect("a target")
    };
    assert_eq!(target(&directory.join([&b"x"[..]])), "file:///C:/site/x");
}

#[test]
fn a_fragment_is_dropped() {
    check_directory("http://h/a#f", "http://h/a/", true);
    check_directory("http://h/a/#f?/", "http://h/a/", false);
    check_file("http://h/a#f", "http://h/a");
    check_file("http://h/a?q#f", "http://h/a?q");
    check_file("http://h/a#", "http://h/a");
}

#[test]
fn files_are_as_they_are() {
    check_file("http://h/a", "http://h/a");
    check_file("http://h/a/", "http://h/a/");
    check_file("http://h/a?q=/", "http://h/a?q=/");
    check_file("HTTP://H/%7e", "HTTP://H/%7e");
}

#[test]
fn urls_become_ascii() {
    check_file("http://h/é", "http://h/%C3%A9");
    check_file("http://h/a b", "http://h/a%20b");
    check_file(" http://h/a\n", "http://h/a");
    check_file("http://h/50%", "http://h/50%");
    check_directory("http://h/日/", "http://h/%E6%97%A5/", false);
    check_file("http://bücher.example/é", "http://xn--bcher-kva.example/%C3%A9");
    check_file("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/");
}

#[test]
fn invalid_urls() {
    let not_absolute = BadRetrieval::NotAbsolute(BaseError::NotAbsolute);
    for url in ["", "a", "a/b", "/a", "//h/a", "?q", "#f", "./a:b"] {
        check_bad(url, &not_absolute);
    }
    for url in ["mailto:u@h", "data:,x", "urn:isbn:1", "javascript:0", "about:blank", "cid:x@y"] {
        check_bad(url, &BadRetrieval::Opaque);
    }
    for url in ["http://[", "http://a b/", "http://", "http://h:99999/"] {
        let error = RetrievalUrl::from_directory(url).expect_err("the host is no host");
        assert!(matches!(error, BadRetrieval::NotAbsolute(BaseError::Host(_))), "{url}");
    }
    for url in ["http://h/?", "http://h/a?q", "http://h/a?q/", "http://h/a?q#f"] {
        assert_eq!(RetrievalUrl::from_directory(url), Err(BadRetrieval::Query), "{url}");
    }
}

#[test]
fn names_are_escaped_byte_for_byte() {
    check_join(&[b"a.html"], "a.html");
    check_join(&[b"a", b"b", b"c.html"], "a/b/c.html");
    check_join(&[], "");
    check_join(&[b"a b"], "a%20b");
    check_join(&[b"50%"], "50%25");
    check_join(&[b"%41"], "%2541");
    check_join(&[b"a?b=c"], "a%3Fb=c");
    check_join(&[b"a#b"], "a%23b");
    check_join(&[br"a\b"], "a%5Cb");
    check_join(&[b"a\"<>^`{|}[]b"], "a%22%3C%3E%5E%60%7B%7C%7D%5B%5Db");
    check_join(&[b"\xFF\xE9\x80"], "%FF%E9%80");
    check_join(&["é日".as_bytes()], "%C3%A9%E6%97%A5");
    check_join(&[b"\t\n\r\x01\x7F"], "%09%0A%0D%01%7F");
    // The characters that a segment may have (RFC 3986, 3.3).
    check_join(&[b"-._~!$&'()*+,;=:@"], "-._~!$&'()*+,;=:@");
    check_join(&[b"a;b", b"c:d"], "a;b/c:d");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The names can be decoded from the URL of a file, and browsers neither resolve nor escape
    /// anything in it.
    #[test]
    fn names_can_be_decoded(names in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..6), 1..4)) {
        let is_name = |name: &Vec<u8>| !name.contains(&b'/') && !matches!(&name[..], b"." | b"..");
        prop_assume!(names.iter().all(is_name));
        let directory = RetrievalUrl::from_directory("http://h/r").expect("a directory");
        let url = directory.join(names.iter().map(|name| &name[..]));
        let back: Vec<_> = url["http://h/r/".len()..].split('/').map(percent_decode).collect();
        prop_assert_eq!(back, names);
        prop_assert!(url.bytes().all(|byte| byte.is_ascii_graphic()));
        let resolver = Resolver::new(&url, Dialect::Web).expect("a base");
        prop_assert_eq!(resolver.resolve("").expect("a target"), url.as_str());
    }
}
