//! The index from attribute names to rows of the table of slots: a perfect hash that the compiler
//! builds.

use basectx::html::Namespace;

use super::key::Key;
use crate::slots::{ATTRIBUTES_END, ATTRIBUTES_START, SLOTS, Slot, SlotId, is_same};

/// The table has two to this power entries, several times the number of names, so that a multiplier
/// without collisions is found quickly.
const N_BITS: u32 = 10;

/// The rows of one attribute.
#[derive(Clone, Copy)]
pub(super) struct Group {
    key: Key,
    /// The number of the attribute, less than [`N_GROUPS`].
    pub(super) number: u8,
    /// True if an equal key means that the name is equal.
    is_exact: bool,
    start: u8,
    end: u8,
}

/// The number of attributes with rows.
const N_GROUPS: usize = {
    let (mut n, mut idx) = (0, ATTRIBUTES_START);
    while idx < ATTRIBUTES_END {
        if idx == ATTRIBUTES_START || !attribute(idx).is(attribute(idx - 1)) {
            n += 1;
        }
        idx += 1;
    }
    assert!(n <= 128, "a set of attributes is a number of 128 bits");
    n
};

const fn attribute(row: usize) -> Key {
    Key::new(SLOTS[row].attribute)
}

#[allow(clippy::cast_possible_truncation)] // The assertions guarantee that nothing is truncated.
const GROUPS: [Group; N_GROUPS] = {
    assert!(ATTRIBUTES_END < 256, "the number of a row is a byte");
    let mut groups =
        [Group { key: attribute(ATTRIBUTES_START), number: 0, is_exact: false, start: 0, end: 0 };
            N_GROUPS];
    let (mut n, mut start) = (0, ATTRIBUTES_START);
    while start < ATTRIBUTES_END {
        let mut end = start + 1;
        while end < ATTRIBUTES_END && attribute(end).is(attribute(start)) {
            let is_one = is_same(SLOTS[end].attribute, SLOTS[start].attribute);
            assert!(is_one, "two long names have the same first and last eight bytes");
            end += 1;
        }
        groups[n] = Group {
            key: attribute(start),
            number: n as u8,
            is_exact: is_exact(SLOTS[start].attribute),
            start: start as u8,
            end: end as u8,
        };
        n += 1;
        start = end;
    }
    groups
};

/// Returns true if a key is that of this name only: if it fits, and has only letters and hyphens.
const fn is_exact(name: &str) -> bool {
    let name = name.as_bytes();
    let mut idx = 0;
    while idx < name.len() {
        if !name[idx].is_ascii_alphabetic() && name[idx] != b'-' {
            return false;
        }
        idx += 1;
    }
    name.len() <= Key::MAX_LEN
}

/// The elements of the rows; an empty name means any element.
const ELEMENTS: [Key; ATTRIBUTES_END] = {
    let mut keys = [Key::new(""); ATTRIBUTES_END];
    let mut idx = 0;
    while idx < ATTRIBUTES_END {
        let element = SLOTS[idx].element;
        // Names of elements are not compared after their keys.
        assert!(element.len() <= Key::MAX_LEN, "the name of an element does not fit into its key");
        keys[idx] = Key::new(element);
        idx += 1;
    }
    keys
};

const EMPTY: u8 = u8::MAX;

/// The numbers of the groups by hash; `None` if two names collide.
#[allow(clippy::cast_possible_truncation)] // There are at most 128.
const fn table(multiplier: u64) -> Option<[u8; 1 << N_BITS]> {
    let mut table = [EMPTY; 1 << N_BITS];
    let mut idx = 0;
    while idx < N_GROUPS {
        let hash = GROUPS[idx].key.hash(multiplier, N_BITS);
        if table[hash] != EMPTY {
            return None;
        }
        table[hash] = idx as u8;
        idx += 1;
    }
    Some(table)
}

const INDEX: (u64, [u8; 1 << N_BITS]) = {
    let mut multiplier: u64 = 0x9E37_79B9_7F4A_7C15;
    loop {
        match table(multiplier) {
            Some(table) => break (multiplier, table),
            None => multiplier = multiplier.wrapping_add(2),
        }
    }
};

/// Returns the rows of the attribute with this key and name, if it has some.
#[inline]
pub(super) fn group(key: Key, name: &[u8]) -> Option<&'static Group> {
    static TABLE: [u8; 1 << N_BITS] = INDEX.1;
    static FLAT: [Group; N_GROUPS] = GROUPS;
    let group = FLAT.get(usize::from(TABLE[key.hash(INDEX.0, N_BITS)]))?;
    let is_same = group.key.is(key)
        && (group.is_exact || name.eq_ignore_ascii_case(group.attribute().as_bytes()));
    is_same.then_some(group)
}

/// Attributes that affect other attributes of the same tag, the text after it, or the document.
const DECIDING: [Key; 16] = [
    Key::AS,
    Key::CHARSET,
    Key::COLOR,
    Key::CROSSORIGIN,
    Key::DATA_CROSSORIGIN,
    Key::DATA_INTEGRITY,
    Key::FACE,
    Key::HTTP_EQUIV,
    Key::INTEGRITY,
    Key::ITEMPROP,
    Key::NAME,
    Key::PROPERTY,
    Key::REL,
    Key::SIZE,
    Key::TYPE,
    Key::VALUETYPE,
];

/// Returns true if an attribute may have rows or affect others; false for almost all that do not.
#[inline]
pub(super) fn may_matter(key: Key) -> bool {
    const MULTIPLIER: u64 = INDEX.0;
    static MARKS: [bool; 1 << N_BITS] = {
        let mut marks = [false; 1 << N_BITS];
        let mut idx = 0;
        while idx < N_GROUPS {
            marks[GROUPS[idx].key.hash(MULTIPLIER, N_BITS)] = true;
            idx += 1;
        }
        idx = 0;
        while idx < DECIDING.len() {
            marks[DECIDING[idx].hash(MULTIPLIER, N_BITS)] = true;
            idx += 1;
        }
        marks
    };
    MARKS[key.hash(MULTIPLIER, N_BITS)]
}

impl Group {
    /// Returns the name of the attribute in lower case.
    pub(super) fn attribute(&self) -> &'static str {
        SLOTS[usize::from(self.start)].attribute
    }

    /// Returns the rows for an element, those for this specific element first.
    #[inline]
    pub(super) fn rows(
        &self,
        namespace: Namespace,
        element: Key,
    ) -> impl Iterator<Item = (SlotId, &'static Slot)> {
        static KEYS: [Key; ATTRIBUTES_END] = ELEMENTS;
        (usize::from(self.start)..usize::from(self.end))
            .filter(move |row| KEYS[*row].is(element) || KEYS[*row].is(Key::new("")))
            .map(|row| (SlotId::of_row(row), &SLOTS[row]))
            .filter(move |(_, slot)| slot.namespace.is_none_or(|expected| expected == namespace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_and_nothing_else() {
        for slot in &SLOTS[ATTRIBUTES_START..ATTRIBUTES_END] {
            let group = group(Key::new(slot.attribute), slot.attribute.as_bytes()).unwrap();
            assert_eq!(group.attribute(), slot.attribute);
            let namespace = slot.namespace.unwrap_or(Namespace::Html);
            let element = if slot.element.is_empty() { "x" } else { slot.element };
            assert!(
                group.rows(namespace, Key::new(element)).any(|(_, found)| found.name == slot.name)
            );
        }
        for name in ["", "class", "id", "hre", "hrefs", "attributionsrc-of-another"] {
            assert!(group(Key::new(name), name.as_bytes()).is_none(), "{name}");
        }
    }
}
