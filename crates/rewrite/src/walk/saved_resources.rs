//! What was saved with a document: `Page_files/` beside `Page.html`.
//!
//! A browser that saves a page with all that it shows writes references to those files relative to the file, and notes the URL that the
//! page was from in a comment. That URL is the base of every other reference, but not of these: they stay as they are, wherever the page
//! was from. In a mirror that keeps each host in a folder (HTTrack) these are the references that lead out of the folder of the host.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::{BaseSource, Context};
use urlcore::{Dialect, Form, Reference, Resolver, clean, escape};

use crate::slots::SlotId;
use crate::walk::scope::Scope;

/// Names in the folder that a document lies in, under a hint of where it was from.
pub(crate) struct SavedResources {
    names: Arc<HashSet<Vec<u8>>>,
    /// The folder of the URL that the document was from, with a slash at its end.
    folder: String,
}

impl SavedResources {
    /// What a context knows to be saved with its document.
    pub(crate) fn of(context: &Context<'_>) -> Option<SavedResources> {
        let names = context.saved_beside().filter(|names| !names.is_empty())?;
        let resolver = Resolver::new(context.base()?, Dialect::Web).ok()?;
        let folder = resolver.resolve("./").ok()?.url()?;
        Some(SavedResources { names: Arc::clone(names), folder })
    }

    /// Whether a reference leads to what was saved with the document. A relative base (`<base href=".">` is what Blink makes of any) is
    /// one of these references: under what it would be if it were absolute they would lead elsewhere.
    pub(crate) fn has(&self, reference: &str, slot: SlotId, scope: &Scope<'_>) -> bool {
        let is_hinted =
            || scope.context.chain().any(|context| context.source() == BaseSource::Hint);
        let text = clean(reference, scope.dialect);
        if Reference::split(&text, scope.dialect).form() != Form::RelativePath || !is_hinted() {
            return false;
        }
        if slot == SlotId::BASE_HREF || slot == SlotId::XML_BASE {
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

    /// Whether a relative path has more `..` than the folder has folders around it up to its host.
    fn leads_above(&self, text: &str) -> bool {
        let path = |url| Reference::split(url, Dialect::Web).path();
        let mut depth = path(&self.folder).matches('/').count();
        for segment in path(text).split(['/', '\\']) {
            match segment {
                "" | "." => {}
                // The folder of the host itself is not counted.
                ".." if depth <= 1 => return true,
                ".." => depth -= 1,
                _ => depth += 1,
            }
        }
        false
    }
}
