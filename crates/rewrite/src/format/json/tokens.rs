//! The strings of a JSON text with their spans and containers: a lexer for text that is known to be
//! valid.

use layers::Span;
use memchr::memchr2;

/// A relevant token of a JSON text. Numbers and literals are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonToken {
    /// `{`
    Object,
    /// `[`
    List,
    /// `}` or `]`
    Close,
    /// The content of a string that is the name of a member.
    Key(Span),
    /// The content of a string that is a value.
    Text(Span),
}

/// The tokens of a valid JSON text.
pub(super) struct Tokens<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Tokens { bytes: text.as_bytes(), at: 0 }
    }

    /// Reads the string whose opening quote was just read.
    fn string(&mut self) -> Option<JsonToken> {
        let start = self.at;
        loop {
            let next = self.at + memchr2(b'"', b'\\', &self.bytes[self.at..])?;
            if self.bytes[next] == b'"' {
                self.at = next + 1;
                let span = Span::new(start, next);
                // Only a name is followed by a colon.
                let after = self.bytes[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
                let is_key = after == Some(&b':');
                return Some(if is_key { JsonToken::Key(span) } else { JsonToken::Text(span) });
            }
            self.at = (next + 2).min(self.bytes.len());
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = JsonToken;

    fn next(&mut self) -> Option<JsonToken> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            return match byte {
                b'{' => Some(JsonToken::Object),
                b'[' => Some(JsonToken::List),
                b'}' | b']' => Some(JsonToken::Close),
                b'"' => self.string(),
                _ => continue,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_distinguished_from_names() {
        let text = r#" {"a\"b" : ["c\\", -1e5, "\u0022", true], "":{"x":"" } } "#;
        let shown = |token| match token {
            JsonToken::Object => "{".to_owned(),
            JsonToken::List => "[".to_owned(),
            JsonToken::Close => "end".to_owned(),
            JsonToken::Key(span) => format!("{}:", &text[span.start..span.end]),
            JsonToken::Text(span) => text[span.start..span.end].to_owned(),
        };
        let tokens: Vec<String> = Tokens::new(text).map(shown).collect();
        let expected =
            ["{", r#"a\"b:"#, "[", r"c\\", r"\u0022", "end", ":", "{", "x:", "", "end", "end"];
        assert_eq!(tokens, expected);
    }
}
