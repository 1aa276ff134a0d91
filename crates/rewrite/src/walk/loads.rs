//! Conditions on what a document loads: which of them are values, and the URL that each is about.

use crate::format;
use crate::format::found::{Against, Value};
use crate::options::Integrity;
use crate::slots::SlotId;
use crate::walk::scope::Scope;
use crate::walk::{Text, Walk, decode};

impl Walk<'_> {
    /// Returns false for a condition on what is loaded, if conditions stay. From a disk, no module
    /// is loaded, and there are no header fields.
    #[inline]
    pub(crate) fn reads(&self, value: &Value) -> bool {
        match (value.against, self.options.integrity) {
            (Against::LoadOf(_), Integrity::Keep) => false,
            (Against::LoadOf(_), Integrity::Remove) => {
                ![SlotId::IMPORTMAP_DIGEST, SlotId::HEADERS_DIGEST].contains(&value.slot)
            }
            _ => !value.slot.is_policy() || self.text_digests.is_some(),
        }
    }
}

/// Returns the URL that a reference loads, as a browser requests it.
pub(crate) fn url(text: Text<'_>, value: &Value, scope: &Scope<'_>) -> Option<String> {
    let decoded = decode(value, text).text;
    let reference = format::url(&decoded);
    let reference = &decoded[reference.start..reference.end];
    let mut url = scope.resolver.as_ref()?.resolve(reference).ok()?.url()?;
    url.truncate(url.find('#').unwrap_or(url.len()));
    let charset = value.slot.query_charset(value.syntax, text.query_charset);
    Some(charset.escape_query(&url).into_owned())
}
