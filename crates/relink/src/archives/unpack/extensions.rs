//! The extensions of files by their media types: a browser that opens a file from a disk has only
//! its name.

use rewrite::Media;

use crate::urls::renames::naming::{self, CSS, Extensions, HTML, SCRIPT, SVG, XML};

/// Media types without parameters, in lower case, and their extensions; the first one is added to
/// a name that has none of them.
#[rustfmt::skip]
const TYPES: &[(&str, Extensions)] = &[
    ("application/xhtml+xml", &["xhtml", "xht"]),
    ("image/svg+xml", SVG),
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/jpg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/pjpeg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/avif", &["avif"]),
    ("image/bmp", &["bmp"]),
    ("image/x-icon", &["ico"]),
    ("image/vnd.microsoft.icon", &["ico"]),
    ("image/tiff", &["tif", "tiff"]),
    ("font/woff", &["woff"]),
    ("font/woff2", &["woff2"]),
    ("application/font-woff", &["woff"]),
    ("application/font-woff2", &["woff2"]),
    ("font/ttf", &["ttf"]),
    ("font/otf", &["otf"]),
    ("application/vnd.ms-fontobject", &["eot"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/wav", &["wav"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/webm", &["webm"]),
    ("video/ogg", &["ogv"]),
    ("application/pdf", &["pdf"]),
    ("application/zip", &["zip"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/json", &["json"]),
    ("application/ld+json", &["jsonld"]),
    ("application/manifest+json", &["webmanifest"]),
    ("application/rtf", &["rtf"]),
    ("application/msword", &["doc"]),
    ("application/vnd.ms-excel", &["xls"]),
    ("application/vnd.ms-powerpoint", &["ppt"]),
    ("application/pgp-signature", &["asc"]),
    ("application/pkcs7-signature", &["p7s"]),
    ("application/x-pkcs7-signature", &["p7s"]),
    ("text/plain", &["txt", "text", "log", "md", "csv", "diff", "patch", "asc"]),
    ("text/markdown", &["md", "markdown"]),
    ("text/csv", &["csv"]),
    ("text/calendar", &["ics"]),
    ("text/vcard", &["vcf"]),
    ("text/x-vcard", &["vcf"]),
    ("text/vtt", &["vtt"]),
    ("message/rfc822", &["eml"]),
    ("message/delivery-status", &["txt"]),
    ("message/disposition-notification", &["txt"]),
];

/// Returns the extensions of a media type; `None` if only the name of the file says what it is.
/// `head` are its first bytes.
pub(super) fn extensions(media_type: &str, head: &[u8]) -> Option<Extensions> {
    let listed = TYPES.iter().find(|(name, _)| *name == media_type).map(|(_, names)| *names);
    listed.or_else(|| match Media::from_name(media_type) {
        Some(Media::HTML) => Some(HTML),
        Some(Media::CSS) => Some(CSS),
        Some(Media::SCRIPT) => Some(SCRIPT),
        Some(Media::XML) => Some(XML),
        _ => naming::sniff(head),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_extensions() {
        let first = |media_type, head: &[u8]| extensions(media_type, head).map(|names| names[0]);
        for (media_type, expected) in [
            ("text/html", Some("html")),
            ("application/xhtml+xml", Some("xhtml")),
            ("text/css", Some("css")),
            ("text/javascript", Some("js")),
            ("application/rss+xml", Some("xml")),
            ("image/svg+xml", Some("svg")),
            ("image/jpeg", Some("jpg")),
            ("application/octet-stream", None),
        ] {
            assert_eq!(first(media_type, b""), expected, "{media_type}");
        }
        assert_eq!(first("application/octet-stream", b"%PDF-1.4"), Some("pdf"));
        assert!(TYPES.iter().all(|(name, names)| name.contains('/') && !names.is_empty()));
    }
}
