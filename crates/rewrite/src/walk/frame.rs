//! Where a text stands: the way from an offset in a decoded text out to the raw file.
//!
//! Frames lie on the stack, one for each layer that is open; nothing else knows how deep it is.

use layers::{Charset, Map, Span, base64, quoted_printable};

use crate::slots::SlotId;

/// How a text is written in the bytes of the layer outside.
#[derive(Clone, Copy, Debug)]
enum Way<'f> {
    Map(&'f Map),
    Whole(&'f InCharset<'f>),
    Quoted(&'f quoted_printable::Body<'f>),
    /// In base64, so many octets of it.
    Base64(&'f base64::Body, usize),
}

/// A document in a charset that is decoded as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InCharset<'f> {
    pub(crate) charset: Charset,
    pub(crate) raw: &'f [u8],
    pub(crate) map: &'f Map,
}

/// One layer that is open: its text, and where it stands in the bytes of the layer outside.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'f> {
    outer: Option<&'f Frame<'f>>,
    way: Way<'f>,
    /// Offset in the outer text of the raw bytes that are decoded.
    start: usize,
    /// Where the text begins in the file, if nothing from there to here is decoded.
    plain_from: Option<usize>,
    /// For a layer that is a document of its own: the slot that it stands in, and its span in the outer text.
    document: Option<(SlotId, Span)>,
    /// For a part or a heading of a message: its name.
    part: Option<&'f str>,
}

/// The map of bytes that are not decoded.
pub(crate) static IDENTITY: Map = Map::IDENTITY;

impl<'f> Frame<'f> {
    /// The outermost frame: the bytes of a unit.
    pub(crate) fn outermost() -> Frame<'static> {
        let (way, plain_from) = (Way::Map(&IDENTITY), Some(0));
        Frame { outer: None, way, start: 0, plain_from, document: None, part: None }
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
            way: Way::Map(map),
            start: span.start,
            plain_from: match self.plain_from {
                Some(from) if map.is_identity() => Some(from + span.start),
                _ => None,
            },
            document: document.map(|slot| (slot, span)),
            part: None,
        }
    }

    /// A text that stands as it is at `span` of this frame's text.
    pub(crate) fn at(&'f self, span: Span) -> Frame<'f> {
        self.inside(&IDENTITY, span, None)
    }

    /// A text whose charset is decoded as a whole: all of this frame's text.
    pub(crate) fn in_charset(&'f self, whole: &'f InCharset<'f>) -> Frame<'f> {
        let inside = self.inside(whole.map, Span::new(0, whole.raw.len()), None);
        Frame { way: Way::Whole(whole), ..inside }
    }

    /// A text written in quoted-printable at `span` of this frame's text.
    pub(crate) fn in_quoted(
        &'f self,
        body: &'f quoted_printable::Body<'f>,
        span: Span,
    ) -> Frame<'f> {
        Frame { way: Way::Quoted(body), plain_from: None, ..self.at(span) }
    }

    /// A text written in base64 at `span` of this frame's text.
    pub(crate) fn in_base64(&'f self, body: &'f base64::Body, span: Span) -> Frame<'f> {
        Frame { way: Way::Base64(body, span.len()), plain_from: None, ..self.at(span) }
    }

    /// The frame, of a part or a heading of a message.
    pub(crate) fn of_part(self, name: &'f str) -> Frame<'f> {
        Frame { part: Some(name), ..self }
    }

    /// The smallest raw span of the unit whose decoding holds `span` of this frame's text. In a charset
    /// that shifts it contains the escape sequences around the text, which an edit may replace.
    #[inline]
    pub fn raw(&self, span: Span) -> Span {
        match self.plain_from {
            Some(from) => span.shifted(from),
            None => self.raw_of_decoded(span),
        }
    }

    fn raw_of_decoded(&self, span: Span) -> Span {
        let (mut frame, mut span) = (self, span);
        loop {
            let raw = match frame.way {
                Way::Map(map) => map.widen(span).raw,
                Way::Whole(whole) => whole.charset.reach(whole.raw, whole.map, span),
                Way::Quoted(body) => body.widen(span).raw,
                // Where groups cannot be told it is somewhere in all of them.
                Way::Base64(body, len) => body.raw_of(span).unwrap_or(Span::new(0, len)),
            };
            span = raw.shifted(frame.start);
            match frame.outer {
                Some(outer) => frame = outer,
                None => return span,
            }
        }
    }

    /// Whether raw spans hold nothing but what they are asked for: they do not in base64, where three octets are written as one.
    pub fn is_exact(&self) -> bool {
        !self.outward().any(|frame| matches!(frame.way, Way::Base64(..)))
    }

    /// The name of the part or heading of a message that this frame lies in: `2.1`, `HEADER`, `2.MIME` (RFC 3501 6.4.5).
    pub fn part(&self) -> Option<&'f str> {
        self.outward().find_map(|frame| frame.part)
    }

    /// Whether it lies in a document that stands in such a slot.
    pub(crate) fn is_in(&self, slot: SlotId) -> bool {
        self.outward().any(|frame| frame.document.is_some_and(|(place, _)| place == slot))
    }

    /// The frames from this one outward.
    fn outward(&self) -> impl Iterator<Item = &Frame<'f>> {
        std::iter::successors(Some(self), |frame| frame.outer)
    }

    /// The documents that this frame lies in, from the outermost embedded one inward: slot, and span in the raw file.
    pub fn embedded(&self) -> Vec<(SlotId, Span)> {
        let place = |frame: &Frame<'_>| {
            let (slot, span) = frame.document?;
            Some((slot, frame.outer?.raw(span)))
        };
        let mut documents: Vec<_> = self.outward().filter_map(place).collect();
        documents.reverse();
        documents
    }
}
