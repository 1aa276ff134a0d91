//! The text of an element, in the pieces that it is written in.
//!
//! A text can be edited where it stands in one piece: in one stretch between tags, or in one section of CDATA with nothing but white space
//! around it. In more pieces (cut by comments, or in several sections) it is left, and told.

use layers::{Layer, Span, XmlNames, XmlPlace};

use crate::format::found::{Value, Written};
use crate::slots::{SlotId, Syntax};

/// The pieces of a text, as they come.
pub(super) struct Runs {
    pub(super) slot: SlotId,
    pub(super) syntax: Syntax,
    /// Where the content of the element begins.
    pub(super) start: usize,
    /// The last stretch, while it may go on.
    current: Option<Span>,
    /// The pieces that are not blank: where they stand, and whether in CDATA. No more than three count.
    pieces: Vec<(Span, bool)>,
    pub(super) has_unknown_entity: bool,
    /// Whether a comment or a processing instruction stands in it.
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

    /// More text, or a reference in it.
    pub(super) fn text(&mut self, span: Span, input: &str) {
        match &mut self.current {
            Some(current) if current.end == span.start => current.end = span.end,
            _ => {
                self.close(input);
                self.current = Some(span);
            }
        }
    }

    /// The inside of a section of CDATA.
    pub(super) fn cdata(&mut self, span: Span, input: &str) {
        self.close(input);
        self.push(span, true, input);
    }

    /// A comment or a processing instruction.
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

    /// Whether any text has come.
    pub(super) fn is_blank(&mut self, input: &str) -> bool {
        self.close(input);
        self.pieces.is_empty()
    }

    /// The element ends at `end`: its text as a value, if it is in one piece. False if it is not.
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
            // A style sheet in CDATA whose marks are hidden in comments of CSS.
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
