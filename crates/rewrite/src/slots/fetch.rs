//! What browsers do with references: which they fetch while they show a document, and how a
//! document from `https` may fetch from `http`; the moment at which they resolve each, and the
//! charset of queries.
//!
//! Mixed Content, sections 3.1 ("upgradeable content"), 3.2 ("blockable content") and 4.1; HTML
//! standard, sections 4.6.7 ("link types") and 4.8.4.3.5 ("updating the image data"). References
//! that only a plugin or an obsolete browser would fetch are not fetched.
//!
//! The charset in which browsers send the queries of references.
//!
//! What a document itself loads has the document's (URL Standard, "query state"; HTML standard,
//! section 2.4.1, "encoding-parsing a URL"). The rest is parsed apart from it, in UTF-8: embedded
//! documents, modules, JSON and declarations in attributes. The specifications do not say which a
//! style sheet has; Chromium sends all but its imports in its own charset. The rows were compared
//! with the requests of Chromium 156 (`tests/browser/queries.py`).
//!
//! The moment at which browsers resolve a reference: a `<base>` may come after it.
//!
//! What is loaded while the document is parsed has the base of that moment (HTML standard, sections
//! 4.2.4, "fetching and processing a resource from a link element", 4.8.4.3.5, "updating the image
//! data", 4.12.1.1, "prepare the script element", and 7.3.1; CSS Values 4, section 4.5.2); what is
//! used later has the base of the whole document. Media, `object`, `embed`, image buttons and icons
//! are loaded by a task after the parser has met them: a `<base>` counts if it is parsed before,
//! and a script or the end of a packet lets the task run first. The rows were compared with the
//! requests of Chromium 156 and Firefox 153 (`tests/browser/firefox.py`).

use std::fmt;

use layers::Charset;

use crate::slots::{SlotId, Syntax};

/// The way a reference is fetched while its document is shown, by its category in Mixed Content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl SlotId {
    /// Returns the charset in which a browser sends the queries of references in a text of this
    /// slot, if those of the text around it are sent in `around`.
    #[inline]
    pub(crate) fn query_charset(self, syntax: Syntax, around: Charset) -> Charset {
        match syntax {
            Syntax::Html | Syntax::Declarations | Syntax::Module | Syntax::Json(_) => {
                Charset::UTF_8
            }
            _ if self == SlotId::CSS_IMPORT => Charset::UTF_8,
            _ => around,
        }
    }
}

/// The moment whose base counts for a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The moment at which the parser meets it: a later `<base>` does not count.
    Parsed,
    /// The end of the document: a `<base>` that comes later counts too.
    Final,
    /// One of both: browsers differ, or it may be loaded at another moment.
    Either,
}

impl Moment {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Moment::Parsed => "parsed",
            Moment::Final => "final",
            Moment::Either => "either",
        }
    }

    /// Returns the moment of the `href` of a `link` by its `rel`. Only Firefox fetches what comes
    /// `next`, and it resolves an icon soon after the parser has met it.
    pub(crate) fn of_link(rel: &str) -> Moment {
        const LOADED: [&str; 5] =
            ["stylesheet", "preload", "modulepreload", "prefetch", "compression-dictionary"];
        const LOADED_BY_FIREFOX: [&str; 5] =
            ["next", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "fluid-icon"];
        let is =
            |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
        match () {
            () if LOADED.into_iter().any(is) => Moment::Parsed,
            () if LOADED_BY_FIREFOX.into_iter().any(is) => Moment::Either,
            () => Moment::Final,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
