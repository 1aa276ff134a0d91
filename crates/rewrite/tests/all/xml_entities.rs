//! XML: entities, which are never expanded, in bases and in declarations of CSS.

use relink_rewrite::{
    Media, Options, Outcome, Relative, SkipReason, SkipScope, absolutize, references, relativize,
};

use crate::listing::{at_url, list, unit, xml};

/// Returns the skipped documents with their offsets.
fn skipped(document: &str) -> Vec<(SkipReason, usize, SkipScope)> {
    let context = at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::XML, &context), &Options::default());
    report.skipped.iter().map(|skipped| (skipped.reason, skipped.at, skipped.extent)).collect()
}

/// Targets under such a base are unknown.
#[test]
fn an_entity_in_a_base_leaves_the_document() {
    const PAGE: &str = "xmlns='http://www.w3.org/1999/xhtml'";
    for element in [
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='&b;'><link href='x'/></feed>"
            .to_owned(),
        format!("<html {PAGE}><base href='&b;c/'/><a href='x'/></html>"),
        format!("<object {PAGE} codebase='c/&b;' archive='x' data='y'/>"),
    ] {
        let document = format!("<!DOCTYPE a [<!ENTITY b 'http://i/b/'>]>{element}");
        let at =
            document.find("='&b;").or_else(|| document.find("='c/&b;")).unwrap_or_default() + 2;
        assert_eq!(
            skipped(&document),
            [(SkipReason::BaseEntity, at, SkipScope::Unit)],
            "{document}"
        );
    }
}

/// The target of such a reference is unknown: it is shown as it is written, and stays.
#[test]
fn a_reference_with_an_entity_is_one() {
    let context = at_url();
    for (element, slot, text) in [
        ("<a xmlns='{H}' href=' q&e;r?a&amp;b '/>", "a[href]", "q&e;r?a&amp;b"),
        ("<img xmlns='{H}' srcset='&e; 1x, b 2x'/>", "img[srcset]", "&e; 1x, b 2x"),
        ("<rss><link>x&e;</link></rss>", "rss link", "x&e;"),
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'><icon>\n&e;\n</icon></feed>",
            "atom icon",
            "&e;",
        ),
    ] {
        let element = element.replace("{H}", "http://www.w3.org/1999/xhtml");
        let document = format!("<!DOCTYPE a [<!ENTITY e 'http://i/'>]>{element}");
        let unit = || unit(document.as_bytes(), Media::XML, &context);
        let mut found = Vec::new();
        let report = references(unit(), &Options::default(), |site| {
            let slot = Options::default().extras.name_of(site.slot).to_owned();
            found.push((slot, site.text.to_owned(), site.has_entity()));
            let span = site.frame.raw(site.span);
            assert_eq!(&document[span.start..span.end], text);
        });
        assert_eq!(found, [(slot.to_owned(), text.to_owned(), true)], "{document}");
        assert_eq!(report.skipped, [], "{document}");
        for rewritten in [
            absolutize(unit(), &Options::default()),
            relativize(unit(), &Options::default(), &Relative::below("http://h/")),
        ] {
            assert!(
                rewritten.output().is_none() && rewritten.verify_error().is_none(),
                "{document}"
            );
            assert_eq!(rewritten.report.counts.get(Outcome::Entity), 1, "{document}");
            assert_eq!(rewritten.report.counts.failures(), 1, "{document}");
        }
    }
    // An identifier does not count as a reference that should have been handled.
    let document = "<!DOCTYPE a [<!ENTITY e 'http://i/'>]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:x r:about='&e;x'/></r:RDF>";
    let rewritten =
        absolutize(unit(document.as_bytes(), Media::XML, &context), &Options::default());
    assert_eq!(rewritten.report.counts.get(Outcome::Identifier), 1);
}

/// It may be relative: without its base it would have another target.
#[test]
fn a_reference_with_an_entity_holds_the_base() {
    let context = at_url();
    let document = |url: &str| {
        format!(
            "<!DOCTYPE html [<!ENTITY e 'x'>]><html xmlns='http://www.w3.org/1999/xhtml'><base href='http://h/e/'/><a href='{url}'/></html>"
        )
    };
    for (url, is_skipped) in [("&e;", true), ("http://i/&e;", false), ("x", false)] {
        let document = document(url);
        let unit = unit(document.as_bytes(), Media::XML, &context);
        let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
        assert_eq!(rewritten.output().is_none(), is_skipped, "{document}");
    }
}

/// Drawing programs write frequent CSS declarations as entities.
#[test]
fn an_entity_without_a_url_is_not_reported() {
    let drawing = |entity: &str| {
        format!(
            "<!DOCTYPE svg [<!ENTITY s '{entity}'>]><svg xmlns='http://www.w3.org/2000/svg'><g style='&s;' fill='&s;'/></svg>"
        )
    };
    assert_eq!(skipped(&drawing("fill:none;stroke:#FFF")), []);
    for entity in ["fill:url(x)", "fill:u\\72l", "&#117;rl"] {
        let reported: Vec<_> =
            skipped(&drawing(entity)).into_iter().map(|skipped| skipped.0).collect();
        assert_eq!(reported, [SkipReason::Entity; 2], "{entity}");
    }
}

/// References in an entity cannot follow a base that is removed.
#[test]
fn elements_in_an_entity_keep_the_base() {
    let page = |entity: &str| {
        format!(
            "<!DOCTYPE html [<!ENTITY e \"{entity}\">]><html xmlns='http://www.w3.org/1999/xhtml'><base href='http://h/e/'/>&e;</html>"
        )
    };
    let context = at_url();
    for (entity, is_skipped) in
        [("<a href='x'/>", true), ("&#60;a href='x'/>", true), ("words", false)]
    {
        let document = page(entity);
        assert_eq!(skipped(&document).len(), usize::from(is_skipped), "{document}");
        let unit = unit(document.as_bytes(), Media::XML, &context);
        let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
        assert_eq!(rewritten.output().is_none(), is_skipped, "{document}");
    }
}

/// XML 3.3.2: a default attribute counts as present.
#[test]
fn attributes_that_the_document_type_gives() {
    let feed = |list: &str, attribute: &str| {
        format!(
            "<!DOCTYPE feed [<!ATTLIST feed {list}>]><feed xmlns='http://www.w3.org/2005/Atom'{attribute}><link href='x'/></feed>"
        )
    };
    for list in [
        "xml:base CDATA 'http://i/'",
        "a NOTATION (b|c) #IMPLIED b (c) 'c>' xml:base CDATA #FIXED \"http://i/\"",
    ] {
        let document = feed(list, "");
        let at = document.find("<feed").unwrap_or_default();
        assert_eq!(
            skipped(&document),
            [(SkipReason::BaseEntity, at, SkipScope::Unit)],
            "{document}"
        );
        assert_eq!(skipped(&feed(list, " xml:base='http://i/'")), [], "{list}");
    }
    assert_eq!(skipped(&feed("xml:base CDATA #IMPLIED a CDATA 'xml:base'", "")), []);
    let drawing = "<!DOCTYPE s:svg [<!ATTLIST s:svg xmlns:s CDATA #FIXED 'http://www.w3.org/2000/svg' xmlns:l CDATA 'http://www.w3.org/1999/xlink'>]><s:svg><s:a l:href='x'/></s:svg>";
    let found: Vec<_> = xml(drawing).into_iter().map(|found| found.target).collect();
    assert_eq!(found, [Some("http://h/d/x".to_owned())]);
}
