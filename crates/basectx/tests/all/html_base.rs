//! The first `base` with `href` in tree order (HTML standard, 2.4.3), and the tags and comments of
//! a document with their ends.

use proptest::prelude::*;

use crate::recorder::{Event, record};

/// Checks the `href` of the document's base, or its absence.
#[track_caller]
fn check(input: &str, expected: Option<&str>) {
    let (events, bases) = record(input.as_bytes()).expect("it is not deep");
    let starts = events.iter().filter(|event| !event.shown.starts_with(['/', '!']));
    let tag = bases
        .last()
        .and_then(|step| step.tag)
        .map(|number| starts.clone().nth(number).expect("the tag was received"));
    let href = tag.map(|tag| {
        assert!(tag.shown.starts_with("base"), "{input:?}: {tag:?}");
        let mut attributes = tag.attributes.iter();
        &*attributes.find(|(name, _)| name == "href").expect("it has href").1
    });
    assert_eq!(href, expected, "{input:?}");
}

/// Checks the tags and comments of a document: `marked` has a `|` at the end of each; `expected`
/// lists them (see [`Event`]).
#[track_caller]
fn check_events(marked: &str, expected: &str) {
    let mut ends: Vec<usize> = marked.match_indices('|').map(|(at, _)| at).collect();
    ends.iter_mut().enumerate().for_each(|(n_before, end)| *end -= n_before);
    let (events, _) = record(marked.replace('|', "").as_bytes()).expect("it is not deep");
    let shown: Vec<&str> = events.iter().map(|event| &*event.shown).collect();
    assert_eq!(shown.join(" "), expected, "{marked:?}");
    let got: Vec<usize> = events.iter().map(|event| event.end).collect();
    assert_eq!(got, ends, "{marked:?}");
}

#[test]
fn the_first_with_href() {
    check("<base href=1>", Some("1"));
    check("<title>t</title><base href=1><base href=2>", Some("1"));
    check("<base target=x><base href=1><base href=2>", Some("1"));
    check("<base><p><base target=x>", None);
    check("<base href>", Some(""));
    check("<base href=''><base href=2>", Some(""));
    check("<BASE HREF=1>", Some("1"));
    check("<bAsE/hReF=1/>", Some("1/"));
    check("<base target=x href=1 href=2>", Some("1"));
    check("<base xlink:href=0><base href=1>", Some("1"));
    check("<basefont href=0><base href=1>", Some("1"));
    check("<base href=javascript:0><base href=2>", Some("javascript:0"));
    check("<p>no base", None);
    check("", None);
}

#[test]
fn anywhere_in_the_tree() {
    check("<body><p>text<base href=1>", Some("1"));
    check("<div><div><base href=1></div></div><base href=2>", Some("1"));
    check("<html><head></head><base href=1><body>", Some("1"));
    check("</body></html><base href=1>", Some("1"));
    check("<p><b><i></b><base href=1>", Some("1"));
    check("<base href=1", None);
    check("<base href=1 <p>", Some("1"));
}

#[test]
fn not_in_a_template() {
    check("<template><base href=0></template><base href=1>", Some("1"));
    check("<template><base href=0></template>", None);
    check("<template><div><base href=0></div><template><base href=0></template></template>", None);
    check("<template><base href=0>", None);
}

#[test]
fn not_in_raw_text_or_a_comment() {
    let names = "script style title textarea noscript noframes iframe noembed xmp";
    for name in names.split(' ') {
        check(&format!("<{name}><base href=0></{name}><base href=1>"), Some("1"));
        check(&format!("<body><{name}><base href=0></{name}><base href=1>"), Some("1"));
        check(&format!("<{name}><base href=0>"), None);
    }
    check("<plaintext><base href=0>", None);
    check("<!-- <base href=0> --><base href=1>", Some("1"));
    check("<!-- <base href=0>", None);
    check("<!--[if IE]><base href=0><![endif]--><base href=1>", Some("1"));
    check("<![CDATA[<base href=0>]]><base href=1>", Some("1"));
    check("<script><!--<script></script><base href=0>--></script><base href=1>", Some("1"));
}

#[test]
fn not_of_another_namespace() {
    check("<svg><base href=0></svg><base href=1>", Some("1"));
    check("<math><base href=0></math><base href=1>", Some("1"));
    check("<svg><base href=0 />", None);
    check("<svg><![CDATA[<base href=0>]]></svg><base href=1>", Some("1"));
    // Integration points (13.2.6.5) and the tags that break out of foreign content.
    check("<svg><foreignObject><base href=1></foreignObject></svg><base href=2>", Some("1"));
    check("<svg><desc><base href=1>", Some("1"));
    check("<svg><title><base href=1>", Some("1"));
    check("<math><mi><base href=1>", Some("1"));
    check("<math><annotation-xml encoding=Text/HTML><base href=1>", Some("1"));
    check("<math><annotation-xml><base href=0></annotation-xml></math><base href=1>", Some("1"));
    check("<svg><p><base href=1>", Some("1"));
    check("<svg><g></p><base href=1>", Some("1"));
}

#[test]
fn foster_parents_change_the_order() {
    check("<table><tr><td><base href=2></td></tr><base href=1></table>", Some("1"));
    check("<table><base href=1><base href=2></table><base href=3>", Some("1"));
    check("<base href=1><table><base href=2></table>", Some("1"));
    check("<table><td><base href=1></table><base href=2>", Some("1"));
    check("<table><td><base href=2><table><base href=3></table></td><tr><base href=1>", Some("1"));
}

#[test]
fn framesets() {
    check("<base href=1><frameset><frame src=a></frameset>", Some("1"));
    check("<frameset><base href=0><frame></frameset><base href=0>", None);
    // A frameset replaces a body that has nothing visible yet, with everything in it.
    check("<p><base href=0></p><frameset></frameset>", None);
    check("<p>text<base href=1></p><frameset></frameset>", Some("1"));
    check("<frameset></frameset><noframes><base href=0></noframes>", None);
}

#[test]
fn tags_end_after_their_sign() {
    check_events("<!DOCTYPE html><p>|text</p>|", "p /p");
    check_events("<p\n a=1\n>|</p \n>|<br/>|", "p /p br");
    check_events("<P CLASS=x>|</P x=y>|", "p /p");
    check_events("<a title='x>y' b=\">\">|></a>|", "a /a");
    check_events("<a title=x>|y>", "a");
    check_events("a > b >> <b>|", "b");
    check_events("<a<b>|<i>|", "a<b i");
    check_events("é<p>|é</p>|", "p /p");
    check_events("</>< p><3><p>|</ p>|", "p ! p");
    check_events("<p", "");
    check_events("<p>|<a href='x", "p");
    check_events("<p>|</p", "p");
}

#[test]
fn comments_end_with_their_last_byte() {
    check_events("<!--a-->|<p>|", "!a p");
    check_events("<!-- > -- > -->|<p>|", "! > -- >  p");
    check_events("<!-->|<!--->|<!---->|", "! ! !");
    check_events("<!--a--!>|b", "!a");
    check_events("<!x>|<?y>|</ z>|", "!x !?y ! z");
    check_events("<!--a", "");
    check_events("<!DOCTYPE a><p>|", "p");
    check_events("<![CDATA[x]]>|", "![CDATA[x]]");
}

#[test]
fn raw_text_has_no_tags() {
    check_events("<script>|a<b></c></script>|<b>|", "script= /script b");
    check_events("<style>|<p></style >|", "style= /style");
    check_events(
        "<title>|<p></title>|<textarea>|<p></textarea>|",
        "title= /title textarea= /textarea",
    );
    check_events("<noscript>|<p></noscript>|", "noscript= /noscript");
    check_events("<body>|<noscript>|<p></noscript>|", "body noscript= /noscript");
    check_events("<iframe>|<p></iframe>|<xmp>|<p></xmp>|", "iframe= /iframe xmp= /xmp");
    check_events("<script>|<!--<script></script>--></script>|", "script= /script");
    check_events("<plaintext>|</plaintext><p>", "plaintext=");
}

#[test]
fn namespaces() {
    check_events("<svg>|<g>|<a>|</svg>|<a>|", "svg:svg g:svg a:svg /svg a");
    check_events("<svg>|<FOREIGNOBJECT>|<p>|", "svg:svg foreignobject:svg p");
    check_events("<svg>|<foreignObject>|<svg>|", "svg:svg foreignobject:svg svg:svg");
    check_events("<math>|<mi>|<b>|", "math:math mi:math b");
    check_events("<math>|<mi>|<mglyph>|", "math:math mi:math mglyph:math");
    check_events(
        "<math>|<annotation-xml>|<svg>|<g>|",
        "math:math annotation-xml:math svg:svg g:svg",
    );
    check_events("<svg>|<title>|<p>|", "svg:svg title:svg p");
    check_events("<svg>|<style>|<p>|", "svg:svg style:svg p");
    check_events("<svg>|<style>|<g>|", "svg:svg style:svg g:svg");
    check_events("<svg>|<![CDATA[<p>]]><g>|", "svg:svg g:svg");
    check_events("<svg>|<font>|<font size=1>|", "svg:svg font:svg font");
    check_events("<svg>|<path />|<script />|<p>|", "svg:svg path:svg script:svg p");
    // Tags that the tree builder ignores are received all the same.
    check_events("<p>|<tr>|<head>|<g>|", "p tr head g");
    check_events("<p>|<image>|", "p image");
}

#[test]
fn names_and_values_keep_their_bytes() {
    let (events, _) = record(b"<p A\xC3='\xE9&amp;\xC3\xA9' b B=2>").expect("it is not deep");
    let expected = [("a\u{C3}", "\u{E9}&\u{C3}\u{A9}"), ("b", "")];
    let got: Vec<_> = events[0].attributes.iter().map(|(n, v)| (&**n, &**v)).collect();
    assert_eq!(got, expected);
    check_events("<!--\u{A0}-->|", "!\u{C2}\u{A0}");
}

fn soup() -> impl Strategy<Value = String> {
    let words = "<p> </p> <a> </a> <b x='>'> </b> <table> <tr> <td> </table> <svg> <g> <title> </title> </svg> <math> <mi> <style> </style> \
                 <!-- --> <!x> <template> </template> <select> <option> <frameset> <script> </script> <br/> > < ' \" & é text <p <image> \
                 <![CDATA[ ]]> <foreignObject> <noscript> </noscript> <input> <form> <textarea> </textarea> </body>";
    let words: Vec<&'static str> = words.split_whitespace().collect();
    proptest::collection::vec(proptest::sample::select(words), 0..30)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tag_ends_at_its_sign(input in soup()) {
        let (events, _) = record(input.as_bytes()).expect("it is not deep");
        let mut from = 0;
        for Event { end, shown, .. } in events {
            prop_assert!(from < end && input.as_bytes()[end - 1] == b'>', "{} {}", shown, end);
            let name = shown.trim_end_matches('=').split(':').next().unwrap_or_default();
            let text = input[from..end].to_ascii_lowercase();
            prop_assert!(shown.starts_with('!') || text.contains(&format!("<{name}")), "{}", shown);
            from = end;
        }
    }

    /// A document without `base` needs no tree: its events must not depend on that.
    #[test]
    fn the_tree_changes_no_event(input in soup()) {
        let (without, none) = record(input.as_bytes()).expect("it is not deep");
        let (with, _) = record(format!("{input}<base>").as_bytes()).expect("it is not deep");
        prop_assert!(none.is_empty());
        prop_assert_eq!(&without[..], &with[..without.len()]);
    }
}
