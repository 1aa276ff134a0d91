//! The slots that browsers fetch while they show a document, and how a document from `https` may
//! fetch from `http`.
//!
//! Mixed Content, sections 3.1 ("upgradeable content"), 3.2 ("blockable content") and 4.1; HTML
//! standard, sections 4.6.7 ("link types") and 4.8.4.3.5 ("updating the image data"). References
//! that only a plugin or an obsolete browser would fetch are not fetched.

use super::SlotId;

/// The way a reference is fetched while its document is shown, by its category in Mixed Content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// It is not fetched: it is a link, or is not read by browsers.
    Never,
    /// It is an image, audio or video, which browsers request by `https` instead.
    Upgradeable,
    /// It is any other resource, which browsers block.
    Blockable,
    /// As [`Fetch::Blockable`], and it is read as a style sheet.
    StyleSheet,
    /// As [`Fetch::Blockable`], and its document needs an origin that may read it: it is a module,
    /// subtitles, a mask, or what SVG and filters use. A file on a disk has none.
    WithOrigin,
}

const UPGRADEABLE: [SlotId; 22] = [
    SlotId::named("body[background]"),
    SlotId::named("table[background]"),
    SlotId::named("thead[background]"),
    SlotId::named("tbody[background]"),
    SlotId::named("tfoot[background]"),
    SlotId::named("tr[background]"),
    SlotId::named("td[background]"),
    SlotId::named("th[background]"),
    SlotId::named("col[background]"),
    SlotId::named("colgroup[background]"),
    SlotId::named("layer[background]"),
    SlotId::named("ilayer[background]"),
    SlotId::named("audio[src]"),
    SlotId::named("image[src]"),
    SlotId::named("img[src]"),
    SlotId::named("input[src]"),
    SlotId::named("source[src]"),
    SlotId::named("video[poster]"),
    SlotId::named("video[src]"),
    SlotId::CSS_IMAGE_SET,
    SlotId::CSS_SRC,
    SlotId::CSS_URL,
];

/// The candidates of a set are images too, but they are not upgraded, because another candidate may
/// be available.
const BLOCKABLE: [SlotId; 16] = [
    SlotId::named("embed[src]"),
    SlotId::named("fencedframe[src]"),
    SlotId::named("frame[src]"),
    SlotId::named("iframe[src]"),
    SlotId::named("img[srcset]"),
    SlotId::named("link[imagesrcset]"),
    SlotId::named("object[data]"),
    SlotId::named("script[src]"),
    SlotId::named("source[srcset]"),
    SlotId::named("importmap address"),
    SlotId::SVG_HREF,
    SlotId::SVG_XLINK_HREF,
    SlotId::XML_STYLESHEET,
    SlotId::JS_DYNAMIC_IMPORT,
    SlotId::JS_EXPORT,
    SlotId::JS_IMPORT,
];

/// Properties of CSS whose references need an origin, without `-webkit-`; so do all of markers.
const WITH_ORIGIN: [&str; 8] = [
    "backdrop-filter",
    "clip-path",
    "fill",
    "filter",
    "mask",
    "mask-image",
    "shape-outside",
    "stroke",
];

impl SlotId {
    /// Returns the way a reference is fetched, as far as the slot alone decides.
    pub(crate) fn fetch(self) -> Fetch {
        match self {
            SlotId::CSS_IMPORT => Fetch::StyleSheet,
            SlotId::TRACK_SRC => Fetch::WithOrigin,
            slot if UPGRADEABLE.contains(&slot) => Fetch::Upgradeable,
            slot if BLOCKABLE.contains(&slot) => Fetch::Blockable,
            _ => Fetch::Never,
        }
    }
}

impl Fetch {
    /// Returns the way a `link` is fetched by its `rel` and `as`.
    pub(crate) fn of_link(rel: &str, destination: Option<&str>) -> Fetch {
        let is =
            |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
        let is_media = destination.is_some_and(|destination| {
            ["image", "audio", "video"].iter().any(|name| destination.eq_ignore_ascii_case(name))
        });
        match () {
            () if is("stylesheet") => Fetch::StyleSheet,
            () if is("modulepreload") => Fetch::WithOrigin,
            () if is("prefetch") || is("manifest") => Fetch::Blockable,
            () if is("preload") && !is_media => Fetch::Blockable,
            () if is("preload") || is("icon") => Fetch::Upgradeable,
            () => Fetch::Never,
        }
    }

    /// Returns true if what a property of CSS refers to is fetched with an origin that may read it
    /// (SVG 2, section 16.1.3; CSS Masking 1, section 10; CSS Shapes 1, section 4.3).
    pub(crate) fn needs_origin(property: &str) -> bool {
        let begins = |name: &str, start: &str| {
            name.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
        };
        let prefix = "-webkit-";
        let name = if begins(property, prefix) { &property[prefix.len()..] } else { property };
        WITH_ORIGIN.iter().any(|with| name.eq_ignore_ascii_case(with)) || begins(name, "marker")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_distinguished() {
        for name in ["mask", "-WEBKIT-mask-image", "Filter", "marker-end", "-webkit-clip-path"] {
            assert!(Fetch::needs_origin(name), "{name}");
        }
        for name in ["mask-mode", "-webkit-mask-box-image", "background", "webkit-mask", "", "é"] {
            assert!(!Fetch::needs_origin(name), "{name}");
        }
    }

    #[test]
    fn links_are_distinguished() {
        let fetch = |rel| Fetch::of_link(rel, None);
        assert_eq!(fetch("alternate StyleSheet"), Fetch::StyleSheet);
        assert_eq!(fetch("shortcut icon"), Fetch::Upgradeable);
        assert_eq!(fetch("next"), Fetch::Never);
        assert_eq!(fetch(""), Fetch::Never);
        assert_eq!(fetch("preload"), Fetch::Blockable);
        assert_eq!(fetch("modulepreload"), Fetch::WithOrigin);
        assert_eq!(Fetch::of_link("preload", Some("Image")), Fetch::Upgradeable);
        assert_eq!(Fetch::of_link("preload", Some("font")), Fetch::Blockable);
    }
}
