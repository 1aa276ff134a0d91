//! An oracle for the vocabularies of XML: roxmltree reads both documents, a table of its own says
//! what is a reference, and the `url` crate where it leads.

use roxmltree::{Document, Node, ParsingOptions};
use url::Url;

use super::oracle::{Bases, Places, resolve};

/// How the text of a place is cut into references.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    One,
    Words,
    /// Every second word.
    Pairs,
    Html,
    /// An identifier, which stays unless its tree moves.
    Id,
}

const DASH: &str = "urn:mpeg:dash:schema:mpd:2011";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const OPS: &str = "http://www.idpf.org/2007/ops";

/// The places: the namespace of the element, its name or `*`, the attribute or nothing for the
/// text.
#[rustfmt::skip]
const PLACES: &[(&str, &str, &str, Cut)] = &[
    (DASH, "*", "sourceURL", Cut::One), (DASH, "BaseURL", "", Cut::One), (DASH, "Location", "", Cut::One),
    (DASH, "PatchLocation", "", Cut::One), (DASH, "ProgramInformation", "moreInformationURL", Cut::One),
    (DASH, "SegmentTemplate", "media", Cut::One), (DASH, "SegmentTemplate", "initialization", Cut::One),
    (DASH, "SegmentURL", "media", Cut::One), (DASH, "SegmentURL", "index", Cut::One),
    (DASH, "UTCTiming", "value", Cut::Words),
    ("http://www.idpf.org/2007/opf", "item", "href", Cut::One),
    ("http://www.idpf.org/2007/opf", "link", "href", Cut::One),
    ("http://www.idpf.org/2007/opf", "reference", "href", Cut::One),
    ("http://www.daisy.org/z3986/2005/ncx/", "content", "src", Cut::One),
    ("http://www.daisy.org/z3986/2005/ncx/", "img", "src", Cut::One),
    ("http://www.w3.org/ns/SMIL", "*", "src", Cut::One), ("http://www.w3.org/ns/SMIL", "*", "href", Cut::One),
    ("smil", "*", "src", Cut::One), ("smil", "*", "href", Cut::One), ("smil", "*", "longdesc", Cut::One),
    ("browserconfig", "*", "src", Cut::One),
    ("http://xspf.org/ns/0/", "location", "", Cut::One), ("http://xspf.org/ns/0/", "image", "", Cut::One),
    ("http://xspf.org/ns/0/", "info", "", Cut::One), ("http://xspf.org/ns/0/", "link", "", Cut::One),
    ("http://xspf.org/ns/0/", "identifier", "", Cut::Id),
    ("http://www.opengis.net/kml/2.2", "href", "", Cut::One),
    ("http://www.opengis.net/kml/2.2", "styleUrl", "", Cut::One),
    ("http://www.opengis.net/kml/2.2", "description", "", Cut::Html),
    ("http://schemas.xmlsoap.org/wsdl/", "import", "location", Cut::One),
    ("http://schemas.xmlsoap.org/wsdl/soap/", "address", "location", Cut::One),
    ("http://www.w3.org/ns/wsdl", "import", "location", Cut::One),
    ("http://www.w3.org/ns/wsdl", "endpoint", "address", Cut::One),
    ("http://docbook.org/ns/docbook", "*", "fileref", Cut::One),
    ("book", "*", "fileref", Cut::One), ("book", "ulink", "url", Cut::One),
    ("map", "*", "href", Cut::One), ("map", "*", "conref", Cut::One), ("map", "*", "copy-to", Cut::One),
];

/// Says what is wrong with a document that was made of another.
pub(super) fn judge(places: &mut Places<'_>, old: &str, new: &str) {
    let parse = |text| {
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        Document::parse_with_options(text, options)
    };
    let (was, is) = match (parse(old), parse(new)) {
        (Ok(was), Ok(is)) => (was, is),
        (was, is) => return places.fault(format!("{:?} {:?}", was.err(), is.err())),
    };
    let (was, is) = (was.root_element(), is.root_element());
    prolog(places, &old[..was.range().start], &new[..is.range().start]);
    places.fixed(&old[was.range().end..], &new[is.range().end..]);
    let reader = Reader {
        plain: if was.tag_name().namespace().is_none() { was.tag_name().name() } else { "" },
    };
    let bases = places.own();
    reader.node(places, was, is, &bases, false);
}

/// Compares what comes before the first element: the file of a document type, and values of `href`.
fn prolog(places: &mut Places<'_>, old: &str, new: &str) {
    let (was, is): (Vec<&str>, Vec<&str>) = (old.split('"').collect(), new.split('"').collect());
    if was.len() != is.len() {
        return places.fault(format!("{old:?} is {new:?}"));
    }
    let bases = places.own();
    for (idx, (text, now)) in was.iter().zip(&is).enumerate() {
        // Two texts in quotes follow `PUBLIC`, and the second is the file.
        let before = if idx > 0 { was[idx - 1] } else { "" };
        let is_file = idx > 2 && before == " " && was[idx - 3].ends_with("PUBLIC ");
        if idx % 2 == 1 && (is_file || before.ends_with("href=")) {
            places.reference(text, now, &bases)
        } else {
            places.fixed(text, now)
        }
    }
}

struct Reader<'d> {
    /// The first element, if it has no namespace.
    plain: &'d str,
}

impl Reader<'_> {
    fn cut(&self, node: Node<'_, '_>, attribute: &str) -> Option<Cut> {
        let vocabulary = node.tag_name().namespace().unwrap_or(self.plain);
        let name = node.tag_name().name();
        let is_it = |place: &&(&str, &str, &str, Cut)| {
            place.0 == vocabulary && (place.1 == "*" || place.1 == name) && place.2 == attribute
        };
        PLACES.iter().find(is_it).map(|place| place.3)
    }

    fn node(
        &self,
        places: &mut Places<'_>,
        old: Node<'_, '_>,
        new: Node<'_, '_>,
        outer: &Bases,
        has_alternatives: bool,
    ) {
        let is_alike = old.node_type() == new.node_type()
            && old.tag_name() == new.tag_name()
            && old.pi() == new.pi()
            && old.children().count() == new.children().count()
            && old.attributes().len() == new.attributes().len();
        if !is_alike {
            return places.fault(format!("{old:?} is {new:?}"));
        }
        let mut bases = outer.clone();
        if let (Some(was), Some(is)) = (old.attribute((XML, "base")), new.attribute((XML, "base")))
        {
            places.base(was, is, outer);
            bases = [resolve(&outer[0], was), resolve(&outer[1], is)];
        }
        for (was, is) in old.attributes().zip(new.attributes()) {
            if (was.namespace(), was.name()) != (is.namespace(), is.name()) {
                return places.fault(format!("{was:?} is {is:?}"));
            }
            let cut = match (was.namespace(), was.name()) {
                (Some(XML), "base") => continue,
                (Some(XLINK), "href") | (Some(OPS), "textref") => Some(Cut::One),
                (Some(XSI), "schemaLocation") => Some(Cut::Pairs),
                (Some(_), _) => None,
                (None, name) => self.cut(old, name),
            };
            let is_of_document = was.name() == "moreInformationURL";
            let bases = if is_of_document { places.own() } else { bases.clone() };
            let depends = has_alternatives && !is_of_document;
            value(places, cut, [was.value(), is.value()], &bases, depends);
        }
        // The bases that elements give (DASH) hold for all that is next to them.
        let (mut inner, mut has_inner_alternatives) = (bases.clone(), has_alternatives);
        let given = [old, new].map(given_bases);
        match given[0].len() {
            0 => {}
            1 => {
                let base = |idx: usize| match given[idx].first() {
                    Some(text) => resolve(&bases[idx], text),
                    None => bases[idx].clone(),
                };
                inner = [base(0), base(1)];
                has_inner_alternatives &= Url::parse(given[0][0].trim()).is_err();
            }
            _ => has_inner_alternatives = true,
        }
        let is_whole = old.children().filter(Node::is_text).count() == 1;
        for (was, is) in old.children().zip(new.children()) {
            if !was.is_text() || !is.is_text() {
                let is_base = is_base(was);
                let (bases, has) = if is_base {
                    (&bases, has_alternatives)
                } else {
                    (&inner, has_inner_alternatives)
                };
                self.node(places, was, is, bases, has);
                continue;
            }
            let texts = [was, is].map(|node| node.text().unwrap_or_default());
            let is_location = matches!(old.tag_name().name(), "Location" | "PatchLocation");
            let bases = if is_location { places.own() } else { bases.clone() };
            match self.cut(old, "").filter(|_| is_whole) {
                Some(Cut::One) if is_base(old) && !has_alternatives => {
                    places.base(texts[0], texts[1], &bases);
                }
                cut => value(places, cut, texts, &bases, has_alternatives && !is_location),
            }
        }
    }
}

/// Returns true for an element whose text is the base of those next to it.
fn is_base(node: Node<'_, '_>) -> bool {
    node.has_tag_name((DASH, "BaseURL"))
}

/// Returns the bases that the elements in an element give.
fn given_bases<'d>(node: Node<'d, '_>) -> Vec<&'d str> {
    let bases = node.children().filter(|child| is_base(*child));
    bases.filter_map(|base| base.text()).filter(|text| !text.trim().is_empty()).collect()
}

/// Compares the values of a place.
fn value(
    places: &mut Places<'_>,
    cut: Option<Cut>,
    [was, is]: [&str; 2],
    bases: &Bases,
    has_alternatives: bool,
) {
    let Some(cut) = cut else { return places.fixed(was, is) };
    // What depends on the alternative that a player chooses stays, and nothing comes to depend on
    // it.
    let is_absolute = |text: &str| {
        let is_one = |text: &str| Url::parse(text).is_ok();
        if cut == Cut::Words { text.split_whitespace().all(is_one) } else { is_one(text.trim()) }
    };
    if has_alternatives && !(is_absolute(was) && is_absolute(is)) {
        return places.fixed(was, is);
    }
    match cut {
        Cut::One => places.reference(was, is, bases),
        Cut::Html => places.html(was, is, bases),
        Cut::Id => places.identifier(was, is),
        Cut::Words | Cut::Pairs => {
            let [old, new] =
                [was, is].map(|text| text.split_ascii_whitespace().collect::<Vec<_>>());
            if old.len() != new.len() {
                return places.fault(format!("{was:?} is {is:?}"));
            }
            for (idx, (was, is)) in old.iter().zip(new).enumerate() {
                if cut == Cut::Pairs && idx % 2 == 0 {
                    places.fixed(was, is)
                } else {
                    places.reference(was, is, bases)
                }
            }
        }
    }
}
