//! Where a text stands: the way from an offset in a decoded text out to the raw file.
//!
//! Frames lie on the stack, one for each layer that is open; nothing else knows how deep it is.

use layers::{Map, Span};

use crate::slots::SlotId;

/// One layer that is open: its text, and where it stands in the bytes of the layer outside.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'f> {
    outer: Option<&'f Frame<'f>>,
    map: &'f Map,
    /// Offset in the outer text of the raw bytes that the map speaks of.
    start: usize,
    /// For a layer that is a document of its own: the slot that it stands in, and its span in the outer text.
    document: Option<(SlotId, Span)>,
}

impl<'f> Frame<'f> {
    /// The outermost frame: a text whose raw bytes begin at `start` of the file.
    pub(crate) fn outermost(map: &'f Map, start: usize) -> Frame<'f> {
        Frame { outer: None, map, start, document: None }
    }

    /// A text written at `span` of this frame's text.
    pub(crate) fn inside(
        &'f self,
        map: &'f Map,
        span: Span,
        document: Option<SlotId>,
    ) -> Frame<'f> {
        Frame {
            outer: Some(self),
            map,
            start: span.start,
            document: document.map(|slot| (slot, span)),
        }
    }

    /// The smallest raw span of the file whose decoding holds `span` of this frame's text.
    pub fn raw(&self, span: Span) -> Span {
        let (mut frame, mut span) = (self, span);
        loop {
            span = frame.map.widen(span).raw.shifted(frame.start);
            match frame.outer {
                Some(outer) => frame = outer,
                None => return span,
            }
        }
    }

    /// The documents that this frame lies in, from the outermost embedded one inward: slot, and span in the raw file.
    pub fn embedded(&self) -> Vec<(SlotId, Span)> {
        let mut documents = Vec::new();
        let mut frame = Some(self);
        while let Some(current) = frame {
            if let (Some((slot, span)), Some(outer)) = (current.document, current.outer) {
                documents.push((slot, outer.raw(span)));
            }
            frame = current.outer;
        }
        documents.reverse();
        documents
    }
}
