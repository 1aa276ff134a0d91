//! The entities of a message that must not be edited: signed, encrypted, or covered by a checksum.
//!
//! RFC 1847 2.1 (`multipart/signed`: the first part is signed octet by octet, including its header
//! section), RFC 8551 3.2 (PKCS#7), RFC 9580 7 (inline OpenPGP), RFC 6376 and RFC 8617 (DKIM, ARC:
//! the whole message), RFC 1864 and RFC 9530 (checksums of bodies).

use basectx::message::{Entity, Message};
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
