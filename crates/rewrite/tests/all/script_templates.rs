//! HTML in scripts that other scripts fill in, `--also script-templates`.

use relink_rewrite::{Engine, Media, OptIn, Options, Relative, Verify, relativize};

use crate::listing::{at_url, make_absolute, unit};

fn options() -> Options {
    let opt_in = OptIn::default().with_script_templates(true);
    Options::default().with_opt_in(opt_in).with_verify(Verify::Full)
}

/// Checks that a document becomes `expected` by both engines, and stays so in a second run.
#[track_caller]
fn absolutizes(document: &str, expected: &str) {
    let context = at_url();
    for engine in [Engine::Auto, Engine::Reference] {
        for input in [document, expected] {
            let options = options().with_engine(engine);
            let rewritten = make_absolute(unit(input.as_bytes(), Media::HTML, &context), &options);
            assert_eq!(rewritten.verify_error(), None, "{input}");
            let output = rewritten.into_output().unwrap_or_else(|| input.as_bytes().to_vec());
            assert_eq!(String::from_utf8_lossy(&output), expected);
        }
    }
}

#[test]
fn templates_are_read_by_their_type() {
    for media in ["text/template", "text/html", " TEXT/X-Template ", "text/x-handlebars-template"] {
        absolutizes(
            &format!("<script type=\"{media}\"><a href=b>b</a><img src='c'></script><a href=d>"),
            &format!(
                "<script type=\"{media}\"><a href=http://h/d/b>b</a><img src='http://h/d/c'></script><a href=http://h/d/d>"
            ),
        );
    }
    for media in ["", "text/javascript", "module", "text/plain", "text/html2"] {
        let document = format!("<script type=\"{media}\"><a href=b>b</a></script>");
        absolutizes(&document, &document);
    }
}

#[test]
fn nothing_of_them_is_read_by_default() {
    let context = at_url();
    let document = b"<script type=text/template><a href=b></script>";
    let rewritten = make_absolute(unit(document, Media::HTML, &context), &Options::default());
    assert_eq!((rewritten.output(), rewritten.report.counts.total()), (None, 0));
}

#[test]
fn values_with_template_marks_stay() {
    absolutizes(
        "<script type=text/template><a href='{{ url }}'><a href='b/{{ id }}'><a href=c></script>",
        "<script type=text/template><a href='{{ url }}'><a href='b/{{ id }}'><a href=http://h/d/c></script>",
    );
}

#[test]
fn the_base_is_that_of_the_page() {
    absolutizes(
        "<base href=/x/><script type=text/template><base href=/y/><a href=b></script>",
        "<base href=http://h/x/><script type=text/template><base href=http://h/y/><a href=http://h/x/b></script>",
    );
}

#[test]
fn references_into_the_tree_become_relative() {
    let context = at_url();
    let document = b"<script type=text/template><a href=http://h/d/b>b</a></script>";
    let relative = Relative::below("http://h/");
    let rewritten = relativize(unit(document, Media::HTML, &context), &options(), &relative);
    let output = rewritten.into_output().expect("an output");
    assert_eq!(output, b"<script type=text/template><a href=b>b</a></script>");
}
