//! The formats with slots, and their names in reports.

use std::fmt;

/// The format of the documents that contain a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// HTML and XHTML.
    Html,
    /// SVG, in HTML and as files.
    Svg,
    /// MathML, in HTML and as files.
    MathMl,
    /// Header fields of messages.
    Heading,
    /// Header fields of HTTP responses, which may also contain those of messages.
    Http,
    /// Style sheets.
    Css,
    /// Any XML.
    Xml,
    /// RDF/XML, and RSS 1.0, which is RDF/XML.
    Rdf,
    /// RSS 0.9 to 2.0 and their modules.
    Rss,
    /// Atom and its publishing protocol.
    Atom,
    /// Sitemaps and sitemap indexes.
    Sitemap,
    /// Lists of feeds.
    Opml,
    /// XSL transformations.
    Xslt,
    /// Descriptions of search engines.
    OpenSearch,
    /// The files of an unpacked EPUB other than its pages.
    Epub,
    /// HTML with server-side includes.
    Ssi,
    /// ECMAScript.
    Script,
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// Web app manifests.
    Manifest,
    /// Import maps, in HTML and as files.
    ImportMap,
    /// Speculation rules, in HTML and as files.
    SpeculationRules,
    /// JSON-LD, in HTML and as files.
    LinkedData,
    /// JSON Feed.
    Feed,
}

impl Format {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Html => "HTML",
            Format::Svg => "SVG",
            Format::MathMl => "MathML",
            Format::Heading => "message",
            Format::Http => "HTTP",
            Format::Css => "CSS",
            Format::Xml => "XML",
            Format::Rdf => "RDF",
            Format::Rss => "RSS",
            Format::Atom => "Atom",
            Format::Sitemap => "sitemap",
            Format::Opml => "OPML",
            Format::Xslt => "XSLT",
            Format::OpenSearch => "OpenSearch",
            Format::Epub => "EPUB",
            Format::Ssi => "SSI",
            Format::Script => "JavaScript",
            Format::Text => "text",
            Format::Markdown => "Markdown",
            Format::Manifest => "manifest",
            Format::ImportMap => "import map",
            Format::SpeculationRules => "speculation rules",
            Format::LinkedData => "JSON-LD",
            Format::Feed => "JSON Feed",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
