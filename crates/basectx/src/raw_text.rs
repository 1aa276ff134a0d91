//! The end of the text of raw text elements: HTML standard, sections 13.2.5.9 to 13.2.5.31.

use memchr::{memchr, memchr2};

/// Returns true for white space of the tokenizer; CR is included, since line ends are normalized to
/// LF.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

/// Returns true if the tag name `name` begins at `at` and is followed by a character that ends a
/// tag name.
fn is_tag(input: &[u8], at: usize, name: &[u8]) -> bool {
    input.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && input
            .get(at + name.len())
            .is_some_and(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// Returns the offset of the end tag of this name, searching from `from` (HTML standard 13.2.5.9 to
/// 13.2.5.14). Returns `None` if there is none.
///
/// # Examples
///
/// ```
/// assert_eq!(basectx::raw_text::end_of_text(b"a</b></STYLE >", 0, b"style"), Some(5));
/// ```
pub fn end_of_text(input: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(start) = memchr(b'<', &input[at..]).map(|idx| at + idx) {
        if input.get(start + 1) == Some(&b'/') && is_tag(input, start + 2, name) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}

/// Returns the offset of the end tag of a script whose text begins at `from`. Comments may hide an
/// end tag (HTML standard 13.2.5.15 to 13.2.5.31). Returns `None` if there is none.
///
/// # Examples
///
/// ```
/// use basectx::raw_text::end_of_script;
///
/// assert_eq!(end_of_script(b"a</script>", 0), Some(1));
/// assert_eq!(end_of_script(b"<!--<script></script>--></script>", 0), Some(24));
/// ```
pub fn end_of_script(input: &[u8], from: usize) -> Option<usize> {
    #[derive(PartialEq)]
    enum RawTextState {
        Plain,
        Escaped,
        DoubleEscaped,
    }
    let mut state = RawTextState::Plain;
    let mut at = from;
    loop {
        let start = match state {
            RawTextState::Plain => at + memchr(b'<', &input[at..])?,
            RawTextState::Escaped | RawTextState::DoubleEscaped => {
                at + memchr2(b'<', b'-', &input[at..])?
            }
        };
        let rest = &input[start..];
        at = start + 1;
        match state {
            RawTextState::Plain if rest.starts_with(b"<!--") => {
                state = RawTextState::Escaped;
                // The dashes may be part of the `-->` that ends the comment.
                at = start + 2;
            }
            RawTextState::Escaped | RawTextState::DoubleEscaped if rest.starts_with(b"-->") => {
                state = RawTextState::Plain;
                at = start + 3;
            }
            RawTextState::Plain | RawTextState::Escaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                return Some(start);
            }
            RawTextState::Escaped
                if rest.starts_with(b"<") && is_tag(input, start + 1, b"script") =>
            {
                state = RawTextState::DoubleEscaped;
            }
            RawTextState::DoubleEscaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                state = RawTextState::Escaped;
            }
            _ => {}
        }
    }
}
