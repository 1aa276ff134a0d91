//! The base of each reference: HTML standard, section 2.4.3; HTML 4.01, section 13.3.2
//! (`codebase`); RFC 3986, section 5.1.

use basectx::{BadBase, BaseSource, Context};
use rewrite::{Media, Options};

use crate::listing::{self, Reference, html, list, shown, unit};

/// Asserts the targets of the references that follow a `base`, in a document at `http://h/d/p`.
#[track_caller]
fn check(document: &str, expected: &[&str]) {
    let found = html(document);
    let others = found.iter().filter(|found| found.slot != "base[href]");
    let targets: Vec<&str> =
        others.map(|found| found.target.as_deref().unwrap_or("none")).collect();
    assert_eq!(targets, expected, "{document:?}");
}

/// Returns the references of a document whose URL is unknown, and the reports on its base.
#[track_caller]
fn nowhere(document: &str) -> (Vec<Reference>, Vec<BadBase>) {
    let context = Context::none();
    let unit = unit(document.as_bytes(), Media::HTML, &context).with_own_url(None::<&str>);
    let (found, report) = list(unit, &Options::default());
    (found, report.bad_bases.into_iter().map(|(reason, _)| reason).collect())
}

/// Returns the reports on the base of a document at `http://h/d/p`: the reason, and the raw text
/// there.
#[track_caller]
fn bad(document: &str) -> Vec<(BadBase, &str)> {
    let context = listing::at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::HTML, &context), &Options::default());
    report.bad_bases.into_iter().map(|(reason, at)| (reason, &document[at..at + 2])).collect()
}

#[test]
fn retrieval() {
    check("<a href=x>", &["http://h/d/x"]);
    check("<base target=x><a href=x>", &["http://h/d/x"]);
    let found = html("<a href=x>");
    assert_eq!(found[0].source, BaseSource::Retrieval);
    assert_eq!(found[0].base.as_deref(), Some("http://h/d/p"));
}

#[test]
fn one_base() {
    check("<base href=http://i/e/><a href=x>", &["http://i/e/x"]);
    check("<base href=e/f><a href=x>", &["http://h/d/e/x"]);
    check("<base href=/><a href=x><a href=/y>", &["http://h/x", "http://h/y"]);
    check("<base href=//i/><a href=x>", &["http://i/x"]);
    check("<base href='?q'><a href=x><a href='#y'>", &["http://h/d/x", "http://h/d/p?q#y"]);
    check("<base href=' http://i/e/\n'><a href=x>", &["http://i/e/x"]);
    check("<base href='http://i/?a&amp;b'><a href='#x'>", &["http://i/?a&b#x"]);
    check(
        "<base href=http://i/><a href=x><img srcset=y><p style=b:url(z)>",
        &["http://i/x", "http://i/y", "http://i/z"],
    );
    assert_eq!(html("<base href=e/><a href=x>")[1].source, BaseSource::Embedded);
}

// It also applies to references before it.
#[test]
fn a_base_after_references() {
    check("<link href=x><base href=e/><a href=y>", &["http://h/d/e/x", "http://h/d/e/y"]);
    check("<a href=x><p><base href=e/>", &["http://h/d/e/x"]);
    // An embedded document uses the base in effect when the parser reaches it (HTML standard,
    // "about base URL").
    check(
        "<iframe srcdoc='<a href=x>'></iframe><base href=e/><iframe srcdoc='<a href=y>'></iframe>",
        &["http://h/d/x", "http://h/d/e/y"],
    );
    check(
        "<noscript><iframe srcdoc='<a href=x>'></iframe><base href=e/></noscript>",
        &["http://h/d/x"],
    );
}

#[test]
fn several_bases() {
    check("<base href=e/><base href=f/><a href=x>", &["http://h/d/e/x"]);
    check("<base target=t><base href=f/><a href=x>", &["http://h/d/f/x"]);
    // All of them are references, and are resolved against the fallback base.
    let found = shown(&html("<base href=e/><base href=f/><a href=x>"));
    let expected = ["base[href] url e/ -> http://h/d/e/", "base[href] url f/ -> http://h/d/f/"];
    assert_eq!(found[..2], expected);
}

#[test]
fn places_where_a_base_does_not_count() {
    for document in [
        "<noscript><base href=e/></noscript><a href=x>",
        "<template><base href=e/></template><a href=x>",
        "<!-- <base href=e/> --><a href=x>",
        "<!--[if IE]><base href=e/><![endif]--><a href=x>",
        "<iframe><base href=e/></iframe><a href=x>",
        "<script><base href=e/></script><a href=x>",
        "<title><base href=e/></title><a href=x>",
        "<iframe srcdoc='<base href=e/>'></iframe><a href=x>",
    ] {
        check(document, &["http://h/d/x"]);
    }
    check("<body><div><base href=e/></div><a href=x>", &["http://h/d/e/x"]);
    check(
        "<svg><foreignObject><base href=e/></foreignObject></svg><a href=x>",
        &["http://h/d/e/x"],
    );
    check("<svg><base href=e/></svg><a href=x>", &["http://h/d/e/", "http://h/d/x"]);
    // References in these use the base of the document.
    check("<base href=e/><noscript><base href=f/><a href=x></noscript>", &["http://h/d/e/x"]);
    check("<base href=e/><template><a href=x></template>", &["http://h/d/e/x"]);
    check("<base href=e/><!--[if IE]><a href=x><![endif]-->", &["http://h/d/e/x"]);
}

#[test]
fn an_empty_base() {
    check("<base href=''><a href=x><a href='#y'>", &["http://h/d/x", "http://h/d/p#y"]);
    check("<base href><base href=e/><a href=x>", &["http://h/d/x"]);
    check("<base href=' '><a href=x>", &["http://h/d/x"]);
}

// "Set the frozen base URL": the fallback base applies, never the next element.
#[test]
fn bases_that_are_none() {
    for href in ["data:text/html,x", "javascript:0", "DATA:x", "JavaScript:x"] {
        let document = format!("<base href={href}><base href=e/><a href=x>");
        check(&document, &["http://h/d/x"]);
        assert_eq!(bad(&document), [(BadBase::Scheme, &href[..2])]);
    }
    for href in ["http://[", "//h:x/", "http://"] {
        let document = format!("<base href={href}><base href=e/><a href=x>");
        check(&document, &["http://h/d/x"]);
        assert_eq!(bad(&document), [(BadBase::Unresolvable, &href[..2])]);
    }
    check("<base href=mailto:x><a href=#y><a href=http://i/>", &["mailto:x#y", "http://i/"]);
}

#[test]
fn a_template_leaves_no_base() {
    let document =
        "<base href='{{ root }}'><a href=x><a href=http://i/><iframe srcdoc='<a href=y>'>";
    check(document, &["none", "http://i/", "none"]);
    assert_eq!(bad(document), [(BadBase::Template, "{{")]);
    let found = html(document);
    assert!(
        found[1..].iter().all(|found| found.base.is_none() && found.source == BaseSource::None)
    );
}

#[test]
fn srcdoc() {
    let inner = |inner: &str| format!("<base href=e/><iframe srcdoc='{inner}'></iframe><a href=z>");
    check(&inner("<a href=x>"), &["http://h/d/e/x", "http://h/d/e/z"]);
    check(&inner("<base href=f/><a href=x>"), &["http://h/d/e/f/x", "http://h/d/e/z"]);
    check(&inner("<base href=/g/><a href=x>"), &["http://h/g/x", "http://h/d/e/z"]);
    check(&inner("<base href=data:x><a href=x>"), &["http://h/d/e/x", "http://h/d/e/z"]);
    check(&inner("<base href={{g}}><a href=x>"), &["none", "http://h/d/e/z"]);
    check(
        &inner("<base href=f/><iframe srcdoc=\"<base href=g/><a href=x>\">"),
        &["http://h/d/e/f/g/x", "http://h/d/e/z"],
    );
    // The base of a `srcdoc` is itself resolved against that of the document around it.
    assert_eq!(html(inner("<base href=f/>"))[1].target.as_deref(), Some("http://h/d/e/f/"));
}

#[test]
fn codebase_of_object() {
    let all = "classid=a archive='b c' data=d";
    let targets = |codebase, rest: &[&str]| {
        let document =
            format!("<object codebase='{codebase}' {all}><param name=src value=e></object>");
        check(&document, rest);
    };
    let (data, param) = ("http://h/d/d", "http://h/d/e");
    targets(
        "k/",
        &["http://h/d/k/", "http://h/d/k/a", "http://h/d/k/b", "http://h/d/k/c", data, param],
    );
    targets("http://i/", &["http://i/", "http://i/a", "http://i/b", "http://i/c", data, param]);
    targets("", &["http://h/d/a", "http://h/d/b", "http://h/d/c", data, param]);
    targets("{{k}}", &["none", "none", "none", "none", data, param]);
    targets("data:x", &["data:x", "none", "none", "none", data, param]);
    check("<base href=e/><object archive=a codebase=k/>", &["http://h/d/e/k/a", "http://h/d/e/k/"]);
}

// With a `classid` of an installed control it is the URL of an installer.
#[test]
fn codebase_of_an_installer() {
    for classid in ["clsid:D27C", "CLSID:D27C", " clsid:D27C"] {
        let document = format!("<object classid='{classid}' codebase=k/v.cab archive=a data=d>");
        let found = html(document);
        let targets: Vec<_> =
            found[1..].iter().map(|found| found.target.clone().unwrap()).collect();
        assert_eq!(targets, ["http://h/d/k/v.cab", "http://h/d/a", "http://h/d/d"]);
    }
}

#[test]
fn codebase_of_applet() {
    check(
        "<applet archive=a,b codebase=k/>",
        &["http://h/d/k/a", "http://h/d/k/b", "http://h/d/k/"],
    );
    check("<applet archive=a codebase=''>", &["http://h/d/a"]);
    check("<applet archive=a><embed codebase=k/ src=b>", &["http://h/d/a", "http://h/d/b"]);
    check("<applet codebase=k/></applet><applet archive=a>", &["http://h/d/k/", "http://h/d/a"]);
}

#[test]
fn nowhere_at_all() {
    let (found, bad) = nowhere("<a href=x><a href=http://i/><a href=//i/><a href=http:x>");
    let targets: Vec<_> = found.iter().map(|found| found.target.as_deref()).collect();
    assert_eq!(targets[..3], [None, Some("http://i/"), None]);
    assert!(found.iter().all(|found| found.base.is_none()) && bad.is_empty());
    let (found, bad) = nowhere("<base href=http://i/e><a href=x>");
    assert_eq!((found[1].target.as_deref(), bad), (Some("http://i/x"), vec![]));
    for href in ["e/", "//i/", "", "?q"] {
        let (found, bad) = nowhere(&format!("<base href='{href}'><a href=x>"));
        assert_eq!((found[1].target.clone(), bad), (None, vec![BadBase::Relative]), "{href:?}");
    }
    let (found, _) = nowhere("<object codebase=http://i/ archive=a data=b>");
    let targets: Vec<_> = found.iter().map(|found| found.target.as_deref()).collect();
    assert_eq!(targets, [Some("http://i/"), Some("http://i/a"), None]);
}
