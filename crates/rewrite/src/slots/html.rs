//! The slots of HTML, SVG and MathML: texts of elements, then attributes.
//!
//! Invariant: the attribute rows are sorted by attribute, rows of one element before rows of any
//! element. HTML standard, index of attributes; HTML 4.01, index of attributes; SVG 2; MathML 3.

use basectx::html::Namespace;

use super::{Format, JsonType, Kind, Slot, Syntax, Test, row};

const HTML: Option<Namespace> = Some(Namespace::Html);
const SVG: Option<Namespace> = Some(Namespace::Svg);
const MATHML: Option<Namespace> = Some(Namespace::MathMl);

/// Returns the row of an attribute of an element, or of any element.
const fn of(
    namespace: Option<Namespace>,
    name: &'static str,
    element: &'static str,
    attribute: &'static str,
    kind: Kind,
    syntax: Syntax,
) -> Slot {
    let format = match namespace {
        Some(Namespace::Svg) => Format::Svg,
        Some(Namespace::MathMl) => Format::MathMl,
        _ => Format::Html,
    };
    Slot { namespace, element, attribute, ..row(format, name, kind, syntax) }
}

/// Texts of elements, and of comments.
#[rustfmt::skip]
pub(super) const TEXTS: [Slot; 10] = [
    row(Format::Html, "conditional comment", Kind::Embedded, Syntax::HtmlFragment),
    row(Format::Html, "iframe", Kind::Embedded, Syntax::HtmlFragment),
    row(Format::Html, "noembed", Kind::Embedded, Syntax::HtmlFragment),
    row(Format::Html, "noframes", Kind::Embedded, Syntax::HtmlFragment),
    row(Format::Html, "noscript", Kind::Embedded, Syntax::HtmlFragment),
    row(Format::Html, "script importmap", Kind::Embedded, Syntax::Json(JsonType::ImportMap)),
    row(Format::Html, "script ld+json", Kind::Embedded, Syntax::Json(JsonType::LinkedData)),
    row(Format::Html, "script speculationrules", Kind::Embedded, Syntax::Json(JsonType::SpeculationRules)),
    row(Format::Html, "style", Kind::Embedded, Syntax::Stylesheet),
    row(Format::Svg, "svg style", Kind::Embedded, Syntax::Stylesheet),
];

/// Attributes.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: [Slot; 93] = [
    of(HTML, "form[action]", "form", "action", Kind::Url, Syntax::Url),
    of(HTML, "object[archive]", "object", "archive", Kind::List, Syntax::SpaceList).on_codebase(),
    of(HTML, "applet[archive]", "applet", "archive", Kind::List, Syntax::CommaList).on_codebase().fixed(),
    of(HTML, "*[attributionsrc]", "", "attributionsrc", Kind::List, Syntax::SpaceList),
    of(HTML, "body[background]", "body", "background", Kind::Url, Syntax::Url),
    of(HTML, "table[background]", "table", "background", Kind::Url, Syntax::Url),
    of(HTML, "thead[background]", "thead", "background", Kind::Url, Syntax::Url),
    of(HTML, "tbody[background]", "tbody", "background", Kind::Url, Syntax::Url),
    of(HTML, "tfoot[background]", "tfoot", "background", Kind::Url, Syntax::Url),
    of(HTML, "tr[background]", "tr", "background", Kind::Url, Syntax::Url),
    of(HTML, "td[background]", "td", "background", Kind::Url, Syntax::Url),
    of(HTML, "th[background]", "th", "background", Kind::Url, Syntax::Url),
    of(HTML, "layer[background]", "layer", "background", Kind::Url, Syntax::Url),
    of(HTML, "ilayer[background]", "ilayer", "background", Kind::Url, Syntax::Url),
    of(HTML, "blockquote[cite]", "blockquote", "cite", Kind::Url, Syntax::Url).empty(),
    of(HTML, "q[cite]", "q", "cite", Kind::Url, Syntax::Url).empty(),
    of(HTML, "ins[cite]", "ins", "cite", Kind::Url, Syntax::Url).empty(),
    of(HTML, "del[cite]", "del", "cite", Kind::Url, Syntax::Url).empty(),
    of(HTML, "object[classid]", "object", "classid", Kind::Url, Syntax::Url).on_codebase(),
    of(SVG, "svg *[clip-path]", "", "clip-path", Kind::Embedded, Syntax::Declarations),
    of(HTML, "applet[code]", "applet", "code", Kind::Class, Syntax::Url),
    of(HTML, "object[codebase]", "object", "codebase", Kind::Url, Syntax::Url),
    of(HTML, "applet[codebase]", "applet", "codebase", Kind::Url, Syntax::Url),
    of(HTML, "meta[refresh]", "meta", "content", Kind::Url, Syntax::Refresh).when(Test::Refresh).empty(),
    of(HTML, "meta[name]", "meta", "content", Kind::Url, Syntax::Url).when(Test::MetaName).absolute(),
    of(HTML, "meta[task]", "meta", "content", Kind::Url, Syntax::Task).when(Test::MetaTask),
    of(HTML, "meta[itemprop]", "meta", "content", Kind::Url, Syntax::Url).when(Test::Itemprop),
    of(SVG, "svg *[cursor]", "", "cursor", Kind::Embedded, Syntax::Declarations),
    of(HTML, "object[data]", "object", "data", Kind::Url, Syntax::Url),
    of(HTML, "img[dynsrc]", "img", "dynsrc", Kind::Url, Syntax::Url),
    of(SVG, "svg *[fill]", "", "fill", Kind::Embedded, Syntax::Declarations),
    of(SVG, "svg *[filter]", "", "filter", Kind::Embedded, Syntax::Declarations),
    of(HTML, "input[formaction]", "input", "formaction", Kind::Url, Syntax::Url),
    of(HTML, "button[formaction]", "button", "formaction", Kind::Url, Syntax::Url),
    of(HTML, "a[href]", "a", "href", Kind::Url, Syntax::Url).empty(),
    of(HTML, "area[href]", "area", "href", Kind::Url, Syntax::Url).empty(),
    of(HTML, "link[canonical]", "link", "href", Kind::Url, Syntax::Url).when(Test::Canonical).absolute(),
    of(HTML, "link[href]", "link", "href", Kind::Url, Syntax::Url),
    of(HTML, "base[href]", "base", "href", Kind::Url, Syntax::Url).empty(),
    of(SVG, "svg a[href]", "a", "href", Kind::Url, Syntax::Url),
    of(SVG, "svg *[href]", "", "href", Kind::Url, Syntax::Url).local(),
    of(MATHML, "math *[href]", "", "href", Kind::Url, Syntax::Url),
    of(HTML, "command[icon]", "command", "icon", Kind::Url, Syntax::Url),
    of(HTML, "menuitem[icon]", "menuitem", "icon", Kind::Url, Syntax::Url),
    of(HTML, "link[imagesrcset]", "link", "imagesrcset", Kind::Candidates, Syntax::Candidates),
    of(HTML, "*[itemid]", "", "itemid", Kind::Id, Syntax::Url),
    of(HTML, "*[itemtype]", "", "itemtype", Kind::Id, Syntax::SpaceList),
    of(HTML, "img[longdesc]", "img", "longdesc", Kind::Url, Syntax::Url),
    of(HTML, "frame[longdesc]", "frame", "longdesc", Kind::Url, Syntax::Url),
    of(HTML, "iframe[longdesc]", "iframe", "longdesc", Kind::Url, Syntax::Url),
    of(HTML, "img[lowsrc]", "img", "lowsrc", Kind::Url, Syntax::Url),
    of(HTML, "html[manifest]", "html", "manifest", Kind::Url, Syntax::Url),
    of(SVG, "svg *[marker]", "", "marker", Kind::Embedded, Syntax::Declarations),
    of(SVG, "svg *[marker-end]", "", "marker-end", Kind::Embedded, Syntax::Declarations),
    of(SVG, "svg *[marker-mid]", "", "marker-mid", Kind::Embedded, Syntax::Declarations),
    of(SVG, "svg *[marker-start]", "", "marker-start", Kind::Embedded, Syntax::Declarations),
    of(SVG, "svg *[mask]", "", "mask", Kind::Embedded, Syntax::Declarations),
    of(HTML, "applet[object]", "applet", "object", Kind::Class, Syntax::Url),
    of(HTML, "a[ping]", "a", "ping", Kind::List, Syntax::SpaceList),
    of(HTML, "area[ping]", "area", "ping", Kind::List, Syntax::SpaceList),
    of(HTML, "embed[pluginspage]", "embed", "pluginspage", Kind::Url, Syntax::Url),
    of(HTML, "video[poster]", "video", "poster", Kind::Url, Syntax::Url),
    of(HTML, "head[profile]", "head", "profile", Kind::Id, Syntax::SpaceList),
    of(HTML, "img[src]", "img", "src", Kind::Url, Syntax::Url),
    of(HTML, "script[src]", "script", "src", Kind::Url, Syntax::Url),
    of(HTML, "iframe[src]", "iframe", "src", Kind::Url, Syntax::Url),
    of(HTML, "frame[src]", "frame", "src", Kind::Url, Syntax::Url),
    of(HTML, "embed[src]", "embed", "src", Kind::Url, Syntax::Url),
    of(HTML, "source[src]", "source", "src", Kind::Url, Syntax::Url),
    of(HTML, "track[src]", "track", "src", Kind::Url, Syntax::Url),
    of(HTML, "audio[src]", "audio", "src", Kind::Url, Syntax::Url),
    of(HTML, "video[src]", "video", "src", Kind::Url, Syntax::Url),
    of(HTML, "input[src]", "input", "src", Kind::Url, Syntax::Url),
    of(HTML, "layer[src]", "layer", "src", Kind::Url, Syntax::Url),
    of(HTML, "ilayer[src]", "ilayer", "src", Kind::Url, Syntax::Url),
    of(HTML, "bgsound[src]", "bgsound", "src", Kind::Url, Syntax::Url),
    of(HTML, "fig[src]", "fig", "src", Kind::Url, Syntax::Url),
    of(HTML, "overlay[src]", "overlay", "src", Kind::Url, Syntax::Url),
    of(HTML, "fencedframe[src]", "fencedframe", "src", Kind::Url, Syntax::Url),
    of(HTML, "image[src]", "image", "src", Kind::Url, Syntax::Url),
    of(HTML, "iframe[srcdoc]", "iframe", "srcdoc", Kind::Embedded, Syntax::Html),
    of(HTML, "img[srcset]", "img", "srcset", Kind::Candidates, Syntax::Candidates),
    of(HTML, "source[srcset]", "source", "srcset", Kind::Candidates, Syntax::Candidates),
    of(SVG, "svg *[stroke]", "", "stroke", Kind::Embedded, Syntax::Declarations),
    of(None, "*[style]", "", "style", Kind::Embedded, Syntax::Declarations),
    of(HTML, "img[usemap]", "img", "usemap", Kind::Url, Syntax::Url).local(),
    of(HTML, "input[usemap]", "input", "usemap", Kind::Url, Syntax::Url).local(),
    of(HTML, "object[usemap]", "object", "usemap", Kind::Url, Syntax::Url).local(),
    of(HTML, "param[value]", "param", "value", Kind::Url, Syntax::Url).when(Test::Param),
    of(HTML, "script[xlink:href]", "script", "xlink:href", Kind::Url, Syntax::Url),
    of(SVG, "svg a[xlink:href]", "a", "xlink:href", Kind::Url, Syntax::Url),
    of(SVG, "svg *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url).local(),
    of(MATHML, "math *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url),
];
