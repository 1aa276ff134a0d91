//! The tokens beside those of quick-xml: generated documents, most of them broken at some place,
//! are accepted or refused alike, by the same error at the same offset. This is the only file that
//! imports quick-xml.

use layers::{Span, XmlPlace};
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Wrong, XmlToken, XmlTokens};
use crate::format::found::Values;
use crate::format::xml::doctype::Doctype;
use crate::format::xml::namespaces;
use crate::format::xml::runs::{XmlAttribute, first_twin};
use crate::report::skip::SyntaxError;

/// Attributes: names, values and quotes.
type Named<'t> = Vec<(&'t str, &'t str, XmlPlace)>;

/// A token with its span, and its attributes.
type Seen<'t> = (XmlToken<'t>, Span, Named<'t>);

/// What was read of a document: its tokens, and its error, if it is not well-formed.
type Read<'t> = (Vec<Seen<'t>>, Option<Wrong>);

fn seen<'t>(text: &'t str, attributes: &[XmlAttribute<'t>]) -> Named<'t> {
    let value = |span: Span| &text[span.start..span.end];
    attributes.iter().map(|it| (it.name, value(it.value), it.place)).collect()
}

/// Reads a document by [`XmlTokens`].
fn read(text: &str) -> Read<'_> {
    let (mut tokens, mut doctype, mut all) = (XmlTokens::new(text), Doctype::default(), Vec::new());
    loop {
        let start = tokens.at();
        let token = match tokens.next(&doctype) {
            Ok(XmlToken::Eof) => return (all, None),
            Ok(token) => token,
            Err(wrong) => return (all, Some(wrong)),
        };
        let span = Span::new(start, tokens.at());
        let attributes = match token {
            XmlToken::Start { .. } => seen(text, &tokens.attributes),
            XmlToken::Instruction { target } => {
                match tokens.pseudo_attributes(span, target, &doctype) {
                    Ok(()) => seen(text, &tokens.attributes),
                    Err(_) => Vec::new(),
                }
            }
            XmlToken::Doctype => match Doctype::read(text, span, &mut Values::default()) {
                Ok(read) => {
                    doctype = read;
                    Vec::new()
                }
                Err(wrong) => return (all, Some(wrong)),
            },
            _ => Vec::new(),
        };
        all.push((token, span, attributes));
    }
}

/// What quick-xml reads, with the rules that it does not check.
struct Judge<'t> {
    text: &'t str,
    doctype: Doctype<'t>,
    /// The offsets of the open elements.
    open: Vec<usize>,
    has_root: bool,
}

impl<'t> Judge<'t> {
    fn read(text: &'t str) -> Read<'t> {
        let mut judge =
            Judge { text, doctype: Doctype::default(), open: Vec::new(), has_root: false };
        let mut all = Vec::new();
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        loop {
            let start = usize::try_from(reader.buffer_position()).unwrap();
            let event = reader.read_event();
            let span = Span::new(start, usize::try_from(reader.buffer_position()).unwrap());
            match event {
                Ok(Event::Eof) => break,
                Ok(event) => match judge.event(&event, span) {
                    Ok((token, attributes)) => all.push((token, span, attributes)),
                    Err(wrong) => return (all, Some(wrong)),
                },
                Err(error) => {
                    let at = usize::try_from(reader.error_position()).unwrap();
                    return (all, Some((error_of(&error), at)));
                }
            }
        }
        let wrong = match judge.open.last() {
            Some(open) => Some((SyntaxError::NoEndTag, *open)),
            None if !judge.has_root => Some((SyntaxError::NoRoot, text.len())),
            None => None,
        };
        (all, wrong)
    }

    fn event(&mut self, event: &Event<'t>, span: Span) -> Result<(XmlToken<'t>, Named<'t>), Wrong> {
        let start = span.start;
        let source = &self.text[start..span.end];
        let token = match event {
            Event::Start(tag) => return self.start(tag, span, false),
            Event::Empty(tag) => return self.start(tag, span, true),
            Event::End(_) => {
                self.open.pop();
                XmlToken::End
            }
            Event::Text(_) => {
                self.characters(span)?;
                XmlToken::Text
            }
            Event::GeneralRef(_) => {
                let is_unknown = self.doctype.check_references(self.text, span)?;
                self.characters(span)?;
                XmlToken::Reference { is_unknown }
            }
            Event::CData(_) if self.open.is_empty() => return Err((SyntaxError::Outside, start)),
            Event::CData(_) => XmlToken::CData,
            Event::Comment(_) => XmlToken::Comment,
            Event::PI(instruction) => {
                let len = instruction.target().len();
                let target = &source["<?".len().."<?".len() + len];
                if !namespaces::is_name(target) {
                    return Err((SyntaxError::Instruction, start));
                }
                if target.eq_ignore_ascii_case("xml") {
                    return Err((SyntaxError::Declaration, start));
                }
                let attributes = self.attributes(instruction.attributes(), span);
                return Ok((XmlToken::Instruction { target }, attributes.unwrap_or_default()));
            }
            Event::Decl(_) if start == 0 && namespaces::is_declaration(source) => {
                XmlToken::Declaration
            }
            Event::Decl(_) => return Err((SyntaxError::Declaration, start)),
            Event::DocType(_) => {
                let is_first = !self.has_root && !self.doctype.is_there;
                if !is_first || !source.starts_with("<!DOCTYPE") {
                    return Err((SyntaxError::Doctype, start));
                }
                self.doctype = Doctype::read(self.text, span, &mut Values::default())?;
                XmlToken::Doctype
            }
            Event::Eof => unreachable!("the caller ends there"),
        };
        Ok((token, Vec::new()))
    }

    fn characters(&self, span: Span) -> Result<(), Wrong> {
        let text = &self.text[span.start..span.end];
        if let Some(at) = text.find("]]>") {
            return Err((SyntaxError::SectionEnd, span.start + at));
        }
        match text.find(|char| !matches!(char, ' ' | '\t' | '\r' | '\n')) {
            Some(at) if self.open.is_empty() => Err((SyntaxError::Outside, span.start + at)),
            _ => Ok(()),
        }
    }

    fn start(
        &mut self,
        tag: &BytesStart<'t>,
        span: Span,
        is_empty: bool,
    ) -> Result<(XmlToken<'t>, Named<'t>), Wrong> {
        if self.open.is_empty() && self.has_root {
            return Err((SyntaxError::Outside, span.start));
        }
        let name = &self.text[span.start + 1..span.start + 1 + tag.name().0.len()];
        if !namespaces::is_name(name) {
            return Err((SyntaxError::Tag, span.start));
        }
        let attributes = self.attributes(tag.attributes(), span)?;
        self.has_root = true;
        if !is_empty {
            self.open.push(span.start);
        }
        Ok((XmlToken::Start { name, is_empty }, attributes))
    }

    fn attributes(&self, mut attributes: Attributes<'_>, tag: Span) -> Result<Named<'t>, Wrong> {
        let (text, bytes, mut all) = (self.text, self.text.as_bytes(), Vec::new());
        let span = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            Span::new(start, start + part.len())
        };
        for attribute in attributes.with_checks(false) {
            let Ok(attribute) = attribute else { return Err((SyntaxError::Attribute, tag.start)) };
            let (name, value) = (span(attribute.key.0), span(&attribute.value));
            let name_text = &text[name.start..name.end];
            if !bytes[name.start - 1].is_ascii_whitespace() || !namespaces::is_name(name_text) {
                return Err((SyntaxError::Attribute, name.start));
            }
            if let Some(at) = text[value.start..value.end].find('<') {
                return Err((SyntaxError::Attribute, value.start + at));
            }
            let is_double = bytes[value.start - 1] == b'"';
            let place = if is_double { XmlPlace::DoubleQuoted } else { XmlPlace::SingleQuoted };
            self.doctype.check_references(text, value)?;
            all.push(XmlAttribute { start: name.start, name: name_text, value, place });
        }
        match first_twin(&all) {
            Some(twin) => Err((SyntaxError::Duplicate, twin.start)),
            None => Ok(seen(text, &all)),
        }
    }
}

fn error_of(error: &Error) -> SyntaxError {
    match error {
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

/// What documents are made of.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<a>", "<a>", "</a>", "</a>", "</a>", "<b:c>", "</b:c>", "</a >", "</a\n>", "</>", "</a", "<é>", "</é>", "<a", "<", ">", "/>",
    "<a/>", "<a />", "<a b='c'/>", "<a b=\"c>d\">", "<a b = \"'\" c\t=\n'\"'>", "<a b='&amp;&#9;'>", "<a b='&x;'/>",
    "<a b='c' b='d'/>", "<a b='c'd='e'/>", "<a b/>", "<a b=c>", "<a b=>", "<a =''>", "<a 1='2'>", "<a b='<'>", "<a b='c\"/>", "<a/b>",
    "<a é=''>", "<a b'=''c=''>", "<a b\"=\"c='d'>", "< a>", "<1>", "<a/ >", "<a b=''/ >",
    "<a b='' c='' d='' e='' f='' g='' h='' i='' j='' k='' l='' m='' n='' o='' b=''/>",
    "x", "x", " ", "\n", "é", "]]>", "]]", "]", "&amp;", "&lt;", "&#10;", "&#x41;", "&#0;", "&", "&;", "&x;", "&1;", "&y", ";",
    "<!-- x -->", "<!---->", "<!--->", "<!-->", "<!-- - x --- -->", "<!-- a-b -- -->", "<!--", "-->", "--", "-", "<!-", "<!", "<!x>",
    "<![CDATA[x]]>", "<![CDATA[]]>", "<![CDATA[<a>&]]]]>", "<![CDATA[", "<![cdata[x]]>", "<![",
    "<?b?>", "<?b c='d' e=\"f\"?>", "<?b c?>", "<?b c='d'e='f'/?>", "<?b c='d' >?>", "<?b c='d", "<??>", "<?>", "<?1?>", "<?", "?>", "?",
    "<?xml version='1.0'?>", "<?xml version='1.0' encoding='utf-8' standalone='no' ?>", "<?xml?>", "<?XML x?>", "<?xml-stylesheet href='a'?>",
    "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'b>' [", "<!DOCTYPE a [", "]>", "]\n>", "<!DOCTYPE>", "<!DOCTYPE  >", "<!doctype a>", "<!DOCTYPE a SYSTEM \"b\">", "<!D",
    "<!DOCTYPE a [<!ENTITY x 'y'>]>", "<!DOCTYPE a [<!ENTITY x '>'><!ATTLIST a b CDATA \"]>\"><!ELEMENT a ANY><!NOTATION n SYSTEM '>'><!-- ]> '--><?p ]> \"?>]>",
    "<!ENTITY x 'y'>", "<!ENTITY", "<!ELEMENT a ANY>", "<!ATTLIST a b CDATA '>'>", "%p;", "'", "\"",
];

const MARKS: &[char] =
    &['<', '>', '&', ';', '\'', '"', '/', '=', '!', '?', '-', '[', ']', ' ', '\t', 'x', ':', 'é'];

/// Numbers that look random, the same on every machine (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }

    /// Returns a document: pieces, inside a root element or not, with some characters changed.
    fn document(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(9) {
            text.push_str(PIECES[self.below(PIECES.len())]);
        }
        if self.below(3) > 0 {
            let start = ["", "<?xml version='1.0'?>", "<!DOCTYPE r [<!ENTITY x 'y'>]>"];
            text = format!("{}<r>{text}</r>", start[self.below(3)]);
        }
        for _ in 0..self.below(6).saturating_sub(3) {
            let at: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(at) = at.get(self.below(at.len().max(1))) else { continue };
            match self.below(3) {
                0 => drop(text.remove(*at)),
                1 => text.insert(*at, MARKS[self.below(MARKS.len())]),
                _ => text.insert_str(*at, PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}

fn number(variable: Option<&str>) -> Option<u64> {
    variable?.parse().ok()
}

#[test]
fn tokens_are_those_of_quick_xml() {
    let n_cases = number(option_env!("RELINK_CASES")).unwrap_or(100_000);
    let mut numbers = Numbers(number(option_env!("RELINK_SEED")).unwrap_or(1808));
    let mut n_read = 0;
    for _ in 0..n_cases {
        let document = numbers.document();
        let (tokens, wrong) = read(&document);
        let (expected, judged) = Judge::read(&document);
        n_read += u64::from(wrong.is_none());
        // quick-xml counts from the hyphen before it.
        let place = |wrong: Wrong| match wrong {
            (SyntaxError::Comment, _) => (SyntaxError::Comment, 0),
            wrong => wrong,
        };
        assert_eq!(wrong.map(place), judged.map(place), "{document:?}");
        assert_eq!(tokens, expected, "{document:?}");
    }
    assert!(n_read > n_cases / 20, "{n_read} documents of {n_cases} are well-formed");
}
