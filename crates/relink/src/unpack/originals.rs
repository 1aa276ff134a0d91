//! The captures that others repeat (`revisit` records; WARC 1.1, section 6.7).

use std::collections::HashMap;

use super::captured_pages::{Page, Pages};
use super::ranking::Row;
use super::record::{Class, Kind, moment};
use crate::digest::Short;

/// The captures with the content that others repeat, by their digests, and by their [`moment`]s.
#[derive(Debug, Default)]
pub(super) struct Originals {
    by_digest: HashMap<Short, Option<u32>>,
    by_moment: HashMap<Short, Option<u32>>,
}

impl Originals {
    pub(super) fn new(rows: &[Row], pages: &Pages) -> Self {
        let mut found = Originals::default();
        for (idx, row) in rows.iter().enumerate() {
            if let Kind::Revisit(named) = row.kind {
                found.by_moment.extend(named.map(|moment| (moment, None)));
                found.by_digest.extend(pages.source(idx).digest.map(|digest| (digest, None)));
            }
        }
        let Originals { by_digest, by_moment } = &mut found;
        if by_digest.is_empty() && by_moment.is_empty() {
            return found;
        }
        let class = |idx: u32| rows[idx as usize].class;
        // The first one of the best class.
        let set = |original: &mut Option<u32>, idx: u32| {
            if original.is_none_or(|other| class(idx) < class(other)) {
                *original = Some(idx);
            }
        };
        let has_content =
            |(_, row): &(u32, &Row)| matches!(row.kind, Kind::Content) && row.class != Class::Other;
        for (idx, row) in (0..).zip(rows).filter(has_content) {
            if let Some(digest) = pages.source(idx as usize).digest
                && let Some(original) = by_digest.get_mut(&digest)
            {
                set(original, idx);
            }
            if !by_moment.is_empty() {
                let Page { time, .. } = pages.get(idx as usize);
                if let Some(original) = by_moment.get_mut(&moment(row.id, &time)) {
                    set(original, idx);
                }
            }
        }
        found
    }

    /// Returns the position of the capture with a moment, or else of the first one with a digest.
    pub(super) fn get(&self, moment: Option<Short>, digest: Option<Short>) -> Option<u32> {
        let named = moment.and_then(|moment| self.by_moment.get(&moment).copied().flatten());
        named.or_else(|| self.by_digest.get(&digest?).copied().flatten())
    }
}
