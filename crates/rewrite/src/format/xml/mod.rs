//! XML: the references in attributes, texts, processing instructions and the document type, and the
//! scopes of `xml:base`.
//!
//! `scan` finds the tokens; their meaning is determined here. A document that is not well-formed is
//! skipped, as its readers refuse it. Nothing is ever expanded or fetched. XML 1.0 (fifth edition);
//! Namespaces in XML 1.0; XML Base (second edition).

mod dash;
mod doctype;
mod element;
mod field_codes;
mod namespaces;
mod runs;
mod scan;
mod signs;

use layers::{Span, XmlNames, xml};

use self::doctype::Doctype;
use self::field_codes::FieldCodes;
use self::namespaces::Namespaces;
use self::runs::{OpenElement, RootElement, Runs, XmlAttribute, parts};
use self::scan::{Wrong, XmlToken, XmlTokens};
use crate::format::found::{Against, Found, Value, ValueEncoding, Values};
use crate::format::spec;
use crate::format::spec::{CharsetRule, FormatSpec};
use crate::options::AvailableMemory;
use crate::options::Options;
use crate::options::limits::Limit;
use crate::report::skip::{SkipReason, SyntaxError};
use crate::slots::{SlotId, Syntax};

/// XML of all vocabularies.
#[rustfmt::skip]
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &[
        "xml", "xhtml", "xht", "svg", "rss", "atom", "rdf", "opml", "xsl", "xslt", "xsd", "rng", "mml", "opf", "ncx", "osd", "smil", "mpd", "xspf", "kml", "wsdl", "dbk",
        "docbook", "dita", "ditamap", "fodt", "fods", "fodp", "fodg",
    ],
    sniff: Some(spec::is_xml),
    charset: CharsetRule::Xml,
    ..FormatSpec::text(&["application/xml", "text/xml", "+xml"], find)
};

/// Finds the references of a document without its byte order mark, as many as `memory` allows.
///
/// # Errors
///
/// Returns the reason why the document is not read, and the offset of the cause.
pub(super) fn find(
    text: &str,
    options: &Options,
    memory: AvailableMemory,
) -> Result<Found, (SkipReason, usize)> {
    read(text, options, memory, signs::has_sign)
}

/// The same; the elements are only read if `has_sign` returns true.
fn read(
    text: &str,
    options: &Options,
    memory: AvailableMemory,
    has_sign: impl Fn(&str, &str, &[XmlAttribute<'_>], &Options) -> bool,
) -> Result<Found, (SkipReason, usize)> {
    let mut scan = XmlScan {
        text,
        options,
        found: Found::within(memory.bytes()),
        doctype: Doctype::default(),
        namespaces: Namespaces::new(),
        open: Vec::new(),
        root: RootElement::default(),
        tokens: XmlTokens::new(text),
        runs: None,
        field_codes: FieldCodes::default(),
        unknown_base: None,
        other_base: None,
        compared: (0, None),
        is_given_base: false,
    };
    if let Some(at) = namespaces::no_char(text) {
        return Err((SyntaxError::Character.into(), at));
    }
    let wrong = |(error, at): Wrong| (error.into(), at);
    let most_open = memory.bytes() / OPEN_SIZE;
    let limit = |at| (SkipReason::Limit(memory.met()), at);
    loop {
        let start = scan.tokens.at();
        match scan.tokens.next(&scan.doctype).map_err(wrong)? {
            XmlToken::Eof => break,
            XmlToken::End => scan.end(start),
            XmlToken::Text if scan.runs.is_none() => {}
            XmlToken::Start { name, .. }
                if !scan.root.is_seen
                    && !scan.doctype.is_there
                    && !has_sign(&text[start..], name, &scan.tokens.attributes, options) =>
            {
                let deep = scan.tokens.check(most_open).map_err(wrong)?;
                deep.map_or(Ok(()), |at| Err(limit(at)))?;
                break;
            }
            token => scan.token(token, start).map_err(wrong)?,
        }
        if scan.open.len() > most_open {
            return Err(limit(start));
        }
    }
    if let Some(at) = scan.other_base {
        return Err((SkipReason::OtherBase, at));
    }
    if let Some(at) = scan.unknown_base {
        return Err((SkipReason::BaseEntity, at));
    }
    let most = options.limits.get(Limit::XmlBases);
    if let Some(deep) = scan.found.scopes.iter().find(|scope| scope.depth as usize > most) {
        return Err((SkipReason::Limit(options.limits.met(Limit::XmlBases)), deep.span.start));
    }
    scan.found.has_web_xml_base = scan.root.is_of_web;
    match scan.found.followed_unknown_scope() {
        Some(scope) => Err((SkipReason::BaseEntity, scope.span.start)),
        None => Ok(scan.found),
    }
}

/// Calls a function with each element of a document in UTF-8, in its order: the local name, and the
/// attributes with their values, without the prefixes of their names. Returns false if the document
/// cannot be read to the end of its root element; a missing end tag there is no error.
///
/// # Examples
///
/// ```
/// let mut names = String::new();
/// relink_rewrite::xml_elements("<x:a b='1'/>", |name, _| names.push_str(name));
/// assert_eq!(names, "a");
///
/// let receive = |_: &str, _: &[(&str, String)]| {};
/// assert!(relink_rewrite::xml_elements("<a><b/>", receive));
/// assert!(relink_rewrite::xml_elements("<a/> text", receive));
/// assert!(!relink_rewrite::xml_elements("text <a/>", receive));
/// assert!(!relink_rewrite::xml_elements("<a><b></a>", receive));
/// ```
pub fn xml_elements(text: &str, mut receive: impl FnMut(&str, &[(&str, String)])) -> bool {
    let mut tokens = XmlTokens::new(text);
    let mut doctype = Doctype::default();
    let mut has_root = false;
    loop {
        let start = tokens.at();
        let name = match tokens.next(&doctype) {
            Ok(XmlToken::Start { name, .. }) => name,
            Ok(XmlToken::Doctype) => {
                let span = Span::new(start, tokens.at());
                let Ok(read) = Doctype::read(text, span, &mut Values::default()) else {
                    return false;
                };
                doctype = read;
                continue;
            }
            Ok(XmlToken::Eof) => return true,
            Ok(_) => continue,
            // All elements were read.
            Err((SyntaxError::NoEndTag | SyntaxError::Outside, _)) if has_root => return true,
            Err(_) => return false,
        };
        has_root = true;
        let mut attributes = Vec::new();
        for attribute in &tokens.attributes {
            let raw = &text[attribute.value.start..attribute.value.end];
            if xml::has_unknown_entity(raw, doctype.names) != Ok(false) {
                return false;
            }
            let value = xml::decode(raw, attribute.place, doctype.names);
            attributes.push((attribute.parts().1, value.text.into_owned()));
        }
        receive(parts(name).1, &attributes);
    }
}

/// Bytes of memory per open element.
const OPEN_SIZE: usize = size_of::<OpenElement<'_>>() + XmlTokens::OPEN_SIZE;

struct XmlScan<'t> {
    text: &'t str,
    options: &'t Options,
    found: Found,
    doctype: Doctype<'t>,
    namespaces: Namespaces<'t>,
    open: Vec<OpenElement<'t>>,
    root: RootElement,
    tokens: XmlTokens<'t>,
    /// The text of the innermost element, if it is a slot.
    runs: Option<Runs>,
    field_codes: FieldCodes,
    /// The offset of a base that contains an entity: targets under it are unknown.
    unknown_base: Option<usize>,
    /// The offset of a base in a form that is not supported.
    other_base: Option<usize>,
    /// The number of values that were compared with the bases after them, and the last of those
    /// that a base applies to.
    compared: (usize, Option<usize>),
    /// True if the document type gives the tag being read an `xml:base`.
    is_given_base: bool,
}

impl<'t> XmlScan<'t> {
    /// Reads the token at `start`, unless it is the end of an element or of the document.
    fn token(&mut self, token: XmlToken<'t>, start: usize) -> Result<(), Wrong> {
        let span = Span::new(start, self.tokens.at());
        match token {
            XmlToken::Start { name, is_empty } => self.start(name, span, is_empty),
            XmlToken::End | XmlToken::Eof => {}
            XmlToken::Text => {
                if let Some(runs) = &mut self.runs {
                    runs.text(span, self.text);
                }
            }
            XmlToken::Reference { is_unknown } => match &mut self.runs {
                Some(runs) => {
                    runs.text(span, self.text);
                    runs.has_unknown_entity |= is_unknown;
                }
                None if self.doctype.may_hold_markup(&self.text[span.start..span.end]) => {
                    self.found.skipped.push((SkipReason::Entity, span.start));
                }
                None => {}
            },
            XmlToken::CData => {
                let inner = Span::new(span.start + "<![CDATA[".len(), span.end - "]]>".len());
                if let Some(runs) = &mut self.runs {
                    runs.cdata(inner, self.text);
                }
            }
            XmlToken::Comment => self.cut(),
            XmlToken::Instruction { target } => {
                self.cut();
                self.instruction(target, span);
            }
            XmlToken::Declaration => {}
            XmlToken::Doctype => {
                self.doctype = Doctype::read(self.text, span, &mut self.found.values)?;
            }
        }
        Ok(())
    }

    fn cut(&mut self) {
        if let Some(runs) = &mut self.runs {
            runs.cut(self.text);
        }
    }

    fn start(&mut self, name: &'t str, span: Span, is_empty: bool) {
        let start = span.start;
        if let Some(mut runs) = self.runs.take() {
            self.field_codes.last = None;
            if !runs.is_blank(self.text) {
                self.found.skipped.push((SkipReason::BrokenText, runs.start));
            }
        }
        let n_declared = self.namespaces.n_declared();
        // Most elements have no attributes.
        if !self.tokens.attributes.is_empty() || self.doctype.has_defaults() {
            self.declare();
            self.given(name);
        }
        let (prefix, local) = parts(name);
        let vocabulary = self.vocabulary(prefix, local);
        let (outer, has_alternatives) = self.around(vocabulary, local);
        let scope = self.scope(outer, start);
        let mut open = OpenElement {
            start,
            vocabulary,
            name: local,
            scope,
            n_declared,
            n_values: 0,
            has_base: false,
            has_alternatives,
            around: (scope, has_alternatives),
        };
        self.element(&open, outer);
        self.field_mark(&open);
        open.n_values = self.found.values.len();
        if is_empty {
            self.namespaces.take_back_to(n_declared);
        } else {
            self.runs = self.runs_of(&open, span.end);
            self.open.push(open);
        }
    }

    fn end(&mut self, at: usize) {
        let Some(open) = self.open.pop() else { return };
        self.namespaces.take_back_to(open.n_declared);
        let Some(runs) = self.runs.take() else { return };
        let (start, slot, has_entity) = (runs.start, runs.slot, runs.has_unknown_entity);
        if has_entity && runs.syntax.is_document() {
            self.found.skipped.push((SkipReason::Entity, start));
            return;
        }
        let (against, is_code) = (self.against(&open), runs.syntax == Syntax::FieldCode);
        match runs.value(at, self.text, self.doctype.names) {
            Ok(Some(_)) if has_entity && slot == SlotId::DASH_BASE => {
                self.unknown_base = self.unknown_base.or(Some(start));
            }
            Ok(Some(value)) if has_entity => {
                self.found.values.push(Value::with_entity(value.span, value.slot, against));
            }
            Ok(value) if is_code => {
                let value = value.map(|value| Value { against, ..value });
                self.field_code(value, Span::new(start, at));
            }
            Ok(value) => {
                let value = value.map(|value| Value { against, ..value });
                let value = value.map(|value| self.of_presentation(&open, value));
                self.found.values.extend(value);
                self.end_of_base(&open, value);
            }
            Err(SlotId::DASH_BASE) => self.other_base = self.other_base.or(Some(start)),
            Err(slot) => {
                self.field_codes.last = None;
                let is_style = matches!(slot, SlotId::STYLE | SlotId::SVG_STYLE);
                let reason =
                    if is_style { SkipReason::BrokenStyle } else { SkipReason::BrokenText };
                self.found.skipped.push((reason, start));
            }
        }
    }

    /// Reads `<?xml-stylesheet href="…"?>` or `<?xml-model href="…"?>`.
    fn instruction(&mut self, target: &str, span: Span) {
        let slot = match target {
            "xml-stylesheet" if !self.root.is_seen => SlotId::XML_STYLESHEET,
            "xml-model" if !self.root.is_seen => SlotId::XML_MODEL,
            _ => return,
        };
        // An error in one is not an error of the document.
        if self.tokens.pseudo_attributes(span, target, &self.doctype).is_err() {
            self.found.skipped.push((SkipReason::BrokenText, span.start));
            return;
        }
        let href =
            self.tokens.attributes.iter().find(|attribute| attribute.name == "href").copied();
        if let Some(href) = href.filter(|href| !href.value.is_empty()) {
            let value = self.attribute(href, slot, Syntax::Url, Against::Fallback);
            self.found.values.extend(value);
        }
    }

    /// Returns an attribute as a value, if its text is known.
    fn attribute(
        &mut self,
        attribute: XmlAttribute<'_>,
        slot: SlotId,
        syntax: Syntax,
        against: Against,
    ) -> Option<Value> {
        let XmlAttribute { value: span, place, .. } = attribute;
        if self.has_unknown_entity(span) {
            if !syntax.is_document() {
                return Some(Value::with_entity(span, slot, against));
            }
            self.found.skipped.push((SkipReason::Entity, span.start));
            return None;
        }
        let written = ValueEncoding::In(layers::Layer::Xml(place, self.doctype.names));
        Some(Value { against, ..Value::text(span, written, slot, syntax) })
    }

    fn has_unknown_entity(&self, span: Span) -> bool {
        let raw = &self.text[span.start..span.end];
        raw.contains('&') && xml::has_unknown_entity(raw, self.doctype.names) != Ok(false)
    }

    /// Records a base whose value contains an unknown entity.
    fn note_base(&mut self, attribute: &XmlAttribute<'_>) {
        if self.unknown_base.is_none() && self.has_unknown_entity(attribute.value) {
            self.unknown_base = Some(attribute.value.start);
        }
    }

    fn names(&self) -> XmlNames {
        self.doctype.names
    }
}
