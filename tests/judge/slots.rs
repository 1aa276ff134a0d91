//! The table of slots: which attributes hold references, and of what kind.

use std::cell::Ref;

use html5ever::{Attribute, QualName, ns};

use super::split::{self, Pieces};

/// How a value is cut into references.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Single,
    Css,
    Srcset,
    Spaces,
    Commas,
    Refresh,
    Task,
    /// A whole document.
    Srcdoc,
}

/// What the references of a slot are resolved against.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Against {
    /// The base of the document.
    Base,
    /// The base that holds before any `base` element counts.
    Fallback,
    /// The `codebase` of the same element, unless `classid` is an identity.
    Codebase,
}

/// When a browser resolves the references of a slot, as its requests show.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Moment {
    /// When the parser meets it.
    Parsed,
    /// When the document is complete, or later.
    Final,
    /// Browsers differ, or it is loaded at one moment or the other.
    Either,
}

/// The moment of an attribute, `element[attribute]`.
pub(crate) fn moment(element: &Element<'_>, name: &str) -> Moment {
    let attribute = name.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
    let html = element.name.ns == ns!(html);
    let tag = &*element.name.local;
    let rel = element.lower("rel");
    let has_rel = |names: &[&str]| rel.split_ascii_whitespace().any(|word| names.contains(&word));
    match (tag, attribute) {
        (_, "style") => Moment::Parsed,
        ("link", "href") if html && has_rel(&LOADED) => Moment::Parsed,
        ("link", "href") if html && has_rel(&LOADED_OR_NOT) => Moment::Either,
        ("link", "imagesrcset") | ("img" | "source", "srcset") if html => Moment::Either,
        ("img", "src") if html => {
            let is_lazy = element.get("loading").is_some_and(|it| it.eq_ignore_ascii_case("lazy"));
            let may_wait = is_lazy || element.get("srcset").is_some();
            if may_wait { Moment::Either } else { Moment::Parsed }
        }
        ("script" | "iframe" | "frame", "src") if html => Moment::Parsed,
        ("script", _) if html && attribute.ends_with("href") => Moment::Parsed,
        ("html", "manifest") if html => Moment::Parsed,
        ("meta", "content") if html && element.lower("http-equiv") == "refresh" => Moment::Parsed,
        (_, "background") if html && !matches!(tag, "layer" | "ilayer") => Moment::Either,
        ("object", "data") | ("video", "poster") if html => Moment::Either,
        ("embed" | "source" | "track" | "audio" | "video" | "input", "src") if html => {
            Moment::Either
        }
        ("use", "href") if !html => Moment::Either,
        ("a", "href") => Moment::Final,
        (_, "href") if element.name.ns == ns!(svg) => Moment::Parsed,
        _ => Moment::Final,
    }
}

/// Link types that are loaded when they are parsed.
const LOADED: [&str; 5] =
    ["stylesheet", "preload", "modulepreload", "prefetch", "compression-dictionary"];

/// Link types that only some browsers load when they are parsed.
const LOADED_OR_NOT: [&str; 5] =
    ["next", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "fluid-icon"];

/// One row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) shape: Shape,
    pub(crate) against: Against,
    /// A value that begins with `#` ignores the base.
    pub(crate) local: bool,
    /// An empty value is a reference.
    pub(crate) explicit: bool,
    /// A reference that stays relative is an error; false also where browsers would not see one.
    pub(crate) strict: bool,
}

impl Slot {
    const fn new(shape: Shape) -> Self {
        let against = Against::Base;
        Self { shape, against, local: false, explicit: false, strict: true }
    }
}

const URL: Slot = Slot::new(Shape::Single);
const LOCAL: Slot = Slot { local: true, ..URL };
const EMPTY_TOO: Slot = Slot { explicit: true, ..URL };
const LENIENT: Slot = Slot { strict: false, ..URL };
const CSS: Slot = Slot { local: true, ..Slot::new(Shape::Css) };

/// An element as the table looks at it.
pub(crate) struct Element<'a> {
    pub(crate) name: &'a QualName,
    pub(crate) attrs: Ref<'a, Vec<Attribute>>,
}

impl Element<'_> {
    /// The value of an attribute without namespace.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let plain = |attr: &&Attribute| attr.name.ns == ns!() && &*attr.name.local == name;
        self.attrs.iter().find(plain).map(|attr| &*attr.value)
    }

    /// The value of an attribute in lower case, empty where there is none.
    fn lower(&self, name: &str) -> String {
        self.get(name).map(|value| value.trim_ascii().to_ascii_lowercase()).unwrap_or_default()
    }
}

/// The row for an attribute, if it holds references.
pub(crate) fn slot(element: &Element<'_>, attr: &QualName) -> Option<Slot> {
    let (tag, name) = (&*element.name.local, &*attr.local);
    if attr.ns == ns!() && name == "style" {
        return Some(CSS);
    }
    if element.name.ns == ns!(html) {
        return html(element, tag, name);
    }
    let link = name == "href" && (attr.ns == ns!() || attr.ns == ns!(xlink));
    if element.name.ns == ns!(mathml) {
        return link.then_some(URL);
    }
    if element.name.ns != ns!(svg) {
        return None;
    }
    match name {
        "href" if link => Some(if tag == "a" { URL } else { LOCAL }),
        "fill" | "stroke" | "filter" | "mask" | "clip-path" | "cursor" | "marker"
        | "marker-start" | "marker-mid" | "marker-end" => Some(CSS),
        "src" if tag == "image" => Some(LENIENT),
        "attributionsrc" => Some(Slot { strict: false, ..Slot::new(Shape::Spaces) }),
        _ => None,
    }
}

fn html(element: &Element<'_>, tag: &str, name: &str) -> Option<Slot> {
    let codebase = |shape| Slot { against: Against::Codebase, ..Slot::new(shape) };
    Some(match (tag, name) {
        ("a" | "area", "href") => EMPTY_TOO,
        ("link", "href") | ("video", "poster") | ("input" | "button", "formaction") => URL,
        ("base", "href") => Slot { against: Against::Fallback, ..EMPTY_TOO },
        (
            "img" | "script" | "iframe" | "frame" | "embed" | "source" | "track" | "audio"
            | "video" | "input" | "layer" | "ilayer" | "bgsound" | "fig" | "overlay"
            | "fencedframe" | "image" | "turbo-frame" | "model" | "model-viewer" | "amp-3d-gltf"
            | "amp-anim" | "amp-audio" | "amp-iframe" | "amp-img" | "amp-list" | "amp-pixel"
            | "amp-state" | "amp-video" | "amp-video-iframe",
            "src",
        ) => URL,
        ("amp-video" | "amp-video-iframe" | "model-viewer", "poster") => URL,
        ("model-viewer", "environment-image")
            if matches!(element.get(name), Some("neutral" | "legacy")) =>
        {
            return None;
        }
        ("model-viewer", "environment-image" | "ios-src" | "skybox-image")
        | ("form", "action-xhr") => URL,
        ("form", "action") | ("object", "data") | ("object" | "applet", "codebase") => URL,
        ("object", "classid") => codebase(Shape::Single),
        ("object", "archive") => codebase(Shape::Spaces),
        ("applet", "archive") => Slot { strict: false, ..codebase(Shape::Commas) },
        ("blockquote" | "q" | "ins" | "del", "cite") => EMPTY_TOO,
        ("img" | "frame" | "iframe", "longdesc") | ("img", "lowsrc" | "dynsrc") => URL,
        ("embed", "pluginspage") | ("html", "manifest") | ("command" | "menuitem", "icon") => URL,
        (
            "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "layer"
            | "ilayer",
            "background",
        )
        | ("script", "xlink:href") => URL,
        ("param", "value") if is_url_param(element) => URL,
        ("img" | "input" | "object", "usemap") => LOCAL,
        ("a" | "area", "ping") | (_, "attributionsrc") => Slot::new(Shape::Spaces),
        ("img" | "source" | "amp-img" | "amp-anim", "srcset") | ("link", "imagesrcset") => {
            Slot::new(Shape::Srcset)
        }
        ("iframe", "srcdoc") => Slot::new(Shape::Srcdoc),
        ("meta", "content") => return meta(element),
        _ => return None,
    })
}

fn is_url_param(element: &Element<'_>) -> bool {
    element.lower("valuetype") == "ref"
        || matches!(element.lower("name").as_str(), "movie" | "src" | "url" | "filename")
}

/// The names of `property` and `name` whose content is a reference, in lower case.
const METADATA: &[&str] = &[
    "og:url",
    "og:image",
    "og:image:url",
    "og:image:secure_url",
    "og:audio",
    "og:audio:url",
    "og:audio:secure_url",
    "og:video",
    "og:video:url",
    "og:video:secure_url",
    "twitter:image",
    "twitter:image:src",
    "twitter:player",
    "twitter:player:stream",
    "twitter:url",
    "al:web:url",
    "msapplication-tileimage",
    "msapplication-config",
    "msapplication-starturl",
    "thumbnail",
    "thumbnailurl",
];

fn is_metadata(name: &str) -> bool {
    let between = |head: &str, tail: &str| {
        name.strip_prefix(head).is_some_and(|rest| rest.len() > tail.len() && rest.ends_with(tail))
    };
    METADATA.contains(&name)
        || between("msapplication-square", "logo")
        || between("msapplication-wide", "logo")
        || between("citation_", "_url")
}

/// Spellings that only some readers accept (another letter case, several names in one attribute)
/// are judged where they were edited, and forgiven where they were not.
fn meta(element: &Element<'_>) -> Option<Slot> {
    if element.lower("http-equiv") == "refresh" {
        return Some(Slot::new(Shape::Refresh));
    }
    let mut found = None;
    for attr in ["property", "name"] {
        let value = element.get(attr).unwrap_or_default();
        let lower = value.to_ascii_lowercase();
        if lower.trim_ascii() == "msapplication-task" {
            return Some(Slot::new(Shape::Task));
        }
        if is_metadata(&lower) {
            return Some(URL);
        }
        if lower.split_ascii_whitespace().any(is_metadata) {
            found = Some(LENIENT);
        }
    }
    let names = element.get("itemprop").unwrap_or_default();
    let known = ["image", "url", "logo", "contentUrl", "thumbnailUrl"];
    if names.split_ascii_whitespace().any(|name| known.contains(&name)) {
        return Some(URL);
    }
    let near = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    if names.split_ascii_whitespace().any(near) { Some(LENIENT) } else { found }
}

/// Cuts a value of the shape; documents are not cut.
pub(crate) fn cut<'a>(slot: Slot, value: &'a str) -> Pieces<'a> {
    let mut pieces = match slot.shape {
        Shape::Single | Shape::Srcdoc => split::single(value, slot.explicit),
        Shape::Css => return super::css::split(value),
        Shape::Srcset => split::srcset(value),
        Shape::Spaces => split::spaces(value),
        Shape::Commas => split::commas(value),
        Shape::Refresh => split::refresh(value),
        Shape::Task => split::task(value),
    };
    pieces.marked = super::check::is_template(value);
    pieces
}
