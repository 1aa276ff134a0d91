//! The documents of a mirror that have the same bytes: one of them may be what a redirect from the
//! URL of the other led to.
//!
//! They are read before the run, which may change one of them before it reads the other.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::detect;
use crate::files::existing::Files;
use crate::files::media::{FileType, Types};
use crate::os::digest;
use crate::os::paths;
use crate::urls::origins::Place;

/// Groups of such documents.
#[derive(Debug, Default)]
pub struct SameBytes {
    groups: Vec<Vec<Place>>,
    /// The number of the group of a document.
    numbers: HashMap<Place, usize>,
}

impl SameBytes {
    /// Compares the documents in the directories of a run that have the same length.
    pub fn read(directories: &[Option<PathBuf>], files: &Files, types: &Types) -> Self {
        let path = |(root, below): &Place| {
            Some(directories.get(*root)?.as_ref()?.join(paths::from_bytes(below)?))
        };
        let mut by_length: BTreeMap<u64, Vec<Place>> = BTreeMap::new();
        for root in 0..directories.len() {
            for below in files.sorted(root) {
                let place = (root, below.to_vec());
                let Some(path) = path(&place) else { continue };
                let is_document =
                    matches!(types.of_path(&path), FileType::Document(_) | FileType::Unknown);
                if let Some(metadata) = path.metadata().ok().filter(|_| is_document) {
                    by_length.entry(metadata.len()).or_default().push(place);
                }
            }
        }
        let mut by_bytes: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        for place in by_length.into_values().filter(|places| places.len() > 1).flatten() {
            if let Some(bytes) = path(&place).and_then(|path| detect::read(&path)) {
                by_bytes.entry(digest::of_bytes(&bytes)).or_default().push(place);
            }
        }
        let mut same = SameBytes::default();
        for mut group in by_bytes.into_values().filter(|group| group.len() > 1) {
            group.sort_unstable();
            let number = same.groups.len();
            same.numbers.extend(group.iter().map(|place| (place.clone(), number)));
            same.groups.push(group);
        }
        same
    }

    /// Returns all documents with the bytes of one, in path order.
    pub fn of(&self, place: &Place) -> impl Iterator<Item = &Place> {
        self.numbers.get(place).into_iter().flat_map(|number| &self.groups[*number])
    }
}
