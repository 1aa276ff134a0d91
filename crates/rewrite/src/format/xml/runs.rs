//! The text of an element, in the pieces that it is written in, and the parts of a document that
//! are being read.
//!
//! A text can be edited if it is in one piece: one stretch between tags, or one CDATA section with
//! only white space around it. A text in more pieces (split by comments, or in several sections) is
//! skipped and reported.

use layers::{Layer, Span, XmlNames, XmlPlace};

use crate::format::found::{Value, ValueEncoding};
use crate::slots::{SlotId, Syntax, Vocabulary};

/// The pieces of a text, in order.
pub(super) struct Runs {
    pub(super) slot: SlotId,
    pub(super) syntax: Syntax,
    /// The start of the content of the element.
    pub(super) start: usize,
    /// The last stretch, which may continue.
    current: Option<Span>,
    /// The first piece that is not blank, and true if it is in CDATA.
    piece: Option<(Span, bool)>,
    /// True if it has other pieces that are not blank.
    has_more: bool,
    pub(super) has_unknown_entity: bool,
    /// True if it contains a comment or a processing instruction.
    is_cut: bool,
}

impl Runs {
    pub(super) fn new(slot: SlotId, syntax: Syntax, start: usize) -> Self {
        Runs {
            slot,
            syntax,
            start,
            current: None,
            piece: None,
            has_more: false,
            has_unknown_entity: false,
            is_cut: false,
        }
    }

    /// Adds text, or a reference in it.
    pub(super) fn text(&mut self, span: Span, input: &str) {
        match &mut self.current {
            Some(current) if current.end == span.start => current.end = span.end,
            _ => {
                self.close(input);
                self.current = Some(span);
            }
        }
    }

    /// Adds the content of a CDATA section.
    pub(super) fn cdata(&mut self, span: Span, input: &str) {
        self.close(input);
        self.push(span, true, input);
    }

    /// Adds a comment or a processing instruction.
    pub(super) fn cut(&mut self, input: &str) {
        self.close(input);
        self.is_cut = true;
    }

    fn close(&mut self, input: &str) {
        if let Some(span) = self.current.take() {
            self.push(span, false, input);
        }
    }

    fn push(&mut self, span: Span, is_cdata: bool, input: &str) {
        let is_blank = input[span.start..span.end].trim_ascii().is_empty();
        if !is_blank {
            self.has_more = self.piece.is_some();
            self.piece = self.piece.or(Some((span, is_cdata)));
        }
    }

    /// Returns true if no text was added.
    pub(super) fn is_blank(&mut self, input: &str) -> bool {
        self.close(input);
        self.piece.is_none()
    }

    /// Ends the element at `end`. Returns its text as a value, or `None` if it is blank; the error
    /// is the slot of a text that is not in one piece.
    pub(super) fn value(
        mut self,
        end: usize,
        input: &str,
        names: XmlNames,
    ) -> Result<Option<Value>, SlotId> {
        self.close(input);
        let (span, layer) = match self.piece {
            None => return Ok(None),
            Some((span, true)) if !self.has_more => (span, Layer::CData),
            Some((span, false)) if !self.has_more => (span, Layer::Xml(XmlPlace::Content, names)),
            // A style sheet in CDATA, whose delimiters are hidden in CSS comments.
            _ if self.syntax == Syntax::Stylesheet && !self.is_cut => {
                let content = &input.as_bytes()[self.start..end];
                let marks = memchr::memchr(b'<', content);
                match marks.and_then(|at| crate::format::html::cdata(content, at)) {
                    Some(inner) => (inner.shifted(self.start), Layer::CData),
                    None => return Err(self.slot),
                }
            }
            _ => return Err(self.slot),
        };
        Ok(Some(Value::text(span, ValueEncoding::In(layer), self.slot, self.syntax)))
    }
}

// The parts of a document that are being read: open elements, attributes, and what the first
// element decides.

/// An element whose end tag has not come.
pub(super) struct OpenElement<'t> {
    pub(super) start: usize,
    pub(super) vocabulary: Vocabulary,
    pub(super) name: &'t str,
    /// The innermost scope of `xml:base` that contains it.
    pub(super) scope: Option<u32>,
    /// The number of namespace declarations in force outside of it.
    pub(super) n_declared: usize,
    /// The number of values before its content, or after the last of its own bases (DASH).
    pub(super) n_values: usize,
    /// True if it has a base as an element inside it (DASH).
    pub(super) has_base: bool,
    /// True if it has several bases, or an element around it has.
    pub(super) has_alternatives: bool,
    /// The scope, and whether there are alternatives, without its own bases: they are relative to
    /// what is around them, and not to each other.
    pub(super) around: (Option<u32>, bool),
}

/// The properties of the document that its first element decides.
#[derive(Default)]
pub(super) struct RootElement {
    pub(super) is_seen: bool,
    /// The vocabulary of elements without a namespace.
    pub(super) plain: Option<Vocabulary>,
    pub(super) is_sitemap: bool,
    pub(super) is_smil: bool,
    /// True if it is a feed, or a list of feeds.
    pub(super) is_feed: bool,
    /// True if elements other than its own are not markup, but output (XSLT).
    pub(super) is_stylesheet: bool,
    /// True if it is an element that browsers show, and `xml:base` is read as they read it.
    pub(super) is_of_web: bool,
}

/// An attribute as it is written.
#[derive(Clone, Copy)]
pub(super) struct XmlAttribute<'t> {
    pub(super) start: usize,
    pub(super) name: &'t str,
    pub(super) value: Span,
    pub(super) place: XmlPlace,
}

impl<'t> XmlAttribute<'t> {
    /// Returns the prefix, which may be empty, and the local name.
    pub(super) fn parts(&self) -> (&'t str, &'t str) {
        parts(self.name)
    }
}

/// Returns the prefix of a name, which may be empty, and the local name.
pub(super) fn parts(name: &str) -> (&str, &str) {
    match name.bytes().position(|byte| byte == b':') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
}

/// Returns the first attribute whose name occurred before (XML 3.1, "Unique Att Spec").
pub(super) fn first_twin<'a, 't>(
    attributes: &'a [XmlAttribute<'t>],
) -> Option<&'a XmlAttribute<'t>> {
    const FEW: usize = 12;
    if attributes.len() <= FEW {
        let is_twin = |(idx, attribute): &(usize, &XmlAttribute<'_>)| {
            attributes[..*idx].iter().any(|before| before.name == attribute.name)
        };
        return attributes.iter().enumerate().find(is_twin).map(|(_, attribute)| attribute);
    }
    let mut names = std::collections::HashSet::with_capacity(attributes.len());
    attributes.iter().find(|attribute| !names.insert(attribute.name))
}
