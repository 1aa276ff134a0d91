//! Frames: the mapping from an offset in a decoded text out to the raw file; decoding values, and
//! lifting edits of a decoded text to edits of its bytes.
//!
//! Frames are on the stack, one for each open layer; nothing else knows the depth.

use std::fmt;

use layers::{
    Charset, Decoded, Edit, Guards, Layer, Map, Span, Unliftable, base64, quoted_printable,
    uuencode,
};

use crate::format::found::{Value, ValueEncoding};
use crate::report::skip::SkipReason;
use crate::report::{SkipScope, Skipped};
use crate::slots::SlotId;
use crate::walk::{Text, Walk};

/// The encoding of a text in the bytes of the layer outside.
#[derive(Clone, Copy, Debug)]
enum Way<'f> {
    Map(&'f Map),
    Whole(&'f InCharset<'f>),
    Quoted(&'f quoted_printable::QuotedPrintableBody<'f>),
    /// Base64 of this many bytes.
    Base64(&'f base64::Base64Body, usize),
    Uuencoded(&'f uuencode::UuencodedBody),
}

/// A document in a charset that is decoded as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InCharset<'f> {
    pub(crate) charset: Charset,
    pub(crate) raw: &'f [u8],
    pub(crate) map: &'f Map,
}

/// One open layer: its text, and its position in the bytes of the layer outside.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'f> {
    outer: Option<&'f Frame<'f>>,
    way: Way<'f>,
    /// The offset in the outer text of the raw bytes that are decoded.
    start: usize,
    /// The offset of the text in the file, if nothing on the way out is decoded.
    plain_from: Option<usize>,
    /// For a layer that is a document of its own: its slot, and its span in the outer text.
    document: Option<(SlotId, Span)>,
    /// For a part or a header section of a message: its name.
    part: Option<&'f str>,
}

/// The map of bytes that are not decoded.
pub(crate) static IDENTITY: Map = Map::IDENTITY;

impl<'f> Frame<'f> {
    /// Returns the outermost frame: the bytes of a unit.
    pub(crate) fn outermost() -> Frame<'static> {
        let (way, plain_from) = (Way::Map(&IDENTITY), Some(0));
        Frame { outer: None, way, start: 0, plain_from, document: None, part: None }
    }

    /// Returns the frame of a text written at `span` of this frame's text.
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

    /// Returns the frame of a text that is not encoded, at `span` of this frame's text.
    pub(crate) fn at(&'f self, span: Span) -> Frame<'f> {
        self.inside(&IDENTITY, span, None)
    }

    /// Returns the frame of a text whose charset is decoded as a whole: all of this frame's text.
    pub(crate) fn in_charset(&'f self, whole: &'f InCharset<'f>) -> Frame<'f> {
        let inside = self.inside(whole.map, Span::new(0, whole.raw.len()), None);
        Frame { way: Way::Whole(whole), ..inside }
    }

    /// Returns the frame of a text in quoted-printable at `span` of this frame's text.
    pub(crate) fn in_quoted(
        &'f self,
        body: &'f quoted_printable::QuotedPrintableBody<'f>,
        span: Span,
    ) -> Frame<'f> {
        Frame { way: Way::Quoted(body), plain_from: None, ..self.at(span) }
    }

    /// Returns the frame of a text in base64 at `span` of this frame's text.
    pub(crate) fn in_base64(&'f self, body: &'f base64::Base64Body, span: Span) -> Frame<'f> {
        Frame { way: Way::Base64(body, span.len()), plain_from: None, ..self.at(span) }
    }

    /// Returns the frame of a text in uuencode at `span` of this frame's text.
    pub(crate) fn in_uuencode(
        &'f self,
        body: &'f uuencode::UuencodedBody,
        span: Span,
    ) -> Frame<'f> {
        Frame { way: Way::Uuencoded(body), plain_from: None, ..self.at(span) }
    }

    /// Returns the frame as that of a part or a header section of a message.
    pub(crate) fn of_part(self, name: &'f str) -> Frame<'f> {
        Frame { part: Some(name), ..self }
    }

    /// Returns the smallest raw span of the unit whose decoding contains `span` of this frame's
    /// text. In a stateful charset it contains the escape sequences around the text, which an edit
    /// may replace.
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
                // If the groups cannot be determined, the span covers all of them.
                Way::Base64(body, len) => body.raw_of(span).unwrap_or(Span::new(0, len)),
                Way::Uuencoded(body) => body.raw_of(span).unwrap_or_default(),
            };
            span = raw.shifted(frame.start);
            match frame.outer {
                Some(outer) => frame = outer,
                None => return span,
            }
        }
    }

    /// Returns true if raw spans contain nothing but the text they were computed for. In base64 and
    /// uuencode they may contain more, because each group encodes three bytes.
    pub fn is_exact(&self) -> bool {
        let is_wider = |frame: &Frame<'_>| matches!(frame.way, Way::Base64(..) | Way::Uuencoded(_));
        !self.outward().any(is_wider)
    }

    /// Returns the name of the part or header section of a message that contains this frame: `2.1`,
    /// `HEADER`, `2.MIME` (RFC 3501 6.4.5).
    pub fn part(&self) -> Option<&'f str> {
        self.outward().find_map(|frame| frame.part)
    }

    /// Returns true if the frame is in a document embedded in such a slot.
    pub(crate) fn is_in(&self, slot: SlotId) -> bool {
        self.is_in_any(|place| place == slot)
    }

    /// Returns true if the frame is in a document embedded in a slot for which `is` returns true.
    pub(crate) fn is_in_any(&self, is: impl Fn(SlotId) -> bool) -> bool {
        self.outward().any(|frame| frame.document.is_some_and(|(place, _)| is(place)))
    }

    /// Returns the frames from this one outward.
    fn outward(&self) -> impl Iterator<Item = &Frame<'f>> {
        std::iter::successors(Some(self), |frame| frame.outer)
    }

    /// Returns the documents that contain this frame, from the outermost embedded one inward: slot,
    /// and span in the raw file.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Context, Media, Options, Unit, references};
    ///
    /// let context = Context::retrieval("http://h/".parse()?, "test");
    /// let page = b"<iframe srcdoc='<a href=b>'>";
    /// references(Unit::new(page, Media::HTML, &context), &Options::default(), |site| {
    ///     let embedded = site.frame.embedded();
    ///     assert_eq!((embedded.len(), embedded[0].1.slice(page)), (1, &b"<a href=b>"[..]));
    /// });
    /// # Ok::<(), relink_rewrite::BaseError>(())
    /// ```
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

// Crossing of layers: decoding values, and lifting edits of a decoded text to edits of its bytes.

/// A reference that is to be edited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EditedReference {
    /// Its number.
    pub(crate) id: usize,
    /// Its span in the file.
    pub(crate) span: Span,
}

/// The reason why an answer was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The bytes around it cannot represent it.
    Layer(Unliftable),
    /// The list or value that contains it would read it as more than one.
    Delimiter,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Layer(reason) => reason.fmt(f),
            Refused::Delimiter => {
                f.write_str("the new text contains a character that ends a reference there")
            }
        }
    }
}

impl Walk<'_> {
    /// Lifts edits of a decoded text and adds them, shifted by `offset`, to those of the text
    /// outside.
    // The arguments are those of `Layer::lift` and the destination of the result.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn lift(
        &mut self,
        layer: Layer,
        raw: &[u8],
        charset: Charset,
        decoded: &Decoded<'_>,
        edits: Vec<Edit>,
        guards: Guards,
        offset: usize,
        out: &mut Vec<Edit>,
    ) {
        // If nothing is escaped before or after, the edits of the text are those of the bytes.
        let is_plain = guards.forbidden.is_empty()
            && !charset.reads_as_whole()
            && layer.is_identity(raw, decoded)
            && edits.iter().all(|edit| layer.is_written_plain(&edit.text));
        if is_plain && out.is_empty() {
            // Reuses the list, so that a long one is not in memory twice.
            *out = edits;
            out.iter_mut().for_each(|edit| edit.span = edit.span.shifted(offset));
            return;
        }
        if is_plain {
            out.extend(edits.into_iter().map(|edit| shifted(edit, offset)));
            return;
        }
        let lifted = layer.lift(raw, charset, decoded, &edits, guards);
        for (id, reason) in lifted.refused {
            self.visitor.refused(id, Refused::Layer(reason));
        }
        if self.take_memory_of_edits(&lifted.edits) {
            out.extend(lifted.edits.into_iter().map(|edit| shifted(edit, offset)));
        }
    }

    /// Adds edits of bytes that are not decoded, as far as the guards allow them.
    pub(super) fn check(
        &mut self,
        raw: &[u8],
        edits: Vec<Edit>,
        guards: Guards,
        offset: usize,
        out: &mut Vec<Edit>,
    ) {
        for edit in edits {
            match guards.check(raw, edit.span, &edit.text) {
                Ok(()) => out.push(shifted(edit, offset)),
                Err(reason) => self.visitor.refused(edit.id, Refused::Layer(reason)),
            }
        }
    }
}

pub(crate) fn decode<'t>(value: &Value, text: Text<'t>) -> Decoded<'t> {
    let raw = value.span.slice(text.bytes);
    match value.written {
        ValueEncoding::In(layer) => layer.decode(raw, text.charset),
        ValueEncoding::Raw | ValueEncoding::Cut(_) => text.charset.decode(raw),
    }
}

/// Returns the number of decoded bytes that had to be allocated.
pub(crate) fn made(decoded: &Decoded<'_>) -> usize {
    if matches!(decoded.text, std::borrow::Cow::Owned(_)) { decoded.text.len() } else { 0 }
}

/// Returns the report entry for a document that is skipped.
pub(crate) fn skipped(
    reason: SkipReason,
    at: usize,
    extent: SkipScope,
    frame: &Frame<'_>,
) -> Skipped {
    let part = frame.part().filter(|part| !part.is_empty()).map(str::to_owned);
    Skipped { reason, at, extent, part }
}

pub(crate) fn shifted(mut edit: Edit, by: usize) -> Edit {
    edit.span = edit.span.shifted(by);
    edit
}
