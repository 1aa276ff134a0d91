//! The slots of XML: those of any document, and those of feeds, sitemaps, style sheets and similar
//! vocabularies.
//!
//! Invariant: the rows of a vocabulary are contiguous. SVG, MathML and XHTML have the rows of HTML
//! (`html.rs`). XML Base; XLink 1.1, section 5.4; XML Schema part 1, 2.6.3; xml-stylesheet;
//! xml-model; XInclude 1.1; XSLT 2.0, 3.10; RFC 4287; RFC 5023, 8.3; RSS 0.9 to 2.0 and their
//! modules; sitemaps.org 0.9 with PageMaps; Merchant Center feeds; Really Simple
//! Discovery 1.0; OPML 2.0; OpenSearch 1.1; OPF 2.0 and 3.0, NCX; SMIL 1.0 to
//! 3.0; EPUB media overlays; ISO/IEC 23009-1;
//! browser configuration schema; XSPF 1; KML 2.3; WSDL 1.1 and 2.0;
//! DocBook 4 and 5; DITA 1.3; ISO/IEC 29500-1, 17.16 and 18.13, 29500-2, 6.5, 29500-4, 19.1.

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
    Merchant,
    Webfeeds,
    Rsd,
    PageMap,
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
    /// The relationships of a package (Open Packaging Conventions).
    Opc,
    Word,
    Sheet,
    Vml,
    /// The properties of a document of Office.
    Properties,
    /// The attributes of tables, and of texts, of OpenDocument.
    OdfTable,
    OdfText,
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
const OPEN_DOCUMENT: Format = Format("OpenDocument");
const RSD: Format = Format("RSD");

const fn slot(
    vocabulary: Vocabulary,
    name: &'static str,
    element: &'static str,
    attribute: &'static str,
) -> Slot {
    let format = match vocabulary {
        Vocabulary::Rdf => Format::RDF,
        Vocabulary::Atom | Vocabulary::AtomPub | Vocabulary::Thread => Format::ATOM,
        Vocabulary::Sitemap
        | Vocabulary::SitemapImage
        | Vocabulary::SitemapVideo
        | Vocabulary::PageMap => Format::SITEMAP,
        Vocabulary::Rsd => RSD,
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
        Vocabulary::Opc
        | Vocabulary::Word
        | Vocabulary::Sheet
        | Vocabulary::Vml
        | Vocabulary::Properties => Format::OFFICE,
        Vocabulary::OdfTable | Vocabulary::OdfText => OPEN_DOCUMENT,
        Vocabulary::Rss
        | Vocabulary::RssContent
        | Vocabulary::RssModule
        | Vocabulary::Merchant
        | Vocabulary::Webfeeds
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

    const fn field(mut self) -> Self {
        (self.kind, self.syntax) = (Kind::List, Syntax::FieldCode);
        self
    }

    const fn formula(mut self) -> Self {
        (self.kind, self.syntax) = (Kind::List, Syntax::Formula);
        self.local().enabled_by("formulas")
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
pub(super) const INSIDE: [Slot; 164] = [
    slot(V::Xml, "*[xml:base]", "", "base").empty(),
    slot(V::XLink, "*[xlink:href]", "", "href"),
    slot(V::XsInstance, "*[xsi:schemaLocation]", "", "schemaLocation").pairs(),
    slot(V::XsInstance, "*[xsi:noNamespaceSchemaLocation]", "", "noNamespaceSchemaLocation"),
    slot(V::Rdf, "*[rdf:about]", "", "about").id(),
    slot(V::Rdf, "*[rdf:resource]", "", "resource").id(),
    slot(V::MathMl, "math *[altimg]", "math", "altimg"),
    slot(V::MathMl, "math *[definitionURL]", "", "definitionURL").id(),
    slot(V::MathMl, "math annotation[src]", "annotation", "src"),
    slot(V::MathMl, "math annotation-xml[src]", "annotation-xml", "src"),
    slot(V::MathMl, "math mglyph[src]", "mglyph", "src"),
    slot(V::Rss, "rss category[domain]", "category", "domain").id(),
    slot(V::Rss, "rss comments", "comments", "").absolute(),
    slot(V::Rss, "rss description", "description", "").html_elsewhere(),
    slot(V::Rss, "rss docs", "docs", "").absolute(),
    slot(V::Rss, "rss enclosure[url]", "enclosure", "url").absolute(),
    slot(V::Rss, "rss guid", "guid", "").id(),
    slot(V::Rss, "rss link", "link", "").absolute(),
    slot(V::Rss, "rss source[url]", "source", "url").absolute(),
    slot(V::Rss, "rss url", "url", "").absolute(),
    slot(V::RssContent, "rss content:encoded", "encoded", "").html_elsewhere(),
    slot(V::RssModule, "rss atom:link[href]", "link", "href").absolute(),
    slot(V::RssModule, "rss wfw:comment", "comment", "").absolute(),
    slot(V::RssModule, "rss wfw:commentRss", "commentRss", "").absolute(),
    slot(V::RssModule, "rss wfw:commentRSS", "commentRSS", "").absolute(),
    slot(V::RssModule, "rss creativeCommons:license", "license", "").absolute(),
    slot(V::RssModule, "rss feedburner:origLink", "origLink", "").absolute(),
    slot(V::RssModule, "rss feedburner:origEnclosureLink", "origEnclosureLink", "").absolute(),
    slot(V::RssModule, "rss googleplay:image[href]", "image", "href").absolute(),
    slot(V::Merchant, "rss g:additional_image_link", "additional_image_link", "").absolute(),
    slot(V::Merchant, "rss g:ads_redirect", "ads_redirect", "").absolute(),
    slot(V::Merchant, "rss g:canonical_link", "canonical_link", "").absolute(),
    slot(V::Merchant, "rss g:image_link", "image_link", "").absolute(),
    slot(V::Merchant, "rss g:lifestyle_image_link", "lifestyle_image_link", "").absolute(),
    slot(V::Merchant, "rss g:link", "link", "").absolute(),
    slot(V::Merchant, "rss g:link_template", "link_template", "").absolute(),
    slot(V::Merchant, "rss g:mobile_link", "mobile_link", "").absolute(),
    slot(V::Merchant, "rss g:mobile_link_template", "mobile_link_template", "").absolute(),
    slot(V::Merchant, "rss g:virtual_model_link", "virtual_model_link", "").absolute(),
    slot(V::Webfeeds, "rss webfeeds:cover[image]", "cover", "image").absolute(),
    slot(V::Webfeeds, "rss webfeeds:icon", "icon", "").absolute(),
    slot(V::Webfeeds, "rss webfeeds:logo", "logo", "").absolute(),
    slot(V::Webfeeds, "rss webfeeds:wordmark", "wordmark", "").absolute(),
    slot(V::Rsd, "rsd api[apiLink]", "api", "apiLink").absolute(),
    slot(V::Rsd, "rsd engineLink", "engineLink", "").absolute(),
    slot(V::Rsd, "rsd homePageLink", "homePageLink", "").absolute(),
    slot(V::PageMap, "sitemap PageMap Attribute[value]", "Attribute", "value").absolute().when(Test::AbsoluteValue),
    slot(V::Media, "rss media:backLink", "backLink", "").absolute(),
    slot(V::Media, "rss media:content[url]", "content", "url").absolute(),
    slot(V::Media, "rss media:description", "description", "").html_elsewhere().when(Test::HtmlText),
    slot(V::Media, "rss media:embed[url]", "embed", "url").absolute(),
    slot(V::Media, "rss media:license[href]", "license", "href").absolute(),
    slot(V::Media, "rss media:peerLink[href]", "peerLink", "href").absolute(),
    slot(V::Media, "rss media:player[url]", "player", "url").absolute(),
    slot(V::Media, "rss media:subTitle[href]", "subTitle", "href").absolute(),
    slot(V::Media, "rss media:text", "text", "").html_elsewhere().when(Test::HtmlText),
    slot(V::Media, "rss media:thumbnail[url]", "thumbnail", "url").absolute(),
    slot(V::Itunes, "rss itunes:image[href]", "image", "href").absolute(),
    slot(V::Itunes, "rss itunes:new-feed-url", "new-feed-url", "").absolute(),
    slot(V::Podcast, "rss podcast:*[href]", "", "href").absolute(),
    slot(V::Podcast, "rss podcast:*[img]", "", "img").absolute(),
    slot(V::Podcast, "rss podcast:*[url]", "", "url").absolute(),
    slot(V::Thread, "atom thr:in-reply-to[href]", "in-reply-to", "href"),
    slot(V::Thread, "atom thr:in-reply-to[ref]", "in-reply-to", "ref").id(),
    slot(V::Thread, "atom thr:in-reply-to[source]", "in-reply-to", "source"),
    slot(V::Atom, "atom category[scheme]", "category", "scheme").id(),
    slot(V::Atom, "atom content", "content", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom content[src]", "content", "src"),
    slot(V::Atom, "atom copyright", "copyright", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom generator[uri]", "generator", "uri"),
    slot(V::Atom, "atom generator[url]", "generator", "url"),
    slot(V::Atom, "atom icon", "icon", ""),
    slot(V::Atom, "atom id", "id", "").id(),
    slot(V::Atom, "atom link[href]", "link", "href").empty(),
    slot(V::Atom, "atom logo", "logo", ""),
    slot(V::Atom, "atom rights", "rights", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom subtitle", "subtitle", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom summary", "summary", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom tagline", "tagline", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom title", "title", "").html().when(Test::HtmlText),
    slot(V::Atom, "atom uri", "uri", ""),
    slot(V::Atom, "atom url", "url", ""),
    slot(V::AtomPub, "atom app:categories[href]", "categories", "href"),
    slot(V::AtomPub, "atom app:collection[href]", "collection", "href"),
    slot(V::Sitemap, "sitemap loc", "loc", "").absolute(),
    slot(V::Sitemap, "sitemap link[href]", "link", "href").absolute(),
    slot(V::SitemapImage, "sitemap image:license", "license", "").absolute(),
    slot(V::SitemapImage, "sitemap image:loc", "loc", "").absolute(),
    slot(V::SitemapVideo, "sitemap video:content_loc", "content_loc", "").absolute(),
    slot(V::SitemapVideo, "sitemap video:gallery_loc", "gallery_loc", "").absolute(),
    slot(V::SitemapVideo, "sitemap video:player_loc", "player_loc", "").absolute(),
    slot(V::SitemapVideo, "sitemap video:thumbnail_loc", "thumbnail_loc", "").absolute(),
    slot(V::SitemapVideo, "sitemap video:uploader[info]", "uploader", "info").absolute(),
    slot(V::Opml, "opml docs", "docs", "").absolute(),
    slot(V::Opml, "opml outline[htmlUrl]", "outline", "htmlUrl").absolute(),
    slot(V::Opml, "opml outline[url]", "outline", "url").absolute(),
    slot(V::Opml, "opml outline[xmlUrl]", "outline", "xmlUrl").absolute(),
    slot(V::XInclude, "xi:include[href]", "include", "href").empty(),
    slot(V::Xslt, "xsl:import[href]", "import", "href"),
    slot(V::Xslt, "xsl:import-schema[schema-location]", "import-schema", "schema-location"),
    slot(V::Xslt, "xsl:include[href]", "include", "href"),
    slot(V::XmlSchema, "xs:*[schemaLocation]", "", "schemaLocation"),
    slot(V::RelaxNg, "rng:*[href]", "", "href"),
    slot(V::OpenSearch, "opensearch Image", "Image", "").absolute(),
    slot(V::OpenSearch, "opensearch Url[template]", "Url", "template").absolute(),
    slot(V::Opf, "opf item[href]", "item", "href"),
    slot(V::Opf, "opf link[href]", "link", "href"),
    slot(V::Opf, "opf reference[href]", "reference", "href"),
    slot(V::Opf, "opf site[href]", "site", "href"),
    slot(V::Ncx, "ncx audio[src]", "audio", "src"),
    slot(V::Ncx, "ncx content[src]", "content", "src"),
    slot(V::Ncx, "ncx img[src]", "img", "src"),
    slot(V::Smil, "smil *[href]", "", "href"),
    slot(V::Smil, "smil *[longdesc]", "", "longdesc"),
    slot(V::Smil, "smil *[src]", "", "src"),
    slot(V::EpubOps, "*[epub:textref]", "", "textref"),
    slot(V::Dash, "dash *[sourceURL]", "", "sourceURL"),
    slot(V::Dash, "dash BaseURL", "BaseURL", ""),
    slot(V::Dash, "dash Location", "Location", ""),
    slot(V::Dash, "dash PatchLocation", "PatchLocation", ""),
    slot(V::Dash, "dash ProgramInformation[moreInformationURL]", "ProgramInformation", "moreInformationURL"),
    slot(V::Dash, "dash SegmentTemplate[bitstreamSwitching]", "SegmentTemplate", "bitstreamSwitching"),
    slot(V::Dash, "dash SegmentTemplate[index]", "SegmentTemplate", "index"),
    slot(V::Dash, "dash SegmentTemplate[initialization]", "SegmentTemplate", "initialization"),
    slot(V::Dash, "dash SegmentTemplate[media]", "SegmentTemplate", "media"),
    slot(V::Dash, "dash SegmentURL[index]", "SegmentURL", "index"),
    slot(V::Dash, "dash SegmentURL[media]", "SegmentURL", "media"),
    slot(V::Dash, "dash UTCTiming[value]", "UTCTiming", "value").list().absolute(),
    slot(V::BrowserConfig, "browserconfig *[src]", "", "src"),
    slot(V::Xspf, "xspf identifier", "identifier", "").id(),
    slot(V::Xspf, "xspf image", "image", ""),
    slot(V::Xspf, "xspf info", "info", ""),
    slot(V::Xspf, "xspf license", "license", ""),
    slot(V::Xspf, "xspf link", "link", ""),
    slot(V::Xspf, "xspf location", "location", ""),
    slot(V::Kml, "kml description", "description", "").html(),
    slot(V::Kml, "kml href", "href", ""),
    slot(V::Kml, "kml *[schemaUrl]", "", "schemaUrl").local(),
    slot(V::Kml, "kml sourceHref", "sourceHref", ""),
    slot(V::Kml, "kml styleUrl", "styleUrl", "").local(),
    slot(V::Kml, "kml targetHref", "targetHref", ""),
    slot(V::Wsdl, "wsdl endpoint[address]", "endpoint", "address").absolute(),
    slot(V::Wsdl, "wsdl import[location]", "import", "location"),
    slot(V::Wsdl, "wsdl include[location]", "include", "location"),
    slot(V::WsdlBinding, "wsdl soap:address[location]", "address", "location").absolute(),
    slot(V::DocBook, "docbook *[fileref]", "", "fileref"),
    slot(V::DocBook, "docbook ulink[url]", "ulink", "url"),
    slot(V::Opc, "opc Relationship[Target]", "Relationship", "Target").when(Test::External),
    slot(V::Word, "word delInstrText", "delInstrText", "").field(),
    slot(V::Word, "word fldSimple[w:instr]", "fldSimple", "instr").field(),
    slot(V::Word, "word instrText", "instrText", "").field(),
    slot(V::Sheet, "sheet f", "f", "").formula(),
    slot(V::Sheet, "sheet webPr[url]", "webPr", "url"),
    slot(V::Vml, "vml *[href]", "", "href"),
    slot(V::Vml, "vml *[src]", "", "src"),
    slot(V::Properties, "office HyperlinkBase", "HyperlinkBase", "").absolute(),
    slot(V::OdfTable, "odf table-cell[table:formula]", "table-cell", "formula").formula(),
    slot(V::OdfText, "odf bibliography-mark[text:url]", "bibliography-mark", "url"),
    slot(V::Dita, "dita *[conref]", "", "conref").local(),
    slot(V::Dita, "dita *[conrefend]", "", "conrefend").local(),
    slot(V::Dita, "dita *[copy-to]", "", "copy-to"),
    slot(V::Dita, "dita object[data]", "object", "data"),
    slot(V::Dita, "dita *[href]", "", "href").local(),
    slot(V::Dita, "dita navref[mapref]", "navref", "mapref"),
];
