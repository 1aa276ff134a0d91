//! Membership of URLs in a tree below a root.

use urlcore::{Dialect, below};

#[track_caller]
fn check(root: &str, url: &str, expected: Option<&str>) {
    for dialect in [Dialect::Web, Dialect::Rfc3986] {
        assert_eq!(below(root, url, dialect), expected, "{url} below {root} in {dialect}");
    }
}

#[test]
fn segments() {
    check("http://h/", "http://h/", Some("/"));
    check("http://h/", "http://h", Some(""));
    check("http://h/", "http://h?q#s", Some("?q#s"));
    check("http://h/a/", "http://h/a", Some(""));
    check("http://h/a/", "http://h/a/?q", Some("/?q"));
    check("http://h/a/", "http://h/a/b/c", Some("/b/c"));
    check("http://h/a/", "http://h/a//b", Some("//b"));
    check("http://h/a/", "http://h/ab/c", None);
    check("http://h/a/", "http://h/A/c", None);
    check("http://h/a/", "http://h/%61/c", None);
    check("http://h/a/", "http://h/", None);
    check("http://h/a", "http://h/a/b", Some("/b"));
}

#[test]
fn scheme_and_host_have_no_case() {
    check("http://h.example/a/", "HTTP://H.Example/a/b", Some("/b"));
    check("http://h/", "https://h/", None);
    check("http://h/", "http://i/", None);
    check("http://h/", "http://www.h/", None);
    check("http://u@h/", "http://h/", None);
    check("http://u@h/", "http://U@h/", None);
    check("http://u@h/", "http://u@H/x", Some("/x"));
    check("http://h/", "mailto:h", None);
    check("http://h/", "/x", None);
}

#[test]
fn default_ports_are_none() {
    check("http://h/", "http://h:80/x", Some("/x"));
    check("http://h/", "http://h:080/x", Some("/x"));
    check("http://h:/", "http://h:80/x", Some("/x"));
    check("https://h:443/", "https://h/x", Some("/x"));
    check("ftp://h:21/", "ftp://h/x", Some("/x"));
    check("http://h/", "http://h:8080/x", None);
    check("http://h:443/", "https://h/x", None);
    check("x-s://h/", "x-s://h:80/x", None);
    check("http://[::1]/", "http://[::1]:80/x", Some("/x"));
    check("http://[::1]:8/", "http://[::1]/x", None);
}

#[test]
fn this_machine() {
    check("file:///a/", "file://localhost/a/b", Some("/b"));
    check("file:///a/", "file:/a/b", Some("/b"));
    check("file:///a/", "file://server/a/b", None);
    check("file://server/a/", "file://SERVER/a/b", Some("/b"));
}
