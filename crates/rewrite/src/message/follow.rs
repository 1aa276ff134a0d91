//! Edits that follow from others: counts of octets and checksums of what was changed (DESIGN section 2, "derived edits").

use basectx::message::Message;
use layers::{Edit, Span};

use super::seal;

/// What follows from edits of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Follow {
    /// The digits of `Content-Length`, and the body whose octets they count.
    length: Option<(Span, Span)>,
    /// Messages, this one and those in it, that have a signature over all of them.
    dkim: Vec<Span>,
}

impl Follow {
    pub(super) fn of(message: &Message, bytes: &[u8], is_in_mailbox: bool) -> Self {
        let top = &message.entities[0];
        let is_right = |digits: &Span| {
            let count = std::str::from_utf8(digits.of(bytes)).ok();
            count.and_then(|count| count.parse().ok()) == Some(top.body.len())
        };
        let length = top.field("Content-Length", bytes).filter(|_| is_in_mailbox);
        let length = length.map(|field| field.value).filter(is_right);
        let is_signed = |(_, idx): &(usize, &basectx::message::Entity)| seal::is_dkim(idx, bytes);
        let is_root = |(_, entity): &(usize, &basectx::message::Entity)| {
            entity.parent.is_none_or(|parent| message.entities[parent].is_message())
        };
        let entities = message.entities.iter().enumerate();
        let dkim = entities.filter(is_root).filter(is_signed);
        let dkim = dkim.map(|(_, entity)| Span::new(entity.heading.start, entity.body.end));
        Follow { length: length.map(|digits| (digits, top.body)), dkim: dkim.collect() }
    }

    /// How many signatures the edits break.
    pub(crate) fn n_broken(&self, edits: &[Edit]) -> usize {
        let is_in = |span: &&Span| {
            edits.iter().any(|edit| edit.span.start >= span.start && edit.span.end <= span.end)
        };
        self.dkim.iter().filter(is_in).count()
    }

    /// The edits with those that follow from them, and the number of those.
    pub(crate) fn with_derived(&self, bytes: &[u8], mut edits: Vec<Edit>) -> (Vec<Edit>, usize) {
        let mut derived = Vec::new();
        if let Some((digits, body)) = self.length {
            let in_body = || edits.iter().filter(|edit| edit.span.start >= body.start);
            let grown: usize = in_body().map(|edit| edit.text.len()).sum();
            let cut: usize = in_body().map(|edit| edit.span.len()).sum();
            let count = (body.len() + grown - cut).to_string();
            if count.as_bytes() != digits.of(bytes) {
                derived.push(Edit {
                    span: digits,
                    text: count.into_bytes().into(),
                    id: usize::MAX,
                });
            }
        }
        let n_derived = derived.len();
        edits.extend(derived);
        edits.sort_by_key(|edit| edit.span.start);
        (edits, n_derived)
    }
}
