//! The chain of contexts: RFC 3986, 5.1; HTML standard, 4.2.3 ("frozen base URL") and 2.4.3; HTML
//! 4.01, 13.3.2.

use basectx::{BadBase, BaseSource, Context, is_template};
use urlcore::Dialect;

const FALLBACK: &str = "http://h/d/f.html?q";

fn retrieval() -> Context<'static> {
    Context::retrieval(FALLBACK.parse().expect("a URL"), "--base")
}

/// Checks the base that `<base href>` gives inside `outside`, and its source.
#[track_caller]
fn check_in(
    outside: &Context<'_>,
    href: &str,
    expected: Option<&str>,
    source: BaseSource,
    fault: Option<BadBase>,
) {
    let (context, got) = outside.html_base(href, Dialect::Web);
    assert_eq!(context.base(), expected, "{href:?}");
    assert_eq!(context.base_source(), source, "{href:?}");
    assert_eq!(got, fault, "{href:?}");
    assert_eq!(context.source(), BaseSource::Embedded);
    assert_eq!(context.url().is_some(), fault.is_none(), "{href:?}");
}

/// Checks a value that gives a base.
#[track_caller]
fn check(href: &str, expected: &str) {
    check_in(&retrieval(), href, Some(expected), BaseSource::Embedded, None);
}

/// Checks a value that gives no base, so that the fallback base applies.
#[track_caller]
fn check_fallback(href: &str, fault: BadBase) {
    check_in(&retrieval(), href, Some(FALLBACK), BaseSource::Retrieval, Some(fault));
    check_in(&Context::none(), href, None, BaseSource::None, Some(fault));
}

#[test]
fn a_relative_base_is_resolved_against_the_fallback() {
    check("x/", "http://h/d/x/");
    check("../y", "http://h/y");
    check("/z", "http://h/z");
    check("//other/p", "http://other/p");
    check("?r", "http://h/d/f.html?r");
    check("#s", "http://h/d/f.html?q#s");
    check("", FALLBACK);
    check(" \t\n", FALLBACK);
    check(r"\z\", "http://h/z/");
}

#[test]
fn an_absolute_base_needs_no_fallback() {
    check("http://other/a/b", "http://other/a/b");
    check("  http://other/a\n/b ", "http://other/a/b");
    check("http://other/a b/é", "http://other/a%20b/%C3%A9");
    check("file:///C:/d/", "file:///C:/d/");
    check("mailto:u@h", "mailto:u@h");
    check("about:blank", "about:blank");
    let none = Context::none();
    check_in(&none, "http://other/", Some("http://other/"), BaseSource::Embedded, None);
    check_in(&none, "x/", None, BaseSource::None, Some(BadBase::Relative));
    check_in(&none, "", None, BaseSource::None, Some(BadBase::Relative));
    check_in(&none, "//[x]/", None, BaseSource::None, Some(BadBase::Relative));
}

#[test]
fn with_an_unusable_base_the_fallback_applies() {
    check_fallback("data:text/html,x", BadBase::Scheme);
    check_fallback("javascript:0", BadBase::Scheme);
    check_fallback(" JavaScript:0", BadBase::Scheme);
    check_fallback("java\nscript:0", BadBase::Scheme);
    check_fallback("DATA:,", BadBase::Scheme);
    check_fallback("http://[/", BadBase::Unresolvable);
    check_fallback("http://a b/", BadBase::Unresolvable);
    check_fallback("http://h:99999/", BadBase::Unresolvable);
    check_fallback("http://", BadBase::Unresolvable);
    check_in(
        &retrieval(),
        "//[x]/",
        Some(FALLBACK),
        BaseSource::Retrieval,
        Some(BadBase::Unresolvable),
    );
}

#[test]
fn a_template_makes_the_base_unknown() {
    let template = Some(BadBase::Template);
    for href in ["{{ root }}", "${base}/", "<%= url %>", "<?php echo $x ?>", "<!--#echo var="] {
        check_in(&retrieval(), href, None, BaseSource::None, template);
        check_in(&Context::none(), href, None, BaseSource::None, template);
        assert!(is_template(href), "{href}");
    }
    let urls =
        ["x?q=%s", "100%sure.html", "50%sale.jpg", "http://h/%s/", "a<!b", "<!DOCTYPE", "<!-"];
    for value in ["", "{", "{x}", "$x", "100%", "%20s", "<", "a?b", "%S"].iter().chain(&urls) {
        assert!(!is_template(value), "{value}");
    }
    // A base inside an unknown one is unknown too, unless it is absolute.
    let fallback = retrieval();
    let (unknown, _) = fallback.html_base("{{ root }}", Dialect::Web);
    let srcdoc = unknown.enclosed("iframe[srcdoc]");
    assert_eq!((srcdoc.base(), srcdoc.base_source()), (None, BaseSource::None));
    check_in(&srcdoc, "x/", None, BaseSource::None, Some(BadBase::Relative));
    check_in(&srcdoc, "http://other/", Some("http://other/"), BaseSource::Embedded, None);
}

#[test]
fn the_outermost_contexts() {
    let none = Context::none();
    assert_eq!((none.base(), none.url()), (None, None));
    assert_eq!((none.source(), none.base_source()), (BaseSource::None, BaseSource::None));
    let retrieval = Context::retrieval("http://h/é a".parse().expect("a URL"), "--map");
    assert_eq!(retrieval.base(), Some("http://h/%C3%A9%20a"));
    assert_eq!((retrieval.source(), retrieval.origin()), (BaseSource::Retrieval, "--map"));
    assert_eq!(retrieval.base_source(), BaseSource::Retrieval);
}

#[test]
fn an_enclosed_document_falls_back_on_the_base_outside() {
    let outside = retrieval();
    let (document, _) = outside.html_base("x/", Dialect::Web);
    let srcdoc = document.enclosed("iframe[srcdoc]");
    assert_eq!((srcdoc.base(), srcdoc.url()), (Some("http://h/d/x/"), None));
    assert_eq!(
        (srcdoc.source(), srcdoc.base_source()),
        (BaseSource::Encapsulating, BaseSource::Embedded)
    );
    check_in(&srcdoc, "y/", Some("http://h/d/x/y/"), BaseSource::Embedded, None);
    let fault = Some(BadBase::Scheme);
    check_in(&srcdoc, "data:,", Some("http://h/d/x/"), BaseSource::Embedded, fault);
    assert_eq!(retrieval().enclosed("x").base_source(), BaseSource::Retrieval);
    assert_eq!(Context::none().enclosed("x").base(), None);
}

#[test]
fn a_codebase_is_resolved_against_the_base_of_the_document() {
    let outside = retrieval();
    let (document, _) = outside.html_base("/x/", Dialect::Web);
    #[track_caller]
    fn check(document: &Context<'_>, codebase: &str, expected: Option<&str>) {
        let context = document.codebase(codebase, Dialect::Web);
        assert_eq!(context.base(), expected, "{codebase:?}");
        let source = if expected.is_some() { BaseSource::Embedded } else { BaseSource::None };
        assert_eq!((context.base_source(), context.origin()), (source, "codebase"));
    }
    check(&document, "applets/", Some("http://h/x/applets/"));
    check(&document, "", Some("http://h/x/"));
    check(&document, "http://other/", Some("http://other/"));
    check(&document, "http://[", None);
    check(&document, "{{ dir }}/", None);
    check(&Context::none(), "applets/", None);
}

#[test]
fn the_chain_goes_outward() {
    let outside = retrieval();
    let (document, _) = outside.html_base("x/", Dialect::Web);
    let srcdoc = document.enclosed("iframe[srcdoc]");
    let (inner, _) = srcdoc.html_base("data:,", Dialect::Web);
    let applet = inner.codebase("classes/", Dialect::Web);
    let got: Vec<_> =
        applet.chain().map(|context| (context.source(), context.origin(), context.url())).collect();
    let expected = [
        (BaseSource::Embedded, "codebase", Some("http://h/d/x/classes/")),
        (BaseSource::Embedded, "base[href]", None),
        (BaseSource::Encapsulating, "iframe[srcdoc]", None),
        (BaseSource::Embedded, "base[href]", Some("http://h/d/x/")),
        (BaseSource::Retrieval, "--base", Some(FALLBACK)),
    ];
    assert_eq!(got, expected);
    assert!(applet.chain().all(|context| !context.section().is_empty()));
    assert_eq!(Context::none().chain().count(), 1);
}

#[test]
fn names_of_sources() {
    use BaseSource::{Embedded, Encapsulating, Hint, None, Retrieval};
    let names = [Embedded, Encapsulating, Retrieval, Hint, None].map(|source| source.to_string());
    assert_eq!(names.join(" "), "embedded encapsulating retrieval hint none");
}
