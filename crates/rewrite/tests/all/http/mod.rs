//! Saved HTTP responses: RFC 9110 (8.7 `Content-Location`, 10.2.2 `Location`), RFC 2068 14.11
//! (`Content-Base`), RFC 1808 3.1 (`Base`), RFC 8288 (`Link`), RFC 3986 5.1.3 (redirects). Every
//! field in both directions, with hand-written expectations.

mod bodies;
mod fields;
mod laws;

use relink_rewrite::{Http, Media, Options, Relative, Skipped};

use crate::listing::{at_url, make_absolute, make_relative, unit};

pub(crate) const RESPONSE: Media = Media::Http(Http::Response(None));
pub(crate) const HEADINGS: Media = Media::Http(Http::Headings);

/// Returns the output for a text of this type, and asserts that a second run changes nothing.
#[track_caller]
pub(crate) fn absolute_with(media: Media, options: &Options, text: &str) -> String {
    let context = at_url();
    let rewritten = make_absolute(unit(text.as_bytes(), media, &context), options);
    let output = rewritten.into_output().unwrap_or_else(|| text.into());
    let again = make_absolute(unit(&output, media, &context), options);
    assert_eq!(again.into_output(), None, "a second run");
    String::from_utf8_lossy(&output).into_owned()
}

#[track_caller]
pub(crate) fn relative_with(media: Media, options: &Options, text: &str) -> String {
    let context = at_url();
    let relative = Relative::default();
    let rewritten = make_relative(unit(text.as_bytes(), media, &context), options, &relative);
    let output = rewritten.into_output().unwrap_or_else(|| text.into());
    let again = make_relative(unit(&output, media, &context), options, &relative);
    assert_eq!(again.into_output(), None, "a second run");
    String::from_utf8_lossy(&output).into_owned()
}

/// Asserts that a response with these fields, at http://h/d/p, is made absolute and relative so.
#[track_caller]
pub(crate) fn check(fields: &str, absolute: &str, relative: &str) {
    let text = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
    let options = Options::default();
    assert_eq!(absolute_with(RESPONSE, &options, &text(fields)), text(absolute), "absolute");
    assert_eq!(relative_with(RESPONSE, &options, &text(fields)), text(relative), "relative");
    // The same in a file of header sections.
    assert_eq!(absolute_with(HEADINGS, &options, fields), absolute);
    assert_eq!(relative_with(HEADINGS, &options, fields), relative);
}

#[track_caller]
pub(crate) fn check_kept(fields: &str) {
    check(fields, fields, fields);
}

/// Asserts the output of making a whole response absolute.
#[track_caller]
pub(crate) fn check_absolute(text: &str, expected: &str) {
    assert_eq!(absolute_with(RESPONSE, &Options::default(), text), expected);
}

#[track_caller]
pub(crate) fn check_relative(text: &str, expected: &str) {
    assert_eq!(relative_with(RESPONSE, &Options::default(), text), expected);
}

/// Returns the references of a unit: part, slot, text and target.
pub(crate) fn list(media: Media, text: &str, options: &Options) -> (Vec<String>, Vec<Skipped>) {
    let context = at_url();
    let mut lines = Vec::new();
    let report =
        relink_rewrite::references(unit(text.as_bytes(), media, &context), options, |site| {
            let span = site.frame.raw(site.span);
            assert_eq!(&text[span.start..span.end], site.text, "the span is that of the text");
            let target = site.resolver.and_then(|base| base.resolve(site.text).ok()?.url());
            lines.push(format!(
                "{} {} {} -> {}",
                site.frame.part().unwrap_or("body"),
                options.extras.name_of(site.slot),
                site.text,
                target.as_deref().unwrap_or("none")
            ));
        });
    (lines, report.skipped)
}

#[track_caller]
pub(crate) fn check_list(text: &str, expected: &[&str]) {
    let (lines, skipped) = list(RESPONSE, text, &Options::default());
    assert_eq!(
        (&*lines, &*skipped),
        (&*expected.iter().map(|s| s.to_string()).collect::<Vec<_>>(), &[][..])
    );
}
