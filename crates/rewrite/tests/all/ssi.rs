//! Server-side includes: Apache HTTP Server 2.4, mod_include ("Basic Elements"). They are read only
//! with an option.

use relink_rewrite::{Media, Outcome, Relative, SkipReason, Skipped};
use urlcore::Style;

use crate::listing::{self, at_url, enabling, make_absolute, make_relative, shown, unit};

/// Asserts the references of a document, each with its slot, kind, text and target.
#[track_caller]
fn check(document: &str, expected: &[&str]) {
    let (found, report) =
        listing::list(unit(document.as_bytes(), Media::HTML, &at_url()), &enabling(&["ssi"]));
    assert_eq!(shown(&found), expected, "{document:?}");
    assert_eq!(report.skipped, [], "{document:?}");
}

/// Asserts that an include is skipped in a document that is read.
#[track_caller]
fn check_skipped(document: &str, n_references: usize) {
    let (found, report) =
        listing::list(unit(document.as_bytes(), Media::HTML, &at_url()), &enabling(&["ssi"]));
    let reasons: Vec<SkipReason> =
        report.skipped.iter().map(|Skipped { reason, .. }| *reason).collect();
    assert_eq!(
        (found.len(), &*reasons),
        (n_references, &[SkipReason::Include][..]),
        "{document:?}"
    );
}

#[track_caller]
fn check_relative(relative: &Relative, document: &str, expected: &str) {
    let context = at_url();
    let options = enabling(&["ssi"]);
    let rewritten =
        make_relative(unit(document.as_bytes(), Media::HTML, &context), &options, relative);
    let output = rewritten.into_output().unwrap_or_else(|| document.into());
    assert_eq!(String::from_utf8_lossy(&output), expected);
    let again = make_relative(unit(&output, Media::HTML, &context), &options, relative);
    assert_eq!(again.into_output(), None, "a second run");
}

#[test]
fn not_if_nobody_asks() {
    let document = "<!--#include virtual=\"/x\" --><!--#include file=\"y\" -->";
    assert_eq!(listing::html(document), []);
}

#[test]
fn the_elements_that_hold_some() {
    check("<!--#include virtual=\"/x\" -->", &["ssi virtual url /x -> http://h/x"]);
    check("<!--#include file=\"x.html\" -->", &["ssi file file x.html -> none"]);
    check("<!--#fsize virtual=\"x\" -->", &["ssi virtual url x -> http://h/d/x"]);
    check("<!--#fsize file=\"x\" -->", &["ssi file file x -> none"]);
    check("<!--#flastmod virtual=\"../x\" -->", &["ssi virtual url ../x -> http://h/x"]);
    check("<!--#flastmod file=\"x\" -->", &["ssi file file x -> none"]);
    check(
        "<!--#exec cgi=\"/cgi-bin/x?y\" -->",
        &["ssi virtual url /cgi-bin/x?y -> http://h/cgi-bin/x?y"],
    );
    check(
        "<!--#include virtual=\"x\" onerror=\"/y\" -->",
        &["ssi virtual url x -> http://h/d/x", "ssi virtual url /y -> http://h/y"],
    );
    check(
        "<!--#include virtual=\"x\" file=\"y\" virtual='z'-->",
        &[
            "ssi virtual url x -> http://h/d/x",
            "ssi file file y -> none",
            "ssi virtual url z -> http://h/d/z",
        ],
    );
}

#[test]
fn the_elements_that_hold_none() {
    for element in [
        "if expr=\"/x/\"",
        "elif expr='y'",
        "else",
        "endif",
        "set var=\"virtual\" value=\"/x\"",
        "echo var=\"x\"",
        "config timefmt=\"/x\"",
        "printenv",
        "exec cmd=\"/bin/ls\"",
        "fsize cgi=\"/x\"",
        "includes virtual=\"/x\"",
        "",
    ] {
        check(&format!("<!--#{element} -->"), &[]);
    }
}

#[test]
fn how_they_are_written() {
    let expected = &["ssi virtual url /x -> http://h/x"];
    check("<!--#include virtual='/x'-->", expected);
    check("<!--#include virtual=`/x`-->", expected);
    check("<!--#include virtual=/x -->", expected);
    check("<!--#INCLUDE\n\tVirtual\n=\r\n \"/x\"\n-->", expected);
    check("<!--#include virtual=\"/x\"-->", expected);
    check("<!--#include set virtual=\"/x\" -->", expected);
    check("<!--#include set=\"virtual='y'\"virtual=\"/x\" -->", expected);
    check("<!--#include set='\\'' virtual=\"/x\" -->", expected);
    // The start must be complete.
    check("<!-- #include virtual=\"/x\" --><!--# include virtual=\"/x\" -->", &[]);
    check("<!#include virtual=\"/x\"><?#include virtual=\"/x\"></#include virtual=\"/x\">", &[]);
    check("<!#include virtual=\"/x\"--><!--#include virtual=\"/x\"-->", expected);
    check("<!--include virtual=\"/x\" --><!--#-->", &[]);
}

#[test]
fn comments_around() {
    let expected = &["ssi virtual url /x -> http://h/x"];
    // The server recognizes no comments but its own.
    check("<!-- see <!--#include virtual=\"/x\" --> -->", expected);
    check("<!--[if IE]><!--#include virtual=\"/x\" --><![endif]-->", expected);
    check(
        "<!--[if IE]><a href=y><![endif]--><!--#include virtual=\"/x\" -->",
        &["a[href] url y -> http://h/d/y", expected[0]],
    );
    check("<!--[if !IE]><!--><!--#include virtual=\"/x\" --><!--<![endif]-->", expected);
    check("<noscript><!--#include virtual=\"/x\" --></noscript>", expected);
    check("<template><!--#include virtual=\"/x\" --></template>", expected);
    check("<svg><!--#include virtual=\"/x\" --></svg>", expected);
    // Only comments count: not the text of a script or a value.
    check(
        "<script><!--#include virtual=\"/x\" --></script><title><!--#include virtual=\"/x\" --></title>",
        &[],
    );
    check("<p title='<!--#include virtual=\"/x\" -->'>", &[]);
    check("<iframe srcdoc='<!--#include virtual=\"/x\" -->'>", &[]);
}

/// Apache resolves it against the URL of the document, whatever a base says.
#[test]
fn no_base_counts() {
    check(
        "<base href=http://i/j/><!--#include virtual=\"x\" --><a href=x>",
        &[
            "base[href] url http://i/j/ -> http://i/j/",
            "ssi virtual url x -> http://h/d/x",
            "a[href] url x -> http://i/j/x",
        ],
    );
}

#[test]
fn variables_make_it_a_template() {
    check("<!--#include virtual=\"/x/$y\" -->", &["ssi virtual template /x/$y -> none"]);
    check("<!--#include virtual=\"${x}/y\" -->", &["ssi virtual template ${x}/y -> none"]);
    check("<!--#include file=\"$x\" -->", &["ssi file template $x -> none"]);
}

#[test]
fn ambiguous_includes_are_skipped() {
    // For the server they are not paths; a URL parser would read something else.
    for value in ["//x/y", "http://h/x", "?x", "#x", "x#y", "x\\y", "a b", " x", "x:y"] {
        check_skipped(&format!("<!--#include virtual=\"{value}\" -->"), 0);
    }
    check_skipped("<!--#include file=\"a\\b\" -->", 0);
    check_skipped("<!--#include virtual=\"x\" virtual=\"//y\" -->", 1);
    // They extend past the end of the comment, or have no name.
    check_skipped("<!--#include virtual=\"x -->\" -->", 0);
    check_skipped("<!--#include virtual=/x-->", 0);
    check_skipped("<!--#include virtual=\"/y\" virtual=-->", 0);
    check_skipped("<!--#include virtual=\"/y\" =\"x\" -->", 0);
    check_skipped("<!--#include virtual=\"/x\" --!>", 0);
}

/// An include cannot have a host.
#[test]
fn never_absolute() {
    let document = "<!--#include virtual=\"/x\" --><!--#exec cgi='../y' --><!--#include file=z.html -->\
                    <!--#include virtual=\"$x\" --><a href=x>";
    let context = at_url();
    let rewritten =
        make_absolute(unit(document.as_bytes(), Media::HTML, &context), &enabling(&["ssi"]));
    let expected = document.replace("href=x", "href=http://h/d/x");
    assert_eq!(String::from_utf8_lossy(rewritten.output().unwrap_or_default()), expected);
    let counts = rewritten.report.counts;
    let outcomes = [Outcome::PathOnly, Outcome::File, Outcome::Template, Outcome::Rewritten];
    assert_eq!(outcomes.map(|outcome| counts.get(outcome)), [2, 1, 1, 1]);
    assert_eq!(counts.failures(), 0);
}

#[test]
fn relative() {
    let site = Relative::default();
    let check = |document: &str, expected: &str| check_relative(&site, document, expected);
    check("<!--#include virtual=\"/x\" -->", "<!--#include virtual=\"../x\" -->");
    check("<!--#include virtual='/d/x'-->", "<!--#include virtual='x'-->");
    check("<!--#include virtual=`/d/e/x?y=/z`-->", "<!--#include virtual=`e/x?y=/z`-->");
    check("<!--#exec cgi=/cgi-bin/x -->", "<!--#exec cgi=../cgi-bin/x -->");
    check("<!--#flastmod virtual=\"/d/\" -->", "<!--#flastmod virtual=\"./\" -->");
    check("<!--#fsize virtual=\"/d/p\" -->", "<!--#fsize virtual=\"p\" -->");
    // This applies whatever the base is, and even if it is emptied.
    check(
        "<base href=http://i/><!--#include virtual=\"/x\" -->",
        "<base href=\"\"><!--#include virtual=\"../x\" -->",
    );
    check(
        "<base href=e/><!--#include virtual=\"/x\" -->",
        "<base href=e/><!--#include virtual=\"../x\" -->",
    );
    for kept in [
        "<!--#include virtual=\"x\" -->",
        "<!--#include virtual=\"../../x\" -->",
        "<!--#include file=\"x\" -->",
        "<!--#include virtual=\"/$x\" -->",
        "<!--#include virtual=\"/x$y\" -->",
    ] {
        check(kept, kept);
    }
    // A query alone would be read as a file in its directory.
    check("<!--#include virtual=\"/d/p?x\" -->", "<!--#include virtual=\"/d/p?x\" -->");
}

#[test]
fn styles_and_trees() {
    let style = |style| Relative::default().with_style(style);
    let document = "<!--#include virtual=\"../x\" --><!--#include virtual=\"/y\" -->";
    check_relative(
        &style(Style::AbsolutePath),
        document,
        "<!--#include virtual=\"/x\" --><!--#include virtual=\"/y\" -->",
    );
    check_relative(&style(Style::Absolute), document, document);
    check_relative(&style(Style::NetworkPath), document, document);
    // A target out of the tree has no other name.
    check_relative(&Relative::below("http://h/d/"), document, document);
    check_relative(
        &Relative::below("http://h/d/"),
        "<!--#include virtual=\"/d/x\" -->",
        "<!--#include virtual=\"x\" -->",
    );
}

/// A directory whose name would turn the new text into a template is noticed before it is written.
#[test]
fn a_directory_whose_name_has_a_variable() {
    let context = basectx::Context::retrieval("http://h/a$b/p".parse().unwrap(), "test");
    for (document, expected) in [
        ("<!--#include virtual='/x' -->", "<!--#include virtual='../x' -->"),
        ("<!--#include virtual='/a$b/x' -->", "<!--#include virtual='/a$b/x' -->"),
    ] {
        let page = unit(document.as_bytes(), Media::HTML, &context);
        let output = make_relative(page, &enabling(&["ssi"]), &Relative::default()).into_output();
        assert_eq!(String::from_utf8_lossy(&output.unwrap_or_else(|| document.into())), expected);
    }
}
