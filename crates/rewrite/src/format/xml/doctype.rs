//! The document type declaration: the files that it names, and the entities that it declares.
//!
//! XML 1.0, sections 2.8, 4.2 and 4.7; HTML standard, section 14.2 (names of characters in XHTML).

use std::collections::HashMap;

use layers::{Layer, Span, XmlNames, xml};

use super::namespaces::{self, tag_end};
use crate::format::found::{Against, Delimiters, Value, ValueEncoding, Values};
use crate::format::html;
use crate::report::skip::SyntaxError;
use crate::slots::SlotId;

/// A document type declaration.
#[derive(Default)]
pub(super) struct Doctype<'t> {
    /// The public identifier of the document type, which may be empty.
    pub(super) public: &'t str,
    pub(super) is_there: bool,
    /// True if entities may be declared in another file, which is not read.
    is_open: bool,
    /// The entity names that represent characters.
    pub(super) names: XmlNames,
    /// The default bases and namespaces of elements, which are not written in their tags: names and
    /// values, by the name of the element.
    defaults: HashMap<&'t str, Vec<(&'t str, &'t str)>>,
    /// The entities that it declares.
    entities: HashMap<&'t str, EntityDeclaration<'t>>,
}

/// An entity, with its replacement text if that contains no references.
struct EntityDeclaration<'t> {
    text: Option<&'t str>,
    /// True if a CSS reference may begin, end or be in it.
    may_hold_url: bool,
    /// True if it may contain elements.
    may_hold_markup: bool,
}

/// The maximum length of a replacement text that is decoded for a value. No relevant namespace name
/// is longer, and longer texts would be examined again for every use.
const LONGEST: usize = 200;

/// The maximum number of default attributes per element, so that lookup stays fast.
const MOST: usize = 16;

/// Public identifiers of document types whose readers know the names of HTML.
const WITH_HTML_NAMES: &[&str] = &[
    "-//W3C//DTD XHTML 1.0 Transitional//EN",
    "-//W3C//DTD XHTML 1.1//EN",
    "-//W3C//DTD XHTML 1.0 Strict//EN",
    "-//W3C//DTD XHTML 1.0 Frameset//EN",
    "-//W3C//DTD XHTML Basic 1.0//EN",
    "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
    "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN",
    "-//W3C//DTD MathML 2.0//EN",
    "-//WAPFORUM//DTD XHTML Mobile 1.0//EN",
    // This one declares the names of HTML 4.
    "-//Netscape Communications//DTD RSS 0.91//EN",
];

impl<'t> Doctype<'t> {
    /// Reads the declaration at `span` of `text`. The files that it names are added to `values`.
    pub(super) fn read(
        text: &'t str,
        span: Span,
        values: &mut Values,
    ) -> Result<Self, (SyntaxError, usize)> {
        let mut doctype = Doctype { is_there: true, ..Doctype::default() };
        let (start, end) = (span.start + "<!DOCTYPE".len(), span.end - ">".len());
        let mut cursor = Cursor { text: &text[..end], at: start };
        cursor.white_space();
        let start = cursor.at;
        cursor
            .name()
            .filter(|name| namespaces::is_name(name))
            .ok_or((SyntaxError::Doctype, start))?;
        let start = cursor.at;
        let public = cursor.external(SlotId::XML_DOCTYPE, values)?;
        doctype.is_open = !cursor.text[start..cursor.at].trim_ascii().is_empty();
        doctype.public = public.unwrap_or_default();
        if public.is_some_and(|public| WITH_HTML_NAMES.contains(&public)) {
            doctype.names = XmlNames::Html;
        }
        cursor.white_space();
        if cursor.eats("[") {
            doctype.subset(&mut cursor, values)?;
            cursor.white_space();
        }
        if cursor.at == end { Ok(doctype) } else { Err((SyntaxError::Doctype, cursor.at)) }
    }

    /// Reads the declarations between `[` and `]`.
    fn subset(
        &mut self,
        cursor: &mut Cursor<'t>,
        values: &mut Values,
    ) -> Result<(), (SyntaxError, usize)> {
        loop {
            cursor.white_space();
            let start = cursor.at;
            let is_read = match () {
                () if cursor.eats("]") => return Ok(()),
                () if cursor.eats("<!--") => cursor.skips_past("--") && cursor.eats(">"),
                () if cursor.eats("<?") => {
                    let name = cursor.rest();
                    let end = name.find(|char: char| char == '?' || char.is_ascii_whitespace());
                    let is_named = end.is_some_and(|end| namespaces::is_name(&name[..end]));
                    is_named && cursor.skips_past("?>")
                }
                () if cursor.eats("%") => {
                    self.is_open = true;
                    cursor.name().is_some_and(namespaces::is_name) && cursor.eats(";")
                }
                () if cursor.begins("<!ENTITY") => {
                    self.entity(cursor, values)?;
                    cursor.white_space();
                    cursor.eats(">")
                }
                () if cursor.begins("<!NOTATION") => {
                    let is_named = cursor.name().is_some_and(namespaces::is_name);
                    let at = cursor.at;
                    cursor.external(SlotId::XML_NOTATION, values)?;
                    is_named && cursor.at > at && cursor.skips_declaration()
                }
                () if cursor.begins("<!ELEMENT") => {
                    cursor.name().is_some_and(namespaces::is_name) && cursor.skips_declaration()
                }
                () if cursor.begins("<!ATTLIST") => {
                    let element = cursor.name().filter(|name| namespaces::is_name(name));
                    let from = cursor.at;
                    let is_read = cursor.skips_declaration();
                    if let Some(element) = element {
                        self.attributes(element, &cursor.text[from..cursor.at]);
                    }
                    element.is_some() && is_read
                }
                () => false,
            };
            if !is_read {
                return Err((SyntaxError::Doctype, start));
            }
        }
    }

    /// Reads the default attributes of an element, if they affect the targets of references or mark
    /// references.
    fn attributes(&mut self, element: &'t str, declaration: &'t str) {
        for (name, value) in defaults(declaration) {
            if name != "xml:base" && name.split(':').next() != Some("xmlns") {
                continue;
            }
            let given = self.defaults.entry(element).or_default();
            // The first declaration counts (XML 3.3).
            if given.len() < MOST && given.iter().all(|(before, _)| *before != name) {
                given.push((name, value));
            }
        }
    }

    /// Returns true if elements may have default attributes.
    pub(super) fn has_defaults(&self) -> bool {
        !self.defaults.is_empty()
    }

    /// Returns the default attributes of an element, in addition to those in its tag.
    pub(super) fn given(&self, element: &str) -> &[(&'t str, &'t str)] {
        self.defaults.get(element).map_or(&[], Vec::as_slice)
    }

    fn entity(
        &mut self,
        cursor: &mut Cursor<'t>,
        values: &mut Values,
    ) -> Result<(), (SyntaxError, usize)> {
        let is_parameter = cursor.eats("%");
        cursor.white_space();
        let at = cursor.at;
        let name = cursor.name().filter(|name| namespaces::is_name(name));
        let name = name.ok_or((SyntaxError::Doctype, at))?;
        cursor.white_space();
        let start = cursor.at;
        let text = match cursor.literal() {
            Some(span) => Some(&cursor.text[span.start..span.end]),
            None => {
                cursor.external(SlotId::XML_ENTITY, values)?;
                if cursor.at == start {
                    return Err((SyntaxError::Doctype, start));
                }
                cursor.white_space();
                if cursor.begins("NDATA") {
                    cursor.name();
                }
                None
            }
        };
        // The first declaration of an entity counts (XML 4.2).
        if !is_parameter && !self.entities.contains_key(name) {
            // A character reference may represent `<` in the end, or refer to an entity. Text from
            // another file has the URL of that file as its base (XML Base 4.2).
            let may_hold_markup = text.is_some_and(|text| text.contains(['<', '&', '%']));
            let text = text.filter(|text| !text.contains(['&', '%']));
            // CSS escapes are not decoded here.
            let may_hold_url =
                |text: &str| html::may_hold_url(text.as_bytes()) || text.contains('\\');
            let may_hold_url = text.is_none_or(may_hold_url);
            self.entities.insert(name, EntityDeclaration { text, may_hold_url, may_hold_markup });
        }
        Ok(())
    }

    /// Returns true if an entity is declared here, or may be in a file that is not read (XML 4.1,
    /// "Entity Declared").
    fn may_declare(&self, name: &str) -> bool {
        self.is_open
            || matches!(name, "amp" | "lt" | "gt" | "quot" | "apos")
            || self.entities.contains_key(name)
    }

    /// Checks the references of a text. Returns true if one is to an entity that is unknown here.
    pub(super) fn check_references(
        &self,
        text: &str,
        span: Span,
    ) -> Result<bool, (SyntaxError, usize)> {
        let raw = &text[span.start..span.end];
        let has_unknown = xml::has_unknown_entity(raw, self.names)
            .map_err(|at| (SyntaxError::Ampersand, span.start + at))?;
        if !has_unknown {
            return Ok(false);
        }
        for (at, name) in namespaces::references(raw) {
            if !namespaces::is_name(name) {
                return Err((SyntaxError::Ampersand, span.start + at));
            }
            if !self.may_declare(name) {
                return Err((SyntaxError::Entity, span.start + at));
            }
        }
        Ok(true)
    }

    /// Returns the text of an attribute value; if the value is only a reference to an entity with a
    /// short replacement text, that text.
    pub(super) fn text_of(&self, raw: &'t str) -> &'t str {
        let text = self.entity_of(raw).and_then(|entity| entity.text);
        text.filter(|text| text.len() <= LONGEST).unwrap_or(raw)
    }

    /// Returns true if CSS declarations that are only a reference to an entity may contain a URL.
    pub(super) fn may_hold_url(&self, raw: &str) -> bool {
        self.entity_of(raw).is_none_or(|entity| entity.may_hold_url)
    }

    /// Returns true if a reference to an entity that is declared here may expand to elements.
    pub(super) fn may_hold_markup(&self, raw: &str) -> bool {
        self.entity_of(raw).is_some_and(|entity| entity.may_hold_markup)
    }

    fn entity_of(&self, raw: &str) -> Option<&EntityDeclaration<'t>> {
        self.entities.get(raw.strip_prefix('&')?.strip_suffix(';')?)
    }
}

/// Returns the offset of the `>` of a declaration that begins with `<!DOCTYPE`, if it ends.
pub(super) fn end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|byte| b"'\"[>".contains(byte))?;
        match bytes[at] {
            b'>' => return Some(at),
            b'[' => break,
            quote => at += memchr::memchr(quote, &bytes[at + 1..])? + 2,
        }
    }
    loop {
        at += memchr::memchr2(b']', b'<', &bytes[at..])?;
        let rest = &bytes[at..];
        let after = |begin: &str, end: &[u8]| {
            Some(begin.len() + memchr::memmem::find(&rest[begin.len()..], end)? + end.len())
        };
        let has_quotes = |begin: &&str| rest.starts_with(begin.as_bytes());
        at += match rest {
            [b']', ..] => return Some(at + memchr::memchr(b'>', rest)?),
            [b'<', b'?', ..] => after("<?", b"?>")?,
            [b'<', b'!', b'-', b'-', ..] => after("<!--", b"-->")?,
            _ if ["<!ENTITY", "<!ATTLIST", "<!NOTATION"].iter().any(has_quotes) => tag_end(rest)?,
            _ => memchr::memchr(b'>', rest)?,
        };
    }
}

/// Returns the attributes with default values in a declaration (XML 3.3), after the name of their
/// element: names and values.
fn defaults(declaration: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = declaration;
    let mut is_done = false;
    std::iter::from_fn(move || {
        while !is_done {
            is_done = true;
            rest = rest.trim_ascii_start();
            let (name, after) = rest.split_at(rest.find(|char: char| char.is_ascii_whitespace())?);
            let mut after = after.trim_ascii_start();
            after = after.strip_prefix("NOTATION").map_or(after, str::trim_ascii_start);
            let end = if after.starts_with('(') {
                after.find(')')? + 1
            } else {
                after.find(|char: char| char.is_ascii_whitespace())?
            };
            after = after[end..].trim_ascii_start();
            if let Some(without) =
                ["#REQUIRED", "#IMPLIED"].iter().find_map(|word| after.strip_prefix(word))
            {
                (rest, is_done) = (without, false);
                continue;
            }
            after = after.strip_prefix("#FIXED").map_or(after, str::trim_ascii_start);
            let quote = after.get(..1).filter(|quote| matches!(*quote, "\"" | "'"))?;
            let (value, after) = after[1..].split_once(quote)?;
            (rest, is_done) = (after, false);
            return Some((name, value));
        }
        None
    })
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn white_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn eats(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    /// Consumes the word that a declaration begins with, and the white space that must follow.
    /// Returns true if both are there.
    fn begins(&mut self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        let is_it = after.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n']));
        self.at += if is_it { word.len() } else { 0 };
        self.white_space();
        is_it
    }

    fn skips_past(&mut self, word: &str) -> bool {
        let found = memchr::memmem::find(self.rest().as_bytes(), word.as_bytes());
        self.at = found.map_or(self.text.len(), |found| self.at + found + word.len());
        found.is_some()
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_end = |char: char| char.is_ascii_whitespace() || "[]<>\"'%;".contains(char);
        let rest = self.rest();
        let len = rest.find(is_end).unwrap_or(rest.len());
        self.at += len;
        (len > 0).then(|| &rest[..len])
    }

    /// Reads a literal. Returns its span without the quotes.
    fn literal(&mut self) -> Option<Span> {
        let quote = *self.rest().as_bytes().first().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let start = self.at + 1;
        let len = memchr::memchr(quote, &self.text.as_bytes()[start..])?;
        self.at = start + len + 1;
        Some(Span::new(start, start + len))
    }

    /// Reads `SYSTEM "…"` or `PUBLIC "…" "…"`, if there is one. Returns the public identifier. The
    /// system identifier becomes a value.
    fn external(
        &mut self,
        slot: SlotId,
        values: &mut Values,
    ) -> Result<Option<&'t str>, (SyntaxError, usize)> {
        self.white_space();
        let mut public = None;
        if self.eats("PUBLIC") {
            self.white_space();
            let span = self.literal().ok_or((SyntaxError::Doctype, self.at))?;
            public = Some(&self.text[span.start..span.end]);
            self.white_space();
            // A notation may have only a public identifier (XML 4.7).
            if slot == SlotId::XML_NOTATION && self.rest().starts_with('>') {
                return Ok(public);
            }
        } else if self.eats("SYSTEM") {
            self.white_space();
        } else {
            return Ok(None);
        }
        let span = self.literal().ok_or((SyntaxError::Doctype, self.at))?;
        let quote = self.text.as_bytes()[span.end];
        if !span.is_empty() {
            let value = Value::item(span, slot, Delimiters::Quote(quote));
            let written = ValueEncoding::In(Layer::CData);
            values.push(Value { written, against: Against::Fallback, ..value });
        }
        Ok(public)
    }

    /// Skips the rest of a declaration, with its literals, and its `>`. Returns true if it ends so.
    fn skips_declaration(&mut self) -> bool {
        loop {
            let Some(next) = self.rest().find(['"', '\'', '>']) else { return false };
            self.at += next;
            if self.eats(">") {
                return true;
            }
            if self.literal().is_none() {
                return false;
            }
        }
    }
}
