//! References to URLs whose host is a dot: HTTrack writes them for pages that it did not save. No
//! command can correct them, so they become a hint.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rewrite::{Options, Unit, references};

use crate::events::summary::n;

/// The URLs of this kind in the documents of a tree, without their fragments.
#[derive(Debug, Default)]
pub struct Leftovers(Mutex<BTreeSet<String>>);

impl Leftovers {
    /// Searches a document, which has [`Sign::DotHost`](crate::tree::signs::Sign::DotHost).
    pub fn search(&self, unit: Unit<'_>, options: &Options) {
        references(unit, options, |site| {
            let target = site.target().filter(|target| is_leftover(target));
            if let Some(url) = target.as_deref().and_then(|target| target.split('#').next()) {
                self.lock().insert(url.to_owned());
            }
        });
    }

    /// Returns the hint at the end of a run, if there are such URLs.
    pub fn hint(&self) -> Option<String> {
        let urls = self.lock();
        let first = urls.first()?;
        Some(format!(
            "hint: references point to {} without a host, such as {first}, which HTTrack writes for pages that it did not save; correct them by hand",
            n(urls.len(), "URL")
        ))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if the host of a URL is a dot.
pub fn is_leftover(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| rest == "." || rest.starts_with("./"))
}
