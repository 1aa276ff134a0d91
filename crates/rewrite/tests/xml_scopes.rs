//! XML: the scopes of `xml:base`.

mod listing;

use std::sync::Arc;

use basectx::Context;
use listing::{at_url, list, unit, xml};
use rewrite::{
    BaseElement, Extent, Limit, Limits, Media, Options, Relative, Rewritten, Roots, Undone,
    absolutize, documents, relativize,
};

/// A namespace for links.
const LINK: &str = "xmlns:l='http://www.w3.org/1999/xlink'";

/// The references as `slot text -> target`.
#[track_caller]
fn shown(document: &str) -> Vec<String> {
    xml(document)
        .iter()
        .map(|found| {
            let target = found.target.as_deref().unwrap_or("none");
            format!("{} {} -> {target}", found.slot, found.text)
        })
        .collect()
}

#[track_caller]
fn output(rewritten: Rewritten, input: &[u8]) -> Vec<u8> {
    assert_eq!(rewritten.disproof, None, "{:?}", String::from_utf8_lossy(input));
    rewritten.output.unwrap_or_else(|| input.to_vec())
}

#[track_caller]
fn becomes_absolute(input: &str, expected: &str) {
    let context = at_url();
    let rewritten = absolutize(unit(input.as_bytes(), Media::Xml, &context), &Options::default());
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

#[track_caller]
fn becomes_relative_with(input: &str, relative: &Relative, expected: &str) {
    let context = at_url();
    let unit = unit(input.as_bytes(), Media::Xml, &context);
    let rewritten = relativize(unit, &Options::default(), relative);
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

#[track_caller]
fn becomes_relative(input: &str, expected: &str) {
    becomes_relative_with(input, &Relative::below("http://h/"), expected);
}

/// What is left of a document, and where.
fn left(document: &str) -> Vec<(Undone, usize, Extent)> {
    let context = at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::Xml, &context), &Options::default());
    report.left.iter().map(|left| (left.reason, left.at, left.extent)).collect()
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
    // What is relative stays, and so does what is in its scope.
    let document = format!("<a {LINK} xml:base='e/'><b l:href='f'/></a>");
    becomes_relative(&document, &document);
    // What is absolute becomes relative, and what is in its scope stays where it leads.
    becomes_relative(
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='f'/><c l:href='http://h/g'/></a>"),
        &format!("<a {LINK} xml:base='../e/'><b l:href='f'/><c l:href='../g'/></a>"),
    );
    becomes_relative(
        &format!("<a {LINK} xml:base='http://h/e/'><b xml:base='//h/e/i/' l:href='../j'/></a>"),
        &format!("<a {LINK} xml:base='../e/'><b xml:base='i/' l:href='../j'/></a>"),
    );
    // Out of the tree there is nothing to be relative to but what is in it.
    becomes_relative(
        &format!("<a {LINK} xml:base='http://i/e/'><b l:href='f'/><c l:href='http://h/g'/></a>"),
        &format!(
            "<a {LINK} xml:base='http://i/e/'><b l:href='http://i/e/f'/><c l:href='http://h/g'/></a>"
        ),
    );
    let keep = Relative { base_element: BaseElement::Keep, ..Relative::below("http://h/") };
    becomes_relative_with(
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='http://h/e/f'/></a>"),
        &keep,
        &format!("<a {LINK} xml:base='http://h/e/'><b l:href='f'/></a>"),
    );
}

#[test]
fn an_xml_base_in_a_page_with_a_base_element() {
    const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'>";
    let document = format!(
        "{PAGE}<head><base href='http://h/b/'/></head><p xml:base='c/'><a href='x'/></p><a href='y'/></html>"
    );
    assert_eq!(
        shown(&document),
        [
            "base[href] http://h/b/ -> http://h/b/",
            "*[xml:base] c/ -> http://h/b/c/",
            "a[href] x -> http://h/b/c/x",
            "a[href] y -> http://h/b/y",
        ]
    );
    // The base is emptied; the scope is made to stay where it was.
    becomes_relative(
        &document,
        &format!(
            "{PAGE}<head><base href=''/></head><p xml:base='../b/c/'><a href='x'/></p><a href='../b/y'/></html>"
        ),
    );
}

#[test]
fn a_second_run_changes_nothing_where_schemes_are_in_other_letter_case() {
    const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'>";
    let document =
        format!("{PAGE}<base href='Http://h/b/'/><p xml:base='c/'><a href='x'/></p></html>");
    let expected = format!("{PAGE}<base href=''/><p xml:base='../b/c/'><a href='x'/></p></html>");
    becomes_relative(&document, &expected);
    becomes_relative(&expected, &expected);
}

/// A tree may go by several URLs, and hosts are compared without letter case: what is made relative is in the tree's spelling, and so is
/// what stands in it (found by fuzzing).
#[test]
fn what_stands_in_a_base_that_is_respelled_stays() {
    let mut relative = Relative::below("http://h/");
    let mut roots = Roots::default();
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
    // Where it stays as it is, so does its spelling.
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
fn each_scope_is_told() {
    let document = "<a xml:base='b/'><c xml:base='d/'/><e xml:base='/f/'/></a>";
    let context = at_url();
    let mut told = Vec::new();
    documents(unit(document.as_bytes(), Media::Xml, &context), &Options::default(), |site| {
        told.extend(site.scopes.iter().map(|scope| {
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
    assert_eq!(told, expected.map(|(base, chain)| (base.to_owned(), chain.to_owned())));
}

#[test]
fn deep_scopes_are_left() {
    let nested = |n: usize| format!("{}{}", "<a xml:base='b/'>".repeat(n), "</a>".repeat(n));
    assert_eq!(left(&nested(100)), []);
    let reasons: Vec<_> = left(&nested(101)).into_iter().map(|(reason, ..)| reason).collect();
    assert_eq!(reasons, [Undone::Limit(Limits::default().met(Limit::XmlBases))]);
}
