//! The slots of HTML, SVG and MathML: texts of elements, then attributes.
//!
//! Invariant: the attribute rows are sorted by attribute, rows of one element before rows of any
//! element. HTML standard, index of attributes; HTML 4.01, index of attributes; SVG 2; MathML 3;
//! amp.dev, "components"; Turbo 8; model-viewer 4; The model element.

use basectx::html::Namespace;

use super::{Format, JsonType, Kind, Slot, Syntax, Test, row};

const HTML: Option<Namespace> = Some(Namespace::Html);
const SVG: Option<Namespace> = Some(Namespace::Svg);
const MATHML: Option<Namespace> = Some(Namespace::MathMl);

/// Returns the row of an attribute of an element, or of any element.
const fn slot(
    namespace: Option<Namespace>,
    name: &'static str,
    element: &'static str,
    attribute: &'static str,
    kind: Kind,
    syntax: Syntax,
) -> Slot {
    let format = match namespace {
        Some(Namespace::Svg) => Format::SVG,
        Some(Namespace::MathMl) => Format::MATHML,
        _ => Format::HTML,
    };
    Slot { namespace, element, attribute, ..row(format, name, kind, syntax) }
}

/// Texts of elements, and of comments.
#[rustfmt::skip]
pub(super) const TEXTS: [Slot; 10] = [
    row(Format::HTML, "conditional comment", Kind::Embedded, Syntax::HtmlFragment).parsed(),
    row(Format::HTML, "iframe", Kind::Embedded, Syntax::HtmlFragment).parsed(),
    row(Format::HTML, "noembed", Kind::Embedded, Syntax::HtmlFragment).parsed(),
    row(Format::HTML, "noframes", Kind::Embedded, Syntax::HtmlFragment).parsed(),
    row(Format::HTML, "noscript", Kind::Embedded, Syntax::HtmlFragment).parsed(),
    row(Format::HTML, "script importmap", Kind::Embedded, Syntax::Json(JsonType::ImportMap)).parsed(),
    row(Format::HTML, "script ld+json", Kind::Embedded, Syntax::Json(JsonType::LinkedData)),
    row(Format::HTML, "script speculationrules", Kind::Embedded, Syntax::Json(JsonType::SpeculationRules)),
    row(Format::HTML, "style", Kind::Embedded, Syntax::Stylesheet).parsed(),
    row(Format::SVG, "svg style", Kind::Embedded, Syntax::Stylesheet).parsed(),
];

/// Attributes.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: [Slot; 124] = [
    slot(HTML, "form[action]", "form", "action", Kind::Url, Syntax::Url),
    slot(HTML, "form[action-xhr]", "form", "action-xhr", Kind::Url, Syntax::Url),
    slot(HTML, "object[archive]", "object", "archive", Kind::List, Syntax::SpaceList).on_codebase(),
    slot(HTML, "applet[archive]", "applet", "archive", Kind::List, Syntax::CommaList).on_codebase().fixed(),
    slot(HTML, "*[attributionsrc]", "", "attributionsrc", Kind::List, Syntax::SpaceList),
    slot(HTML, "body[background]", "body", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "table[background]", "table", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "thead[background]", "thead", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "tbody[background]", "tbody", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "tfoot[background]", "tfoot", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "tr[background]", "tr", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "td[background]", "td", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "th[background]", "th", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "col[background]", "col", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "colgroup[background]", "colgroup", "background", Kind::Url, Syntax::Url).either(),
    slot(HTML, "layer[background]", "layer", "background", Kind::Url, Syntax::Url),
    slot(HTML, "ilayer[background]", "ilayer", "background", Kind::Url, Syntax::Url),
    slot(HTML, "blockquote[cite]", "blockquote", "cite", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "q[cite]", "q", "cite", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "ins[cite]", "ins", "cite", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "del[cite]", "del", "cite", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "object[classid]", "object", "classid", Kind::Url, Syntax::Url).on_codebase(),
    slot(SVG, "svg *[clip-path]", "", "clip-path", Kind::Embedded, Syntax::Declarations).either(),
    slot(HTML, "applet[code]", "applet", "code", Kind::Class, Syntax::Url),
    slot(HTML, "object[codebase]", "object", "codebase", Kind::Url, Syntax::Url),
    slot(HTML, "applet[codebase]", "applet", "codebase", Kind::Url, Syntax::Url),
    slot(HTML, "meta[refresh]", "meta", "content", Kind::Url, Syntax::Refresh).when(Test::Refresh).empty().parsed(),
    slot(HTML, "meta[http-equiv=content-location]", "meta", "content", Kind::Url, Syntax::Url).when(Test::ContentLocation).absolute(),
    slot(HTML, "meta[http-equiv=content-security-policy]", "meta", "content", Kind::Condition, Syntax::Url).when(Test::Policy),
    slot(HTML, "meta[http-equiv=link]", "meta", "content", Kind::List, Syntax::Links).when(Test::Link),
    slot(HTML, "meta[name]", "meta", "content", Kind::Url, Syntax::Url).when(Test::MetaName).absolute(),
    slot(HTML, "meta[task]", "meta", "content", Kind::Url, Syntax::Task).when(Test::MetaTask),
    slot(HTML, "meta[itemprop]", "meta", "content", Kind::Url, Syntax::Url).when(Test::Itemprop),
    slot(HTML, "meta[schema.org]", "meta", "content", Kind::Url, Syntax::Url).when(Test::SchemaOrg).absolute(),
    slot(SVG, "svg *[cursor]", "", "cursor", Kind::Embedded, Syntax::Declarations).either(),
    slot(HTML, "object[data]", "object", "data", Kind::Url, Syntax::Url).either(),
    slot(HTML, "img[dynsrc]", "img", "dynsrc", Kind::Url, Syntax::Url),
    slot(HTML, "model-viewer[environment-image]", "model-viewer", "environment-image", Kind::Url, Syntax::Url).when(Test::Environment),
    slot(SVG, "svg *[fill]", "", "fill", Kind::Embedded, Syntax::Declarations).either(),
    slot(SVG, "svg *[filter]", "", "filter", Kind::Embedded, Syntax::Declarations).either(),
    slot(HTML, "input[formaction]", "input", "formaction", Kind::Url, Syntax::Url),
    slot(HTML, "button[formaction]", "button", "formaction", Kind::Url, Syntax::Url),
    slot(SVG, "svg *[from]", "", "from", Kind::Url, Syntax::Url).local().when(Test::Animation),
    slot(HTML, "a[href]", "a", "href", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "area[href]", "area", "href", Kind::Url, Syntax::Url).empty(),
    slot(HTML, "link[canonical]", "link", "href", Kind::Url, Syntax::Url).when(Test::Canonical).absolute(),
    slot(HTML, "link[href]", "link", "href", Kind::Url, Syntax::Url),
    slot(HTML, "base[href]", "base", "href", Kind::Url, Syntax::Url).empty(),
    slot(SVG, "svg a[href]", "a", "href", Kind::Url, Syntax::Url),
    slot(SVG, "svg *[href]", "", "href", Kind::Url, Syntax::Url).local().parsed(),
    slot(MATHML, "math *[href]", "", "href", Kind::Url, Syntax::Url),
    slot(HTML, "command[icon]", "command", "icon", Kind::Url, Syntax::Url),
    slot(HTML, "menuitem[icon]", "menuitem", "icon", Kind::Url, Syntax::Url),
    slot(HTML, "link[imagesrcset]", "link", "imagesrcset", Kind::Candidates, Syntax::Candidates).either(),
    slot(HTML, "model-viewer[ios-src]", "model-viewer", "ios-src", Kind::Url, Syntax::Url),
    slot(HTML, "*[itemid]", "", "itemid", Kind::Id, Syntax::Url),
    slot(HTML, "*[itemtype]", "", "itemtype", Kind::Id, Syntax::SpaceList),
    slot(HTML, "img[longdesc]", "img", "longdesc", Kind::Url, Syntax::Url),
    slot(HTML, "frame[longdesc]", "frame", "longdesc", Kind::Url, Syntax::Url),
    slot(HTML, "iframe[longdesc]", "iframe", "longdesc", Kind::Url, Syntax::Url),
    slot(HTML, "img[lowsrc]", "img", "lowsrc", Kind::Url, Syntax::Url),
    slot(HTML, "html[manifest]", "html", "manifest", Kind::Url, Syntax::Url).parsed(),
    slot(SVG, "svg *[marker]", "", "marker", Kind::Embedded, Syntax::Declarations).either(),
    slot(SVG, "svg *[marker-end]", "", "marker-end", Kind::Embedded, Syntax::Declarations).either(),
    slot(SVG, "svg *[marker-mid]", "", "marker-mid", Kind::Embedded, Syntax::Declarations).either(),
    slot(SVG, "svg *[marker-start]", "", "marker-start", Kind::Embedded, Syntax::Declarations).either(),
    slot(SVG, "svg *[mask]", "", "mask", Kind::Embedded, Syntax::Declarations).either(),
    slot(HTML, "applet[object]", "applet", "object", Kind::Class, Syntax::Url),
    slot(HTML, "a[ping]", "a", "ping", Kind::List, Syntax::SpaceList),
    slot(HTML, "area[ping]", "area", "ping", Kind::List, Syntax::SpaceList),
    slot(HTML, "embed[pluginspage]", "embed", "pluginspage", Kind::Url, Syntax::Url),
    slot(HTML, "video[poster]", "video", "poster", Kind::Url, Syntax::Url).either(),
    slot(HTML, "amp-video[poster]", "amp-video", "poster", Kind::Url, Syntax::Url),
    slot(HTML, "amp-video-iframe[poster]", "amp-video-iframe", "poster", Kind::Url, Syntax::Url),
    slot(HTML, "model-viewer[poster]", "model-viewer", "poster", Kind::Url, Syntax::Url),
    slot(HTML, "head[profile]", "head", "profile", Kind::Id, Syntax::SpaceList),
    slot(HTML, "model-viewer[skybox-image]", "model-viewer", "skybox-image", Kind::Url, Syntax::Url),
    slot(HTML, "img[src]", "img", "src", Kind::Url, Syntax::Url).parsed(),
    slot(HTML, "script[src]", "script", "src", Kind::Url, Syntax::Url).parsed(),
    slot(HTML, "iframe[src]", "iframe", "src", Kind::Url, Syntax::Url).parsed(),
    slot(HTML, "frame[src]", "frame", "src", Kind::Url, Syntax::Url).parsed(),
    slot(HTML, "embed[src]", "embed", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "source[src]", "source", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "track[src]", "track", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "audio[src]", "audio", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "video[src]", "video", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "input[src]", "input", "src", Kind::Url, Syntax::Url).either(),
    slot(HTML, "layer[src]", "layer", "src", Kind::Url, Syntax::Url),
    slot(HTML, "ilayer[src]", "ilayer", "src", Kind::Url, Syntax::Url),
    slot(HTML, "bgsound[src]", "bgsound", "src", Kind::Url, Syntax::Url),
    slot(HTML, "fig[src]", "fig", "src", Kind::Url, Syntax::Url),
    slot(HTML, "overlay[src]", "overlay", "src", Kind::Url, Syntax::Url),
    slot(HTML, "fencedframe[src]", "fencedframe", "src", Kind::Url, Syntax::Url),
    slot(HTML, "image[src]", "image", "src", Kind::Url, Syntax::Url).parsed(),
    slot(HTML, "amp-3d-gltf[src]", "amp-3d-gltf", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-anim[src]", "amp-anim", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-audio[src]", "amp-audio", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-iframe[src]", "amp-iframe", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-img[src]", "amp-img", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-list[src]", "amp-list", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-pixel[src]", "amp-pixel", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-state[src]", "amp-state", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-video[src]", "amp-video", "src", Kind::Url, Syntax::Url),
    slot(HTML, "amp-video-iframe[src]", "amp-video-iframe", "src", Kind::Url, Syntax::Url),
    slot(HTML, "turbo-frame[src]", "turbo-frame", "src", Kind::Url, Syntax::Url),
    slot(HTML, "model[src]", "model", "src", Kind::Url, Syntax::Url),
    slot(HTML, "model-viewer[src]", "model-viewer", "src", Kind::Url, Syntax::Url),
    slot(HTML, "iframe[srcdoc]", "iframe", "srcdoc", Kind::Embedded, Syntax::Html).either(),
    slot(HTML, "img[srcset]", "img", "srcset", Kind::Candidates, Syntax::Candidates).either(),
    slot(HTML, "source[srcset]", "source", "srcset", Kind::Candidates, Syntax::Candidates).either(),
    slot(HTML, "amp-anim[srcset]", "amp-anim", "srcset", Kind::Candidates, Syntax::Candidates),
    slot(HTML, "amp-img[srcset]", "amp-img", "srcset", Kind::Candidates, Syntax::Candidates),
    slot(SVG, "svg *[stroke]", "", "stroke", Kind::Embedded, Syntax::Declarations).either(),
    slot(None, "*[style]", "", "style", Kind::Embedded, Syntax::Declarations).parsed(),
    slot(SVG, "svg *[to]", "", "to", Kind::Url, Syntax::Url).local().when(Test::Animation),
    slot(HTML, "img[usemap]", "img", "usemap", Kind::Url, Syntax::Url).local(),
    slot(HTML, "input[usemap]", "input", "usemap", Kind::Url, Syntax::Url).local(),
    slot(HTML, "object[usemap]", "object", "usemap", Kind::Url, Syntax::Url).local(),
    slot(HTML, "param[value]", "param", "value", Kind::Url, Syntax::Url).when(Test::Param),
    slot(SVG, "svg *[values]", "", "values", Kind::List, Syntax::SemicolonList).local().when(Test::Animation),
    slot(HTML, "script[xlink:href]", "script", "xlink:href", Kind::Url, Syntax::Url).parsed(),
    slot(SVG, "svg a[xlink:href]", "a", "xlink:href", Kind::Url, Syntax::Url),
    slot(SVG, "svg *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url).local().parsed(),
    slot(MATHML, "math *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url),
];

/// Conditions on what another attribute of the element loads. They are found by
/// `format/html/conditions.rs`, and only where they are treated.
#[rustfmt::skip]
pub(super) const CONDITIONS: [Slot; 7] = [
    slot(HTML, "audio[crossorigin]", "audio", "crossorigin", Kind::Condition, Syntax::Url),
    slot(HTML, "img[crossorigin]", "img", "crossorigin", Kind::Condition, Syntax::Url),
    slot(HTML, "link[crossorigin]", "link", "crossorigin", Kind::Condition, Syntax::Url),
    slot(HTML, "script[crossorigin]", "script", "crossorigin", Kind::Condition, Syntax::Url),
    slot(HTML, "video[crossorigin]", "video", "crossorigin", Kind::Condition, Syntax::Url),
    slot(HTML, "link[integrity]", "link", "integrity", Kind::Condition, Syntax::Url),
    slot(HTML, "script[integrity]", "script", "integrity", Kind::Condition, Syntax::Url),
];
