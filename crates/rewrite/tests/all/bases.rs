//! The base of each reference: HTML standard, section 2.4.3; HTML 4.01, section 13.3.2
//! (`codebase`); RFC 3986, section 5.1.

use basectx::{BadBase, BaseSource, Context};
use relink_rewrite::{
    Engine, Http, Media, Move, NewPlace, Options, Outcome, PrefixMap, Relative, SkipReason, Verify,
    absolutize, relativize, relocate,
};

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
    let unit = unit(document.as_bytes(), Media::HTML, &context);
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

const OLD: &str = "http://h/d/x";
const NEW: &str = "http://h/d/e/x";

/// Asserts the target of the reference in `start`, which comes before a `<base>`.
#[track_caller]
fn before(start: &str, expected: &str) {
    check(&format!("{start}<base href=e/>"), &[expected]);
}

#[test]
fn what_is_used_later_has_the_base_of_the_whole_document() {
    for start in [
        "<a href=x>",
        "<svg><a xlink:href=x></a></svg>",
        "<form action=x>",
        "<button formaction=x>",
        "<q cite=x>",
        "<link href=x>",
        "<link rel=manifest href=x>",
        "<link rel=canonical href=x>",
        "<svg><path fill='url(x)'/></svg>",
        "<meta property=og:image content=x>",
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"x\"]}]}</script>",
        "<script type=application/ld+json>{\"url\":\"x\"}</script>",
        // A script clones it.
        "<template><img src=x></template>",
        "<template><style>@import 'x';</style></template>",
        "<template><div><template shadowrootmode=open><img src=x></template></div></template>",
    ] {
        before(start, NEW);
    }
}

#[test]
fn what_is_loaded_at_once_has_the_base_of_that_moment() {
    for start in [
        "<link rel=stylesheet href=x>",
        "<link rel='alternate stylesheet' href=x>",
        "<link rel=modulepreload href=x>",
        "<link rel=prefetch href=x>",
        "<script src=x></script>",
        "<svg><script href=x></script></svg>",
        "<style>@import 'x';</style>",
        "<style>b { background: url(x) }</style>",
        "<svg><style>b { background: url(x) }</style></svg>",
        "<p style='background: url(x)'>",
        "<img src=x>",
        "<image src=x>",
        "<iframe src=x></iframe>",
        "<iframe loading=lazy src=x></iframe>",
        "<svg><image href=x /></svg>",
        "<meta http-equiv=refresh content='0; url=x'>",
        "<script type=importmap>{\"imports\":{\"a\":\"./x\"}}</script>",
        "<noscript><img src=x></noscript>",
        "<div><template shadowrootmode=open><img src=x></template></div>",
    ] {
        before(start, OLD);
    }
    check("<noscript><a href=x></noscript><base href=e/>", &[NEW]);
    let both = "<link rel=stylesheet href=x><base href=e/><link rel=stylesheet href=x>";
    check(both, &[OLD, NEW]);
}

#[test]
fn what_may_be_loaded_at_either_moment_has_two_targets() {
    for start in [
        "<link rel=next href=x>",
        "<link rel='shortcut icon' href=x>",
        "<link rel=apple-touch-icon href=x>",
        "<img loading=lazy src=x>",
        "<img srcset='x 1x'>",
        "<picture><source srcset=x></picture>",
        "<svg><use href=x /></svg>",
        "<embed src=x>",
        "<object data=x></object>",
        "<video src=x></video>",
        "<video poster=x></video>",
        "<audio><source src=x></audio>",
        "<video><track src=x></video>",
        "<input type=image src=x>",
        "<table background=x></table>",
        "<svg><rect fill='url(x)'/></svg>",
        "<svg><path marker-end='url(x)'/></svg>",
    ] {
        let document = format!("{start}<base href=e/>");
        before(start, NEW);
        let context = listing::at_url();
        let mut others = Vec::new();
        let unit = unit(document.as_bytes(), Media::HTML, &context);
        relink_rewrite::references(unit, &Options::default(), |site| {
            others.extend(site.other_target())
        });
        assert_eq!(others, [OLD], "{document}");
        // Both give the same one.
        let same = document.replace("e/", "http://h/d/f");
        let mut others = Vec::new();
        let unit = self::unit(same.as_bytes(), Media::HTML, &context);
        relink_rewrite::references(unit, &Options::default(), |site| {
            others.extend(site.other_target())
        });
        assert!(others.is_empty(), "{same}");
    }
    check("<picture><source srcset=/y><img src=x></picture><base href=e/>", &["http://h/y", NEW]);
    // An embedded document before it would have two bases.
    let srcdoc = "<iframe srcdoc='<a href=x>'></iframe>";
    let document = format!("{srcdoc}<base href=e/>{srcdoc}");
    let context = listing::at_url();
    let unit = unit(document.as_bytes(), Media::HTML, &context);
    let (found, report) = list(unit, &Options::default());
    let targets: Vec<_> = found.iter().filter_map(|found| found.target.as_deref()).collect();
    assert_eq!(targets, ["http://h/d/e/", NEW]);
    let reasons: Vec<SkipReason> = report.skipped.iter().map(|skipped| skipped.reason).collect();
    assert_eq!(reasons, [SkipReason::TwoBases]);
    check(&format!("{srcdoc}<base href=http://h/d/p>"), &[OLD]);
}

// The first in tree order counts, and one that is moved out of a table may become the first.
#[test]
fn a_base_that_becomes_the_first() {
    let image = "<img src=x>";
    let document = format!(
        "{image}<table><tr><td><base href=1/>{image}</td></tr><base href=2/><tr><td>{image}<a href=x>"
    );
    let expected = [OLD, "http://h/d/1/x", "http://h/d/2/x", "http://h/d/2/x"];
    check(&document, &expected);
    // A later one does not count, and neither does one that is removed with the body.
    check(&format!("<base href=1/>{image}<base href=2/>{image}"), &["http://h/d/1/x"; 2]);
    check(
        "<p><base href=1/><link rel=stylesheet href=x></p><frameset><frame src=x>",
        &["http://h/d/1/x", OLD],
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
    // The attributes of a later tag are those of the document, which is before its base.
    check("<base href=e/><html manifest=x>", &["http://h/d/x"]);
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

/// Chromium then has no base, and other browsers have the fallback base.
#[test]
fn a_base_that_is_no_url_gives_two_bases() {
    let document =
        "<base href='http://['><a href=x>x</a><a href=http://h/d/y>y</a><a href=#z>z</a>";
    let context = listing::at_url();
    let unit = unit(document.as_bytes(), Media::HTML, &context);
    let options = Options::default().with_verify(Verify::Full);
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "http://n/m/", []).unwrap();
    let absolute = absolutize(unit, &options);
    let relative = relativize(unit, &options, &Relative::below("http://h/"));
    let moved = relocate(unit, &options, &Move::by(moves));
    for (rewritten, output) in [
        (absolute, None),
        (relative, None),
        (moved, Some(document.replace("http://h/d/y", "http://n/m/d/y"))),
    ] {
        assert_eq!(rewritten.output().map(<[u8]>::to_vec), output.map(String::into_bytes));
        assert!(rewritten.report.counts.get(Outcome::TwoBases) >= 1, "{:?}", rewritten.report);
        assert_eq!(rewritten.report.bad_bases.len(), 1);
    }
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

/// Browsers ignore a base that a policy forbids (CSP 3, section 6.3.1), and those after it.
#[test]
fn a_base_that_a_policy_forbids() {
    let policy = |sources: &str| {
        format!("<meta http-equiv=Content-Security-Policy content=\"base-uri {sources}\">")
    };
    let page = |sources: &str| format!("{}<base href=http://i/e/><a href=x>", policy(sources));
    for (sources, target) in [
        ("'none'", "http://h/d/x"),
        ("'self'", "http://h/d/x"),
        ("https://i", "http://h/d/x"),
        ("i", "http://i/e/x"),
        ("*", "http://i/e/x"),
        ("*; base-uri 'none'", "http://i/e/x"),
    ] {
        check(&page(sources), &[target]);
        check(
            &format!("<title>a</title><link rel=stylesheet href=b>{}", page(sources)),
            &["http://h/d/b", target],
        );
    }
    check(
        &format!("{}<base href=http://i/><base href=/e/><a href=x>", policy("'self'")),
        &["http://h/d/x"],
    );
    check(&format!("{}<base href=/e/><a href=x>", policy("'self'")), &["http://h/e/x"]);
    // One that comes later, or is not in the head, has no effect.
    let base = "<base href=http://i/e/>";
    check(&format!("{base}{}<a href=x>", policy("'none'")), &["http://i/e/x"]);
    for start in ["<p>", "x", "<body>"] {
        check(&format!("{start}{}{base}<a href=x>", policy("'none'")), &["http://i/e/x"]);
    }
    let found = bad("<meta http-equiv=content-security-policy content='base-uri'><base href=e/>");
    assert_eq!(found, [(BadBase::Forbidden, "e/")]);
    let context = listing::at_url();
    let response = format!(
        "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Security-Policy: img-src *, base-uri h\n\n{base}<a href=x>"
    );
    let media = Media::Http(Http::Response(None));
    let (found, _) = list(unit(response.as_bytes(), media, &context), &Options::default());
    assert_eq!(found[1].target.as_deref(), Some("http://h/d/x"));
}

#[test]
fn bases_that_a_policy_forbids_at_one_place() {
    let start = "<meta http-equiv=Content-Security-Policy content=\"base-uri 'self'\">";
    let page = |base: &str, url: &str| format!("{start}<base href={base}><a href={url}>");
    let context = listing::at_url();
    let input = page("http://i/e/", "/d/x");
    let unit = unit(input.as_bytes(), Media::HTML, &context);
    let relative = relativize(unit, &Options::default(), &Relative::below("http://h/"));
    assert_eq!(relative.verify_error(), None);
    assert_eq!(String::from_utf8(relative.into_output().unwrap()).unwrap(), page("\"\"", "x"));
    let absolute = absolutize(unit, &Options::default());
    let expected = page("http://i/e/", "http://h/d/x");
    assert_eq!(String::from_utf8(absolute.into_output().unwrap()).unwrap(), expected);
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "http://i/", []).unwrap();
    let new_place = NewPlace { url: &"http://i/d/p".parse().unwrap(), root: "http://i/" };
    let input = page("http://i/e/", "x");
    let unit = listing::unit(input.as_bytes(), Media::HTML, &context).with_new_place(new_place);
    let moved = relocate(unit, &Options::default(), &Move::by(moves));
    // At its new place, the policy allows the base.
    assert_eq!(moved.verify_error(), None);
    assert_eq!(
        String::from_utf8(moved.into_output().unwrap()).unwrap(),
        page("http://i/e/", "../d/x")
    );
}

/// Browsers differ in the base of a `srcdoc` before a `<base>`. At the new place the policy forbids
/// that, and there is one base.
#[test]
fn a_document_with_two_bases_of_which_a_policy_forbids_one_at_the_new_place() {
    let page = |base: &str, url: &str| {
        format!(
            "<!doctype html><!--a--><meta http-equiv=Content-Security-Policy content='base-uri http://h'><iframe srcdoc='<img src=http://h/d/i><img src=k>'></iframe><base href={base}><img src={url}>"
        )
    };
    let context = listing::at_url();
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "http://i/", []).unwrap();
    let new_place = NewPlace { url: &"http://i/d/p".parse().unwrap(), root: "http://i/" };
    let input = page("/e/", "x");
    let unit = unit(input.as_bytes(), Media::HTML, &context).with_new_place(new_place);
    for engine in [Engine::Auto, Engine::Reference] {
        let options = Options::default().with_engine(engine).with_verify(Verify::Full);
        let moved = relocate(unit, &options, &Move::by(moves.clone()));
        assert_eq!(moved.verify_error(), None, "{engine:?}");
        let output = String::from_utf8(moved.into_output().unwrap()).unwrap();
        assert_eq!(output, page("/e/", "../e/x"), "{engine:?}");
    }
}

/// A document type is no text, after which there is no head.
#[test]
fn a_policy_after_a_document_type() {
    let rest = "<meta http-equiv=Content-Security-Policy content=\"base-uri 'none'\"><base href=http://i/e/><a href=x>";
    let context = listing::at_url();
    for (start, target) in [
        ("<!doctype html>", "http://h/d/x"),
        ("<!--a-->\n<!DOCTYPE html PUBLIC \"a\">\n", "http://h/d/x"),
        ("<!doctype html><!doctype>", "http://h/d/x"),
        ("<!doctype html>x", "http://i/e/x"),
        ("<!doctype html><!doctype>x", "http://i/e/x"),
    ] {
        let page = format!("{start}{rest}");
        for engine in [Engine::Auto, Engine::Reference] {
            let options = Options::default().with_engine(engine);
            let (found, _) = list(unit(page.as_bytes(), Media::HTML, &context), &options);
            let found = found.last().unwrap().target.as_deref();
            assert_eq!(found, Some(target), "{start:?} {engine:?}");
        }
    }
}
