//! The captures that others repeat (`revisit` records; WARC 1.1, section 6.7).

use std::collections::HashMap;

use super::captured_pages::{Page, Pages};
use super::ranking::Row;
use super::record::{Class, Kind, moment};
use crate::os::digest::Short;

/// The captures with the content that others repeat, by their digests, and by their [`moment`]s or
/// the hashes of their identifiers.
#[derive(Debug, Default)]
pub(super) struct Originals {
    by_digest: HashMap<Short, Option<Original>>,
    by_moment: HashMap<Short, Option<Original>>,
}

/// A capture that others repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Original {
    /// Its position.
    pub(super) capture: u32,
    /// True if there are others that may do instead.
    pub(super) has_others: bool,
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
        let set = |original: &mut Option<Original>, idx: u32| {
            let has_others = original.is_some();
            let other = original.filter(|other| class(other.capture) <= class(idx));
            let capture = other.map_or(idx, |other| other.capture);
            *original = Some(Original { capture, has_others });
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
                if let Some(original) = row.names.own.and_then(|own| by_moment.get_mut(&own)) {
                    set(original, idx);
                }
                let Page { time, .. } = pages.get(idx as usize);
                if let Some(original) = by_moment.get_mut(&moment(row.id, &time)) {
                    set(original, idx);
                }
            }
        }
        found
    }

    /// Returns the capture with a moment, or else the first one with a digest.
    pub(super) fn get(&self, moment: Option<Short>, digest: Option<Short>) -> Option<Original> {
        let named = moment.and_then(|moment| self.by_moment.get(&moment).copied().flatten());
        named.or_else(|| self.by_digest.get(&digest?).copied().flatten())
    }
}
