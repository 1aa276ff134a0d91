//! Parts of authorities and paths: the examples of the specifications, and lossless splitting.

use proptest::prelude::*;
use urlcore::{Dialect, Form, Reference, Server};

use crate::generate;

type Parts<'a> = (Option<&'a str>, Option<&'a str>, &'a str, Option<&'a str>);

fn parts(authority: &str) -> Parts<'_> {
    let Server { user, password, host, port } = Server::split(authority);
    (user, password, host, port)
}

/// 1996 1.2, 4.1, 4.3.1, F.2 and appendix B: scheme, server, path, query, fragment.
#[test]
fn examples_of_1996() {
    for (url, scheme, server, path, fragment) in [
        (
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "ftp",
            Some("ftp.is.co.za"),
            "/rfc/rfc1808.txt",
            None,
        ),
        (
            "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
            "gopher",
            Some("spinaltap.micro.umn.edu"),
            "/00/Weather/California/Los%20Angeles",
            None,
        ),
        (
            "http://www.math.uio.no/faq/compression-faq/part1.html",
            "http",
            Some("www.math.uio.no"),
            "/faq/compression-faq/part1.html",
            None,
        ),
        ("mailto:mduerst@ifi.unizh.ch", "mailto", None, "mduerst@ifi.unizh.ch", None),
        (
            "news:comp.infosystems.www.servers.unix",
            "news",
            None,
            "comp.infosystems.www.servers.unix",
            None,
        ),
        ("telnet://melvyl.ucop.edu/", "telnet", Some("melvyl.ucop.edu"), "/", None),
        (
            "http://www.ics.uci.edu/pub/ietf/uri/#Related",
            "http",
            Some("www.ics.uci.edu"),
            "/pub/ietf/uri/",
            Some("Related"),
        ),
        ("HTTP://www.ics.uci.edu/", "HTTP", Some("www.ics.uci.edu"), "/", None),
        ("http://4kids/blah", "http", Some("4kids"), "/blah", None),
        ("foo:/bar", "foo", None, "/bar", None),
        ("foo:bar", "foo", None, "bar", None),
    ] {
        let r = Reference::split(url, Dialect::UrlSyntax1996);
        assert_eq!((r.scheme(), r.authority(), r.path()), (Some(scheme), server, path));
        assert_eq!((r.query(), r.fragment()), (None, fragment));
    }
    assert_eq!(parts("@host.com"), (Some(""), None, "host.com", None));
    assert_eq!(parts("host.com"), (None, None, "host.com", None));
    assert_eq!(parts("foo:@host.com"), (Some("foo"), Some(""), "host.com", None));
    // 1996 5 and RFC 1808 5.3.
    for dialect in [Dialect::Rfc1808Draft05, Dialect::Rfc1808, Dialect::UrlSyntax1996] {
        assert!(Reference::split("this:that", dialect).is_absolute());
        assert_eq!(Reference::split("./this:that", dialect).form(), Form::RelativePath);
    }
    assert_eq!(Reference::split("this%3Athat", Dialect::Rfc1808).form(), Form::RelativePath);
}

/// The layouts that the specifications show.
#[test]
fn layouts() {
    // RFC 1808 2.1, also in draft 05.
    let r = Reference::split("scheme://net_loc/path;params?query#fragment", Dialect::Rfc1808);
    assert_eq!((r.scheme(), r.authority(), r.path()), (Some("scheme"), Some("net_loc"), "/path"));
    assert_eq!(
        (r.params(), r.query(), r.fragment()),
        (Some("params"), Some("query"), Some("fragment"))
    );
    // 1996 4.3 and 1.4.
    let r = Reference::split("scheme://server/path?query", Dialect::UrlSyntax1996);
    assert_eq!((r.authority(), r.path(), r.query()), (Some("server"), "/path", Some("query")));
    let r = Reference::split("first/second;third?fourth", Dialect::UrlSyntax1996);
    let segments: Vec<_> = r.segments().map(|segment| segment.name()).collect();
    assert_eq!((segments, r.query()), (vec!["first", "second"], Some("fourth")));
    assert_eq!(r.segments().flat_map(|segment| segment.params()).collect::<Vec<_>>(), ["third"]);
}

#[test]
fn authorities() {
    assert_eq!(parts("u:p:q@h:80"), (Some("u"), Some("p:q"), "h", Some("80")));
    assert_eq!(parts("a@b@h"), (Some("a@b"), None, "h", None));
    assert_eq!(parts("h:"), (None, None, "h", Some("")));
    assert_eq!(parts("[::1]"), (None, None, "[::1]", None));
    assert_eq!(parts("[::1]:8"), (None, None, "[::1]", Some("8")));
    assert_eq!(parts("[::1"), (None, None, "[:", Some("1")));
    assert_eq!(parts(""), (None, None, "", None));
    assert_eq!(parts(":"), (None, None, "", Some("")));
}

#[test]
fn segments_of_paths() {
    let segments = |text, dialect| {
        Reference::split(text, dialect)
            .segments()
            .map(|segment| segment.text().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(segments("", Dialect::Rfc3986), [""; 0]);
    assert_eq!(segments("/", Dialect::Rfc3986), [""]);
    assert_eq!(segments("a", Dialect::Rfc3986), ["a"]);
    assert_eq!(segments("//h//a/", Dialect::Rfc3986), ["", "a", ""]);
    assert_eq!(segments("/a;b/c;d", Dialect::Rfc1808), ["a"]);
    assert_eq!(segments(r"\\h\b", Dialect::Web), ["b"]);
    assert_eq!(segments(r"/a\b", Dialect::Web), ["a", "b"]);
    assert_eq!(segments(r"/a\b", Dialect::Rfc3986), [r"a\b"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost(authority in generate::characters("a@:[]8", 10), any in generate::any_text(), reference in generate::reference()) {
        for authority in [&authority, &any] {
            prop_assert_eq!(&Server::split(authority).to_string(), authority);
        }
        for &dialect in Dialect::ALL {
            let r = Reference::split(&reference, dialect);
            let joined = r.segments().map(|segment| segment.text()).collect::<Vec<_>>().join("/");
            let path = if dialect == Dialect::Web { r.path().replace('\\', "/") } else { r.path().to_owned() };
            let path = if joined.len() == path.len() { path } else { path.replacen('/', "", 1) };
            prop_assert!(joined == path || dialect == Dialect::Web, "{} {}", joined, path);
            for segment in r.segments() {
                let parts: Vec<_> = std::iter::once(segment.name()).chain(segment.params()).collect();
                prop_assert_eq!(parts.join(";"), segment.text());
            }
        }
    }
}
