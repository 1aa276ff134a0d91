//! The number of documents whose URLs are hints, by source.

use std::collections::BTreeMap;

use super::Source;

/// The documents of a run whose URLs are hints, by source.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<Source, usize>);

impl Tally {
    /// Counts a document.
    pub(crate) fn add(&mut self, hint: Option<Source>) {
        if let Some(source) = hint {
            *self.0.entry(source).or_default() += 1;
        }
    }

    /// Returns the numbers in words, if there are any.
    pub fn words(&self) -> Option<String> {
        let mut words = match self.0.values().sum() {
            0 => return None,
            1 => "the URL of 1 document comes from provenance metadata: ".to_owned(),
            n => format!("the URLs of {n} documents come from provenance metadata: "),
        };
        for (idx, (source, n)) in self.0.iter().enumerate() {
            let separator = if idx > 0 { ", " } else { "" };
            let (one, more) = nouns(*source);
            words.push_str(&format!("{separator}{n} {}", if *n == 1 { one } else { more }));
        }
        Some(words)
    }
}

const fn nouns(source: Source) -> (&'static str, &'static str) {
    match source {
        Source::Attribute => ("extended attribute", "extended attributes"),
        Source::Snapshot => ("Snapshot-Content-Location", "Snapshot-Content-Locations"),
        Source::SavedFrom => ("saved-from comment", "saved-from comments"),
        Source::SingleFile => ("comment of SingleFile", "comments of SingleFile"),
        Source::Httrack => ("comment of HTTrack", "comments of HTTrack"),
        Source::Wayback => ("script of the Wayback Machine", "scripts of the Wayback Machine"),
        Source::Canonical => ("canonical link", "canonical links"),
        Source::OpenGraph => ("og:url", "og:url"),
    }
}
