//! Encoded words in header fields (RFC 2047). Programs cut a text anywhere, also in the middle of a
//! character, so that words of one charset and encoding must be joined before they are decoded.

use std::borrow::Cow;

use layers::base64;

/// An encoded word: `=?charset?encoding?text?=`.
struct Word<'v> {
    charset: &'v [u8],
    /// `b` or `q`.
    encoding: u8,
    text: &'v [u8],
    /// The offset after it.
    end: usize,
}

impl<'v> Word<'v> {
    /// Returns the word that begins at an offset.
    fn at(value: &'v [u8], at: usize) -> Option<Self> {
        let rest = value.get(at..)?.strip_prefix(b"=?")?;
        let (charset, rest) = rest.split_at(memchr::memchr(b'?', rest)?);
        let [b'?', encoding, b'?', text @ ..] = rest else { return None };
        let text = &text[..memchr::memmem::find(text, b"?=")?];
        let is_token = |part: &[u8]| part.iter().all(u8::is_ascii_graphic);
        let end = at + 2 + charset.len() + 3 + text.len() + 2;
        let word = Word { charset, encoding: encoding.to_ascii_lowercase(), text, end };
        (is_token(charset) && is_token(text)).then_some(word)
    }

    /// Returns true if another word is in the same charset and encoding. In UTF-7 each word has
    /// shifts of its own.
    fn continues(&self, other: &Word<'_>) -> bool {
        self.charset.eq_ignore_ascii_case(other.charset)
            && self.encoding == other.encoding
            && !self.charset.to_ascii_lowercase().ends_with(b"utf-7")
    }
}

/// Returns a value in which adjacent words of one charset and encoding are one word.
pub(super) fn joined(value: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Vec<u8> = Vec::new();
    // The end of what was copied.
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&value[at..], b"=?") {
        let start = at + found;
        let Some(first) = Word::at(value, start) else {
            at = start + 2;
            continue;
        };
        let (mut texts, mut end) = (vec![first.text], first.end);
        while let Some(next) = next(value, end).filter(|next| first.continues(next)) {
            texts.push(next.text);
            end = next.end;
        }
        if texts.len() > 1 {
            let text = match first.encoding {
                b'b' => base64::encode(&in_base64(&texts)),
                _ => texts.concat(),
            };
            out.extend_from_slice(&value[copied..start]);
            let parts = [b"=?", first.charset, b"?", &[first.encoding], b"?", &text, b"?="];
            out.extend_from_slice(&parts.concat());
            copied = end;
        }
        // Words that nothing separates are words too, as other programs read them.
        if Word::at(value, end).is_some() {
            out.extend_from_slice(&value[copied..end]);
            out.push(b' ');
            copied = end;
        }
        at = end;
    }
    match copied {
        0 => value.into(),
        _ => {
            out.extend_from_slice(&value[copied..]);
            out.into()
        }
    }
}

/// Returns the octets of texts in base64, of which each may end in the middle of a group.
fn in_base64(texts: &[&[u8]]) -> Vec<u8> {
    let (mut bytes, mut group) = (Vec::new(), Vec::new());
    for (idx, text) in texts.iter().enumerate() {
        group.extend_from_slice(text);
        if group.len() % 4 == 0 || text.ends_with(b"=") || idx + 1 == texts.len() {
            bytes.extend(base64::decode(&group).bytes);
            group.clear();
        }
    }
    bytes
}

/// Returns the word that follows an offset, after white space if there is some.
fn next(value: &[u8], at: usize) -> Option<Word<'_>> {
    let rest = value.get(at..)?;
    let n_blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Word::at(value, at + n_blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_charset_and_encoding_are_joined() {
        for (value, expected) in [
            ("=?utf-8?Q?=C3?= =?UTF-8?q?=A9?=", "=?utf-8?q?=C3=A9?="),
            ("a =?utf-8?B?w6k=?=\r\n =?utf-8?B?w6k=?= b", "a =?utf-8?b?w6nDqQ==?= b"),
            ("=?x?q?a?= =?x?q?b?= =?y?q?c?= =?y?q?d?=", "=?x?q?ab?= =?y?q?cd?="),
            ("=?x?q?a?= =?x?b?Yg==?=", "=?x?q?a?= =?x?b?Yg==?="),
            ("=?x?q?a?==?x?q?b?=", "=?x?q?ab?="),
            ("=?x?q?a?==?y?b?Yg==?=", "=?x?q?a?= =?y?b?Yg==?="),
            ("=?utf-8?B?Y2Fmw6?= =?utf-8?B?k=?=", "=?utf-8?b?Y2Fmw6k=?="),
            ("=?x?q?a?= and =?x?q?b?=", "=?x?q?a?= and =?x?q?b?="),
            ("=?utf-7?q?+AGE-?= =?utf-7?q?+AGI-?=", "=?utf-7?q?+AGE-?= =?utf-7?q?+AGI-?="),
            ("=? =?x?q?a b?= =?x", "=? =?x?q?a b?= =?x"),
        ] {
            assert_eq!(String::from_utf8_lossy(&joined(value.as_bytes())), expected);
        }
    }
}
