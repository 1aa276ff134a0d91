//! The outcome of each reference when a document is made absolute, and the bytes that are written.

use basectx::Context;
use relink_rewrite::{Extras, Filter, Media, OptIn, Options, Outcome, Unit};

use crate::listing::{at_url, make_absolute, opt_in, unit};

/// Asserts that the document at `http://h/d/p` becomes `expected`, and that its references have
/// these outcomes.
#[track_caller]
fn check(document: &str, expected: &str, outcomes: &[Outcome]) {
    check_with(&Options::default(), document, expected, outcomes);
}

#[track_caller]
fn check_with(options: &Options, document: &str, expected: &str, outcomes: &[Outcome]) {
    check_unit(unit(document.as_bytes(), Media::HTML, &at_url()), options, expected, outcomes);
}

#[track_caller]
fn check_unit(unit: Unit<'_>, options: &Options, expected: &str, outcomes: &[Outcome]) {
    let rewritten = make_absolute(unit, options);
    let output = rewritten.output().unwrap_or(unit.bytes);
    assert_eq!(String::from_utf8_lossy(output), expected);
    assert_eq!(rewritten.output().is_none(), rewritten.edits.is_empty());
    let counts = rewritten.report.counts;
    for outcome in Outcome::ALL {
        let n_expected = outcomes.iter().filter(|expected| **expected == outcome).count();
        assert_eq!(counts.get(outcome), n_expected, "{outcome:?} of {expected:?}");
    }
    assert_eq!(counts.total(), outcomes.len());
}

/// Asserts that the document is unchanged, and that its references all have this outcome.
#[track_caller]
fn check_kept(document: &str, outcome: Outcome, n: usize) {
    check(document, document, &vec![outcome; n]);
}

#[test]
fn rewritten() {
    check("<a href=x>", "<a href=http://h/d/x>", &[Outcome::Rewritten]);
    check("<a href=/x>", "<a href=http://h/x>", &[Outcome::Rewritten]);
    check("<a href=//i/x>", "<a href=http://i/x>", &[Outcome::Rewritten]);
    check("<a href=?x>", "<a href=http://h/d/p?x>", &[Outcome::Rewritten]);
    check("<a href=../x#y>", "<a href=http://h/x#y>", &[Outcome::Rewritten]);
    // Under a base of its own scheme it is relative (WHATWG URL 4.4, "special relative or authority
    // state").
    check("<a href=http:x>", "<a href=http://h/d/x>", &[Outcome::Rewritten]);
    check("<img usemap='x#m'>", "<img usemap='http://h/d/x#m'>", &[Outcome::Rewritten]);
    check("<base href=e/>", "<base href=http://h/d/e/>", &[Outcome::Rewritten]);
    check(
        "<meta http-equiv=refresh content=\"5; URL='x' \">",
        "<meta http-equiv=refresh content=\"5; URL='http://h/d/x' \">",
        &[Outcome::Rewritten],
    );
    check(
        "<a ping=' x  /y '><img srcset='a,b 1x,c 2x'>",
        "<a ping=' http://h/d/x  http://h/y '><img srcset='http://h/d/a,b 1x,http://h/d/c 2x'>",
        &[Outcome::Rewritten; 4],
    );
}

#[test]
fn kept() {
    check_kept("<a href=http://i/x><a href=HTTP://i/../x>", Outcome::Kept, 2);
    // Under a base of that scheme it would be relative.
    check("<a href=https:x>", "<a href=https://x>", &[Outcome::Rewritten]);
    check_kept("<a href=mailto:x><a href=data:,x><a href=javascript:0>", Outcome::Kept, 3);
    check_kept(
        "<a href=cid:x><a href=tel:1><a href=about:blank><a href=urn:x:y>",
        Outcome::Kept,
        4,
    );
    check_kept("<p style='b:url(data:image/png;base64,AA)'>", Outcome::Kept, 1);
    check_kept("<a href='http://[x'><a href='ht\ntp://i/'>", Outcome::Kept, 2);
}

#[test]
fn local() {
    check_kept("<img usemap='#m'><svg><use href='#m'><g fill='url(#m)'>", Outcome::Local, 3);
    let document = "<base href=http://i/><img usemap='#m'><svg fill='url(#m)'>";
    check(document, document, &[Outcome::Kept, Outcome::Local, Outcome::Local]);
}

#[test]
fn same_document() {
    check_kept("<a href='#x'><a href=''><a href='#'><area href>", Outcome::SameDocument, 4);
    check_kept("<iframe srcdoc='<a href=#x>'></iframe>", Outcome::SameDocument, 1);
    check_kept("<meta http-equiv=refresh content='5;url='>", Outcome::SameDocument, 1);
    check_kept("<form action=''><button formaction=''>", Outcome::SameDocument, 0);
    let same = [Outcome::Kept, Outcome::SameDocument];
    let document = "<base href=http://h/d/p><a href='#x'>";
    check(document, document, &same);
    let document = "<base href='http://h/d/p#f'><a href='#x'>";
    check(document, document, &same);
    // If the base is another document's, it is made absolute.
    let both = [Outcome::Rewritten; 2];
    check("<base href=q><a href='#x'>", "<base href=http://h/d/q><a href='http://h/d/q#x'>", &both);
    check("<base href=?><a href=''>", "<base href=http://h/d/p?><a href='http://h/d/p?'>", &both);
    check("<base href=./><a href>", "<base href=http://h/d/><a href=\"http://h/d/\">", &both);
}

#[test]
fn identifiers() {
    let document = "<p itemid=x itemtype='y z'><head profile=w>";
    check_kept(document, Outcome::Identifier, 4);
    let expected =
        "<p itemid=http://h/d/x itemtype='http://h/d/y http://h/d/z'><head profile=http://h/d/w>";
    let options = Options::default().with_opt_in(OptIn::default().with_ids(true));
    check_with(&options, document, expected, &[Outcome::Rewritten; 4]);
}

#[test]
fn templates() {
    let document = "<a href='/{{x}}'><a href=x/${y}><img srcset='{{x}} 1x, y'>";
    check_kept(document, Outcome::Template, 3);
    let options = Options::default().with_opt_in(OptIn::default().with_templates(true));
    let expected = "<a href='http://h/{{x}}'><a href=http://h/d/x/${y}><img srcset='{{x}} 1x, y'>";
    let outcomes = [Outcome::Rewritten, Outcome::Rewritten, Outcome::Template];
    check_with(&options, document, expected, &outcomes);
}

#[test]
fn classes() {
    check_kept("<applet code=x.class object=y></applet>", Outcome::Class, 2);
}

#[test]
fn on_codebase() {
    check(
        "<applet codebase=k/ archive='a,b'>",
        "<applet codebase=http://h/d/k/ archive='a,b'>",
        &[Outcome::Rewritten, Outcome::OnCodebase, Outcome::OnCodebase],
    );
    check(
        "<applet archive='a,b'>",
        "<applet archive='http://h/d/a,http://h/d/b'>",
        &[Outcome::Rewritten; 2],
    );
    check(
        "<object codebase=k/ archive='a b' classid=c>",
        "<object codebase=http://h/d/k/ archive='http://h/d/k/a http://h/d/k/b' classid=http://h/d/k/c>",
        &[Outcome::Rewritten; 4],
    );
}

// An empty value is not a reference, so there is no codebase to stay relative to.
#[test]
fn on_an_empty_codebase() {
    for codebase in ["", " ", "\n"] {
        check(
            &format!("<applet codebase='{codebase}' archive=a>"),
            &format!("<applet codebase='{codebase}' archive=http://h/d/a>"),
            &[Outcome::Rewritten],
        );
    }
}

#[test]
fn filtered() {
    let options = |only: &[&str], skip: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let filter = Filter::new(owned(only), owned(skip), &Extras::default()).unwrap();
        Options::default().with_filter(filter)
    };
    let document = "<a href=x><img src=y>";
    let (one, two) = ("<a href=http://h/d/x><img src=y>", "<a href=x><img src=http://h/d/y>");
    let outcomes = [Outcome::Rewritten, Outcome::Filtered];
    check_with(&options(&["a[href]"], &[]), document, one, &outcomes);
    check_with(&options(&["[href]"], &[]), document, one, &outcomes);
    check_with(&options(&[], &["img"]), document, one, &outcomes);
    check_with(&options(&[], &["a"]), document, two, &outcomes);
    check_with(&options(&["a", "img"], &["[href]"]), document, two, &outcomes);
    // A base that stays relative still counts.
    let outcomes = [Outcome::Filtered, Outcome::Rewritten];
    let expected = "<base href=e/><a href=http://h/d/e/x>";
    check_with(&options(&[], &["base"]), "<base href=e/><a href=x>", expected, &outcomes);
    assert!(Filter::new(vec!["p[href]".into()], vec![], &Extras::default()).is_err());
}

#[test]
fn attributes_named_by_the_user() {
    let document = "<p data-src=x data-srcset='y 1x, z' data-href=w>";
    let expected =
        "<p data-src=http://h/d/x data-srcset='http://h/d/y 1x, http://h/d/z' data-href=w>";
    check_with(&opt_in(&["data-src", "data-srcset"]), document, expected, &[Outcome::Rewritten; 3]);
}

#[test]
fn no_base() {
    let context = Context::none();
    let nowhere = |document: &'static str| {
        unit(document.as_bytes(), Media::HTML, &context).with_new_place(None)
    };
    let document = "<a href=x><a href='#y'><a href=//i/><a href=''><a href=http:z>";
    check_unit(nowhere(document), &Options::default(), document, &[Outcome::NoBase; 5]);
    let document = "<a href=http://i/><a href=mailto:x><img usemap='#m'>";
    let outcomes = [Outcome::Kept, Outcome::Kept, Outcome::Local];
    check_unit(nowhere(document), &Options::default(), document, &outcomes);
    let document = "<base href=http://i/e><a href='#x'>";
    let expected = "<base href=http://i/e><a href='http://i/e#x'>";
    let outcomes = [Outcome::Kept, Outcome::Rewritten];
    check_unit(nowhere(document), &Options::default(), expected, &outcomes);
    let document = "<base href='{{x}}'><a href=y>";
    check(document, document, &[Outcome::Template, Outcome::NoBase]);
}

#[test]
fn unresolvable() {
    check_kept("<a href='//[x'><a href='//i:x/'>", Outcome::Unresolvable, 2);
    let document = "<base href=mailto:x><a href=y><a href='#z'>";
    let expected = "<base href=mailto:x><a href=y><a href='mailto:x#z'>";
    check(document, expected, &[Outcome::Kept, Outcome::Unresolvable, Outcome::Rewritten]);
}

#[test]
fn unwritable() {
    let at = |url: &str, document: &str, n_rewritten: usize, expected: &str| {
        let context = Context::retrieval(url.parse().unwrap(), "test");
        let unit = unit(document.as_bytes(), Media::HTML, &context);
        let outcomes = [vec![Outcome::Rewritten; n_rewritten], vec![Outcome::Unwritable]].concat();
        check_unit(unit, &Options::default().with_lists_incidents(true), expected, &outcomes);
    };
    let keep = |url: &str, document: &str| at(url, document, 0, document);
    keep("http://h/a,b/", "<applet archive=x>");
    keep("http://h/a'b/", "<meta http-equiv=refresh content=\"0;url='x'\">");
    keep("http://h/a;b/", "<meta name=msapplication-task content='action-uri=x'>");
    // The escape would have to be rewritten, and would then end the text that contains it.
    keep("http://h/", r"<style>b:url(<\/style\5cx)</style>");
    keep("http://h/", r"<svg><style><![CDATA[b:url(\]]\>\5cx)]]></style></svg>");
    keep("http://h/", r"<!--[if IE]><a href='--&gt;\x'><![endif]-->");
    keep("http://h/", r"<noscript><a href='&lt;/noscript\x'></noscript>");
    keep("http://h/", r"<iframe><a href='&lt;/iframe\x'></iframe>");
    at(
        "http://h/a,b/",
        "<a href=x><applet archive=y>",
        1,
        "<a href=http://h/a,b/x><applet archive=y>",
    );
}

#[test]
fn style_sheets() {
    let sheet = "@charset \"utf-8\";@import 'x';a{b:url(y) url(#z) url(http://i/)}";
    let expected =
        "@charset \"utf-8\";@import 'http://h/d/x';a{b:url(http://h/d/y) url(#z) url(http://i/)}";
    let outcomes = [Outcome::Rewritten, Outcome::Rewritten, Outcome::Local, Outcome::Kept];
    let context = at_url();
    check_unit(
        unit(sheet.as_bytes(), Media::CSS, &context),
        &Options::default(),
        expected,
        &outcomes,
    );
}

#[test]
fn a_target_with_template_marks() {
    let context = Context::retrieval("http://h/?{{s}}".parse().unwrap(), "test");
    let unit = |bytes| Unit::new(bytes, Media::HTML, &context).with_own_url("http://h/");
    let (input, output) = (&b"<a href=#x><a href=/y>"[..], "<a href=#x><a href=http://h/y>");
    check_unit(
        unit(input),
        &Options::default(),
        output,
        &[Outcome::Unwritable, Outcome::Rewritten],
    );
}
