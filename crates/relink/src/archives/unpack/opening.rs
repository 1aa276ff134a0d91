//! What a browser makes of a part of mail whose file is opened: only HTML, XHTML and SVG are shown
//! as documents, each with a policy. Other XML, in which elements of HTML run scripts too, is shown
//! as text.

use std::borrow::Cow;

use super::extensions::extensions;
use super::policy;
use crate::urls::renames::naming::Extensions;

/// What a browser makes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    Html,
    Xhtml,
    Svg,
    /// XML that is to be shown as text.
    Text,
    /// No markup, or nothing that its name says.
    Other,
}

/// The extensions of XML other than XHTML and SVG that browsers know.
const XML: [&str; 14] = [
    "xml", "xsl", "xslt", "xsd", "rss", "atom", "rdf", "opml", "kml", "wsdl", "mml", "mathml",
    "xul", "xbl",
];

impl Opening {
    /// Returns what a part becomes that has this type, name and content, whose start is `head`.
    pub(super) fn of<'b>(
        media_type: &str,
        head: &[u8],
        name: Option<&str>,
        body: impl Fn() -> Cow<'b, [u8]>,
    ) -> Self {
        let extension = name.and_then(|name| name.rsplit_once('.'));
        let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase());
        let found = match extensions(media_type, head) {
            Some(known) if known.contains(&"html") => Opening::Html,
            Some(known) if known.contains(&"xml") => Opening::Text,
            Some(known) if known.contains(&"svg") => Opening::Svg,
            Some(known) if known.contains(&"xhtml") => Opening::Xhtml,
            Some(_) => Opening::Other,
            // Only the name says what it is.
            None => match extension.as_deref() {
                Some("svg" | "svgz") => Opening::Svg,
                Some("xhtml" | "xht" | "xhtm") => Opening::Xhtml,
                Some(extension) if XML.contains(&extension) => Opening::Text,
                _ => Opening::Other,
            },
        };
        match found {
            // There is no place for a policy.
            Opening::Svg | Opening::Xhtml if policy::root(&body()).is_none() => Opening::Text,
            found => found,
        }
    }

    /// Returns the extensions that say this; `None` if those of its type say enough.
    pub(super) fn extensions(self) -> Option<Extensions> {
        match self {
            Opening::Html => Some(&["html", "htm"]),
            Opening::Xhtml => Some(&["xhtml", "xht"]),
            Opening::Svg => Some(&["svg"]),
            Opening::Text => Some(&["txt"]),
            Opening::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_names() {
        let of = |media_type, name, body: &str| {
            Opening::of(media_type, body.as_bytes(), Some(name), || body.as_bytes().into())
        };
        let svg = "<?xml version='1.0'?><svg></svg>";
        for (media_type, name, body, expected) in [
            ("text/html", "x.xht", "<p>", Opening::Html),
            ("application/xhtml+xml", "x", "<html/>", Opening::Xhtml),
            ("image/svg+xml", "x", svg, Opening::Svg),
            ("image/svg+xml", "x.svg", "<?xml-stylesheet href='x'?><svg/>", Opening::Text),
            ("image/svg+xml", "x.svg", "no markup", Opening::Text),
            ("application/octet-stream", "x.SVG", "<a/>", Opening::Svg),
            ("application/octet-stream", "x.xslt", "<a/>", Opening::Text),
            ("text/xml", "x.svg", svg, Opening::Text),
            ("application/rss+xml", "x", "<rss/>", Opening::Text),
            ("image/png", "x.svg", "\u{89}PNG", Opening::Other),
            ("application/x-unknown", "x.doc", "a", Opening::Other),
        ] {
            assert_eq!(of(media_type, name, body), expected, "{media_type} {name} {body}");
        }
    }
}
