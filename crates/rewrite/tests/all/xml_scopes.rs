//! XML: the scopes of `xml:base`.

use std::sync::Arc;

use basectx::Context;
use relink_rewrite::{
    BaseElement, FixedRoots, Limit, Limits, Media, Options, Relative, Rewritten, SkipReason,
    SkipScope, XmlBase, absolutize, documents, relativize,
};
use urlcore::Dialect;

use crate::listing::{at_url, list, unit, xml};

/// A namespace declaration for links.
const LINK: &str = "xmlns:l='http://www.w3.org/1999/xlink'";

/// Returns the references as `slot text -> target`.
#[track_caller]
fn shown(document: &str) -> Vec<String> {
    shown_with(document, &Options::default())
}

#[track_caller]
fn shown_with(document: &str, options: &Options) -> Vec<String> {
    list(unit(document.as_bytes(), Media::XML, &at_url()), options)
        .0
        .iter()
        .map(|found| {
            let target = found.target.as_deref().unwrap_or("none");
            format!("{} {} -> {target}", found.slot, found.text)
        })
        .collect()
}

#[track_caller]
fn output(rewritten: Rewritten, input: &[u8]) -> Vec<u8> {
    assert_eq!(rewritten.verify_error(), None, "{:?}", String::from_utf8_lossy(input));
    rewritten.into_output().unwrap_or_else(|| input.to_vec())
}

#[track_caller]
fn becomes_absolute(input: &str, expected: &str) {
    let context = at_url();
    let rewritten = absolutize(unit(input.as_bytes(), Media::XML, &context), &Options::default());
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

#[track_caller]
fn becomes_relative_with(input: &str, relative: &Relative, expected: &str) {
    let context = at_url();
    let unit = unit(input.as_bytes(), Media::XML, &context);
    let rewritten = relativize(unit, &Options::default(), relative);
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

#[track_caller]
fn becomes_relative(input: &str, expected: &str) {
    becomes_relative_with(input, &Relative::below("http://h/"), expected);
}

/// Returns the skipped documents with their offsets.
fn skipped(document: &str) -> Vec<(SkipReason, usize, SkipScope)> {
    let context = at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::XML, &context), &Options::default());
    report.skipped.iter().map(|skipped| (skipped.reason, skipped.at, skipped.extent)).collect()
}

#[test]
fn scopes_nest() {
    let document = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/blog/'>\
        <link href='a'/><entry xml:base='2003/' xmlns:l='http://www.w3.org/1999/xlink' l:href='b'>\
        <link href='c'/><icon>d</icon></entry><link href='e'/></feed>";
    assert_eq!(
        shown(document),
        [
            "*[xml:base] /blog/ -> http://h/blog/",
            "atom link[href] a -> http://h/blog/a",
            "*[xml:base] 2003/ -> http://h/blog/2003/",
            "*[xlink:href] b -> http://h/blog/2003/b",
            "atom link[href] c -> http://h/blog/2003/c",
            "atom icon d -> http://h/blog/2003/d",
            "atom link[href] e -> http://h/blog/e",
        ]
    );
    becomes_absolute(
        document,
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://h/blog/'>\
        <link href='http://h/blog/a'/><entry xml:base='http://h/blog/2003/' xmlns:l='http://www.w3.org/1999/xlink' l:href='http://h/blog/2003/b'>\
        <link href='http://h/blog/2003/c'/><icon>http://h/blog/2003/d</icon></entry><link href='http://h/blog/e'/></feed>",
    );
}

/// The example of XML Base, section 4.1 (its numbers are the targets that it gives).
#[test]
fn the_example_of_xml_base() {
    let document = r#"<?xml version="1.0"?>
<doc xml:base="http://example.org/today/" xmlns:xlink="http://www.w3.org/1999/xlink">
  <head><title>Virtual Library</title></head>
  <body>
    <paragraph>See <link xlink:type="simple" xlink:href="new.xml">what's new</link>!</paragraph>
    <paragraph>Check out the hot picks of the day!</paragraph>
    <olist xml:base="/hotpicks/">
      <item><link xlink:type="simple" xlink:href="pick1.xml">Hot Pick #1</link></item>
      <item><link xlink:type="simple" xlink:href="pick2.xml">Hot Pick #2</link></item>
    </olist>
  </body>
</doc>
"#;
    let targets: Vec<_> = xml(document).into_iter().filter_map(|found| found.target).collect();
    assert_eq!(
        targets,
        [
            "http://example.org/today/",
            "http://example.org/today/new.xml",
            "http://example.org/hotpicks/",
            "http://example.org/hotpicks/pick1.xml",
            "http://example.org/hotpicks/pick2.xml",
        ]
    );
}

#[test]
fn a_scope_is_kept_where_the_law_holds_and_rewritten_where_not() {
    // A relative value stays, and so do the references in its scope.
    let document = format!("<a {LINK} xml:base='e/'><b l:href='f'/></a>");
    becomes_relative(&document, &document);
    // An absolute value becomes relative, and the references in its scope keep their targets.
    becomes_relative(
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='f'/><c l:href='http://h/g'/></a>"),
        &format!("<a {LINK} xml:base='../e/'><b l:href='f'/><c l:href='../g'/></a>"),
    );
    becomes_relative(
        &format!("<a {LINK} xml:base='http://h/e/'><b xml:base='//h/e/i/' l:href='../j'/></a>"),
        &format!("<a {LINK} xml:base='../e/'><b xml:base='i/' l:href='../j'/></a>"),
    );
    // Under a base out of the tree, references into the tree cannot be relative.
    becomes_relative(
        &format!("<a {LINK} xml:base='http://i/e/'><b l:href='f'/><c l:href='http://h/g'/></a>"),
        &format!(
            "<a {LINK} xml:base='http://i/e/'><b l:href='http://i/e/f'/><c l:href='http://h/g'/></a>"
        ),
    );
    let keep = Relative::below("http://h/").with_base_element(BaseElement::Keep);
    becomes_relative_with(
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='http://h/e/f'/></a>"),
        &keep,
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='f'/></a>"),
    );
}

const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'>";
const DRAWING: &str =
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'";

/// Returns options by which `xml:base` applies everywhere.
fn everywhere() -> Options {
    Options::default().with_xml_base(XmlBase::Everywhere)
}

#[test]
fn an_xml_base_in_a_page_with_a_base_element() {
    let document = format!(
        "{PAGE}<head><base href='http://h/b/'/></head><p xml:base='c/'><a href='x'/></p><a href='y'/></html>"
    );
    let found = |target| {
        [
            "base[href] http://h/b/ -> http://h/b/",
            "*[xml:base] c/ -> http://h/b/c/",
            target,
            "a[href] y -> http://h/b/y",
        ]
    };
    assert_eq!(shown(&document), found("a[href] x -> http://h/b/x"));
    assert_eq!(shown_with(&document, &everywhere()), found("a[href] x -> http://h/b/c/x"));
    // The base is emptied; the value of the attribute keeps its target.
    becomes_relative(
        &document,
        &format!(
            "{PAGE}<head><base href=''/></head><p xml:base='../b/c/'><a href='../b/x'/></p><a href='../b/y'/></html>"
        ),
    );
    let context = at_url();
    let unit = unit(document.as_bytes(), Media::XML, &context);
    let rewritten = relativize(unit, &everywhere(), &Relative::below("http://h/"));
    let expected = format!(
        "{PAGE}<head><base href=''/></head><p xml:base='../b/c/'><a href='x'/></p><a href='../b/y'/></html>"
    );
    assert_eq!(
        String::from_utf8(output(rewritten, document.as_bytes())).as_deref(),
        Ok(&*expected)
    );
}

/// DOM standard, "node document base URL": only `<base>` counts.
#[test]
fn elements_that_browsers_read_ignore_the_scope() {
    let page = |from: &str, base: [&str; 2]| {
        let [outer, inner] = base;
        format!(
            "{PAGE}<body xml:base='{outer}'><a href='{from}a' ping='{from}b'/><img src='{from}c' srcset='{from}d 1x'/>\
             <div xml:base='{inner}' style='a:url({from}e)'><form action='{from}f'/><style>b{{c:url({from}g)}}</style>\
             <svg xmlns='http://www.w3.org/2000/svg'><image href='{from}h'/></svg>\
             <m:math xmlns:m='http://www.w3.org/1998/Math/MathML' href='{from}i'/>\
             <object codebase='{from}j/' classid='k'/></div></body></html>"
        )
    };
    let absolute = page("http://h/d/", ["http://h/o/", "http://h/o/n/"])
        .replace("classid='k'", "classid='http://h/d/j/k'");
    becomes_absolute(&page("", ["/o/", "n/"]), &absolute);
    becomes_absolute(&absolute, &absolute);
    let drawing = |from: &str, base: &str| {
        format!(
            "{DRAWING} xml:base='{base}'><a l:href='{from}a'/><image href='{from}b' fill='url({from}c)'/><use href='#d'/></svg>"
        )
    };
    becomes_absolute(&drawing("", "o/"), &drawing("http://h/d/", "http://h/d/o/"));
    becomes_relative(&drawing("http://h/d/", "http://h/d/o/"), &drawing("", "o/"));
    becomes_relative(&drawing("", "o/"), &drawing("", "o/"));
}

/// Elements that other programs read in such a document have the scopes of XML Base, and so have
/// the values of the attribute.
#[test]
fn elements_of_other_namespaces_keep_the_scope() {
    let drawing = format!(
        "{DRAWING} xml:base='o/'><metadata><x l:href='a'><image xmlns='http://www.w3.org/2000/svg' href='b'/></x>\
         <y xml:base='n/' l:href='c'/></metadata></svg>"
    )
    .replace("<x", "<x xmlns='urn:x'")
    .replace("<y", "<y xmlns='urn:x'");
    let expected = [
        "*[xml:base] o/ -> http://h/d/o/",
        "*[xlink:href] a -> http://h/d/o/a",
        "svg *[href] b -> http://h/d/b",
        "*[xml:base] n/ -> http://h/d/o/n/",
        "*[xlink:href] c -> http://h/d/o/n/c",
    ];
    assert_eq!(shown(&drawing), expected);
    let there = expected.map(|line| line.replace("http://h/d/b", "http://h/d/o/b"));
    assert_eq!(shown_with(&drawing, &everywhere()), there);
}

#[test]
fn pages_and_drawings_in_other_documents_keep_the_scope() {
    for root in ["feed xmlns='http://www.w3.org/2005/Atom'", "book xmlns='urn:x'", "rss"] {
        let name = root.split(' ').next().unwrap_or_default();
        let document = format!(
            "<{root} xml:base='o/'><a xmlns='http://www.w3.org/1999/xhtml' href='x'/>\
             <svg xmlns='http://www.w3.org/2000/svg'><a href='y'/></svg></{name}>"
        );
        let expected = [
            "*[xml:base] o/ -> http://h/d/o/",
            "a[href] x -> http://h/d/o/x",
            "svg a[href] y -> http://h/d/o/y",
        ];
        assert_eq!(shown(&document), expected);
    }
    // Dialects that predate the reading of browsers use that of XML Base.
    let page = format!("{PAGE}<p xml:base='c/'><a href='x'/></p></html>");
    let options = Options::default().with_dialect(Dialect::Rfc3986);
    let expected = ["*[xml:base] c/ -> http://h/d/c/", "a[href] x -> http://h/d/c/x"];
    assert_eq!(shown_with(&page, &options), expected);
}

#[test]
fn documents_that_xml_base_reads_otherwise_are_known() {
    let context = at_url();
    for (inner, expected) in [
        ("<p xml:base='c/'><a href='x'/></p>", Some("x'/>")),
        ("<p xml:base='c/'><a href='http://i/'/><b style='a:url(y)'/></p>", Some("y)")),
        ("<p xml:base='c/'><object codebase='x/' classid='y'/></p>", Some("x/' c")),
        ("<p xml:base='c/'><iframe srcdoc='&lt;a href=x>'/></p>", Some("&lt;a")),
        ("<p xml:base='http://['><a href='x'/></p>", Some("x'/>")),
        // Both readings give the same target, or nothing is read there.
        ("<p xml:base='c/'><a href='http://i/'/><a href='/x'/><a/></p>", None),
        ("<p xml:base=''><a href='x'/></p>", None),
        ("<p xml:base='c/'/><a href='x'/>", None),
        (
            "<p xml:base='c/'><x xmlns='urn:x' xmlns:l='http://www.w3.org/1999/xlink' l:href='x'/></p>",
            None,
        ),
    ] {
        let document = format!("{PAGE}{inner}</html>");
        let unit = || unit(document.as_bytes(), Media::XML, &context);
        let at = expected.and_then(|text| document.find(text));
        let rewritten = absolutize(unit(), &Options::default());
        assert_eq!(rewritten.report.ignored_xml_base, at, "{document}");
        let rewritten = absolutize(unit(), &everywhere());
        assert_eq!(rewritten.report.ignored_xml_base, None, "{document}");
    }
}

/// An unknown base matters only if a reference resolves against it.
#[test]
fn an_ignored_base_may_be_unknown() {
    let page = |list: &str, base: &str, url: &str, more: &str| {
        format!(
            "<!DOCTYPE html [<!ENTITY e 'c'>{list}]>{PAGE}<p{base}><a href='{url}'/><q xml:base='d/'>{more}</q></p></html>"
        )
    };
    let more = format!("<x xmlns='urn:x' {LINK} l:href='y'/>");
    for (list, base) in [
        ("", " xml:base='&e;/'"),
        ("<!ATTLIST p xml:base CDATA 'c/'>", ""),
        ("", " xml:base='{{e}}'"),
    ] {
        let input = page(list, base, "x", "");
        let expected = page(list, base, "http://h/d/x", "");
        becomes_absolute(&input, &expected);
        becomes_relative(&expected, &input);
        let reasons: Vec<_> =
            skipped(&page(list, base, "x", &more)).iter().map(|skipped| skipped.0).collect();
        let is_skipped = !base.contains("{{");
        assert_eq!(
            reasons,
            [SkipReason::BaseEntity].repeat(usize::from(is_skipped)),
            "{list} {base}"
        );
    }
}

#[test]
fn a_second_run_changes_nothing_where_schemes_are_in_other_letter_case() {
    let document =
        format!("{PAGE}<base href='Http://h/b/'/><p xml:base='c/'><a href='x'/></p></html>");
    let expected =
        format!("{PAGE}<base href=''/><p xml:base='../b/c/'><a href='../b/x'/></p></html>");
    becomes_relative(&document, &expected);
    becomes_relative(&expected, &expected);
}

/// A tree may have several URLs, and hosts are compared ignoring letter case: a reference that is
/// made relative is in the tree's spelling, and so are the references in its scope (found by
/// fuzzing).
#[test]
fn references_under_a_respelled_base_stay() {
    let mut relative = Relative::below("http://h/");
    let mut roots = FixedRoots::default();
    roots.add("http://h/", ["https://www.h/".to_owned()]);
    relative.map = Arc::new(roots);
    for url in ["http://H/e/", "https://www.h/e/"] {
        let document = format!(
            "<a {LINK} xml:base='{url}'><b l:href='f'/><c l:href='http://h/e/g'/><d xml:base='i/'><b l:href='j'/></d></a>"
        );
        let expected = format!(
            "<a {LINK} xml:base='../e/'><b l:href='f'/><c l:href='g'/><d xml:base='i/'><b l:href='j'/></d></a>"
        );
        becomes_relative_with(&document, &relative, &expected);
        becomes_relative_with(&expected, &relative, &expected);
    }
    // If it stays unchanged, so does its spelling.
    let document = format!("<a {LINK} xml:base='http://H/{{{{x}}}}/'><b l:href='f'/></a>");
    becomes_relative_with(&document, &relative, &document);
}

#[test]
fn what_is_no_base_makes_it_unknown() {
    for base in ["http://[", "data:,x", "{{root}}", "mailto:x"] {
        let document = format!("<a {LINK} xml:base='{base}'><b l:href='f'/></a>");
        becomes_absolute(&document, &document);
    }
    becomes_absolute(
        &format!("<a {LINK} xml:base=''><b l:href='f'/></a>"),
        &format!("<a {LINK} xml:base=''><b l:href='http://h/d/f'/></a>"),
    );
    becomes_absolute(
        &format!("<a {LINK} xml:base='?q#f'><b l:href='#g'/></a>"),
        &format!("<a {LINK} xml:base='http://h/d/p?q#f'><b l:href='http://h/d/p?q#g'/></a>"),
    );
}

#[test]
fn each_scope_is_shown() {
    let document = "<a xml:base='b/'><c xml:base='d/'/><e xml:base='/f/'/></a>";
    let context = at_url();
    let mut reported = Vec::new();
    documents(unit(document.as_bytes(), Media::XML, &context), &Options::default(), |site| {
        reported.extend(site.scopes.iter().map(|scope| {
            let chain: Vec<_> = scope.chain().filter_map(Context::url).collect();
            let (start, end) = scope.span().unwrap_or_default();
            (document[start..end].to_owned(), chain.join(" < "))
        }));
    });
    let expected = [
        ("b/", "http://h/d/b/ < http://h/d/p"),
        ("d/", "http://h/d/b/d/ < http://h/d/b/ < http://h/d/p"),
        ("/f/", "http://h/f/ < http://h/d/b/ < http://h/d/p"),
    ];
    assert_eq!(reported, expected.map(|(base, chain)| (base.to_owned(), chain.to_owned())));
}

#[test]
fn deep_scopes_are_skipped() {
    let nested = |n: usize| format!("{}{}", "<a xml:base='b/'>".repeat(n), "</a>".repeat(n));
    assert_eq!(skipped(&nested(100)), []);
    let reasons: Vec<_> = skipped(&nested(101)).into_iter().map(|(reason, ..)| reason).collect();
    assert_eq!(reasons, [SkipReason::Limit(Limits::default().met(Limit::XmlBases))]);
}
