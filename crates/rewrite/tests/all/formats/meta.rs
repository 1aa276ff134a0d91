//! `meta` elements whose content is one or more URLs.

use super::{absolute, check};

#[track_caller]
fn references(document: &str, expected: &[&str]) {
    check("text/html", &[], document, expected);
}

#[test]
fn links() {
    let document =
        "<meta http-equiv='Link' content='<a.css>; rel=stylesheet, <../b>; rel=\"x, <y>\"'>";
    let expected = ["meta[http-equiv=link] a.css", "meta[http-equiv=link] ../b"];
    references(document, &expected);
    let absolute = absolute("text/html", &[], document);
    assert_eq!(
        absolute,
        document.replace("a.css", "http://h/d/a.css").replace("../b", "http://h/b")
    );
    references("<meta http-equiv=link content='x; rel=next'>", &[]);
    references("<meta name=link content='<x>'>", &[]);
}

#[test]
fn authors_and_publishers_are_urls_only_if_they_are_absolute() {
    for name in ["article:author", "article:publisher"] {
        references(&format!("<meta property={name} content='Ann Author'>"), &[]);
        references(
            &format!("<meta property={name} content=' http://h/d/ann'>"),
            &["meta[name] http://h/d/ann"],
        );
    }
    references("<meta property=al:web:url content='/x'>", &["meta[name] /x"]);
}
