//! Attributes that `--also` names: each value is read as the syntax that it looks like, in HTML and
//! in XML.

use relink_rewrite::{Extras, Media, OptIn, Options, Outcome, Relative, SkipReason};

use crate::listing::{at_url, list, make_absolute, make_relative, opt_in, unit};

/// Asserts the output of making a document absolute, that a second run changes nothing, and that
/// making it relative again gives `back`.
#[track_caller]
fn becomes(media: Media, options: &Options, input: &str, expected: &str, back: &str) {
    let context = at_url();
    let text = |output: Option<Vec<u8>>, input: &str| {
        output.map_or_else(|| input.to_owned(), |output| String::from_utf8(output).unwrap())
    };
    let absolute = |input: &str| {
        text(make_absolute(unit(input.as_bytes(), media, &context), options).into_output(), input)
    };
    assert_eq!(absolute(input), expected, "{input}");
    assert_eq!(absolute(expected), expected, "a second run of {input}");
    let relative = |input: &str| {
        let below = Relative::below("http://h/");
        text(
            make_relative(unit(input.as_bytes(), media, &context), options, &below).into_output(),
            input,
        )
    };
    assert_eq!(relative(expected), back, "{expected}");
    assert_eq!(relative(back), back, "a second run of {expected}");
}

/// Asserts the value of `data-bg` in HTML and in XHTML.
#[track_caller]
fn value_becomes(input: &str, expected: &str) {
    let options = opt_in(&["data-bg"]);
    let html = |value: &str| format!("<p data-bg=\"{value}\">");
    becomes(Media::HTML, &options, &html(input), &html(expected), &html(input));
    let page = |value: &str| {
        format!("<html xmlns='http://www.w3.org/1999/xhtml'><p data-bg=\"{value}\"/></html>")
    };
    becomes(Media::XML, &options, &page(input), &page(expected), &page(input));
}

#[test]
fn a_value_is_read_as_what_it_looks_like() {
    value_becomes("d.png", "http://h/d/d.png");
    value_becomes("url(d.png)", "url(http://h/d/d.png)");
    value_becomes(
        "url(&quot;d e.png&quot;), url(f.png)",
        "url(&quot;http://h/d/d e.png&quot;), url(http://h/d/f.png)",
    );
    value_becomes(
        "image-set('a.png' 1x, url(b.png) 2x)",
        "image-set('http://h/d/a.png' 1x, url(http://h/d/b.png) 2x)",
    );
    value_becomes(
        "linear-gradient(red, blue), url(a.png)",
        "linear-gradient(red, blue), url(http://h/d/a.png)",
    );
    value_becomes("a.png 1x, b.png 2x", "http://h/d/a.png 1x, http://h/d/b.png 2x");
    value_becomes("a.png 300w", "http://h/d/a.png 300w");
    value_becomes("a,b.png", "http://h/d/a,b.png");
    value_becomes("{{ a }} 1x, b 2x", "{{ a }} 1x, b 2x");
}

#[test]
fn sets_of_candidates_are_read_as_lazysizes_does() {
    let page = |from: &str| {
        format!(
            "<p data-bgset='{from}a 200w, {from}b 300w [(max-width: 9em)] | {from}c|d [--small] |{from}e'>"
        )
    };
    becomes(Media::HTML, &opt_in(&["data-bgset"]), &page(""), &page("http://h/d/"), &page(""));
}

#[test]
fn json_is_skipped_and_reported() {
    for value in ["{\"src\": \"a.png\"}", " [\"a.png\", 1] ", "{}"] {
        for (media, document) in [
            (Media::HTML, format!("<p data-bg='{value}'><a href='x'>")),
            (
                Media::XML,
                format!("<a xmlns='http://www.w3.org/1999/xhtml' data-bg='{value}' href='x'/>"),
            ),
        ] {
            let context = at_url();
            let (found, report) =
                list(unit(document.as_bytes(), media, &context), &opt_in(&["data-bg"]));
            assert_eq!(found.len(), 1, "{document}");
            let skipped: Vec<_> =
                report.skipped.iter().map(|skipped| (skipped.reason, skipped.at)).collect();
            assert_eq!(
                skipped,
                [(SkipReason::JsonValue, document.find(value).unwrap())],
                "{document}"
            );
        }
    }
}

/// A list that contains a template is one text, also with `--also templates`.
#[test]
fn a_list_with_a_template_stays() {
    let templates = OptIn::default().with_templates(true);
    let options = opt_in(&["data-bg", "data-srcset"]).with_opt_in(templates);
    for page in ["<p data-bg='{{ a }} 1x, b 2x'>", "<p data-srcset='{{ a }}, b'>"] {
        becomes(Media::HTML, &options, page, page, page);
    }
}

/// A URL that would be read as another syntax there is not written.
#[test]
fn a_relative_url_that_would_be_read_as_something_else_is_refused() {
    let context = at_url();
    for (name, value) in [
        ("data-bg", "http://h/d/url(x)"),
        ("data-bg", "http://h/d/[x]"),
        ("hx-push-url", "http://h/d/true"),
    ] {
        let page = format!("<p {name}='{value}'>");
        let unit = unit(page.as_bytes(), Media::HTML, &context);
        let rewritten = make_relative(unit, &opt_in(&[name]), &Relative::below("http://h/"));
        assert_eq!(rewritten.output(), None, "{page}");
        assert_eq!(rewritten.report.counts.get(Outcome::Unwritable), 1, "{page}");
    }
}

#[test]
fn presets_stand_for_attributes() {
    let preset = |name: &str| {
        let mut extras = Extras::default();
        assert!(extras.add_preset(name), "{name}");
        Options::default().with_extras(extras)
    };
    let page = |from: &str| {
        format!(
            "<img data-src='{from}a' data-srcset='{from}b 2x' data-original='{from}c' data-lazy-src='{from}d' alt='e'>\
             <p data-bg='url({from}f)' data-background='{from}g' hx-get='h'>"
        )
    };
    becomes(Media::HTML, &preset("lazy"), &page(""), &page("http://h/d/"), &page(""));
    let page = |from: &str| {
        format!(
            "<p hx-get='{from}a' hx-push-url='true' data-src='b'><p data-hx-post='{from}c' hx-replace-url='false'>\
             <p data-hx-push-url='{from}d' hx-push-url=' true ' hx-put='{from}true' hx-delete='' hx-vals='{{}}'>"
        )
    };
    becomes(Media::HTML, &preset("htmx"), &page(""), &page("http://h/d/"), &page(""));
    assert!(!Extras::default().add_preset("data-src"));
}
