//! The tokens of XML, from `<` to `<`, with what makes a document well-formed. What a document type
//! declares is read elsewhere.
//!
//! Invariant: a document is refused by the same error as with quick-xml, which `judge` compares.
//! XML 1.0 (fifth edition), sections 2.3 to 2.8 and 3.1.

#[cfg(test)]
mod judge;

use layers::{Span, XmlPlace};

use super::doctype::{self, Doctype};
use super::namespaces::{self, tag_end};
use super::runs::{XmlAttribute, first_twin};
use crate::report::skip::SyntaxError;

/// An error, and its offset.
pub(super) type Wrong = (SyntaxError, usize);

/// A token. Its attributes, if it is a tag, are in [`XmlTokens`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XmlToken<'t> {
    Start {
        name: &'t str,
        is_empty: bool,
    },
    End,
    /// Text without references.
    Text,
    /// A reference to a character, or to an entity, which may be unknown here.
    Reference {
        is_unknown: bool,
    },
    CData,
    Comment,
    Instruction {
        target: &'t str,
    },
    Declaration,
    Doctype,
    /// The end of the document.
    Eof,
}

/// The tokens of a document without its byte order mark.
pub(super) struct XmlTokens<'t> {
    text: &'t str,
    at: usize,
    /// The names of the open elements.
    open: Vec<Span>,
    has_root: bool,
    /// True if `]]>` is in the document.
    has_section_end: bool,
    /// The attributes of the tag that was read last.
    pub(super) attributes: Vec<XmlAttribute<'t>>,
}

impl<'t> XmlTokens<'t> {
    /// Bytes of memory per open element.
    pub(super) const OPEN_SIZE: usize = size_of::<Span>();

    pub(super) fn new(text: &'t str) -> Self {
        XmlTokens {
            text,
            at: 0,
            open: Vec::new(),
            has_root: false,
            has_section_end: memchr::memmem::find(text.as_bytes(), b"]]>").is_some(),
            attributes: Vec::new(),
        }
    }

    /// Returns the offset of the next token.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Reads all that follows. Stops at a tag in more than `most_open` elements, and returns its
    /// offset.
    pub(super) fn check(&mut self, most_open: usize) -> Result<Option<usize>, Wrong> {
        // Without a document type declaration; it would be before the root element.
        let doctype = Doctype::default();
        loop {
            let start = self.at;
            if matches!(self.next(&doctype)?, XmlToken::Eof) {
                return Ok(None);
            }
            if self.open.len() > most_open {
                return Ok(Some(start));
            }
        }
    }

    /// Reads the next token.
    #[inline(always)]
    pub(super) fn next(&mut self, doctype: &Doctype<'t>) -> Result<XmlToken<'t>, Wrong> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        match bytes.get(start) {
            Some(b'<') => match bytes.get(start + 1) {
                Some(b'/') => self.end_tag(start),
                Some(b'!') => self.declaration(start, doctype),
                Some(b'?') => self.instruction(start),
                _ => self.start_tag(start, doctype),
            },
            Some(b'&') => self.reference(start, doctype),
            Some(_) => self.characters(start),
            None => self.end_of_document(),
        }
    }

    fn end_of_document(&self) -> Result<XmlToken<'t>, Wrong> {
        match self.open.last() {
            Some(name) => Err((SyntaxError::NoEndTag, name.start - 1)),
            None if !self.has_root => Err((SyntaxError::NoRoot, self.text.len())),
            None => Ok(XmlToken::Eof),
        }
    }

    /// Reads text up to markup or a reference.
    #[inline]
    fn characters(&mut self, start: usize) -> Result<XmlToken<'t>, Wrong> {
        let rest = &self.text.as_bytes()[start..];
        let text = &rest[..memchr::memchr2(b'<', b'&', rest).unwrap_or(rest.len())];
        self.at = start + text.len();
        if self.has_section_end
            && let Some(at) = memchr::memmem::find(text, b"]]>")
        {
            return Err((SyntaxError::SectionEnd, start + at));
        }
        if self.open.is_empty()
            && let Some(at) = text.iter().position(|byte| !is_space(*byte))
        {
            return Err((SyntaxError::Outside, start + at));
        }
        Ok(XmlToken::Text)
    }

    /// Reads a reference in a text.
    fn reference(&mut self, start: usize, doctype: &Doctype<'t>) -> Result<XmlToken<'t>, Wrong> {
        let rest = &self.text.as_bytes()[start + 1..];
        let end = memchr::memchr3(b';', b'&', b'<', rest).filter(|end| rest[*end] == b';');
        let end = end.ok_or((SyntaxError::Ampersand, start))?;
        self.at = start + end + 2;
        let is_unknown = doctype.check_references(self.text, Span::new(start, self.at))?;
        match self.open.is_empty() {
            true => Err((SyntaxError::Outside, start)),
            false => Ok(XmlToken::Reference { is_unknown }),
        }
    }

    fn end_tag(&mut self, start: usize) -> Result<XmlToken<'t>, Wrong> {
        let bytes = self.text.as_bytes();
        let after = start + "</".len();
        if let Some(name) = self.open.pop()
            && bytes[after..].starts_with(name.slice(bytes))
        {
            let mut at = after + name.len();
            while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
                at += 1;
            }
            if bytes.get(at) == Some(&b'>') {
                self.at = at + 1;
                return Ok(XmlToken::End);
            }
        }
        Err(self.of_tag(start, (SyntaxError::EndTag, start)))
    }

    fn start_tag(&mut self, start: usize, doctype: &Doctype<'t>) -> Result<XmlToken<'t>, Wrong> {
        let bytes = self.text.as_bytes();
        let name = self.name(start + 1).unwrap_or_default();
        let is_end = match bytes.get(name.end) {
            Some(b'/') => bytes.get(name.end + 1) == Some(&b'>'),
            Some(byte) => *byte == b'>' || is_space(*byte),
            None => false,
        };
        if self.open.is_empty() && self.has_root {
            return Err(self.of_tag(start, (SyntaxError::Outside, start)));
        }
        if name.is_empty() || !is_end {
            return Err(self.of_tag(start, (SyntaxError::Tag, start)));
        }
        self.attributes.clear();
        if bytes[name.end] == b'>' {
            self.at = name.end + 1;
        } else {
            self.at = name.end;
            if let Err(wrong) = self.read_attributes(start, None, doctype) {
                return Err(self.of_tag(start, wrong));
            }
        }
        let is_empty = bytes[self.at - 2] == b'/';
        self.has_root = true;
        if !is_empty {
            self.open.push(name);
        }
        Ok(XmlToken::Start { name: &self.text[name.start..name.end], is_empty })
    }

    /// Returns the error of a tag that is malformed; if it does not end, that.
    #[cold]
    fn of_tag(&self, start: usize, wrong: Wrong) -> Wrong {
        match tag_end(&self.text.as_bytes()[start..]) {
            Some(_) => wrong,
            None => (SyntaxError::Unclosed, start),
        }
    }

    /// Returns the name at an offset.
    fn name(&self, start: usize) -> Option<Span> {
        let bytes = self.text.as_bytes();
        let (mut end, mut all) = (start, 0);
        while let Some(byte) = bytes.get(end)
            && IN_NAME[usize::from(*byte)]
        {
            all |= byte;
            end += 1;
        }
        let first = bytes.get(start)?;
        let begins = first.is_ascii_alphabetic() || matches!(first, b'_' | b':');
        let is_name = (begins && all.is_ascii()) || namespaces::is_name(&self.text[start..end]);
        is_name.then_some(Span::new(start, end))
    }

    /// Reads the attributes of a tag from `self.at` on, and its end; or, up to `end`, the
    /// pseudo-attributes of a processing instruction. What they belong to begins at `start`.
    pub(super) fn read_attributes(
        &mut self,
        start: usize,
        end: Option<usize>,
        doctype: &Doctype<'t>,
    ) -> Result<(), Wrong> {
        let bytes = &self.text.as_bytes()[..end.unwrap_or(self.text.len())];
        let mut at = self.at;
        loop {
            let before = at;
            at = after_spaces(bytes, at);
            match bytes.get(at) {
                Some(b'>') if end.is_none() => break at += 1,
                Some(b'/') if end.is_none() && bytes.get(at + 1) == Some(&b'>') => break at += 2,
                None if end.is_some() => break,
                _ => {}
            }
            let wrong = || self.attribute_error(start, at, end);
            let name = self.name(at).filter(|_| at > before).ok_or_else(wrong)?;
            let equals = after_spaces(bytes, name.end);
            if bytes.get(equals) != Some(&b'=') {
                return Err(wrong());
            }
            let quote = after_spaces(bytes, equals + 1);
            let place = match bytes.get(quote) {
                Some(b'"') => XmlPlace::DoubleQuoted,
                Some(b'\'') => XmlPlace::SingleQuoted,
                _ => return Err(wrong()),
            };
            let rest = &bytes[quote + 1..];
            // Most values are short, and a search takes long to begin.
            let (mut len, is_end) = (0, |byte| byte == bytes[quote] || matches!(byte, b'<' | b'&'));
            while len < 16 && rest.get(len).is_some_and(|byte| !is_end(*byte)) {
                len += 1;
            }
            if len == 16 {
                let rest = &rest[len..];
                len += memchr::memchr3(bytes[quote], b'<', b'&', rest).ok_or_else(wrong)?;
            }
            if len == rest.len() {
                return Err(wrong());
            }
            let has_reference = rest[len] == b'&';
            if has_reference {
                len += memchr::memchr2(bytes[quote], b'<', &rest[len..]).ok_or_else(wrong)?;
            }
            if rest[len] == b'<' {
                return Err(match memchr::memchr(bytes[quote], &rest[len..]) {
                    Some(_) => (SyntaxError::Attribute, quote + 1 + len),
                    None => wrong(),
                });
            }
            let value = Span::new(quote + 1, quote + 1 + len);
            if has_reference {
                doctype.check_references(self.text, value)?;
            }
            let name = &self.text[name.start..name.end];
            self.attributes.push(XmlAttribute { start: at, name, value, place });
            at = value.end + 1;
        }
        self.at = at;
        match first_twin(&self.attributes) {
            Some(twin) => Err((SyntaxError::Duplicate, twin.start)),
            None => Ok(()),
        }
    }

    /// Returns the error of the attribute at `at`, which is malformed: that of the tag, unless only
    /// its name is wrong, or no white space is before it.
    #[cold]
    fn attribute_error(&self, start: usize, at: usize, end: Option<usize>) -> Wrong {
        let bytes = self.text.as_bytes();
        let end = end.or_else(|| {
            let end = start + tag_end(&bytes[start..])?;
            Some(if bytes[end - 1] == b'/' { end - 1 } else { end })
        });
        let bytes = &bytes[..end.unwrap_or(bytes.len()).max(at)];
        let is_end = |byte: &u8| *byte == b'=' || is_space(*byte);
        let value = || {
            let name_end = at + 1 + bytes.get(at + 1..)?.iter().position(is_end)?;
            let equals = after_spaces(bytes, name_end);
            let quote = after_spaces(bytes, equals + 1);
            let is_quoted =
                bytes.get(equals) == Some(&b'=') && matches!(bytes.get(quote), Some(b'"' | b'\''));
            is_quoted.then(|| memchr::memchr(bytes[quote], &bytes[quote + 1..])).flatten()
        };
        (SyntaxError::Attribute, if value().is_some() { at } else { start })
    }

    fn instruction(&mut self, start: usize) -> Result<XmlToken<'t>, Wrong> {
        let bytes = self.text.as_bytes();
        let len = memchr::memmem::find(&bytes[start + 1..], b"?>").filter(|len| *len > 0);
        let end = start + 1 + len.ok_or((SyntaxError::Unclosed, start))?;
        let content = &bytes[start + 2..end];
        let len = content.iter().position(|byte| is_space(*byte)).unwrap_or(content.len());
        let target = &self.text[start + 2..start + 2 + len];
        self.at = end + 2;
        if target == "xml" {
            let declaration = &self.text[start..self.at];
            return match start == 0 && namespaces::is_declaration(declaration) {
                true => Ok(XmlToken::Declaration),
                false => Err((SyntaxError::Declaration, start)),
            };
        }
        if !namespaces::is_name(target) {
            return Err((SyntaxError::Instruction, start));
        }
        // The declaration is in lower case.
        if target.eq_ignore_ascii_case("xml") {
            return Err((SyntaxError::Declaration, start));
        }
        Ok(XmlToken::Instruction { target })
    }

    /// Reads the pseudo-attributes of the processing instruction that was read last.
    pub(super) fn pseudo_attributes(
        &mut self,
        instruction: Span,
        target: &str,
        doctype: &Doctype<'t>,
    ) -> Result<(), Wrong> {
        self.attributes.clear();
        self.at = instruction.start + "<?".len() + target.len();
        let end = instruction.end - "?>".len();
        let read = self.read_attributes(instruction.start, Some(end), doctype);
        self.at = instruction.end;
        read
    }

    /// Reads a comment, a CDATA section or a document type declaration.
    fn declaration(&mut self, start: usize, doctype: &Doctype<'t>) -> Result<XmlToken<'t>, Wrong> {
        let rest = &self.text.as_bytes()[start..];
        let unclosed = (SyntaxError::Unclosed, start);
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            let len = memchr::memmem::find(comment, b"--").ok_or(unclosed)?;
            if comment.get(len + 2) != Some(&b'>') {
                let is_closed = memchr::memmem::find(&comment[len..], b"-->").is_some();
                let at = start + "<!--".len() + len;
                return Err(if is_closed { (SyntaxError::Comment, at) } else { unclosed });
            }
            self.at = start + "<!--".len() + len + "-->".len();
            return Ok(XmlToken::Comment);
        }
        if let Some(section) = rest.strip_prefix(b"<![CDATA[") {
            let len = memchr::memmem::find(section, b"]]>").ok_or(unclosed)?;
            self.at = start + "<![CDATA[".len() + len + "]]>".len();
            return match self.open.is_empty() {
                true => Err((SyntaxError::Outside, start)),
                false => Ok(XmlToken::CData),
            };
        }
        let is_doctype = rest.get(.."<!DOCTYPE".len());
        if !is_doctype.is_some_and(|begin| begin.eq_ignore_ascii_case(b"<!DOCTYPE")) {
            return Err(unclosed);
        }
        let end = start + doctype::end(rest).ok_or(unclosed)?;
        self.at = end + 1;
        if self.text[start + "<!DOCTYPE".len()..end].trim_ascii().is_empty() {
            return Err((SyntaxError::Doctype, end));
        }
        if self.has_root || doctype.is_there || !rest.starts_with(b"<!DOCTYPE") {
            return Err((SyntaxError::Doctype, start));
        }
        Ok(XmlToken::Doctype)
    }
}

/// The bytes that may be in a name, with those of other characters than ASCII.
static IN_NAME: [bool; 256] = {
    let mut is_in = [false; 256];
    let mut byte = u8::MAX;
    loop {
        let is_mark = matches!(byte, b'-' | b'.' | b'_' | b':');
        is_in[byte as usize] = byte.is_ascii_alphanumeric() || is_mark || !byte.is_ascii();
        if byte == 0 {
            break is_in;
        }
        byte -= 1;
    }
};

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn after_spaces(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}
