//! XML: the references in attributes, texts, processing instructions and the document type, and the
//! scopes of `xml:base`.
//!
//! quick-xml finds the tokens; their meaning is determined here. A document that is not well-formed
//! is skipped, as its readers refuse it. Nothing is ever expanded or fetched. XML 1.0 (fifth
//! edition); Namespaces in XML 1.0; XML Base (second edition). This is the only file that imports
//! quick-xml.

mod dash;
mod doctype;
mod element;
mod field_codes;
mod namespaces;
mod runs;

use layers::{Span, XmlNames, XmlPlace, xml};
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::unescape;
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use self::doctype::Doctype;
use self::field_codes::FieldCodes;
use self::namespaces::Namespaces;
use self::runs::{OpenElement, RootElement, Runs, XmlAttribute, first_twin, parts};
use crate::format::found::{Against, Found, Value, ValueEncoding};
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
    let mut scan = XmlScan {
        text,
        options,
        found: Found::within(memory.bytes()),
        doctype: Doctype::default(),
        namespaces: Namespaces::new(),
        open: Vec::new(),
        root: RootElement::default(),
        attributes: Vec::new(),
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
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    loop {
        let start = offset(reader.buffer_position());
        let event = reader.read_event();
        let span = Span::new(start, offset(reader.buffer_position()));
        match event {
            Ok(Event::Eof) => break,
            Ok(event) => {
                scan.event(&event, span).map_err(|(error, at)| (error.into(), at))?;
                if scan.open.len() > memory.bytes() / OPEN_SIZE {
                    return Err((SkipReason::Limit(memory.met()), start));
                }
            }
            Err(error) => {
                return Err((error_of(&error).into(), offset(reader.error_position())));
            }
        }
    }
    if let (None, Some(at)) = (scan.open.last(), scan.other_base) {
        return Err((SkipReason::OtherBase, at));
    }
    match (scan.open.last(), scan.root.is_seen, scan.unknown_base) {
        (Some(open), ..) => Err((SyntaxError::NoEndTag.into(), open.start)),
        (None, false, _) => Err((SyntaxError::NoRoot.into(), text.len())),
        (None, true, Some(at)) => Err((SkipReason::BaseEntity, at)),
        (None, true, None) => {
            let most = options.limits.get(Limit::XmlBases);
            match scan.found.scopes.iter().find(|scope| scope.depth as usize > most) {
                Some(deep) => {
                    Err((SkipReason::Limit(options.limits.met(Limit::XmlBases)), deep.span.start))
                }
                None => {
                    scan.found.has_web_xml_base = scan.root.is_of_web;
                    match scan.found.followed_unknown_scope() {
                        Some(scope) => Err((SkipReason::BaseEntity, scope.span.start)),
                        None => Ok(scan.found),
                    }
                }
            }
        }
    }
}

/// Calls a function with each element of a document in UTF-8, in its order: the local name, and the
/// attributes with their values, without the prefixes of their names. Returns false if the document
/// cannot be read to its end.
///
/// # Examples
///
/// ```
/// let mut names = String::new();
/// relink_rewrite::xml_elements("<x:a b='1'/>", |name, _| names.push_str(name));
/// assert_eq!(names, "a");
/// ```
pub fn xml_elements(text: &str, mut receive: impl FnMut(&str, &[(&str, String)])) -> bool {
    let mut reader = Reader::from_str(text);
    loop {
        let tag = match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => tag,
            Ok(Event::Eof) => return true,
            Ok(_) => continue,
            Err(_) => return false,
        };
        let mut attributes = Vec::new();
        for attribute in tag.attributes().with_checks(false) {
            let Ok(attribute) = attribute else { return false };
            let Ok(value) = unescape(attribute.value.as_ref()) else { return false };
            attributes.push((parts(attribute.key.0).1, value.into_owned()));
        }
        receive(parts(tag.name().0).1, &attributes);
    }
}

/// Bytes of memory per open element: here, and in quick-xml, which stores its name.
const OPEN_SIZE: usize = size_of::<OpenElement<'_>>() + 2 * size_of::<usize>();

fn offset(position: u64) -> usize {
    // The position is inside a text that is in memory.
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn error_of(error: &Error) -> SyntaxError {
    match error {
        Error::Syntax(_) => SyntaxError::Unclosed,
        Error::IllFormed(error) => match error {
            IllFormedError::MismatchedEndTag { .. } | IllFormedError::UnmatchedEndTag(_) => {
                SyntaxError::EndTag
            }
            IllFormedError::UnclosedReference => SyntaxError::Ampersand,
            IllFormedError::DoubleHyphenInComment => SyntaxError::Comment,
            IllFormedError::MissingDoctypeName => SyntaxError::Doctype,
            _ => SyntaxError::Declaration,
        },
        Error::InvalidAttr(_) => SyntaxError::Attribute,
        _ => SyntaxError::Unclosed,
    }
}

struct XmlScan<'t> {
    text: &'t str,
    options: &'t Options,
    found: Found,
    doctype: Doctype<'t>,
    namespaces: Namespaces<'t>,
    open: Vec<OpenElement<'t>>,
    root: RootElement,
    /// The attributes of the tag being read.
    attributes: Vec<XmlAttribute<'t>>,
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

type Wrong = (SyntaxError, usize);

impl<'t> XmlScan<'t> {
    fn event(&mut self, event: &Event<'t>, span: Span) -> Result<(), Wrong> {
        match event {
            Event::Start(tag) => self.start(tag, span, false),
            Event::Empty(tag) => self.start(tag, span, true),
            Event::End(_) => {
                self.end(span.start);
                Ok(())
            }
            Event::Text(_) => self.characters(span),
            Event::GeneralRef(_) => {
                let has_unknown = self.references(span)?;
                self.characters(span)?;
                match &mut self.runs {
                    Some(runs) => runs.has_unknown_entity |= has_unknown,
                    None if self.doctype.may_hold_markup(&self.text[span.start..span.end]) => {
                        self.found.skipped.push((SkipReason::Entity, span.start));
                    }
                    None => {}
                }
                Ok(())
            }
            Event::CData(_) => {
                if self.open.is_empty() {
                    return Err((SyntaxError::Outside, span.start));
                }
                let inner = Span::new(span.start + "<![CDATA[".len(), span.end - "]]>".len());
                if let Some(runs) = &mut self.runs {
                    runs.cdata(inner, self.text);
                }
                Ok(())
            }
            Event::Comment(_) => {
                self.cut();
                Ok(())
            }
            Event::PI(instruction) => {
                self.cut();
                if !namespaces::is_name(instruction.target()) {
                    return Err((SyntaxError::Instruction, span.start));
                }
                self.instruction(instruction.target(), instruction.attributes(), span)
            }
            Event::Decl(_) => {
                let declaration = &self.text[span.start..span.end];
                let is_one = span.start == 0 && namespaces::is_declaration(declaration);
                if is_one { Ok(()) } else { Err((SyntaxError::Declaration, span.start)) }
            }
            Event::Eof => Ok(()),
            Event::DocType(_) => {
                // quick-xml accepts it in any letter case, and anywhere.
                let start = span.start + "<!DOCTYPE".len();
                let is_first = !self.root.is_seen && !self.doctype.is_there;
                if !is_first || !self.text[span.start..].starts_with("<!DOCTYPE") {
                    return Err((SyntaxError::Doctype, span.start));
                }
                let inner = Span::new(start, span.end - 1);
                self.doctype = Doctype::read(self.text, inner, &mut self.found.values)?;
                Ok(())
            }
        }
    }

    fn cut(&mut self) {
        if let Some(runs) = &mut self.runs {
            runs.cut(self.text);
        }
    }

    /// Reads text outside of tags.
    fn characters(&mut self, span: Span) -> Result<(), Wrong> {
        if let Some(runs) = &mut self.runs {
            runs.text(span, self.text);
        }
        let text = &self.text[span.start..span.end];
        // Few texts have a bracket, and a search for three bytes takes longer to begin.
        if memchr::memchr(b']', text.as_bytes()).is_some()
            && let Some(at) = memchr::memmem::find(text.as_bytes(), b"]]>")
        {
            return Err((SyntaxError::SectionEnd, span.start + at));
        }
        if self.open.is_empty()
            && let Some(at) = text.find(|char| !matches!(char, ' ' | '\t' | '\r' | '\n'))
        {
            return Err((SyntaxError::Outside, span.start + at));
        }
        Ok(())
    }

    /// Returns true if the text refers to an entity that is unknown here.
    fn references(&self, span: Span) -> Result<bool, Wrong> {
        let raw = &self.text[span.start..span.end];
        let has_unknown = xml::has_unknown_entity(raw, self.doctype.names)
            .map_err(|at| (SyntaxError::Ampersand, span.start + at))?;
        for (at, name) in namespaces::references(raw).filter(|_| has_unknown) {
            if !namespaces::is_name(name) {
                return Err((SyntaxError::Ampersand, span.start + at));
            }
            if !self.doctype.may_declare(name) {
                return Err((SyntaxError::Entity, span.start + at));
            }
        }
        Ok(has_unknown)
    }

    fn start(&mut self, tag: &BytesStart<'t>, span: Span, is_empty: bool) -> Result<(), Wrong> {
        let start = span.start;
        if let Some(mut runs) = self.runs.take() {
            self.field_codes.last = None;
            if !runs.is_blank(self.text) {
                self.found.skipped.push((SkipReason::BrokenText, runs.start));
            }
        }
        if self.open.is_empty() && self.root.is_seen {
            return Err((SyntaxError::Outside, start));
        }
        let name_start = start + 1;
        let name = &self.text[name_start..name_start + tag.name().0.len()];
        if !namespaces::is_name(name) {
            return Err((SyntaxError::Tag, start));
        }
        self.read_attributes(tag.attributes(), start, span.end)?;
        let n_declared = self.namespaces.n_declared();
        self.declare();
        self.given(name);
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
        Ok(())
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

    /// Reads the attributes of a tag, or the pseudo-attributes of a processing instruction.
    fn read_attributes(
        &mut self,
        attributes: Attributes<'_>,
        start: usize,
        end: usize,
    ) -> Result<(), Wrong> {
        self.attributes.clear();
        let (text, bytes) = (self.text, self.text.as_bytes());
        // The offset of each part: the texts of quick-xml are slices of ours.
        let place = |part: &str| {
            let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
            (start < at && at + part.len() < end).then(|| Span::new(at, at + part.len()))
        };
        let mut attributes = attributes;
        for attribute in attributes.with_checks(false) {
            let Ok(attribute) = attribute else { return Err((SyntaxError::Attribute, start)) };
            let Some((name, value)) = place(attribute.key.0).zip(place(&attribute.value)) else {
                return Err((SyntaxError::Attribute, start));
            };
            let name_text = &text[name.start..name.end];
            // Each is preceded by white space (XML 3.1).
            if !bytes[name.start - 1].is_ascii_whitespace() || !namespaces::is_name(name_text) {
                return Err((SyntaxError::Attribute, name.start));
            }
            if let Some(at) = memchr::memchr(b'<', value.slice(bytes)) {
                return Err((SyntaxError::Attribute, value.start + at));
            }
            let place = match bytes[value.start - 1] {
                b'"' => XmlPlace::DoubleQuoted,
                b'\'' => XmlPlace::SingleQuoted,
                _ => return Err((SyntaxError::Attribute, value.start)),
            };
            if memchr::memchr(b'&', value.slice(bytes)).is_some() {
                self.references(value)?;
            }
            self.attributes.push(XmlAttribute { start: name.start, name: name_text, value, place });
        }
        match first_twin(&self.attributes) {
            Some(twin) => Err((SyntaxError::Duplicate, twin.start)),
            None => Ok(()),
        }
    }

    /// Reads `<?xml-stylesheet href="…"?>` or `<?xml-model href="…"?>`.
    fn instruction(
        &mut self,
        target: &str,
        attributes: Attributes<'_>,
        span: Span,
    ) -> Result<(), Wrong> {
        let slot = match target {
            "xml-stylesheet" if !self.root.is_seen => SlotId::XML_STYLESHEET,
            "xml-model" if !self.root.is_seen => SlotId::XML_MODEL,
            // quick-xml accepts only the declaration in lower case.
            _ if target.eq_ignore_ascii_case("xml") => {
                return Err((SyntaxError::Declaration, span.start));
            }
            _ => return Ok(()),
        };
        // An error in one is not an error of the document.
        if self.read_attributes(attributes, span.start, span.end).is_err() {
            self.found.skipped.push((SkipReason::BrokenText, span.start));
            return Ok(());
        }
        let href = self.attributes.iter().find(|attribute| attribute.name == "href").copied();
        if let Some(href) = href.filter(|href| !href.value.is_empty()) {
            let value = self.attribute(href, slot, Syntax::Url, Against::Fallback);
            self.found.values.extend(value);
        }
        Ok(())
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
