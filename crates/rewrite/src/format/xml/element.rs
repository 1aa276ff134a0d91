//! The step from an element to values by the table of slots: its attributes, its text, the scope of
//! its `xml:base`.

use std::borrow::Cow;

use basectx::html::Namespace;
use layers::{Layer, Span, XmlPlace, xml};

use super::XmlScan;
use super::runs::{OpenElement, Runs, XmlAttribute};
use crate::format::extra::Reading;
use crate::format::found::{Against, BaseChange, BaseScope, Delimiters, Value};
use crate::format::html::{self, Key, conditions};
use crate::options::{Integrity, Options};
use crate::report::skip::SkipReason;
use crate::slots::{Moment, SLOTS, Slot, SlotId, Syntax, Vocabulary, XML_END, XML_START};

/// The range of rows of each vocabulary.
const RANGES: [(usize, usize); Vocabulary::N] = {
    let mut ranges = [(0, 0); Vocabulary::N];
    let mut idx = XML_START;
    while idx < XML_END {
        let vocabulary = SLOTS[idx].vocabulary as usize;
        let (start, end) = ranges[vocabulary];
        assert!(end == 0 || end == idx, "the rows of a vocabulary stand together");
        ranges[vocabulary] = (if end == 0 { idx } else { start }, idx + 1);
        idx += 1;
    }
    ranges
};

/// Returns the rows of an element's attribute, or of its text.
fn row(
    vocabulary: Vocabulary,
    element: &str,
    attribute: &str,
) -> impl Iterator<Item = (SlotId, &'static Slot)> {
    let (start, end) = RANGES[vocabulary as usize];
    let is_it = move |slot: &Slot| {
        is(slot.attribute, attribute) && (slot.element.is_empty() || is(slot.element, element))
    };
    let rows = (start..end).zip(&SLOTS[start..end]);
    rows.filter(move |(_, slot)| is_it(slot)).map(|(row, slot)| (SlotId::of_row(row), slot))
}

/// Returns all rows of a vocabulary.
pub(super) fn rows_of(vocabulary: Vocabulary) -> &'static [Slot] {
    let (start, end) = RANGES[vocabulary as usize];
    &SLOTS[start..end]
}

/// Returns false for a slot that an option enables, without it.
pub(super) fn opt_in(slot: &Slot, options: &Options) -> bool {
    slot.opt_in_name.is_none_or(|name| options.opt_in.has(name))
}

/// Returns the vocabulary of a document whose root element has this name, and no namespace.
pub(super) fn plain_vocabulary(root: &str) -> Option<Vocabulary> {
    match root {
        "rss" => Some(Vocabulary::Rss),
        "opml" => Some(Vocabulary::Opml),
        "browserconfig" => Some(Vocabulary::BrowserConfig),
        "smil" => Some(Vocabulary::Smil),
        "urlset" | "sitemapindex" => Some(Vocabulary::Sitemap),
        _ => None,
    }
}

/// Returns true if two names are equal. Most names that are compared have other lengths, or are
/// both empty; a call of `memcmp` with length 0 takes many times as long as this where it is made
/// for wide registers.
fn is(name: &str, other: &str) -> bool {
    name.len() == other.len() && (name.is_empty() || name == other)
}

/// Returns true if a vocabulary has rows of its own, in addition to those of HTML.
const fn has_rows(vocabulary: Vocabulary) -> bool {
    use Vocabulary::{Foreign, Html, Other, Svg};
    !matches!(vocabulary, Other | Foreign | Html | Svg)
}

impl<'t> XmlScan<'t> {
    /// Records the namespaces that the tag declares.
    pub(super) fn declare(&mut self) {
        for attribute in &self.tokens.attributes {
            let prefix = match attribute.parts() {
                ("xmlns", prefix) => prefix,
                ("", "xmlns") => "",
                _ => continue,
            };
            let raw = &self.text[attribute.value.start..attribute.value.end];
            // Drawing programs write their namespaces as entities.
            let uri = self.doctype.text_of(raw);
            let uri = xml::decode(uri, attribute.place, self.doctype.names);
            self.namespaces.declare(prefix, &uri.text);
        }
    }

    /// Records the default attributes that the document type gives the element: a namespace counts
    /// as if it were written in the tag; under a base nothing can be edited, because the base is
    /// not in the tag.
    pub(super) fn given(&mut self, name: &str) {
        self.is_given_base = false;
        for (given, value) in self.doctype.given(name) {
            if self.tokens.attributes.iter().any(|attribute| attribute.name == *given) {
                continue;
            }
            match given.strip_prefix("xmlns") {
                Some(prefix) => {
                    let uri = xml::decode(
                        self.doctype.text_of(value),
                        XmlPlace::DoubleQuoted,
                        self.doctype.names,
                    );
                    self.namespaces.declare(prefix.trim_start_matches(':'), &uri.text);
                }
                None => self.is_given_base = true,
            }
        }
    }

    /// Returns the vocabulary of an element. The first element decides that of elements without a
    /// namespace.
    pub(super) fn vocabulary(&mut self, prefix: &'t str, local: &str) -> Vocabulary {
        let vocabulary = self.namespaces.of_element(prefix);
        if !self.root.is_seen {
            self.root.is_seen = true;
            let is_plain = vocabulary == Vocabulary::Other && prefix.is_empty();
            self.root.plain = match plain_vocabulary(local) {
                _ if !is_plain => None,
                Some(vocabulary) => Some(vocabulary),
                None if self.is_dita() => Some(Vocabulary::Dita),
                None if is_docbook(self.doctype.public) => Some(Vocabulary::DocBook),
                None => None,
            };
            self.root.is_sitemap =
                vocabulary == Vocabulary::Sitemap || self.root.plain == Some(Vocabulary::Sitemap);
            let vocabulary_of_root = self.root.plain.unwrap_or(vocabulary);
            self.root.is_feed = matches!(
                vocabulary_of_root,
                Vocabulary::Atom | Vocabulary::Rss | Vocabulary::Rdf | Vocabulary::Opml
            );
            // A stylesheet may be written as the one element that it outputs (XSLT 2.0, section
            // 3.7).
            let is_simplified = |attribute: &XmlAttribute<'t>| {
                let (prefix, local) = attribute.parts();
                local == "version" && self.namespaces.of_prefix(prefix) == Vocabulary::Xslt
            };
            self.root.is_stylesheet =
                vocabulary == Vocabulary::Xslt || self.tokens.attributes.iter().any(is_simplified);
            self.root.is_smil = vocabulary_of_root == Vocabulary::Smil;
            self.root.is_of_web = self.options.has_web_xml_base()
                && !self.root.is_stylesheet
                && matches!(vocabulary, Vocabulary::Html | Vocabulary::Svg);
        }
        match vocabulary {
            Vocabulary::Other if prefix.is_empty() => self.root.plain.unwrap_or(Vocabulary::Other),
            // This is the link of the feed to itself, whose readers require it to be absolute.
            Vocabulary::Atom if local == "link" && self.root.plain == Some(Vocabulary::Rss) => {
                Vocabulary::RssModule
            }
            // These are alternatives of a page, which search engines read.
            Vocabulary::Html if self.root.is_sitemap => Vocabulary::Sitemap,
            Vocabulary::Xslt | Vocabulary::XInclude => vocabulary,
            _ if self.root.is_stylesheet => Vocabulary::Other,
            vocabulary => vocabulary,
        }
    }

    /// Returns true if the document type is one of DITA, or the first element says so.
    fn is_dita(&self) -> bool {
        self.doctype.public.starts_with("-//OASIS//DTD DITA ")
            || self.doctype.public.starts_with("-//OASIS//DTD LIGHTWEIGHT DITA ")
            || self
                .tokens
                .attributes
                .iter()
                .any(|attribute| attribute.parts().1 == "DITAArchVersion")
    }

    /// Returns the scope of the element whose tag begins at `start`: that of its own `xml:base`, or
    /// the one around it.
    ///
    /// Targets under an unknown base are unknown, so the document is skipped; if elements of
    /// browsers ignore the base, only if another element uses it.
    pub(super) fn scope(&mut self, outer: Option<u32>, start: usize) -> Option<u32> {
        let is_base = |attribute: &&XmlAttribute<'_>| {
            let (prefix, local) = attribute.parts();
            local == "base" && prefix == "xml"
        };
        let around = outer.map(|outer| &self.found.scopes[outer as usize]);
        let depth = around.map_or(0, |around| around.depth) + 1;
        let is_in_unknown = around.is_some_and(|around| around.is_unknown);
        let scope = match self.tokens.attributes.iter().find(is_base).copied() {
            Some(base) => {
                let is_unknown = self.root.is_of_web && self.has_unknown_entity(base.value);
                if !is_unknown {
                    self.note_base(&base);
                }
                let layer = Layer::Xml(base.place, self.names());
                let is_unknown = is_unknown || is_in_unknown;
                BaseScope { outer, span: base.value, layer, depth, is_unknown }
            }
            None if self.is_given_base && self.root.is_of_web => {
                let (span, layer) = (Span::new(start, start), Layer::Text);
                BaseScope { outer, span, layer, depth, is_unknown: true }
            }
            None => {
                if self.is_given_base {
                    self.unknown_base = self.unknown_base.or(Some(start));
                }
                return outer;
            }
        };
        self.found.add_scope(scope).or(outer)
    }

    /// Adds the references in the attributes of an element.
    pub(super) fn element(&mut self, open: &OpenElement<'t>, outer: Option<u32>) {
        if self.tokens.attributes.is_empty() {
            return;
        }
        let attributes = std::mem::take(&mut self.tokens.attributes);
        // A `<meta name="base">` is the base of the whole presentation (SMIL 2.0, section 9.3.1).
        if self.root.is_smil && open.vocabulary == Vocabulary::Smil && open.name == "meta" {
            let name = self.text_of(Key::NAME, &attributes);
            if name.is_some_and(|name| name.trim() == "base") {
                self.other_base = self.other_base.or(Some(open.start));
            }
        }
        let codebase = self.codebase(open, &attributes);
        let n_before = self.found.values.len();
        for attribute in &attributes {
            let may_be_condition = matches!(open.vocabulary, Vocabulary::Html | Vocabulary::Svg);
            if may_be_condition && conditions::is_one(Key::new(attribute.name)) {
                let value = self.condition(open, attribute, &attributes);
                self.found.values.extend(value);
                continue;
            }
            let Some((id, slot)) = self.slot(open, attribute, &attributes) else {
                self.extra(open, attribute);
                continue;
            };
            // A `<base>` in HTML inside a feed is not the base of the feed; its readers remove it.
            if id == SlotId::BASE_HREF && self.root.is_feed {
                continue;
            }
            let raw = &self.text[attribute.value.start..attribute.value.end];
            let may_hold_url =
                || html::may_hold_url(raw.as_bytes()) && self.doctype.may_hold_url(raw);
            if slot.syntax == Syntax::Declarations && !may_hold_url() {
                continue;
            }
            let against = match codebase {
                Some(idx) if slot.is_on_codebase => Against::Codebase(idx),
                _ if id == SlotId::BASE_HREF => Against::Fallback,
                // A reader that supports `xml:base` also applies the one around it (XML Base,
                // section 4.1).
                _ if id == SlotId::XML_BASE => outer.map_or(Against::Base, Against::Scope),
                _ if id == SlotId::RELATIONSHIP && self.is_hyperlink(&attributes) => {
                    Against::Hyperlinks
                }
                _ => self.against(open),
            };
            let is_base = id == SlotId::BASE_HREF && self.found.bases.is_empty();
            if is_base {
                self.note_base(attribute);
            }
            let Some(value) = self.attribute(*attribute, id, slot.syntax, against) else {
                continue;
            };
            if is_base {
                let idx = self.found.values.len();
                self.found.bases.push(BaseChange { from: idx, href: Some(idx) });
            }
            if id == SlotId::DASH_TIMING && !self.has_urls_of_time(&attributes) {
                continue;
            }
            let value = self.of_presentation(open, value);
            let text = |key: Key| self.text_of(key, &attributes);
            let (fetch, mut moment) = html::decided_by_tag(id, Key::new(open.name), &text);
            if id == SlotId::IMG_SRC && html::is_loaded_later(&text) {
                moment = Some(Moment::Either);
            }
            let mut value = Value { fetch, ..value };
            moment.into_iter().for_each(|moment| value.set_moment(moment));
            self.found.values.push(value);
        }
        if self.options.integrity != Integrity::Keep {
            conditions::pair(&mut self.found.values, n_before);
        }
        self.tokens.attributes = attributes;
    }

    /// Returns true if a relationship is a hyperlink, by its type (ISO/IEC 29500-1, 17.3.17).
    fn is_hyperlink(&self, attributes: &[XmlAttribute<'t>]) -> bool {
        let text = |span: Span| &self.text[span.start..span.end];
        let is_one = |kind: &str| kind.ends_with("/hyperlink");
        attributes.iter().any(|it| it.name == "Type" && is_one(text(it.value)))
    }

    /// Returns the value of a condition on what the element loads.
    fn condition(
        &mut self,
        open: &OpenElement<'t>,
        attribute: &XmlAttribute<'t>,
        attributes: &[XmlAttribute<'t>],
    ) -> Option<Value> {
        let XmlAttribute { start, name, .. } = *attribute;
        let integrity = self.options.integrity;
        let text = |key: Key| self.text_of(key, attributes);
        let slot = conditions::slot_if(integrity, Key::new(open.name), Key::new(name), &text)?;
        match integrity {
            Integrity::Remove => Some(conditions::name(Span::new(start, start + name.len()), slot)),
            _ => self.attribute(*attribute, slot, Syntax::Url, self.against(open)),
        }
    }

    /// Returns the slot of an attribute.
    fn slot(
        &self,
        open: &OpenElement<'t>,
        attribute: &XmlAttribute<'t>,
        attributes: &[XmlAttribute<'t>],
    ) -> Option<(SlotId, &'static Slot)> {
        let (prefix, local) = attribute.parts();
        let text = |key: Key| self.text_of(key, attributes);
        let html =
            |name: &str| html::slot_of(namespace_of(open.vocabulary)?, open.name, name, &text);
        let mut rows = match prefix {
            "" => {
                if let Some(slot) = html(local) {
                    return Some(slot);
                }
                if !has_rows(open.vocabulary) {
                    return None;
                }
                row(open.vocabulary, open.name, local)
            }
            "xmlns" => return None,
            _ => match self.namespaces.of_prefix(prefix) {
                Vocabulary::XLink if local == "href" && !self.root.is_stylesheet => {
                    if let Some(slot) = html("xlink:href") {
                        return Some(slot);
                    }
                    row(Vocabulary::XLink, open.name, local)
                }
                // In other documents the attribute is output, not followed.
                Vocabulary::XLink => return None,
                vocabulary @ (Vocabulary::Xml
                | Vocabulary::XsInstance
                | Vocabulary::Rdf
                | Vocabulary::EpubOps
                | Vocabulary::OdfTable
                | Vocabulary::OdfText
                | Vocabulary::Word) => row(vocabulary, open.name, local),
                _ => return None,
            },
        };
        rows.find(|(_, slot)| opt_in(slot, self.options) && html::passes(slot.test, &text))
    }

    /// Returns the text of the attribute without a prefix that has this name.
    fn text_of(&self, key: Key, attributes: &[XmlAttribute<'_>]) -> Option<Cow<'t, str>> {
        let is_it = |attribute: &&XmlAttribute<'_>| {
            let is_plain = |char: char| char.is_ascii_lowercase() || char == '-';
            Key::new(attribute.name) == key
                && (attribute.name.chars().all(is_plain)
                    || matches!(attribute.name, "attributeName" | "TargetMode"))
        };
        let attribute = attributes.iter().find(is_it)?;
        let raw = &self.text[attribute.value.start..attribute.value.end];
        Some(xml::decode(raw, attribute.place, self.names()).text)
    }

    /// Adds an attribute that is not a slot but is named by the user.
    fn extra(&mut self, open: &OpenElement<'t>, attribute: &XmlAttribute<'t>) {
        if self.options.extras.is_empty() {
            return;
        }
        let Some(idx) = self.options.extras.find(open.name.as_bytes(), attribute.name.as_bytes())
        else {
            return;
        };
        let extras = &self.options.extras;
        let raw = &self.text[attribute.value.start..attribute.value.end];
        let text = xml::decode(raw, attribute.place, self.names()).text;
        match extras.reading(idx, &text) {
            Reading::As(syntax) => {
                let value =
                    self.attribute(*attribute, SlotId::of_extra(idx), syntax, self.against(open));
                let value = value.map(|value| match value.delimiters {
                    Delimiters::None => {
                        Value { delimiters: Delimiters::of_extra(extras, idx), ..value }
                    }
                    _ => value,
                });
                self.found.values.extend(value);
            }
            Reading::Json => {
                self.found.skipped.push((SkipReason::JsonValue, attribute.value.start));
            }
            Reading::Switch => {}
        }
    }

    /// Returns the number of the `codebase` of an `object` or `applet`.
    fn codebase(&mut self, open: &OpenElement<'t>, attributes: &[XmlAttribute<'t>]) -> Option<u32> {
        if open.vocabulary != Vocabulary::Html || !matches!(open.name, "object" | "applet") {
            return None;
        }
        let attribute = attributes.iter().find(|attribute| attribute.name == "codebase")?;
        let text = |key: Key| self.text_of(key, attributes);
        html::is_codebase(&text).then_some(())?;
        self.note_base(attribute);
        let layer = Layer::Xml(attribute.place, self.names());
        let against = self.against(open);
        self.found.add_codebase(attribute.value, layer, against)
    }

    /// Returns the base of a value in an element.
    pub(super) fn against(&self, open: &OpenElement<'_>) -> Against {
        let is_shown =
            matches!(open.vocabulary, Vocabulary::Html | Vocabulary::Svg | Vocabulary::MathMl);
        match open.scope {
            None => Against::Base,
            Some(scope) if self.root.is_of_web && is_shown => Against::IgnoredScope(scope),
            Some(scope) => Against::Scope(scope),
        }
    }

    /// Returns a collector for the text of an element, if that is a slot.
    pub(super) fn runs_of(&self, open: &OpenElement<'t>, start: usize) -> Option<Runs> {
        let text = |key: Key| self.text_of(key, &self.tokens.attributes);
        let (slot, syntax) = match open.vocabulary {
            Vocabulary::Html if open.name == "script" => {
                html::script_of(&text, self.options.opt_in.js_modules)?
            }
            Vocabulary::Html | Vocabulary::Svg => {
                let slot = if open.vocabulary == Vocabulary::Svg {
                    SlotId::SVG_STYLE
                } else {
                    SlotId::STYLE
                };
                if open.name != "style" || !html::is_css_type(&text) {
                    return None;
                }
                (slot, Syntax::Stylesheet)
            }
            vocabulary if has_rows(vocabulary) => {
                let (id, slot) = row(vocabulary, open.name, "")
                    .find(|(_, slot)| !slot.element.is_empty() && html::passes(slot.test, &text))
                    .filter(|(_, slot)| opt_in(slot, self.options))?;
                (id, slot.syntax)
            }
            _ => return None,
        };
        Some(Runs::new(slot, syntax, start))
    }
}

/// Returns true for the public identifiers of DocBook 4 and of its subsets.
fn is_docbook(public: &str) -> bool {
    let name = public.strip_prefix("-//OASIS//DTD ").unwrap_or_default();
    name.starts_with("DocBook ") || name.starts_with("Simplified DocBook ")
}

/// Returns the namespace whose rows are in the table of HTML.
fn namespace_of(vocabulary: Vocabulary) -> Option<Namespace> {
    match vocabulary {
        Vocabulary::Html => Some(Namespace::Html),
        Vocabulary::Svg => Some(Namespace::Svg),
        Vocabulary::MathMl => Some(Namespace::MathMl),
        _ => None,
    }
}
