//! Raw texts of the layers of Markdown and of running text, and the check that one is legal.

use layers::{Layer, MarkdownForm};

/// Words of a link destination.
#[rustfmt::skip]
const MARKDOWN_WORDS: &[&str] = &[
    "a", "b/", "amp", "lt", "#", "x", "4", "41", ";", "&", "&", "&amp;", "&amp", "&copy;", "&#65;", "&#x41;", "&#x4", "&#", "&#0;", "&#12345678;", "&#x1234567;",
    "&NotEqualTilde;", "\\", "\\", "\\\\", "\\(", "\\)", "\\&", "\\a", "(a)", "((", "))", "(", ")", "'", "\"", "`", "|", "\\|", "é", "日", "<", "\\<", "%",
];

/// Words that are legal between `<` and `>` only.
const ANGLE_WORDS: &[&str] = &[" ", "\t", "\\>", "\u{B}"];

const WRAPPED_WORDS: &[&str] =
    &["http://h/", "a", "-", " ", "\n", "\r\n   ", "\t", "\u{A0}", "\u{2028}", "é", "&amp;", "\\"];

#[rustfmt::skip]
const FLOWED_WORDS: &[&str] = &[
    "a", "http://h/", "é", " ", " ", "  ", ">", ">", "> ", ">>", "\n", "\n", "\r\n", "\r\n", " \r\n", " \n> ", "\r", "-- ", "--", "-- \n", "\n-- \n",
];

const FIELD_CODE_WORDS: &[&str] =
    &["a", "http://h/", "é", " ", "\\\\", "\\\"", "\\a", "\\é", "/", "&amp;"];

/// Returns the words of a layer, if it is one of these.
pub(super) fn words(layer: Layer) -> Option<Vec<&'static str>> {
    match layer {
        Layer::Markdown(MarkdownForm::Bare) => Some(MARKDOWN_WORDS.to_vec()),
        Layer::Markdown(MarkdownForm::Angle) => Some([MARKDOWN_WORDS, ANGLE_WORDS].concat()),
        Layer::Wrapped => Some(WRAPPED_WORDS.to_vec()),
        Layer::Flowed { .. } => Some(FLOWED_WORDS.to_vec()),
        Layer::FieldCode => Some(FIELD_CODE_WORDS.to_vec()),
        _ => None,
    }
}

/// Returns true for legal link destinations (CommonMark 6.3, "link destination").
pub(super) fn is_destination(form: MarkdownForm, raw: &[u8]) -> bool {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        if raw[at] == b'\\' && raw.get(at + 1).is_some_and(u8::is_ascii_punctuation) {
            at += 1;
        } else {
            kept.push(raw[at]);
        }
        at += 1;
    }
    if form == MarkdownForm::Angle {
        return !kept.iter().any(|byte| b"<>\r\n".contains(byte));
    }
    let mut depth = 0_i32;
    let mut is_balanced = true;
    for byte in &kept {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        is_balanced &= depth >= 0;
    }
    let is_control = |byte: &u8| *byte <= b' ' || *byte == 0x7F;
    is_balanced && depth == 0 && !raw.is_empty() && raw[0] != b'<' && !raw.iter().any(is_control)
}

/// Returns the nearest legal destination: illegal characters are removed one by one.
pub(super) fn legalized(form: MarkdownForm, raw: String) -> String {
    if is_destination(form, raw.as_bytes()) {
        return raw;
    }
    let mut legal = String::new();
    let mut depth = 0_i32;
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => {
                legal.push(char);
                legal.extend(chars.next());
            }
            '<' | '>' if form == MarkdownForm::Angle || legal.is_empty() => {}
            ')' if form == MarkdownForm::Bare && depth == 0 => {}
            '(' | ')' if form == MarkdownForm::Bare => {
                depth += if char == '(' { 1 } else { -1 };
                legal.push(char);
            }
            char => legal.push(char),
        }
    }
    if legal.is_empty() {
        legal.push('a');
    }
    // A backslash at the end would escape the parenthesis.
    if depth > 0 && legal.ends_with('\\') {
        legal.push('a');
    }
    legal.extend(std::iter::repeat_n(')', depth.unsigned_abs() as usize));
    legal
}
