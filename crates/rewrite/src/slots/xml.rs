//! The slots of XML: those of any document, and those of feeds, sitemaps, style sheets and similar
//! vocabularies.
//!
//! Invariant: the rows of a vocabulary are contiguous. SVG, MathML and XHTML have the rows of HTML
//! (`html.rs`). XML Base; XLink 1.1, section 5.4; XML Schema part 1, 2.6.3; xml-stylesheet;
//! xml-model; XInclude 1.1; XSLT 2.0, 3.10; RFC 4287; RFC 5023, 8.3; RSS 0.9 to 2.0 and their
//! modules; sitemaps.org 0.9; OPML 2.0; OpenSearch 1.1; OPF 2.0 and 3.0, NCX; SMIL 1.0 to
//! 3.0; EPUB media overlays; ISO/IEC 23009-1;
//! browser configuration schema; XSPF 1; KML 2.3; WSDL 1.1 and 2.0;
//! DocBook 4 and 5; DITA 1.3.

use super::{Format, Kind, Slot, Syntax, Test, row};

/// The vocabulary of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    /// No namespace.
    Other,
    /// A namespace without slots.
    Foreign,
    Html,
    Svg,
    MathMl,
    /// `xml:base`
    Xml,
    XLink,
    XsInstance,
    Rdf,
    Rss,
    RssContent,
    RssModule,
    Media,
    Itunes,
    Podcast,
    Thread,
    Atom,
    AtomPub,
    Sitemap,
    SitemapImage,
    SitemapVideo,
    Opml,
    XInclude,
    Xslt,
    XmlSchema,
    RelaxNg,
    OpenSearch,
    Opf,
    Ncx,
    Smil,
    EpubOps,
    Dash,
    BrowserConfig,
    Xspf,
    Kml,
    Wsdl,
    WsdlBinding,
    DocBook,
    Dita,
}

impl Vocabulary {
    /// The number of vocabularies.
    pub(crate) const N: usize = Vocabulary::Dita as usize + 1;
}

const fn any(name: &'static str, kind: Kind, syntax: Syntax) -> Slot {
    row(Format::XML, name, kind, syntax)
}

const XSPF: Format = Format("XSPF");
const KML: Format = Format("KML");
const WSDL: Format = Format("WSDL");
const DOCBOOK: Format = Format("DocBook");
const DITA: Format = Format("DITA");
const BROWSER_CONFIG: Format = Format("browserconfig");
const DASH: Format = Format("DASH");
const SMIL: Format = Format("SMIL");

const fn of(
    vocabulary: Vocabulary,
    name: &'static str,
    element: &'static str,
    attribute: &'static str,
) -> Slot {
    let format = match vocabulary {
        Vocabulary::Rdf => Format::RDF,
        Vocabulary::Atom | Vocabulary::AtomPub | Vocabulary::Thread => Format::ATOM,
        Vocabulary::Sitemap | Vocabulary::SitemapImage | Vocabulary::SitemapVideo => {
            Format::SITEMAP
        }
        Vocabulary::Opml => Format::OPML,
        Vocabulary::Xslt => Format::XSLT,
        Vocabulary::MathMl => Format::MATHML,
        Vocabulary::OpenSearch => Format::OPENSEARCH,
        Vocabulary::Opf | Vocabulary::Ncx | Vocabulary::EpubOps => Format::EPUB,
        Vocabulary::Smil => SMIL,
        Vocabulary::Xspf => XSPF,
        Vocabulary::Kml => KML,
        Vocabulary::Wsdl | Vocabulary::WsdlBinding => WSDL,
        Vocabulary::DocBook => DOCBOOK,
        Vocabulary::Dita => DITA,
        Vocabulary::BrowserConfig => BROWSER_CONFIG,
        Vocabulary::Dash => DASH,
        Vocabulary::Rss
        | Vocabulary::RssContent
        | Vocabulary::RssModule
        | Vocabulary::Media
        | Vocabulary::Itunes
        | Vocabulary::Podcast => Format::RSS,
        _ => Format::XML,
    };
    Slot { vocabulary, element, attribute, ..row(format, name, Kind::Url, Syntax::Url) }
}

impl Slot {
    const fn id(mut self) -> Self {
        self.kind = Kind::Id;
        self
    }

    /// Returns the row of HTML that is read elsewhere: RSS has no base.
    const fn html_elsewhere(self) -> Self {
        self.html().absolute()
    }

    const fn html(mut self) -> Self {
        (self.kind, self.syntax) = (Kind::Embedded, Syntax::Html);
        self
    }

    const fn list(mut self) -> Self {
        (self.kind, self.syntax) = (Kind::List, Syntax::SpaceList);
        self
    }

    const fn pairs(mut self) -> Self {
        (self.kind, self.syntax) = (Kind::List, Syntax::SchemaPairs);
        self
    }
}

/// The slots outside of elements.
#[rustfmt::skip]
pub(super) const OUTSIDE: [Slot; 5] = [
    any("xml doctype", Kind::Url, Syntax::Url),
    any("xml entity", Kind::Url, Syntax::Url),
    any("xml notation", Kind::Url, Syntax::Url),
    any("xml-model[href]", Kind::Url, Syntax::Url),
    any("xml-stylesheet[href]", Kind::Url, Syntax::Url).local(),
];

use Vocabulary as V;

/// The slots in elements: attributes, or texts if no attribute is named.
#[rustfmt::skip]
pub(super) const INSIDE: [Slot; 135] = [
    of(V::Xml, "*[xml:base]", "", "base").empty(),
    of(V::XLink, "*[xlink:href]", "", "href"),
    of(V::XsInstance, "*[xsi:schemaLocation]", "", "schemaLocation").pairs(),
    of(V::XsInstance, "*[xsi:noNamespaceSchemaLocation]", "", "noNamespaceSchemaLocation"),
    of(V::Rdf, "*[rdf:about]", "", "about").id(),
    of(V::Rdf, "*[rdf:resource]", "", "resource").id(),
    of(V::MathMl, "math *[altimg]", "math", "altimg"),
    of(V::MathMl, "math *[definitionURL]", "", "definitionURL").id(),
    of(V::MathMl, "math annotation[src]", "annotation", "src"),
    of(V::MathMl, "math annotation-xml[src]", "annotation-xml", "src"),
    of(V::MathMl, "math mglyph[src]", "mglyph", "src"),
    of(V::Rss, "rss category[domain]", "category", "domain").id(),
    of(V::Rss, "rss comments", "comments", "").absolute(),
    of(V::Rss, "rss description", "description", "").html_elsewhere(),
    of(V::Rss, "rss docs", "docs", "").absolute(),
    of(V::Rss, "rss enclosure[url]", "enclosure", "url").absolute(),
    of(V::Rss, "rss guid", "guid", "").id(),
    of(V::Rss, "rss link", "link", "").absolute(),
    of(V::Rss, "rss source[url]", "source", "url").absolute(),
    of(V::Rss, "rss url", "url", "").absolute(),
    of(V::RssContent, "rss content:encoded", "encoded", "").html_elsewhere(),
    of(V::RssModule, "rss atom:link[href]", "link", "href").absolute(),
    of(V::RssModule, "rss wfw:comment", "comment", "").absolute(),
    of(V::RssModule, "rss wfw:commentRss", "commentRss", "").absolute(),
    of(V::RssModule, "rss wfw:commentRSS", "commentRSS", "").absolute(),
    of(V::RssModule, "rss creativeCommons:license", "license", "").absolute(),
    of(V::RssModule, "rss feedburner:origLink", "origLink", "").absolute(),
    of(V::RssModule, "rss feedburner:origEnclosureLink", "origEnclosureLink", "").absolute(),
    of(V::RssModule, "rss googleplay:image[href]", "image", "href").absolute(),
    of(V::Media, "rss media:backLink", "backLink", "").absolute(),
    of(V::Media, "rss media:content[url]", "content", "url").absolute(),
    of(V::Media, "rss media:description", "description", "").html_elsewhere().when(Test::HtmlText),
    of(V::Media, "rss media:embed[url]", "embed", "url").absolute(),
    of(V::Media, "rss media:license[href]", "license", "href").absolute(),
    of(V::Media, "rss media:peerLink[href]", "peerLink", "href").absolute(),
    of(V::Media, "rss media:player[url]", "player", "url").absolute(),
    of(V::Media, "rss media:subTitle[href]", "subTitle", "href").absolute(),
    of(V::Media, "rss media:text", "text", "").html_elsewhere().when(Test::HtmlText),
    of(V::Media, "rss media:thumbnail[url]", "thumbnail", "url").absolute(),
    of(V::Itunes, "rss itunes:image[href]", "image", "href").absolute(),
    of(V::Itunes, "rss itunes:new-feed-url", "new-feed-url", "").absolute(),
    of(V::Podcast, "rss podcast:*[href]", "", "href").absolute(),
    of(V::Podcast, "rss podcast:*[img]", "", "img").absolute(),
    of(V::Podcast, "rss podcast:*[url]", "", "url").absolute(),
    of(V::Thread, "atom thr:in-reply-to[href]", "in-reply-to", "href"),
    of(V::Thread, "atom thr:in-reply-to[ref]", "in-reply-to", "ref").id(),
    of(V::Thread, "atom thr:in-reply-to[source]", "in-reply-to", "source"),
    of(V::Atom, "atom category[scheme]", "category", "scheme").id(),
    of(V::Atom, "atom content", "content", "").html().when(Test::HtmlText),
    of(V::Atom, "atom content[src]", "content", "src"),
    of(V::Atom, "atom copyright", "copyright", "").html().when(Test::HtmlText),
    of(V::Atom, "atom generator[uri]", "generator", "uri"),
    of(V::Atom, "atom generator[url]", "generator", "url"),
    of(V::Atom, "atom icon", "icon", ""),
    of(V::Atom, "atom id", "id", "").id(),
    of(V::Atom, "atom link[href]", "link", "href").empty(),
    of(V::Atom, "atom logo", "logo", ""),
    of(V::Atom, "atom rights", "rights", "").html().when(Test::HtmlText),
    of(V::Atom, "atom subtitle", "subtitle", "").html().when(Test::HtmlText),
    of(V::Atom, "atom summary", "summary", "").html().when(Test::HtmlText),
    of(V::Atom, "atom tagline", "tagline", "").html().when(Test::HtmlText),
    of(V::Atom, "atom title", "title", "").html().when(Test::HtmlText),
    of(V::Atom, "atom uri", "uri", ""),
    of(V::Atom, "atom url", "url", ""),
    of(V::AtomPub, "atom app:categories[href]", "categories", "href"),
    of(V::AtomPub, "atom app:collection[href]", "collection", "href"),
    of(V::Sitemap, "sitemap loc", "loc", "").absolute(),
    of(V::Sitemap, "sitemap link[href]", "link", "href").absolute(),
    of(V::SitemapImage, "sitemap image:license", "license", "").absolute(),
    of(V::SitemapImage, "sitemap image:loc", "loc", "").absolute(),
    of(V::SitemapVideo, "sitemap video:content_loc", "content_loc", "").absolute(),
    of(V::SitemapVideo, "sitemap video:gallery_loc", "gallery_loc", "").absolute(),
    of(V::SitemapVideo, "sitemap video:player_loc", "player_loc", "").absolute(),
    of(V::SitemapVideo, "sitemap video:thumbnail_loc", "thumbnail_loc", "").absolute(),
    of(V::SitemapVideo, "sitemap video:uploader[info]", "uploader", "info").absolute(),
    of(V::Opml, "opml docs", "docs", "").absolute(),
    of(V::Opml, "opml outline[htmlUrl]", "outline", "htmlUrl").absolute(),
    of(V::Opml, "opml outline[url]", "outline", "url").absolute(),
    of(V::Opml, "opml outline[xmlUrl]", "outline", "xmlUrl").absolute(),
    of(V::XInclude, "xi:include[href]", "include", "href").empty(),
    of(V::Xslt, "xsl:import[href]", "import", "href"),
    of(V::Xslt, "xsl:import-schema[schema-location]", "import-schema", "schema-location"),
    of(V::Xslt, "xsl:include[href]", "include", "href"),
    of(V::XmlSchema, "xs:*[schemaLocation]", "", "schemaLocation"),
    of(V::RelaxNg, "rng:*[href]", "", "href"),
    of(V::OpenSearch, "opensearch Image", "Image", "").absolute(),
    of(V::OpenSearch, "opensearch Url[template]", "Url", "template").absolute(),
    of(V::Opf, "opf item[href]", "item", "href"),
    of(V::Opf, "opf link[href]", "link", "href"),
    of(V::Opf, "opf reference[href]", "reference", "href"),
    of(V::Opf, "opf site[href]", "site", "href"),
    of(V::Ncx, "ncx audio[src]", "audio", "src"),
    of(V::Ncx, "ncx content[src]", "content", "src"),
    of(V::Ncx, "ncx img[src]", "img", "src"),
    of(V::Smil, "smil *[href]", "", "href"),
    of(V::Smil, "smil *[longdesc]", "", "longdesc"),
    of(V::Smil, "smil *[src]", "", "src"),
    of(V::EpubOps, "*[epub:textref]", "", "textref"),
    of(V::Dash, "dash *[sourceURL]", "", "sourceURL"),
    of(V::Dash, "dash BaseURL", "BaseURL", ""),
    of(V::Dash, "dash Location", "Location", ""),
    of(V::Dash, "dash PatchLocation", "PatchLocation", ""),
    of(V::Dash, "dash ProgramInformation[moreInformationURL]", "ProgramInformation", "moreInformationURL"),
    of(V::Dash, "dash SegmentTemplate[bitstreamSwitching]", "SegmentTemplate", "bitstreamSwitching"),
    of(V::Dash, "dash SegmentTemplate[index]", "SegmentTemplate", "index"),
    of(V::Dash, "dash SegmentTemplate[initialization]", "SegmentTemplate", "initialization"),
    of(V::Dash, "dash SegmentTemplate[media]", "SegmentTemplate", "media"),
    of(V::Dash, "dash SegmentURL[index]", "SegmentURL", "index"),
    of(V::Dash, "dash SegmentURL[media]", "SegmentURL", "media"),
    of(V::Dash, "dash UTCTiming[value]", "UTCTiming", "value").list(),
    of(V::BrowserConfig, "browserconfig *[src]", "", "src"),
    of(V::Xspf, "xspf identifier", "identifier", "").id(),
    of(V::Xspf, "xspf image", "image", ""),
    of(V::Xspf, "xspf info", "info", ""),
    of(V::Xspf, "xspf license", "license", ""),
    of(V::Xspf, "xspf link", "link", ""),
    of(V::Xspf, "xspf location", "location", ""),
    of(V::Kml, "kml description", "description", "").html(),
    of(V::Kml, "kml href", "href", ""),
    of(V::Kml, "kml *[schemaUrl]", "", "schemaUrl").local(),
    of(V::Kml, "kml sourceHref", "sourceHref", ""),
    of(V::Kml, "kml styleUrl", "styleUrl", "").local(),
    of(V::Kml, "kml targetHref", "targetHref", ""),
    of(V::Wsdl, "wsdl endpoint[address]", "endpoint", "address").absolute(),
    of(V::Wsdl, "wsdl import[location]", "import", "location"),
    of(V::Wsdl, "wsdl include[location]", "include", "location"),
    of(V::WsdlBinding, "wsdl soap:address[location]", "address", "location").absolute(),
    of(V::DocBook, "docbook *[fileref]", "", "fileref"),
    of(V::DocBook, "docbook ulink[url]", "ulink", "url"),
    of(V::Dita, "dita *[conref]", "", "conref").local(),
    of(V::Dita, "dita *[conrefend]", "", "conrefend").local(),
    of(V::Dita, "dita *[copy-to]", "", "copy-to"),
    of(V::Dita, "dita object[data]", "object", "data"),
    of(V::Dita, "dita *[href]", "", "href").local(),
    of(V::Dita, "dita navref[mapref]", "navref", "mapref"),
];
