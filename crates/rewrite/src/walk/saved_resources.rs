//! The resources saved with a document: `Page_files/` next to `Page.html`.
//!
//! A browser that saves a page with its resources writes references to those files relative to the
//! file, and records the URL of the page in a comment. That URL is the base of every other
//! reference, but not of these: they stay unchanged wherever the page came from. In a mirror with a
//! directory for each host (HTTrack) these are the references that lead out of the directory of the
//! host.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::{BaseSource, Context};
use urlcore::{Dialect, Form, Reference, Resolver, clean, escape};

use crate::slots::SlotId;
use crate::walk::scope::Scope;

/// The names in the directory of a document whose base is a hint about its origin.
pub(crate) struct SavedResources {
    names: Arc<HashSet<Vec<u8>>>,
    /// The directory of the URL that the document came from, ending with a slash.
    folder: String,
}

impl SavedResources {
    /// Returns the resources that a context knows to be saved with its document.
    pub(crate) fn from_context(context: &Context<'_>) -> Option<SavedResources> {
        let names = context.saved_beside().filter(|names| !names.is_empty())?;
        let resolver = Resolver::new(context.base()?, Dialect::Web).ok()?;
        let folder = resolver.resolve("./").ok()?.url()?;
        Some(SavedResources { names: Arc::clone(names), folder })
    }

    /// Returns true if a reference points to a resource saved with the document. A relative base
    /// (Blink replaces every base by `<base href=".">`) is one of these references: if it were
    /// absolute, they would have other targets.
    pub(crate) fn has(&self, reference: &str, slot: SlotId, scope: &Scope<'_>) -> bool {
        let is_hinted =
            || scope.context.chain().any(|context| context.source() == BaseSource::Hint);
        let text = clean(reference, scope.dialect);
        if Reference::split(&text, scope.dialect).form() != Form::RelativePath || !is_hinted() {
            return false;
        }
        if slot == SlotId::BASE_HREF || slot.opens_scope() {
            return true;
        }
        let above: &[u8] = b"..";
        if self.names.contains(above) && self.leads_above(&text) {
            return true;
        }
        let target = scope.resolver.as_ref().and_then(|base| base.resolve(reference).ok()?.url());
        let below = target.as_deref().and_then(|target| target.strip_prefix(&*self.folder));
        let name = below.and_then(|below| below.split(['/', '\\', '?', '#']).next());
        name.is_some_and(|name| self.names.contains(&*escape::percent_decode(name)))
    }

    /// Returns true if a relative path has more `..` segments than there are directories up to the
    /// host.
    fn leads_above(&self, text: &str) -> bool {
        let path = |url| Reference::split(url, Dialect::Web).path();
        let mut depth = path(&self.folder).matches('/').count();
        for segment in path(text).split(['/', '\\']) {
            match segment {
                "" | "." => {}
                // The directory of the host itself is not counted.
                ".." if depth <= 1 => return true,
                ".." => depth -= 1,
                _ => depth += 1,
            }
        }
        false
    }
}
