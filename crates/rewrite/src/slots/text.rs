//! The slots of formats of lines: plain text and Markdown, which are off by default, tracks,
//! playlists, and files of a site.
//!
//! RFC 3986, appendix C; CommonMark 0.31, sections 4.6, 4.7, 6.3 to 6.6; WebVTT; RFC 8216; RFC
//! 9309; Netlify and Cloudflare Pages, "redirects" and "headers".

use super::{Format, Kind, Slot, Syntax, row};

/// Returns the row of a slot of Markdown.
const fn markdown(name: &'static str, kind: Kind, syntax: Syntax) -> Slot {
    row(Format::MARKDOWN, name, kind, syntax).enabled_by("markdown")
}

/// Plain text.
pub(super) const TEXT: [Slot; 1] =
    [row(Format::TEXT, "text URL", Kind::Url, Syntax::Url).absolute().enabled_by("text")];

/// Slots of Markdown.
#[rustfmt::skip]
pub(super) const MARKDOWN: [Slot; 5] = [
    markdown("markdown autolink", Kind::Url, Syntax::Url).absolute(),
    markdown("markdown definition", Kind::Url, Syntax::Url),
    markdown("markdown html", Kind::Embedded, Syntax::HtmlFragment),
    markdown("markdown image", Kind::Url, Syntax::Url),
    markdown("markdown link", Kind::Url, Syntax::Url),
];

const VTT: Format = Format("WebVTT");
const ROBOTS: Format = Format("robots.txt");
const REDIRECTS: Format = Format("_redirects");
const HEADERS: Format = Format("_headers");
const SHORTCUT: Format = Format("shortcut");
const HLS: Format = Format("playlist");

/// Slots of the formats of lines that are read by default.
#[rustfmt::skip]
pub(super) const LINES: [Slot; 30] = [
    row(VTT, "vtt STYLE", Kind::Embedded, Syntax::Stylesheet),
    row(VTT, "vtt thumbnail", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-CONTENT-STEERING[SERVER-URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-DATERANGE[X-ASSET-LIST]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-DATERANGE[X-ASSET-URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-I-FRAME-STREAM-INF[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-KEY[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-MAP[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-MEDIA[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-PART[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-PRELOAD-HINT[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-RENDITION-REPORT[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-SESSION-DATA[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls EXT-X-SESSION-KEY[URI]", Kind::Url, Syntax::Url),
    row(HLS, "hls line", Kind::Url, Syntax::Url),
    row(ROBOTS, "robots Sitemap", Kind::Url, Syntax::Url).absolute(),
    row(REDIRECTS, "redirects path", Kind::Template, Syntax::Url),
    row(REDIRECTS, "redirects URL", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers Link", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers Link integrity", Kind::Condition, Syntax::Url),
    row(HEADERS, "headers Location", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers Refresh", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers Reporting-Endpoints", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers SourceMap", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers Speculation-Rules", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers X-Pingback", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS, "headers X-SourceMap", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut BASEURL", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut IconFile", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut URL", Kind::Url, Syntax::Url).absolute(),
];
