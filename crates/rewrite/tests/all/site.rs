//! What a reference says of itself: the name of its slot, and its target.

use std::collections::HashSet;
use std::sync::Arc;

use relink_rewrite::{Context, Dialect, Extras, Media, OptIn, Options, Unit, references};

/// Returns the slot and the target of each reference of a document.
fn found(unit: Unit<'_>, options: &Options) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    references(unit, options, |site| found.push((site.slot_name().to_owned(), site.target())));
    found
}

/// Asserts the slot and the target of the only reference of a document at `http://h/d/p`.
#[track_caller]
fn check(document: &str, media: Media, options: &Options, slot: &str, target: Option<&str>) {
    let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
    let unit = Unit::new(document.as_bytes(), media, &context);
    let expected = vec![(slot.to_owned(), target.map(str::to_owned))];
    assert_eq!(found(unit, options), expected, "{document}");
}

#[test]
fn a_reference_has_the_name_of_its_slot_and_its_target() {
    let options = Options::default();
    check("<a href=../c>", Media::HTML, &options, "a[href]", Some("http://h/c"));
    check("url(c)", Media::CSS, &options, "css url()", Some("http://h/d/c"));
    let url = Some("http://h/d/p#s");
    check("<a href=#s>", Media::HTML, &options, "a[href]", url);
    // No browser accepts the host.
    check("<a href='http://a b/'>", Media::HTML, &options, "a[href]", None);
}

#[test]
fn an_attribute_named_by_the_user_has_a_name_too() {
    let mut extras = Extras::default();
    extras.add("data-src");
    let options = Options::default().with_extras(extras);
    check("<p data-src=c>", Media::HTML, &options, "*[data-src]", Some("http://h/d/c"));
}

#[test]
fn without_a_base_only_an_absolute_reference_has_a_target() {
    let context = Context::none();
    let unit = Unit::new(b"<a href=c><a href=http:/i/>", Media::HTML, &context);
    let target = Some("http://i/".to_owned());
    let expected = [("a[href]".to_owned(), None), ("a[href]".to_owned(), target)];
    assert_eq!(found(unit, &Options::default()), expected);
}

#[test]
fn what_is_no_url_or_not_known_has_no_target() {
    let options = Options::default().with_opt_in(OptIn::default().with_templates(true));
    check("<a href='{{ c }}'>", Media::HTML, &options, "a[href]", None);
    let document = "<!DOCTYPE a [<!ENTITY e 'http://i/'>]><rss><link>x&e;</link></rss>";
    check(document, Media::XML, &options, "rss link", None);

    let names = Arc::new(HashSet::from([b"p_files".to_vec()]));
    let context =
        Context::hint("http://h/d/p".parse().unwrap(), "test", "test").with_saved_beside(names);
    let unit = Unit::new(b"<img src=p_files/c><img src=c>", Media::HTML, &context);
    let targets: Vec<_> = found(unit, &options).into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets, [None, Some("http://h/d/c".to_owned())]);
}

#[test]
fn a_same_document_reference_needs_the_url_of_the_document() {
    let options = Options::default().with_dialect(Dialect::Rfc2396);
    check("<a href=#s>", Media::HTML, &options, "a[href]", Some("http://h/d/p#s"));
    let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
    let bytes = b"<base href=http://i/><a href=#s><a href=c>";
    let unit = Unit::new(bytes, Media::HTML, &context);
    let targets: Vec<_> = found(unit, &options).into_iter().map(|(_, target)| target).collect();
    let [base, c] = ["http://i/", "http://i/c"].map(|url| Some(url.to_owned()));
    assert_eq!(targets, [base, None, c]);
}
