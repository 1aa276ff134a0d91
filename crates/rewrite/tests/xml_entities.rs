//! XML: entities, which are never expanded, in bases and in declarations of CSS.

mod listing;

use listing::{at_url, list, unit, xml};
use rewrite::{Extent, Media, Options, Relative, Undone, relativize};

/// What is left of a document, and where.
fn left(document: &str) -> Vec<(Undone, usize, Extent)> {
    let context = at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::Xml, &context), &Options::default());
    report.left.iter().map(|left| (left.reason, left.at, left.extent)).collect()
}

/// What stands under such a base leads somewhere that is not known here.
#[test]
fn an_entity_in_a_base_leaves_the_document() {
    const PAGE: &str = "xmlns='http://www.w3.org/1999/xhtml'";
    for element in [
        format!("<a {PAGE} xml:base='&b;'><a href='x'/></a>"),
        format!("<html {PAGE}><base href='&b;c/'/><a href='x'/></html>"),
        format!("<object {PAGE} codebase='c/&b;' archive='x' data='y'/>"),
    ] {
        let document = format!("<!DOCTYPE a [<!ENTITY b 'http://i/b/'>]>{element}");
        let at =
            document.find("='&b;").or_else(|| document.find("='c/&b;")).unwrap_or_default() + 2;
        assert_eq!(left(&document), [(Undone::BaseEntity, at, Extent::Unit)], "{document}");
    }
}

/// Drawing programs write the declarations of CSS that they use often as entities.
#[test]
fn an_entity_that_holds_no_url_is_not_told() {
    let drawing = |entity: &str| {
        format!(
            "<!DOCTYPE svg [<!ENTITY s '{entity}'>]><svg xmlns='http://www.w3.org/2000/svg'><g style='&s;' fill='&s;'/></svg>"
        )
    };
    assert_eq!(left(&drawing("fill:none;stroke:#FFF")), []);
    for entity in ["fill:url(x)", "fill:u\\72l", "&#117;rl"] {
        let told: Vec<_> = left(&drawing(entity)).into_iter().map(|left| left.0).collect();
        assert_eq!(told, [Undone::Entity; 2], "{entity}");
    }
}

/// What stands in an entity cannot follow a base that goes.
#[test]
fn elements_in_an_entity_keep_the_base() {
    let page = |entity: &str| {
        format!(
            "<!DOCTYPE html [<!ENTITY e \"{entity}\">]><html xmlns='http://www.w3.org/1999/xhtml'><base href='http://h/e/'/>&e;</html>"
        )
    };
    let context = at_url();
    for (entity, is_left) in
        [("<a href='x'/>", true), ("&#60;a href='x'/>", true), ("words", false)]
    {
        let document = page(entity);
        assert_eq!(left(&document).len(), usize::from(is_left), "{document}");
        let unit = unit(document.as_bytes(), Media::Xml, &context);
        let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
        assert_eq!(rewritten.output.is_none(), is_left, "{document}");
    }
}

/// XML 3.3.2: what is declared to be there is there.
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
        assert_eq!(left(&document), [(Undone::BaseEntity, at, Extent::Unit)], "{document}");
        assert_eq!(left(&feed(list, " xml:base='http://i/'")), [], "{list}");
    }
    assert_eq!(left(&feed("xml:base CDATA #IMPLIED a CDATA 'xml:base'", "")), []);
    let drawing = "<!DOCTYPE s:svg [<!ATTLIST s:svg xmlns:s CDATA #FIXED 'http://www.w3.org/2000/svg' xmlns:l CDATA 'http://www.w3.org/1999/xlink'>]><s:svg><s:a l:href='x'/></s:svg>";
    let found: Vec<_> = xml(drawing).into_iter().map(|found| found.target).collect();
    assert_eq!(found, [Some("http://h/d/x".to_owned())]);
}
