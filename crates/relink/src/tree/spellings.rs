//! Whether a page or style sheet may have a reference with one of a few names in its path: those of
//! files that are renamed. What has none needs no walk.
//!
//! A name can be written in many ways: `na&#109;e`, `na%6De`, `na\6d e`, or with a line break in
//! it. In each of them, the bytes before the first escape or line break are the beginning of the
//! name as it is, and those after it are its rest, up to the next one.
//!
//! Invariant: the answer is true if a walk would find a reference with such a name.

use std::cell::OnceCell;

use memchr::{memchr_iter, memchr2, memchr2_iter, memchr3_iter, memmem, memrchr3};
use rewrite::Media;

/// The most names that are searched.
const MOST: usize = 16;

/// Attributes for which a page is walked: of a file that a page loads there may be a digest, and of
/// a document in a page the text is encoded once more.
const ATTRIBUTES: [&str; 2] = ["integrity", "srcdoc"];

/// Words that can be written with escapes.
const ESCAPED_WORDS: [&str; 2] = ["integrity", "base64"];

/// What a data URL of base64 begins with if there are no references in it.
const WITHOUT_REFERENCES: [&str; 6] = [
    "data:font/woff;",
    "data:font/woff2;",
    "data:image/gif;",
    "data:image/jpeg;",
    "data:image/png;",
    "data:image/webp;",
];

/// The named character references of characters that a name may have, that URLs ignore, or that
/// begin another escape.
const NAMED: [&str; 9] =
    ["NewLine;", "Tab;", "UnderBar;", "bsol;", "fjlig;", "lowbar;", "percnt;", "period;", "semi;"];

/// The most bytes in which the start of a path is searched.
const MOST_OF_PATH: usize = 1 << 12;

/// The most bytes of an escape in which others are.
const MOST_OF_ESCAPE: usize = 64;

/// The most digits of an escape that are read.
const DIGITS: usize = 8;

/// The search for names.
#[derive(Debug)]
pub struct Spellings {
    names: Vec<String>,
    /// Those of `names` with which no other one of them begins.
    starts: Vec<memmem::Finder<'static>>,
    /// For each byte, true if a name or word has it.
    has_byte: [bool; 256],
}

/// What an escape means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    /// A character, and the length of the escape.
    Character(u8, usize),
    /// Nothing in a URL, and the length of the escape.
    Nothing(usize),
    /// A character with which another escape may begin, or what is too long to be read.
    Unclear,
}

impl Spellings {
    /// Creates the search for names of files and directories, each also without its extension.
    /// Returns `None` if there are too many of them, or if one has a character that can be written
    /// in other ways still.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let mut all: Vec<&str> = Vec::new();
        for name in names {
            if name.is_empty() || !name.bytes().all(|byte| is_part(&byte)) {
                return None;
            }
            let stem = name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
            all.extend([Some(name), stem].into_iter().flatten());
        }
        all.sort_unstable();
        all.dedup();
        let mut has_byte = [false; 256];
        for byte in all.iter().chain(&ESCAPED_WORDS).flat_map(|name| name.bytes()) {
            has_byte[usize::from(byte.to_ascii_lowercase())] = true;
            has_byte[usize::from(byte.to_ascii_uppercase())] = true;
        }
        let is_longer = |name: &str, other: &&str| name != *other && name.starts_with(other);
        let starts = all.iter().filter(|name| !all.iter().any(|other| is_longer(name, other)));
        let finder = |name: &&str| memmem::Finder::new(name.as_bytes()).into_owned();
        let starts = starts.map(finder).collect();
        let names = all.iter().map(|name| String::from(*name)).collect();
        (all.len() <= MOST).then_some(Spellings { names, starts, has_byte })
    }

    /// Returns false if no reference of a document has one of the names in its path.
    pub fn may_be_in(&self, media: Media, bytes: &[u8]) -> bool {
        self.is_written(media, bytes, |_| true)
    }

    /// Returns false if no reference from the root, such as `/a.html`, has one of the names in its
    /// path.
    pub fn may_be_in_from_root(&self, media: Media, bytes: &[u8]) -> bool {
        let has_base = OnceCell::new();
        self.is_written(media, bytes, |before| {
            let start = before.len().saturating_sub(MOST_OF_PATH);
            let value = memrchr3(b'"', b'\'', b'>', &before[start..]).map(|at| start + at);
            let may_begin = |at: usize| begins_path(bytes, at);
            let from_root = |start: usize| {
                let value = &before[start..];
                memchr2_iter(b'/', b'\\', value).any(|at| may_begin(start + at))
                    || memchr2(b'&', b'\\', value).is_some()
            };
            value.is_none_or(from_root) || *has_base.get_or_init(|| find_base(bytes))
        })
    }

    /// Returns true if one of the names is in a document, and what is before it in the text is
    /// accepted; or if that is unclear.
    fn is_written(&self, media: Media, bytes: &[u8], accepts: impl Fn(&[u8]) -> bool) -> bool {
        !matches!(media, Media::HTML | Media::CSS)
            // UTF-16, and escape sequences of ISO-2022-JP.
            || memchr2(0, 0x1B, bytes).is_some()
            || self.has_name(bytes, accepts)
            || memchr_iter(b'=', bytes).any(|at| ends_with_attribute(&bytes[..at]))
            || memmem::find(bytes, b"\"integrity\"").is_some()
            || memmem::find_iter(bytes, b"64").any(|at| may_have_document(&bytes[..at]))
            || memchr3_iter(b'&', b'%', b'\\', bytes).any(|at| self.is_escaped(bytes, at))
            || memchr3_iter(b'\t', b'\n', b'\r', bytes)
                .any(|at| self.is_after_part(bytes, at) && self.is_escaped(bytes, at))
    }

    /// Returns true if a name may be a segment of a path somewhere in a text, and what is before it
    /// is accepted.
    fn has_name(&self, bytes: &[u8], accepts: impl Fn(&[u8]) -> bool) -> bool {
        self.starts.iter().any(|start| {
            let mut rest = 0;
            // One may begin within another: the digits of an escape can be those of a name.
            while let Some(at) = start.find(&bytes[rest..]).map(|at| rest + at) {
                let (before, text) = bytes.split_at(at);
                let ends = |name: &String| text.strip_prefix(name.as_bytes()).is_some_and(is_end);
                if is_start(before) && self.names.iter().any(ends) && accepts(before) {
                    return true;
                }
                rest = at + 1;
            }
            false
        })
    }

    /// Returns true if the byte before may be one of a name. Most line breaks are after another.
    fn is_after_part(&self, bytes: &[u8], at: usize) -> bool {
        at.checked_sub(1).is_some_and(|at| self.has_byte[usize::from(bytes[at])])
    }

    /// Returns true if what begins here may be the first escape in a name.
    fn is_escaped(&self, bytes: &[u8], at: usize) -> bool {
        escapes(&bytes[at..]).into_iter().flatten().any(|escape| {
            let (character, len) = match escape {
                Escape::Character(character, len) => (Some(character), len),
                Escape::Nothing(len) => (None, len),
                Escape::Unclear => return true,
            };
            let has = |byte: &u8| self.has_byte[usize::from(*byte)];
            let is_inner = || {
                self.is_after_part(bytes, at)
                    && bytes.get(at + len).is_some_and(|byte| has(byte) || is_escape(byte))
            };
            if !character.as_ref().map_or_else(is_inner, has) {
                return false;
            }
            let names = self.names.iter().map(String::as_bytes);
            let words = ESCAPED_WORDS.iter().map(|word| word.as_bytes());
            names
                .chain(words)
                .any(|name| continues(name, &bytes[..at], character, &bytes[at + len..]))
        })
    }
}

/// Returns true if a page may have a base, by which other references are from the root.
fn find_base(bytes: &[u8]) -> bool {
    memchr_iter(b'<', bytes).any(|at| ends_with(&bytes[..bytes.len().min(at + 5)], b"<base"))
}

/// Returns true if a reference from the root may begin with the slash, backslash or escape at `at`.
/// In most pages, the only other text with such a slash is in scripts.
pub fn begins_path(bytes: &[u8], at: usize) -> bool {
    let text = &bytes[at..];
    let is_slash = |escape: Escape| match escape {
        Escape::Character(byte, _) => byte == b'/' || byte == b'\\',
        Escape::Nothing(_) => false,
        Escape::Unclear => true,
    };
    if escapes(text).into_iter().flatten().any(is_slash) || text.starts_with(b"&sol;") {
        return true;
    }
    let before = &bytes[..at];
    let last = before.last().copied().unwrap_or(b' ');
    // The slash may be all of a value that has no quotes.
    let is_value = || before.trim_ascii_end().ends_with(b"=");
    let word = before.iter().rev().take(DIGITS + 3).take_while(|byte| byte.is_ascii_alphanumeric());
    // A numeric reference needs no semicolon.
    let is_escape = || before[..at - word.count()].ends_with(b"&#");
    text[0] != b'&'
        && (!last.is_ascii_alphanumeric() || is_escape())
        && !b"</>:.*-_%~)".contains(&last)
        && (bytes.get(at + 1) != Some(&b'>') || is_value())
}

/// Returns true if a segment of a path may begin after a text: at its start, or after an escape, of
/// which nothing is known.
fn is_start(before: &[u8]) -> bool {
    if !before.last().is_some_and(is_part) {
        return true;
    }
    let last = before.iter().rev().take(MOST_OF_ESCAPE);
    let word = last.take_while(|byte| !byte.is_ascii_whitespace() && !b"\"'<>/".contains(byte));
    let begins = |byte: u8| byte == b'\\' || byte == b'&';
    let (n, has_escape) = word.fold((0, false), |(n, has), byte| (n + 1, has || begins(*byte)));
    has_escape || n == MOST_OF_ESCAPE
}

/// Returns true if a segment of a path may end before a text.
fn is_end(after: &[u8]) -> bool {
    !after.first().is_some_and(is_part)
}

/// Returns true if a byte is part of a name.
fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(byte)
}

/// Returns true if a text ends with the name of one of the [`ATTRIBUTES`].
fn ends_with_attribute(text: &[u8]) -> bool {
    // Most end with the last letter of another name.
    if text.last().is_none_or(|last| !b" \t\n\x0C\rcyCY".contains(last)) {
        return false;
    }
    let text = text.trim_ascii_end();
    ATTRIBUTES.iter().any(|name| ends_with(text, name.as_bytes()))
}

/// Returns true if a text ends with what is before the `64` of a data URL, but for that of an image
/// or a font.
fn may_have_document(text: &[u8]) -> bool {
    if !ends_with(text, b"base") {
        return false;
    }
    let text = text[..text.len() - "base".len()].trim_ascii_end();
    let last = &text[text.len().saturating_sub(32)..];
    let url = memmem::rfind(last, b"data:").map(|at| &last[at..]);
    let is_without = |url: &[u8]| WITHOUT_REFERENCES.iter().any(|start| url == start.as_bytes());
    text.ends_with(b";") && !url.is_some_and(is_without)
}

fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len().checked_sub(end.len()).is_some_and(|at| text[at..].eq_ignore_ascii_case(end))
}

/// Returns true if `before` ends with the beginning of a name, and `after` begins with its rest, or
/// with a part of it and another escape.
fn continues(name: &[u8], before: &[u8], character: Option<u8>, after: &[u8]) -> bool {
    (0..name.len()).any(|len| {
        let rest = match character {
            Some(character) if !name[len].eq_ignore_ascii_case(&character) => return false,
            Some(_) => &name[len + 1..],
            None => &name[len..],
        };
        let is_begun = ends_with(before, &name[..len]) && is_start(&before[..before.len() - len]);
        let is_same = |(a, b): &(&u8, &u8)| a.eq_ignore_ascii_case(b);
        let n_same = rest.iter().zip(after).take_while(is_same).count();
        let next = after.get(n_same);
        // Line breaks around a name are none in it.
        (len > 0 || character.is_some())
            && is_begun
            && match n_same == rest.len() {
                true => is_end(&after[n_same..]),
                false => next.is_some_and(is_escape),
            }
    })
}

/// Returns true if an escape may begin with a byte.
fn is_escape(byte: &u8) -> bool {
    b"&%\\\t\n\r".contains(byte)
}

/// Returns what the escape at the start of a text may stand for, by the rules of each language.
fn escapes(text: &[u8]) -> [Option<Escape>; 2] {
    match text {
        [b'%', rest @ ..] if is_nested(rest, 2) => [Some(Escape::Unclear), None],
        [b'\\', rest @ ..] if is_nested(rest, 6) => [Some(Escape::Unclear), None],
        [b'%', high, low, ..] => [hex(&[*high, *low]).map(|byte| character(byte, 3)), None],
        [b'&', b'#', digits @ ..] => [numeric(digits), None],
        [b'&', name @ ..] => {
            let is_named = NAMED.iter().any(|named| name.starts_with(named.as_bytes()));
            [is_named.then_some(Escape::Unclear), None]
        }
        [b'\\', rest @ ..] => backslash(rest),
        [b'\t' | b'\n' | b'\r', ..] => {
            let is_break = |byte: &&u8| matches!(byte, b'\t' | b'\n' | b'\r');
            [Some(Escape::Nothing(text.iter().take_while(is_break).count())), None]
        }
        _ => [None, None],
    }
}

/// Returns true if one of the digits of an escape may be written as an escape itself; in those of a
/// URL, also if a line break is before one.
fn is_nested(rest: &[u8], n_digits: usize) -> bool {
    let is_url = n_digits == 2;
    let is_digit = |byte: &&u8| byte.is_ascii_alphanumeric();
    let len = rest.iter().take(n_digits).take_while(is_digit).count();
    match &rest[len..] {
        _ if len == n_digits => false,
        [b'&', b'#', digits @ ..] => match numeric(digits) {
            Some(Escape::Character(byte, _)) => byte.is_ascii_alphanumeric(),
            found => found.is_some(),
        },
        [b'\\', ..] => is_url,
        [b'\t' | b'\n' | b'\r', after @ ..] => {
            let mut after = after.iter().filter(|byte| !b"\t\n\r".contains(byte));
            let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || is_escape(byte);
            is_url && after.by_ref().take(2 - len).all(is_digit)
        }
        _ => false,
    }
}

/// Returns the character of a numeric character reference, from its digits.
fn numeric(text: &[u8]) -> Option<Escape> {
    let (digits, radix, start) = match text {
        [b'x' | b'X', digits @ ..] => (digits, 16, 3),
        digits => (digits, 10, 2),
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let len = digits.iter().take(DIGITS + 1).take_while(is_digit).count();
    if len > DIGITS {
        return Some(Escape::Unclear);
    }
    let code = u32::from_str_radix(str::from_utf8(&digits[..len]).ok()?, radix).ok()?;
    let end = usize::from(digits.get(len) == Some(&b';'));
    Some(match u8::try_from(code) {
        Ok(b'%' | b'\\' | b'\t' | b'\n' | b'\r' | b';') => Escape::Unclear,
        Ok(byte) => character(byte, start + len + end),
        Err(_) => return None,
    })
}

/// Returns what a backslash may stand for: in CSS, and in a script or JSON.
fn backslash(rest: &[u8]) -> [Option<Escape>; 2] {
    let is_hex = |byte: &&u8| byte.is_ascii_hexdigit();
    let unclear = |byte: u8| matches!(byte, b'%' | b'\\' | b'\t' | b'\n' | b'\r' | b';');
    let of_code = |digits: &[u8], len: usize| match hex(digits) {
        Some(byte) if unclear(byte) => Some(Escape::Unclear),
        Some(byte) => Some(character(byte, len)),
        None => None,
    };
    let css = match rest.iter().take(6).take_while(is_hex).count() {
        0 => match rest {
            [b'\r', b'\n', ..] => Some(Escape::Nothing(3)),
            // A line break continues a string, and a URL has no tab.
            [b'\n' | b'\r' | 0x0C | b'\t', ..] => Some(Escape::Nothing(2)),
            [b'%' | b'&', ..] => Some(Escape::Unclear),
            [byte, ..] if byte.is_ascii() => Some(character(*byte, 2)),
            _ => None,
        },
        n_digits => {
            let space = match &rest[n_digits..] {
                [b'\r', b'\n', ..] => 2,
                [b' ' | b'\t' | b'\n' | b'\r' | 0x0C, ..] => 1,
                _ => 0,
            };
            of_code(&rest[..n_digits], 1 + n_digits + space)
        }
    };
    let script = match rest {
        [b'n' | b't' | b'r', ..] => Some(Escape::Nothing(2)),
        // A separator of lines or paragraphs.
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => Some(Escape::Nothing(4)),
        [b'x', digits @ ..] if digits.len() >= 2 => of_code(&digits[..2], 4),
        [b'u', b'{', ..] => Some(Escape::Unclear),
        [b'u', digits @ ..] if digits.len() >= 4 => of_code(&digits[..4], 6),
        _ => None,
    };
    [css, script]
}

fn character(byte: u8, len: usize) -> Escape {
    Escape::Character(byte, len)
}

/// Returns the byte that hexadecimal digits stand for.
fn hex(digits: &[u8]) -> Option<u8> {
    let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u8::try_from(u32::from_str_radix(digits, 16).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(text: &str) -> bool {
        let names = Spellings::new(["name.html"]).expect("the name is plain");
        names.may_be_in(Media::HTML, text.as_bytes())
    }

    #[test]
    fn names_are_found_in_each_spelling() {
        for text in [
            "<a href=\"d/name.html#f\">",
            "<a href=name>",
            "<a href=name.html",
            "<a href='na&#109;e.html'>",
            "<a href='na&#x6D;e.html'>",
            "<a href='na&#109e.html'>",
            "<a href='na%6De.html'>",
            "<a href='%6E%61%6d%65%2ehtml'>",
            "<a href='name&period;html'>",
            "<a href='na&#37;6De.html'>",
            "<a href='na\nme.html'>",
            "<a href='na\r\n\tme.html'>",
            "<a href='na&Tab;me.html'>",
            "<p style='background:url(na\\6d e.html)'>",
            "<p style='background:url(na\\00006de.html)'>",
            "<p style='background:url(\\name.html)'>",
            "<p style='background:url(\"na\\\nme.html\")'>",
            "<p style='background:url(\\2fname.html)'>",
            "<p style='background:url(na\\&#54;d e.html)'>",
            "<p style='background:url(\\00&#48;0&#50;Fname.html)'>",
            "<p style='background:url(na%\\36 de.html)'>",
            "<p style=\"background:url(&#34name.html&#34)\">",
            "<a href=d&#47name.html>",
            "<p style='background:url(na\\&#109;e.html)'>",
            "<p style='background:url(\"na\\\u{c}me.html\")'>",
            "<p style='background:url(\"na\\\tme.html\")'>",
            "<script type=module>import 'na\\\u{2028}me.html'</script>",
            "<p style='background:url(\"na%6\\\nDe.html\")'>",
            "<p style='background:url(\\%6eame.html)'>",
            "<a href='na&name.html'>",
            "<a href='na%\n6&#68;e.html'>",
            "<a href='na%6\nde.html'>",
            "<script type=module>import 'na\\u006de.html'</script>",
            "<script type=module>import 'na\\x6de.html'</script>",
            "<script type=module>import 'na\\nme.html'</script>",
            "<script type=module>import 'n\\u{61}me.html'</script>",
            "<iframe srcdoc='x'>",
            "<link INTEGRITY = x>",
            "<a href='data:text/html;base64,x'>",
            "<a href='data:text/html; BASE64,x'>",
            "<a href='data:text/html;b&#97;se64,x'>",
            "<a href='data:text/html&semi;base64,x'>",
            "na\u{1b}(Bme",
        ] {
            assert!(is_in(text), "{text:?}");
        }
    }

    #[test]
    fn other_pages_are_passed_over() {
        for text in [
            "<a href='other.html?a=1&amp;b=%20&#39;\\n'>",
            "<p>a name1 of xname.html and name.htmlx, name_ na\n ma\n\tna",
            "<img src='data:image/png;base64,AAAA'>",
            "data integrity, n\\na",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
        let names = Spellings::new(["name.html"]).expect("the name is plain");
        assert!(names.may_be_in(Media::XML, b""));
    }

    #[test]
    fn names_with_other_characters_are_not_searched() {
        for name in ["", "a b", "é", "a%", "a&b", "a?b"] {
            assert!(Spellings::new([name]).is_none(), "{name:?}");
        }
        let names: Vec<String> = (0..9).map(|number| format!("{number}.html")).collect();
        assert!(Spellings::new(names.iter().map(String::as_str)).is_none());
    }

    /// Each named reference that is a character of a name, or begins another escape.
    #[test]
    fn named_references_are_complete() {
        let all = include_str!("../../../layers/src/names.txt");
        let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%\\\t\n\r;".contains(&byte);
        let mut n = 0;
        for (name, text) in all.lines().filter_map(|line| line.split_once(' ')) {
            // That of a line break is one.
            if text.bytes().all(is_one) {
                n += 1;
                assert!(NAMED.contains(&name), "{name} {text:?}");
            }
        }
        assert_eq!(n, NAMED.len());
    }
}
