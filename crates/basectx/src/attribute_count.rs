//! An upper bound of the attributes of the tag that is being fed.
//!
//! html5ever compares each attribute of a tag with all before it, so a tag with a million of them would take hours. This counts before
//! feeding, slice by slice (each ends with `>`), from the `<` of the tag on. Between two tokens the first `<` that can begin something does,
//! so it is known what is being read; only in raw text may a tag begin later than it seems (a script that is escaped twice), and there
//! the words of quoted values count too.

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
    /// A CDATA section has begun; it has no token.
    Cdata,
    Tag {
        n_words: usize,
        was_space: bool,
        /// Between `=` and a value.
        is_value_due: bool,
        quote: Option<u8>,
        /// Whether quoted values count for nothing.
        is_certain: bool,
    },
}

/// What the text being read stands in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Around<'n> {
    /// HTML elements.
    Html,
    /// SVG or MathML, where CDATA sections are.
    Foreign,
    /// The raw text element of this name.
    RawText(&'n str),
}

impl AttributeCount {
    /// A token has come: what was begun is over.
    pub(crate) fn reset(&mut self) {
        self.state = State::Text;
    }

    /// Counts `slice`, and returns the bound so far.
    pub(crate) fn feed(&mut self, slice: &[u8], around: Around<'_>) -> usize {
        match self.state {
            State::Text => match self.begin(slice, around) {
                Some(rest) => self.count(rest),
                None => 0,
            },
            State::Declaration => 0,
            State::Cdata => {
                self.end_cdata(slice);
                0
            }
            State::Tag { .. } => self.count(slice),
        }
    }

    /// A slice ends with the first `>` in it, so that a CDATA section ends only where a slice does.
    fn end_cdata(&mut self, slice: &[u8]) {
        self.state = if slice.ends_with(b"]]>") { State::Text } else { State::Cdata };
    }

    /// Looks for the beginning of a tag, and returns what follows it.
    fn begin<'s>(&mut self, slice: &'s [u8], around: Around<'_>) -> Option<&'s [u8]> {
        let mut at = 0;
        while let Some(next) = memchr(b'<', &slice[at..]).map(|idx| at + idx + 1) {
            let rest = &slice[next..];
            let (is_tag, is_certain) = match (around, rest.first()) {
                (Around::RawText(name), Some(b'/')) => (is_end_of(&rest[1..], name), false),
                (Around::RawText(_), _) => (false, false),
                (Around::Foreign, _) if rest.starts_with(b"![CDATA[") => {
                    self.end_cdata(&rest[b"![CDATA[".len()..]);
                    return None;
                }
                (_, Some(b'!' | b'?')) => {
                    self.state = State::Declaration;
                    return None;
                }
                (_, Some(b'/')) => (rest.get(1).is_some_and(u8::is_ascii_alphabetic), true),
                (_, byte) => (byte.is_some_and(u8::is_ascii_alphabetic), true),
            };
            if is_tag {
                self.state = State::Tag {
                    n_words: 0,
                    was_space: false,
                    is_value_due: false,
                    quote: None,
                    is_certain,
                };
                return Some(rest.strip_prefix(b"/").unwrap_or(rest));
            }
            at = next;
        }
        None
    }

    fn count(&mut self, rest: &[u8]) -> usize {
        let State::Tag { n_words, was_space, is_value_due, quote, is_certain } = &mut self.state
        else {
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
                b'"' | b'\'' if *is_value_due && *is_certain => {
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

/// Whether what follows `</` ends the raw text element of this name.
fn is_end_of(rest: &[u8], name: &str) -> bool {
    let (found, after) = rest.split_at(rest.len().min(name.len()));
    found.eq_ignore_ascii_case(name.as_bytes())
        && after.first().is_none_or(|byte| b" \t\n\r\x0C/>".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(slices: &[&str], around: Around<'_>, expected: usize) {
        let mut count = AttributeCount::default();
        let bound = slices.iter().map(|slice| count.feed(slice.as_bytes(), around)).max();
        assert_eq!(bound, Some(expected), "{slices:?}");
    }

    #[test]
    fn counts_words_of_tags_only() {
        check(&["many words before <a x y=1 z='many words inside' w>"], Around::Html, 4);
        check(&["<a x=\"1>", "2\" y>"], Around::Html, 2);
        check(&["<!-- <a x y z -->"], Around::Html, 0);
        check(&["a < b c d e >"], Around::Html, 0);
        check(&["<a/b/c/d>"], Around::Html, 3);
    }

    #[test]
    fn counts_from_the_end_tag_in_raw_text() {
        check(&["if (a <b) c d e f; </b g h>"], Around::RawText("script"), 0);
        check(&["x </scripts a b c>"], Around::RawText("script"), 0);
        check(&["x </SCRIPT a b c>"], Around::RawText("script"), 3);
        check(&["</script b=' -->", "</script c d e>"], Around::RawText("script"), 6);
    }

    #[test]
    fn cdata_sections_are_foreign() {
        check(&["<![CDATA[ <a b c d>", " ]]>", "<p x y>"], Around::Foreign, 2);
        check(&["<![CDATA[ <a b='>", "]]>", "<p x y>"], Around::Foreign, 2);
        check(&["<![CDATA[ <a b c d>"], Around::Html, 0);
    }
}
