//! The formats that have slots, by the words for reports.

use std::fmt;

/// What the documents are that have a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// HTML, and XHTML.
    Html,
    /// SVG, in HTML and as files.
    Svg,
    /// MathML, in HTML and as files.
    MathMl,
    /// Headings of messages.
    Heading,
    /// Headings of responses of HTTP. Those of messages are read there too.
    Http,
    /// Style sheets.
    Css,
    /// Any XML.
    Xml,
    /// RDF/XML, and RSS 1.0, which is that.
    Rdf,
    /// RSS 0.9 to 2.0 and their modules.
    Rss,
    /// Atom, and its publishing protocol.
    Atom,
    /// Sitemaps, and indexes of them.
    Sitemap,
    /// Lists of feeds.
    Opml,
    /// XSL transformations.
    Xslt,
    /// Descriptions of search engines.
    OpenSearch,
    /// What lies in an unpacked EPUB beside its pages.
    Epub,
    /// HTML with server-side includes.
    Ssi,
    /// ECMAScript.
    Script,
    /// Running text.
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
    /// The word for reports.
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
