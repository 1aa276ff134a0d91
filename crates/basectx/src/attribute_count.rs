//! An upper bound of the attributes of the tag that is being fed.
//!
//! html5ever compares each attribute of a tag with all before it, so a tag with a million of them would take hours. This counts before
//! feeding, slice by slice (each ends with `>`), from the `<` of the tag on; quoted values count for nothing.

use memchr::memchr;

/// Where the count stands between two slices.
#[derive(Default)]
pub(crate) struct AttributeCount {
    state: State,
}

#[derive(Default)]
enum State {
    /// No tag has begun since the last token.
    #[default]
    Text,
    /// A comment, a doctype or the like has begun: no tag can begin before its token.
    Declaration,
    Tag {
        n_words: usize,
        was_space: bool,
        /// Between `=` and a value.
        is_value_due: bool,
        quote: Option<u8>,
    },
}

impl AttributeCount {
    /// A token has come: what was begun is over.
    pub(crate) fn reset(&mut self) {
        self.state = State::Text;
    }

    /// Counts `slice`; `raw_text` is the name of the raw text element whose text is being read, if any. Returns the bound so far.
    pub(crate) fn feed(&mut self, slice: &[u8], raw_text: Option<&str>) -> usize {
        let rest = match self.state {
            State::Text => match self.begin(slice, raw_text) {
                Some(rest) => rest,
                None => return 0,
            },
            State::Declaration => return 0,
            State::Tag { .. } => slice,
        };
        self.count(rest)
    }

    /// Looks for the beginning of a tag, and returns what follows it.
    fn begin<'s>(&mut self, slice: &'s [u8], raw_text: Option<&str>) -> Option<&'s [u8]> {
        let mut at = 0;
        while let Some(next) = memchr(b'<', &slice[at..]).map(|idx| at + idx + 1) {
            let rest = &slice[next..];
            let begins = match raw_text {
                Some(name) => rest.strip_prefix(b"/").is_some_and(|rest| {
                    rest.get(..name.len())
                        .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
                }),
                None => match rest.first() {
                    Some(b'!' | b'?') if !rest.starts_with(b"![CDATA[") => {
                        self.state = State::Declaration;
                        return None;
                    }
                    Some(b'/') => rest.get(1).is_some_and(u8::is_ascii_alphabetic),
                    Some(byte) => byte.is_ascii_alphabetic(),
                    None => false,
                },
            };
            if begins {
                self.state =
                    State::Tag { n_words: 0, was_space: false, is_value_due: false, quote: None };
                return Some(rest);
            }
            at = next;
        }
        None
    }

    fn count(&mut self, rest: &[u8]) -> usize {
        let State::Tag { n_words, was_space, is_value_due, quote } = &mut self.state else {
            return 0;
        };
        for byte in rest {
            match byte {
                _ if quote.is_some() => {
                    if *quote == Some(*byte) {
                        *quote = None;
                        *was_space = true;
                    }
                    continue;
                }
                b'=' => *is_value_due = true,
                b'"' | b'\'' if *is_value_due => {
                    *quote = Some(*byte);
                    *is_value_due = false;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'/' => {
                    *was_space = true;
                    continue;
                }
                _ => {
                    *is_value_due = false;
                    *n_words += usize::from(*was_space);
                }
            }
            *was_space = false;
        }
        *n_words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(slices: &[&str], raw_text: Option<&str>, expected: usize) {
        let mut count = AttributeCount::default();
        let bound = slices.iter().map(|slice| count.feed(slice.as_bytes(), raw_text)).max();
        assert_eq!(bound, Some(expected), "{slices:?}");
    }

    #[test]
    fn counts_words_of_tags_only() {
        check(&["many words before <a x y=1 z='many words inside' w>"], None, 5);
        check(&["<a x=\"1>", "2\" y>"], None, 2);
        check(&["<!-- <a x y z -->"], None, 0);
        check(&["a < b c d e >"], None, 0);
        check(&["if (a <b) c d e f; </b g h>"], Some("script"), 0);
        check(&["x </SCRIPT a b c>"], Some("script"), 3);
        check(&["<a/b/c/d>"], None, 3);
    }
}
