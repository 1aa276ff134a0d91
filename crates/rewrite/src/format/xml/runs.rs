//! The text of an element, in the pieces that it is written in.
//!
//! A text can be edited if it is in one piece: one stretch between tags, or one CDATA section with
//! only white space around it. A text in more pieces (split by comments, or in several sections) is
//! skipped and reported.

use layers::{Layer, Span, XmlNames, XmlPlace};

use crate::format::found::{Value, Written};
use crate::slots::{SlotId, Syntax};

/// The pieces of a text, in order.
pub(super) struct Runs {
    pub(super) slot: SlotId,
    pub(super) syntax: Syntax,
    /// The start of the content of the element.
    pub(super) start: usize,
    /// The last stretch, which may continue.
    current: Option<Span>,
    /// The pieces that are not blank: the span, and true if it is in CDATA. At most three are
    /// stored.
    pieces: Vec<(Span, bool)>,
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
            pieces: Vec::new(),
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
        if !is_blank && self.pieces.len() < 4 {
            self.pieces.push((span, is_cdata));
        }
    }

    /// Returns true if no text was added.
    pub(super) fn is_blank(&mut self, input: &str) -> bool {
        self.close(input);
        self.pieces.is_empty()
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
        let (span, layer) = match self.pieces[..] {
            [] => return Ok(None),
            [(span, true)] => (span, Layer::CData),
            [(span, false)] => (span, Layer::Xml(XmlPlace::Content, names)),
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
        Ok(Some(Value::text(span, Written::In(layer), self.slot, self.syntax)))
    }
}
