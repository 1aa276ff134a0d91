//! The index from attribute names to rows of the table of slots: a perfect hash that the compiler
//! builds.

use std::borrow::Cow;

use basectx::html::Namespace;

use crate::slots::{ATTRIBUTES_END, ATTRIBUTES_START, SLOTS, Slot, SlotId, is_same};

/// The table has two to this power entries, several times the number of names, so that a multiplier
/// without collisions is found quickly.
const N_BITS: u32 = 10;

/// The rows of one attribute.
#[derive(Clone, Copy)]
pub(super) struct AttributeRows {
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
const GROUPS: [AttributeRows; N_GROUPS] = {
    assert!(ATTRIBUTES_END < 256, "the number of a row is a byte");
    let mut groups = [AttributeRows {
        key: attribute(ATTRIBUTES_START),
        number: 0,
        is_exact: false,
        start: 0,
        end: 0,
    }; N_GROUPS];
    let (mut n, mut start) = (0, ATTRIBUTES_START);
    while start < ATTRIBUTES_END {
        let mut end = start + 1;
        while end < ATTRIBUTES_END && attribute(end).is(attribute(start)) {
            let is_one = is_same(SLOTS[end].attribute, SLOTS[start].attribute);
            assert!(is_one, "two long names have the same first and last eight bytes");
            end += 1;
        }
        groups[n] = AttributeRows {
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
pub(super) fn group(key: Key, name: &[u8]) -> Option<&'static AttributeRows> {
    static TABLE: [u8; 1 << N_BITS] = INDEX.1;
    static FLAT: [AttributeRows; N_GROUPS] = GROUPS;
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

impl AttributeRows {
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

// Names of elements and attributes as numbers, so that comparing two is one instruction and a
// table of them is a perfect hash.

/// Returns the text of an attribute of an element.
pub(crate) type TextOf<'t> = dyn Fn(Key) -> Option<Cow<'t, str>> + 't;

/// A name of at most sixteen bytes in lower case, or the first and the last eight bytes of a longer
/// name.
///
/// Lower case is made by setting a bit, which also maps some control characters to punctuation
/// (`\x1A` to `:`). For names of letters and hyphens of at most sixteen bytes an equal key means an
/// equal name; for others it means that the names must be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key(u128);

/// The bit of lower case in each of eight bytes.
const CASE: u64 = u64::from_ne_bytes([0x20; 8]);

impl Key {
    /// The number of bytes of a name that fit into a key.
    pub(crate) const MAX_LEN: usize = 16;

    /// The bit of the keys of longer names, which no shorter name of letters and hyphens has.
    const LONG: u128 = 1 << 127;

    /// Returns the key of a name in lower case.
    pub(crate) const fn new(name: &str) -> Key {
        let bytes = name.as_bytes();
        if bytes.len() > Key::MAX_LEN {
            return Key::of_long(bytes);
        }
        let mut key = 0;
        let mut idx = 0;
        while idx < bytes.len() {
            key |= ((bytes[idx] | 0x20) as u128) << (8 * idx);
            idx += 1;
        }
        Key(key)
    }

    /// Returns the key of a name of more than sixteen bytes.
    const fn of_long(name: &[u8]) -> Key {
        match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
                Key((first | CASE) as u128 | ((last | CASE) as u128) << 64 | Key::LONG)
            }
            _ => Key(Key::LONG),
        }
    }

    /// Returns the key of a name of one to eight bytes, the first ones of a word.
    #[inline]
    pub(super) fn of_word(word: u64, len: usize) -> Key {
        Key(u128::from((word | CASE) & (u64::MAX >> (64 - 8 * len))))
    }

    /// Returns the key of the name of `len` bytes at `start`.
    #[inline]
    pub(crate) fn at(input: &[u8], start: usize, len: usize) -> Key {
        let rest = &input[start..];
        // Most names are short, and not at the end of the input.
        if let (1..=8, Some(bytes)) = (len, rest.first_chunk()) {
            return Key::of_word(u64::from_le_bytes(*bytes), len);
        }
        if len > Key::MAX_LEN {
            return Key::of_long(&rest[..len]);
        }
        let mut bytes = [0; 16];
        bytes[..len].copy_from_slice(&rest[..len]);
        bytes[..len].iter_mut().for_each(|byte| *byte |= 0x20);
        Key(u128::from_le_bytes(bytes))
    }

    /// Returns a hash below 2 to the power of `n_bits`, computed with `multiplier`.
    #[allow(clippy::cast_possible_truncation)] // Both halves contribute.
    pub(crate) const fn hash(self, multiplier: u64, n_bits: u32) -> usize {
        let folded = (self.0 as u64) ^ ((self.0 >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(multiplier) >> (64 - n_bits)) as usize
    }

    #[inline]
    pub(crate) const fn is(self, other: Key) -> bool {
        self.0 == other.0
    }
}

/// Defines a constant for each name.
macro_rules! keys {
    ($($constant:ident $name:literal)*) => {
        impl Key {
            $(pub(crate) const $constant: Key = Key::new($name);)*
        }
    };
}

keys! {
    ANNOTATION_XML "annotation-xml" APPLET "applet" AS "as" ATTRIBUTE_NAME "attributename" AUDIO "audio" B "b" BASE "base" BIG "big" BLOCKQUOTE "blockquote" BODY "body" BR "br"
    CENTER "center" CHARSET "charset" CLASSID "classid" CODE "code" CODEBASE "codebase" COL "col" COLGROUP "colgroup" COLOR "color"
    CONTENT "content" CROSSORIGIN "crossorigin" DATA_CROSSORIGIN "data-crossorigin" DATA_INTEGRITY "data-integrity" DD "dd" DESC "desc" DIV "div" DL "dl" DT "dt" EM "em" EMBED "embed" ENVIRONMENT_IMAGE "environment-image" FACE "face" FE_IMAGE "feimage" FONT "font"
    FOREIGN_OBJECT "foreignobject" FRAMESET "frameset" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEAD "head" HR "hr" HREF "href"
    HTML "html" HTTP_EQUIV "http-equiv" I "i" IFRAME "iframe" IMAGE "image" IMG "img" INTEGRITY "integrity" ITEMPROP "itemprop" LI "li" LINK "link"
    LISTING "listing" LOADING "loading" MATH "math" MENU "menu" META "meta" MI "mi" MN "mn" MO "mo" MS "ms" MTEXT "mtext" NAME "name" NOBR "nobr"
    NOEMBED "noembed" NOFRAMES "noframes" NOSCRIPT "noscript" OBJECT "object" OL "ol" P "p" PLAINTEXT "plaintext" PRE "pre"
    PROPERTY "property" REL "rel" RUBY "ruby" S "s" SCRIPT "script" SELECT "select" SIZE "size" SMALL "small" SOURCE "source" SPAN "span" SRC "src" SRCSET "srcset" STRIKE "strike"
    STRONG "strong" STYLE "style" SUB "sub" SUP "sup" SVG "svg" TABLE "table" TARGET_MODE "targetmode" TEMPLATE "template" TEXTAREA "textarea" TITLE "title"
    TT "tt" TYPE "type" U "u" UL "ul" USE "use" VALUE "value" VALUETYPE "valuetype" VAR "var" VIDEO "video" XMP "xmp"
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

    #[test]
    fn names_are_recognized_in_any_case_and_place() {
        for (name, at) in [("href", 0), ("a-much-longer-na", 3), ("b", 40), ("http-equiv", 30)] {
            let input = format!("{}{}", "x".repeat(at), name.to_uppercase());
            assert!(Key::at(input.as_bytes(), at, name.len()) == Key::new(name), "{name}");
            let input = format!("{input}={}", "y".repeat(20));
            assert!(Key::at(input.as_bytes(), at, name.len()) == Key::new(name), "{name}");
        }
        assert!(Key::at(b"href", 0, 3) != Key::new("href"));
        assert!(Key::at(b"attributionsrcxyzw", 0, 18) == Key::new("attributionsrcxyzw"));
        assert!(Key::at(b"=ENVIRONMENT-image=", 1, 17) == Key::ENVIRONMENT_IMAGE);
        assert!(Key::at(b"environment-image", 0, 16) != Key::ENVIRONMENT_IMAGE);
        // The first and the last eight bytes of the long name, and no name of sixteen bytes.
        assert!(Key::new("environmnt-image") != Key::ENVIRONMENT_IMAGE);
        // These must be compared.
        assert!(Key::new("environm-xx-nt-image") == Key::ENVIRONMENT_IMAGE);
        assert!(Key::at(b"abc", 1, 0) == Key::default());
    }
}
