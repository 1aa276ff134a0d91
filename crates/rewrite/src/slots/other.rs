//! The slots outside of markup: header fields, style sheets, formats of lines, and what is off by
//! default.
//!
//! RFC 2557 4; RFC 2369; RFC 5064; RFC 8288; RFC 2017; RFC 9110 10.2.2; ECMA-426; CSS Values level
//! 4, section 4.5.
//!
//! The slots that are off by default and are read by programs other than browsers too: server-side
//! includes, modules, templates in scripts.
//!
//! Apache HTTP Server 2.4, mod_include; ECMA-262, sections 13.3.10 and 16.2; HTML standard, section
//! 8.1.6.

use crate::slots::{Format, Kind, SLOTS, Slot, SlotId, Syntax, row};

/// Returns the row of a header field, by its name after the first word.
const fn header(name: &'static str, kind: Kind) -> Slot {
    row(Format::HEADER, name, kind, Syntax::Url)
}

/// Header fields.
#[rustfmt::skip]
pub(super) const HEADERS: [Slot; 16] = [
    header("header Archived-At", Kind::Url).absolute(),
    header("header Base", Kind::Url).absolute(),
    header("header Content-Base", Kind::Url).absolute(),
    header("header Content-Location", Kind::Url).absolute(),
    header("header Content-Type", Kind::Url).absolute(),
    header("header Link", Kind::List),
    header("header List-Archive", Kind::List).absolute(),
    header("header List-Help", Kind::List).absolute(),
    header("header List-Owner", Kind::List).absolute(),
    header("header List-Post", Kind::List).absolute(),
    header("header List-Subscribe", Kind::List).absolute(),
    header("header List-Unsubscribe", Kind::List).absolute(),
    header("header Refresh", Kind::Url).empty(),
    header("header Snapshot-Content-Location", Kind::Url).absolute(),
    header("header X-Mozilla-External-Attachment-URL", Kind::Url).absolute(),
    header("header X-URL", Kind::Url).absolute(),
];

/// Header fields that only HTTP responses have. The fields of the original response in an archive
/// (`X-Archive-Orig-…`) record text, and are not links.
#[rustfmt::skip]
pub(super) const HTTP: [Slot; 10] = [
    row(Format::HTTP, "header Content-Security-Policy", Kind::Condition, Syntax::Url),
    row(Format::HTTP, "header Location", Kind::Url, Syntax::Url).absolute(),
    row(Format::HTTP, "header Reporting-Endpoints", Kind::List, Syntax::Url),
    row(Format::HTTP, "header SourceMap", Kind::Url, Syntax::Url),
    row(Format::HTTP, "header Speculation-Rules", Kind::List, Syntax::Url),
    row(Format::HTTP, "header X-Archive-Orig-Content-Location", Kind::Id, Syntax::Url),
    row(Format::HTTP, "header X-Archive-Orig-Link", Kind::Id, Syntax::Url),
    row(Format::HTTP, "header X-Archive-Orig-Location", Kind::Id, Syntax::Url),
    row(Format::HTTP, "header X-Pingback", Kind::Url, Syntax::Url).absolute(),
    row(Format::HTTP, "header X-SourceMap", Kind::Url, Syntax::Url),
];

/// Slots of style sheets.
#[rustfmt::skip]
pub(super) const CSS: [Slot; 6] = [
    row(Format::CSS, "css @import", Kind::Url, Syntax::Url).local(),
    row(Format::CSS, "css AlphaImageLoader()", Kind::Url, Syntax::Url),
    row(Format::CSS, "css image-set()", Kind::Url, Syntax::Url).local(),
    row(Format::CSS, "css sourceMappingURL", Kind::Url, Syntax::Url),
    row(Format::CSS, "css src()", Kind::Url, Syntax::Url).local(),
    row(Format::CSS, "css url()", Kind::Url, Syntax::Url).local(),
];

impl SlotId {
    /// Returns the slot of a header field of a message, by its name in any letter case.
    pub(crate) fn of_header(name: &[u8]) -> Option<SlotId> {
        let is_of_message = |slot: &SlotId| usize::from(slot.0) < super::HTTP_START;
        SlotId::of_field(name).filter(is_of_message)
    }

    /// Returns the slot of a header field of a response, by its name in any letter case.
    pub(crate) fn of_field(name: &[u8]) -> Option<SlotId> {
        let is_it = |row: &usize| {
            let header = SLOTS[*row].name.strip_prefix("header ").unwrap_or_default();
            header.as_bytes().eq_ignore_ascii_case(name)
        };
        (SlotId::ARCHIVED_AT.0.into()..SlotId::CSS_IMPORT.0.into()).find(is_it).map(SlotId::of_row)
    }

    /// Returns true if it is a field in which an archive keeps a field of the original response.
    pub(crate) fn is_original(self) -> bool {
        self.row().is_ok_and(|slot| slot.name.starts_with("header X-Archive-Orig-"))
    }
}

/// Server-side includes in HTML comments.
#[rustfmt::skip]
pub(super) const SSI: [Slot; 2] = [
    row(Format::SSI, "ssi file", Kind::File, Syntax::Url).enabled_by("ssi"),
    row(Format::SSI, "ssi virtual", Kind::Url, Syntax::Url).path().enabled_by("ssi"),
];

/// Templates of HTML, which scripts fill in and insert.
#[rustfmt::skip]
pub(super) const TEMPLATES: [Slot; 1] = [
    row(Format::HTML, "script template", Kind::Embedded, Syntax::HtmlFragment).enabled_by("script-templates"),
];

/// Module specifiers, and the HTML elements that contain modules.
#[rustfmt::skip]
pub(super) const MODULES: [Slot; 5] = [
    row(Format::SCRIPT, "js export", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js import", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js import()", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js sourceMappingURL", Kind::Url, Syntax::Url).enabled_by("js-modules"),
    row(Format::SCRIPT, "script module", Kind::Embedded, Syntax::Module).parsed().enabled_by("js-modules"),
];

// The slots of formats of lines: plain text and Markdown, which are off by default, tracks,
// playlists, and files of a site.
//
// RFC 3986, appendix C; CommonMark 0.31, sections 4.6, 4.7, 6.3 to 6.6; WebVTT; RFC 8216; RFC
// 9309; Netlify and Cloudflare Pages, "redirects" and "headers".

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
const HEADERS_FILE: Format = Format("_headers");
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
    row(HEADERS_FILE, "headers Link", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers Link integrity", Kind::Condition, Syntax::Url),
    row(HEADERS_FILE, "headers Location", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers Refresh", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers Reporting-Endpoints", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers SourceMap", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers Speculation-Rules", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers X-Pingback", Kind::Url, Syntax::Url).absolute(),
    row(HEADERS_FILE, "headers X-SourceMap", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut BASEURL", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut IconFile", Kind::Url, Syntax::Url).absolute(),
    row(SHORTCUT, "shortcut URL", Kind::Url, Syntax::Url).absolute(),
];
