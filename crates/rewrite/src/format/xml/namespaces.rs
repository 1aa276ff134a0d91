//! The vocabularies of prefixes, by the declarations in force, and productions of the XML grammar:
//! characters, names, the XML declaration.
//!
//! Namespaces in XML 1.0, sections 3 and 6.

use std::cell::Cell;
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
    /// The prefix that was looked up last, and its vocabulary: most names of a document have one.
    last: Cell<Option<(&'t str, Vocabulary)>>,
}

impl<'t> Namespaces<'t> {
    pub(super) fn new() -> Self {
        let bindings = HashMap::from([("xml", vec![Vocabulary::Xml])]);
        let default = Vocabulary::Other;
        Namespaces { bindings, declared: Vec::new(), default, last: Cell::new(None) }
    }

    /// Declares the namespace of a prefix, which may be empty.
    pub(super) fn declare(&mut self, prefix: &'t str, uri: &str) {
        let vocabulary = vocabulary(uri);
        self.bindings.entry(prefix).or_default().push(vocabulary);
        self.declared.push(prefix);
        self.last.set(None);
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
        if self.declared.len() == n {
            return;
        }
        self.last.set(None);
        for prefix in self.declared.drain(n..).rev() {
            let Some(bindings) = self.bindings.get_mut(prefix) else { continue };
            bindings.pop();
            if prefix.is_empty() {
                self.default = bindings.last().copied().unwrap_or(Vocabulary::Other);
            }
        }
    }

    /// Returns the vocabulary of an element with this prefix, which may be empty.
    pub(super) fn of_element(&self, prefix: &'t str) -> Vocabulary {
        if prefix.is_empty() { self.default } else { self.of_prefix(prefix) }
    }

    /// Returns the vocabulary of a prefix; a prefix that is not declared has none.
    pub(super) fn of_prefix(&self, prefix: &'t str) -> Vocabulary {
        if let Some((last, vocabulary)) = self.last.get()
            && last == prefix
        {
            return vocabulary;
        }
        let innermost = self.bindings.get(prefix).and_then(|bindings| bindings.last());
        let vocabulary = innermost.copied().unwrap_or(Vocabulary::Other);
        self.last.set(Some((prefix, vocabulary)));
        vocabulary
    }
}

/// Returns the vocabulary of a namespace. Namespace names are compared as they are written
/// (Namespaces in XML, section 2.3), but some feeds are written with or without the final slash.
pub(super) fn vocabulary(uri: &str) -> Vocabulary {
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
        "http://schemas.openxmlformats.org/package/2006/relationships" => Vocabulary::Opc,
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Vocabulary::Word,
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        | "http://purl.oclc.org/ooxml/spreadsheetml/main" => Vocabulary::Sheet,
        "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"
        | "http://purl.oclc.org/ooxml/officeDocument/extendedProperties" => Vocabulary::Properties,
        "urn:oasis:names:tc:opendocument:xmlns:table:1.0" => Vocabulary::OdfTable,
        "urn:oasis:names:tc:opendocument:xmlns:text:1.0" => Vocabulary::OdfText,
        "urn:schemas-microsoft-com:vml" => Vocabulary::Vml,
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

// Productions of the XML grammar: characters, names, the XML declaration.
//
// XML 1.0 (fifth edition), sections 2.2, 2.3, 2.8 and 4.1.

/// Returns the offset of the first character that is not allowed in any document (XML 2.2, `Char`).
pub(super) fn no_char(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Most documents have none, and testing only for that is fast.
    let has_control = bytes.iter().fold(false, |found, byte| found | is_control(*byte));
    let control = bytes.iter().position(|byte| has_control && is_control(*byte));
    let is_none = |at: &usize| text[*at..].starts_with(['\u{FFFE}', '\u{FFFF}']);
    let other = memchr::memmem::find_iter(bytes, b"\xEF\xBF").find(is_none);
    control.into_iter().chain(other).min()
}

/// Returns true if the text is a name (XML 2.3, `Name`).
pub(super) fn is_name(text: &str) -> bool {
    // Most names are letters of ASCII.
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let mut chars = text.chars();
    chars.next().is_some_and(begins_name) && chars.all(is_in_name)
}

/// Returns true if a character may begin a name (XML 2.3, `NameStartChar`).
fn begins_name(char: char) -> bool {
    matches!(char,
        'a'..='z' | 'A'..='Z' | '_' | ':'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Returns true if a character may be in a name (XML 2.3, `NameChar`).
fn is_in_name(char: char) -> bool {
    begins_name(char)
        || matches!(char,
            '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Returns the names of the entities that a text refers to, without numeric character references,
/// and the offset of each `&`.
pub(super) fn references(raw: &str) -> impl Iterator<Item = (usize, &str)> {
    memchr::memchr_iter(b'&', raw.as_bytes()).filter_map(|at| {
        let len = memchr::memchr(b';', &raw.as_bytes()[at..])?;
        Some((at, &raw[at + 1..at + len])).filter(|(_, name)| !name.starts_with('#'))
    })
}

/// Returns true if `text`, from `<?xml` to `?>`, is an XML declaration (XML 2.8, `XMLDecl`).
pub(super) fn is_declaration(text: &str) -> bool {
    let inner = text.strip_prefix("<?xml").and_then(|rest| rest.strip_suffix("?>"));
    let Some(mut rest) = inner else { return false };
    let is_version = |value: &str| {
        value.strip_prefix("1.").is_some_and(|minor| {
            !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_encoding = |value: &str| {
        value.starts_with(|char: char| char.is_ascii_alphabetic())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let is_answer = |value: &str| matches!(value, "yes" | "no");
    eats(&mut rest, "version", is_version) == Some(true)
        && eats(&mut rest, "encoding", is_encoding) != Some(false)
        && eats(&mut rest, "standalone", is_answer) != Some(false)
        && rest.trim_ascii().is_empty()
}

/// Consumes ` name="value"` from the front, if it is there. Returns true if the value is valid.
fn eats(rest: &mut &str, name: &str, is_right: impl Fn(&str) -> bool) -> Option<bool> {
    let after = rest.trim_ascii_start();
    let value = after.strip_prefix(name)?.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    let is_apart = after.len() < rest.len();
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    let (value, remaining) = value[1..].split_once(quote)?;
    *rest = remaining;
    Some(is_apart && is_right(value))
}

/// Returns the offset of the `>` of a tag: the first outside of quotes.
pub(super) fn tag_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'>', b'\'', b'"', &bytes[at..])?;
        match bytes[at] {
            b'>' => return Some(at),
            quote => at += memchr::memchr(quote, &bytes[at + 1..])? + 2,
        }
    }
}
