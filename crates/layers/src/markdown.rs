//! Link destinations of Markdown: backslash escapes and character references, bare or between `<`
//! and `>`.
//!
//! Invariant: a unit is exactly one escape or one reference; new text is read the same in any
//! context, and closes nothing that was opened before it: no backtick, no `<` and no `>` is written
//! unescaped. CommonMark 0.31, sections 2.4, 2.5 and 6.3.

use memchr::memchr2;

use crate::charref::{LONGEST, lookup_name};
use crate::map::{Builder, Decoded};
use crate::{Edit, Lifted, Span, Unliftable};

/// The form of a link destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkdownForm {
    /// Bare, up to white space or the parenthesis that closes the link.
    Bare,
    /// Between `<` and `>`.
    Angle,
}

/// The maximum nesting of parentheses in a bare destination: the standard requires at least 3
/// levels, readers stop at 32.
const MAX_NESTING: usize = 32;

/// Decodes a destination; borrows it if nothing is escaped.
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::markdown::decode(r"a\_b&amp;c\d&copy").text, r"a_b&c\d&copy");
/// ```
pub fn decode(raw: &str) -> Decoded<'_> {
    let bytes = raw.as_bytes();
    let next = |at: usize| memchr2(b'\\', b'&', &bytes[at..]).map(|idx| at + idx);
    let Some(first) = next(0) else { return Decoded::plain(raw) };
    let mut builder = Builder::with_capacity(raw.len());
    let (mut from, mut found) = (0, Some(first));
    while let Some(at) = found {
        let mut buffer = [0; 4];
        let unit = match bytes[at] {
            b'\\' => escape(&raw[at..]).map(|text| (2, text)),
            _ => reference(&bytes[at..], &mut buffer),
        };
        if let Some((len, text)) = unit {
            builder.plain(&raw[from..at]);
            builder.unit(Span::new(at, at + len), text);
            from = at + len;
        }
        found = next(from.max(at + 1));
    }
    builder.plain(&raw[from..]);
    builder.finish()
}

/// Returns the character that the backslash at the start of `raw` escapes: ASCII punctuation only
/// (2.4).
fn escape(raw: &str) -> Option<&str> {
    raw.get(1..2).filter(|text| text.as_bytes()[0].is_ascii_punctuation())
}

/// Returns the length of the character reference at the start of `raw` (which begins with `&`), and
/// the text that it represents. It must end with `;` (2.5).
fn reference<'t>(raw: &[u8], buffer: &'t mut [u8; 4]) -> Option<(usize, &'t str)> {
    let (radix, start, most) = match raw {
        [_, b'#', b'x' | b'X', ..] => (16, 3, 6),
        [_, b'#', ..] => (10, 2, 7),
        _ => {
            let name = &raw[1..raw.len().min(LONGEST + 2)];
            let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
            let text = lookup_name(&name[..end + 1]).filter(|_| name[end] == b';')?;
            return Some((end + 2, text));
        }
    };
    let digits = raw[start..].iter().take(most).map_while(|byte| char::from(*byte).to_digit(radix));
    let (n_digits, number) =
        digits.fold((0, 0_u32), |(n, number), digit| (n + 1, number * radix + digit));
    let end = start + n_digits;
    if n_digits == 0 || raw.get(end) != Some(&b';') {
        return None;
    }
    let char = char::from_u32(number).filter(|char| *char != '\0').unwrap_or('\u{FFFD}');
    Some((end + 1, char.encode_utf8(buffer)))
}

/// Returns the form of the destination at the start of `raw`, and its span in `raw`, without the
/// `<` and `>`. `None` if there is none.
///
/// # Examples
///
/// ```
/// use relink_layers::{MarkdownForm, Span, markdown::destination};
/// assert_eq!(destination("a(b)c) d"), Some((MarkdownForm::Bare, Span::new(0, 5))));
/// assert_eq!(destination("<a b> 't'"), Some((MarkdownForm::Angle, Span::new(1, 4))));
/// assert_eq!(destination("<a"), None);
/// ```
pub fn destination(raw: &str) -> Option<(MarkdownForm, Span)> {
    let bytes = raw.as_bytes();
    let is_angle = bytes.first() == Some(&b'<');
    let (mut at, mut depth) = (usize::from(is_angle), 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if escape(&raw[at..]).is_some() => at += 1,
            b'>' if is_angle => return Some((MarkdownForm::Angle, Span::new(1, at))),
            b'\n' | b'\r' | b'<' if is_angle => return None,
            _ if is_angle => {}
            0..=b' ' | b'\x7F' => break,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b'(' if depth > MAX_NESTING => return None,
            b'(' => depth += 1,
            _ => {}
        }
        at += 1;
    }
    (!is_angle && depth == 0).then_some((MarkdownForm::Bare, Span::new(0, at)))
}

/// Writes `text` so that it is read unchanged in the given form.
pub(crate) fn encode(text: &str, form: MarkdownForm, out: &mut String) -> Result<(), Unliftable> {
    for (at, char) in text.char_indices() {
        match char {
            // NUL is read as another character, in any notation.
            '\0' => return Err(Unliftable::Unencodable(char)),
            '&' if may_begin_reference(&text[at + 1..]) => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' => out.extend(['\\', char]),
            '(' | ')' if form == MarkdownForm::Bare => out.extend(['\\', char]),
            ' ' if form == MarkdownForm::Angle => out.push(char),
            '`' | ' ' | '\x01'..='\x1F' | '\x7F' => {
                out.push_str(&format!("&#{};", u32::from(char)));
            }
            _ => out.push(char),
        }
    }
    Ok(())
}

/// Returns true if the text after a `&` could be the rest of a reference, possibly with the bytes
/// after the text.
fn may_begin_reference(rest: &str) -> bool {
    let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '#');
    end.is_none_or(|end| rest.as_bytes()[end] == b';')
}

/// Returns the offset at which an edit at `at` must begin so that its text does not become part of
/// the text before it: that of a backslash that escapes nothing, or of the `&` of an unfinished
/// reference.
pub(crate) fn joins(raw: &[u8], decoded: &Decoded<'_>, at: usize) -> usize {
    if decoded.map.unit_ending_at(at).is_some() {
        return at;
    }
    if at > 0 && raw[at - 1] == b'\\' {
        return at - 1;
    }
    let tail = raw[..at].iter().rev().take(LONGEST);
    let run = tail.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    match (at - run).checked_sub(1) {
        Some(amp) if raw[amp] == b'&' && decoded.map.unit_ending_at(at - run).is_none() => amp,
        _ => at,
    }
}

/// Returns the matching unescaped parentheses of a bare destination: pairs of offsets, sorted by
/// the first.
pub(crate) fn pairs(raw: &[u8]) -> Vec<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        match byte {
            b'\\' if raw.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' => open.push(at),
            b')' => pairs.extend(open.pop().map(|open| (open, at))),
            _ => {}
        }
        at += 1;
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the span, widened to contain with each parenthesis its partner, so that the remaining
/// ones still match. Pairs nest, so one pass is enough.
pub(crate) fn with_partners(pairs: &[(usize, usize)], span: Span) -> Span {
    let mut whole = span;
    for (open, close) in pairs {
        let (holds_open, holds_close) = (span.holds(*open), span.holds(*close));
        if holds_open && !holds_close {
            whole.end = whole.end.max(close + 1);
        } else if holds_close && !holds_open {
            whole.start = whole.start.min(*open);
        }
    }
    whole
}

/// Keeps a bare destination valid: if nothing would be left of it the last edit is refused; a `<`
/// that would become its first byte is escaped.
pub(crate) fn keep_bare(raw: &[u8], lifted: &mut Lifted) {
    loop {
        let (mut at, mut n_gone) = (0, 0);
        for edit in lifted.edits.iter().take_while(|edit| edit.text.is_empty()) {
            if edit.span.start > at {
                break;
            }
            at = edit.span.end;
            n_gone += 1;
        }
        // The text of another edit at this offset never begins with `<`.
        if n_gone == 0 || lifted.edits.get(n_gone).is_some_and(|edit| edit.span.start == at) {
            return;
        }
        match raw.get(at) {
            Some(b'<') => {
                let Edit { span, text, .. } = &mut lifted.edits[n_gone - 1];
                span.end += 1;
                *text = b"&lt;"[..].into();
                return;
            }
            Some(_) => return,
            None => {
                let gone = lifted.edits.remove(n_gone - 1);
                lifted.refused.push((gone.id, Unliftable::Empty));
            }
        }
    }
}
