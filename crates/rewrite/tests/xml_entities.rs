//! XML: entities, which are never expanded, in bases and in declarations of CSS.

mod listing;

use listing::{at_url, list, unit};
use rewrite::{Extent, Media, Options, Undone};

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
