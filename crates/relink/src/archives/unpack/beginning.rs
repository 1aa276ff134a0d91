//! The first words of a message, by which its mailbox can be searched.

use layers::Charset;
use layers::charref::{self, CharrefPlace};

use super::parts::{MessagePart, Read};

/// The maximum number of characters of a beginning.
const LONGEST: usize = 200;

/// The number of bytes of a page in which its first words are searched for.
const SEARCHED: usize = 64 << 10;

/// Elements of which no reader sees the text.
const UNSEEN: [&str; 4] = ["head", "style", "script", "title"];

/// Returns the first words of the body of a message; an empty text if it has none.
pub(crate) fn beginning(read: Read<'_>, body: &MessagePart) -> String {
    let is_text = body.media_type.starts_with("text/") || body.is_html();
    let Some(text) = is_text.then(|| read.body_text(body.entity)).flatten() else {
        return String::new();
    };
    if body.is_html() { words(&without_tags(&text)) } else { words(&text) }
}

/// Returns the first words of a text, with one space between them.
fn words(text: &str) -> String {
    let mut out = String::new();
    let mut n = 0;
    for word in text.split_whitespace() {
        let start = n + usize::from(n > 0);
        if start >= LONGEST {
            break;
        }
        out.push_str(if n > 0 { " " } else { "" });
        out.extend(word.chars().take(LONGEST - start));
        n = start + word.chars().count();
    }
    out
}

/// Returns the text of the start of a page, with a space for each tag and comment.
fn without_tags(page: &str) -> String {
    let is_end = |end: &usize| page.is_char_boundary(*end);
    let end = (0..=page.len().min(SEARCHED)).rev().find(is_end).unwrap_or(0);
    let mut rest = &page[..end];
    let (mut out, mut n) = (String::new(), 0);
    while n < 2 * LONGEST {
        let (text, tag) = rest.split_once('<').unwrap_or((rest, ""));
        let decoded = charref::decode(text.as_bytes(), Charset::UTF_8, CharrefPlace::Text).text;
        n += decoded.split_whitespace().map(str::len).sum::<usize>();
        out.push_str(&decoded);
        out.push(' ');
        let name = UNSEEN.iter().find(|name| {
            let is_it = tag.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
            is_it && tag[name.len()..].starts_with(|char: char| !char.is_ascii_alphanumeric())
        });
        let after = match name {
            Some(name) => after_end_tag(tag, name),
            None if tag.starts_with("!--") => tag.split_once("-->").map(|(_, rest)| rest),
            None => tag.split_once('>').map(|(_, rest)| rest),
        };
        match after {
            Some(after) => rest = after,
            None => break,
        }
    }
    out
}

/// Returns what follows the end tag of an element.
fn after_end_tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut ends = text.match_indices("</");
    let is_end = |at: usize| {
        text.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    let (at, _) = ends.find(|(at, _)| is_end(*at))?;
    text[at..].split_once('>').map(|(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_with_its_words() {
        for (page, expected) in [
            ("<!doctype html><head><title>t</title></head><p>a&amp;b<br>c", "a&b c"),
            ("<HEAD>x</HEAD\n><style>p {}</style >one<!-- > -->\n two", "one two"),
            ("<header>seen</header><style>p {}", "seen"),
            ("a < b", "a"),
            ("", ""),
        ] {
            assert_eq!(words(&without_tags(page)), expected, "{page}");
        }
        let long = "\u{e9}".repeat(150);
        let text = words(&format!("{long} {long}"));
        assert_eq!(text, format!("{long} {}", &long[..98]));
        assert_eq!(words(&without_tags(&"<p>a".repeat(100_000))).len(), LONGEST - 1);
    }
}
