//! The slots that the code names, what only some slots do, and the formats with slots.

use std::fmt;

use super::{Kind, SLOTS, Slot, SlotId, is_same};

impl SlotId {
    pub(crate) const CONDITIONAL_COMMENT: SlotId = SlotId::named("conditional comment");
    pub(crate) const HEADERS_DIGEST: SlotId = SlotId::named("headers Link integrity");
    pub(crate) const IFRAME: SlotId = SlotId::named("iframe");
    pub(crate) const IFRAME_SRCDOC: SlotId = SlotId::named("iframe[srcdoc]");
    pub(crate) const NOEMBED: SlotId = SlotId::named("noembed");
    pub(crate) const NOFRAMES: SlotId = SlotId::named("noframes");
    pub(crate) const NOSCRIPT: SlotId = SlotId::named("noscript");
    pub(crate) const IMPORTMAP_DIGEST: SlotId = SlotId::named("importmap digest");
    pub(crate) const IMPORTMAP_SPECIFIER: SlotId = SlotId::named("importmap specifier");
    pub(crate) const SCRIPT_IMPORTMAP: SlotId = SlotId::named("script importmap");
    pub(crate) const SCRIPT_LINKED_DATA: SlotId = SlotId::named("script ld+json");
    pub(crate) const SCRIPT_SPECULATIONRULES: SlotId = SlotId::named("script speculationrules");
    pub(crate) const STYLE: SlotId = SlotId::named("style");
    pub(crate) const SVG_STYLE: SlotId = SlotId::named("svg style");
    pub(crate) const CSS_IMPORT: SlotId = SlotId::named("css @import");
    pub(crate) const CSS_ALPHA_IMAGE_LOADER: SlotId = SlotId::named("css AlphaImageLoader()");
    pub(crate) const CSS_IMAGE_SET: SlotId = SlotId::named("css image-set()");
    pub(crate) const CSS_SRC: SlotId = SlotId::named("css src()");
    pub(crate) const CSS_URL: SlotId = SlotId::named("css url()");
    pub(crate) const IMG_SRC: SlotId = SlotId::named("img[src]");
    pub(crate) const LINK_HREF: SlotId = SlotId::named("link[href]");
    pub(crate) const SCRIPT_SRC: SlotId = SlotId::named("script[src]");
    pub(crate) const IMG_CROSSORIGIN: SlotId = SlotId::named("img[crossorigin]");
    pub(crate) const LINK_CROSSORIGIN: SlotId = SlotId::named("link[crossorigin]");
    pub(crate) const LINK_INTEGRITY: SlotId = SlotId::named("link[integrity]");
    pub(crate) const SCRIPT_CROSSORIGIN: SlotId = SlotId::named("script[crossorigin]");
    pub(crate) const SCRIPT_INTEGRITY: SlotId = SlotId::named("script[integrity]");
    pub(crate) const TRACK_SRC: SlotId = SlotId::named("track[src]");
    pub(crate) const AUDIO_SRC: SlotId = SlotId::named("audio[src]");
    pub(crate) const VIDEO_SRC: SlotId = SlotId::named("video[src]");
    pub(crate) const AUDIO_CROSSORIGIN: SlotId = SlotId::named("audio[crossorigin]");
    pub(crate) const VIDEO_CROSSORIGIN: SlotId = SlotId::named("video[crossorigin]");
    pub(crate) const SVG_HREF: SlotId = SlotId::named("svg *[href]");
    pub(crate) const SVG_XLINK_HREF: SlotId = SlotId::named("svg *[xlink:href]");
    pub(crate) const BASE_HREF: SlotId = SlotId::named("base[href]");
    pub(crate) const HTML_MANIFEST: SlotId = SlotId::named("html[manifest]");
    pub(crate) const ARCHIVED_AT: SlotId = SlotId::named("header Archived-At");
    pub(crate) const BASE: SlotId = SlotId::named("header Base");
    pub(crate) const CONTENT_BASE: SlotId = SlotId::named("header Content-Base");
    pub(crate) const CONTENT_LOCATION: SlotId = SlotId::named("header Content-Location");
    pub(crate) const CONTENT_TYPE: SlotId = SlotId::named("header Content-Type");
    pub(crate) const LINK: SlotId = SlotId::named("header Link");
    pub(crate) const LOCATION: SlotId = SlotId::named("header Location");
    pub(crate) const REPORTING_ENDPOINTS: SlotId = SlotId::named("header Reporting-Endpoints");
    pub(crate) const SPECULATION_RULES: SlotId = SlotId::named("header Speculation-Rules");
    pub(crate) const SOURCE_MAP: SlotId = SlotId::named("header SourceMap");
    pub(crate) const X_SOURCE_MAP: SlotId = SlotId::named("header X-SourceMap");
    pub(crate) const ORIGINAL_LINK: SlotId = SlotId::named("header X-Archive-Orig-Link");
    pub(crate) const X_URL: SlotId = SlotId::named("header X-URL");
    pub(crate) const TEXT_URL: SlotId = SlotId::named("text URL");
    pub(crate) const MARKDOWN_AUTOLINK: SlotId = SlotId::named("markdown autolink");
    pub(crate) const MARKDOWN_DEFINITION: SlotId = SlotId::named("markdown definition");
    pub(crate) const MARKDOWN_HTML: SlotId = SlotId::named("markdown html");
    pub(crate) const MARKDOWN_IMAGE: SlotId = SlotId::named("markdown image");
    pub(crate) const MARKDOWN_LINK: SlotId = SlotId::named("markdown link");
    pub(crate) const META_POLICY: SlotId =
        SlotId::named("meta[http-equiv=content-security-policy]");
    pub(crate) const POLICY: SlotId = SlotId::named("header Content-Security-Policy");
    pub(crate) const REFRESH: SlotId = SlotId::named("header Refresh");
    pub(crate) const SSI_FILE: SlotId = SlotId::named("ssi file");
    pub(crate) const SSI_VIRTUAL: SlotId = SlotId::named("ssi virtual");
    pub(crate) const JS_EXPORT: SlotId = SlotId::named("js export");
    pub(crate) const JS_IMPORT: SlotId = SlotId::named("js import");
    pub(crate) const JS_DYNAMIC_IMPORT: SlotId = SlotId::named("js import()");
    pub(crate) const SCRIPT_MODULE: SlotId = SlotId::named("script module");
    pub(crate) const SCRIPT_TEMPLATE: SlotId = SlotId::named("script template");

    pub(crate) const XML_DOCTYPE: SlotId = SlotId::named("xml doctype");
    pub(crate) const XML_ENTITY: SlotId = SlotId::named("xml entity");
    pub(crate) const XML_NOTATION: SlotId = SlotId::named("xml notation");
    pub(crate) const XML_MODEL: SlotId = SlotId::named("xml-model[href]");
    pub(crate) const XML_STYLESHEET: SlotId = SlotId::named("xml-stylesheet[href]");
    pub(crate) const XML_BASE: SlotId = SlotId::named("*[xml:base]");

    pub(crate) const RELATIONSHIP: SlotId = SlotId::named("opc Relationship[Target]");
    pub(crate) const HYPERLINK_BASE: SlotId = SlotId::named("office HyperlinkBase");

    pub(crate) const DASH_BASE: SlotId = SlotId::named("dash BaseURL");
    pub(crate) const DASH_INFORMATION: SlotId =
        SlotId::named("dash ProgramInformation[moreInformationURL]");
    pub(crate) const DASH_LOCATION: SlotId = SlotId::named("dash Location");
    pub(crate) const DASH_PATCH: SlotId = SlotId::named("dash PatchLocation");
    pub(crate) const DASH_TIMING: SlotId = SlotId::named("dash UTCTiming[value]");

    /// The slots in the content of a document that define a base.
    const BASES_IN_CONTENT: [SlotId; 4] = [
        SlotId::XML_BASE,
        SlotId::BASE_HREF,
        SlotId::named("object[codebase]"),
        SlotId::named("applet[codebase]"),
    ];

    /// Returns true if the value of the slot may be the base of other references.
    pub fn gives_base(self) -> bool {
        const FIELDS: [SlotId; 3] = [SlotId::BASE, SlotId::CONTENT_BASE, SlotId::CONTENT_LOCATION];
        SlotId::BASES_IN_CONTENT.contains(&self)
            || FIELDS.contains(&self)
            || self == SlotId::DASH_BASE
    }

    /// Returns true if a value that points to `target` names a directory, and not the document that
    /// a server returns for it.
    pub fn is_folder(self, target: &str) -> bool {
        // These apply to every URL with that prefix.
        const PREFIXES: [SlotId; 6] = [
            SlotId::DASH_BASE,
            SlotId::named("importmap address"),
            SlotId::IMPORTMAP_SPECIFIER,
            SlotId::named("importmap scope"),
            SlotId::named("manifest scope"),
            SlotId::named("manifest serviceworker.scope"),
        ];
        let is_prefix = || target.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        SlotId::BASES_IN_CONTENT.contains(&self) || (PREFIXES.contains(&self) && is_prefix())
    }

    /// Returns true if a value that points to `target` is never fetched itself: a directory, or a
    /// specifier that an import map resolves.
    pub fn is_never_fetched(self, target: &str) -> bool {
        const FIELDS: [SlotId; 2] = [SlotId::BASE, SlotId::CONTENT_BASE];
        self == SlotId::IMPORTMAP_SPECIFIER || FIELDS.contains(&self) || self.is_folder(target)
    }

    /// Returns true if the value of the slot is the base of a scope inside its document: an
    /// `xml:base`, or an element that has the same effect.
    pub(crate) fn opens_scope(self) -> bool {
        self == SlotId::XML_BASE || self == SlotId::DASH_BASE
    }

    /// Returns true if a security policy may have a hash of the text of the slot.
    pub(crate) fn may_be_hashed(self) -> bool {
        const SLOTS: [SlotId; 6] = [
            SlotId::STYLE,
            SlotId::SVG_STYLE,
            SlotId::named("*[style]"),
            SlotId::SCRIPT_IMPORTMAP,
            SlotId::SCRIPT_MODULE,
            SlotId::SCRIPT_SPECULATIONRULES,
        ];
        SLOTS.contains(&self)
    }

    /// Returns true if the value of the slot is a security policy.
    #[inline]
    pub(crate) fn is_policy(self) -> bool {
        self == SlotId::META_POLICY || self == SlotId::POLICY
    }

    /// Returns true if the value of the slot is a condition on what another reference loads.
    pub(crate) fn is_condition(self) -> bool {
        self.row().is_ok_and(|slot| slot.kind == Kind::Condition)
    }

    /// Returns true if the value of the slot can only be a path.
    pub(crate) fn is_path_only(self) -> bool {
        self.row().is_ok_and(|slot| slot.is_path_only)
    }

    /// Returns the slot with this name; a name that is not in the table does not compile.
    #[allow(clippy::cast_possible_truncation)] // The table has some hundred rows.
    pub(crate) const fn named(name: &str) -> SlotId {
        let mut idx = 0;
        loop {
            if is_same(SLOTS[idx].name, name) {
                return SlotId(idx as u16);
            }
            idx += 1;
        }
    }

    #[allow(clippy::cast_possible_truncation)] // The table has some hundred rows.
    pub(crate) fn of_row(row: usize) -> SlotId {
        SlotId(row as u16)
    }

    /// Returns the number of the attribute named by the user that has the given index.
    #[allow(clippy::cast_possible_truncation)] // There are as many as fit on a command line.
    pub(crate) fn of_extra(idx: usize) -> SlotId {
        SlotId((SLOTS.len() + idx) as u16)
    }

    /// Returns the row in [`SLOTS`], or past its end the index of an attribute named by the user.
    pub(crate) fn row(self) -> Result<&'static Slot, usize> {
        let idx = usize::from(self.0);
        SLOTS.get(idx).ok_or_else(|| idx - SLOTS.len())
    }
}

// The formats with slots, by their names in reports.

/// The format of the documents that contain a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format(pub(super) &'static str);

impl Format {
    /// HTML and XHTML.
    pub const HTML: Format = Format("HTML");
    /// SVG, in HTML and as files.
    pub const SVG: Format = Format("SVG");
    /// MathML, in HTML and as files.
    pub const MATHML: Format = Format("MathML");
    /// Header fields of messages.
    pub const HEADER: Format = Format("message");
    /// Header fields of HTTP responses, which may also contain those of messages.
    pub const HTTP: Format = Format("HTTP");
    /// Style sheets.
    pub const CSS: Format = Format("CSS");
    /// Any XML.
    pub const XML: Format = Format("XML");
    /// RDF/XML, and RSS 1.0, which is RDF/XML.
    pub const RDF: Format = Format("RDF");
    /// RSS 0.9 to 2.0 and their modules.
    pub const RSS: Format = Format("RSS");
    /// Atom and its publishing protocol.
    pub const ATOM: Format = Format("Atom");
    /// Sitemaps and sitemap indexes.
    pub const SITEMAP: Format = Format("sitemap");
    /// Lists of feeds.
    pub const OPML: Format = Format("OPML");
    /// XSL transformations.
    pub const XSLT: Format = Format("XSLT");
    /// Descriptions of search engines.
    pub const OPENSEARCH: Format = Format("OpenSearch");
    /// The XML in documents of Office.
    pub(crate) const OFFICE: Format = Format("Office");
    /// The files of an unpacked EPUB other than its pages.
    pub const EPUB: Format = Format("EPUB");
    /// HTML with server-side includes.
    pub const SSI: Format = Format("SSI");
    /// ECMAScript.
    pub const SCRIPT: Format = Format("JavaScript");
    /// Plain text.
    pub const TEXT: Format = Format("text");
    /// Markdown.
    pub const MARKDOWN: Format = Format("Markdown");
    /// Web app manifests.
    pub const MANIFEST: Format = Format("manifest");
    /// Import maps, in HTML and as files.
    pub const IMPORT_MAP: Format = Format("import map");
    /// Speculation rules, in HTML and as files.
    pub const SPECULATION_RULES: Format = Format("speculation rules");
    /// JSON-LD, in HTML and as files.
    pub const LINKED_DATA: Format = Format("JSON-LD");
    /// JSON Feed.
    pub const FEED: Format = Format("JSON Feed");

    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
