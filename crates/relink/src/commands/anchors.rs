//! The names in documents that fragments point to: each document is read once, when it is first
//! needed.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use basectx::Context;
use rewrite::{Extras, Media, Options, SkipScope, Unit, references};

/// The names in one document, by their hashes; `None` if its names are not known.
type Names = Arc<OnceLock<Option<HashSet<u64>>>>;

/// The names in documents, by the number of their PATH and their path below it.
#[derive(Debug, Default)]
pub struct Anchors {
    documents: Mutex<HashMap<(usize, Vec<u8>), Names>>,
}

impl Anchors {
    /// Returns true if the document has one of these names, or may have. `read` returns its bytes,
    /// if it is a page or a drawing.
    pub fn have(
        &self,
        root: usize,
        path: &[u8],
        names: [&str; 2],
        read: impl FnOnce() -> Option<(Vec<u8>, Media)>,
    ) -> bool {
        let names_of = {
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(documents.entry((root, path.to_vec())).or_default())
        };
        // Other threads may read other documents meanwhile.
        let known =
            names_of.get_or_init(|| read().and_then(|(bytes, media)| names_in(&bytes, media)));
        // `#svgView(…)`, `#xpointer(…)`: more than a name.
        if names.iter().any(|name| name.contains('(')) {
            return true;
        }
        known.as_ref().is_none_or(|known| names.iter().any(|name| known.contains(&hash(name))))
    }
}

/// Returns the values of `id`, and of `name` of `a`, in a document (HTML 7.4.6.4; xml:id 1.0), if
/// it can be read.
fn names_in(bytes: &[u8], media: Media) -> Option<HashSet<u64>> {
    let mut extras = Extras::default();
    extras.add("id");
    extras.add("a[name]");
    if media == Media::XML {
        extras.add("xml:id");
    }
    let options = Options::default().with_extras(extras);
    let context = Context::none();
    let unit = Unit::new(bytes, media, &context);
    let mut names = HashSet::new();
    let report = references(unit, &options, |site| {
        // Another document's names are its own; without scripts, `noscript` is part of this one.
        let is_here = site
            .frame
            .embedded()
            .iter()
            .all(|(slot, _)| options.extras.name_of(*slot) == "noscript");
        if is_here && matches!(options.extras.name_of(site.slot), "*[id]" | "a[name]" | "*[xml:id]")
        {
            names.insert(hash(site.text));
        }
    });
    let is_read = report.skipped.iter().all(|skipped| skipped.extent != SkipScope::Unit);
    is_read.then_some(names)
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
