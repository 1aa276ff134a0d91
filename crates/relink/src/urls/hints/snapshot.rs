//! `Snapshot-Content-Location`: the header field in which Blink records the URL of a page that it
//! saves as MHTML.
//!
//! No specification defines it as a base. MHTML by Blink has an absolute `Content-Location` for
//! each part, which is a base; if no header section of a message declares a base, this field gives
//! the URL of the message.

use basectx::message::{Message, url_of};
use memchr::memmem;
use urlcore::{Dialect, Reference};

use super::{Hint, Source};

pub(super) const FIELD: &str = "Snapshot-Content-Location";

/// Returns the hint of a message.
pub(super) fn parse(bytes: &[u8]) -> Option<Hint> {
    let head = &bytes[..bytes.len().min(super::HEAD)];
    // Mailboxes contain many messages without the field, so only the header section is searched.
    let end = memchr::memchr_iter(b'\n', head).find_map(|at| match head[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })?;
    // Only Blink writes it, in this spelling.
    memmem::find(&head[..end], FIELD.as_bytes())?;
    // The parts are examined only if the message has the field.
    let header = &bytes[..end];
    let message = Message::read(header);
    let field = message.entities.first()?.field(FIELD, header)?;
    let hint = Hint::new(Source::Snapshot, &url_of(field, header)?, Some(field.value))?;
    let message = Message::read(bytes);
    let has_base = message.entities.iter().any(|entity| {
        let fields = BASES.iter().filter_map(|name| entity.field(name, bytes));
        fields.filter_map(|field| url_of(field, bytes)).any(|url| is_base(&url))
    });
    (!has_base).then_some(hint)
}

/// The fields that declare a base, in one profile or another.
const BASES: [&str; 3] = ["Content-Base", "Base", "Content-Location"];

fn is_base(url: &str) -> bool {
    let reference = Reference::split(url, Dialect::Rfc3986);
    reference.is_absolute()
        && (reference.authority().is_some() || reference.path().starts_with('/'))
}
