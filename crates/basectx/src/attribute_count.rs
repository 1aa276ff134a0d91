//! The number of attributes of the tag that is being fed to html5ever.
//!
//! html5ever compares each attribute of a tag with all before it, so a tag with a million of them
//! would take hours. The attributes are counted before they are fed, slice by slice (each ends with
//! `>`). The count follows the states of the tokenizer (HTML standard, sections 13.2.5.6 to
//! 13.2.5.40), so it is the number that html5ever parses; duplicates are included.

use memchr::memchr;

use crate::raw_text;

/// The state of the count between two slices.
#[derive(Default)]
pub(crate) struct AttributeCount {
    state: CountState,
}

#[derive(Clone, Copy, Default)]
enum CountState {
    /// No tag has begun since the last token.
    #[default]
    Text,
    /// Raw text up to the end tag at this offset.
    RawText { end: usize },
    /// A comment, a doctype or the like has begun: no tag can begin before its token.
    Declaration,
    /// A CDATA section has begun, which yields no token.
    Cdata,
    /// A tag has begun, with `n_attributes` attributes so far.
    Tag { place: TagState, n_attributes: usize },
}

/// A state of the tokenizer inside a tag.
#[derive(Clone, Copy)]
enum TagState {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

/// The kind of text that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TagText<'n> {
    /// The content of HTML elements.
    Html,
    /// The content of SVG or MathML, which may have CDATA sections.
    Foreign,
    /// The content of the raw text element of this name.
    RawText(&'n str),
}

impl AttributeCount {
    /// Ends the tag or declaration that has begun, because its token was received.
    pub(crate) fn reset(&mut self) {
        self.state = CountState::Text;
    }

    /// Counts `input[at..end]`, and returns the number of attributes of the open tag so far.
    pub(crate) fn feed(
        &mut self,
        input: &[u8],
        at: usize,
        end: usize,
        around: TagText<'_>,
    ) -> usize {
        if let (CountState::Text, TagText::RawText(name)) = (self.state, around) {
            let end = match name {
                "plaintext" => None,
                "script" => raw_text::end_of_script(input, at),
                name => raw_text::end_of_text(input, at, name.as_bytes()),
            };
            self.state = CountState::RawText { end: end.unwrap_or(usize::MAX) };
        }
        let slice = &input[at..end];
        match self.state {
            CountState::Text => self.begin(slice, around),
            CountState::RawText { end: end_tag } if end_tag < end => {
                self.open(&input[end_tag + b"</".len()..end])
            }
            CountState::RawText { .. } | CountState::Declaration => 0,
            CountState::Cdata => {
                self.end_cdata(slice);
                0
            }
            CountState::Tag { place, n_attributes } => self.count(slice, place, n_attributes),
        }
    }

    /// Ends a CDATA section if the slice ends it. A slice ends with the first `>` in it, so a
    /// section ends only at the end of a slice.
    fn end_cdata(&mut self, slice: &[u8]) {
        self.state = if slice.ends_with(b"]]>") { CountState::Text } else { CountState::Cdata };
    }

    /// Finds the beginning of a token in markup, and counts attributes if it is a tag.
    fn begin(&mut self, slice: &[u8], around: TagText<'_>) -> usize {
        const CDATA: &[u8] = b"![CDATA[";
        let mut at = 0;
        while let Some(next) = memchr(b'<', &slice[at..]).map(|idx| at + idx + 1) {
            let rest = &slice[next..];
            match rest {
                _ if matches!(around, TagText::Foreign) && rest.starts_with(CDATA) => {
                    self.end_cdata(&rest[CDATA.len()..]);
                    return 0;
                }
                [byte, ..] if byte.is_ascii_alphabetic() => return self.open(rest),
                [b'/', byte, ..] if byte.is_ascii_alphabetic() => return self.open(&rest[1..]),
                // `</>` has no token.
                [b'/', b'>', ..] => {}
                [b'!' | b'?' | b'/', ..] => {
                    self.state = CountState::Declaration;
                    return 0;
                }
                _ => {}
            }
            at = next;
        }
        0
    }

    /// Counts the tag whose name begins with `rest`.
    fn open(&mut self, rest: &[u8]) -> usize {
        self.count(rest, TagState::TagName, 0)
    }

    fn count(&mut self, rest: &[u8], place: TagState, n_attributes: usize) -> usize {
        let (mut place, mut n_attributes) = (place, n_attributes);
        for byte in rest {
            let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C');
            place = match (place, byte) {
                (TagState::Quoted(quote), _) if quote == *byte => TagState::BeforeName,
                (TagState::Quoted(_), _) => place,
                (TagState::BeforeValue, b'"' | b'\'') => TagState::Quoted(*byte),
                (TagState::BeforeValue, _) if is_space => TagState::BeforeValue,
                (TagState::BeforeValue, _) => TagState::Unquoted,
                (TagState::Name | TagState::AfterName, _) if is_space => TagState::AfterName,
                (_, _) if is_space => TagState::BeforeName,
                (TagState::Unquoted, _) => TagState::Unquoted,
                (_, b'/') => TagState::BeforeName,
                (TagState::Name | TagState::AfterName, b'=') => TagState::BeforeValue,
                (TagState::TagName | TagState::Name, _) => place,
                // This is the last byte of the tag.
                (_, b'>') => place,
                (TagState::BeforeName | TagState::AfterName, _) => {
                    n_attributes += 1;
                    TagState::Name
                }
            };
        }
        self.state = CountState::Tag { place, n_attributes };
        n_attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(slices: &[&str], around: TagText<'_>, expected: usize) {
        let (mut count, input, mut at) = (AttributeCount::default(), slices.concat(), 0);
        let feed = |slice: &&str| {
            let start = at;
            at += slice.len();
            count.feed(input.as_bytes(), start, at, around)
        };
        assert_eq!(slices.iter().map(feed).max(), Some(expected), "{slices:?}");
    }

    #[test]
    fn counts_attributes_of_tags_only() {
        check(&["many words before <a x y=1 z='many words inside' w>"], TagText::Html, 4);
        check(&["<a x=\"1>", "2\" y>"], TagText::Html, 2);
        check(&["<!-- <a x y z -->"], TagText::Html, 0);
        check(&["a < b c d e >"], TagText::Html, 0);
        check(&["<a/b/c/d>"], TagText::Html, 3);
        check(&["</3 <a b c>"], TagText::Html, 0);
        check(&["</>", "<a b c>"], TagText::Html, 2);
    }

    #[test]
    fn values_are_not_counted() {
        check(&["<img src=data:image/png;base64,a/b/c//d alt>"], TagText::Html, 2);
        check(&["<a x = y/z/ =w v= 'a'b>"], TagText::Html, 4);
        check(&["<a x=y=z x=\"a\"/b=c/d>"], TagText::Html, 3);
        check(&["<a x=/>"], TagText::Html, 1);
        check(&["<a = == b=>"], TagText::Html, 2);
    }

    #[test]
    fn counts_from_the_end_tag_in_raw_text() {
        check(&["if (a <b) c d e f; </b g h>"], TagText::RawText("script"), 0);
        check(&["x </scripts a b c>"], TagText::RawText("script"), 0);
        check(&["x </SCRIPT a b c>"], TagText::RawText("script"), 3);
        check(&["</script b=' -->", "</script c d e>"], TagText::RawText("script"), 1);
        check(&["<!--<script>", "</script a>", "--></script b c>"], TagText::RawText("script"), 2);
        check(&["</plaintext a b>"], TagText::RawText("plaintext"), 0);
    }

    #[test]
    fn cdata_sections_are_foreign() {
        check(&["<![CDATA[ <a b c d>", " ]]>", "<p x y>"], TagText::Foreign, 2);
        check(&["<![CDATA[ <a b='>", "]]>", "<p x y>"], TagText::Foreign, 2);
        check(&["<![CDATA[ <a b c d>"], TagText::Html, 0);
    }
}
