//! The vocabularies of prefixes, by the declarations in force.
//!
//! Namespaces in XML 1.0, sections 3 and 6.

use std::collections::HashMap;

use crate::slots::Vocabulary;

/// The declarations that are in force.
pub(super) struct Namespaces<'t> {
    /// The vocabularies of each prefix, that of the innermost declaration last. The default
    /// namespace has the empty prefix.
    bindings: HashMap<&'t str, Vec<Vocabulary>>,
    /// The prefixes in the order of their declarations.
    declared: Vec<&'t str>,
    /// The vocabulary of elements without a prefix.
    default: Vocabulary,
}

impl<'t> Namespaces<'t> {
    pub(super) fn new() -> Self {
        let bindings = HashMap::from([("xml", vec![Vocabulary::Xml])]);
        Namespaces { bindings, declared: Vec::new(), default: Vocabulary::Other }
    }

    /// Declares the namespace of a prefix, which may be empty.
    pub(super) fn declare(&mut self, prefix: &'t str, uri: &str) {
        let vocabulary = vocabulary(uri);
        self.bindings.entry(prefix).or_default().push(vocabulary);
        self.declared.push(prefix);
        if prefix.is_empty() {
            self.default = vocabulary;
        }
    }

    /// Returns the number of declarations in force.
    pub(super) fn n_declared(&self) -> usize {
        self.declared.len()
    }

    /// Removes all declarations but the first `n`.
    pub(super) fn take_back_to(&mut self, n: usize) {
        for prefix in self.declared.drain(n..).rev() {
            let Some(bindings) = self.bindings.get_mut(prefix) else { continue };
            bindings.pop();
            if prefix.is_empty() {
                self.default = bindings.last().copied().unwrap_or(Vocabulary::Other);
            }
        }
    }

    /// Returns the vocabulary of an element with this prefix, which may be empty.
    pub(super) fn of_element(&self, prefix: &str) -> Vocabulary {
        if prefix.is_empty() { self.default } else { self.of_prefix(prefix) }
    }

    /// Returns the vocabulary of a prefix; a prefix that is not declared has none.
    pub(super) fn of_prefix(&self, prefix: &str) -> Vocabulary {
        let innermost = self.bindings.get(prefix).and_then(|bindings| bindings.last());
        innermost.copied().unwrap_or(Vocabulary::Other)
    }
}

/// Returns the vocabulary of a namespace. Namespace names are compared as they are written
/// (Namespaces in XML, section 2.3), but some feeds are written with or without the final slash.
fn vocabulary(uri: &str) -> Vocabulary {
    match uri {
        "http://www.w3.org/1999/xhtml" => Vocabulary::Html,
        "http://www.w3.org/2000/svg" => Vocabulary::Svg,
        "http://www.w3.org/1998/Math/MathML" => Vocabulary::MathMl,
        "http://www.w3.org/XML/1998/namespace" => Vocabulary::Xml,
        "http://www.w3.org/1999/xlink" => Vocabulary::XLink,
        "http://www.w3.org/2001/XMLSchema-instance" => Vocabulary::XsInstance,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#" => Vocabulary::Rdf,
        "http://purl.org/rss/1.0/"
        | "http://my.netscape.com/rdf/simple/0.9/"
        | "http://channel.netscape.com/rdf/simple/0.9/"
        | "http://backend.userland.com/rss2"
        | "http://backend.userland.com/RSS2"
        | "http://blogs.law.harvard.edu/tech/rss" => Vocabulary::Rss,
        "http://purl.org/rss/1.0/modules/content/" => Vocabulary::RssContent,
        "http://wellformedweb.org/CommentAPI/"
        | "http://backend.userland.com/creativeCommonsRssModule"
        | "http://cyber.law.harvard.edu/rss/creativeCommonsRssModule.html"
        | "http://rssnamespace.org/feedburner/ext/1.0"
        | "http://www.google.com/schemas/play-podcasts/1.0" => Vocabulary::RssModule,
        "http://base.google.com/ns/1.0" | "http://base.google.com/cns/1.0" => Vocabulary::Merchant,
        "http://webfeeds.org/rss/1.0" => Vocabulary::Webfeeds,
        "http://archipelago.phrasewise.com/rsd" => Vocabulary::Rsd,
        "http://www.google.com/schemas/sitemap-pagemap/1.0" => Vocabulary::PageMap,
        "http://search.yahoo.com/mrss/" | "http://search.yahoo.com/mrss" => Vocabulary::Media,
        "http://www.itunes.com/dtds/podcast-1.0.dtd"
        | "http://www.itunes.com/DTDs/Podcast-1.0.dtd" => Vocabulary::Itunes,
        "https://podcastindex.org/namespace/1.0" => Vocabulary::Podcast,
        "http://purl.org/syndication/thread/1.0" => Vocabulary::Thread,
        "http://www.w3.org/2005/Atom" | "http://purl.org/atom/ns#" => Vocabulary::Atom,
        "http://www.w3.org/2007/app" | "http://purl.org/atom/app#" => Vocabulary::AtomPub,
        "http://www.sitemaps.org/schemas/sitemap/0.9"
        | "https://www.sitemaps.org/schemas/sitemap/0.9"
        | "http://www.google.com/schemas/sitemap/0.84"
        | "http://www.google.com/schemas/sitemap/0.9" => Vocabulary::Sitemap,
        "http://www.google.com/schemas/sitemap-image/1.1" => Vocabulary::SitemapImage,
        "http://www.google.com/schemas/sitemap-video/1.1" => Vocabulary::SitemapVideo,
        "http://opml.org/spec2" | "http://www.opml.org/spec2" => Vocabulary::Opml,
        "http://www.w3.org/2001/XInclude" | "http://www.w3.org/2003/XInclude" => {
            Vocabulary::XInclude
        }
        "http://www.w3.org/1999/XSL/Transform" => Vocabulary::Xslt,
        "http://www.w3.org/2001/XMLSchema" => Vocabulary::XmlSchema,
        "http://relaxng.org/ns/structure/1.0" => Vocabulary::RelaxNg,
        "http://a9.com/-/spec/opensearch/1.1/"
        | "http://a9.com/-/spec/opensearchdescription/1.1/" => Vocabulary::OpenSearch,
        "http://www.idpf.org/2007/opf" | "http://openebook.org/namespaces/oeb-package/1.0/" => {
            Vocabulary::Opf
        }
        "http://www.idpf.org/2007/ops" => Vocabulary::EpubOps,
        "urn:mpeg:dash:schema:mpd:2011" | "urn:mpeg:DASH:schema:MPD:2011" => Vocabulary::Dash,
        "http://docbook.org/ns/docbook" => Vocabulary::DocBook,
        "http://xspf.org/ns/0/" => Vocabulary::Xspf,
        "http://www.opengis.net/kml/2.2"
        | "http://earth.google.com/kml/2.0"
        | "http://earth.google.com/kml/2.1"
        | "http://earth.google.com/kml/2.2" => Vocabulary::Kml,
        "http://schemas.xmlsoap.org/wsdl/" | "http://www.w3.org/ns/wsdl" => Vocabulary::Wsdl,
        "http://schemas.xmlsoap.org/wsdl/soap/"
        | "http://schemas.xmlsoap.org/wsdl/soap12/"
        | "http://schemas.xmlsoap.org/wsdl/http/" => Vocabulary::WsdlBinding,
        "http://www.w3.org/ns/SMIL"
        | "http://www.w3.org/2001/SMIL20/"
        | "http://www.w3.org/2001/SMIL20/Language"
        | "http://www.w3.org/2005/SMIL21/"
        | "http://www.w3.org/2005/SMIL21/Language" => Vocabulary::Smil,
        "http://www.daisy.org/z3986/2005/ncx/" => Vocabulary::Ncx,
        "" => Vocabulary::Other,
        _ => Vocabulary::Foreign,
    }
}
