//! The texts of the last edits: the next edit often writes one of them again and shares it.

use std::sync::Arc;

/// The number of texts that are kept. Most pages point to a few directories.
const N: usize = 4;

/// The octets that a shared text takes with its own: its counters, and those of the allocator.
pub(crate) const COUNTERS: usize = 4 * size_of::<usize>();

#[derive(Debug, Default)]
pub(crate) struct Recent {
    texts: [Arc<[u8]>; N],
    /// The index of the text to replace next.
    oldest: usize,
    /// The octets of all texts that are not shared.
    pub(crate) stored: usize,
    /// The number of texts.
    pub(crate) n_texts: usize,
}

impl Recent {
    /// Returns `text`, shared with an earlier edit if it is one of the last ones.
    pub(crate) fn shared(&mut self, text: &[u8]) -> Arc<[u8]> {
        self.n_texts += 1;
        if let Some(recent) = self.texts.iter().find(|recent| ***recent == *text) {
            return Arc::clone(recent);
        }
        self.stored += text.len() + COUNTERS;
        let recent = &mut self.texts[self.oldest];
        self.oldest = (self.oldest + 1) % N;
        *recent = text.into();
        Arc::clone(recent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_shared_and_others_are_not() {
        let mut recent = Recent::default();
        let texts = [&b"a"[..], b"b", b"c", b"d", b"e"];
        let first = texts.map(|text| recent.shared(text));
        assert_eq!(first.each_ref().map(|text| &**text), texts);
        // The oldest one was replaced.
        let again = texts.map(|text| recent.shared(text));
        assert_eq!(again, first);
        let is_same = |idx: usize| Arc::ptr_eq(&again[idx], &first[idx]);
        assert!(!is_same(0) && Arc::ptr_eq(&recent.shared(b"e"), &recent.shared(b"e")));
    }
}
