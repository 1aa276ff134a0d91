//! Every place in XML that can contain a reference, in both directions.
//!
//! The documents follow the examples in the specifications that the table of slots names.

use std::collections::BTreeSet;

use relink_rewrite::{
    Format, Kind, Media, Options, Relative, Rewritten, SLOTS, absolutize, relativize,
};

use crate::listing::{at_url, unit, xml};

/// The effect of a command on a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It is made absolute, and relative.
    Both,
    /// It is made absolute, and stays so.
    Absolute,
    /// It is an identifier, and stays as it is.
    Id,
}

use Way::{Absolute, Both, Id};

const ATOM: &str = "http://www.w3.org/2005/Atom";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// A slot, and a document in which `@` is its only reference, or the first one.
#[rustfmt::skip]
const ROWS: &[(&str, Way, &str)] = &[
    ("xml doctype", Both, "<!DOCTYPE a SYSTEM \"@\"><a/>"),
    ("xml doctype", Both, "<!DOCTYPE a PUBLIC '-//X//Y' '@' [<!ELEMENT a ANY>]><a/>"),
    ("xml entity", Both, "<!DOCTYPE a [<!-- ]> --> <!ENTITY % p 'x'> %p; <!ENTITY c SYSTEM '@'>]><a>&c;</a>"),
    ("xml entity", Both, "<!DOCTYPE a [<!ENTITY c PUBLIC \"p\" \"@\" NDATA gif>]><a/>"),
    ("xml notation", Both, "<!DOCTYPE a [<!NOTATION gif PUBLIC 'p'><!NOTATION png SYSTEM '@'>]><a/>"),
    ("xml-stylesheet[href]", Both, "<?xml-stylesheet type='text/css' href='@' title=\"x\"?><a/>"),
    ("xml-model[href]", Both, "<?xml version='1.0'?><?xml-model href=\"@\"?><a/>"),
    ("*[xml:base]", Both, "<a xml:base='@'/>"),
    ("*[xlink:href]", Both, "<a xmlns:l='http://www.w3.org/1999/xlink'><b l:href=\"@\"/></a>"),
    ("*[xsi:schemaLocation]", Both, "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:a @'/>"),
    ("*[xsi:noNamespaceSchemaLocation]", Both, "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:noNamespaceSchemaLocation='@'/>"),
    ("*[rdf:about]", Id, "<r:RDF xmlns:r='{RDF}'><r:Description r:about='@'/></r:RDF>"),
    ("*[rdf:resource]", Id, "<r:RDF xmlns:r='{RDF}'><r:x r:resource='@'/></r:RDF>"),
    ("math *[altimg]", Both, "<math xmlns='http://www.w3.org/1998/Math/MathML' altimg='@'/>"),
    ("math *[definitionURL]", Id, "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:csymbol definitionURL='@'/></m:math>"),
    ("math annotation[src]", Both, "<math xmlns='http://www.w3.org/1998/Math/MathML'><annotation src='@'/></math>"),
    ("math annotation-xml[src]", Both, "<math xmlns='http://www.w3.org/1998/Math/MathML'><annotation-xml src='@'/></math>"),
    ("math mglyph[src]", Both, "<math xmlns='http://www.w3.org/1998/Math/MathML'><mglyph src='@'/></math>"),
    ("math *[href]", Both, "<math xmlns='http://www.w3.org/1998/Math/MathML'><mi href='@'/></math>"),
    ("svg *[href]", Both, "<svg xmlns='http://www.w3.org/2000/svg'><image href='@'/></svg>"),
    ("svg a[xlink:href]", Both, "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:xl='http://www.w3.org/1999/xlink'><s:a xl:href='@'/></s:svg>"),
    ("svg a[href]", Both, "<svg xmlns='http://www.w3.org/2000/svg'><a href='@'>b</a></svg>"),
    ("css url()", Both, "<svg xmlns='http://www.w3.org/2000/svg'><g fill='url(@)'/></svg>"),
    ("css url()", Both, "<svg xmlns='http://www.w3.org/2000/svg'><g style='fill:url(@)'/></svg>"),
    ("css url()", Both, "<svg xmlns='http://www.w3.org/2000/svg'><style>a{b:url(@)}</style></svg>"),
    ("css @import", Both, "<svg xmlns='http://www.w3.org/2000/svg'><style type='text/css'>\n<![CDATA[@import '@';]]>\n</style></svg>"),
    ("css url()", Both, "<html xmlns='http://www.w3.org/1999/xhtml'><style>/*<![CDATA[*/a{b:url(@)}/*]]>*/</style></html>"),
    ("a[href]", Both, "<html xmlns='http://www.w3.org/1999/xhtml'><a href='@'>b</a></html>"),
    ("a[href]", Both, "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:a href='@'>b</h:a></h:html>"),
    ("img[srcset]", Both, "<html xmlns='http://www.w3.org/1999/xhtml'><img srcset='@ 1x'/></html>"),
    ("meta[refresh]", Both, "<html xmlns='http://www.w3.org/1999/xhtml'><meta http-equiv='Refresh' content='5; url=@'/></html>"),
    ("a[href]", Both, "<html xmlns='http://www.w3.org/1999/xhtml'><iframe srcdoc=\"&lt;a href='@'&gt;\"/></html>"),
    ("link[canonical]", Absolute, "<html xmlns='http://www.w3.org/1999/xhtml'><link rel='canonical' href='@'/></html>"),
    ("rss category[domain]", Id, "<rss><channel><category domain='@'>x</category></channel></rss>"),
    ("rss comments", Absolute, "<rss><item><comments>@</comments></item></rss>"),
    ("a[href]", Absolute, "<rss><item><description>&lt;a href=\"@\">x&lt;/a&gt;</description></item></rss>"),
    ("img[src]", Absolute, "<rss><item><description><![CDATA[<p><img src=@>]]></description></item></rss>"),
    ("rss docs", Absolute, "<rss version='2.0'><channel><docs>@</docs></channel></rss>"),
    ("rss enclosure[url]", Absolute, "<rss><item><enclosure url='@' length='1' type='audio/mpeg'/></item></rss>"),
    ("rss guid", Id, "<rss><item><guid isPermaLink='true'>@</guid></item></rss>"),
    ("rss link", Absolute, "<rss><channel><link>\n @ </link></channel></rss>"),
    ("rss link", Absolute, "<rss><channel><link> <![CDATA[@]]> </link></channel></rss>"),
    ("rss link", Absolute, "<r:RDF xmlns:r='{RDF}' xmlns='http://purl.org/rss/1.0/'><channel><link>@</link></channel></r:RDF>"),
    ("rss link", Absolute, "<r:RDF xmlns:r='{RDF}' xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel><link>@</link></channel></r:RDF>"),
    ("rss source[url]", Absolute, "<rss><item><source url='@'>x</source></item></rss>"),
    ("rss url", Absolute, "<rss><channel><image><url>@</url></image></channel></rss>"),
    ("a[href]", Absolute, "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><item><content:encoded><![CDATA[<a href=@>]]></content:encoded></item></rss>"),
    ("rss atom:link[href]", Absolute, "<rss xmlns:atom='{ATOM}'><channel><atom:link rel='self' href='@'/></channel></rss>"),
    ("rss wfw:comment", Absolute, "<rss xmlns:w='http://wellformedweb.org/CommentAPI/'><item><w:comment>@</w:comment></item></rss>"),
    ("rss wfw:commentRss", Absolute, "<rss xmlns:wfw='http://wellformedweb.org/CommentAPI/'><item><wfw:commentRss>@</wfw:commentRss></item></rss>"),
    ("rss wfw:commentRSS", Absolute, "<rss xmlns:wfw='http://wellformedweb.org/CommentAPI/'><item><wfw:commentRSS>@</wfw:commentRSS></item></rss>"),
    ("rss creativeCommons:license", Absolute, "<rss xmlns:c='http://backend.userland.com/creativeCommonsRssModule'><channel><c:license>@</c:license></channel></rss>"),
    ("rss feedburner:origLink", Absolute, "<rss xmlns:f='http://rssnamespace.org/feedburner/ext/1.0'><item><f:origLink>@</f:origLink></item></rss>"),
    ("rss feedburner:origEnclosureLink", Absolute, "<rss xmlns:f='http://rssnamespace.org/feedburner/ext/1.0'><item><f:origEnclosureLink>@</f:origEnclosureLink></item></rss>"),
    ("rss googleplay:image[href]", Absolute, "<rss xmlns:g='http://www.google.com/schemas/play-podcasts/1.0'><channel><g:image href='@'/></channel></rss>"),
    ("rss g:additional_image_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:additional_image_link>@</g:additional_image_link></item></rss>"),
    ("rss g:ads_redirect", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:ads_redirect>@</g:ads_redirect></item></rss>"),
    ("rss g:canonical_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:canonical_link>@</g:canonical_link></item></rss>"),
    ("rss g:image_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:image_link>@</g:image_link></item></rss>"),
    ("rss g:lifestyle_image_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:lifestyle_image_link>@</g:lifestyle_image_link></item></rss>"),
    ("rss g:link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:link>@</g:link></item></rss>"),
    ("rss g:link_template", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:link_template>@</g:link_template></item></rss>"),
    ("rss g:mobile_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:mobile_link>@</g:mobile_link></item></rss>"),
    ("rss g:mobile_link_template", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:mobile_link_template>@</g:mobile_link_template></item></rss>"),
    ("rss g:virtual_model_link", Absolute, "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:virtual_model_link>@</g:virtual_model_link></item></rss>"),
    ("rss webfeeds:cover[image]", Absolute, "<rss xmlns:w='http://webfeeds.org/rss/1.0'><channel><w:cover image='@'/></channel></rss>"),
    ("rss webfeeds:icon", Absolute, "<rss xmlns:w='http://webfeeds.org/rss/1.0'><channel><w:icon>@</w:icon></channel></rss>"),
    ("rss webfeeds:logo", Absolute, "<rss xmlns:w='http://webfeeds.org/rss/1.0'><channel><w:logo>@</w:logo></channel></rss>"),
    ("rss webfeeds:wordmark", Absolute, "<rss xmlns:w='http://webfeeds.org/rss/1.0'><channel><w:wordmark>@</w:wordmark></channel></rss>"),
    ("rsd api[apiLink]", Absolute, "<rsd xmlns='http://archipelago.phrasewise.com/rsd'><service><apis><api apiLink='@'/></apis></service></rsd>"),
    ("rsd engineLink", Absolute, "<rsd xmlns='http://archipelago.phrasewise.com/rsd'><service><engineLink>@</engineLink></service></rsd>"),
    ("rsd homePageLink", Absolute, "<rsd xmlns='http://archipelago.phrasewise.com/rsd'><service><homePageLink>@</homePageLink></service></rsd>"),
    ("rss media:backLink", Absolute, "<rss xmlns:m='http://search.yahoo.com/mrss/'><item><m:backLink>@</m:backLink></item></rss>"),
    ("rss media:content[url]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:content url='@'/></item></rss>"),
    ("a[href]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:description type='html'>&lt;a href='@'></media:description></item></rss>"),
    ("rss media:embed[url]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss'><item><media:embed url='@'/></item></rss>"),
    ("rss media:license[href]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:license href='@'>x</media:license></item></rss>"),
    ("rss media:peerLink[href]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:peerLink href='@'/></item></rss>"),
    ("rss media:player[url]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:player url='@'/></item></rss>"),
    ("rss media:subTitle[href]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:subTitle href='@'/></item></rss>"),
    ("a[href]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:text type='html'>&lt;a href='@'></media:text></item></rss>"),
    ("rss media:thumbnail[url]", Absolute, "<rss xmlns:media='http://search.yahoo.com/mrss/'><item><media:thumbnail url='@'/></item></rss>"),
    ("rss itunes:image[href]", Absolute, "<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><itunes:image href='@'/></channel></rss>"),
    ("rss itunes:new-feed-url", Absolute, "<rss xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><i:new-feed-url>@</i:new-feed-url></channel></rss>"),
    ("rss podcast:*[href]", Absolute, "<rss xmlns:p='https://podcastindex.org/namespace/1.0'><channel><p:person href='@'>x</p:person></channel></rss>"),
    ("rss podcast:*[img]", Absolute, "<rss xmlns:p='https://podcastindex.org/namespace/1.0'><channel><p:person img='@'>x</p:person></channel></rss>"),
    ("rss podcast:*[url]", Absolute, "<rss xmlns:p='https://podcastindex.org/namespace/1.0'><item><p:chapters url='@'/></item></rss>"),
    ("atom thr:in-reply-to[href]", Both, "<entry xmlns='{ATOM}' xmlns:thr='http://purl.org/syndication/thread/1.0'><thr:in-reply-to href='@'/></entry>"),
    ("atom thr:in-reply-to[ref]", Id, "<entry xmlns='{ATOM}' xmlns:thr='http://purl.org/syndication/thread/1.0'><thr:in-reply-to ref='@'/></entry>"),
    ("atom thr:in-reply-to[source]", Both, "<entry xmlns='{ATOM}' xmlns:thr='http://purl.org/syndication/thread/1.0'><thr:in-reply-to source='@'/></entry>"),
    ("atom category[scheme]", Id, "<feed xmlns='{ATOM}'><category term='x' scheme='@'/></feed>"),
    ("a[href]", Both, "<a:entry xmlns:a='{ATOM}'><a:content type='html'>&lt;a href='@'&gt;</a:content></a:entry>"),
    ("a[href]", Both, "<entry xmlns='{ATOM}'><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><a href='@'/></div></content></entry>"),
    ("atom content[src]", Both, "<entry xmlns='{ATOM}'><content type='video/mpeg' src='@'/></entry>"),
    ("a[href]", Both, "<feed xmlns='http://purl.org/atom/ns#'><copyright type='text/html' mode='escaped'>&lt;a href='@'></copyright></feed>"),
    ("atom generator[uri]", Both, "<feed xmlns='{ATOM}'><generator uri='@' version='1'>x</generator></feed>"),
    ("atom generator[url]", Both, "<feed xmlns='http://purl.org/atom/ns#'><generator url='@'>x</generator></feed>"),
    ("atom icon", Both, "<feed xmlns='{ATOM}'><icon>@</icon></feed>"),
    ("atom id", Id, "<feed xmlns='{ATOM}'><id>@</id></feed>"),
    ("atom link[href]", Both, "<feed xmlns='{ATOM}'><link rel='self' href='@'/></feed>"),
    ("atom logo", Both, "<feed xmlns='{ATOM}'><logo>@</logo></feed>"),
    ("a[href]", Both, "<feed xmlns='{ATOM}'><rights type='html'>&lt;a href='@'></rights></feed>"),
    ("a[href]", Both, "<feed xmlns='{ATOM}'><subtitle type='html'>&lt;a href='@'></subtitle></feed>"),
    ("a[href]", Both, "<feed xmlns='{ATOM}'><summary type='html'>&lt;a href='@'></summary></feed>"),
    ("a[href]", Both, "<feed xmlns='http://purl.org/atom/ns#'><tagline type='text/html'>&lt;a href='@'></tagline></feed>"),
    ("a[href]", Both, "<feed xmlns='{ATOM}'><title type='html'>&lt;a href='@'></title></feed>"),
    ("atom uri", Both, "<feed xmlns='{ATOM}'><author><uri>@</uri></author></feed>"),
    ("atom url", Both, "<feed xmlns='http://purl.org/atom/ns#'><author><url>@</url></author></feed>"),
    ("atom app:categories[href]", Both, "<categories xmlns='http://www.w3.org/2007/app' href='@'/>"),
    ("atom app:collection[href]", Both, "<service xmlns='http://www.w3.org/2007/app'><collection href='@'/></service>"),
    ("sitemap loc", Absolute, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>@</loc></url></urlset>"),
    ("sitemap loc", Absolute, "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>@</loc></sitemap></sitemapindex>"),
    ("sitemap loc", Absolute, "<urlset><url><loc>@</loc></url></urlset>"),
    ("sitemap link[href]", Absolute, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><xhtml:link rel='alternate' hreflang='de' href='@'/></url></urlset>"),
    ("sitemap image:license", Absolute, "<urlset xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:image><i:license>@</i:license></i:image></urlset>"),
    ("sitemap image:loc", Absolute, "<urlset xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:image><i:loc>@</i:loc></i:image></urlset>"),
    ("sitemap video:content_loc", Absolute, "<urlset xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:content_loc>@</v:content_loc></urlset>"),
    ("sitemap video:gallery_loc", Absolute, "<urlset xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:gallery_loc>@</v:gallery_loc></urlset>"),
    ("sitemap video:player_loc", Absolute, "<urlset xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:player_loc>@</v:player_loc></urlset>"),
    ("sitemap video:thumbnail_loc", Absolute, "<urlset xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:thumbnail_loc>@</v:thumbnail_loc></urlset>"),
    ("sitemap video:uploader[info]", Absolute, "<urlset xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:uploader info='@'>x</v:uploader></urlset>"),
    ("opml docs", Absolute, "<opml version='2.0'><head><docs>@</docs></head></opml>"),
    ("opml outline[htmlUrl]", Absolute, "<opml><body><outline text='x' htmlUrl='@'/></body></opml>"),
    ("opml outline[url]", Absolute, "<opml><body><outline type='link' url='@'/></body></opml>"),
    ("opml outline[xmlUrl]", Absolute, "<opml><body><outline type='rss' xmlUrl='@'/></body></opml>"),
    ("xi:include[href]", Both, "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='@' parse='text'/></a>"),
    ("xsl:import[href]", Both, "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='@'/></xsl:stylesheet>"),
    ("xsl:import-schema[schema-location]", Both, "<t:transform xmlns:t='http://www.w3.org/1999/XSL/Transform'><t:import-schema schema-location='@'/></t:transform>"),
    ("xsl:include[href]", Both, "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:include href='@'/></xsl:stylesheet>"),
    ("xs:*[schemaLocation]", Both, "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:import namespace='urn:a' schemaLocation='@'/></xs:schema>"),
    ("rng:*[href]", Both, "<grammar xmlns='http://relaxng.org/ns/structure/1.0'><include href='@'/></grammar>"),
    ("opensearch Image", Absolute, "<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'><Image>@</Image></OpenSearchDescription>"),
    ("opensearch Url[template]", Absolute, "<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'><Url type='text/html' template='@'/></OpenSearchDescription>"),
    ("opf item[href]", Both, "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item id='x' href='@'/></manifest></package>"),
    ("opf link[href]", Both, "<package xmlns='http://www.idpf.org/2007/opf'><metadata><link rel='record' href='@'/></metadata></package>"),
    ("opf link[href]", Both, "<package xmlns='http://www.idpf.org/2007/opf'><collection role='x'><link href='@'/></collection></package>"),
    ("opf site[href]", Both, "<o:package xmlns:o='http://openebook.org/namespaces/oeb-package/1.0/'><o:tours><o:tour><o:site href='@'/></o:tour></o:tours></o:package>"),
    ("opf reference[href]", Both, "<package xmlns='http://www.idpf.org/2007/opf'><guide><reference href='@'/></guide></package>"),
    ("ncx audio[src]", Both, "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navLabel><audio src='@'/></navLabel></ncx>"),
    ("ncx img[src]", Both, "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navLabel><img src='@'/></navLabel></ncx>"),
    ("*[epub:textref]", Both, "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:epub='http://www.idpf.org/2007/ops'><body epub:textref='@'/></smil>"),
    ("ncx content[src]", Both, "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navPoint><content src='@'/></navPoint></ncx>"),
];

fn documents() -> impl Iterator<Item = (&'static str, Way, String)> {
    ROWS.iter().map(|(slot, way, document)| {
        (*slot, *way, document.replace("{ATOM}", ATOM).replace("{RDF}", RDF))
    })
}

#[track_caller]
fn output(rewritten: Rewritten, input: &str) -> String {
    assert_eq!(rewritten.verify_error(), None, "{input}");
    assert_eq!(rewritten.report.skipped, [], "{input}");
    let output = rewritten.into_output().unwrap_or_else(|| input.as_bytes().to_vec());
    String::from_utf8_lossy(&output).into_owned()
}

#[test]
fn every_slot_is_found() {
    for (slot, way, document) in documents() {
        let input = document.replace('@', "../x");
        // The `@` of CSS is not a placeholder.
        let input = input.replace("../ximport", "@import");
        let found: Vec<_> = xml(&input).into_iter().filter(|found| found.text == "../x").collect();
        assert_eq!(found.len(), 1, "{input}");
        assert_eq!(found[0].slot, slot, "{input}");
        assert_eq!(found[0].target.as_deref(), Some("http://h/x"), "{input}");
        assert_eq!(found[0].kind == Kind::Id, way == Id, "{input}");
        assert_eq!(&input[found[0].span.start..found[0].span.end], "../x", "{input}");
    }
}

#[test]
fn every_slot_is_rewritten_in_both_directions() {
    for (_, way, document) in documents() {
        let with = |reference: &str| {
            document.replace("@import", "\0").replace('@', reference).replace('\0', "@import")
        };
        let (options, context) = (Options::default(), at_url());
        let absolute = |input: &str| {
            output(absolutize(unit(input.as_bytes(), Media::XML, &context), &options), input)
        };
        let relative = |input: &str| {
            let unit = unit(input.as_bytes(), Media::XML, &context);
            output(relativize(unit, &options, &Relative::below("http://h/")), input)
        };
        let (input, expected) = (with("../x"), with("http://h/x"));
        assert_eq!(absolute(&input), if way == Id { &*input } else { &*expected });
        assert_eq!(absolute(&expected), expected, "what is absolute stays");
        let (input, expected) = (with("http://h/d/y"), with("y"));
        assert_eq!(relative(&input), if way == Both { &*expected } else { &*input });
        let outside = with("http://elsewhere/d/y");
        assert_eq!(relative(&outside), outside, "what leads out of the tree stays");
    }
}

#[test]
fn every_row_was_met() {
    let mut met: BTreeSet<&str> = ROWS.iter().map(|(slot, ..)| *slot).collect();
    met.insert("sitemap PageMap Attribute[value]");
    #[rustfmt::skip]
    let is_xml = |format: Format| {
        [
            Format::ATOM, Format::EPUB, Format::OPML, Format::OPENSEARCH, Format::RDF, Format::RSS,
            Format::SITEMAP, Format::XML, Format::XSLT,
        ].contains(&format)
    };
    let rows = SLOTS.iter().filter(|slot| is_xml(slot.format) && slot.kind != Kind::Embedded);
    let missing: Vec<_> = rows.filter(|slot| !met.contains(slot.name)).map(|s| s.name).collect();
    assert!(missing.is_empty(), "{missing:?}");
    // HTML in feeds has slots of its own.
    let embedded: BTreeSet<String> = documents()
        .flat_map(|(.., document)| {
            xml(document.replace("@import", "\0").replace('@', "x").replace('\0', "@import"))
        })
        .flat_map(|found| found.embedded)
        .collect();
    let rows = SLOTS.iter().filter(|slot| is_xml(slot.format) && slot.kind == Kind::Embedded);
    let missing: Vec<_> =
        rows.filter(|slot| !embedded.contains(slot.name)).map(|slot| slot.name).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Data of a page in a sitemap are texts of any kind, and references only as absolute URLs.
#[test]
fn page_maps() {
    let with = |value: &str| {
        format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><PageMap xmlns='http://www.google.com/schemas/sitemap-pagemap/1.0'><DataObject type='thumbnail'><Attribute name='src' value='{value}'/></DataObject></PageMap></urlset>"
        )
    };
    let slots = |value: &str| -> Vec<String> {
        let context = at_url();
        let document = with(value);
        let unit = unit(document.as_bytes(), Media::XML, &context);
        let mut slots = Vec::new();
        relink_rewrite::references(unit, &Options::default(), |site| {
            slots.push(site.slot_name().to_owned());
        });
        slots
    };
    assert_eq!(slots("http://h/x.png"), ["sitemap PageMap Attribute[value]"]);
    assert!(["600", "x.png", "/x.png", "a http://h/x"].iter().all(|text| slots(text).is_empty()));
}
