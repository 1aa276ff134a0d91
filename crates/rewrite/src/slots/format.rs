//! The formats with slots, by their names in reports.

use std::fmt;

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
    pub const HEADING: Format = Format("message");
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
