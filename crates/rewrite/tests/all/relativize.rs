//! The text written when a document is made relative: bases, always-absolute slots, local and empty
//! values, styles, trees.

use relink_rewrite::{
    BaseElement, Engine, Extras, Filter, Media, NewBytes, Options, Outcome, Relative, Rewritten,
    SkipReason, Verify, relativize,
};
use urlcore::Style;

use crate::listing::{URL, at_url, unit};

/// Makes the document at `http://h/d/p` relative with both engines, verified by the reference
/// engine.
#[track_caller]
fn convert(relative: &Relative, document: &str) -> Rewritten {
    let context = at_url();
    let by = |engine, verify| {
        let options = Options::default().with_engine(engine).with_verify(verify);
        relativize(unit(document.as_bytes(), Media::HTML, &context), &options, relative)
    };
    let rewritten = by(Engine::Auto, Verify::Full);
    assert_eq!(rewritten.verify_error(), None, "{document}");
    assert_eq!(rewritten.output(), by(Engine::Reference, Verify::Full).output(), "{document}");
    assert_eq!(
        rewritten.output(),
        by(Engine::Auto, Verify::None).output(),
        "only the proof: {document}"
    );
    rewritten
}

#[track_caller]
fn check_with(relative: &Relative, document: &str, expected: &str) {
    let output = convert(relative, document).into_output();
    let output = output.as_deref().unwrap_or(document.as_bytes());
    assert_eq!(String::from_utf8_lossy(output), expected);
    let again = String::from_utf8_lossy(output).into_owned();
    assert_eq!(convert(relative, &again).into_output(), None, "a second run of {again}");
}

#[track_caller]
fn check(document: &str, expected: &str) {
    check_with(&Relative::default(), document, expected);
}

#[track_caller]
fn check_base(base_element: BaseElement, document: &str, expected: &str) {
    check_with(&Relative::default().with_base_element(base_element), document, expected);
}

/// A reference that cannot be written keeps its base, with or without verification (found by
/// fuzzing): the base is made relative, and not emptied.
#[test]
fn a_reference_that_is_refused_holds_its_base() {
    let kept =
        "<base href=\"http://h/it's/\"><meta http-equiv=refresh content=\"1; URL='x'\"><a href=y>";
    check(kept, &kept.replace("http://h/", "../"));
    let right = kept.replace("'x'", "'http://h/d/x'");
    check(
        &right,
        "<base href=\"\"><meta http-equiv=refresh content=\"1; URL='x'\"><a href=../it&#39;s/y>",
    );
}

#[test]
fn paths() {
    check("<a href=http://h/d/x>", "<a href=x>");
    check("<a href=http://h/x>", "<a href=../x>");
    check("<a href=/d/x/y>", "<a href=x/y>");
    check("<a href=//h/d/>", "<a href=./>");
    check("<a href=http://h/d/x:y>", "<a href=./x:y>");
    check("<a href='http://h/d/x?a&amp;b#c'>", "<a href='x?a&amp;b#c'>");
    check("<a href=http://h/d/p?q>", "<a href=?q>");
    check("<a href=http://i/x><a href=mailto:x>", "<a href=http://i/x><a href=mailto:x>");
    check("<a href=//i/x>", "<a href=http://i/x>");
    // A relative reference stays as it is, even if it could be shorter.
    check("<a href=../d/x><a href=./x><a href=p#x>", "<a href=../d/x><a href=./x><a href=p#x>");
}

#[test]
fn the_document_itself() {
    check("<a href=http://h/d/p#x><a href='#x'>", "<a href=#x><a href='#x'>");
    // An empty value is never written.
    check("<a href=http://h/d/p>", "<a href=p>");
    check("<a href=''>", "<a href=''>");
    // In a slot that is local a fragment alone would mean something else.
    check("<img usemap=http://h/d/p#x>", "<img usemap=p#x>");
    check("<svg><use href=http://h/d/p#x>", "<svg><use href=p#x>");
    check("<img usemap='#x'>", "<img usemap='#x'>");
}

#[test]
fn lists_and_embedded_documents() {
    check(
        "<img srcset='http://h/d/x 1x,http://h/y 2x'><a ping='http://h/d/x http://i/'>",
        "<img srcset='x 1x,../y 2x'><a ping='x http://i/'>",
    );
    check("<p style='a:url(http://h/d/x)'>", "<p style='a:url(x)'>");
    check(
        "<meta http-equiv=refresh content='0;url=http://h/d/x'>",
        "<meta http-equiv=refresh content='0;url=x'>",
    );
    check(
        "<iframe srcdoc='<a href=http://h/d/x>'></iframe><noscript><img src=http://h/d/y></noscript>",
        "<iframe srcdoc='<a href=x>'></iframe><noscript><img src=y></noscript>",
    );
}

#[test]
fn bases_are_emptied() {
    check(
        "<base href=http://i/e/><a href=x>",
        "<base href=\"\"><a href=//i/e/x>".replace("//i", "http://i").as_str(),
    );
    check("<base href='http://h/e/'><a href=x>", "<base href=''><a href=../e/x>");
    check(
        "<base href=/e/><a href=x><a href='#y'>",
        "<base href=\"\"><a href=../e/x><a href='../e/#y'>",
    );
    check("<base href=//h/e/><a href=../d/p#x>", "<base href=\"\"><a href=../d/p#x>");
    // The references change only if the law requires it.
    check("<base href=http://h/d/><a href=x>", "<base href=\"\"><a href=x>");
    check("<base href='http://h/d/p'><a href='#x'>", "<base href=''><a href='#x'>");
    // White space around it is not part of it (found by fuzzing).
    check("<base href='http://h/e/\n'><a href=x>", "<base href='\n'><a href=../e/x>");
    check("<base href=' \thttp://h/e/ '><a href=x>", "<base href=' \t '><a href=../e/x>");
    check("<base href='\x01http://h/e/\n '><a href=x>", "<base href='\x01\n '><a href=../e/x>");
    // A relative path stays.
    check("<base href=e/><a href=x><a href=/y>", "<base href=e/><a href=x><a href=../../y>");
    check("<base href=''><a href=http://h/d/x>", "<base href=''><a href=x>");
    // Late, repeated, in noscript, in svg, invalid.
    check("<a href=x><p><base href=/e/>", "<a href=../e/x><p><base href=\"\">");
    check(
        "<base href=/e/><base href=/f/><a href=x>",
        "<base href=\"\"><base href=\"\"><a href=../e/x>",
    );
    check(
        "<svg><base href=/e/></svg><a href=x>",
        "<svg><base href=/e/></svg><a href=x>"
            .replace("<base href=/e/>", "<base href=../e/>")
            .as_str(),
    );
    check("<base href='data:,x'><a href=x>", "<base href='data:,x'><a href=x>");
    check("<base href='foo:x'><a href=x>", "<base href='foo:x'><a href=x>");
    check("<base href='{{b}}'><a href=http://h/d/x>", "<base href='{{b}}'><a href=http://h/d/x>");
}

#[test]
fn bases_around_embedded_documents() {
    check(
        "<base href=/e/><iframe srcdoc='<a href=x>'></iframe>",
        "<base href=\"\"><iframe srcdoc='<a href=../e/x>'></iframe>",
    );
    check(
        "<base href=/e/><iframe srcdoc='<base href=f/><a href=x>'></iframe>",
        "<base href=\"\"><iframe srcdoc='<base href=f/><a href=../../e/f/x>'></iframe>",
    );
    check(
        "<base href=/e/><object codebase=c/ data=x classid=y></object>",
        "<base href=\"\"><object codebase=../e/c/ data=../e/x classid=y></object>",
    );
    // A relative @base is resolved against the base around it, which therefore stays.
    let linked = |base| {
        format!(
            "<base href={base}><script type=application/ld+json>\
             {{\"@context\":{{\"@base\":\"a\"}},\"url\":\"x\"}}</script>"
        )
    };
    check(&linked("/e/"), &linked("../e/"));
}

#[test]
fn bases_that_stay() {
    let keep = BaseElement::Keep;
    check_base(
        keep,
        "<base href=http://h/e/><a href=http://h/e/x>",
        "<base href=http://h/e/><a href=x>",
    );
    check_base(
        keep,
        "<base href=http://h/e/><a href=http://h/e/#x>",
        "<base href=http://h/e/><a href=./#x>",
    );
    check_base(
        BaseElement::Relative,
        "<base href=http://h/e/><a href=x>",
        "<base href=../e/><a href=x>",
    );
    check_base(
        BaseElement::Relative,
        "<base href=http://i/><a href=x>",
        "<base href=http://i/><a href=x>",
    );
}

/// Where a reference cannot follow an emptied base, the base is written for each place of the tree.
#[test]
fn a_base_that_cannot_be_emptied_is_made_relative() {
    let in_tree = Relative::below("http://h/d/");
    let with =
        |base: &str| format!("<table background=x></table><base href=\"{base}\"><img src=y>");
    for base in ["../d/sub/", "/d/sub/", "//h/d/sub/", "http://h/d/sub/"] {
        check_with(&in_tree, &with(base), &with("sub/"));
    }
    // One that can be is emptied.
    let after = "<base href='../d/sub/'><table background=x></table>";
    check_with(&in_tree, after, "<base href=''><table background=sub/x></table>");
    // One outside of the tree stays.
    let outside = with("http://i/");
    check_with(&in_tree, &outside, &outside.replace("src=y", "src=http://i/y"));
    // A template that depends on it stays, and keeps its target.
    let template = "<base href=http://h/d/sub/><a href='{{x}}'>";
    check_with(&in_tree, template, "<base href=sub/><a href='{{x}}'>");
}

#[test]
fn always_absolute() {
    check("<link rel=canonical href=x>", "<link rel=canonical href=http://h/d/x>");
    check(
        "<meta property=og:url content=http://h/d/x>",
        "<meta property=og:url content=http://h/d/x>",
    );
    check("<meta property=og:image content=/x>", "<meta property=og:image content=http://h/x>");
}

#[test]
fn styles() {
    let style = |style| Relative::default().with_style(style);
    let document = "<a href=http://h/d/x><a href=http://h/><a href=http://h/d/p#x>";
    check_with(&style(Style::AbsolutePath), document, "<a href=/d/x><a href=/><a href=/d/p#x>");
    check_with(&style(Style::Shortest), document, "<a href=x><a href=/><a href=#x>");
    check_with(&style(Style::Shortest), "<a href=../d/x>", "<a href=x>");
}

/// A reference that is right at one URL of the tree and dead at any other is written again.
#[test]
fn what_leaves_the_tree_and_comes_back_is_shortened() {
    let relative = Relative::below("http://h/d/");
    check_with(&relative, "<img src=../d/a.png>", "<img src=a.png>");
    check_with(&relative, "<img src=%2e%2e/d/a.png>", "<img src=a.png>");
    check_with(&relative, "<img src=../../d/a.png>", "<img src=a.png>");
    check_with(&relative, "<img src=x/../a.png>", "<img src=x/../a.png>");
    // At the root of a host, `..` leads nowhere else.
    let site = Relative::below("http://h/");
    check_with(&site, "<img src=../../a.png>", "<img src=../a.png>");
    // The tree itself, without its slash: for links a server redirects.
    check_with(&relative, "<a href=/d><a href='/d?q'>", "<a href=./><a href='./?q'>");
    check_with(&relative, "<link rel=next href=/d>", "<link rel=next href=http://h/d>");
}

#[test]
fn a_base_above_the_tree_is_emptied() {
    let relative = Relative::below("http://h/d/").with_base_element(BaseElement::Empty);
    check_with(
        &relative,
        "<base href='../'><img src='/d/a.png'>",
        "<base href=''><img src='a.png'>",
    );
    check_with(&relative, "<base href='../'><a href='e'>", "<base href=''><a href='http://h/e'>");
    check_with(&relative, "<base href='x/'><img src='a.png'>", "<base href='x/'><img src='a.png'>");
    // If the base must stay, only absolute references lead into the tree.
    let kept = Relative::below("http://h/d/").with_base_element(BaseElement::Keep);
    check_with(&kept, "<base href='../'><img src=d/a>", "<base href='../'><img src=http://h/d/a>");
}

/// Programs differ in the directory that it names, so that what depends on it stays.
#[test]
fn a_codebase_without_its_slash() {
    for (document, expected) in [
        (
            "<applet codebase=http://h/d/k archive=http://h/d/k/x>",
            "<applet codebase=k archive=http://h/d/k/x>",
        ),
        ("<applet codebase=http://h/d/k archive='y,z'>", "<applet codebase=k archive='y,z'>"),
        (
            "<applet codebase='k?q' archive=http://h/d/k/x>",
            "<applet codebase='k?q' archive=http://h/d/k/x>",
        ),
        (
            "<applet codebase=/d/k/c archive='../x,http://h/d/k/c/y'>",
            "<applet codebase=k/c archive='../x,http://h/d/k/c/y'>",
        ),
        (
            "<base href=http://h/d/e/><applet codebase=http://h/d/k archive=x>",
            "<base href=\"\"><applet codebase=k archive=x>",
        ),
    ] {
        check(document, expected);
    }
}

#[test]
fn only_what_is_in_the_tree() {
    let relative = Relative::below("http://h/d/");
    let document = "<a href=http://h/d/x><a href=http://h/e><a href=../f><a href=http://h/d><a href=http://h/dd>";
    let expected =
        "<a href=x><a href=http://h/e><a href=http://h/f><a href=./><a href=http://h/dd>";
    check_with(&relative, document, expected);
    let counts = convert(&relative, document).report.counts;
    assert_eq!(counts.get(Outcome::Outside), 2);
}

#[test]
fn without_a_url() {
    let context = basectx::Context::none();
    let unit = unit(b"<a href=x>", Media::HTML, &context);
    let rewritten = relativize(unit, &Options::default(), &Relative::default());
    assert_eq!(rewritten.bytes, NewBytes::Skipped);
    assert_eq!(rewritten.report.skipped[0].reason, SkipReason::NoUrl);
    assert!(URL.starts_with("http"));
}

#[test]
fn a_base_that_is_not_to_be_edited_stays() {
    let filter = Filter::new(vec![], vec!["base".into()], &Extras::default()).expect("a slot");
    let options = Options::default().with_filter(filter);
    let context = at_url();
    let document = b"<base href=http://h/e/><a href=http://h/e/x>";
    let unit = unit(document, Media::HTML, &context);
    let output = relativize(unit, &options, &Relative::default()).into_output();
    assert_eq!(output.as_deref(), Some(&b"<base href=http://h/e/><a href=x>"[..]));
}

/// If a reference that stays unchanged depends on the base, the base stays.
#[test]
fn what_is_left_keeps_its_base() {
    for skipped in [
        "<a href='{{x}}'>",
        "<p itemid=x>",
        "<applet code=A.class>",
        "<img srcset='{{x}} 1x, y 2x'>",
        "<svg><style>a{b:url(c)}<!-- --></style>",
    ] {
        let document = |base: &str| format!("<base href={base}>{skipped}");
        check(&document("/e/"), &document("../e/"));
    }
    check("<base href=/e/><p itemid=http://h/x>", "<base href=\"\"><p itemid=http://h/x>");
}

/// Under a base where nothing can be resolved a reference has no target, or points to a part of a
/// message (RFC 2557 5); if the base were emptied, the reference would get a target (found by
/// fuzzing).
#[test]
fn a_base_under_which_nothing_is_resolved_stays() {
    check("<base href=thismessage:/><a href=c>", "<base href=thismessage:/><a href=c>");
    let absolute = "<base href=thismessage:/><a href=http://h/d/c>";
    check(absolute, absolute);
}
