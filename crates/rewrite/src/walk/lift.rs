//! Crossing of layers: decoding values, and lifting edits of a decoded text to edits of its bytes.

use layers::{Charset, Decoded, Edit, Guards, Layer, Span};

use crate::format::found::{Value, Written};
use crate::report::skip::SkipReason;
use crate::report::{SkipScope, Skipped};
use crate::walk::frame::Frame;
use crate::walk::site::Refused;
use crate::walk::{Text, Walk};

/// A reference that is to be edited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edited {
    /// Its number.
    pub(crate) id: usize,
    /// Its span in the file.
    pub(crate) span: Span,
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
        Written::In(layer) => layer.decode(raw, text.charset),
        Written::Raw | Written::Cut(_) => text.charset.decode(raw),
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
