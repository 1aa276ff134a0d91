//! Derived edits: byte counts that must be updated because their bodies changed.

use basectx::message::Message;
use basectx::message::http::{self, Response};
use layers::{Edit, Span};

use super::seal;

/// The values that depend on edits of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct DerivedValues {
    /// Bodies, and the digits that count their octets: `Content-Length`.
    lengths: Vec<(Span, Vec<Span>)>,
    /// Messages, this one and those in it, with a signature over the whole message.
    dkim: Vec<Span>,
}

impl DerivedValues {
    pub(super) fn new(message: &Message, bytes: &[u8], is_in_mailbox: bool) -> Self {
        let top = &message.entities[0];
        // An incorrect count is corrected too: it could come to match the place where another
        // message ends.
        let is_count = |digits: &Span| {
            let digits = digits.slice(bytes);
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        };
        let length = top.field("Content-Length", bytes).filter(|_| is_in_mailbox);
        let length = length.map(|field| field.value).filter(is_count);
        let is_signed = |(_, idx): &(usize, &basectx::message::Entity)| seal::is_dkim(idx, bytes);
        let is_root = |(_, entity): &(usize, &basectx::message::Entity)| {
            entity.parent.is_none_or(|parent| message.entities[parent].is_message())
        };
        let entities = message.entities.iter().enumerate();
        let dkim = entities.filter(is_root).filter(is_signed);
        let dkim = dkim.map(|(_, entity)| Span::new(entity.headers.start, entity.body.end));
        let lengths = length.map(|digits| (top.body, vec![digits])).into_iter().collect();
        DerivedValues { lengths, dkim: dkim.collect() }
    }

    /// Returns the values that depend on edits of responses. An incorrect count stays: it counts
    /// what was transferred, which may have been compressed.
    pub(super) fn of_responses(responses: &[Response], bytes: &[u8]) -> Self {
        let counts = |response: &Response| {
            let entity = response.entity();
            let counts = entity.fields.iter().filter(|field| {
                field.is_named("Content-Length", bytes)
                    && http::length(field, bytes) == Some(entity.body.len())
            });
            (entity.body, counts.map(|field| field.value).collect())
        };
        DerivedValues { lengths: responses.iter().map(counts).collect(), dkim: Vec::new() }
    }

    /// Returns the spans of counts that are correct, or will be, in order.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let mut spans: Vec<Span> =
            self.lengths.iter().flat_map(|(_, digits)| digits.iter().copied()).collect();
        spans.sort_unstable();
        spans.into_iter()
    }

    /// Returns true if every count that was correct in the input, or has to be, is correct in this
    /// output.
    pub(crate) fn is_right_after(&self, input: &DerivedValues, output: &[u8]) -> bool {
        self.spans().count() == input.spans().count()
            && self.with_derived(output, Vec::new()).1 == 0
    }

    /// Returns the number of signatures that the edits break.
    pub(crate) fn n_broken(&self, edits: &[Edit]) -> usize {
        let is_in = |span: &&Span| !within(edits, **span).is_empty();
        self.dkim.iter().filter(is_in).count()
    }

    /// Returns the edits with those that follow from them, and the number of the latter.
    pub(crate) fn with_derived(&self, bytes: &[u8], mut edits: Vec<Edit>) -> (Vec<Edit>, usize) {
        let mut counts = Vec::new();
        for (body, all_digits) in &self.lengths {
            let in_body = within(&edits, *body);
            let grown: usize = in_body.iter().map(|edit| edit.text.len()).sum();
            let cut: usize = in_body.iter().map(|edit| edit.span.len()).sum();
            let count = (body.len() + grown - cut).to_string();
            for digits in all_digits.iter().filter(|digits| count.as_bytes() != digits.slice(bytes))
            {
                let text = count.clone().into_bytes().into();
                counts.push(Edit { span: *digits, text, id: usize::MAX });
            }
        }
        let n_derived = counts.len();
        edits.extend(counts);
        edits.sort_by_key(|edit| edit.span.start);
        (edits, n_derived)
    }
}

/// Returns those of some sorted edits that are in a span.
fn within(edits: &[Edit], span: Span) -> &[Edit] {
    let start = edits.partition_point(|edit| edit.span.start < span.start);
    let rest = &edits[start..];
    &rest[..rest.partition_point(|edit| edit.span.end <= span.end)]
}
