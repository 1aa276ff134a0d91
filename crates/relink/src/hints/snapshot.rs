//! `Snapshot-Content-Location`: where Blink notes the URL of a page that it saves as MHTML.
//!
//! It is no base in any text. What Blink saves has an absolute `Content-Location` for each part,
//! which is; where no heading of a message tells any, the field says what the message is of.

use basectx::message::{Message, url_of};
use memchr::memmem;
use urlcore::{Dialect, Reference};

use super::{Hint, Source};

pub(super) const FIELD: &str = "Snapshot-Content-Location";

/// The hint of a message.
pub(super) fn of(bytes: &[u8]) -> Option<Hint> {
    let ends = [&b"\n\n"[..], b"\n\r\n"];
    let head = &bytes[..bytes.len().min(super::HEAD)];
    // Only Blink writes it, and so. Mailboxes hold many messages without it.
    memmem::find(head, FIELD.as_bytes())?;
    let end =
        ends.into_iter().filter_map(|end| Some(memmem::find(head, end)? + end.len())).min()?;
    // Only of a message that has the field the parts are looked at.
    let heading = &bytes[..end];
    let message = Message::read(heading);
    let field = message.entities.first()?.field(FIELD, heading)?;
    let hint = Hint::new(Source::Snapshot, &url_of(field, heading)?, Some(field.value))?;
    let message = Message::read(bytes);
    let is_told = message.entities.iter().any(|entity| {
        let fields = BASES.iter().filter_map(|name| entity.field(name, bytes));
        fields.filter_map(|field| url_of(field, bytes)).any(|url| is_base(&url))
    });
    (!is_told).then_some(hint)
}

/// The fields that tell a base, in one profile or another.
const BASES: [&str; 3] = ["Content-Base", "Base", "Content-Location"];

fn is_base(url: &str) -> bool {
    let reference = Reference::split(url, Dialect::Rfc3986);
    reference.is_absolute()
        && (reference.authority().is_some() || reference.path().starts_with('/'))
}
