//! References to resources saved with a page stay unchanged, whatever the outcome of the references
//! around them.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::Context;
use relink_rewrite::{
    BaseElement, Media, Options, Outcome, Relative, Rewritten, Unit, absolutize, relativize,
};

const URL: &str = "http://h.test/a/p.html?q";

fn check(
    page: &str,
    names: &[&str],
    n_saved: usize,
    expected: &str,
    convert: impl Fn(Unit<'_>) -> Rewritten,
) {
    let names: HashSet<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    let context =
        Context::hint(URL.parse().unwrap(), "test", "test").with_saved_beside(Arc::new(names));
    let bytes = page.as_bytes();
    let unit = Unit::new(bytes, Media::HTML, &context);
    let rewritten = convert(unit);
    assert_eq!(rewritten.verify_error(), None, "{page}");
    let output = rewritten.output().unwrap_or(bytes).to_vec();
    assert_eq!(String::from_utf8_lossy(&output), expected, "{page}");
    assert_eq!(rewritten.report.counts.get(Outcome::SavedResources), n_saved, "{page}");
    assert_eq!(rewritten.report.counts.failures(), 0, "{page}");
}

#[track_caller]
fn absolute(page: &str, names: &[&str], n_saved: usize, expected: &str) {
    check(page, names, n_saved, expected, |unit| absolutize(unit, &Options::default()));
}

#[track_caller]
fn relative(page: &str, names: &[&str], n_saved: usize, expected: &str) {
    for base_element in [BaseElement::Empty, BaseElement::Relative, BaseElement::Keep] {
        let relative = Relative::default().with_base_element(base_element);
        check(page, names, n_saved, expected, |unit| {
            relativize(unit, &Options::default(), &relative)
        });
    }
}

#[test]
fn in_every_syntax() {
    absolute(
        "<img srcset='p_f/1 1x, x 2x'><b style=\"background:url(p_f/2)\"><style>a{b:url('./p_f/3')}</style>\
         <iframe srcdoc=\"<img src='p_f/4'><img src='y'>\"></iframe><meta http-equiv=refresh content='1;url=p_f/5'>",
        &["p_f"],
        5,
        "<img srcset='p_f/1 1x, http://h.test/a/x 2x'><b style=\"background:url(p_f/2)\"><style>a{b:url('./p_f/3')}</style>\
         <iframe srcdoc=\"<img src='p_f/4'><img src='http://h.test/a/y'>\"></iframe><meta http-equiv=refresh content='1;url=p_f/5'>",
    );
}

#[test]
fn only_what_leads_into_the_directory_of_the_page() {
    let same = "<a href=p_f><a href=p_f/x?y#z><a href=x/../p_f/><a href=p%5Ff>";
    absolute(same, &["p_f"], 4, same);
    absolute(
        "<a href=p_f/1><a href=P_F/2><a href=p_f2/3><a href=../p_f/4><a href=/a/p_f/5><a href=http://h.test/a/p_f/6>\
         <a href=//h.test/a/p_f/7><a href=?p_f><a href=#p_f>",
        &["p_f", "q"],
        1,
        "<a href=p_f/1><a href=http://h.test/a/P_F/2><a href=http://h.test/a/p_f2/3><a href=http://h.test/p_f/4>\
         <a href=http://h.test/a/p_f/5><a href=http://h.test/a/p_f/6><a href=http://h.test/a/p_f/7>\
         <a href=http://h.test/a/p.html?p_f><a href=#p_f>",
    );
    absolute("<a href=p_f/1>", &[], 0, "<a href=http://h.test/a/p_f/1>");
}

#[test]
fn a_relative_base_stays_with_it() {
    absolute(
        "<base href=.><img src=p_f/1><img src=x>",
        &["p_f"],
        2,
        "<base href=.><img src=p_f/1><img src=http://h.test/a/x>",
    );
    absolute(
        "<base href=p_f/><img src=1><img src=../x>",
        &["p_f"],
        2,
        "<base href=p_f/><img src=1><img src=http://h.test/a/x>",
    );
    relative(
        "<base href=.><img src=p_f/1><img src=http://h.test/a/x><img src=http://h.test/y>",
        &["p_f"],
        2,
        "<base href=.><img src=p_f/1><img src=x><img src=../y>",
    );
}

#[test]
fn out_of_the_directory_of_a_host() {
    // The page is in a directory of its host's directory.
    absolute(
        "<a href=../x><a href=../../i.test/x><a href=..\\..\\i.test><a href=y/../../../z><a href=y/../../z>",
        &[".."],
        3,
        "<a href=http://h.test/x><a href=../../i.test/x><a href=..\\..\\i.test><a href=y/../../../z><a href=http://h.test/z>",
    );
}
