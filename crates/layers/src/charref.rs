//! Character references of HTML: `&amp;`, `&#38;`, `&copy` and so on, decoded with a map.
//!
//! Invariant: a unit's raw bytes are exactly one character reference (or one NUL), so that no edit
//! cuts one in two. HTML standard, sections 13.2.5.72 to 13.2.5.80.

use memchr::{memchr, memchr2};

use crate::charset::Charset;
use crate::find_byte::find_byte;
use crate::map::{Builder, Decoded};
use crate::{Span, Unliftable};

/// The place of a character reference; the rules differ between attribute values and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharrefPlace {
    /// In an attribute value: a legacy name without `;` before `=` or a letter or digit is not a
    /// reference.
    Attribute,
    /// In the text of an element.
    Text,
}

/// Decodes the charset and the character references of `raw` in one pass; borrows `raw` if there is
/// nothing to decode.
///
/// NUL becomes U+FFFD, as in the tokenizer; line ends are unchanged.
///
/// # Examples
///
/// ```
/// use relink_layers::{charref, Charset};
/// let place = charref::CharrefPlace::Attribute;
/// let decoded = charref::decode(b"a?b&amp;c&copy=d", Charset::UTF_8, place);
/// assert_eq!(decoded.text, "a?b&c&copy=d");
/// ```
pub fn decode(raw: &[u8], charset: Charset, place: CharrefPlace) -> Decoded<'_> {
    let Some(first) = memchr2(b'&', 0, raw) else {
        return charset.decode(raw);
    };
    let mut builder = Builder::with_capacities(raw.len(), 8);
    // If the whole of `raw` is text, its pieces need no check.
    let text = charset.as_text(raw);
    let plain = |from: usize, to: usize, builder: &mut Builder| match text {
        Some(text) => builder.plain(&text[from..to]),
        None => charset.decode_onto(raw, Span::new(from, to), builder),
    };
    let (mut found_at, mut from) = (Some(first), 0);
    while let Some(next) = found_at {
        let mut buffer = [0; 4];
        let found = match raw[next] {
            0 => Some((1, "\u{FFFD}")),
            _ => reference(&raw[next..], place, &mut buffer),
        };
        let at = match found {
            Some((len, text)) => {
                plain(from, next, &mut builder);
                builder.unit(Span::new(next, next + len), text);
                from = next + len;
                from
            }
            None => next + 1,
        };
        found_at = find_byte(&raw[at..], [b'&', 0]).map(|length| at + length);
    }
    plain(from, raw.len(), &mut builder);
    builder.finish()
}

/// Returns the length of the character reference at the start of `raw` (which begins with `&`), and
/// the text that it represents.
fn reference<'t>(
    raw: &[u8],
    place: CharrefPlace,
    buffer: &'t mut [u8; 4],
) -> Option<(usize, &'t str)> {
    match raw.get(1) {
        Some(b'#') => {
            let (len, char) = numeric(raw)?;
            Some((len, char.encode_utf8(buffer)))
        }
        Some(byte) if byte.is_ascii_alphanumeric() => named(raw, place),
        _ => None,
    }
}

/// Reads `&#38;` and `&#x26;`, with or without `;`: HTML standard 13.2.5.75 to 13.2.5.80.
fn numeric(raw: &[u8]) -> Option<(usize, char)> {
    let (radix, start) = match raw.get(2) {
        Some(b'x' | b'X') => (16, 3),
        _ => (10, 2),
    };
    let mut number: u32 = 0;
    let mut at = start;
    while let Some(digit) = raw.get(at).and_then(|byte| char::from(*byte).to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return None;
    }
    let len = if raw.get(at) == Some(&b';') { at + 1 } else { at };
    let number = match number {
        0 => 0xFFFD,
        0x80..=0x9F => u32::from(C1[(number - 0x80) as usize]),
        _ => number,
    };
    Some((len, char::from_u32(number).unwrap_or('\u{FFFD}')))
}

/// The characters of the numbers 0x80 to 0x9F (HTML standard 13.2.5.80); those without a
/// replacement are unchanged.
const C1: [u16; 32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
];

/// The named character references: `(name, text)`, sorted by name in byte order.
///
/// `names.txt` has those of the table in the HTML standard, section 13.5, one a line: the name,
/// without `&` and with its `;`, a space, and the text. A name without `;` is one of the 106 legacy
/// names that need none. The file is read when this is compiled.
static NAMES: [(&str, &str); 2231] = {
    /// Returns the offset of the first `byte` at or after `at`.
    const fn find(text: &str, byte: u8, mut at: usize) -> usize {
        while text.as_bytes()[at] != byte {
            at += 1;
        }
        at
    }
    let (mut names, mut idx) = ([("", ""); 2231], 0);
    let mut rest = include_str!("names.txt");
    while idx < names.len() {
        let space = find(rest, b' ', 0);
        // The text of `NewLine;` begins with the byte that ends a line.
        let end = find(rest, b'\n', space + 2);
        let (line, after) = rest.split_at(end + 1);
        let (name, text) = line.split_at(space);
        names[idx] = (name, text.split_at(1).1.split_at(end - space - 1).0);
        (rest, idx) = (after, idx + 1);
    }
    assert!(rest.is_empty(), "names.txt has more lines");
    names
};

/// The length of the longest name in [`NAMES`], in bytes.
pub(crate) const LONGEST: usize = 32;

/// Reads the longest named reference at the start of `raw`: HTML standard 13.2.5.73.
fn named(raw: &[u8], place: CharrefPlace) -> Option<(usize, &'static str)> {
    // This is the most frequent name.
    if raw[1..].starts_with(b"amp;") {
        return Some((5, "&"));
    }
    let rest = &raw[1..raw.len().min(LONGEST + 1)];
    let mut len = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let whole = (rest.get(len) == Some(&b';')).then(|| lookup(&rest[..=len])).flatten();
    if let Some(text) = whole {
        return Some((len + 2, text));
    }
    // The legacy names are letters and digits only, 2 to 6 of them.
    len = len.min(6);
    while len >= 2 {
        if let Some(text) = lookup(&rest[..len]) {
            let next = raw.get(len + 1);
            let glued = next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
            return if place == CharrefPlace::Attribute && glued {
                None
            } else {
                Some((len + 1, text))
            };
        }
        len -= 1;
    }
    None
}

/// Returns the text of a name with its `;`.
pub(crate) fn lookup_name(name: &[u8]) -> Option<&'static str> {
    lookup(name)
}

fn lookup(name: &[u8]) -> Option<&'static str> {
    let first = usize::from(*name.first()?);
    let range = STARTS[first]..STARTS[first + 1];
    let names = &NAMES[usize::from(range.start)..usize::from(range.end)];
    names.binary_search_by(|(entry, _)| entry.as_bytes().cmp(name)).ok().map(|idx| names[idx].1)
}

/// For each byte the index in [`NAMES`] of the first name that begins with this byte or a later
/// one.
const STARTS: [u16; 257] = {
    let mut starts = [0; 257];
    let (mut first, mut idx) = (0, 0);
    while first < starts.len() {
        while idx < NAMES.len() && (NAMES[idx].0.as_bytes()[0] as usize) < first {
            idx += 1;
        }
        #[allow(clippy::cast_possible_truncation)] // There are 2,231 names.
        {
            starts[first] = idx as u16;
        }
        first += 1;
    }
    starts
};

/// Returns the offset at which an edit at `at` must begin so that its text does not become part of
/// a character reference before it: the `&` of an unfinished one, if the bytes before `at` end with
/// one.
pub(crate) fn joins(raw: &[u8], decoded: &Decoded<'_>, at: usize) -> usize {
    if let Some(unit) = decoded.map.unit_ending_at(at)
        && raw[unit.raw.start] == b'&'
    {
        // Numeric references may have any number of digits.
        return if raw[at - 1] == b';' { at } else { unit.raw.start };
    }
    let tail = raw[..at].iter().rev().take(LONGEST);
    let run = tail.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    match (at - run).checked_sub(1) {
        Some(amp) if raw[amp] == b'&' => amp,
        _ => at,
    }
}

/// Writes `text` so that it is read unchanged in a value for whose delimiters `is_special` returns
/// true.
pub(crate) fn encode(
    text: &str,
    is_special: impl Fn(u8) -> bool,
    out: &mut String,
) -> Result<(), Unliftable> {
    let is_changed =
        |byte: u8| matches!(byte, 0 | b'&' | b'\r') || (byte.is_ascii() && is_special(byte));
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_changed) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            // NUL is read as another character, in any notation (HTML standard 13.2.5.36 and
            // 13.2.5.80).
            0 => return Err(Unliftable::Unencodable('\0')),
            b'&' => out.push_str("&amp;"),
            // A bare one would be read as a line feed (HTML standard 13.2.3.5).
            b'\r' => out.push_str("&#13;"),
            b'"' => out.push_str("&quot;"),
            b'<' => out.push_str("&lt;"),
            b'>' => out.push_str("&gt;"),
            byte => {
                out.push_str("&#");
                out.push_str(&byte.to_string());
                out.push(';');
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    Ok(())
}

/// Returns true if `raw` contains an ampersand.
pub(crate) fn may_hold(raw: &[u8]) -> bool {
    memchr(b'&', raw).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_shape_is_as_the_lookup_needs_it() {
        assert_eq!(NAMES.len(), 2231);
        assert!(NAMES.windows(2).all(|pair| pair[0].0.as_bytes() < pair[1].0.as_bytes()));
        let legacy = NAMES.iter().filter(|(name, _)| !name.ends_with(';'));
        assert!(legacy.clone().all(|(name, _)| (2..=6).contains(&name.len())));
        assert_eq!(legacy.count(), 106);
        assert!(NAMES.iter().all(|(name, _)| name.len() <= LONGEST));
        assert!(NAMES.iter().all(|(name, _)| {
            name.trim_end_matches(';').bytes().all(|b| b.is_ascii_alphanumeric())
        }));
    }
}
