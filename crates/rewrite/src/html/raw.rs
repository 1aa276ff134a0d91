//! Where raw text ends: HTML standard, sections 13.2.5.9 to 13.2.5.31.

use memchr::memchr;

use super::lex;

/// Whether `</name` or `<name` is followed by what makes it a tag.
fn is_tag(input: &[u8], at: usize, name: &[u8]) -> bool {
    input.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && input
            .get(at + name.len())
            .is_some_and(|byte| lex::is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// The offset of the end tag of this name (HTML standard 13.2.5.9 to 13.2.5.14).
pub(super) fn end_of_text(input: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(start) = memchr(b'<', &input[at..]).map(|idx| at + idx) {
        if input.get(start + 1) == Some(&b'/') && is_tag(input, start + 2, name) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}

/// The offset of the end tag of a script, whose comments may hide one (HTML standard 13.2.5.15 to 13.2.5.31).
pub(super) fn end_of_script(input: &[u8], from: usize) -> Option<usize> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped,
        DoubleEscaped,
    }
    let mut state = State::Plain;
    let mut at = from;
    loop {
        let start = match state {
            State::Plain => at + memchr(b'<', &input[at..])?,
            State::Escaped | State::DoubleEscaped => {
                at + memchr::memchr2(b'<', b'-', &input[at..])?
            }
        };
        let rest = &input[start..];
        at = start + 1;
        match state {
            State::Plain if rest.starts_with(b"<!--") => {
                state = State::Escaped;
                // The dashes may be those of the end.
                at = start + 2;
            }
            State::Escaped | State::DoubleEscaped if rest.starts_with(b"-->") => {
                state = State::Plain;
                at = start + 3;
            }
            State::Plain | State::Escaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                return Some(start);
            }
            State::Escaped if rest.starts_with(b"<") && is_tag(input, start + 1, b"script") => {
                state = State::DoubleEscaped;
            }
            State::DoubleEscaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                state = State::Escaped;
            }
            _ => {}
        }
    }
}
