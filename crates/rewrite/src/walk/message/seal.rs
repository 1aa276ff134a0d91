//! What edits of a message must not change, or change elsewhere: the entities that are signed,
//! encrypted, or covered by a checksum, and derived edits.
//!
//! RFC 1847 2.1 (`multipart/signed`: the first part is signed byte by byte, including its header
//! section), RFC 8551 3.2 (PKCS#7), RFC 9580 7 (inline OpenPGP), RFC 6376 and RFC 8617 (DKIM, ARC:
//! the whole message), RFC 1864 and RFC 9530 (checksums of bodies).
//!
//! Derived edits: byte counts that must be updated because their bodies changed.

use basectx::message::http::Response;
use basectx::message::{Entity, Message, http};
use layers::{Edit, Span};
use memchr::memmem;

use crate::options::Mail;
use crate::report::skip::SkipReason;

/// The header fields that contain checksums of bodies: RFC 1864, RFC 9530 and RFC 3230.
const CHECKSUMS: [&str; 4] = ["Content-MD5", "Content-Digest", "Repr-Digest", "Digest"];

/// The reasons why header sections and bodies of a message must not be edited.
pub(super) struct Seals {
    headers: Vec<Option<SkipReason>>,
    bodies: Vec<Option<SkipReason>>,
}

impl Seals {
    /// Returns the seals of a message in a part that may be sealed itself.
    pub(super) fn find(
        message: &Message,
        bytes: &[u8],
        mail: Mail,
        around: Option<SkipReason>,
    ) -> Self {
        let n_entities = message.entities.len();
        let (mut headers, mut bodies) = (vec![None; n_entities], vec![None; n_entities]);
        for (idx, entity) in message.entities.iter().enumerate() {
            let parent = entity.parent.map(|parent| &message.entities[parent]);
            let inherited = entity.parent.map_or(around, |parent| bodies[parent]);
            // The signature is the last child; the children before it are signed, however many
            // there are.
            let is_signed = parent.is_some_and(|parent| {
                let n_children = parent.children.len();
                let is_signature = n_children > 1 && entity.ordinal + 1 == n_children;
                parent.content_type.media_type == "multipart/signed" && !is_signature
            });
            let is_message = parent.is_none_or(Entity::is_message);
            let has_checksum = CHECKSUMS.iter().any(|name| entity.field(name, bytes).is_some());
            headers[idx] = match () {
                () if inherited.is_some() => inherited,
                () if is_signed && !mail.breaks_signatures => Some(SkipReason::Signed),
                () if is_message && mail.keeps_dkim && is_dkim(entity, bytes) => {
                    Some(SkipReason::Dkim)
                }
                () => None,
            };
            bodies[idx] = match headers[idx] {
                None if is_opaque(entity) => Some(SkipReason::Opaque),
                None if has_checksum => Some(SkipReason::Checksum),
                seal => seal,
            };
        }
        Seals { headers, bodies }
    }

    pub(super) fn of_header(&self, idx: usize) -> Option<SkipReason> {
        self.headers[idx]
    }

    pub(super) fn of_body(&self, idx: usize) -> Option<SkipReason> {
        self.bodies[idx]
    }
}

/// Returns true if a message has a DKIM or ARC signature.
pub(super) fn is_dkim(message: &Entity, bytes: &[u8]) -> bool {
    let is_one = |name: &&str| message.field(name, bytes).is_some();
    ["DKIM-Signature", "ARC-Message-Signature", "DomainKey-Signature"].iter().any(is_one)
}

/// Returns true if the body of an entity cannot be read without a key or a CMS parser.
pub(super) fn is_opaque(entity: &Entity) -> bool {
    matches!(
        &*entity.content_type.media_type,
        "multipart/encrypted" | "application/pkcs7-mime" | "application/x-pkcs7-mime"
    )
}

/// Returns true if a text contains an inline signature or encrypted text.
pub(super) fn is_inline(text: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN PGP ";
    let is_one = |at: usize| {
        let rest = &text[at + BEGIN.len()..];
        rest.starts_with(b"SIGNED MESSAGE-----") || rest.starts_with(b"MESSAGE-----")
    };
    memmem::find_iter(text, BEGIN).any(is_one)
}

/// The values that depend on edits of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct DerivedValues {
    /// Bodies, and the digits that count their bytes: `Content-Length`.
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
        let is_signed = |(_, idx): &(usize, &Entity)| is_dkim(idx, bytes);
        let is_root = |(_, entity): &(usize, &Entity)| {
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
