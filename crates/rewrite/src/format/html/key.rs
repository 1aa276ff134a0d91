//! Names of elements and attributes as numbers, so that comparing two is one instruction and a
//! table of them is a perfect hash.

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
    STRONG "strong" STYLE "style" SUB "sub" SUP "sup" SVG "svg" TABLE "table" TEMPLATE "template" TEXTAREA "textarea" TITLE "title"
    TT "tt" TYPE "type" U "u" UL "ul" USE "use" VALUE "value" VALUETYPE "valuetype" VAR "var" VIDEO "video" XMP "xmp"
}

#[cfg(test)]
mod tests {
    use super::*;

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
