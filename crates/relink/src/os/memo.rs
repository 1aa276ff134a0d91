//! Results for texts, remembered by each thread in bounded memory.
//!
//! Invariant: a result depends on its text and kind alone, so that remembering it changes nothing
//! but the time. A text replaces the one in its place: no choice of texts makes a table grow or a
//! search in it long, so the hash needs no secret.

use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use crate::os::parallel;

/// The maximum number of places in the table of a thread.
const PLACES: usize = 1 << 14;

/// The number of places that a table begins with.
const FIRST: usize = 1 << 8;

/// The maximum number of bytes of all texts in the table of a thread. Results are about as long.
const BYTES: usize = 4 << 20;

/// The maximum length of a text that is remembered, in bytes.
const LONGEST: usize = 1 << 10;

/// The number of tables. Threads of which two share one compute what the other keeps locked.
const TABLES: usize = 64;

/// Results for texts.
pub struct Memo<V> {
    /// Made with the first result.
    tables: OnceLock<Tables<V>>,
    /// The maximum number of places in a table, a power of two, or 0.
    n_places: usize,
}

/// The tables of all threads.
type Tables<V> = Box<[Apart<Mutex<Table<V>>>]>;

/// A value in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

struct Table<V> {
    places: Vec<Option<Entry<V>>>,
    /// The number of places that are taken.
    n_taken: usize,
    /// The texts, also those that were replaced: one allocation, and not one for each.
    texts: String,
}

struct Entry<V> {
    hash: u64,
    kind: u64,
    text: Range<usize>,
    value: V,
}

impl<V> Memo<V> {
    /// Returns what `read` makes of the result for a text: the remembered one, or that of
    /// `compute`. `kind` distinguishes results of several kinds for one text.
    pub fn get<R>(
        &self,
        kind: u64,
        text: &str,
        compute: impl FnOnce() -> V,
        read: impl FnOnce(&V) -> R,
    ) -> R {
        let new_tables = || (0..TABLES).map(|_| Apart::default()).collect();
        let Apart(table) = &self.tables.get_or_init(new_tables)[parallel::thread_number() % TABLES];
        let hash = hash(kind, text);
        if let Ok(table) = table.try_lock()
            && let Some(value) = table.find(hash, kind, text)
        {
            return read(value);
        }
        // It may need another result.
        let value = compute();
        let result = read(&value);
        if text.len() <= LONGEST
            && let Ok(mut table) = table.try_lock()
        {
            table.insert((hash, kind, text), value, self.n_places);
        }
        result
    }

    /// Creates one whose tables have at most so many places, a power of two or 0.
    pub fn with_places(n_places: usize) -> Self {
        Memo { tables: OnceLock::new(), n_places }
    }
}

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Memo::with_places(PLACES)
    }
}

impl<V> fmt::Debug for Memo<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").finish_non_exhaustive()
    }
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table { places: Vec::new(), n_taken: 0, texts: String::new() }
    }
}

impl<V> Table<V> {
    fn find(&self, hash: u64, kind: u64, text: &str) -> Option<&V> {
        let found = self.places.get(place(hash, self.places.len()))?.as_ref()?;
        let known = || self.texts.get(found.text.clone());
        let is_same = found.hash == hash && found.kind == kind && known() == Some(text);
        is_same.then_some(&found.value)
    }

    fn insert(&mut self, (hash, kind, text): (u64, u64, &str), value: V, n_places: usize) {
        if n_places == 0 {
            return;
        }
        if self.texts.len() + text.len() > BYTES {
            self.places.fill_with(|| None);
            self.n_taken = 0;
            self.texts.clear();
        }
        if 2 * self.n_taken >= self.places.len() && self.places.len() < n_places {
            let n_more = (4 * self.places.len()).clamp(FIRST.min(n_places), n_places);
            let old = std::mem::take(&mut self.places);
            self.n_taken = 0;
            self.places.resize_with(n_more, || None);
            old.into_iter().flatten().for_each(|known| self.put(known));
        }
        let start = self.texts.len();
        self.texts.push_str(text);
        self.put(Entry { hash, kind, text: start..self.texts.len(), value });
    }

    fn put(&mut self, new: Entry<V>) {
        let number = place(new.hash, self.places.len());
        let Some(place) = self.places.get_mut(number) else { return };
        self.n_taken += usize::from(place.is_none());
        *place = Some(new);
    }
}

/// Returns the number of the place for a hash. The upper half of it is the better one.
fn place(hash: u64, n_places: usize) -> usize {
    usize::try_from(hash >> 32).unwrap_or_default() & n_places.wrapping_sub(1)
}

fn hash(kind: u64, text: &str) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^ (hash >> 32)
    };
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let hash = mixed(kind, text.len() as u64);
    let hash = words.iter().fold(hash, |hash, word| mixed(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mixed(hash, u64::from_le_bytes(last)).wrapping_mul(FACTOR)
}
